package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"drover/core"
)

var (
	insertSession  = insertInto("sessions", sessionOwn+","+sessionOther)
	insertTask     = insertInto("tasks", taskOwn+","+taskOther)
	insertSpec     = insertInto("specs", specColumns)
	insertStep     = insertInto("steps", stepColumns)
	insertRequest  = insertInto("requests", requestOwn+","+requestOther)
	insertEvent    = insertInto("events", eventColumns)
	insertApproval = insertInto("approvals", approvalOwn+","+approvalOther)
	replaceTurn    = "INSERT OR REPLACE" + insertInto("turns", turnColumns)[len("INSERT"):]
	replaceLive    = "INSERT OR REPLACE" + insertInto("live", liveColumns)[len("INSERT"):]

	endTurn        = "UPDATE turns SET response=?,ended=?,tool_calls=?-tool_calls,result=?,full=?,partial=?,code=? WHERE task=? AND n=?"
	updateSession  = "UPDATE sessions SET " + assign(sessionOther) + " WHERE id=?"
	updateTask     = "UPDATE tasks SET rev=rev+1," + assign(taskOther) + " WHERE id=? AND rev=?"
	updateRequest  = "UPDATE requests SET " + assign(requestOther) + " WHERE id=? AND state=?"
	updateApproval = "UPDATE approvals SET " + assign(approvalOther) + " WHERE id=? AND state='pending'"
)

// tx implements core.Tx on the writer's connection.
type tx struct{ reader }

var _ core.Tx = (*tx)(nil)

// exec runs a statement that writes. A key that is taken leaves the
// transaction as it was; every other failure ends it.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	result, err := t.c.ExecContext(context.Background(), query, clean(args)...)
	if duplicate(err) {
		return nil, &core.Error{Code: core.CodeConflict, Message: "there is such a row already", Err: err}
	}
	if err != nil {
		return nil, t.fail("writing to", err)
	}
	return result, nil
}

