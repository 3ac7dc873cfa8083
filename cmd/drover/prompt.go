package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"drover/core"
	"drover/core/host"
)

// Output formats of a run.
const (
	formatText   = "text"
	formatJSON   = "json"        // one object at the end
	formatStream = "stream-json" // a value a line, that object last
)

// checkRun checks the flags of a run, and reads what they name.
func (a *app) checkRun(ctx context.Context, f *runFlags) error {
	if l := f.limits; l.MaxTurns < 0 || l.Timeout < 0 || l.Tokens < 0 || !(l.Cost >= 0 && l.Cost < 1e12) {
		return usage("leave it out for no limit", "a limit cannot be negative or endless")
	}
	switch f.format {
	case "":
		if f.format = formatText; a.json {
			f.format = formatStream
		}
	case formatText, formatJSON, formatStream:
		if a.json && f.format != formatStream {
			return usage("leave one of them out", "--json is --output-format stream-json, not %s", f.format)
		}
	default:
		return usage("it is text, json or stream-json", "no output format %q", f.format)
	}
	if f.schema == "" {
		return nil
	}
	if f.autopilot {
		return usage("leave --autopilot out: with --schema the result itself says when it is done", "--schema and --autopilot do not go together: the one ends with a result, the other with a completion")
	}
	raw := []byte(f.schema)
	if s := strings.TrimSpace(f.schema); !strings.HasPrefix(s, "{") && s != "true" && s != "false" {
		var err error
		if raw, err = schemaOf(ctx, f.schema); ctx.Err() != nil {
			return err
		} else if err != nil {
			return usage("name a file that holds a JSON Schema, or write the schema itself: {\"type\":\"object\",…}", "the schema cannot be read: %s", core.CleanLine(err.Error()))
		}
	}
	if _, err := compile(raw); err != nil {
		return err
	}
	f.output = raw
	return nil
}

// hosted is a session's host at work in this process.
type hosted struct {
	over  chan struct{} // closed when the host has ended
	fault error         // read after that
	leave func()        // tells the host to leave at once
}

func hostHere(ctx context.Context, h *host.Host) *hosted {
	work, leave := context.WithCancel(context.WithoutCancel(ctx))
	r := &hosted{over: make(chan struct{}), leave: leave}
	go func() {
		defer close(r.over)
		r.fault = h.Run(work)
	}()
	return r
}

var errOverdue = errors.New("the time for the whole run is over")

// lateBy is how long, after the grace at the end of a run, tasks may take to end by themselves.
const lateBy = 2 * time.Second

// prompted hosts the session in this process until it is over.
func (a *app) prompted(ctx context.Context, e *engine, t core.Task, n core.NewSession, format string) error {
	h, err := e.host(t.Session, true, nil)
	if err != nil {
		return err
	}
	// A reader that leaves (head -1) is an error of a write, and not the end of this process.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	// A person's ^C cancels the session in order, through a request as from elsewhere.
	r := hostHere(ctx, h)
	defer r.leave()
	until := ctx
	if n.Limits.Until > 0 {
		var stop func()
		until, stop = context.WithDeadlineCause(ctx, time.UnixMilli(n.Limits.Until).Add(e.settings.Grace+lateBy), errOverdue)
		defer stop()
	}
	s := newStream(a, e.Client, t.Session, format)
	s.whole = n.Output != nil
	err = s.follow(until, r.over)
	after := context.WithoutCancel(ctx)
	overdue := errors.Is(err, errOverdue)
	if err != nil {
		serr := a.stopped(after, e, t, r)
		if !overdue && ctx.Err() == nil {
			return errors.Join(a.unread(err), serr)
		}
		err = serr
	}
	<-r.over
	if err = errors.Join(err, r.fault); err != nil {
		return err
	}
	return s.result(after, overdue)
}

// unread says that nobody reads what is printed.
func (a *app) unread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		a.resulted = true // as far as it can be
		return &exit{code: core.ExitCancelled, message: "nobody reads the output any more"}
	}
	return err
}

// stopPatience is how long a session that is stopped may take to end.
const stopPatience = 10 * time.Second

// stopped cancels the session, waits for its host and says what was stopped.
func (a *app) stopped(ctx context.Context, e *engine, t core.Task, r *hosted) error {
	q, err := e.Submit(ctx, core.Request{Session: t.Session, Task: t.ID, Kind: core.ReqCancel, Scope: core.ScopeTree, Sender: core.SenderUser})
	if core.CodeOf(err) == core.CodeEnded { // it was just over
		return nil
	}
	if err != nil {
		r.leave()
		return err
	}
	late := time.NewTimer(stopPatience)
	defer late.Stop()
	select {
	case <-r.over:
	case <-late.C:
		r.leave()
		<-r.over
	}
	done, err := e.Requests(ctx, core.RequestFilter{IDs: []int64{q.ID}})
	if err != nil {
		return err
	}
	var rec core.Receipt
	if len(done) == 1 && json.Unmarshal([]byte(done[0].Outcome), &rec) == nil {
		_, _ = fmt.Fprint(a.err, receiptText(rec)) // where nobody reads it, it is in the registry
	}
	return nil
}

