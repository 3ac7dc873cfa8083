-- Limits and the schema of results of a whole session; what a turn handed in beside its response.
ALTER TABLE sessions ADD COLUMN limits TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sessions ADD COLUMN output BLOB;
ALTER TABLE turns ADD COLUMN result BLOB;
ALTER TABLE turns ADD COLUMN full TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN code TEXT NOT NULL DEFAULT '';
