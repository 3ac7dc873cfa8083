package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"drover/core"
	"drover/ui/state"
)

// chart reads a session's tasks and progress.
func (a *app) chart(ctx context.Context, c client, session string) (state.Chart, error) {
	tasks, err := c.Tree(ctx, session)
	if err != nil {
		return state.Chart{}, err
	}
	events, err := c.Events(ctx, core.EventFilter{Session: session, Kinds: state.ChartKinds()})
	if err != nil {
		return state.Chart{}, err
	}
	return state.NewChart(tasks, events, a.now()), nil
}

func (a *app) waterfall(ctx context.Context, c client, session string) error {
	ch, err := a.chart(ctx, c, session)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(each(ch.Bars, ofBar))
	}
	return a.print(a.chartText(&ch))
}

// chartText is the waterfall as plain text: glyphs alone tell the phases apart.
func (a *app) chartText(c *state.Chart) string {
	width := a.paint.width
	if width == 0 {
		width = 100
	}
	name := min(26, max(8, width/4))
	n := max(10, width-name-3)
	var b strings.Builder
	whole := max(c.Length(), time.Second)
	axis := ""
	for at := 0; at+8 <= n; at += 14 {
		axis = pad(axis, at) + "|" + state.Elapsed(whole*time.Duration(at)/time.Duration(n))
	}
	b.WriteString(strings.Repeat(" ", name+3) + axis + "\n")
	for i := range c.Bars {
		bar := &c.Bars[i]
		look := state.LookOf(&bar.Task)
		label := fit(strings.Repeat(" ", min(bar.Task.Depth, 4))+core.CleanLine(bar.Task.Label()), name-1)
		b.WriteString(a.paint.in(lookColor(look), look.Glyph()) + " " + pad(label, name))
		var line strings.Builder
		for _, cell := range c.Cells(bar, 0, whole, n) {
			g := cell.Phase.Glyph()
			if cell.Critical && a.paint.color {
				g = "\x1b[1;4m" + g + "\x1b[0m"
			}
			line.WriteString(g)
		}
		b.WriteString(" " + strings.TrimRight(line.String(), " ") + "\n")
	}
	b.WriteString("\ncritical path: " + criticalText(c) + "\n")
	for _, k := range c.Cuts() {
		fmt.Fprintf(&b, "left out, nobody worked: %s to %s\n", k.From.Local().Format("01-02 15:04:05"), k.To.Local().Format("01-02 15:04:05"))
	}
	var signs []string
	for _, p := range state.Phases() {
		signs = append(signs, p.Glyph()+" "+p.Word())
	}
	line := ""
	for _, s := range signs {
		if line != "" && uniseg.StringWidth(line)+uniseg.StringWidth(s)+2 > width {
			b.WriteString(line + "\n")
			line = ""
		}
		line += s + "  "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// criticalText names who the whole waited for, and how long.
func criticalText(c *state.Chart) string {
	var legs []string
	last, took := -1, time.Duration(0)
	flush := func() {
		if last >= 0 {
			legs = append(legs, core.CleanLine(c.Bars[last].Task.Label())+" "+took.Round(100*time.Millisecond).String())
		}
	}
	for _, l := range c.Path() {
		if l.Bar != last {
			flush()
			last, took = l.Bar, 0
		}
		took += l.Span.To.Sub(l.Span.From)
	}
	flush()
	if legs == nil {
		return "nothing has run yet"
	}
	return strings.Join(legs, " → ")
}

type barJSON struct {
	Task     string        `json:"task"`
	Name     string        `json:"name"`
	Segments []segmentJSON `json:"segments"`
	Critical []spanJSON    `json:"critical"`
}

type segmentJSON struct {
	Phase string     `json:"phase"`
	What  string     `json:"what"`
	From  *time.Time `json:"from"`
	To    *time.Time `json:"to"`
}

type spanJSON struct {
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
}

func ofBar(b state.Bar) barJSON {
	return barJSON{b.Task.ID, b.Task.Label(),
		each(b.Segments, func(s state.Segment) segmentJSON {
			return segmentJSON{s.Phase.Word(), s.What, when(s.From), when(s.To)}
		}),
		each(b.Critical, func(s state.Span) spanJSON { return spanJSON{when(s.From), when(s.To)} })}
}
