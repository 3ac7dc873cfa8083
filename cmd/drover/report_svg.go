package main

import (
	"fmt"
	"html"
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
	svgTop   = 30
	svgCells = 2 * svgBars // the finest that is drawn: it bounds the picture's size
)

// svgStyle suits light and dark; no two phases are told apart by colour alone: each bar says its phase, and tools, waits and parking are hatched.
const svgStyle = `<style>
svg{--fg:#1f2328;--mute:#6b7280;--line:#d0d7de;--bg:#fff;--model:#2f6fdb;--tool:#12855c;--children:#c6cdd6;--approval:#c2410c;--parked:#9457d6;--queued:#e2b33c;--hook:#0e7490;--idle:#eef1f4;--crit:#111}
@media (prefers-color-scheme:dark){svg{--fg:#d6dbe4;--mute:#8b93a1;--line:#2c333d;--bg:#14171d;--model:#5b9bff;--tool:#3fb68b;--children:#434c59;--approval:#ff8a4c;--parked:#b98af0;--queued:#d9b04a;--hook:#38b6cc;--idle:#1d222a;--crit:#fff}}
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--fg)}.m{fill:var(--mute)}.g{stroke:var(--line)}.bg{fill:var(--bg)}
.p1{fill:var(--model)}.p2{fill:var(--tool)}.p3{fill:var(--children)}.p4{fill:var(--approval)}.p5{fill:var(--parked)}.p6{fill:var(--queued)}.p7,.p8{fill:var(--hook)}.p9{fill:var(--mute)}.p10{fill:var(--idle)}.c{fill:var(--crit)}
</style>`

// svg is the waterfall as a picture that stands alone. Text in it is cleaned and escaped.
func (r *report) svg() string {
	c := &r.Chart
	whole := max(c.Length(), time.Second)
	signs := state.Phases()
	height := svgTop + svgRow*len(c.Bars) + 20 + 18*((len(signs)+4)/5)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="tasks over time">`+"\n%s\n", svgLabel+svgBars+20, height, svgStyle)
	b.WriteString(`<rect class="bg" width="100%" height="100%"/>` + "\n")
	for i := range 9 {
		x := svgLabel + svgBars*i/8
		fmt.Fprintf(&b, `<line class="g" x1="%d" y1="%d" x2="%d" y2="%d"/>`, x, svgTop-6, x, svgTop+svgRow*len(c.Bars))
		if i < 8 {
			fmt.Fprintf(&b, `<text class="m" x="%d" y="18">%s</text>`+"\n", x+3, state.Elapsed(whole*time.Duration(i)/8))
		}
	}
	for i := range c.Bars {
		r.svgBar(&b, &c.Bars[i], svgTop+svgRow*i, whole)
	}
	y := svgTop + svgRow*len(c.Bars) + 16
	for i, p := range signs {
		x := 10 + (i%5)*190
		fmt.Fprintf(&b, `<rect class="p%d" x="%d" y="%d" width="12" height="10"/><text class="m" x="%d" y="%d">%s</text>`+"\n", p, x, y+18*(i/5)-9, x+17, y+18*(i/5), html.EscapeString(p.Word()))
	}
	b.WriteString("</svg>\n")
	return b.String()
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
			fmt.Fprintf(b, `<rect class="p%d" x="%.1f" y="%d" width="%.1f" height="14"><title>%s</title></rect>`, p, x, y+3, w, html.EscapeString(tip))
			if cells[i].Critical {
				fmt.Fprintf(b, `<rect class="c" x="%.1f" y="%d" width="%.1f" height="2"/>`, x, y+18, w)
			}
			b.WriteByte('\n')
		}
		i = j
	}
}
