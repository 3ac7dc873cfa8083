package core

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Work is one turn in progress in this process: its context, its slot, and
// what its parts wait for. It holds the slot while at least one part works,
// and none while all of them wait (DESIGN rule 2).
type Work struct {
	ID      string
	r       *Registry
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when the turn's goroutine has returned
	lock    chan struct{} // a mutex that a fake clock sees as a wait
	parts   int           // that work
	holding bool
	waits   []*wait
	saying  *time.Timer   // says that it has begun, see Begin
	said    chan struct{} // closed when saying has ended
}

// beginRest is how long the row of a turn that got its slot at once may say that
// it is queued: where many tasks start at once, all of them ask their models
// before the first of them writes that it does.
const beginRest = 10 * time.Millisecond

// unknown is for how long after its start nobody is taken to have written to a
// task. Who has gets it read at the next step.
const unknown = 50 * time.Millisecond

type wait struct {
	a      Activity
	detail string
}

// Enter takes a task's place in the queue for a slot, in the order in which
// tasks become runnable, before Begin takes up its turn.
func (r *Registry) Enter(id string) {
	if t, err := r.Task(id); err != nil || t.Status != Running {
		return
	}
	r.placesMu.Lock()
	defer r.placesMu.Unlock()
	if r.places[id] == nil {
		r.places[id] = r.o.Slots.Enter()
	}
}

// Begin takes up the running turn of a task in this goroutine: it waits for a
// slot (activity queued) and returns the context of the turn. Finish must follow.
// Where there is a slot and nothing to be delivered, the turn goes on at once:
// that it has begun is a part of its next change, or of one after beginRest.
func (r *Registry) Begin(ctx context.Context, id string) (context.Context, *Work, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &Work{ID: id, r: r, cancel: cancel, ended: make(chan struct{}), lock: make(chan struct{}, 1)}
	r.mu.Lock()
	e := r.tasks[id]
	var err error
	switch {
	case e == nil:
		err = noTask(id)
	case e.work != nil:
		err = Errorf(CodeConflict, "%s is already at work", id)
	case e.task.Status != Running:
		err = ErrCancelled
	default:
		e.work = w
		r.tails.begin(id)
	}
	r.mu.Unlock()
	r.placesMu.Lock()
	place := r.places[id]
	delete(r.places, id)
	r.placesMu.Unlock()
	if err != nil {
		if place != nil {
			r.o.Slots.Leave(place)
		}
		cancel(err)
		return ctx, nil, err
	}
	if place == nil {
		place = r.o.Slots.Enter()
	}
	atOnce := place.Ready()
	if err := w.wait(ctx, place); err != nil {
		w.end()
		return ctx, nil, err
	}
	w.parts = 1
	r.mu.Lock()
	e.began = r.o.Now().Truncate(time.Millisecond)
	r.mu.Unlock()
	if err := w.say(atOnce); err != nil {
		w.end()
		return ctx, nil, err
	}
	return ctx, w, nil
}

// say says that the turn has begun, and delivers what waits for that: at once,
// or, where it got its slot at once and nothing waits, in beginRest.
func (w *Work) say(atOnce bool) error {
	r := w.r
	if atOnce {
		waits, err := w.awaited()
		if err != nil {
			return err
		}
		if !waits {
			w.said = make(chan struct{})
			w.saying = time.AfterFunc(beginRest, func() {
				defer close(w.said)
				_ = r.change(Progress, func(c *change) error { // what cannot be written now fails again at the turn's next change
					if e := c.r.tasks[w.ID]; e == nil || e.began.IsZero() { // it is said
						return nil
					}
					return c.do(w.ID, OpProgress, nil)
				})
			})
			return nil
		}
	}
	return r.change(Progress, func(c *change) error {
		if err := c.do(w.ID, OpProgress, nil); err != nil {
			return err
		}
		_, err := c.boundary(w.ID) // what came while it waited for its slot
		return err
	})
}

// awaited reports whether something waits to be delivered to the turn that begins.
func (w *Work) awaited() (bool, error) {
	t, err := w.r.Task(w.ID)
	if err != nil || t.Kind == KindAgent && t.Turn == 1 && w.r.o.Now().Sub(t.Created) < unknown {
		return false, err
	}
	return w.r.waiting(w.ID)
}

// begun makes it a part of a change that the turn of t has begun, once.
func (c *change) begun(t *Task) error {
	e := c.r.tasks[t.ID]
	if e == nil || e.began.IsZero() || c.g.begun[t.ID] {
		return nil
	}
	c.g.begun[t.ID] = true
	t.Activity, t.Detail = ActModel, ""
	if t.Started.IsZero() {
		t.Started = e.began
	}
	return c.eventAt(e.began, t.ID, EvActivity, false, string(ActModel), "")
}

// Finish gives the slot back and ends the turn as it went: answered,
// interrupted, failed, cancelled (its row is terminal already), or left
// running because the host is closing. More means that the next turn has begun.
func (w *Work) Finish(ctx context.Context, a Answer, err error) (more bool, ferr error) {
	cause := context.Cause(ctx)
	w.end()
	more, ferr = w.finish(cause, a, err)
	if CodeOf(ferr) == CodeEnded { // cancelled meanwhile: nothing that comes late brings it back
		return false, nil
	}
	return more, ferr
}

