package main

import (
	"bytes"
	"context"
	_ "embed" // the page
	"fmt"
	"html/template"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

//go:embed report.html
var reportPage string

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
				if page, err = r.html(); err != nil {
					return err
				}
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

// reportTask is a row of the table of tasks.
type reportTask struct {
	Indent                                           int
	Glyph, State, Name, Agent, Model, Time, In, Cost string
}

type reportEvent struct{ At, Glyph, Who, What, Text, Class string }

// html is the page. The template escapes; what it is given is cleaned.
func (r *report) html() (string, error) {
	t, err := template.New("report").Parse(reportPage)
	if err != nil {
		return "", fmt.Errorf("reading the page of reports: %w", err)
	}
	title, facts := r.facts()
	var tasks []reportTask
	for i := range r.Tasks {
		t := &r.Tasks[i]
		look := state.LookOf(t)
		row := reportTask{
			Indent: min(t.Depth, 8), Glyph: look.Glyph(), State: look.Word(), Name: core.CleanLine(t.Label()), Agent: core.CleanLine(t.Agent),
			Model: core.CleanLine(t.Model), Time: state.Elapsed(time.Duration(t.ElapsedMS) * time.Millisecond),
			In: state.Tokens(t.TokensIn + t.TokensOut),
		}
		if t.Cost != nil {
			row.Cost = dollarText(*t.Cost)
		}
		tasks = append(tasks, row)
	}
	events, completions := r.events()
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Title": title, "Facts": facts,
		"SVG": template.HTML(r.svg(false)), "Path": criticalText(&r.Chart), "Tasks": tasks, "Events": events, "Completions": completions,
		"NotDone": each(r.Main.NotDone, core.CleanLine),
	})
	if err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return b.String(), nil
}

// facts are what the session is called, and in a line when it was and what it came to.
func (r *report) facts() (title, facts string) {
	title = core.CleanLine(r.Main.Description)
	if title == "" {
		title = "session " + r.Main.ID
	}
	var sum state.Counts
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Cost != nil {
			sum.Cost += *t.Cost
		} else {
			sum.Unpriced++
		}
		sum.TokensIn += t.TokensIn + t.TokensOut
	}
	tasks := fmt.Sprintf("%d tasks", len(r.Tasks))
	if len(r.Tasks) == 1 {
		tasks = "1 task"
	}
	parts := []string{r.Chart.From.In(r.Zone).Format("2006-01-02 15:04"), state.LookOf(&r.Main).Word(), tasks, "worked " + state.Elapsed(r.Chart.Length()), state.Tokens(sum.TokensIn) + " tokens"}
	if m := sum.Money(); m != "" {
		parts = append(parts, m)
	}
	return title, strings.Join(parts, " · ")
}

// dollarText shows cents, and of less than a cent what there is.
func dollarText(dollars float64) string {
	if dollars > 0 && dollars < 0.01 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

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
