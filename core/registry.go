package core

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Why a turn's context ended (context.Cause).
var (
	ErrCancelled   = errors.New("cancelled")
	ErrInterrupted = errors.New("interrupted by a message")
	ErrClosing     = errors.New("the host is closing")
)

// Options of a Registry. The zero value of each field has a default.
type Options struct {
	Slots    *Slots        // 32
	MaxDepth int           // 6: how deep tasks may nest below main; negative: no limit
	StopWait time.Duration // 5s: how long a cancel waits for work to return
	OneShot  bool          // a failed turn fails the main task too (prompt mode); else the session stays open
	Now      func() time.Time
	NewID    func() string
	// Allowed says whether the rules allow a tool call; RuleFor makes the rule of "always".
	Allowed func(rules []string, tool, subject string) bool
	RuleFor func(tool, subject string) string
	// Model says what the name of a model means in a session that runs on another; nil: itself.
	Model func(name, now string) (full string, err error)
	// OnRunnable is told, after the commit, which task has a turn to run. It must not block.
	OnRunnable func(id string)
	// OnEvent is told of every notable event after its commit. It must not block.
	OnEvent func(Event)
}

// Registry applies changes to the tasks of one session, on behalf of the one
// host that owns it. Its flow, for each change:
//
//	Next(status, op)      pure: may it be done, and what follows
//	store.Update          one transaction: row by id and revision, entries, event; COMMIT.
//	                      Changes that came while another was committed share the next one
//	memory := committed   under mu and memory
//	waiters, OnRunnable   told that something changed; they look at what is true now
//
// Every method is safe for concurrent use.
type Registry struct {
	store   Store
	o       Options
	commits line
	mu      sync.Mutex // held across the write: rows and memory never differ for those who change something
	// memory guards session, tasks, order, and of each entry its task and origin. All
	// but the origin are written with mu held too, so that either will do to read them;
	// it is held from COMMIT on alone: who only reads does not wait for a transaction.
	memory   sync.RWMutex
	session  Session
	tasks    map[string]*entry
	order    []string // in order of creation
	placesMu sync.Mutex
	places   map[string]*Place       // in the queue for a slot, of tasks whose turn was not taken up yet
	deciding map[int64]chan struct{} // closed when the approval is decided
	names    map[string]bool         // of the tasks
	tails    tails
	liveMu   sync.Mutex      // of live alone: text arrives while others write
	live     map[string]Live // arrived text not yet written
	liveRows map[string]bool // tasks that have a row of it; guarded by mu
	liveNow  chan struct{}   // wakes the writer of live text
}

// entry is a task in memory with what only this process knows of it.
type entry struct {
	task    Task
	work    *Work
	began   time.Time      // when its turn got its slot, until a row says so; zero from then on
	changed chan struct{}  // closed at the next change; nil while nobody waits
	readers map[string]int // who waits for its result
	circled bool           // it would have waited in a circle, and that was told
	origin  *Origin        // nil: not read yet, or not needed any more
}

// NewRegistry makes a registry without a session; Load gives it one.
func NewRegistry(s Store, o Options) *Registry {
	if o.Slots == nil {
		o.Slots = NewSlots(32)
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 6
	}
	if o.StopWait == 0 {
		o.StopWait = 5 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = NewID
	}
	if o.Allowed == nil {
		o.Allowed = func([]string, string, string) bool { return false }
	}
	if o.RuleFor == nil {
		o.RuleFor = func(tool, _ string) string { return tool }
	}
	if o.Model == nil {
		o.Model = func(name, _ string) (string, error) { return name, nil }
	}
	if o.OnRunnable == nil {
		o.OnRunnable = func(string) {}
	}
	if o.OnEvent == nil {
		o.OnEvent = func(Event) {}
	}
	return &Registry{store: s, o: o, tasks: map[string]*entry{}, names: map[string]bool{}, places: map[string]*Place{}, deciding: map[int64]chan struct{}{}, live: map[string]Live{}, liveRows: map[string]bool{}, liveNow: make(chan struct{}, 1)}
}

