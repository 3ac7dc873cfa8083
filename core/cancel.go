package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cancel stops one task; its children go on, in the background.
func (r *Registry) Cancel(ctx context.Context, id, by string) (Receipt, error) {
	return r.cancel(ctx, id, by, false)
}

// CancelRecursive stops a task and everything under it. The rows are terminal
// before the work is told to stop, so nothing that comes late can bring one
// back; the receipt says how long each took to return, and what did not.
func (r *Registry) CancelRecursive(ctx context.Context, id, by string) (Receipt, error) {
	return r.cancel(ctx, id, by, true)
}

type stopping struct {
	Stopped
	work *Work
}

func (r *Registry) cancel(ctx context.Context, id, by string, tree bool) (Receipt, error) {
	began := r.o.Now()
	var targets []stopping
	err := r.change(Acknowledged, func(c *change) error {
		targets = nil
		root := c.peek(id)
		if root == nil {
			return noTask(id)
		}
		if _, err := Next(root.Status, OpCancel); err != nil {
			return named(err, root)
		}
		ids := []string{id}
		if tree {
			ids = c.subtree(id)
		}
		for _, id := range ids {
			s, err := c.stop(id, by)
			if err != nil {
				return err
			}
			targets = append(targets, s)
		}
		if err := c.tellCancelled(id, by, len(ids)-1); err != nil {
			return err
		}
		if !tree {
			if err := c.orphan(id); err != nil {
				return err
			}
		}
		return c.sessionIdle()
	})
	if err != nil {
		return Receipt{}, err
	}
	for _, s := range targets {
		if s.work != nil {
			s.work.cancel(ErrCancelled)
		}
	}
	return r.receipt(ctx, targets, began), nil
}

// subtree lists the living tasks of the tree under id, id first.
func (c *change) subtree(id string) []string {
	in, out := map[string]bool{id: true}, []string{id}
	c.each(func(t *Task) bool {
		if in[t.Parent] {
			in[t.ID] = true
			if !t.Status.Terminal() {
				out = append(out, t.ID)
			}
		}
		return true
	})
	return out
}

func (c *change) stop(id, by string) (stopping, error) {
	t, err := c.task(id)
	if err != nil {
		return stopping{}, err
	}
	was := string(t.Status)
	if t.Activity != ActNone {
		was += " (" + strings.TrimSpace(string(t.Activity)+" "+t.Detail) + ")"
	}
	running := t.Status == Running
	if err := c.do(id, OpCancel, func(t *Task) { t.ErrorCode, t.Error, t.EndedBy = CodeCancelled, "cancelled by "+whoText(by), by }); err != nil {
		return stopping{}, err
	}
	if running {
		if err := c.closeCalls(t, "cancelled by "+whoText(by)); err != nil {
			return stopping{}, err
		}
		if err := c.closeTurn(t, Answer{}); err != nil {
			return stopping{}, err
		}
	}
	if err := c.dismiss("the task was cancelled before it was delivered", id); err != nil {
		return stopping{}, err
	}
	s := stopping{Stopped: Stopped{ID: id, Name: t.Label(), Was: was}}
	if e := c.r.tasks[id]; e != nil {
		s.work = e.work
	}
	return s, c.event(id, EvCancelled, true, t.Label()+" cancelled by "+whoText(by), "")
}

// closeCalls gives every call of the last step a result, so that the transcript
// of a stopped task shows none that still runs.
func (c *change) closeCalls(t *Task, why string) error {
	const tail = 200 // rows: more calls than a step has
	entries, err := c.tx.Tail(t.ID, 0, tail)
	if err != nil {
		return err
	}
	for _, call := range Dangling(entries) {
		err := c.entry(Entry{Task: t.ID, Turn: t.Turn, Step: t.Steps, Kind: EntryResult, CallID: call.ID, Tool: call.Name, Failed: true, Text: why})
		if err != nil {
			return err
		}
	}
	return c.entry(Entry{Task: t.ID, Turn: t.Turn, Step: t.Steps, Kind: EntryNote, Text: why})
}

