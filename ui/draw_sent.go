package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// drawSent lists messages that have arrived, with whether they have been read,
// above those that wait, and returns what is left of the rectangle.
func (v *view) drawSent(s tcell.Screen, r rect, sent []state.Sent) rect {
	for i := range sent {
		m := &sent[i]
		style, where := v.pal.Style(themes.Queued), m.Standing()
		glyph := "> "
		if !m.Read.IsZero() {
			style, glyph = v.pal.Style(themes.Completed), "✓ "
		}
		wide := min(textWidth(where), r.w*2/3)
		x := r.x + 1 + drawText(s, r.x+1, r.y, r.w-2, glyph, style)
		drawText(s, x, r.y, r.w-wide-5-(x-r.x-1), core.CleanLine(core.Short(m.Text, 400)), v.pal.Style(themes.User))
		drawText(s, r.x+r.w-1-wide, r.y, wide, where, style)
		r.y, r.h = r.y+1, r.h-1
	}
	return r
}
