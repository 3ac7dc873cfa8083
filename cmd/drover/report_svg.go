package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"drover/core"
	"drover/ui/state"
)

// Sizes of the picture, in pixels.
const (
	svgLabel = 200
	svgBars  = 780
	svgRow   = 22
	svgHead  = 44 // title and facts, where it stands alone
	svgTop   = 30
	svgCells = 2 * svgBars // the finest that is drawn: it bounds the picture's size
	svgTicks = 8           // at most
)

// svgStyle suits light and dark. Colours are written out: not every program that
// shows pictures knows variables, and one that knows no media shows the light one.
const svgStyle = `<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}
text.h{font-size:15px;font-weight:bold}text.m{fill:#5f6772}.g{stroke:#d0d7de}.bg{fill:#fff}.c{fill:#111}.s{fill:#fff;fill-opacity:.45}.d{fill:#000;fill-opacity:.22}
.p1{fill:#2f6fdb}.p2{fill:#12855c}.p3{fill:#c6cdd6}.p4{fill:#c2410c}.p5{fill:#9457d6}.p6{fill:#e2b33c}.p7{fill:#0e7490}.p8{fill:#0e7490}.p9{fill:#6b7280}.p10{fill:#eef1f4}
@media (prefers-color-scheme:dark){text{fill:#d6dbe4}text.m{fill:#8b93a1}.g{stroke:#2c333d}.bg{fill:#14171d}.c{fill:#fff}.s{fill:#14171d}.d{fill:#fff}
.p1{fill:#5b9bff}.p2{fill:#3fb68b}.p3{fill:#434c59}.p4{fill:#ff8a4c}.p5{fill:#b98af0}.p6{fill:#d9b04a}.p7{fill:#38b6cc}.p8{fill:#38b6cc}.p9{fill:#8b93a1}.p10{fill:#1d222a}}
</style>`

// svgHatch are the phases with stripes, and how these lie: colour alone tells no two apart.
var svgHatch = map[state.Phase]string{
	state.PhaseTool:       `patternTransform="rotate(45)"><rect class="p2" width="6" height="6"/><rect class="s" width="2" height="6"/>`,
	state.PhaseChildren:   `patternTransform="rotate(-45)"><rect class="p3" width="6" height="6"/><rect class="d" width="1.5" height="6"/>`,
	state.PhaseParked:     `><rect class="p5" width="6" height="6"/><rect class="s" width="3" height="6"/>`,
	state.PhaseCompacting: `><rect class="p8" width="6" height="6"/><rect class="s" width="6" height="3"/>`,
	state.PhaseQueued:     `><rect class="p6" width="6" height="6"/><rect class="d" x="2" y="2" width="2" height="2"/>`,
}

// svgFill paints a rectangle in a phase.
func svgFill(p state.Phase) string {
	if svgHatch[p] != "" {
		return fmt.Sprintf(`fill="url(#h%d)"`, p)
	}
	return fmt.Sprintf(`class="p%d"`, p)
}

