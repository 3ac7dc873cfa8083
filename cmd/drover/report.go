package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

func (a *app) reportCmd() *cobra.Command {
	var svg, html bool
	var file string
	return flagged(&cobra.Command{
		Use: "report SESSION", Short: "A session as one file to share: waterfall, timeline, completions, cost", Args: takes("SESSION"),
		Long: "A session as one file to share: waterfall, timeline, completions and cost. The page loads nothing from anywhere and runs no script.\n" +
			"It holds names, summaries and what tools were about, but no transcript: read it before you send it.",
		ValidArgsFunction: a.complete(isMain),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			if a.json {
				return usage("drover timeline "+args[0]+" --waterfall --json", "a report has no JSON")
			}
			if file == "" && a.paint.tty {
				return usage("give it a file: -o report.html, or > report.html", "a report is no text for a terminal")
			}
			r, err := a.report(ctx, c, args[0])
			if err != nil {
				return err
			}
			page := r.svg(true)
			if !svg {
				page = r.html()
			}
			if file == "" {
				return a.print(page)
			}
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
			return a.note("wrote " + file)
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&html, "html", false, "a page (the default)")
		c.Flags().BoolVar(&svg, "svg", false, "only the waterfall, as a picture")
		c.Flags().StringVarP(&file, "output", "o", "", "write it to `FILE`")
		c.MarkFlagsMutuallyExclusive("html", "svg")
	})
}

// report is what a page of a session is made of; all text is still as it was written.
type report struct {
	Main   core.TaskView
	Tasks  []core.TaskView
	Events []core.Event
	Chart  state.Chart
	Zone   *time.Location
}

func (a *app) report(ctx context.Context, c client, ref string) (report, error) {
	d, err := c.Show(ctx, ref)
	if err != nil {
		return report{}, err
	}
	session := d.Task.Session
	r := report{Zone: time.Local}
	if r.Tasks, err = c.Tree(ctx, session); err != nil {
		return r, err
	}
	r.Main = r.Tasks[0]
	if r.Events, err = c.Events(ctx, core.EventFilter{Session: session, Notable: true}); err != nil {
		return r, err
	}
	r.Chart, err = a.chart(ctx, c, session)
	return r, err
}

type reportEvent struct{ At, Glyph, Who, What, Text, Class string }

func (r *report) events() (all, completions []reportEvent) {
	names := map[string]string{}
	for i := range r.Tasks {
		names[r.Tasks[i].ID] = core.CleanLine(r.Tasks[i].Label())
	}
	for i := range r.Events {
		e := &r.Events[i]
		glyph, what, text := state.EventWords(e, names[e.Task])
		row := reportEvent{e.At.In(r.Zone).Format("01-02 15:04:05"), glyph, names[e.Task], what, text, ""}
		switch e.Kind {
		case core.EvFailed, core.EvRefused, core.EvAutoStop, core.EvLimit, core.EvToolRefused:
			row.Class = "bad"
		case core.EvTaskComplete:
			row.Class = "good"
			completions = append(completions, row)
		case core.EvApproval, core.EvParked, core.EvRetry:
			row.Class = "wait"
		}
		all = append(all, row)
	}
	return all, completions
}
