package ui

import "github.com/gdamore/tcell/v2"

// blanker is a screen that blanks a rectangle at once.
type blanker interface {
	Blank(x, y, w, h int, style tcell.Style)
}

// Blank blanks a rectangle: it does what SetContent of a blank for each of its
// cells does, but most cells of a screen are blank, and this is the quick way.
func (t *Thin) Blank(x, y, w, h int, style tcell.Style) {
	fg, bg, _ := style.Decompose()
	inherits := fg == tcell.ColorNone || bg == tcell.ColorNone
	right, bottom := min(x+w, t.w), min(y+h, t.h)
	x, y = max(0, x), max(0, y)
	if x >= right {
		return
	}
	blank := thinCell{str: asciiChars[:1], width: 1, style: style}
	for ; y < bottom; y++ {
		if inherits {
			for col := x; col < right; col++ {
				t.SetContent(col, y, ' ', nil, style)
			}
			continue
		}
		t.SetContent(x, y, ' ', nil, style) // the ends may cut a wide cluster in two
		t.SetContent(right-1, y, ' ', nil, style)
		row := t.back[y*t.w+x : y*t.w+right]
		for i := range row {
			row[i] = blank
		}
	}
}

// lone is the text and the width of a single character.
type lone struct {
	str   string
	width int
}

// maxLone bounds how many are remembered: frames and signs are few.
const maxLone = 500
