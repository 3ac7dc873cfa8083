package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// drawHits lists what was found in all transcripts, two lines a place: whose
// it is and when, and the words in what stands around them.
func (v *view) drawHits(s tcell.Screen, w, h int) {
	f := &v.st.Hits
	in := v.box(s, rect{0, 1, w, max(1, h-2)}, f.Title())
	hits := f.Found.Hits
	if len(hits) == 0 {
		text := "Nothing found: all words must be there, each as the beginning of a word."
		if f.Waits {
			text = "Searching …"
		}
		drawText(s, in.x, in.y, in.w, text, v.pal.Style(themes.Muted))
		return
	}
	fit := max(1, in.h/2)
	top := max(0, min(f.At-fit/2, len(hits)-fit))
	for i := range min(fit, len(hits)-top) {
		r := rect{in.x, in.y + 2*i, in.w, min(2, in.h-2*i)}
		v.zone(zone{rect: r, kind: onHit, at: top + i})
		v.drawHit(s, r, &hits[top+i], top+i == f.At)
	}
}

func (v *view) drawHit(s tcell.Screen, r rect, h *core.Hit, at bool) {
	base := v.pal.Style(themes.Text)
	if at {
		base = v.pal.Style(themes.Selected)
	}
	fill(s, r.x, r.y, r.w, r.h, base)
	age := state.Ago(max(0, v.st.Now.Sub(h.At))) + " ago"
	n := textWidth(age)
	room := max(0, r.w-n-1)
	drawText(s, r.x+r.w-n, r.y, n, age, v.pal.Over(base, themes.Muted))
	name := h.Name
	if name == "" {
		name = h.Agent
	}
	x := r.x + drawText(s, r.x, r.y, room, name, v.pal.Over(base, themes.Heading))
	about := " · turn " + itoa(h.Turn) + " · " + state.Spoke(h)
	if ses, ok := v.st.Tree.SessionOf(h.Session); ok {
		about += " · " + core.CleanLine(ses.Title)
	}
	drawText(s, x, r.y, r.x+room-x, about, v.pal.Over(base, themes.Muted))
	if r.h < 2 {
		return
	}
	x, from := r.x+2, 0
	for _, m := range append(h.Marks, [2]int{len(h.Snippet), len(h.Snippet)}) {
		x += drawText(s, x, r.y+1, r.x+r.w-x, h.Snippet[from:m[0]], base)
		x += drawText(s, x, r.y+1, r.x+r.w-x, h.Snippet[m[0]:m[1]], v.pal.Over(base, themes.Match))
		from = m[1]
	}
}