// Load takes the session up where its rows end: every task that is running has
// a turn to run. Resumed is how many of them a dead host left in the middle.
func (r *Registry) Load(session string) (resumed int, err error) {
	var tasks []Task
	var s Session
	err = r.store.View(r.ctx(), func(rd Reader) (err error) {
		if s, err = rd.Session(session); err != nil {
			return err
		}
		tasks, err = rd.Tasks(TaskFilter{Session: session})
		return err
	})
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	r.memory.Lock()
	r.session, r.tasks, r.order, r.names = s, map[string]*entry{}, nil, map[string]bool{}
	if s.Limits.Slots > 0 {
		r.o.Slots.Resize(s.Limits.Slots)
	}
	var left []string
	for _, t := range tasks {
		r.tasks[t.ID] = &entry{task: t}
		r.order = append(r.order, t.ID)
		r.names[t.Name] = true
		if t.Status == Running && !t.Started.IsZero() {
			left = append(left, t.ID)
		}
	}
	r.memory.Unlock()
	r.mu.Unlock()
	if len(left) == 0 {
		return 0, nil
	}
	return len(left), r.change(Acknowledged, func(c *change) error {
		for _, id := range left {
			if err := c.resume(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// resume takes up an interrupted turn: the time in which nobody worked on it does not count.
func (c *change) resume(id string) error {
	err := c.do(id, OpResume, func(t *Task) {
		e := c.r.tasks[id].task
		t.Active += max(0, e.LastEvent.Sub(t.ActiveSince))
		t.ActiveSince, t.Activity, t.Detail = c.now, ActQueued, ""
	})
	if err != nil {
		return err
	}
	if err := c.event(id, EvResumed, true, c.staged[id].Label()+" goes on where it was interrupted", ""); err != nil {
		return err
	}
	return c.tx.PutLive(Live{Task: id})
}

// ctx of the registry's own reads and writes: they are short, and a change
// that has been decided is not abandoned half way.
func (r *Registry) ctx() context.Context { return context.Background() }

// Session as it is now.
func (r *Registry) Session() Session {
	r.memory.RLock()
	defer r.memory.RUnlock()
	return r.session
}

// Task as it is now.
func (r *Registry) Task(id string) (Task, error) {
	r.memory.RLock()
	defer r.memory.RUnlock()
	if e := r.tasks[id]; e != nil {
		return e.task, nil
	}
	return Task{}, noTask(id)
}

// Tasks of the session, in order of creation.
func (r *Registry) Tasks() []Task {
	r.memory.RLock()
	defer r.memory.RUnlock()
	out := make([]Task, 0, len(r.order))
	for _, id := range r.order {
		out = append(out, r.tasks[id].task)
	}
	return out
}

// each goes over the tasks in order of creation, until f says no. memory or mu is held.
func (r *Registry) each(f func(*Task) bool) {
	for _, id := range r.order {
		if !f(&r.tasks[id].task) {
			return
		}
	}
}

// Find resolves an ID, a unique prefix of one, or a unique name within the session.
func (r *Registry) Find(ref string) (Task, error) {
	var id string
	err := r.store.View(r.ctx(), func(rd Reader) (err error) {
		id, err = Resolve(rd, ref, r.Session().ID)
		return err
	})
	if err != nil {
		return Task{}, err
	}
	return r.Task(id)
}

// View reads rows.
func (r *Registry) View(f func(Reader) error) error { return r.store.View(r.ctx(), f) }

// Idle reports session.idle: nothing runs and nothing is queued.
func (r *Registry) Idle() bool {
	busy := false
	r.memory.RLock()
	r.each(func(t *Task) bool {
		busy = t.Status == Running
		return !busy
	})
	r.memory.RUnlock()
	if busy {
		return false
	}
	queued := false
	err := r.View(func(rd Reader) error {
		reqs, err := rd.Requests(RequestFilter{Session: r.Session().ID, States: []RequestState{ReqQueued}})
		for _, q := range reqs {
			queued = queued || q.Delivery != Quiet
		}
		return err
	})
	return err == nil && !queued
}

func noTask(id string) error {
	return &Error{Code: CodeNotFound, Message: "no task " + quote(id) + " in this session", Hint: "list_agents, or drover ps, shows the IDs"}
}
