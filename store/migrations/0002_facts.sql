-- Small things a person has decided once: which folders are trusted.
CREATE TABLE facts (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
