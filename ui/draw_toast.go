package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
	"drover/ui/state"
)

// toastRows is how many rows the last thing to say may take.
const toastRows = 3

// drawLongToast shows what is too long for the footer whole, over the rows above:
// the end of a refusal is often the way out. What is being typed is never covered.
func (v *view) drawLongToast(s tcell.Screen, w, h int) {
	t := v.st.Toast
	if t.Text == "" || h < 10 || v.st.View.Mode != state.Normal || textWidth(t.Text) < w {
		return
	}
	role := themes.Notice
	if t.Bad {
		role = themes.Warning
	}
	lines := wrapLine(t.Text, w-2)
	if len(lines) > toastRows {
		lines = append(lines[:toastRows-1], strings.Join(lines[toastRows-1:], " "))
	}
	for i, line := range lines {
		drawFill(s, 0, h-len(lines)+i, w, " "+line, v.pal.Style(role))
	}
}
