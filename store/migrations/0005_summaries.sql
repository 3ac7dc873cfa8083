-- A summary in a transcript stands for the rows up to this one.
ALTER TABLE steps ADD COLUMN upto INTEGER NOT NULL DEFAULT 0;
