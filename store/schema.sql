-- What all the migrations come to. Written by go test ./store -update; a change belongs in a migration.
CREATE TABLE sessions (
	n             INTEGER PRIMARY KEY,
	id            TEXT NOT NULL UNIQUE,
	created       INTEGER NOT NULL,
	dir           TEXT NOT NULL,
	title         TEXT NOT NULL,
	agent         TEXT NOT NULL,
	model         TEXT NOT NULL,
	autopilot     INTEGER NOT NULL,
	allow_all     INTEGER NOT NULL,
	rules         TEXT,
	max_continues INTEGER NOT NULL,
	continues     INTEGER NOT NULL,
	pace          INTEGER NOT NULL,
	updated       INTEGER NOT NULL
, plan INTEGER NOT NULL DEFAULT 0, limits TEXT NOT NULL DEFAULT '{}', output BLOB) STRICT;
CREATE TABLE tasks (
	n             INTEGER PRIMARY KEY,
	id            TEXT NOT NULL UNIQUE,
	session       TEXT NOT NULL,
	parent        TEXT NOT NULL,
	kind          TEXT NOT NULL,
	agent         TEXT NOT NULL,
	depth         INTEGER NOT NULL,
	call_id       TEXT NOT NULL,
	created       INTEGER NOT NULL,
	rev           INTEGER NOT NULL,
	name          TEXT NOT NULL,
	description   TEXT NOT NULL,
	mode          TEXT NOT NULL,
	model         TEXT NOT NULL,
	status        TEXT NOT NULL,
	activity      TEXT NOT NULL,
	detail        TEXT NOT NULL,
	intent        TEXT NOT NULL,
	turn          INTEGER NOT NULL,
	opener        TEXT NOT NULL,
	steps         INTEGER NOT NULL,
	tool_calls    INTEGER NOT NULL,
	tokens_in     INTEGER NOT NULL,
	tokens_out    INTEGER NOT NULL,
	tokens_cached INTEGER NOT NULL,
	cost          REAL NOT NULL,
	cost_known    INTEGER NOT NULL,
	started       INTEGER NOT NULL,
	active_since  INTEGER NOT NULL,
	active_ns     INTEGER NOT NULL,
	last_event    INTEGER NOT NULL,
	ended         INTEGER NOT NULL,
	error_code    TEXT NOT NULL,
	error         TEXT NOT NULL,
	outcome       TEXT NOT NULL,
	summary       TEXT NOT NULL,
	not_done      TEXT,
	ended_by      TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_session ON tasks(session);
CREATE TABLE specs (
	task   TEXT PRIMARY KEY,
	prompt TEXT NOT NULL,
	system TEXT NOT NULL,
	tools  TEXT,
	output BLOB,
	agent  BLOB
) STRICT, WITHOUT ROWID;
CREATE TABLE turns (
	task       TEXT NOT NULL,
	n          INTEGER NOT NULL,
	prompt     TEXT NOT NULL,
	sender     TEXT NOT NULL,
	response   TEXT NOT NULL,
	started    INTEGER NOT NULL,
	ended      INTEGER NOT NULL,
	tool_calls INTEGER NOT NULL, result BLOB, full TEXT NOT NULL DEFAULT '', partial INTEGER NOT NULL DEFAULT 0, code TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE steps (
	task          TEXT NOT NULL,
	seq           INTEGER NOT NULL,
	turn          INTEGER NOT NULL,
	step          INTEGER NOT NULL,
	kind          TEXT NOT NULL,
	at            INTEGER NOT NULL,
	sender        TEXT NOT NULL,
	delivery      TEXT NOT NULL,
	text          TEXT NOT NULL,
	reasoning     TEXT NOT NULL,
	calls         TEXT,
	call_id       TEXT NOT NULL,
	tool          TEXT NOT NULL,
	failed        INTEGER NOT NULL,
	took_ns       INTEGER NOT NULL,
	full          TEXT NOT NULL,
	tokens_in     INTEGER NOT NULL,
	tokens_out    INTEGER NOT NULL,
	tokens_cached INTEGER NOT NULL,
	cost          REAL NOT NULL,
	cost_known    INTEGER NOT NULL,
	opaque        BLOB, upto INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	session   TEXT NOT NULL,
	task      TEXT NOT NULL,
	kind      TEXT NOT NULL,
	sender    TEXT NOT NULL,
	created   INTEGER NOT NULL,
	text      TEXT NOT NULL,
	delivery  TEXT NOT NULL,
	scope     TEXT NOT NULL,
	ref       TEXT NOT NULL,
	state     TEXT NOT NULL,
	outcome   TEXT NOT NULL,
	turn      INTEGER NOT NULL,
	delivered INTEGER NOT NULL,
	done      INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_task ON requests(task);
CREATE INDEX requests_queued ON requests(session, task) WHERE state = 'queued';
CREATE TABLE events (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL,
	task    TEXT NOT NULL,
	at      INTEGER NOT NULL,
	kind    TEXT NOT NULL,
	notable INTEGER NOT NULL,
	text    TEXT NOT NULL,
	ref     TEXT NOT NULL
) STRICT;
CREATE INDEX events_notable ON events(session) WHERE notable = 1;
CREATE TABLE approvals (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	session TEXT NOT NULL,
	task    TEXT NOT NULL,
	call_id TEXT NOT NULL,
	tool    TEXT NOT NULL,
	args    BLOB,
	subject TEXT NOT NULL,
	created INTEGER NOT NULL,
	state   TEXT NOT NULL,
	scope   TEXT NOT NULL,
	reason  TEXT NOT NULL,
	decider TEXT NOT NULL,
	decided INTEGER NOT NULL
) STRICT;
CREATE INDEX approvals_pending ON approvals(session, task) WHERE state = 'pending';
CREATE TABLE todos (
	session TEXT PRIMARY KEY,
	list    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE live (
	task      TEXT PRIMARY KEY,
	text      TEXT NOT NULL,
	reasoning TEXT NOT NULL,
	rev       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE facts (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
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
CREATE TABLE texts (
	n    INTEGER PRIMARY KEY AUTOINCREMENT,
	task TEXT NOT NULL,
	seq  INTEGER NOT NULL,
	UNIQUE (task, seq)
) STRICT;
CREATE TABLE texts_upto (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	event INTEGER NOT NULL
) STRICT;
