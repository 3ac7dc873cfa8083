-- What was used, by task, day (UTC, days since 1970) and model: a model can change within a task.
CREATE TABLE IF NOT EXISTS usage (
	task          TEXT NOT NULL,
	day           INTEGER NOT NULL,
	model         TEXT NOT NULL,
	tokens_in     INTEGER NOT NULL,
	tokens_out    INTEGER NOT NULL,
	tokens_cached INTEGER NOT NULL,
	cost          REAL NOT NULL,
	unknown       INTEGER NOT NULL,
	PRIMARY KEY (task, day, model)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO usage
SELECT id, created / 86400000, model, tokens_in, tokens_out, tokens_cached, cost, NOT cost_known
FROM tasks WHERE tokens_in + tokens_out > 0;
