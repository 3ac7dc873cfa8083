package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
)

// How long a command waits to hear what became of its request. The request
// itself waits as long as it takes.
const (
	patience       = 10 * time.Second
	cancelPatience = time.Minute
)

// ask submits a request and waits for its outcome. A refusal is an error.
func (a *app) ask(ctx context.Context, c client, r core.Request, wait time.Duration) (core.Request, error) {
	r.Sender = core.SenderUser
	r, err := c.Submit(ctx, r)
	if err != nil {
		return r, err
	}
	late, stop := context.WithTimeout(ctx, wait)
	defer stop()
	done, err := c.Await(late, r.ID)
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(late.Err(), context.DeadlineExceeded):
		return r, &exit{core.ExitLimit, fmt.Sprintf("%s (%s of %s) is safe in the registry, but nobody has acted on it within %s", core.RequestRef(r.ID), r.Kind, r.Task, wait),
			fmt.Sprintf("drover log %s --host shows what the host of the session does; drover requests %s shows when it is done", r.Task, r.Task)}
	case err != nil:
		return r, err
	case done.State == core.ReqRefused:
		return done, &exit{core.ExitUsage, fmt.Sprintf("%s of %s was refused: %s", done.Kind, done.Task, done.Outcome), "drover show " + done.Task}
	}
	return done, nil
}

// steer makes a command that asks one thing of one task and says what became of it.
func (a *app) steer(use, short string, keep func(core.TaskView) bool, kind core.RequestKind, said string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: takes("ID"), ValidArgsFunction: a.complete(keep),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			r, err := a.ask(ctx, c, core.Request{Session: d.Task.Session, Task: d.Task.ID, Kind: kind}, patience)
			if err != nil {
				return err
			}
			return a.saidOf(r, d.Task, said)
		}),
	}
}

// saidOf prints what was done to a task.
func (a *app) saidOf(r core.Request, t core.TaskView, said string) error {
	if a.json {
		return a.emit(ofRequest(r))
	}
	return a.print(fmt.Sprintf("%s %s: %s\n", t.ID, core.CleanLine(t.Label()), said))
}

func (a *app) promoteCmd() *cobra.Command {
	return a.steer("promote ID", "Move a task its parent waits for to the background", synced, core.ReqPromote, "runs in the background now, its parent goes on")
}

func (a *app) resumeCmd() *cobra.Command {
	return &cobra.Command{
		Use: "resume ID", Short: "Take an interrupted session up where it stood", Args: takes("ID"), ValidArgsFunction: a.complete(interrupted),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			t := d.Task
			r, err := a.ask(ctx, c, core.Request{Session: t.Session, Task: t.ID, Kind: core.ReqResume}, patience)
			if err != nil {
				return err
			}
			return a.saidOf(r, t, "resumed, with everything in session "+t.Session+" that was interrupted")
		}),
	}
}

func (a *app) endCmd() *cobra.Command {
	return a.steer("end ID", "End an idle task in success: completed", live, core.ReqEnd, "completed")
}

func (a *app) autopilotCmd() *cobra.Command {
	return &cobra.Command{
		Use: "autopilot ID on|off", Short: "Let a session's main agent go on by itself until it completes", Args: takes("ID", "on|off"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []cobra.Completion{"on", "off"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.complete(isMain)(cmd, args, word)
		},
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			if args[1] != "on" && args[1] != "off" {
				return usage("drover autopilot ID on", "%q is neither on nor off", args[1])
			}
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			// Autopilot is the session's: any of its tasks will do to name it.
			r, err := a.ask(ctx, c, core.Request{Session: d.Task.Session, Task: d.Task.Session, Kind: core.ReqAutopilot, Text: args[1]}, patience)
			if err != nil {
				return err
			}
			return a.saidOf(r, core.TaskView{ID: d.Task.Session, Name: "autopilot"}, args[1])
		}),
	}
}

func (a *app) slotsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "slots ID N", Short: "How many tasks of a session work at once; the others wait in the queue", Args: takes("ID", "N"),
		ValidArgsFunction: a.complete(isMain),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			r, err := a.ask(ctx, c, core.Request{Session: d.Task.Session, Task: d.Task.Session, Kind: core.ReqSlots, Text: args[1]}, patience)
			if err != nil {
				return err
			}
			return a.saidOf(r, core.TaskView{ID: d.Task.Session, Name: "slots"}, args[1])
		}),
	}
}

func (a *app) modelCmd() *cobra.Command {
	return &cobra.Command{
		Use: "model ID NAME", Short: "What a session's main agent runs on from its next turn: provider/model or a tier", Args: takes("ID", "NAME"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return config.Tiers, cobra.ShellCompDirectiveNoFileComp
			}
			return a.complete(isMain)(cmd, args, word)
		},
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			r, err := a.ask(ctx, c, core.Request{Session: d.Task.Session, Task: d.Task.Session, Kind: core.ReqModel, Text: args[1]}, patience)
			if err != nil {
				return err
			}
			return a.saidOf(r, core.TaskView{ID: d.Task.Session, Name: "session"}, core.CleanLine(r.Outcome))
		}),
	}
}

func (a *app) cancelCmd() *cobra.Command {
	var only bool
	return flagged(&cobra.Command{
		Use: "cancel ID", Short: "Stop a task and everything under it; prints the receipt", Args: takes("ID"),
		ValidArgsFunction: a.complete(live),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			id, err := c.Resolve(ctx, args[0])
			if err != nil {
				return err
			}
			r := core.Request{Task: id, Kind: core.ReqCancel, Scope: core.ScopeTree}
			if only {
				r.Scope = core.ScopeOnly
			}
			if r, err = a.ask(ctx, c, r, cancelPatience); err != nil {
				return err
			}
			return a.receipt(r)
		}),
	}, func(c *cobra.Command) { c.Flags().BoolVar(&only, "only", false, "this task alone; its children go on") })
}

// receipt prints who stopped and who would not.
func (a *app) receipt(r core.Request) error {
	var rec core.Receipt
	if err := json.Unmarshal([]byte(r.Outcome), &rec); err != nil {
		return fmt.Errorf("reading the receipt of %s: %w", core.RequestRef(r.ID), err)
	}
	rec.Stopped, rec.NotStopped = list(rec.Stopped), list(rec.NotStopped)
	if a.json {
		if err := a.emit(rec); err != nil {
			return err
		}
	} else if err := a.print(receiptText(rec)); err != nil {
		return err
	}
	if len(rec.NotStopped) > 0 {
		return &exit{core.ExitFailed, fmt.Sprintf("%d would not stop", len(rec.NotStopped)), "drover ps shows them; drover doctor finds processes left behind"}
	}
	return nil
}

func receiptText(rec core.Receipt) string {
	var b strings.Builder
	tasks := fmt.Sprintf("%d tasks", len(rec.Stopped))
	if len(rec.Stopped) == 1 {
		tasks = "1 task"
	}
	fmt.Fprintf(&b, "cancelled %s\n", tasks)
	for _, s := range rec.Stopped {
		fmt.Fprintf(&b, "  %s %s  was %s  %d ms\n", s.ID, core.CleanLine(s.Name), core.CleanLine(s.Was), s.MS)
	}
	if len(rec.NotStopped) > 0 {
		fmt.Fprintf(&b, "not stopped %d\n", len(rec.NotStopped))
	}
	for _, s := range rec.NotStopped {
		fmt.Fprintf(&b, "  %s %s  %s\n", s.ID, core.CleanLine(s.Name), core.CleanLine(s.Why))
	}
	return b.String()
}
