package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"drover/core"
	"drover/ui/state"
)

// fake is an engine in memory: rows, and a nudge after each change. What it
// does with requests is scripted by the test (act).
type fake struct {
	mu        sync.Mutex
	seq       int64
	sessions  map[string]core.Session
	tasks     []core.TaskView
	requests  []core.Request
	approvals []core.Approval
	events    []core.Event
	entries   map[string][]core.Entry
	live      map[string]core.Live
	dirty     map[string]int64
	watchers  []chan struct{}
	settled   chan struct{} // closed and replaced when a request changes
	act       func(*fake, *core.Request)
	broken    error
	pulls     int
	agents    []state.Agent
	commands  []state.Command
	lookErr   error
	looks     int
	trusted   bool
	files     []string
	dirs      []string // whose files were asked for
	history   []string
	insides   map[string]core.Inside
	notes     map[string]string
	notesRev  int64
	reviews   []core.Review
	hits      []core.Hit
	reviewed  map[string]int64 // when a completion changed
}

func newFake() *fake {
	return &fake{
		sessions: map[string]core.Session{}, entries: map[string][]core.Entry{}, live: map[string]core.Live{},
		dirty: map[string]int64{}, settled: make(chan struct{}), reviewed: map[string]int64{},
	}
}

// change runs f as one commit and nudges every watcher.
func (f *fake) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.settled)
	f.settled = make(chan struct{})
	for _, w := range f.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

func (f *fake) touch(task string) { f.seq++; f.dirty[task] = f.seq }

func (f *fake) task(id string) *core.TaskView {
	for i := range f.tasks {
		if f.tasks[i].ID == id {
			return &f.tasks[i]
		}
	}
	return nil
}

// put adds or replaces a task.
func (f *fake) put(t core.TaskView) {
	if t.Session == "" {
		t.Session = t.ID
	}
	if old := f.task(t.ID); old != nil {
		t.Rev = old.Rev + 1
		*old = t
	} else {
		t.Rev = 1
		f.tasks = append(f.tasks, t)
	}
	if t.Parent == "" {
		f.sessions[t.ID] = core.Session{ID: t.ID, Title: t.Description, Updated: time.Now(), Autopilot: t.Autopilot}
	}
	f.touch(t.ID)
}

func (f *fake) say(task string, e core.Entry) {
	e.Task, e.Seq, e.At = task, int64(len(f.entries[task])+1), time.Now()
	f.entries[task] = append(f.entries[task], e)
	f.touch(task)
}

func (f *fake) event(session, task string, k core.EventKind, text string) {
	f.touch(task)
	f.events = append(f.events, core.Event{Seq: f.seq, Session: session, Task: task, At: time.Now(), Kind: k, Notable: true, Text: text})
}

func (f *fake) ask(task, tool, subject string, args any) {
	raw, _ := json.Marshal(args)
	t := f.task(task)
	t.Activity, t.NeedsApproval, t.Detail, t.Rev = core.ActApproval, true, tool, t.Rev+1
	f.approvals = append(f.approvals, core.Approval{
		ID: int64(len(f.approvals) + 1), Session: t.Session, Task: task, Tool: tool, Subject: subject, Args: raw, State: core.AppPending, Created: time.Now(),
	})
	f.touch(task)
}

func (f *fake) Watch(ctx context.Context) <-chan struct{} {
	w := make(chan struct{}, 1)
	f.mu.Lock()
	f.watchers = append(f.watchers, w)
	f.mu.Unlock()
	return w
}

// reads is how often the screen has asked.
func (f *fake) reads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pulls
}

