package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drover/core"
)

func (a *app) approveCmd() *cobra.Command {
	var always bool
	return flagged(&cobra.Command{
		Use: "approve [ID]", Short: "Allow the tool call a task asks for; without ID list what is asked", Args: upTo(1),
		Long:              "Allow a tool call. ID is an approval (a7), or a task that asks for exactly one. Without ID it lists what is asked, with the exact arguments.",
		ValidArgsFunction: a.completeApprovals(),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			if len(args) == 0 {
				return a.listApprovals(ctx, c)
			}
			scope, said := core.ScopeOnce, "allowed"
			if always {
				scope, said = core.ScopeAlways, "allowed, and always in this session"
			}
			return a.decide(ctx, c, args[0], core.Request{Kind: core.ReqApprove, Scope: scope}, said)
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&always, "always", false, "and every such call of the session from now on")
	})
}

func (a *app) denyCmd() *cobra.Command {
	var reason string
	return flagged(&cobra.Command{
		Use: "deny ID", Short: "Refuse the tool call a task asks for", Args: takes("ID"),
		Long:              "Refuse a tool call. ID is an approval (a7), or a task that asks for exactly one. The agent reads the reason and goes on.",
		ValidArgsFunction: a.completeApprovals(),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			return a.decide(ctx, c, args[0], core.Request{Kind: core.ReqDeny, Text: reason}, "denied")
		}),
	}, func(c *cobra.Command) { c.Flags().StringVar(&reason, "reason", "", "what the agent is told") })
}

func (a *app) decide(ctx context.Context, c client, ref string, r core.Request, said string) error {
	p, err := pending(ctx, c, ref)
	if err != nil {
		return err
	}
	r.Session, r.Task, r.Ref = p.Session, p.Task, core.ApprovalRef(p.ID)
	if r, err = a.ask(ctx, c, r, patience); err != nil {
		return err
	}
	if a.json {
		return a.emit(ofRequest(r))
	}
	return a.print(fmt.Sprintf("%s %s: %s %s\n", core.ApprovalRef(p.ID), said, core.CleanLine(p.Tool), core.CleanLine(p.Subject)))
}

// pending finds the one approval that ref means.
func pending(ctx context.Context, c client, ref string) (core.Approval, error) {
	var none core.Approval
	if id, ok := core.ParseRef('a', ref); ok && strings.HasPrefix(ref, "a") {
		all, err := c.Approvals(ctx, core.ApprovalFilter{IDs: []int64{id}})
		switch {
		case err != nil:
			return none, err
		case len(all) == 0:
			return none, &core.Error{Code: core.CodeNotFound, Message: "no approval " + ref, Hint: "drover approve lists what is asked"}
		case all[0].State != core.AppPending:
			return none, &core.Error{Code: core.CodeWrongStatus, Message: fmt.Sprintf("%s has already been answered: %s", ref, all[0].State), Hint: "drover approve lists what is asked"}
		}
		return all[0], nil
	}
	task, err := c.Resolve(ctx, ref)
	if err != nil {
		return none, err
	}
	all, err := c.Approvals(ctx, core.ApprovalFilter{Task: task, States: []core.ApprovalState{core.AppPending}})
	switch {
	case err != nil:
		return none, err
	case len(all) == 0:
		return none, &core.Error{Code: core.CodeWrongStatus, Message: "task " + task + " asks for nothing", Hint: "drover approve lists what is asked"}
	case len(all) > 1:
		var refs []string
		for _, p := range all {
			refs = append(refs, core.ApprovalRef(p.ID)+" "+core.CleanLine(p.Tool)+" "+core.CleanLine(p.Subject))
		}
		return none, &core.Error{Code: core.CodeAmbiguous, Message: fmt.Sprintf("task %s asks for several: %s", task, strings.Join(refs, "; ")), Hint: "name one, such as " + core.ApprovalRef(all[0].ID)}
	}
	return all[0], nil
}

func (a *app) listApprovals(ctx context.Context, c client) error {
	all, err := c.Approvals(ctx, core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
	switch {
	case err != nil:
		return err
	case a.json:
		return a.emit(each(all, ofApproval))
	case len(all) == 0:
		return a.note("nothing is asked")
	}
	for _, p := range all {
		if err := a.print(fmt.Sprintf("%-4s %s  %s %s\n", core.ApprovalRef(p.ID), p.Task, core.CleanLine(p.Tool), exactArgs(p.Args))); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) completeApprovals() cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		out, directive := a.complete(waiting)(cmd, args, word)
		err := a.with(cmd.Context(), func(c client) error {
			all, err := c.Approvals(cmd.Context(), core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
			for _, p := range all {
				out = append(out, cobra.CompletionWithDesc(core.ApprovalRef(p.ID), core.CleanLine(p.Tool+" "+p.Subject)))
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return out, directive
	}
}
