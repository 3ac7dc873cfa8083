package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
)

func (a *app) logCmd() *cobra.Command {
	var follow, host, full bool
	return flagged(&cobra.Command{
		Use: "log ID", Short: "The transcript of a task", Args: takes("ID"),
		Long: "The transcript of a task: messages, answers, tool calls and what they gave. With --follow it goes on until the task has ended.\n" +
			"--host prints the log of the process that owns the task's session instead.",
		ValidArgsFunction: a.complete(nil),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			switch {
			case err != nil:
				return err
			case host:
				return a.hostLog(d.Task.Session)
			case a.json && !follow:
				entries, err := c.Entries(ctx, d.Task.ID, 0, 0)
				if err != nil {
					return err
				}
				return a.emit(each(entries, ofEntry))
			}
			return a.followLog(ctx, c, d.Task.ID, transcript{p: a.paint, full: full, calls: map[string]core.ToolCall{}, subjects: map[string]string{}}, follow)
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as the transcript grows, until the task has ended")
		c.Flags().BoolVar(&host, "host", false, "the log of the session's host process")
		c.Flags().BoolVar(&full, "full", false, "what tools gave in full, not its first lines")
		c.MarkFlagsMutuallyExclusive("follow", "host")
	})
}

// followLog prints the transcript, and what is added to it until the task has ended.
func (a *app) followLog(ctx context.Context, c client, task string, tr transcript, follow bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := c.Watch(ctx)
	after := int64(0)
	for {
		// The status first: an entry written after it is seen in the next round, never lost.
		d, err := c.Show(ctx, task)
		if err != nil {
			return err
		}
		entries, err := c.Entries(ctx, task, after, 0)
		if err != nil {
			return err
		}
		for _, e := range entries {
			after = e.Seq
			if a.json {
				err = a.emitLine(ofEntry(e))
			} else {
				err = a.print(tr.entry(e))
			}
			if err != nil {
				return err
			}
		}
		if !follow || d.Task.Status.Terminal() {
			return nil
		}
		if err := await(ctx, changed); err != nil {
			return err
		}
	}
}

// await returns when something may have changed. A host that dies changes no
// row, so it returns now and then by itself.
func await(ctx context.Context, changed <-chan struct{}) error {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-changed:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	case <-t.C:
	}
	return nil
}

// transcript writes entries as plain readable text.
type transcript struct {
	p        paint
	full     bool
	calls    map[string]core.ToolCall // by ID, so that a result can say what was called
	subjects map[string]string        // of those that have begun: the line that matters
}

// resultLines is how much of a tool's result is shown unless all is wanted.
const resultLines = 8

func (tr transcript) entry(e core.Entry) string {
	switch e.Kind {
	case core.EntryMessage:
		who := core.CleanLine(e.Sender)
		if e.Sender == core.SenderUser {
			who = "you"
		}
		return tr.p.in(bold, who+" ›") + " " + tr.text(e.Text) + "\n"
	case core.EntryNotice:
		return tr.p.in(yellow, "notice ›") + " " + tr.text(e.Text) + "\n"
	case core.EntryAnswer:
		var b strings.Builder
		if text := tr.text(e.Reasoning); text != "" {
			b.WriteString(tr.p.in(dim, text) + "\n")
		}
		if text := strings.TrimSpace(core.Clean(e.Text)); text != "" {
			b.WriteString(text + "\n")
		}
		if e.Failed {
			b.WriteString(tr.p.in(red, "(the answer was cut off)") + "\n")
		}
		for _, c := range e.Calls {
			tr.calls[c.ID] = c
		}
		return b.String()
	case core.EntryCall:
		tr.subjects[e.CallID] = e.Text // told together with its result
	case core.EntryResult:
		return tr.result(e)
	case core.EntryNote:
		return tr.p.in(dim, "-- "+tr.text(e.Text)) + "\n"
	}
	return ""
}

func (tr transcript) text(s string) string {
	return indent(strings.TrimSpace(core.Clean(s)), "  ")
}

func (tr transcript) result(e core.Entry) string {
	mark, color := "✓", green
	if e.Failed {
		mark, color = "✗", red
	}
	call := tr.calls[e.CallID]
	line := mark + " " + core.CleanLine(e.Tool)
	if subject, begun := tr.subjects[e.CallID]; begun {
		line += " " + fit(core.CleanLine(subject), 100)
	} else if call.ID != "" {
		line += " " + fit(exactArgs(call.Args), 100)
	}
	out := tr.p.in(color, line) + tr.p.in(dim, fmt.Sprintf("  %d ms", e.Took.Milliseconds())) + "\n"
	lines := strings.Split(strings.TrimSpace(core.Clean(e.Text)), "\n")
	left := 0
	if !tr.full && len(lines) > resultLines {
		left, lines = len(lines)-resultLines, lines[:resultLines]
	}
	for _, l := range lines {
		if l != "" {
			out += "    " + l + "\n"
		}
	}
	if left > 0 {
		out += tr.p.in(dim, fmt.Sprintf("    … %d more lines", left)) + "\n"
	}
	if e.Full != "" {
		out += tr.p.in(dim, "    all of it: "+core.CleanLine(e.Full)) + "\n"
	}
	return out
}
