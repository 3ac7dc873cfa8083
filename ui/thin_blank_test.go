package ui

import (
	"slices"
	"testing"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"
)

// A rectangle that is blanked at once is one that is blanked cell by cell.
func TestThinBlank(t *testing.T) {
	one, _ := newCounted(t, 12, 4)
	two, _ := newCounted(t, 12, 4)
	styles := []tcell.Style{tcell.StyleDefault, tcell.StyleDefault.Background(tcell.ColorRed), tcell.StyleDefault.Foreground(tcell.ColorNone).Bold(true)}
	rapid.Check(t, func(rt *rapid.T) {
		one.Clear()
		two.Clear()
		for range rapid.IntRange(0, 20).Draw(rt, "texts") {
			x, y := rapid.IntRange(0, 11).Draw(rt, "x"), rapid.IntRange(0, 3).Draw(rt, "y")
			text, style := rapid.SampledFrom([]string{"a", "界", "e\u0301", "👍🏽"}).Draw(rt, "text"), rapid.SampledFrom(styles).Draw(rt, "style")
			one.Put(x, y, text, style)
			two.Put(x, y, text, style)
		}
		x, y := rapid.IntRange(-3, 13).Draw(rt, "left"), rapid.IntRange(-2, 5).Draw(rt, "top")
		w, h := rapid.IntRange(-1, 14).Draw(rt, "w"), rapid.IntRange(-1, 6).Draw(rt, "h")
		style := rapid.SampledFrom(styles).Draw(rt, "blank")
		one.Blank(x, y, w, h, style)
		for row := y; row < y+h; row++ {
			for col := x; col < x+w; col++ {
				two.SetContent(col, row, ' ', nil, style)
			}
		}
		if !slices.Equal(one.back, two.back) {
			rt.Fatalf("at once %v, cell by cell %v", one.back, two.back)
		}
	})
}