// resultLine is what a run came to: of the main task, but for the usage, which
// is that of the whole session.
type resultLine struct {
	Type      string           `json:"type"` // result
	Session   string           `json:"session"`
	Status    core.Status      `json:"status"`
	ExitCode  int              `json:"exit_code"`
	Text      string           `json:"text"` // the last answer
	Partial   bool             `json:"partial"`
	Result    any              `json:"result"` // what was handed in, fitting --schema, or null
	Outcome   core.Outcome     `json:"outcome"`
	Summary   string           `json:"summary"`
	NotDone   []string         `json:"not_done"`
	Usage     core.ResultUsage `json:"usage"`
	ErrorCode core.Code        `json:"error_code"`
	Error     string           `json:"error"`
	ElapsedMS int64            `json:"elapsed_ms"` // from the prompt to the end
}

// result tells how it ended, as exit code and, as JSON, as the last value.
func (s *stream) result(ctx context.Context, overdue bool) error {
	d, err := s.c.Show(ctx, s.session)
	if err != nil {
		return err
	}
	t := &d.Task
	code := core.TreeExit(*t, d.Children)
	if cut := cutShort(d.Turns); code == core.ExitDone && cut != nil {
		code, t.ErrorCode, t.Error = core.ExitLimit, cut.Code, fmt.Sprintf("turn %d was stopped at a limit; what it left undone may be missing", cut.N)
	}
	if overdue {
		code, t.ErrorCode, t.Error = core.ExitLimit, core.CodeTimeout, errOverdue.Error()+": what still ran was cancelled"
	}
	line := resultOf(&d, code)
	if s.format != formatText {
		s.a.resulted = true
		err := s.a.emitLine(line)
		if err == nil && code != core.ExitDone {
			err = &exit{code: code}
		}
		return s.a.unread(err)
	}
	if text := core.Clean(line.Text); s.whole && text != "" {
		if err := s.a.print(strings.TrimRight(text, "\n") + "\n"); err != nil {
			return s.a.unread(err)
		}
	}
	if code == core.ExitDone {
		return nil
	}
	message := s.fault(*t, d.Children)
	if overdue {
		message = t.Error + " (" + string(t.ErrorCode) + ")"
	}
	return &exit{code, message, "drover show " + t.ID + "; drover log " + t.ID}
}

// unstarted makes, where JSON is wanted, a result of an error that came before
// there was one, and passes the error on.
func (a *app) unstarted(err error, f runFlags) error {
	asJSON := a.json || f.format == formatJSON || f.format == formatStream
	if err == nil || !asJSON || a.resulted {
		return err
	}
	a.resulted = true
	line := resultLine{Type: "result", Status: core.Failed, ErrorCode: core.CodeOf(err)}
	var hint string
	if line.ExitCode, line.Error, hint = a.describe(err); line.ExitCode == core.ExitCancelled {
		line.Status = core.Cancelled
	}
	if hint != "" {
		line.Error += "; " + hint
	}
	if line.NotDone = []string{}; line.ExitCode == core.ExitUsage {
		line.ErrorCode = core.CodeInvalidInput
	}
	return errors.Join(err, a.emitLine(line))
}

// cutShort is the turn that was stopped at a limit, though a later one, begun
// by the end of a child, was answered; nil where a result was handed in since.
func cutShort(turns []core.Turn) *core.Turn {
	for i := len(turns) - 1; i >= 0 && len(turns[i].Result) == 0; i-- {
		if t := &turns[i]; t.Partial && t.Code.Limit() {
			return t
		}
	}
	return nil
}

func resultOf(d *core.Detail, code int) resultLine {
	t := &d.Task
	l := resultLine{
		Type: "result", Session: t.Session, Status: t.Status, ExitCode: code, Outcome: t.Outcome, Summary: t.Summary,
		NotDone: list(t.NotDone), ErrorCode: t.ErrorCode, Error: t.Error,
	}
	for i := len(d.Turns) - 1; i >= 0 && l.Text == "" && l.Result == nil; i-- {
		l.Text, l.Partial, l.Result = d.Turns[i].Response, d.Turns[i].Partial, raw(d.Turns[i].Result)
	}
	cost, known := 0.0, true
	for _, v := range append([]core.TaskView{*t}, d.Children...) {
		l.Usage.Steps += v.Steps
		l.Usage.ToolCalls += v.ToolCalls
		l.Usage.TokensIn += v.TokensIn
		l.Usage.TokensOut += v.TokensOut
		if v.Cost == nil {
			known = false
		} else {
			cost += *v.Cost
		}
	}
	if known {
		l.Usage.Cost = &cost
	}
	if t.Created != nil && t.Ended != nil {
		l.ElapsedMS = t.Ended.Sub(*t.Created).Milliseconds()
	}
	return l
}

// fault says what went wrong in the tree, in one line.
func (s *stream) fault(t core.TaskView, under []core.TaskView) string {
	if t.Status == core.Cancelled {
		return "cancelled"
	}
	for _, v := range append([]core.TaskView{t}, under...) {
		switch {
		case v.Error != "" || v.ErrorCode != "":
			return fmt.Sprintf("%s %s: %s (%s)", v.ID, core.CleanLine(v.Label()), core.CleanLine(v.Error), v.ErrorCode)
		case v.Outcome != "" && v.Outcome != core.OutcomeDone:
			return string(v.Outcome) + ": " + core.CleanLine(v.Summary)
		}
	}
	return "not everything is done"
}
