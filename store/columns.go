package store

import (
	"database/sql"
	"encoding/json"
	"math"
	"strings"
	"time"

	"drover/core"
)

// The columns of each table stand here once, with the two functions that go
// with them. "Own" columns never change after the insert; the others are what
// an update writes.
const (
	sessionOwn   = "id,created"
	sessionOther = "dir,title,agent,model,autopilot,allow_all,rules,max_continues,continues,pace,plan,limits,output,updated"

	taskOwn   = "id,session,parent,kind,agent,depth,call_id,created,rev"
	taskOther = "name,description,mode,model,status,activity,detail,intent,turn,opener," +
		"steps,tool_calls,tokens_in,tokens_out,tokens_cached,cost,cost_known," +
		"started,active_since,active_ns,last_event,ended," +
		"error_code,error,outcome,summary,not_done,ended_by"

	specColumns = "task,prompt,system,tools,output,agent"
	turnColumns = "task,n,prompt,sender,response,started,ended,tool_calls,result,full,partial,code"
	stepColumns = "task,seq,turn,step,kind,at,sender,delivery,text,reasoning,calls,call_id,tool," +
		"failed,took_ns,full,tokens_in,tokens_out,tokens_cached,cost,cost_known,opaque,upto"

	requestOwn   = "session,task,kind,sender,created"
	requestOther = "text,delivery,scope,ref,state,outcome,turn,delivered,done"

	eventColumns = "session,task,at,kind,notable,text,ref"

	approvalOwn   = "session,task,call_id,tool,args,subject,created"
	approvalOther = "state,scope,reason,decider,decided"

	liveColumns = "task,text,reasoning,rev"
)

// insertInto makes the statement that inserts a row of these columns.
func insertInto(table, columns string) string {
	marks := strings.Repeat(",?", strings.Count(columns, ",")+1)
	return "INSERT INTO " + table + "(" + columns + ") VALUES(" + marks[1:] + ")"
}

// assign makes "a=?,b=?" of "a,b".
func assign(columns string) string { return strings.ReplaceAll(columns, ",", "=?,") + "=?" }

func sessionValues(s *core.Session) []any {
	return []any{
		s.Dir, s.Title, s.Agent, s.Model, s.Autopilot, s.AllowAll, list(s.Rules),
		s.MaxContinues, s.Continues, s.Pace, s.Plan, limitsText(s.Limits), []byte(s.Output), ms(s.Updated),
	}
}

// limitsText is the stored form of limits, "{}" where there are none.
func limitsText(l core.SessionLimits) string {
	text, err := json.Marshal(l)
	if err != nil { // a figure that no JSON can hold is no limit
		return "{}"
	}
	return string(text)
}

func scanSession(rows *sql.Rows, s *core.Session) error {
	var created, updated int64
	err := rows.Scan(&s.ID, &created,
		&s.Dir, &s.Title, &s.Agent, &s.Model, &s.Autopilot, &s.AllowAll, jsonColumn{&s.Rules},
		&s.MaxContinues, &s.Continues, &s.Pace, &s.Plan, jsonColumn{&s.Limits}, (*[]byte)(&s.Output), &updated)
	s.Created, s.Updated = fromMS(created), fromMS(updated)
	return err
}

func taskOwnValues(t *core.Task) []any {
	return []any{t.ID, t.Session, t.Parent, string(t.Kind), t.Agent, t.Depth, t.CallID, ms(t.Created), t.Rev}
}

func taskValues(t *core.Task) []any {
	return []any{
		t.Name, t.Description, string(t.Mode), t.Model,
		string(t.Status), string(t.Activity), t.Detail, t.Intent, t.Turn, t.Opener,
		t.Steps, t.ToolCalls, t.TokensIn, t.TokensOut, t.TokensCached, number(t.Cost), t.CostKnown,
		ms(t.Started), ms(t.ActiveSince), int64(t.Active), ms(t.LastEvent), ms(t.Ended),
		string(t.ErrorCode), t.Error, string(t.Outcome), t.Summary, list(t.NotDone), t.EndedBy,
	}
}

func scanTask(rows *sql.Rows, t *core.Task) error {
	var created, started, since, active, last, ended int64
	err := rows.Scan(
		&t.ID, &t.Session, &t.Parent, (*string)(&t.Kind), &t.Agent, &t.Depth, &t.CallID, &created, &t.Rev,
		&t.Name, &t.Description, (*string)(&t.Mode), &t.Model,
		(*string)(&t.Status), (*string)(&t.Activity), &t.Detail, &t.Intent, &t.Turn, &t.Opener,
		&t.Steps, &t.ToolCalls, &t.TokensIn, &t.TokensOut, &t.TokensCached, &t.Cost, &t.CostKnown,
		&started, &since, &active, &last, &ended,
		(*string)(&t.ErrorCode), &t.Error, (*string)(&t.Outcome), &t.Summary, jsonColumn{&t.NotDone}, &t.EndedBy)
	t.Created, t.Started, t.ActiveSince = fromMS(created), fromMS(started), fromMS(since)
	t.Active, t.LastEvent, t.Ended = time.Duration(active), fromMS(last), fromMS(ended)
	return err
}

