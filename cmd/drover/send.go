package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"drover/core"
)

func (a *app) sendCmd() *cobra.Command {
	var steer, interrupt bool
	return flagged(&cobra.Command{
		Use: "send ID TEXT", Short: "Send a task a message", Args: atLeast("ID", "TEXT"),
		Long: "Send a task a message. An idle task starts its next turn with it; a running one gets it after this turn, with --steer after its current tool call, with --interrupt now.\n" +
			"TEXT may be - for standard input.",
		ValidArgsFunction: a.complete(live),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			text, err := a.message(ctx, args[1:])
			if err != nil {
				return err
			}
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			if text, err = a.expanded(ctx, c, d.Task.Dir, text); err != nil {
				return err
			}
			r := core.Request{Session: d.Task.Session, Task: d.Task.ID, Kind: core.ReqMessage, Text: text, Delivery: core.Queue, Sender: core.SenderUser}
			switch {
			case steer:
				r.Delivery = core.Steer
			case interrupt:
				r.Delivery = core.Interrupt
			}
			if r, err = c.Submit(ctx, r); err != nil {
				return err
			}
			if a.json {
				return a.emit(ofRequest(r))
			}
			return a.print(fmt.Sprintf("%s queued for %s: %s\n", core.RequestRef(r.ID), core.CleanLine(d.Task.Label()), arrival(&d.Task, r.Delivery)))
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&steer, "steer", false, "after the current tool call")
		c.Flags().BoolVar(&interrupt, "interrupt", false, "now: the turn is cut short")
		c.MarkFlagsMutuallyExclusive("steer", "interrupt")
	})
}

// arrival says when a message will reach a task that is as t.
func arrival(t *core.TaskView, d core.Delivery) string {
	switch {
	case t.Status == core.Idle && t.QueuedRequests > 0:
		return "after what is queued before it"
	case t.Status == core.Idle:
		return fmt.Sprintf("starts turn %d", t.Turn+1)
	case d == core.Steer:
		return "after its current tool call"
	case d == core.Interrupt:
		return fmt.Sprintf("now, cutting turn %d short", t.Turn)
	}
	return fmt.Sprintf("after turn %d", t.Turn)
}

func (a *app) requestsCmd() *cobra.Command {
	var all bool
	return flagged(&cobra.Command{
		Use: "requests [ID]", Short: "What was asked of tasks, and how far it has come", Args: upTo(1),
		Long:              "The requests that wait to be delivered, of all tasks; those of a task where an ID is given. With --all those that are done, too.",
		ValidArgsFunction: a.complete(nil),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			f := core.RequestFilter{States: []core.RequestState{core.ReqQueued}}
			if all {
				f.States = nil
			}
			if len(args) == 1 {
				id, err := c.Resolve(ctx, args[0])
				if err != nil {
					return err
				}
				f.Task = id
			}
			rs, err := c.Requests(ctx, f)
			switch {
			case err != nil:
				return err
			case a.json:
				return a.emit(each(rs, ofRequest))
			case len(rs) == 0 && all:
				return a.note("no requests")
			case len(rs) == 0:
				return a.note("no request waits; drover requests --all shows those that are done")
			}
			for _, r := range rs {
				if err := a.print(fmt.Sprintf("%-5s %s  %-9s  %s\n", core.RequestRef(r.ID), r.Task, r.State, requestLine(r))); err != nil {
					return err
				}
			}
			return nil
		}),
	}, func(c *cobra.Command) { c.Flags().BoolVarP(&all, "all", "a", false, "with those that are done") })
}

// requestLine is a request in one line.
func requestLine(r core.Request) string {
	s := string(r.Kind)
	if r.Kind == core.ReqMessage {
		s = fmt.Sprintf("%s (%s) from %s: %s", s, r.Delivery, core.CleanLine(r.Sender), fit(core.CleanLine(r.Text), 80))
	} else if r.Ref != "" || r.Text != "" || r.Scope != "" {
		s = core.CleanLine(fmt.Sprintf("%s %s %s %s", s, r.Ref, r.Scope, fit(core.CleanLine(r.Text), 80)))
	}
	if r.State == core.ReqRefused {
		s += ": " + core.CleanLine(r.Outcome)
	}
	return s
}

func (a *app) withdrawCmd() *cobra.Command {
	return &cobra.Command{
		Use: "withdraw REQ", Short: "Take back a request that has not been delivered", Args: takes("REQ"),
		ValidArgsFunction: a.completeRequests(),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			id, err := requestID(args[0])
			if err != nil {
				return err
			}
			r, err := c.Withdraw(ctx, id)
			if err != nil {
				return err
			}
			return a.told(r, "withdrawn")
		}),
	}
}

func (a *app) editCmd() *cobra.Command {
	return &cobra.Command{
		Use: "edit REQ TEXT", Short: "Change the text of a message that has not been delivered", Args: atLeast("REQ", "TEXT"),
		ValidArgsFunction: a.completeRequests(),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			id, err := requestID(args[0])
			if err != nil {
				return err
			}
			text, err := a.message(ctx, args[1:])
			if err != nil {
				return err
			}
			r, err := c.EditRequest(ctx, id, text)
			if err != nil {
				return err
			}
			return a.told(r, "changed")
		}),
	}
}

func requestID(ref string) (int64, error) {
	id, ok := core.ParseRef('r', ref)
	if !ok {
		return 0, usage("drover requests lists them", "%q is no request: they look like r12", ref)
	}
	return id, nil
}

// told prints what became of a request.
func (a *app) told(r core.Request, words string) error {
	if a.json {
		return a.emit(ofRequest(r))
	}
	return a.print(core.RequestRef(r.ID) + " " + words + "\n")
}

func (a *app) completeRequests() cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var out []cobra.Completion
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		err := a.with(cmd.Context(), func(c client) error {
			rs, err := c.Requests(cmd.Context(), core.RequestFilter{States: []core.RequestState{core.ReqQueued}})
			for _, r := range rs {
				out = append(out, cobra.CompletionWithDesc(core.RequestRef(r.ID), requestLine(r)))
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
