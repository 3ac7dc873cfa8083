package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

// indexPatience is how long a search waits for the index; a million rows take some ten seconds.
const indexPatience = time.Minute

func (a *app) searchCmd() *cobra.Command {
	var session, agent string
	var limit int
	return flagged(&cobra.Command{
		Use: "search WORDS…", Short: "Find words in all transcripts, the newest first", Args: atLeast("WORDS"),
		Long: `Find what people and agents said, and what tools were called for, in the
transcripts of all sessions. All words must be there, each as the beginning of a
word; upper and lower case are the same. The newest comes first.`,
		Example: `  drover search coupon total
  drover search "rounding error" --agent explore --limit 5
  drover log ID                        the whole transcript`,
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			q := core.Search{Words: core.Words(strings.Join(args, " ")), Agent: agent, Limit: limit}
			if limit < 1 {
				return usage("such as --limit 20", "--limit must be 1 or more")
			}
			if session != "" {
				id, err := c.Resolve(ctx, session)
				if err != nil {
					return err
				}
				d, err := c.Show(ctx, id)
				if err != nil {
					return err
				}
				q.Session = d.Task.Session
			}
			f, err := c.Search(ctx, q, indexPatience)
			if err != nil {
				return err
			}
			return a.printFound(f)
		}),
	}, func(c *cobra.Command) {
		c.Flags().StringVar(&session, "session", "", "only in the session of this `ID`")
		c.Flags().StringVar(&agent, "agent", "", "only of tasks of this agent")
		c.Flags().IntVar(&limit, "limit", 20, "at most so many")
	})
}

func (a *app) printFound(f core.Found) error {
	if a.json {
		return a.emit(f)
	}
	var b strings.Builder
	for _, h := range f.Hits {
		head := fmt.Sprintf("%s  turn %d  ", h.Task, h.Turn)
		age := a.now().Sub(h.At)
		b.WriteString(a.paint.in(bold, head+core.Short(labelOf(h), 30)) + a.paint.in(dim, "  "+state.Spoke(&h)+"  "+state.Ago(max(0, age))+" ago") + "\n    " + a.marked(h) + "\n")
	}
	if err := a.print(b.String()); err != nil {
		return err
	}
	switch {
	case f.Behind:
		return a.note("the index is still being filled: the newest may be missing; search again in a while")
	case !f.Indexed && len(f.Hits) > 0:
		return a.note("all transcripts were read: this drover is built without an index (go build -tags sqlite_fts5)")
	case len(f.Hits) == 0:
		return a.note("nothing found; all words must be there, each as the beginning of a word")
	}
	return nil
}

func labelOf(h core.Hit) string {
	if h.Name != "" {
		return h.Name
	}
	return h.Agent
}

// marked is the snippet with its words set off, where the terminal can.
func (a *app) marked(h core.Hit) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(h.Snippet[at:m[0]] + a.paint.in(yellow, h.Snippet[m[0]:m[1]]))
		at = m[1]
	}
	return b.String() + h.Snippet[at:]
}
