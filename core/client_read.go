package core

import (
	"context"
	"time"
)

// Watch is the store's.
func (c *Client) Watch(ctx context.Context) <-chan struct{} { return c.Store.Watch(ctx) }

// Resolve finds the task that ref means (see Resolve).
func (c *Client) Resolve(ctx context.Context, ref string) (string, error) {
	return view(ctx, c.Store, func(r Reader) (string, error) { return Resolve(r, ref, "") })
}

// Entries of a transcript after seq.
func (c *Client) Entries(ctx context.Context, task string, after int64, limit int) ([]Entry, error) {
	return view(ctx, c.Store, func(r Reader) ([]Entry, error) { return r.Entries(task, after, limit) })
}

// Tail of a transcript before seq.
func (c *Client) Tail(ctx context.Context, task string, before int64, n int) ([]Entry, error) {
	return view(ctx, c.Store, func(r Reader) ([]Entry, error) { return r.Tail(task, before, n) })
}

// Events of the timeline.
func (c *Client) Events(ctx context.Context, f EventFilter) ([]Event, error) {
	return view(ctx, c.Store, func(r Reader) ([]Event, error) { return r.Events(f) })
}

// Requests as filtered.
func (c *Client) Requests(ctx context.Context, f RequestFilter) ([]Request, error) {
	return view(ctx, c.Store, func(r Reader) ([]Request, error) { return r.Requests(f) })
}

// Approvals as filtered.
func (c *Client) Approvals(ctx context.Context, f ApprovalFilter) ([]Approval, error) {
	return view(ctx, c.Store, func(r Reader) ([]Approval, error) { return r.Approvals(f) })
}

// Session by its ID.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	return view(ctx, c.Store, func(r Reader) (Session, error) { return r.Session(id) })
}

// News is what has come since somebody looked last.
type News struct {
	Entries []Entry // of the main task
	Events  []Event // notable ones of the session
	Live    Live    // what has arrived of the answer that main's model is writing
}

// News of a session, in one snapshot: entries and events with a Seq above those given.
func (c *Client) News(ctx context.Context, session string, entry, event int64) (News, error) {
	return view(ctx, c.Store, func(r Reader) (n News, err error) {
		if n.Entries, err = r.Entries(session, entry, 0); err != nil {
			return n, err
		}
		if n.Events, err = r.Events(EventFilter{Session: session, After: event, Notable: true}); err != nil {
			return n, err
		}
		ls, err := r.LiveTexts([]string{session})
		if len(ls) > 0 {
			n.Live = ls[0]
		}
		return n, err
	})
}

// List returns the trees, newest session first, parents before children; without
// all only those of sessions with a task that runs or is idle.
func (c *Client) List(ctx context.Context, all bool) ([]TaskView, error) {
	return view(ctx, c.Store, func(r Reader) ([]TaskView, error) {
		sessions, err := r.Sessions(0)
		if err != nil {
			return nil, err
		}
		tasks, err := r.Tasks(TaskFilter{})
		if err != nil {
			return nil, err
		}
		by, live := map[string][]Task{}, map[string]bool{}
		for _, t := range tasks {
			by[t.Session] = append(by[t.Session], t)
			live[t.Session] = live[t.Session] || !t.Status.Terminal()
		}
		v, err := c.newViewer(r)
		if err != nil {
			return nil, err
		}
		out := []TaskView{}
		for _, s := range sessions {
			if !all && !live[s.ID] {
				continue
			}
			v.sessions[s.ID] = s
			for _, t := range inTreeOrder(by[s.ID]) {
				tv, err := v.view(t)
				if err != nil {
					return nil, err
				}
				out = append(out, tv)
			}
		}
		return out, nil
	})
}

// Tree returns a session's tasks, each parent directly before its subtree.
func (c *Client) Tree(ctx context.Context, session string) ([]TaskView, error) {
	return view(ctx, c.Store, func(r Reader) ([]TaskView, error) {
		tasks, err := r.Tasks(TaskFilter{Session: session})
		if err != nil {
			return nil, err
		}
		v, err := c.newViewer(r)
		if err != nil {
			return nil, err
		}
		return v.views(inTreeOrder(tasks))
	})
}

// Show returns one task with everything around it.
func (c *Client) Show(ctx context.Context, ref string) (Detail, error) {
	return view(ctx, c.Store, func(r Reader) (d Detail, err error) {
		id, err := Resolve(r, ref, "")
		if err != nil {
			return d, err
		}
		t, err := r.Task(id)
		if err != nil {
			return d, err
		}
		v, err := c.newViewer(r)
		if err != nil {
			return d, err
		}
		if d.Task, err = v.view(t); err != nil {
			return d, err
		}
		if d.Spec, err = r.Spec(id); err != nil {
			return d, err
		}
		if d.Turns, err = r.Turns(id, 0); err != nil {
			return d, err
		}
		if d.Requests, err = r.Requests(RequestFilter{Task: id}); err != nil {
			return d, err
		}
		if d.Approvals, err = r.Approvals(ApprovalFilter{Task: id}); err != nil {
			return d, err
		}
		all, err := r.Tasks(TaskFilter{Session: t.Session})
		if err != nil {
			return d, err
		}
		d.Children, err = v.views(inTreeOrder(Descendants(all, id)))
		return d, err
	})
}

