package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

// roles names the styles of a palette; of roles that look alike the first one's name.
func roles(p *Palette) map[tcell.Style]string {
	out := map[tcell.Style]string{}
	add := func(s tcell.Style, name string) {
		if _, ok := out[bare(s)]; !ok {
			out[bare(s)] = name
		}
	}
	for r := range themes.Count {
		add(p.Style(themes.Role(r)), themes.Role(r).String())
	}
	for b := range themes.Count {
		for r := range themes.Count {
			base, name := p.Style(themes.Role(b)), themes.Role(b).String()
			add(p.Over(base, themes.Role(r)), themes.Role(r).String()+" on "+name)
			add(p.Over(base, themes.Role(r)).Bold(true), themes.Role(r).String()+" bold on "+name)
		}
	}
	return out
}

// dump is a screen with the roles of its cells: under each row that has any but
// plain text, the columns from which each holds.
func dump(p *Palette, sim tcell.SimulationScreen) string {
	names := roles(p)
	var b strings.Builder
	for _, row := range simCells(sim) {
		var line strings.Builder
		var runs []string
		last := ""
		for _, c := range row {
			line.WriteString(c.text)
			name, ok := names[bare(c.style)]
			if !ok {
				f, bg, a := c.style.Decompose()
				name = fmt.Sprintf("%v/%v/%b", f, bg, a)
			}
			if name != last {
				runs = append(runs, fmt.Sprintf("%d %s", c.x, name))
				last = name
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if len(runs) != 1 || runs[0] != "0 text" {
			b.WriteString("    · " + strings.Join(runs, ", ") + "\n")
		}
	}
	return b.String()
}

// styled are the scenes whose colours are kept: one of each pane.
var styled = []string{"tree-marks", "approval", "composer", "confirm", "timeline", "completions", "help", "filter", "agents-problem", "inbox", "review", "slash-args", "waterfall", "turns", "files", "definition", "diffs", "found",
	"palette", "palette-not-now", "mouse", "tour", "hits", "agents", "turns-queued", "task-timeline", "timeline-kind", "waterfall-zoom", "inbox-second", "inbox-empty", "review-blocked", "review-all", "review-message"}

// Each pane's colours, in both themes and without any, at one size: the text of
// the cells is the same in all of them.
func TestStyles(t *testing.T) {
	for _, s := range slices.Concat(scenes, asScenes()) {
		if !slices.Contains(styled, s.name) {
			continue
		}
		for _, look := range []string{"dark", "light", "none"} {
			t.Run(s.name+"-"+look, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					s.setup(f)
					d := drive(t, f, 80, 24, func(o *Options) {
						if o.NoColor = look == "none"; !o.NoColor {
							o.Theme = theme(t, look)
						}
						o.Screen = vivid{o.Screen.(sized)}
					})
					d.wait(2 * time.Second)
					for part := range strings.SplitSeq(s.keys, "|") {
						d.keys(part)
					}
					text, got := d.text(), dump(d.p.view.pal, d.sim)
					d.quit()
					golden(t, fmt.Sprintf("screen/%s-80x24.txt", s.name), text)
					golden(t, fmt.Sprintf("styles/%s-%s.txt", s.name, look), got)
				})
			})
		}
	}
}

// asScenes are the scenes of the pages.
func asScenes() []scene {
	var out []scene
	for _, p := range pageScenes {
		out = append(out, scene(p))
	}
	return out
}
