package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/themes"
	"drover/ui/state"
)

// drawHints names keys and what they do on a line; a click there presses the key.
// A command without a key is left out.
func (v *view) drawHints(s tcell.Screen, r rect, label themes.Role, gap int, hints ...state.Hint) {
	x, end := r.x, r.x+r.w
	for _, h := range hints {
		if h.Key == "" || x >= end {
			continue
		}
		from := x
		x += drawText(s, x, r.y, end-x, h.Key, v.pal.Style(themes.Key))
		if h.Label != "" {
			x++
			x += drawText(s, x, r.y, end-x, h.Label, v.pal.Style(label))
		}
		v.zone(zone{rect: rect{from, r.y, min(x, end) - from, 1}, kind: onKey, hint: h})
		x += gap
	}
}