func (w *Work) finish(cause error, a Answer, err error) (more bool, ferr error) {
	switch {
	case cause == ErrCancelled: // the row is terminal already
		return false, nil
	case err == nil, cause == ErrInterrupted:
		return w.r.answered(w.ID, a)
	case cause != nil: // closing: the row stays running, which is interrupted, and resumable
		return false, nil
	}
	t, terr := w.r.Task(w.ID)
	if terr != nil {
		return false, terr
	}
	if t.Kind == KindMain && !w.r.o.OneShot {
		return w.r.endTurn(w.ID, a, asError(err))
	}
	return false, w.r.fail(w.ID, a, err)
}

// answered ends a turn that was answered. An answer that the main task gave at
// a limit leaves the limit's code with it, for who asks how the session went.
func (r *Registry) answered(id string, a Answer) (more bool, err error) {
	t, err := r.Task(id)
	if err != nil {
		return false, err
	}
	if t.Kind == KindMain && a.Code.Limit() {
		return r.endTurn(id, a, &Error{Code: a.Code, Message: "stopped at a limit (" + string(a.Code) + "); the answer is what there was"})
	}
	return r.endTurn(id, a, nil)
}

// Abandon gives the slot back and leaves the row as it is: it cannot be
// written, so the task is interrupted once the host has left.
func (w *Work) Abandon() { w.end() }

func (w *Work) end() {
	if w.saying != nil && !w.saying.Stop() {
		<-w.said
	}
	w.lock <- struct{}{}
	if w.holding {
		w.holding = false
		w.r.o.Slots.Release()
	}
	<-w.lock
	w.r.mu.Lock()
	if e := w.r.tasks[w.ID]; e != nil && e.work == w {
		e.work = nil
		w.r.tails.end(w.ID)
	}
	w.r.mu.Unlock()
	w.cancel(nil)
	close(w.ended)
}

// Spread says that n parts of the turn work from now on (parallel tool calls).
// Each part ends with Done; Join goes on alone afterwards.
func (w *Work) Spread(n int) {
	w.lock <- struct{}{}
	w.parts += n - 1
	<-w.lock
}

// Done ends one part. The slot stays where no other part waits: the turn goes
// on at once, and must not queue again behind those that came after it.
func (w *Work) Done() {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.parts--
	if len(w.waits) > 0 {
		w.give()
	}
}

// Join goes on as the only part, when all others are Done.
func (w *Work) Join(ctx context.Context) error { return w.rise(ctx) }

// Reclaim goes on as the only part after parts of the turn were cut off.
func (w *Work) Reclaim(ctx context.Context) error {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.parts, w.waits = 1, nil
	if w.holding {
		return nil
	}
	return w.acquire(ctx)
}

// Waiting says that one part waits (for children, a person, a rate limit); it
// holds no slot until done is called, which waits for one.
func (w *Work) Waiting(ctx context.Context, a Activity, detail string) (done func() error, err error) {
	wt := &wait{a, detail}
	w.lock <- struct{}{}
	w.waits = append(w.waits, wt)
	act, det := w.shown()
	<-w.lock
	w.rest()
	if err := w.r.SetActivity(w.ID, act, det); err != nil {
		return nil, err
	}
	return func() error {
		w.lock <- struct{}{}
		for i, o := range w.waits {
			if o == wt {
				w.waits = append(w.waits[:i], w.waits[i+1:]...)
				break
			}
		}
		act, det := w.shown()
		<-w.lock
		if err := w.rise(ctx); err != nil {
			return err
		}
		return w.r.SetActivity(w.ID, act, det)
	}, nil
}

// shown is the activity a person should see: what waits for them comes first.
func (w *Work) shown() (Activity, string) {
	for _, a := range []Activity{ActApproval, ActParked, ActHook, ActChildren, ActTool} {
		var details []string
		for _, wt := range w.waits {
			if wt.a == a {
				details = append(details, wt.detail)
			}
		}
		if len(details) > 3 {
			details = append(details[:3], fmt.Sprintf("%d more", len(details)-3))
		}
		if len(details) > 0 {
			return a, strings.Join(details, ", ")
		}
	}
	return ActTool, ""
}

func (w *Work) rest() {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.parts--
	w.give()
}

// give gives the slot back when no part works.
func (w *Work) give() {
	if w.parts == 0 && w.holding {
		w.holding = false
		w.r.o.Slots.Release()
	}
}

func (w *Work) rise(ctx context.Context) error {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.parts++
	if w.holding {
		return nil
	}
	return w.acquire(ctx)
}

func (w *Work) acquire(ctx context.Context) error { return w.wait(ctx, w.r.o.Slots.Enter()) }

// wait waits, visibly, until the place has become a slot.
func (w *Work) wait(ctx context.Context, p *Place) error {
	if !p.Ready() {
		if err := w.r.SetActivity(w.ID, ActQueued, "for a slot"); err != nil {
			w.r.o.Slots.Leave(p)
			return err
		}
	}
	if err := w.r.o.Slots.Wait(ctx, p); err != nil {
		return err
	}
	w.holding = true
	return nil
}