// insert returns the number the row was given.
func (t *tx) insert(query string, args []any) (int64, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// change reports whether a row was there to be changed.
func (t *tx) change(query string, args ...any) (bool, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func (t *tx) InsertSession(s core.Session) error {
	_, err := t.exec(insertSession, append([]any{s.ID, ms(s.Created)}, sessionValues(&s)...)...)
	return err
}

func (t *tx) UpdateSession(s core.Session) error {
	found, err := t.change(updateSession, append(sessionValues(&s), s.ID)...)
	if err == nil && !found {
		err = notFound("session", s.ID)
	}
	return err
}

func (t *tx) InsertTask(task core.Task, spec core.Spec) error {
	if _, err := t.exec(insertTask, append(taskOwnValues(&task), taskValues(&task)...)...); err != nil {
		return err
	}
	_, err := t.exec(insertSpec, task.ID, spec.Prompt, spec.System, list(spec.Tools), []byte(spec.Output), []byte(spec.Agent))
	return err
}

func (t *tx) UpdateTask(task core.Task) (int64, error) {
	changed, err := t.change(updateTask, append(taskValues(&task), task.ID, task.Rev)...)
	if err != nil {
		return 0, err
	}
	if !changed {
		return 0, t.missed("task", task.ID, "SELECT 1 FROM tasks WHERE id = ?", task.ID)
	}
	return task.Rev + 1, nil
}

// missed tells a row that has changed from one that is not there.
func (t *tx) missed(what, id, query string, key any) error {
	rows, err := collect(&t.reader, scanAny[int], query, key)
	switch {
	case err != nil:
		return err
	case len(rows) == 0:
		return notFound(what, id)
	}
	return conflict(what, id)
}

// DeleteTask removes the task with all that is its own. Its events stay: the
// timeline is the session's.
func (t *tx) DeleteTask(id string) error {
	found, err := t.change("DELETE FROM tasks WHERE id=?", id)
	if err != nil {
		return err
	}
	if !found {
		return notFound("task", id)
	}
	for _, table := range []string{"specs", "turns", "steps", "requests", "approvals", "live", "usage", "texts"} {
		if _, err := t.exec("DELETE FROM "+table+" WHERE task=?", id); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) PutTurn(n core.Turn) error {
	_, err := t.exec(replaceTurn, n.Task, n.N, n.Prompt, n.Sender, n.Response, ms(n.Started), ms(n.Ended), n.ToolCalls,
		[]byte(n.Result), n.Full, n.Partial, string(n.Code))
	return err
}

func (t *tx) EndTurn(n core.Turn) error {
	_, err := t.exec(endTurn, n.Response, ms(n.Ended), n.ToolCalls, []byte(n.Result), n.Full, n.Partial, string(n.Code), n.Task, n.N)
	return err
}

func (t *tx) AppendEntry(e core.Entry) (int64, error) {
	if e.Seq == 0 {
		last, err := collect(&t.reader, scanAny[int64], "SELECT coalesce(max(seq), 0) FROM steps WHERE task = ?", e.Task)
		if err != nil {
			return 0, err
		}
		e.Seq = last[0] + 1
	}
	_, err := t.exec(insertStep, stepValues(&e)...)
	return e.Seq, err
}

func (t *tx) InsertRequest(r core.Request) (int64, error) {
	own := []any{r.Session, r.Task, string(r.Kind), r.Sender, ms(r.Created)}
	return t.insert(insertRequest, append(own, requestValues(&r)...))
}

func (t *tx) UpdateRequest(r core.Request, from core.RequestState) error {
	changed, err := t.change(updateRequest, append(requestValues(&r), r.ID, string(from))...)
	if err == nil && !changed {
		err = t.missed("request", core.RequestRef(r.ID), "SELECT 1 FROM requests WHERE id = ?", r.ID)
	}
	return err
}

func (t *tx) FinishRequests(ids []int64, turn int, at time.Time) error {
	result, err := t.exec("UPDATE requests SET state='done',outcome='',turn=?,done=? WHERE id IN (SELECT value FROM json_each(?)) AND state='queued'", turn, ms(at), jsonText(ids))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != int64(len(ids)) {
		return errors.Join(err, conflict("request", fmt.Sprintf("one of %d", len(ids))))
	}
	return nil
}

func (t *tx) AppendEvent(e core.Event) (int64, error) {
	return t.insert(insertEvent, []any{e.Session, e.Task, ms(e.At), string(e.Kind), e.Notable, e.Text, e.Ref})
}

func (t *tx) InsertApproval(a core.Approval) (int64, error) {
	own := []any{a.Session, a.Task, a.CallID, a.Tool, []byte(a.Args), a.Subject, ms(a.Created)}
	return t.insert(insertApproval, append(own, approvalValues(&a)...))
}

func (t *tx) UpdateApproval(a core.Approval) error {
	changed, err := t.change(updateApproval, append(approvalValues(&a), a.ID)...)
	if err == nil && !changed {
		err = t.missed("approval", core.ApprovalRef(a.ID), "SELECT 1 FROM approvals WHERE id = ?", a.ID)
	}
	return err
}

func (t *tx) PutTodos(session string, todos []core.Todo) error {
	if todos == nil {
		_, err := t.exec("DELETE FROM todos WHERE session=?", session)
		return err
	}
	stored := make([]core.Todo, len(todos))
	for i, d := range todos {
		stored[i] = core.Todo{ID: text(d.ID), Title: text(d.Title), Status: text(d.Status)}
	}
	_, err := t.exec("INSERT OR REPLACE INTO todos(session,list) VALUES(?,?)", session, jsonText(stored))
	return err
}

func (t *tx) PutFact(key, value string) error {
	if value == "" {
		_, err := t.exec("DELETE FROM facts WHERE key=?", key)
		return err
	}
	_, err := t.exec("INSERT OR REPLACE INTO facts(key,value) VALUES(?,?)", text(key), text(value))
	return err
}

func (t *tx) PutLive(l core.Live) error {
	if l.Text == "" && l.Reasoning == "" {
		_, err := t.exec("DELETE FROM live WHERE task=?", l.Task)
		return err
	}
	_, err := t.exec(replaceLive, l.Task, l.Text, l.Reasoning, l.Rev)
	return err
}
