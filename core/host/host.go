package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"drover/core"
)

// Options of a Host.
type Options struct {
	Store   core.Store
	Dir     string // state directory, for the lock; "": no lock (tests within one process)
	Session string
	// Registry's options; OnRunnable is the host's own.
	Registry core.Options
	// Runner makes the runner that performs the turns of a task's kind.
	Runner func(*core.Registry) core.Runner
	// Autopilot decides at session.idle: a reminder to send, or a code and a reason to stop; else nothing.
	Autopilot func(s core.Session, main core.Task, turns []core.Turn) (reminder string, stop core.Code, why string)
	// Sweep ends what a dead host may have left running, before its session is taken up; may be nil.
	Sweep func(session string) error
	// Hooks are a person's commands for notifications; nil: none.
	Hooks core.Hooks
	// IdleExit is how long an idle session is kept; 0 leaves at once.
	IdleExit time.Duration
	// Tidy does, for a short time, what nobody waits for, when the host leaves an idle session; may be nil.
	Tidy func(context.Context) error
	Log  *slog.Logger
}

// Host runs one session until it has been idle for a while.
//
//	rows (requests) ──nudge──► inbox ──► registry ──OnRunnable──► drive: slot, one turn, end of turn
//	                                        ▲                                   │
//	                                        └── autopilot, at session.idle ◄────┘
type Host struct {
	o        Options
	reg      *core.Registry
	runner   core.Runner
	turns    context.Context
	stop     context.CancelCauseFunc
	wake     chan struct{} // something has ended or begun: look at the session
	mu       sync.Mutex
	closing  bool
	busy     sync.WaitGroup
	fault    error
	handling map[int64]bool // requests in the hands of a goroutine
	notices  *notifier
}

// New makes a Host; Run does the rest.
func New(o Options) *Host {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{o: o, wake: make(chan struct{}, 1), handling: map[int64]bool{}}
	h.notices = newNotifier(o.Hooks)
	o.Registry.OnRunnable, o.Registry.OnEvent = h.runnable, h.notices.event
	h.reg = core.NewRegistry(o.Store, o.Registry)
	h.runner = o.Runner(h.reg)
	return h
}

// Registry of the session, for those in the same process.
func (h *Host) Registry() *core.Registry { return h.reg }

// Run owns the session until it has been idle for IdleExit, or ctx ends: then
// everything stops and what was running is interrupted. ErrHeld says that
// another process owns it. With Registry.OneShot the session is ended when it is idle.
func (h *Host) Run(ctx context.Context) error {
	for {
		again, err := h.own(ctx)
		if err != nil || !again {
			return err
		}
	}
}

// own holds the lock once. Again says that a request came while it left.
func (h *Host) own(ctx context.Context) (again bool, err error) {
	if h.o.Dir != "" {
		var lock *Lock
		if lock, err = Acquire(ctx, h.o.Dir, h.o.Session); err != nil {
			return false, err
		}
		defer func() {
			if rerr := lock.Release(); rerr != nil && err == nil {
				err = storage("releasing the session's lock", rerr)
			}
			// Whoever saw the lock held before this moment relies on this look.
			if err == nil && ctx.Err() == nil && !h.o.Registry.OneShot {
				again, err = h.left()
			}
		}()
	}
	return false, h.serve(ctx)
}

// left reports whether somebody wants something of a session that was just given up.
func (h *Host) left() (bool, error) {
	reqs, err := h.reg.Inbox()
	for _, q := range reqs {
		if q.Delivery != core.Quiet {
			return true, err
		}
	}
	return false, err
}

func (h *Host) serve(ctx context.Context) error {
	wctx, unwatch := context.WithCancel(ctx)
	defer unwatch()
	changed := h.o.Store.Watch(wctx)
	h.mu.Lock()
	h.turns, h.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	h.closing, h.fault = true, nil // until the inbox has been read
	h.mu.Unlock()
	defer h.close()
	lctx, quiet := context.WithCancel(context.WithoutCancel(ctx))
	var live sync.WaitGroup
	live.Go(func() { h.note(h.reg.WriteLive(lctx)) })
	live.Go(func() { h.note(h.notices.run(lctx, h.reg)) })
	defer func() { quiet(); live.Wait() }()

	resumed, err := h.reg.Load(h.o.Session)
	if err != nil {
		return err
	}
	h.o.Log.Info("host owns the session", "session", h.o.Session, "interrupted", resumed)
	if resumed > 0 && h.o.Sweep != nil {
		if err := h.o.Sweep(h.o.Session); err != nil {
			return err
		}
	}
	if _, err := h.inbox(); err != nil { // a cancel goes before the work it cancels
		return err
	}
	h.mu.Lock()
	h.closing = false
	h.mu.Unlock()
	for _, t := range h.reg.Tasks() {
		if t.Status == core.Running && t.Kind != core.KindShell && t.Kind != core.KindMCP {
			h.runnable(t.ID)
		}
	}
	return h.loop(ctx, changed)
}

