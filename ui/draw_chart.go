package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// drawChart shows the session's tasks over time: a bar a task, the axis above,
// and below what the task under the cursor did, the critical path and the signs.
func (v *view) drawChart(s tcell.Screen, r rect) {
	if !v.st.Charted() {
		drawText(s, r.x, r.y, r.w, "reading …", v.pal.Style(themes.Muted))
		return
	}
	c := &v.st.Chart
	from, to := c.Window()
	name := min(max(8, r.w/4), 26)
	if r.w < 30 {
		name = r.w / 3
	}
	x, n := r.x+name+1, r.w-name-1
	if n < 4 || r.h < 2 {
		drawText(s, r.x, r.y, r.w, "too narrow for a waterfall", v.pal.Style(themes.Muted))
		return
	}
	v.drawAxis(s, x, r.y, n, from, to)
	foot := v.chartFoot(r.w)
	rows := r.h - 1
	if rows > 4 {
		foot = foot[:min(len(foot), (rows+1)/2)]
		rows -= len(foot)
	} else {
		foot = nil
	}
	at := c.Row()
	v.chartTop = max(0, min(v.chartTop, len(c.Chart.Bars)-rows))
	v.chartTop = min(max(v.chartTop, at-rows+1), at)
	for i := range rows {
		b := v.chartTop + i
		if b >= len(c.Chart.Bars) {
			break
		}
		v.drawBar(s, rect{r.x, r.y + 1 + i, r.w, 1}, name, &c.Chart.Bars[b], b == at, from, to)
	}
	for i, l := range foot {
		drawLine(s, r.x, r.y+r.h-len(foot)+i, r.w, l, v.pal, v.pal.Style(themes.Text))
	}
}

// drawAxis writes times along the top; they are times of working, cuts left out.
func (v *view) drawAxis(s tcell.Screen, x, y, n int, from, to time.Duration) {
	muted := v.pal.Style(themes.Muted)
	step := max(1, n/max(1, n/14))
	for at := 0; at+6 <= n; at += step {
		pos := from + time.Duration(float64(to-from)*float64(at)/float64(n))
		drawText(s, x+at, y, min(step-1, n-at), "|"+axisText(pos, to-from), muted)
	}
}

func axisText(d, span time.Duration) string {
	if span < 20*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return state.Elapsed(d)
}

func (v *view) drawBar(s tcell.Screen, r rect, name int, b *state.Bar, cursor bool, from, to time.Duration) {
	base := v.pal.Style(themes.Text)
	if cursor {
		base = v.pal.Style(themes.SelectedUnfocused)
		if v.st.View.Pane == state.PaneDetail {
			base = v.pal.Style(themes.Selected)
		}
	}
	look := state.LookOf(&b.Task)
	label := strings.Repeat(" ", min(b.Task.Depth, 4)) + core.CleanLine(b.Task.Label())
	fill(s, r.x, r.y, name+1, 1, base)
	drawText(s, r.x, r.y, 1, look.Glyph(), v.pal.Over(base, roleOf(look)))
	drawText(s, r.x+2, r.y, name-2, label, base)
	cells := v.st.Chart.Chart.Cells(b, from, to, r.w-name-1)
	last := -1
	for i, c := range cells {
		if c.Phase.Busy() {
			last = i
		}
	}
	for i, c := range cells {
		style, glyph := v.pal.Style(phaseRole(c.Phase)), c.Phase.Glyph()
		if c.Critical {
			style = style.Bold(true).Underline(true)
		}
		if i == last && b.Task.Status.Terminal() && c.Phase.Busy() && b.Task.Ended != nil && to >= v.st.Chart.Chart.Pos(*b.Task.Ended) {
			style, glyph = v.pal.Style(roleOf(look)), look.Glyph()
		}
		put(s, r.x+name+1+i, r.y, 1, glyph, style)
	}
}

// chartFoot tells of the task under the cursor, of the critical path and of the signs.
func (v *view) chartFoot(w int) []Line {
	c := &v.st.Chart
	if len(c.Chart.Bars) == 0 {
		return nil
	}
	b := &c.Chart.Bars[c.Row()]
	var out []Line
	out = append(out, Line{{Text: strings.Repeat("─", max(0, w)), Role: themes.Border}})
	l := Line{{Text: core.CleanLine(b.Task.Label()), Attr: Bold}}
	sum := b.Sum()
	for _, p := range state.Phases() {
		if d := sum[p]; d > 0 {
			l = append(l, Span{Text: "  " + p.Glyph() + " " + p.Word() + " " + tookText(d), Role: phaseRole(p)})
		}
	}
	out = append(out, Wrap(l, w)...)
	path := Line{{Text: "critical path ", Attr: Under | Bold}}
	for i, leg := range pathLegs(&c.Chart) {
		if i > 0 {
			path = append(path, Span{Text: " → ", Role: themes.Muted})
		}
		path = append(path, Span{Text: leg.name, Role: themes.Running}, Span{Text: " " + tookText(leg.took), Role: themes.Muted})
	}
	out = append(out, Wrap(path, w)...)
	for _, k := range c.Chart.Cuts() {
		out = append(out, Line{{Text: fmt.Sprintf("left out: nobody worked %s–%s", k.From.In(v.p.o.Zone).Format("15:04:05"), k.To.In(v.p.o.Zone).Format("15:04:05")), Role: themes.Muted}})
		if len(out) > 5 {
			break
		}
	}
	var signs Line
	for _, p := range state.Phases() {
		word := p.Glyph() + " " + p.Word()
		if lineWidth(signs)+textWidth(word) > w && len(signs) > 0 { // a sign stays with its word
			out, signs = append(out, signs), nil
		}
		signs = append(signs, Span{Text: p.Glyph(), Role: phaseRole(p)}, Span{Text: " " + p.Word() + "  ", Role: themes.Muted})
	}
	return append(out, signs)
}

type pathLeg struct {
	name string
	took time.Duration
}

// pathLegs are the parts of the critical path, those of one task after another joined.
func pathLegs(c *state.Chart) []pathLeg {
	var out []pathLeg
	last := -1
	for _, leg := range c.Path() {
		d := leg.Span.To.Sub(leg.Span.From)
		if leg.Bar == last {
			out[len(out)-1].took += d
			continue
		}
		last = leg.Bar
		out = append(out, pathLeg{core.CleanLine(c.Bars[leg.Bar].Task.Label()), d})
	}
	return out
}

func phaseRole(p state.Phase) themes.Role {
	switch p {
	case state.PhaseModel:
		return themes.Running
	case state.PhaseTool:
		return themes.Tool
	case state.PhaseChildren:
		return themes.Idle
	case state.PhaseApproval:
		return themes.NeedsYou
	case state.PhaseParked, state.PhaseQueued:
		return themes.Queued
	case state.PhaseHook, state.PhaseCompacting:
		return themes.Notice
	case state.PhaseInterrupted:
		return themes.Interrupted
	}
	return themes.Muted
}