func (f *fake) Pull(ctx context.Context, c core.Cursor) (core.Update, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pulls++
	if f.broken != nil {
		return core.Update{}, f.broken
	}
	u := core.Update{Seq: f.seq, NotesRev: f.notesRev}
	if f.notesRev != c.NotesRev {
		u.Notes = maps.Clone(f.notes)
	}
	changed := map[string]bool{}
	tasks := f.tasks
	if c.Seq == f.seq { // as a registry does by its index
		tasks = nil
	}
	for _, t := range tasks {
		if f.dirty[t.ID] > c.Seq || c.Seq == 0 {
			changed[t.ID] = true
			u.Tasks, u.Changed = append(u.Tasks, t), append(u.Changed, t.ID)
			if t.Parent == "" {
				u.Sessions = append(u.Sessions, f.sessions[t.ID])
			}
		}
	}
	for _, r := range f.requests {
		if changed[r.Task] && r.State == core.ReqQueued {
			u.Requests = append(u.Requests, r)
		}
	}
	for _, a := range f.approvals {
		if changed[a.Task] && a.State == core.AppPending {
			u.Approvals = append(u.Approvals, a)
		}
	}
	for _, r := range f.reviews {
		if f.reviewed[r.ID()] > c.Seq {
			u.Reviews = append(u.Reviews, r)
		}
	}
	for _, e := range f.events {
		if c.Seq > 0 && e.Seq > c.Seq {
			u.Events = append(u.Events, e)
		}
	}
	if c.Focus != "" {
		u.Focus = &core.Focus{Task: c.Focus, Live: f.live[c.Focus]}
		es := f.entries[c.Focus]
		if c.Entry == 0 && len(es) > c.Tail {
			es = es[len(es)-c.Tail:]
		} else if c.Entry > 0 {
			es = es[min(int(c.Entry), len(es)):]
		}
		u.Focus.Entries = append(u.Focus.Entries, es...)
		if len(es) > 0 {
			u.Focus.First = es[0].Seq
		}
	}
	return u, nil
}

func (f *fake) Tail(ctx context.Context, task string, before int64, n int) ([]core.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	es := f.entries[task]
	if before > 0 {
		es = es[:before-1]
	}
	return append([]core.Entry(nil), es[max(0, len(es)-n):]...), nil
}

func (f *fake) Search(ctx context.Context, q core.Search, _ time.Duration) (core.Found, error) {
	return core.Found{Hits: f.hits, Indexed: true}, ctx.Err()
}

func (f *fake) Events(ctx context.Context, q core.EventFilter) ([]core.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []core.Event
	for _, e := range f.events {
		if e.Session == q.Session {
			out = append(out, e)
		}
	}
	return out, nil
}

func (f *fake) Submit(ctx context.Context, r core.Request) (core.Request, error) {
	var err error
	f.change(func() {
		t := f.task(r.Task)
		if t == nil || t.Status.Terminal() {
			err = &core.Error{Code: core.CodeEnded, Message: "the task has ended", Hint: "start a new one"}
			return
		}
		r.ID, r.State, r.Session, r.Created = int64(len(f.requests)+1), core.ReqQueued, t.Session, time.Now()
		f.requests = append(f.requests, r)
		f.touch(r.Task)
		if f.act != nil {
			f.act(f, &f.requests[len(f.requests)-1])
			r.State = core.ReqQueued
		}
	})
	return r, err
}

func (f *fake) Await(ctx context.Context, id int64) (core.Request, error) {
	for {
		f.mu.Lock()
		r, next := f.requests[id-1], f.settled
		f.mu.Unlock()
		if r.State != core.ReqQueued {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return r, context.Cause(ctx)
		case <-next:
		}
	}
}

func (f *fake) Withdraw(ctx context.Context, id int64) (core.Request, error) {
	return f.revise(id, func(r *core.Request) { r.State = core.ReqWithdrawn })
}

func (f *fake) EditRequest(ctx context.Context, id int64, text string) (core.Request, error) {
	return f.revise(id, func(r *core.Request) { r.Text = text })
}

func (f *fake) revise(id int64, do func(*core.Request)) (r core.Request, err error) {
	f.change(func() {
		if f.requests[id-1].State != core.ReqQueued {
			err = core.Errorf(core.CodeWrongStatus, "r%d is already %s", id, f.requests[id-1].State)
			return
		}
		do(&f.requests[id-1])
		r = f.requests[id-1]
		f.touch(r.Task)
	})
	return r, err
}

func (f *fake) PutNote(ctx context.Context, key, value string) error {
	f.change(func() { f.note(key, value) })
	return nil
}

func (f *fake) note(key, value string) {
	f.notesRev++
	if f.notes == nil {
		f.notes = map[string]string{}
	}
	f.notes[key] = value
	if value == "" {
		delete(f.notes, key)
	}
}

