package core

import (
	"fmt"
	"strings"
)

// Completion is what task_complete declares.
type Completion struct {
	Outcome Outcome
	Summary string
	NotDone []string
}

// CompleteSession records a completion by the main task, or refuses it with
// the reason (DESIGN rules 7 and 8): only in autopilot, only by main, not
// while children run or todos are open. The session stays open.
func (r *Registry) CompleteSession(id string, k Completion) error {
	return r.change(Acknowledged, func(c *change) error {
		t, err := c.task(id)
		if err != nil {
			return err
		}
		if err := c.completable(t, k); err != nil {
			return err
		}
		if err := c.do(id, OpProgress, func(t *Task) { t.Outcome, t.Summary, t.NotDone = k.Outcome, k.Summary, k.NotDone }); err != nil {
			return err
		}
		e := Event{Session: c.session.ID, Task: id, At: c.now, Kind: EvTaskComplete, Notable: true, Text: string(k.Outcome) + ": " + CleanLine(k.Summary)}
		seq, err := c.tx.AppendEvent(e)
		if err != nil {
			return err
		}
		return putReview(c.tx, &Review{Session: id, Seq: seq, At: c.now, Outcome: k.Outcome, Summary: k.Summary, NotDone: k.NotDone, State: ReviewOpen})
	})
}

func (c *change) completable(t *Task, k Completion) error {
	refuse := func(format string, args ...any) error {
		return &Error{Code: CodeToolRefused, Message: "not complete: " + fmt.Sprintf(format, args...)}
	}
	if t.Kind != KindMain {
		return refuse("only the main agent completes a session")
	}
	if !c.session.Autopilot {
		return refuse("autopilot is off")
	}
	switch k.Outcome {
	case OutcomeDone, OutcomeBlocked, OutcomeNeedsInput:
	default:
		return refuse("the outcome must be done, blocked or needs_input, not %q", string(k.Outcome))
	}
	if strings.TrimSpace(k.Summary) == "" {
		return refuse("a summary is needed: what was done, for the person who reviews it")
	}
	var running []string
	c.each(func(o *Task) bool {
		if o.ID != t.ID && o.Status == Running {
			running = append(running, fmt.Sprintf("%s (%s)", o.Label(), o.ID))
		}
		return true
	})
	if len(running) > 0 {
		return refuse("still running: %s. Wait for them (read_agent) or stop them (stop_agent)", strings.Join(running, ", "))
	}
	todos, err := c.tx.Todos(c.session.ID)
	if err != nil {
		return err
	}
	var open []string
	for _, d := range todos {
		if d.Open() {
			open = append(open, fmt.Sprintf("%s (%s)", d.Title, d.Status))
		}
	}
	if len(open) > 0 {
		return refuse("open todos: %s. Finish them, or mark as blocked what cannot be done", strings.Join(open, "; "))
	}
	return nil
}

// RefuseCompletion leaves a trace of a refused completion in the timeline.
func (r *Registry) RefuseCompletion(id string, why error) error {
	return r.change(Progress, func(c *change) error {
		return c.event(id, EvRefused, true, "completion refused: "+why.Error(), "")
	})
}

// SetAutopilot switches it; switching on counts continuations anew.
func (r *Registry) SetAutopilot(on bool, by string) error {
	return r.change(Acknowledged, func(c *change) error {
		if err := c.setSession(func(s *Session) { s.Autopilot, s.Continues = on, 0 }); err != nil {
			return err
		}
		word := "off"
		if on {
			word = "on"
		}
		return c.event(c.session.ID, EvAutopilot, true, "autopilot switched "+word+" by "+whoText(by), "")
	})
}

// Continue sends autopilot's reminder to the idle main task, and counts it.
func (r *Registry) Continue(reminder string) error {
	return r.change(Acknowledged, func(c *change) error {
		main := c.session.ID
		if err := c.setSession(func(s *Session) { s.Continues++ }); err != nil {
			return err
		}
		text := fmt.Sprintf("autopilot continues (%d of %d): not complete yet", c.session.Continues, c.session.MaxContinues)
		if err := c.event(main, EvContinue, true, text, ""); err != nil {
			return err
		}
		q := Request{Session: main, Task: main, Kind: ReqMessage, Text: reminder, Delivery: Queue, Sender: SenderAutopilot, State: ReqQueued, Created: c.now}
		if err := insertRequest(c.tx, &q); err != nil {
			return err
		}
		_, err := c.open(main)
		return err
	})
}

// StopAutopilot ends autopilot's work at a limit: main keeps the code until its next turn.
func (r *Registry) StopAutopilot(code Code, why string) error {
	return r.change(Acknowledged, func(c *change) error {
		t, err := c.task(c.session.ID)
		if err != nil || t.Status != Idle {
			return err
		}
		t.ErrorCode, t.Error, t.LastEvent = code, why, c.now
		return c.event(t.ID, EvAutoStop, true, "autopilot stopped: "+why, "")
	})
}

// Todos of the session.
func (r *Registry) Todos() (todos []Todo, err error) {
	err = r.View(func(rd Reader) error {
		todos, err = rd.Todos(r.Session().ID)
		return err
	})
	return todos, err
}

// SetTodos replaces the session's todos.
func (r *Registry) SetTodos(id string, todos []Todo) error {
	return r.change(Progress, func(c *change) error {
		if err := c.tx.PutTodos(c.session.ID, todos); err != nil {
			return err
		}
		open := 0
		for _, d := range todos {
			if d.Open() {
				open++
			}
		}
		return c.event(id, EvTodos, true, fmt.Sprintf("todos: %d of %d done or blocked", len(todos)-open, len(todos)), "")
	})
}

// Settle writes the outcome of a request that is not a message.
func (r *Registry) Settle(q Request, s RequestState, outcome string) error {
	return r.change(Acknowledged, func(c *change) error { return c.settle(q, s, 0, outcome) })
}

// Inbox returns the queued requests of the session, oldest first.
func (r *Registry) Inbox() (reqs []Request, err error) {
	err = r.View(func(rd Reader) error {
		reqs, err = rd.Requests(RequestFilter{Session: r.Session().ID, States: []RequestState{ReqQueued}})
		return err
	})
	return reqs, err
}
