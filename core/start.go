package core

import (
	"context"
	"fmt"
)

// Start creates a running task under its parent and tells the host to run its
// first turn. A second start by the same tool call of the same parent (after a
// crash) returns the task there is.
func (r *Registry) Start(n NewTask) (Task, error) {
	all, err := r.StartAll(context.Background(), nil, []NewTask{n})
	if err != nil {
		return Task{}, err
	}
	return all[0], nil
}

// StartAll is Start for several tasks in one transaction: all of them begin, or
// none. k is the rank of the call among those of its step, or nil; ctx ends
// the wait for those before.
func (r *Registry) StartAll(ctx context.Context, k *Rank, ns []NewTask) ([]Task, error) {
	ids := make([]string, len(ns))
	err := r.changeAt(ctx, k, Progress, func(c *change) (err error) {
		for i, n := range ns {
			if ids[i], err = c.start(n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	tasks := make([]Task, len(ids))
	for i, id := range ids {
		if tasks[i], err = r.Task(id); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

func (c *change) start(n NewTask) (string, error) {
	parent := c.peek(n.Parent)
	if parent == nil {
		return "", noTask(n.Parent)
	}
	if parent.Status.Terminal() {
		return "", named(&Error{Code: CodeEnded, Message: "an ended task starts no children"}, parent)
	}
	if old, err := startedBy(c.tx, c.each, n.Parent, n.CallID); err != nil || old != "" {
		return old, err
	}
	if limit := c.r.o.MaxDepth; limit >= 0 && parent.Depth+1 > limit {
		return "", &Error{Code: CodeDepthExceeded, Message: fmt.Sprintf("a task at depth %d may start none: the limit is %d", parent.Depth, limit), Hint: "do the work yourself"}
	}
	t, err := c.create(parent, n)
	return t.ID, err
}

// StartedBy finds the child that the parent's tool call has started already,
// before a crash; ok is false where there is none.
func (r *Registry) StartedBy(parent, call string) (t Task, ok bool, err error) {
	r.memory.RLock()
	found := childOf(r.each, parent, call)
	r.memory.RUnlock()
	if found == nil {
		return Task{}, false, nil
	}
	err = r.View(func(rd Reader) (err error) { // not under the lock: a reader may wait for it
		ok, err = ofThisStep(rd, found)
		return err
	})
	return *found, ok, err
}

// childOf is a copy of the newest child that the call has started, or nil.
func childOf(each func(func(*Task) bool), parent, call string) *Task {
	if call == "" {
		return nil
	}
	var found *Task
	each(func(t *Task) bool {
		if t.Parent == parent && t.CallID == call && (found == nil || t.Created.After(found.Created)) {
			found = t
		}
		return true
	})
	if found == nil {
		return nil
	}
	t := *found
	return &t
}

// startedBy looks for the child of a call of the parent's present step.
func startedBy(rd Reader, each func(func(*Task) bool), parent, call string) (string, error) {
	found := childOf(each, parent, call)
	if found == nil {
		return "", nil
	}
	if ok, err := ofThisStep(rd, found); err != nil || !ok {
		return "", err
	}
	return found.ID, nil
}

// ofThisStep reports whether the child was started in its parent's present step:
// some providers use the IDs of calls again in later steps, and those are other calls.
func ofThisStep(rd Reader, child *Task) (bool, error) {
	last, err := rd.Tail(child.Parent, 0, 200)
	if err != nil {
		return false, err
	}
	for i := len(last) - 1; i >= 0; i-- {
		if e := last[i]; e.Kind == EntryAnswer {
			return !child.Created.Before(e.At), nil
		}
	}
	return true, nil
}

// StartsAgents reports whether the tool of this name starts agents: task, and
// the forms in which other programs have it.
func StartsAgents(tool string) bool {
	switch tool {
	case "task", "delegate_to_agent", "subagent", "spawn_subagent":
		return true
	}
	return false
}
