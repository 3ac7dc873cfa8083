package store

import (
	"database/sql"
	"math"
	"slices"

	"drover/core"
)

const (
	selectSession  = "SELECT " + sessionOwn + "," + sessionOther + " FROM sessions"
	selectTask     = "SELECT " + taskOwn + "," + taskOther + " FROM tasks"
	selectSpec     = "SELECT " + specColumns + " FROM specs WHERE task = ?"
	selectTurns    = "SELECT " + turnColumns + " FROM turns WHERE task = ? AND n > ? ORDER BY n"
	selectSteps    = "SELECT " + stepColumns + " FROM steps WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?"
	selectTail     = "SELECT " + stepColumns + " FROM steps WHERE task = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
	selectRequest  = "SELECT id," + requestOwn + "," + requestOther + " FROM requests"
	selectEvent    = "SELECT seq," + eventColumns + " FROM events"
	selectApproval = "SELECT id," + approvalOwn + "," + approvalOther + " FROM approvals"
	selectLive     = "SELECT " + liveColumns + " FROM live"

	selectRollups = `SELECT session, count(*), sum(status = 'running'), sum(status = 'idle'), sum(status = 'failed'),
		sum(tokens_in), sum(tokens_out), total(iif(cost_known, cost, 0)), sum(NOT cost_known)
		FROM tasks WHERE session IN (SELECT value FROM json_each(?)) AND id <> session GROUP BY session ORDER BY session`

	// x'ff' sorts behind every valid text, so this is exactly "begins with".
	selectIDs = "SELECT id FROM tasks WHERE id >= ?1 AND id < ?1 || CAST(x'ff' AS TEXT) ORDER BY id LIMIT ?2"
)

func (r *reader) Session(id string) (core.Session, error) {
	return one(r, "session", id, scanSession, selectSession+" WHERE id = ?")
}

func (r *reader) Sessions(limit int) ([]core.Session, error) {
	return collect(r, scanSession, selectSession+" ORDER BY updated DESC, n DESC LIMIT ?", atMost(limit))
}

func (r *reader) Task(id string) (core.Task, error) {
	return one(r, "task", id, scanTask, selectTask+" WHERE id = ?")
}

func (r *reader) Tasks(f core.TaskFilter) ([]core.Task, error) {
	var w where
	w.is("session", f.Session)
	in(&w, "session", f.Sessions)
	in(&w, "id", f.IDs)
	if f.Live {
		w.and("status IN ('running','idle')")
	}
	end, args := w.order("n", f.Limit)
	return collect(r, scanTask, selectTask+end, args...)
}

// Sizes reads the index alone.
func (r *reader) Sizes(sessions []string) (map[string]int, error) {
	rows, err := collect(r, scanSize, "SELECT session, count(*) FROM tasks WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session", jsonText(sessions))
	sizes := make(map[string]int, len(rows))
	for _, s := range rows {
		sizes[s.Session] = s.Tasks
	}
	return sizes, err
}

func scanSize(rows *sql.Rows, u *core.Rollup) error { return rows.Scan(&u.Session, &u.Tasks) }

func (r *reader) Rollups(sessions []string) ([]core.Rollup, error) {
	return collect(r, scanRollup, selectRollups, jsonText(sessions))
}

func scanRollup(rows *sql.Rows, u *core.Rollup) error {
	return rows.Scan(&u.Session, &u.Tasks, &u.Running, &u.Idle, &u.Failed, &u.TokensIn, &u.TokensOut, &u.Cost, &u.Unpriced)
}

func (r *reader) TaskIDs(prefix string, limit int) ([]string, error) {
	return collect(r, scanAny[string], selectIDs, prefix, atMost(limit))
}

func (r *reader) Spec(task string) (core.Spec, error) {
	return one(r, "task", task, scanSpec, selectSpec)
}

func (r *reader) Turns(task string, after int) ([]core.Turn, error) {
	return collect(r, scanTurn, selectTurns, task, after)
}

func (r *reader) Entries(task string, after int64, limit int) ([]core.Entry, error) {
	return collect(r, scanStep, selectSteps, task, after, atMost(limit))
}

func (r *reader) Tail(task string, before int64, n int) ([]core.Entry, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	entries, err := collect(r, scanStep, selectTail, task, before, max(n, 0))
	slices.Reverse(entries)
	return entries, err
}

func (r *reader) Requests(f core.RequestFilter) ([]core.Request, error) {
	var w where
	w.is("session", f.Session)
	w.is("task", f.Task)
	in(&w, "id", f.IDs)
	if len(f.States) == 1 && f.States[0] == core.ReqQueued {
		w.and("state = 'queued'") // word for word as in the partial index
	} else {
		in(&w, "state", f.States)
	}
	in(&w, "kind", f.Kinds)
	by := "id"
	if f.Limit > 0 {
		by = "id DESC"
	}
	end, args := w.order(by, f.Limit)
	return collect(r, scanRequest, selectRequest+end, args...)
}

func (r *reader) Events(f core.EventFilter) ([]core.Event, error) {
	var w where
	w.and("seq > ?", f.After)
	w.is("session", f.Session)
	w.is("task", f.Task)
	in(&w, "kind", f.Kinds)
	if f.Notable {
		w.and("notable = 1") // word for word as in the partial index
	}
	if f.Last <= 0 {
		end, args := w.order("seq", f.Limit)
		return collect(r, scanEvent, selectEvent+end, args...)
	}
	end, args := w.order("seq DESC", f.Last)
	events, err := collect(r, scanEvent, selectEvent+end, args...)
	slices.Reverse(events)
	return events, err
}

func (r *reader) LastSeq() (int64, error) {
	seq, err := collect(r, scanAny[int64], "SELECT coalesce(max(seq), 0) FROM events")
	if err != nil {
		return 0, err
	}
	return seq[0], nil
}

func (r *reader) Approvals(f core.ApprovalFilter) ([]core.Approval, error) {
	var w where
	w.is("session", f.Session)
	w.is("task", f.Task)
	in(&w, "id", f.IDs)
	if len(f.States) == 1 && f.States[0] == core.AppPending {
		w.and("state = 'pending'") // word for word as in the partial index
	} else {
		in(&w, "state", f.States)
	}
	end, args := w.order("id", 0)
	return collect(r, scanApproval, selectApproval+end, args...)
}

func (r *reader) Todos(session string) ([]core.Todo, error) {
	rows, err := collect(r, scanTodos, "SELECT list FROM todos WHERE session = ?", session)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func scanTodos(rows *sql.Rows, todos *[]core.Todo) error { return rows.Scan(jsonColumn{todos}) }

func (r *reader) Facts(prefix string) (map[string]string, error) {
	rows, err := collect(r, scanFact, "SELECT key, value FROM facts WHERE key >= ? AND key < ? || char(1114111)", prefix, prefix) // by the index: no character sorts after the last
	facts := make(map[string]string, len(rows))
	for _, f := range rows {
		facts[f[0]] = f[1]
	}
	return facts, err
}

func scanFact(rows *sql.Rows, f *[2]string) error { return rows.Scan(&f[0], &f[1]) }

func (r *reader) LiveTexts(tasks []string) ([]core.Live, error) {
	var w where
	in(&w, "task", tasks)
	end, args := w.order("task", 0)
	return collect(r, scanLive, selectLive+end, args...)
}

// atMost is a LIMIT: 0 means all, which SQLite writes -1.
func atMost(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}
