package core

import (
	"errors"
	"fmt"
)

// sessionIdle writes the event where nothing runs and nothing is queued.
func (c *change) sessionIdle() error {
	for _, id := range c.r.order {
		if c.peek(id).Status == Running {
			return nil
		}
	}
	reqs, err := c.tx.Requests(RequestFilter{Session: c.session.ID, States: []RequestState{ReqQueued}})
	if err != nil {
		return err
	}
	for _, q := range reqs {
		if q.Delivery != Quiet {
			return nil
		}
	}
	return c.event(c.session.ID, EvSessionIdle, false, "nothing runs and nothing is queued", "")
}

// Complete ends an idle or running task in success.
func (r *Registry) Complete(id, by string) error {
	return r.change(Acknowledged, func(c *change) error {
		if err := c.do(id, OpComplete, func(t *Task) { t.EndedBy = by }); err != nil {
			return err
		}
		t := c.staged[id]
		return c.event(id, EvCompleted, true, t.Label()+" completed", "")
	})
}

// EndSession ends what is left of an idle session: main and its idle children
// are completed, or (a turn that failed, a limit) failed with the code they carry.
func (r *Registry) EndSession(by string) error { return r.EndTask(r.Session().ID, by) }

// EndTask ends an idle task and the idle ones under it. It is refused while one of them runs.
func (r *Registry) EndTask(id, by string) error {
	return r.change(Acknowledged, func(c *change) error {
		root := c.peek(id)
		if root == nil {
			return noTask(id)
		}
		if _, err := Next(root.Status, OpComplete); err != nil {
			return named(err, root)
		}
		if err := endable(c.tx, root); err != nil {
			return err
		}
		for _, id := range c.subtree(id) {
			if err := c.endOne(id, by, id == root.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *change) endOne(id, by string, notable bool) error {
	t, err := c.task(id)
	if err != nil {
		return err
	}
	op, kind, text := OpComplete, EvCompleted, t.Label()+" completed"
	if t.ErrorCode != "" {
		op, kind, text = OpFail, EvFailed, t.Label()+" failed: "+t.Error
	}
	if err := c.do(id, op, func(t *Task) { t.EndedBy = by }); err != nil {
		return err
	}
	if err := c.dismiss(id, "the task was ended before it was delivered"); err != nil {
		return err
	}
	return c.event(id, kind, notable, text, "")
}

// Fail ends a task at an error or a limit, and tells its parent.
func (r *Registry) Fail(id string, cause error) error {
	e := asError(cause)
	return r.change(Acknowledged, func(c *change) error {
		t, err := c.task(id)
		if err != nil {
			return err
		}
		was := t.Status
		if err := c.do(id, OpFail, func(t *Task) { t.ErrorCode, t.Error, t.EndedBy = e.Code, e.Error(), SenderSystem }); err != nil {
			return err
		}
		if was == Running {
			if err := c.closeTurn(t, ""); err != nil {
				return err
			}
		}
		if err := c.dismiss(id, "the task failed before it was delivered"); err != nil {
			return err
		}
		if err := c.event(id, EvFailed, true, t.Label()+" failed: "+Short(CleanLine(e.Error()), 160), ""); err != nil {
			return err
		}
		if err := c.tellParent(t, fmt.Sprintf("[notice] %s (%s) failed (%s): %s", t.Label(), t.ID, e.Code, e.Error())); err != nil {
			return err
		}
		return c.sessionIdle()
	})
}

func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}