// inTreeOrder puts each task directly before its subtree, siblings in order of creation.
func inTreeOrder(tasks []Task) []Task {
	under, known := map[string][]Task{}, map[string]bool{}
	for _, t := range tasks {
		known[t.ID] = true
	}
	for _, t := range tasks {
		p := t.Parent
		if !known[p] {
			p = ""
		}
		under[p] = append(under[p], t)
	}
	out := make([]Task, 0, len(tasks))
	var walk func(string)
	walk = func(id string) {
		for _, t := range under[id] {
			out = append(out, t)
			walk(t.ID)
		}
	}
	walk("")
	return out
}

// viewer turns rows into views within one snapshot.
type viewer struct {
	r        Reader
	now      time.Time
	held     func(string) bool
	sessions map[string]Session
	holds    map[string]bool
	queued   map[string]int
	asks     map[string]bool
	concerns map[string]bool // sessions of queued and asks
}

func (c *Client) newViewer(r Reader) (*viewer, error) {
	v := &viewer{r: r, now: c.now(), sessions: map[string]Session{}, holds: map[string]bool{}, queued: map[string]int{}, asks: map[string]bool{}, concerns: map[string]bool{}}
	if c.Hosts != nil {
		v.held = c.Hosts.Held
	}
	reqs, err := r.Requests(RequestFilter{States: []RequestState{ReqQueued}})
	if err != nil {
		return nil, err
	}
	for _, q := range reqs {
		if q.Kind != ReqNotice {
			v.queued[q.Task]++
			v.concerns[q.Session] = true
		}
	}
	apps, err := r.Approvals(ApprovalFilter{States: []ApprovalState{AppPending}})
	if err != nil {
		return nil, err
	}
	for _, a := range apps {
		v.asks[a.Task] = true
		v.concerns[a.Session] = true
	}
	return v, nil
}

func (v *viewer) views(tasks []Task) ([]TaskView, error) {
	out := make([]TaskView, 0, len(tasks))
	for _, t := range tasks {
		tv, err := v.view(t)
		if err != nil {
			return nil, err
		}
		out = append(out, tv)
	}
	return out, nil
}

func (v *viewer) session(id string) (Session, error) {
	s, ok := v.sessions[id]
	if !ok {
		var err error
		if s, err = v.r.Session(id); err != nil {
			return s, err
		}
		v.sessions[id] = s
	}
	return s, nil
}

func (v *viewer) holding(session string) bool {
	h, ok := v.holds[session]
	if !ok {
		h = v.held == nil || v.held(session)
		v.holds[session] = h
	}
	return h
}

func (v *viewer) view(t Task) (TaskView, error) {
	s, err := v.session(t.Session)
	if err != nil {
		return TaskView{}, err
	}
	tv := TaskView{
		ID: t.ID, Session: t.Session, Parent: t.Parent, Kind: t.Kind, Agent: t.Agent, Name: t.Name, Description: t.Description,
		Status: t.Status, Activity: t.Activity, Detail: t.Detail, Mode: t.Mode, Model: t.Model, Turn: t.Turn,
		Steps: t.Steps, ToolCalls: t.ToolCalls, TokensIn: t.TokensIn, TokensOut: t.TokensOut, Intent: t.Intent, Depth: t.Depth,
		Created: stamp(t.Created), Started: stamp(t.Started), Ended: stamp(t.Ended), LastEvent: stamp(t.LastEvent),
		ErrorCode: t.ErrorCode, Error: t.Error, EndedBy: t.EndedBy, Outcome: t.Outcome, Summary: t.Summary, NotDone: t.NotDone,
		QueuedRequests: v.queued[t.ID], NeedsApproval: v.asks[t.ID] && !t.Status.Terminal(), Dir: s.Dir, Autopilot: s.Autopilot && t.Kind == KindMain,
		Rev: t.Rev,
	}
	if t.CostKnown {
		cost := t.Cost // alone: a pointer into the row would keep all of it in memory
		tv.Cost = &cost
	}
	if tv.NotDone == nil {
		tv.NotDone = []string{}
	}
	elapsed := t.Active
	if t.Status == Running {
		tv.Interrupted = !v.holding(t.Session)
		if tv.Interrupted {
			elapsed = t.Elapsed(t.LastEvent)
		} else {
			tv.ActiveSince = t.ActiveSince
			elapsed = t.Elapsed(v.now)
		}
	}
	tv.ElapsedMS = elapsed.Milliseconds()
	if !tv.ActiveSince.IsZero() {
		tv.ActiveSince = v.now // ElapsedMS holds what came before now
	}
	return tv, nil
}

func stamp(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func view[T any](ctx context.Context, s Store, f func(Reader) (T, error)) (out T, err error) {
	err = s.View(ctx, func(r Reader) error {
		out, err = f(r)
		return err
	})
	return out, err
}
