package core

import (
	"context"
	"fmt"
	"time"
)

// WaitFor says what a reader of a task's result waits for.
type WaitFor struct {
	Since   int           // turns with N > Since are wanted
	Timeout time.Duration // 0: do not wait; < 0: without limit
	Reader  string        // the task that waits: it gets no notice besides (DESIGN rule 6)
	Sync    bool          // only as long as the task is sync: one in the background counts as promoted
}

// Why a wait ended.
const (
	WhyTurn     = "turn"     // a turn newer than Since is answered
	WhyEnded    = "ended"    // the task is terminal
	WhyPromoted = "promoted" // it was sync and is now in the background
	WhyTimeout  = "timeout"  // the wait ran out: the present state, and no failure
	WhyStatus   = "status"   // nobody wanted to wait
	WhyCircle   = "circle"   // the task waits for the reader, perhaps through others: waiting would not end
)

// AgentResult is what a reader gets.
type AgentResult struct {
	Task  Task
	Turns []Turn // answered ones with N > Since
	Why   string
	// Circle names, with WhyCircle, who waits for whom: the task first, the reader last.
	Circle []string
}

// GetAgentResult returns the task's answered turns, and waits for one, for the
// end, for promotion or for the timeout. Any number may wait; reading consumes nothing.
// A wait that would close a circle is none: the present state, and no failure.
func (r *Registry) GetAgentResult(ctx context.Context, id string, w WaitFor) (AgentResult, error) {
	t, err := r.wait(ctx, id, w)
	if err != nil {
		return AgentResult{}, err
	}
	res := AgentResult{Task: t.task, Why: t.why, Circle: t.circle}
	if err := r.tellCircle(w.Reader, t); err != nil {
		return res, err
	}
	err = r.View(func(rd Reader) error {
		turns, err := rd.Turns(id, w.Since)
		for _, turn := range turns {
			if !turn.Ended.IsZero() {
				res.Turns = append(res.Turns, turn)
			}
		}
		return err
	})
	if err == nil && w.Reader != "" {
		err = r.seen(w.Reader, res)
	}
	return res, err
}

type waited struct {
	task   Task
	why    string
	circle []string // of WhyCircle
	news   bool     // the reader's first circle: it is to be told
}

