package main

import (
	_ "embed" // the style
	"fmt"
	"html"
	"strings"
	"time"

	"drover/core"
	"drover/ui/state"
)

//go:embed report.css
var reportStyle string

// page is an HTML page as it is written. html/template would do it too, and
// make the whole program a sixth larger: its reflection keeps every method.
type page struct{ strings.Builder }

// add writes markup; each %s in it stands for a text, which is escaped.
func (p *page) add(markup string, texts ...string) {
	safe := make([]any, len(texts))
	for i, t := range texts {
		safe[i] = html.EscapeString(t)
	}
	fmt.Fprintf(p, markup, safe...)
}

const reportHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
`

// html is the page; what it is given is cleaned.
func (r *report) html() string {
	title, facts := r.facts()
	events, completions := r.events()
	var p page
	p.WriteString(reportHead)
	p.add("<title>%s · drover</title>\n", title)
	p.WriteString("<style>\n" + reportStyle + "</style>\n</head>\n<body>\n")
	p.add("<h1>%s</h1>\n", title)
	p.add("<p class=\"facts\">%s</p>\n", facts)
	if len(completions) > 0 {
		p.add("<h2>Completions</h2>\n")
		for _, e := range completions {
			p.add("<div class=\"card\"><strong class=\"good\">%s %s</strong> <span class=\"m\">%s · %s</span>\n%s</div>\n", e.Glyph, e.What, e.At, e.Who, e.Text)
		}
	}
	if len(r.Main.NotDone) > 0 {
		p.add("<h2>Not done</h2>\n<ul>")
		for _, what := range r.Main.NotDone {
			p.add("<li>%s</li>", core.CleanLine(what))
		}
		p.add("</ul>\n")
	}
	p.add("<h2>Waterfall</h2>\n")
	p.WriteString(r.svg(false))
	p.add("<p class=\"m\">The line under a bar marks the critical path: %s</p>\n", criticalText(&r.Chart))
	p.add("<h2>Tasks</h2>\n<table><tr><th>task</th><th>state</th><th>agent</th><th>model</th><th>worked</th><th>tokens</th><th>cost</th></tr>\n")
	for i := range r.Tasks {
		p.task(&r.Tasks[i])
	}
	p.add("</table>\n<h2>Timeline</h2>\n<table>\n")
	for _, e := range events {
		p.add("<tr class=\"%s\"><td class=\"n m\">%s</td><td class=\"n\">%s %s</td><td class=\"n\">%s</td><td>%s</td></tr>\n", e.Class, e.At, e.Glyph, e.What, e.Who, e.Text)
	}
	p.add("</table>\n<footer>Made by drover. This page loads nothing and runs no script.</footer>\n</body>\n</html>\n")
	return p.String()
}

func (p *page) task(t *core.TaskView) {
	look, cost := state.LookOf(t), ""
	if t.Cost != nil {
		cost = dollarText(*t.Cost)
	}
	p.add("<tr><td style=\"padding-left:%srem\">%s</td><td class=\"n\">%s %s</td><td>%s</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
		fmt.Sprint(min(t.Depth, 8)), core.CleanLine(t.Label()), look.Glyph(), look.Word(), core.CleanLine(t.Agent), core.CleanLine(t.Model),
		state.Elapsed(time.Duration(t.ElapsedMS)*time.Millisecond), state.Tokens(t.TokensIn+t.TokensOut), cost)
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
