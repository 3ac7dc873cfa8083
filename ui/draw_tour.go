package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

// tourRows is how many rows above the footer the tour has for itself: it must
// never cover what it asks for. They are as many in each step, so that nothing jumps.
func (v *view) tourRows(w, h int) int {
	if _, _, of := v.st.TourHint(); of == 0 || h < 8 {
		return 0
	}
	if w >= wide || h < 14 {
		return 1
	}
	return 2
}

// drawTour says what to do next, in the rows above the footer.
func (v *view) drawTour(s tcell.Screen, w, h, rows int) {
	text, step, of := v.st.TourHint()
	if rows == 0 || text == "" {
		return
	}
	base := v.pal.Style(themes.SelectedUnfocused)
	y := h - 1 - rows
	fill(s, 0, y, w, rows, base)
	x := 1 + drawText(s, 1, y, w-2, "tour "+itoa(step)+" of "+itoa(of)+"  ", v.pal.Over(base, themes.Key))
	end := " :tour end"
	for i, line := range wrapLine(text, max(8, w-x-1-len(end))) {
		if i < rows {
			drawText(s, x, y+i, w-x, line, base)
		}
	}
	if w >= 40 {
		drawText(s, w-1-len(end), h-2, len(end), end, v.pal.Over(base, themes.Muted))
	}
}
