package core

import (
	"errors"
	"fmt"
)

// sessionIdle writes the event where nothing runs and nothing is queued.
func (c *change) sessionIdle() error {
	busy := false
	c.each(func(t *Task) bool {
		busy = t.Status == Running
		return !busy
	})
	if busy {
		return nil
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
		ids := c.subtree(id)
		under := make([]Task, len(ids))
		for i, id := range ids {
			under[i] = *c.peek(id)
		}
		if err := endable(root, under); err != nil {
			return err
		}
		for _, id := range ids {
			if err := c.endOne(id, by, id == root.ID); err != nil {
				return err
			}
		}
		return c.dismiss("the task was ended before it was delivered", ids...)
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
	return c.event(id, kind, notable, text, "")
}

// Fail ends a task at an error or a limit, and tells its parent. What runs
// under it is stopped: nobody is left to read it.
func (r *Registry) Fail(id string, cause error) error { return r.fail(id, Answer{}, cause) }

func (r *Registry) fail(id string, a Answer, cause error) error {
	e := asError(cause)
	var works []*Work
	err := r.change(Acknowledged, func(c *change) (err error) {
		if err := c.failOne(id, a, e); err != nil {
			return err
		}
		if works, err = c.stopUnder(id); err != nil {
			return err
		}
		if err := c.tellParent(c.staged[id], failedText(c.staged[id], a, e)); err != nil {
			return err
		}
		return c.sessionIdle()
	})
	if err != nil {
		return err
	}
	for _, w := range works {
		w.cancel(ErrCancelled)
	}
	return nil
}

func failedText(t *Task, a Answer, e *Error) string {
	text := fmt.Sprintf("[notice] %s (%s) failed (%s): %s", t.Label(), t.ID, e.Code, e.Error())
	if a.Text != "" {
		text += "\nWhat it had by then:\n" + Short(a.Text, noticeRunes)
	}
	return text
}

func (c *change) failOne(id string, a Answer, e *Error) error {
	t, err := c.task(id)
	if err != nil {
		return err
	}
	was := t.Status
	if err := c.do(id, OpFail, func(t *Task) { t.ErrorCode, t.Error, t.EndedBy = e.Code, e.Error(), SenderSystem }); err != nil {
		return err
	}
	if was == Running {
		a.Partial, a.Code = a.Text != "", e.Code
		if err := c.closeTurn(t, a); err != nil {
			return err
		}
	}
	if err := c.dismiss("the task failed before it was delivered", id); err != nil {
		return err
	}
	return c.event(id, EvFailed, true, t.Label()+" failed: "+Short(CleanLine(e.Error()), 160), "")
}

// stopUnder cancels what runs under a task that has failed.
func (c *change) stopUnder(id string) (works []*Work, err error) {
	for _, under := range c.subtree(id)[1:] {
		if c.peek(under).Status != Running {
			continue
		}
		s, err := c.stop(under, SenderSystem)
		if err != nil {
			return nil, err
		}
		if s.work != nil {
			works = append(works, s.work)
		}
	}
	return works, nil
}

// asError is what a task keeps of an error. What helps against a model's fault
// (a key to set, a server to start) is known only where it happened, so it stays with the words.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		switch e.Code {
		case CodeModel, CodeModelAuth, CodeModelNotFound, CodeContextTooLong, CodeRateLimited:
			if e.Hint != "" {
				return &Error{Code: e.Code, Message: e.Error() + "; " + e.Hint}
			}
		}
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}