// svg is the waterfall as a picture, with title and facts where it is to stand alone.
// Text in it is cleaned and escaped.
func (r *report) svg(alone bool) string {
	c := &r.Chart
	whole := max(c.Length(), time.Second)
	top := svgTop
	if alone {
		top += svgHead
	}
	signs := r.phases(whole)
	end := top + svgRow*len(c.Bars)
	height := end + 20 + 18*((len(signs)+4)/5)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="tasks over time">`+"\n%s\n<defs>", svgLabel+svgBars+20, height, svgStyle)
	for _, p := range state.Phases() {
		if h := svgHatch[p]; h != "" {
			fmt.Fprintf(&b, `<pattern id="h%d" width="6" height="6" patternUnits="userSpaceOnUse" %s</pattern>`, p, h)
		}
	}
	b.WriteString("</defs>\n" + `<rect class="bg" width="100%" height="100%"/>` + "\n")
	if alone {
		title, facts := r.facts()
		fmt.Fprintf(&b, `<text class="h" x="6" y="22">%s</text><text class="m" x="6" y="42">%s</text>`+"\n", html.EscapeString(core.Short(title, 100)), html.EscapeString(facts))
	}
	step := tickStep(whole)
	for at := time.Duration(0); at <= whole; at += step {
		x := svgLabel + float64(svgBars)*float64(at)/float64(whole)
		fmt.Fprintf(&b, `<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, top-6, x, end)
		if x < svgLabel+svgBars-36 {
			fmt.Fprintf(&b, `<text class="m" x="%.1f" y="%d">%s</text>`, x+3, top-12, tickText(at, step))
		}
		b.WriteByte('\n')
	}
	for i := range c.Bars {
		r.svgBar(&b, &c.Bars[i], top+svgRow*i, whole)
	}
	for i, p := range signs {
		x, y := 10+(i%5)*190, end+16+18*(i/5)
		fmt.Fprintf(&b, `<rect %s x="%d" y="%d" width="12" height="10"/><text class="m" x="%d" y="%d">%s</text>`+"\n", svgFill(p), x, y-9, x+17, y, html.EscapeString(p.Word()))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// phases are those that are seen in the picture, as the legend has them.
func (r *report) phases(whole time.Duration) []state.Phase {
	seen := map[state.Phase]bool{}
	for i := range r.Chart.Bars {
		for _, cell := range r.Chart.Cells(&r.Chart.Bars[i], 0, whole, svgCells) {
			seen[cell.Phase] = true
		}
	}
	return slices.DeleteFunc(state.Phases(), func(p state.Phase) bool { return !seen[p] })
}

// tickStep is a round time, so that there are at most svgTicks of it.
func tickStep(whole time.Duration) time.Duration {
	const day = 24 * time.Hour
	for _, s := range []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, day} {
		if whole <= svgTicks*s {
			return s
		}
	}
	return day * (whole/(svgTicks*day) + 1)
}

func tickText(at, step time.Duration) string {
	if step < time.Second {
		return fmt.Sprintf("%.1fs", at.Seconds())
	}
	return state.Elapsed(at)
}

func (r *report) svgBar(b *strings.Builder, bar *state.Bar, y int, whole time.Duration) {
	look := state.LookOf(&bar.Task)
	label := look.Glyph() + " " + strings.Repeat("  ", min(bar.Task.Depth, 6)) + core.CleanLine(bar.Task.Label())
	fmt.Fprintf(b, `<text x="6" y="%d" xml:space="preserve">%s</text>`+"\n", y+14, html.EscapeString(core.Short(label, 26)))
	cells := r.Chart.Cells(bar, 0, whole, svgCells)
	for i := 0; i < len(cells); {
		j := i
		for j < len(cells) && cells[j] == cells[i] {
			j++
		}
		if p := cells[i].Phase; p != state.PhaseNone {
			x, w := svgLabel+float64(i)/2, float64(j-i)/2
			from := whole * time.Duration(i) / svgCells
			took := whole * time.Duration(j-i) / svgCells
			what := ""
			if s := bar.At(r.Chart.Time(from + took/2)); s != nil && s.Phase == p && s.What != "" {
				what = " " + core.CleanLine(s.What)
			}
			tip := fmt.Sprintf("%s: %s%s, %s from %s", core.CleanLine(bar.Task.Label()), p.Word(), what, took.Round(100*time.Millisecond), state.Elapsed(from))
			fmt.Fprintf(b, `<rect %s x="%.1f" y="%d" width="%.1f" height="14"><title>%s</title></rect>`, svgFill(p), x, y+3, w, html.EscapeString(tip))
			if cells[i].Critical {
				fmt.Fprintf(b, `<rect class="c" x="%.1f" y="%d" width="%.1f" height="2"/>`, x, y+18, w)
			}
			b.WriteByte('\n')
		}
		i = j
	}
}
