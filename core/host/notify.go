package host

import (
	"context"
	"sync"

	"drover/core"
)

// notifier runs a person's notification hooks, one after the other, off the
// registry's path. What comes faster than they run is dropped after a while:
// the timeline has it all.
type notifier struct {
	hooks core.Hooks
	mu    sync.Mutex
	queue []core.Event
	wake  chan struct{}
}

// mostNotices wait for slow hooks.
const mostNotices = 100

func newNotifier(hooks core.Hooks) *notifier {
	return &notifier{hooks: hooks, wake: make(chan struct{}, 1)}
}

// topics are the events that a person is told of.
var topics = map[core.EventKind]string{
	core.EvApproval: "approval", core.EvIdle: "idle", core.EvTaskComplete: "completed", core.EvCompleted: "completed", core.EvFailed: "failed",
}

// event takes an event up; it never blocks.
func (n *notifier) event(e core.Event) {
	if n.hooks == nil || topics[e.Kind] == "" {
		return
	}
	if e.Kind == core.EvIdle && e.Task != e.Session { // a subagent's answer is its parent's business
		return
	}
	n.mu.Lock()
	if len(n.queue) < mostNotices {
		n.queue = append(n.queue, e)
	}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notifier) next() (core.Event, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.queue) == 0 {
		return core.Event{}, false
	}
	e := n.queue[0]
	n.queue = n.queue[1:]
	return e, true
}

// run works the queue off until ctx ends.
func (n *notifier) run(ctx context.Context, reg *core.Registry) error {
	for {
		e, ok := n.next()
		if !ok {
			select {
			case <-ctx.Done():
				return nil
			case <-n.wake:
			}
			continue
		}
		if err := n.tell(ctx, reg, e); err != nil {
			return err
		}
	}
}

func (n *notifier) tell(ctx context.Context, reg *core.Registry, e core.Event) error {
	t, err := reg.Task(e.Task)
	if err != nil {
		return nil // removed meanwhile: nothing to tell of
	}
	out, err := n.hooks.Run(ctx, core.HookEvent{
		Point: core.HookNotification, Session: e.Session, Task: e.Task, Parent: t.Parent, Kind: t.Kind, Agent: t.Agent, DisplayName: t.Label(),
		Dir: reg.Session().Dir, Topic: topics[e.Kind], Message: e.Text,
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		out.Ran = append(out.Ran, core.HookRun{Name: "notification", Problem: err.Error()})
	}
	for _, ran := range out.Ran {
		if ran.Problem == "" {
			continue
		}
		if err := reg.Note(e.Task, core.EvHook, "hook "+ran.Name+" at notification broke: "+ran.Problem, ""); err != nil {
			return err
		}
	}
	return nil
}
