-- What the full-text index holds: its row n is this row of a transcript. The index itself ("words") is made by
-- whoever first fills it, because not every drover is built with FTS5.
CREATE TABLE texts (
	n    INTEGER PRIMARY KEY AUTOINCREMENT,
	task TEXT NOT NULL,
	seq  INTEGER NOT NULL,
	UNIQUE (task, seq)
) STRICT;
-- All transcript rows that came with events up to this one are in the index.
CREATE TABLE texts_upto (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	event INTEGER NOT NULL
) STRICT;