// lookEvery is the least time between two looks for requests that only commits
// ask for: most of them are the host's own.
const lookEvery = 4 * time.Millisecond

func (h *Host) loop(ctx context.Context, changed <-chan struct{}) error {
	var idle, more <-chan time.Time
	var looked time.Time
	for {
		quiet, err := h.look()
		if err != nil {
			return err
		}
		switch {
		case !quiet:
			idle = nil
		case h.o.Registry.OneShot:
			if err := h.reg.EndSession(core.SenderSystem); core.CodeOf(err) != core.CodeEnded { // main may have failed
				return err
			}
			return nil
		case idle == nil:
			idle = time.After(h.o.IdleExit)
		}
		select {
		case <-ctx.Done():
			h.o.Log.Info("host is told to leave", "session", h.o.Session)
			return nil
		case <-idle:
			h.o.Log.Info("host leaves: the session is idle", "session", h.o.Session)
			h.tidy(ctx)
			return nil
		case <-changed:
			select { // a turn's end is not kept waiting
			case <-ctx.Done():
			case <-h.wake:
			case <-time.After(lookEvery - time.Since(looked)):
			}
		case <-h.wake:
		case <-more:
		}
		gathering, err := h.inbox()
		if err != nil {
			return err
		}
		looked = time.Now()
		if more = nil; gathering {
			more = time.After(core.NoticeRest)
		}
	}
}

// tidy may fail: the next host to leave tries again.
func (h *Host) tidy(ctx context.Context) {
	if h.o.Tidy == nil {
		return
	}
	if err := h.o.Tidy(ctx); err != nil {
		h.o.Log.Warn("the registry could not be tidied", "error", err)
	}
}

// look lets autopilot go on where the session is idle, and reports whether nothing is left to do.
func (h *Host) look() (quiet bool, err error) {
	h.mu.Lock()
	err = h.fault
	h.mu.Unlock()
	if err != nil || !h.reg.Idle() {
		return false, err
	}
	main, err := h.reg.Task(h.o.Session)
	if err != nil || main.Status != core.Idle || h.o.Autopilot == nil {
		return true, err
	}
	s := h.reg.Session()
	if !s.Autopilot {
		return true, nil
	}
	var turns []core.Turn
	err = h.reg.View(func(r core.Reader) error {
		turns, err = r.Turns(main.ID, 0)
		return err
	})
	if err != nil {
		return false, err
	}
	reminder, stop, why := h.o.Autopilot(s, main, turns)
	switch {
	case reminder != "":
		return false, h.reg.Continue(reminder)
	case stop != "":
		return true, h.reg.StopAutopilot(stop, why)
	}
	return true, nil
}

// runnable starts a goroutine for one turn of the task. The registry calls it after a commit.
func (h *Host) runnable(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing || h.turns == nil {
		return
	}
	h.reg.Enter(id)
	h.busy.Go(func() {
		h.note(h.drive(h.turns, id))
		h.poke()
	})
}

// drive performs one turn.
func (h *Host) drive(ctx context.Context, id string) error {
	ctx, w, err := h.reg.Begin(ctx, id)
	if core.CodeOf(err) == core.CodeEnded { // cancelled while it waited for its slot
		return nil
	}
	if err != nil {
		switch context.Cause(ctx) {
		case core.ErrInterrupted: // while it waited for a slot: the message is next
			if _, err = h.reg.SetLatestResponse(id, ""); core.CodeOf(err) == core.CodeEnded {
				return nil
			}
			return err
		case nil:
			return err
		}
		if errors.Is(err, core.ErrCancelled) || errors.Is(err, core.ErrClosing) || core.CodeOf(err) == core.CodeConflict {
			return nil
		}
		return err
	}
	t, err := h.reg.Task(id)
	if err != nil {
		return err
	}
	answer, err := h.runner.Turn(ctx, w, t)
	if err != nil {
		h.o.Log.Info("turn ended", "task", id, "turn", t.Turn, "error", err)
	}
	if core.CodeOf(err) == core.CodeStorage {
		w.Abandon()
		return err
	}
	_, err = w.Finish(ctx, answer, err)
	return err
}

// working reports whether turns may start yet.
func (h *Host) working() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.closing
}

// note keeps the first fault: the registry cannot be written, so the host must
// leave, and what it ran is interrupted rather than wrongly running.
func (h *Host) note(err error) {
	if err == nil {
		return
	}
	h.o.Log.Error("fault", "session", h.o.Session, "error", err)
	h.mu.Lock()
	if h.fault == nil {
		h.fault = err
	}
	h.mu.Unlock()
	h.poke()
}

func (h *Host) poke() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// close stops every turn and waits for it.
func (h *Host) close() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.stop(core.ErrClosing)
	h.busy.Wait()
}
