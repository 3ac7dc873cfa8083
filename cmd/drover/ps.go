package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/ui/state"
)

func (a *app) psCmd() *cobra.Command {
	var all bool
	return flagged(&cobra.Command{
		Use: "ps", Short: "The tree of tasks", Args: takes(),
		Long: "The tree of every session in which something runs or is idle; with --all the ended ones too.\n--json: an array of flat task objects, parents before children.",
		RunE: a.do(func(ctx context.Context, c client, _ []string) error {
			tasks, err := c.List(ctx, all)
			switch {
			case err != nil:
				return err
			case a.json:
				return a.emit(list(tasks))
			case len(tasks) == 0 && all:
				return a.note("no session yet; start one with: drover run PROMPT")
			case len(tasks) == 0:
				return a.note("nothing runs and nothing is idle; drover ps --all shows what has ended")
			}
			stall, err := a.stallAfter()
			if err != nil {
				return err
			}
			return a.print(a.tree(tasks, stall))
		}),
	}, func(c *cobra.Command) { c.Flags().BoolVarP(&all, "all", "a", false, "with ended sessions") })
}

// stallAfter is after how long without an event a running task is said to be stalled.
func (a *app) stallAfter() (time.Duration, error) {
	settings, err := config.Load(a.getenv)
	return settings.StallAfter, err
}

func (a *app) showCmd() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "One task, with its turns, requests, approvals and children", Args: takes("ID"),
		ValidArgsFunction: a.complete(nil),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(ofDetail(d, a.now()))
			}
			stall, err := a.stallAfter()
			if err != nil {
				return err
			}
			return a.print(a.showText(d, stall))
		}),
	}
}

// sheet is a list of names and values for people.
type sheet struct {
	strings.Builder
	p paint
}

func (s *sheet) row(name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		s.WriteString(s.p.in(dim, pad(name, 11)) + indent(value, strings.Repeat(" ", 11)) + "\n")
	}
}

func (a *app) showText(d core.Detail, stall time.Duration) string {
	t := &d.Task
	s := sheet{p: a.paint}
	s.WriteString(fmt.Sprintf("%s  %s  %s\n", a.paint.in(bold, core.CleanLine(t.Label())), t.ID, a.paint.look(t)))
	s.row("doing", doing(t))
	s.row("why", core.Clean(d.Why(a.now())))
	s.row("task", core.CleanLine(t.Description))
	s.row("agent", fmt.Sprintf("%s on %s, %s, depth %d", core.CleanLine(t.Agent), core.CleanLine(t.Model), t.Mode, t.Depth))
	s.row("session", fmt.Sprintf("%s in %s%s", t.Session, core.CleanLine(t.Dir), map[bool]string{true: ", autopilot"}[t.Autopilot]))
	if t.Parent != "" {
		s.row("parent", t.Parent)
	}
	s.row("work", fmt.Sprintf("turn %d, %d steps, %d tool calls, %s tokens in, %s out, %s", t.Turn, t.Steps, t.ToolCalls,
		state.Tokens(t.TokensIn), state.Tokens(t.TokensOut), state.Elapsed(t.ElapsedAt(a.now()))))
	s.row("times", "created "+stamp(t.Created)+", last event "+stamp(t.LastEvent)+ended(t))
	if t.Error != "" || t.ErrorCode != "" {
		s.row("error", fmt.Sprintf("%s (%s)", core.CleanLine(t.Error), t.ErrorCode))
	}
	if t.Outcome != "" {
		s.row("outcome", string(t.Outcome)+": "+core.Clean(t.Summary))
	}
	for _, n := range t.NotDone {
		s.row("not done", core.CleanLine(n))
	}
	for _, p := range d.Approvals {
		if p.State == core.AppPending {
			s.row("asks "+core.ApprovalRef(p.ID), fmt.Sprintf("%s %s\ndrover approve %s · drover deny %s", core.CleanLine(p.Tool), exactArgs(p.Args), core.ApprovalRef(p.ID), core.ApprovalRef(p.ID)))
		}
	}
	for _, r := range d.Requests {
		if r.State == core.ReqQueued {
			s.row("queued "+core.RequestRef(r.ID), requestLine(r))
		}
	}
	for _, turn := range d.Turns {
		s.row(fmt.Sprintf("turn %d", turn.N), fmt.Sprintf("%s › %s\n%s%s", core.CleanLine(turn.Sender), core.Clean(turn.Prompt), core.Clean(turn.Response), handed(turn.Handed)))
	}
	if len(d.Children) > 0 {
		s.WriteString("\n" + a.tree(d.Children, stall))
	}
	return s.String()
}

// handed says what is not whole about a turn's response.
func handed(h core.Handed) string {
	var b strings.Builder
	if h.Code != "" {
		fmt.Fprintf(&b, "\n(%s)", h.Code)
	}
	if h.Full != "" {
		b.WriteString("\n(all of it: " + h.Full + ")")
	}
	return b.String()
}

// exactArgs are the arguments of a tool call, whole, as they would run.
func exactArgs(args json.RawMessage) string {
	if b, err := encode(raw(args), ""); err == nil {
		return strings.TrimSpace(string(b))
	}
	return core.CleanLine(string(args))
}

func stamp(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func ended(t *core.TaskView) string {
	if t.Ended == nil {
		return ""
	}
	return ", ended " + stamp(t.Ended) + " by " + core.CleanLine(t.EndedBy)
}