func (r *Registry) wait(ctx context.Context, id string, w WaitFor) (waited, error) {
	var timeout <-chan time.Time
	if w.Timeout > 0 {
		timer := time.NewTimer(w.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.tasks[id]
	if e == nil {
		return waited{}, noTask(id)
	}
	sync := w.Sync || e.task.Mode == Sync
	for {
		if why := w.met(&e.task, sync); why != "" {
			return waited{task: e.task, why: why}, nil
		}
		if w.Timeout == 0 {
			return waited{task: e.task, why: WhyStatus}, nil
		}
		if circle := r.circle(w, e); circle != nil {
			reader := r.tasks[w.Reader]
			news := !reader.circled
			reader.circled = true
			return waited{e.task, WhyCircle, circle, news}, nil
		}
		if e.changed == nil {
			e.changed = make(chan struct{})
		}
		changed := e.changed
		e.read(w.Reader, 1)
		r.mu.Unlock()
		var err error
		out := false
		select {
		case <-changed:
		case <-timeout:
			out = true
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		r.mu.Lock()
		e.read(w.Reader, -1)
		if err != nil {
			return waited{}, err
		}
		if out {
			return waited{task: e.task, why: WhyTimeout}, nil
		}
	}
}

func (w *WaitFor) met(t *Task, sync bool) string {
	answered := t.Turn
	if t.Status == Running {
		answered--
	}
	switch {
	case t.Status.Terminal():
		return WhyEnded
	case answered > w.Since:
		return WhyTurn
	case sync && t.Mode == Background:
		return WhyPromoted
	}
	return ""
}

func (e *entry) read(reader string, n int) {
	if reader == "" {
		return
	}
	if e.readers == nil {
		e.readers = map[string]int{}
	}
	e.readers[reader] += n
}

// seen drops the queued notices about what the reader has just read.
func (r *Registry) seen(reader string, res AgentResult) error {
	if len(res.Turns) == 0 && !res.Task.Status.Terminal() {
		return nil
	}
	var stale []Request
	err := r.View(func(rd Reader) error {
		reqs, err := rd.Requests(RequestFilter{Task: reader, States: []RequestState{ReqQueued}, Kinds: []RequestKind{ReqNotice}})
		for _, q := range reqs {
			if q.Ref == res.Task.ID {
				stale = append(stale, q)
			}
		}
		return err
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	return r.change(Progress, func(c *change) error {
		for _, q := range stale {
			if err := c.settle(q, ReqDone, 0, "read already"); err != nil && CodeOf(err) != CodeConflict {
				return err
			}
		}
		return nil
	})
}

// SendMessage queues a message from inside the session (an agent, autopilot)
// and opens the target's next turn where it is idle.
func (r *Registry) SendMessage(q Request) (Request, error) {
	text, err := checkMessage(q.Text)
	if err != nil {
		return q, err
	}
	q.Kind, q.Text, q.State = ReqMessage, text, ReqQueued
	if q.Delivery == "" {
		q.Delivery = Queue
	}
	err = r.change(Acknowledged, func(c *change) error {
		t := c.peek(q.Task)
		if t == nil {
			return noTask(q.Task)
		}
		if _, err := Next(t.Status, OpMessage); err != nil {
			return named(err, t)
		}
		if t.Kind == KindMCP || t.Kind == KindShell {
			return named(&Error{Code: CodeWrongStatus, Message: "a " + string(t.Kind) + " task takes no messages", Hint: "start a new task instead"}, t)
		}
		q.Session, q.Created = c.session.ID, c.now
		if err := insertRequest(c.tx, &q); err != nil {
			return err
		}
		if t.Status == Idle {
			_, err := c.open(q.Task)
			return err
		}
		return nil
	})
	if err == nil && q.Delivery == Interrupt {
		err = r.interruptRunning(q.Task)
	}
	return q, err
}

func (r *Registry) interruptRunning(id string) error {
	t, err := r.Task(id)
	if err != nil || t.Status != Running {
		return err
	}
	return r.InterruptTurn(id)
}

// Wake opens the idle task's next turn with what waits for it, if anything does.
func (r *Registry) Wake(id string) error {
	return r.change(Acknowledged, func(c *change) error {
		if t := c.peek(id); t == nil || t.Status != Idle {
			return nil
		}
		if t := c.peek(id); t.ID == c.session.ID && c.session.Continues > 0 {
			reqs, err := c.pending(id)
			if err != nil {
				return err
			}
			for _, q := range reqs {
				if q.Sender == SenderUser { // a person takes over: autopilot counts anew
					if err := c.setSession(func(s *Session) { s.Continues = 0 }); err != nil {
						return err
					}
					break
				}
			}
		}
		_, err := c.open(id)
		return err
	})
}

// WaitForMessage ends the running turn with response and returns the message
// that opens the next one, for a runner that keeps its own loop. The slot is
// given back while the task is idle.
func (r *Registry) WaitForMessage(ctx context.Context, id, response string) (string, error) {
	if _, err := r.SetLatestResponse(id, response); err != nil {
		return "", err
	}
	t, err := r.awaken(ctx, id)
	if err != nil {
		return "", err
	}
	prompt := ""
	err = r.View(func(rd Reader) error {
		turns, err := rd.Turns(id, t.Turn-1)
		if len(turns) > 0 {
			prompt = turns[0].Prompt
		}
		return err
	})
	return prompt, err
}

// awaken waits while the task is idle.
func (r *Registry) awaken(ctx context.Context, id string) (Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.tasks[id]
	for e.task.Status == Idle {
		if e.changed == nil {
			e.changed = make(chan struct{})
		}
		changed := e.changed
		r.mu.Unlock()
		var err error
		select {
		case <-changed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		r.mu.Lock()
		if err != nil {
			return Task{}, err
		}
	}
	if e.task.Status.Terminal() {
		return Task{}, named(&Error{Code: CodeEnded, Message: "the task ended while it was idle: " + string(e.task.Status)}, &e.task)
	}
	return e.task, nil
}

// PromoteAgentToBackground lets a sync child go on in the background: who
// waits for it gets its ID instead of its result (DESIGN rule 9).
func (r *Registry) PromoteAgentToBackground(id, by string) error {
	return r.change(Acknowledged, func(c *change) error {
		t, err := c.task(id)
		if err != nil {
			return err
		}
		if _, err := Next(t.Status, OpPromote); err != nil {
			return named(err, t)
		}
		if err := promotable(t); err != nil {
			return err
		}
		if err := c.do(id, OpPromote, func(t *Task) { t.Mode = Background }); err != nil {
			return err
		}
		return c.event(id, EvPromoted, true, t.Label()+" moved to the background by "+whoText(by), "")
	})
}

// WaitForAgents waits until no task of the session but those named is running.
func (r *Registry) WaitForAgents(ctx context.Context, except ...string) error {
	skip := map[string]bool{}
	for _, id := range except {
		skip[id] = true
	}
	for {
		var busy string
		for _, t := range r.Tasks() {
			if t.Status == Running && !skip[t.ID] {
				busy = t.ID
				break
			}
		}
		if busy == "" {
			return nil
		}
		t, err := r.Task(busy)
		if err != nil {
			return err
		}
		if _, err := r.wait(ctx, busy, WaitFor{Since: t.Turn - 1, Timeout: -1}); err != nil {
			return fmt.Errorf("waiting for %s: %w", busy, err)
		}
	}
}

// Remove takes an ended task out of the registry; one that is running or idle stays.
func (r *Registry) Remove(id string) error {
	return r.change(Acknowledged, func(c *change) error {
		t := c.peek(id)
		if t == nil {
			return noTask(id)
		}
		if _, err := Next(t.Status, OpRemove); err != nil {
			return named(err, t)
		}
		c.removed = append(c.removed, id)
		return c.tx.DeleteTask(id)
	})
}
