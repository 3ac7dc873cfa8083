package ui

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

var update = flag.Bool("update", false, "write the golden files anew")

// newSim is an initialised screen of that size, behind a Thin.
func newSim(t testing.TB, w, h int) (*Thin, tcell.SimulationScreen) {
	t.Helper()
	sim := tcell.NewSimulationScreen("UTF-8")
	thin := NewThin(sim)
	if err := thin.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(thin.Fini)
	sim.SetSize(w, h)
	thin.Clear()
	return thin, sim
}

// simCell is one cell as shown; wide clusters have width 2 and their second cell is left out.
type simCell struct {
	x, y, width int
	text        string
	style       tcell.Style
}

// simCells reads what a simulated screen shows, row by row.
func simCells(sim tcell.SimulationScreen) [][]simCell {
	cells, w, h := sim.GetContents()
	rows := make([][]simCell, h)
	for y := range h {
		for x := 0; x < w; {
			c := cells[y*w+x]
			text, width := string(c.Runes), 1
			if text == "" || text == "\x00" {
				text = " "
			}
			if uniseg.StringWidth(text) > 1 {
				width = uniseg.StringWidth(text)
			}
			rows[y] = append(rows[y], simCell{x, y, width, text, c.Style})
			x += width
		}
	}
	return rows
}

// screenText is what a simulated screen shows, as lines without trailing blanks.
func screenText(sim tcell.SimulationScreen) string {
	var b strings.Builder
	for _, row := range simCells(sim) {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// golden compares got with ui/testdata/PATH, or writes it under -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./ui -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./ui -update accepts it)\n--- got\n%s--- want\n%s", path, got, want)
	}
}

const (
	svgCellW, svgCellH = 8.4, 18.0
	svgFG, svgBG       = "#d6dbe4", "#14171d"
)

// screenSVG is what a simulated screen shows, as a picture: a run of text for
// cells of one style, on a rectangle of their background.
func screenSVG(sim tcell.SimulationScreen) string { return paintedSVG(sim, svgFG, svgBG) }

// paintedSVG is the same for a terminal with those colours.
func paintedSVG(sim tcell.SimulationScreen, fg, bg string) string {
	rows := simCells(sim)
	w := 0
	if len(rows) > 0 {
		for _, c := range rows[0] {
			w += c.width
		}
	}
	width, height := float64(w)*svgCellW+16, float64(len(rows))*svgCellH+16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", bg)
	for _, row := range rows {
		for i := 0; i < len(row); {
			j, text, cells := i, "", 0
			for j < len(row) && row[j].style == row[i].style && (row[j].width == 1 || j == i) && row[i].width <= row[j].width {
				text += row[j].text
				cells += row[j].width
				j++
			}
			svgRun(&b, row[i], text, cells, fg, bg)
			i = j
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func svgRun(b *strings.Builder, c simCell, text string, cells int, pageFG, pageBG string) {
	fgc, bgc, attrs := c.style.Decompose()
	fg, bg := svgColor(fgc, pageFG), svgColor(bgc, pageBG)
	if attrs&tcell.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	x, y := 8+float64(c.x)*svgCellW, 8+float64(c.y)*svgCellH
	if bg != pageBG {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, float64(cells)*svgCellW, svgCellH, bg)
	}
	text = svgLines(b, text, x, y, fg)
	if lead := len(text) - len(strings.TrimLeft(text, " ")); lead > 0 && lead < len(text) {
		text, x, cells = text[lead:], x+float64(lead)*svgCellW, cells-lead
	}
	if cut := strings.TrimRight(text, " "); cut != "" {
		text, cells = cut, cells-(len(text)-len(cut))
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	extra := ""
	if attrs&tcell.AttrBold != 0 {
		extra += ` font-weight="bold"`
	}
	if attrs&tcell.AttrItalic != 0 {
		extra += ` font-style="italic"`
	}
	if attrs&tcell.AttrDim != 0 {
		extra += ` opacity="0.7"`
	}
	switch {
	case attrs&tcell.AttrStrikeThrough != 0:
		extra += ` text-decoration="line-through"`
	case c.style.GetUnderlineStyle() != tcell.UnderlineStyleNone:
		extra += ` text-decoration="underline"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>`+"\n",
		x, y+svgCellH-4.5, float64(cells)*svgCellW, fg, extra, html.EscapeString(text))
}

// svgArms are the lines of a frame's character, from the middle of its cell: left, right, up, down.
var svgArms = map[rune][4]bool{
	'─': {true, true, false, false}, '│': {false, false, true, true},
	'┌': {false, true, false, true}, '┐': {true, false, false, true}, '└': {false, true, true, false}, '┘': {true, false, true, false},
	'├': {false, true, true, true}, '┤': {true, false, true, true}, '┬': {true, true, false, true}, '┴': {true, true, true, false}, '┼': {true, true, true, true},
}

// svgLines draws frames as lines, and returns the text with blanks instead: as
// letters they have gaps wherever a line is higher than the font.
func svgLines(b *strings.Builder, text string, x, y float64, color string) string {
	rs := []rune(text)
	var d strings.Builder
	for i := 0; i < len(rs); i++ {
		arms, ok := svgArms[rs[i]]
		if !ok {
			continue
		}
		cx, cy := x+(float64(i)+0.5)*svgCellW, y+svgCellH/2
		j := i
		for rs[i] == '─' && j+1 < len(rs) && rs[j+1] == '─' {
			j++
			rs[j] = ' '
		}
		if arms[0] || arms[1] {
			from, to := cx, cx+float64(j-i)*svgCellW
			if arms[0] {
				from -= svgCellW / 2
			}
			if arms[1] {
				to += svgCellW / 2
			}
			fmt.Fprintf(&d, "M%.1f %.1fH%.1f", from, cy, to)
		}
		if arms[2] || arms[3] {
			from, to := cy, cy
			if arms[2] {
				from -= svgCellH / 2
			}
			if arms[3] {
				to += svgCellH / 2
			}
			fmt.Fprintf(&d, "M%.1f %.1fV%.1f", cx, from, to)
		}
		rs[i] = ' '
		i = j
	}
	if d.Len() > 0 {
		fmt.Fprintf(b, `<path d="%s" stroke="%s"/>`+"\n", d.String(), color)
	}
	return string(rs)
}

func svgColor(c tcell.Color, otherwise string) string {
	if n := c.Hex(); n >= 0 {
		return fmt.Sprintf("#%06x", n)
	}
	return otherwise
}
