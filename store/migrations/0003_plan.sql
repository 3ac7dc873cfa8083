-- A session that only plans: its agents have no tool that changes anything.
ALTER TABLE sessions ADD COLUMN plan INTEGER NOT NULL DEFAULT 0;
