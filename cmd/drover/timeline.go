package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

func (a *app) timelineCmd() *cobra.Command {
	var completions, follow, bars bool
	var kinds []string
	var last int
	return flagged(&cobra.Command{
		Use: "timeline [SESSION]", Short: "What happened, in order; with --completions what was declared complete", Args: upTo(1),
		ValidArgsFunction: a.complete(isMain),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			if last < 0 {
				return usage("0 means all", "--last must not be negative")
			}
			f := core.EventFilter{Notable: true, Last: last}
			var err error
			if f.Kinds, err = eventKinds(kinds); err != nil {
				return err
			}
			if completions {
				f.Kinds = []core.EventKind{core.EvTaskComplete}
			}
			if len(args) == 1 {
				d, err := c.Show(ctx, args[0])
				if err != nil {
					return err
				}
				if f.Session = d.Task.Session; d.Task.Kind != core.KindMain {
					f.Task = d.Task.ID
				}
			}
			if bars {
				if len(args) == 0 {
					return usage("drover timeline SESSION --waterfall; drover ps --all lists the sessions", "a waterfall is of one session")
				}
				return a.waterfall(ctx, c, f.Session)
			}
			if a.json && !follow {
				events, err := c.Events(ctx, f)
				if err != nil {
					return err
				}
				return a.emit(each(events, ofEvent))
			}
			return a.followTimeline(ctx, c, f, follow)
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&completions, "completions", false, "only what agents declared complete")
		c.Flags().StringSliceVarP(&kinds, "kind", "k", nil, "only this `KIND` of events: "+strings.Join(state.GroupNames(), ", ")+", or one like task.idle")
		c.Flags().BoolVar(&bars, "waterfall", false, "the session's tasks over time, and who waited for whom")
		c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as things happen, until interrupted")
		c.Flags().IntVarP(&last, "last", "n", 0, "only the last `N` (0: all)")
		c.MarkFlagsMutuallyExclusive("waterfall", "follow")
		c.MarkFlagsMutuallyExclusive("kind", "completions")
	})
}

// eventKinds are the kinds that the names of groups, or of kinds, mean.
func eventKinds(names []string) ([]core.EventKind, error) {
	var out []core.EventKind
	for _, n := range names {
		if g, ok := state.GroupOf(n); ok {
			out = append(out, g.Kinds...)
			continue
		}
		if !state.KnownKind(core.EventKind(n)) {
			return nil, usage("kinds: "+strings.Join(state.GroupNames(), ", ")+", or one like task.idle", "no kind of events %q", n)
		}
		out = append(out, core.EventKind(n))
	}
	return out, nil
}

func (a *app) followTimeline(ctx context.Context, c client, f core.EventFilter, follow bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := c.Watch(ctx)
	names := map[string]string{}
	for {
		events, err := c.Events(ctx, f)
		if err != nil {
			return err
		}
		for _, e := range events {
			f.After = e.Seq
			if a.json {
				err = a.emitLine(ofEvent(e))
			} else {
				err = a.print(a.eventLine(ctx, c, e, names))
			}
			if err != nil {
				return err
			}
		}
		f.Last = 0 // from here on all that is new
		if !follow {
			return nil
		}
		if err := await(ctx, changed); err != nil {
			return err
		}
	}
}

// eventLine is one row of the timeline. A completion's text keeps its lines.
func (a *app) eventLine(ctx context.Context, c client, e core.Event, names map[string]string) string {
	if _, ok := names[e.Task]; !ok && e.Task != "" {
		// A task that was removed since has only its ID left.
		names[e.Task] = e.Task
		if d, err := c.Show(ctx, e.Task); err == nil {
			names[e.Task] = e.Task + " " + core.CleanLine(d.Task.Label())
		}
	}
	_, label, _ := strings.Cut(names[e.Task], " ")
	glyph, words, told := state.EventWords(&e, label)
	head := e.At.Local().Format("01-02 15:04:05") + "  " + pad(fit(names[e.Task], 22), 22) + "  " + glyph + " " + pad(words, 23)
	text := core.CleanLine(told)
	if e.Kind == core.EvTaskComplete {
		text = indent(strings.TrimSpace(told), "      ")
	} else if a.paint.width > 0 {
		text = fit(text, max(10, a.paint.width-68))
	}
	return strings.TrimRight(head+"  "+text, " ") + "\n"
}