func scanSpec(rows *sql.Rows, s *core.Spec) error {
	var task string
	return rows.Scan(&task, &s.Prompt, &s.System, jsonColumn{&s.Tools}, (*[]byte)(&s.Output), (*[]byte)(&s.Agent))
}

func scanTurn(rows *sql.Rows, t *core.Turn) error {
	var started, ended int64
	err := rows.Scan(&t.Task, &t.N, &t.Prompt, &t.Sender, &t.Response, &started, &ended, &t.ToolCalls,
		(*[]byte)(&t.Result), &t.Full, &t.Partial, (*string)(&t.Code))
	t.Started, t.Ended = fromMS(started), fromMS(ended)
	return err
}

func stepValues(e *core.Entry) []any {
	k := &e.Tokens
	return []any{
		e.Task, e.Seq, e.Turn, e.Step, string(e.Kind), ms(e.At), e.Sender, string(e.Delivery),
		e.Text, e.Reasoning, callsText(e.Calls), e.CallID, e.Tool, e.Failed, int64(e.Took), e.Full,
		k.In, k.Out, k.Cached, number(k.Cost), k.CostKnown, []byte(e.Opaque), e.Upto,
	}
}

func scanStep(rows *sql.Rows, e *core.Entry) error {
	var at, took int64
	var calls []storedCall
	k := &e.Tokens
	err := rows.Scan(
		&e.Task, &e.Seq, &e.Turn, &e.Step, (*string)(&e.Kind), &at, &e.Sender, (*string)(&e.Delivery),
		&e.Text, &e.Reasoning, jsonColumn{&calls}, &e.CallID, &e.Tool, &e.Failed, &took, &e.Full,
		&k.In, &k.Out, &k.Cached, &k.Cost, &k.CostKnown, (*[]byte)(&e.Opaque), &e.Upto)
	e.At, e.Took, e.Calls = fromMS(at), time.Duration(took), toCalls(calls)
	return err
}

// storedCall keeps arguments as a string: what a model wrote need not be JSON.
type storedCall struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Args *string `json:"args"`
}

func callsText(calls []core.ToolCall) any {
	if calls == nil {
		return nil
	}
	out := make([]storedCall, len(calls))
	for i, c := range calls {
		out[i] = storedCall{ID: text(c.ID), Name: text(c.Name)}
		if c.Args != nil {
			args := text(string(c.Args))
			out[i].Args = &args
		}
	}
	return jsonText(out)
}

func toCalls(stored []storedCall) []core.ToolCall {
	if stored == nil {
		return nil
	}
	calls := make([]core.ToolCall, len(stored))
	for i, c := range stored {
		calls[i] = core.ToolCall{ID: c.ID, Name: c.Name}
		if c.Args != nil {
			calls[i].Args = json.RawMessage(*c.Args)
		}
	}
	return calls
}

func requestValues(r *core.Request) []any {
	return []any{
		r.Text, string(r.Delivery), r.Scope, r.Ref, string(r.State), r.Outcome, r.Turn, ms(r.Delivered), ms(r.Done),
	}
}

func scanRequest(rows *sql.Rows, r *core.Request) error {
	var created, delivered, done int64
	err := rows.Scan(&r.ID, &r.Session, &r.Task, (*string)(&r.Kind), &r.Sender, &created,
		&r.Text, (*string)(&r.Delivery), &r.Scope, &r.Ref, (*string)(&r.State), &r.Outcome, &r.Turn, &delivered, &done)
	r.Created, r.Delivered, r.Done = fromMS(created), fromMS(delivered), fromMS(done)
	return err
}

func scanEvent(rows *sql.Rows, e *core.Event) error {
	var at int64
	err := rows.Scan(&e.Seq, &e.Session, &e.Task, &at, (*string)(&e.Kind), &e.Notable, &e.Text, &e.Ref)
	e.At = fromMS(at)
	return err
}

func approvalValues(a *core.Approval) []any {
	return []any{string(a.State), a.Scope, a.Reason, a.By, ms(a.Decided)}
}

func scanApproval(rows *sql.Rows, a *core.Approval) error {
	var created, decided int64
	err := rows.Scan(&a.ID, &a.Session, &a.Task, &a.CallID, &a.Tool, (*[]byte)(&a.Args), &a.Subject, &created,
		(*string)(&a.State), &a.Scope, &a.Reason, &a.By, &decided)
	a.Created, a.Decided = fromMS(created), fromMS(decided)
	return err
}

func scanLive(rows *sql.Rows, l *core.Live) error {
	return rows.Scan(&l.Task, &l.Text, &l.Reasoning, &l.Rev)
}

// number makes a float storable: SQLite keeps NaN as NULL.
func number(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}
