package core

import "time"

// notifyEvery is how often the news of one task's progress reaches its parent's
// model; people see all of it.
const notifyEvery = 5 * time.Second

// Notify tells of a task's progress: people by a notable event, and the nearest
// living ancestor by a notice that wakes nobody, read at its next step. An
// ancestor that waits for this very task, and one that was told less than
// notifyEvery ago, is left alone: told is false.
func (r *Registry) Notify(id, text string) (told bool, err error) {
	err = r.change(Progress, func(c *change) error {
		told = false
		t := c.peek(id)
		if t == nil {
			return noTask(id)
		}
		if err := c.event(id, EvNotify, true, t.Label()+": "+Short(CleanLine(text), 400), ""); err != nil {
			return err
		}
		p := c.listener(t)
		if p == nil {
			return nil
		}
		last, err := c.tx.Requests(RequestFilter{Task: p.ID, Kinds: []RequestKind{ReqNotice}, Limit: 50})
		if err != nil {
			return err
		}
		for _, q := range last {
			if q.Sender == id && q.Delivery == Quiet && c.now.Sub(q.Created) < notifyEvery {
				return nil
			}
		}
		told = true
		return insertRequest(c.tx, &Request{
			Session: c.session.ID, Task: p.ID, Kind: ReqNotice, Text: t.Label() + " (" + t.ID + ") tells of its progress: " + text,
			Delivery: Quiet, Ref: t.ID, Sender: t.ID, State: ReqQueued, Created: c.now,
		})
	})
	return told, err
}

// listener is the nearest living ancestor of a task, nil where it waits for the
// task itself.
func (c *change) listener(t *Task) *Task {
	if e := c.r.tasks[t.ID]; e == nil || e.readers[t.Parent] > 0 {
		return nil
	}
	p := c.peek(t.Parent)
	for p != nil && p.Status.Terminal() {
		p = c.peek(p.Parent)
	}
	return p
}