func (f *fake) Archive(ctx context.Context, tasks []string, on bool) (err error) {
	f.change(func() {
		for _, id := range tasks {
			if on && !f.task(id).Status.Terminal() {
				err = core.Errorf(core.CodeWrongStatus, "%s has not ended", id)
				return
			}
			f.note(core.NoteArchived+id, map[bool]string{true: "2026-01-02"}[on])
		}
	})
	return err
}

func (f *fake) NewSession(ctx context.Context, n state.NewSession) (string, error) {
	prompt, autopilot, lead := n.Prompt, n.Autopilot, n.Agent
	if name, _, ok := strings.Cut(strings.TrimPrefix(prompt, "/"), " "); ok && prompt[0] == '/' && !f.command(name) {
		return "", &core.Error{Code: core.CodeNotFound, Message: "no command /" + name, Hint: "Tab completes names"}
	}
	if lead == "" {
		lead = "main"
	}
	id := ""
	f.change(func() {
		id = fmt.Sprintf("new%02d", len(f.tasks))
		now := time.Now()
		f.put(core.TaskView{ID: id, Kind: core.KindMain, Agent: lead, Name: "main", Description: prompt, Status: core.Running, Activity: core.ActModel, Mode: core.Background, Turn: 1, Created: &now, Started: &now, ActiveSince: now, Autopilot: autopilot})
		f.say(id, core.Entry{Turn: 1, Kind: core.EntryMessage, Sender: core.SenderUser, Text: prompt})
	})
	return id, nil
}

func (f *fake) command(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.commands, func(c state.Command) bool { return c.Name == name })
}

func (f *fake) Models(ctx context.Context) ([]string, error) {
	return []string{"offline/rules", "anthropic/claude-sonnet-5-5", "anthropic/claude-opus-5-5", "ollama/qwen3"}, nil
}

func (f *fake) Files(ctx context.Context, dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dirs = append(f.dirs, dir)
	return slices.Clone(f.files), nil
}

func (f *fake) History(ctx context.Context) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.history), nil
}

func (f *fake) Remember(ctx context.Context, text string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.history = append(f.history, text)
	return nil
}

func (f *fake) Completion(ctx context.Context, id string) (core.CompletionView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.reviews {
		if r.ID() == id {
			cost := 0.12
			return core.CompletionView{
				Review: r, Title: f.sessions[r.Session].Title, Dir: f.sessions[r.Session].Dir, Files: []core.FileChange{{Path: "cart/total.go", Times: 3}, {Path: "cart/total_test.go", Times: 1}},
				TokensIn: 31_000, TokensOut: 2400, Cost: &cost, Active: 134 * time.Second,
			}, nil
		}
	}
	return core.CompletionView{}, core.Errorf(core.CodeNotFound, "no completion %s", id)
}

func (f *fake) MarkReviews(ctx context.Context, m core.ReviewMark, ids ...string) (out []core.Review, err error) {
	f.change(func() {
		for i := range f.reviews {
			if r := &f.reviews[i]; slices.Contains(ids, r.ID()) {
				r.State, r.Until, r.Marked = m.State, m.Until, time.Now()
				f.touch(r.Session)
				f.reviewed[r.ID()] = f.seq
				out = append(out, *r)
			}
		}
	})
	return out, nil
}

// declare declares a completion.
func (f *fake) declare(session string, o core.Outcome, ago time.Duration, summary string, notDone ...string) {
	f.touch(session)
	r := core.Review{Session: session, Seq: f.seq, At: time.Now().Add(-ago), Outcome: o, Summary: summary, NotDone: notDone, State: core.ReviewOpen}
	f.reviews = append(f.reviews, r)
	f.reviewed[r.ID()] = f.seq
}

func (f *fake) Agents(ctx context.Context) ([]state.Agent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	return slices.Clone(f.agents), f.lookErr
}

func (f *fake) Commands(ctx context.Context) ([]state.Command, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.commands), nil
}

func (f *fake) Trust(ctx context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trusted = true
	for i := range f.agents {
		if f.agents[i].State == "untrusted" {
			f.agents[i].State, f.agents[i].Reason = "available", ""
		}
	}
	for i := range f.commands {
		f.commands[i].State = "available"
	}
	return "/home/me/shop", nil
}

// asked is how often the screen has asked for the catalogue.
func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looks
}
