package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
)

// interruptedPatience is how long a task may stand interrupted before wait
// gives up: a host that is just being started does not hold its session yet.
const interruptedPatience = 5 * time.Second

func (a *app) waitCmd() *cobra.Command {
	var timeout time.Duration
	return flagged(&cobra.Command{
		Use: "wait ID", Short: "Wait until nothing of a task runs any more; the exit code tells how it went", Args: takes("ID"),
		Long:              "Wait until a task and everything under it is idle or ended. The exit code tells the truth about the whole tree; at the timeout it is 4, and the task goes on.",
		ValidArgsFunction: a.complete(live),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			if timeout < 0 {
				return usage("such as 30s or 5m; 0 waits for ever", "--timeout must not be negative")
			}
			id, err := c.Resolve(ctx, args[0])
			if err != nil {
				return err
			}
			d, err := a.settled(ctx, c, id, timeout)
			if err != nil {
				return err
			}
			if a.json {
				err = a.emit(d.Task)
			} else {
				err = a.print(waitLine(a.paint, &d.Task))
			}
			if code := core.TreeExit(d.Task, d.Children); err == nil && code != core.ExitDone {
				return &exit{code: code}
			}
			return err
		}),
	}, func(c *cobra.Command) {
		c.Flags().DurationVar(&timeout, "timeout", 0, "give up after this `time` (0: never)")
	})
}

func waitLine(p paint, t *core.TaskView) string {
	line := fmt.Sprintf("%s %s  %s", t.ID, core.CleanLine(t.Label()), p.look(t))
	if what := doing(t); what != "" {
		line += "  " + what
	}
	return line + "\n"
}

// settled waits until nothing of the task's tree runs and nothing is queued for it.
func (a *app) settled(ctx context.Context, c client, id string, timeout time.Duration) (core.Detail, error) {
	watch, stop := context.WithCancel(ctx)
	if timeout > 0 {
		watch, stop = context.WithTimeout(ctx, timeout)
	}
	defer stop()
	changed := c.Watch(watch)
	var since time.Time // when it was first seen interrupted
	asked := false
	for {
		d, err := c.Show(ctx, id)
		if err != nil {
			return d, err
		}
		b := busyness(d)
		switch {
		case !b.working:
			return d, nil
		case !b.interrupted:
			since = time.Time{}
		case since.IsZero():
			since = a.now()
		case a.now().Sub(since) > interruptedPatience:
			return d, &exit{core.ExitFailed, fmt.Sprintf("task %s is interrupted: its host is gone", id), "drover resume " + id}
		}
		if b.asks != "" && !asked {
			asked = true
			if err := a.note("task " + b.asks + " asks for approval: drover show " + b.asks); err != nil {
				return d, err
			}
		}
		if err := await(watch, changed); err != nil {
			if ctx.Err() == nil {
				return d, &exit{core.ExitLimit, fmt.Sprintf("task %s is still %s after %s; it goes on", id, d.Task.State(), timeout), "drover show " + id}
			}
			return d, err
		}
	}
}

// busy is what a tree is about.
type busy struct {
	working     bool   // something runs, or is about to
	interrupted bool   // it runs by its row, but no host is there
	asks        string // a task that waits for a person
}

func busyness(d core.Detail) (b busy) {
	for _, t := range append([]core.TaskView{d.Task}, d.Children...) {
		if t.Status.Terminal() {
			continue
		}
		b.working = b.working || t.Status == core.Running || t.QueuedRequests > 0
		b.interrupted = b.interrupted || t.Interrupted
		if t.NeedsApproval && b.asks == "" {
			b.asks = t.ID
		}
	}
	return b
}