// Dangling returns the calls of the last answer among the entries that have no result yet.
func Dangling(entries []Entry) []ToolCall {
	var calls []ToolCall
	done := map[string]bool{}
	for _, e := range entries {
		switch e.Kind {
		case EntryAnswer:
			calls = e.Calls
			clear(done)
		case EntryResult:
			done[e.CallID] = true
		}
	}
	var out []ToolCall
	for _, c := range calls {
		if !done[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

// dismiss settles what still waited for tasks that have ended.
func (c *change) dismiss(why string, ids ...string) error {
	one := "" // of several tasks, those of the session are looked through at once
	if len(ids) == 1 {
		one = ids[0]
	}
	reqs, err := pending(c.tx, c.session.ID, one)
	if err != nil {
		return err
	}
	for _, q := range reqs {
		if !slices.Contains(ids, q.Task) {
			continue
		}
		state := ReqRefused
		if q.Kind == ReqNotice {
			state = ReqDone // news for nobody is no refusal
		}
		if err := c.settle(q, state, 0, why); err != nil {
			return err
		}
	}
	apps, err := c.tx.Approvals(ApprovalFilter{Session: c.session.ID, Task: one, States: []ApprovalState{AppPending}})
	if err != nil {
		return err
	}
	for _, a := range apps {
		if !slices.Contains(ids, a.Task) {
			continue
		}
		a.State, a.Decided = AppGone, c.now
		if err := c.tx.UpdateApproval(a); err != nil {
			return err
		}
	}
	return nil
}

// tellCancelled tells the parent who stopped its child, unless it did so itself.
func (c *change) tellCancelled(id, by string, under int) error {
	t := c.staged[id]
	if t.Parent == "" || t.Parent == by {
		return nil
	}
	more := ""
	if under > 0 {
		more = fmt.Sprintf(" with %d under it", under)
	}
	return c.tellParent(t, fmt.Sprintf("[notice] %s (%s) was cancelled by %s%s.", t.Label(), t.ID, whoText(by), more))
}

// orphan lets the children of a cancelled task go on: nobody waits for them any more.
func (c *change) orphan(parent string) error {
	var left []*Task
	c.each(func(t *Task) bool {
		if t.Parent == parent && t.Status == Running && t.Mode == Sync {
			left = append(left, t)
		}
		return true
	})
	for _, t := range left {
		if err := c.do(t.ID, OpPromote, func(t *Task) { t.Mode = Background }); err != nil {
			return err
		}
		if err := c.event(t.ID, EvPromoted, true, t.Label()+" goes on in the background", ""); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) receipt(ctx context.Context, targets []stopping, began time.Time) Receipt {
	rc := Receipt{Stopped: []Stopped{}, NotStopped: []Stopped{}}
	timer := time.NewTimer(r.o.StopWait)
	defer timer.Stop()
	late := false
	for _, s := range targets {
		if s.work != nil && !late {
			select {
			case <-s.work.ended:
			case <-ctx.Done():
				late = true
			case <-timer.C:
				late = true
			}
		}
		s.MS = r.o.Now().Sub(began).Milliseconds()
		if s.work != nil && late && !closed(s.work.ended) {
			s.Why = "its work has not returned yet"
			rc.NotStopped = append(rc.NotStopped, s.Stopped)
			continue
		}
		rc.Stopped = append(rc.Stopped, s.Stopped)
	}
	return rc
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// whoText names a sender for people.
func whoText(sender string) string {
	switch sender {
	case SenderUser:
		return "the user"
	case SenderSystem:
		return "drover"
	default:
		return sender
	}
}

// InterruptTurn cuts the running turn short so that the message that asked for
// it is next. Sync children it waits for go on in the background.
func (r *Registry) InterruptTurn(id string) error {
	r.mu.Lock()
	e := r.tasks[id]
	var w *Work
	if e != nil {
		w = e.work
	}
	r.mu.Unlock()
	if e == nil {
		return noTask(id)
	}
	if err := r.change(Progress, func(c *change) error { return c.orphan(id) }); err != nil {
		return err
	}
	if w != nil {
		w.cancel(ErrInterrupted)
	}
	return nil
}
