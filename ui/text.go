package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"drover/core"
)

const (
	ellipsis        = "…"
	maxClusterRunes = 12 // the longest joined emoji has 10; what is longer is an attack on the terminal
	maxClusterBytes = 48
)

// drawText writes text from (x, y) on, at most width cells, and returns how
// many it took. It is safe for any text: no tags are read, controls and
// invisible characters are dropped (core.Clean), line breaks and tabs are
// blanks, clusters are never split, and what does not fit ends in "…".
// It is the only way text reaches a cell.
func drawText(s tcell.Screen, x, y, width int, text string, style tcell.Style) int {
	if width <= 0 {
		return 0
	}
	text = plain(text)
	if len(text) > width && textWidthOver(text, width) {
		n := put(s, x, y, width-1, text, style)
		return n + put(s, x+n, y, width-n, ellipsis, style)
	}
	return put(s, x, y, width, text, style)
}

// drawFill is drawText, and blanks in the style up to width.
func drawFill(s tcell.Screen, x, y, width int, text string, style tcell.Style) {
	n := drawText(s, x, y, width, text, style)
	fill(s, x+n, y, width-n, 1, style)
}

// fill blanks a rectangle.
func fill(s tcell.Screen, x, y, w, h int, style tcell.Style) {
	if thin, ok := s.(blanker); ok {
		thin.Blank(x, y, w, h, style)
		return
	}
	for row := y; row < y+h; row++ {
		for col := x; col < x+w; col++ {
			s.SetContent(col, row, ' ', nil, style)
		}
	}
}

// put writes the clusters of clean text that fit into width whole.
func put(s tcell.Screen, x, y, width int, text string, style tcell.Style) int {
	n := 0
	for text != "" {
		c, rest, w := cluster(text)
		text = rest
		if n+w > width {
			break
		}
		switch {
		case w == 0:
			continue
		case len(c) == 1:
			s.SetContent(x+n, y, rune(c[0]), nil, style)
		default:
			s.Put(x+n, y, c, style)
		}
		n += w
	}
	return n
}

// plain is text as one line of printable characters.
func plain(text string) string {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x7f {
			text = core.Clean(text)
			if strings.ContainsAny(text, "\n\t") {
				text = strings.Map(blank, text)
			}
			return text
		}
	}
	return text
}

func blank(r rune) rune {
	if r == '\n' || r == '\t' {
		return ' '
	}
	return r
}

// cluster is the first grapheme cluster of clean text: what one cell, or two,
// can hold. Clusters without a width of their own come with width 0 and are
// not drawn. Wider ones than two cells (dashes that no terminal draws so
// wide) become "—"; clusters heaped with marks are cut.
func cluster(text string) (c, rest string, width int) {
	if ascii(text[0]) && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1], text[1:], 1
	}
	c, rest, width, _ = uniseg.FirstGraphemeClusterInString(text, -1)
	if r, _ := utf8.DecodeRuneInString(c); joins(r) { // nothing to join to
		return c, rest, 0
	}
	if width > 2 {
		return "—", rest, 1
	}
	if len(c) > maxClusterBytes || utf8.RuneCountInString(c) > maxClusterRunes {
		c = cutRunes(c)
		width = min(uniseg.StringWidth(c), 2)
	}
	return c, rest, width
}

func ascii(b byte) bool { return b >= ' ' && b < 0x7f }

func joins(r rune) bool { return r == 0x200d || r == 0xfe0f }

func cutRunes(c string) string {
	runes := 0
	for i, r := range c {
		if runes == maxClusterRunes || i+utf8.RuneLen(r) > maxClusterBytes {
			return strings.TrimRight(c[:i], "\u200d")
		}
		runes++
	}
	return c
}

// textWidth is the number of cells drawText takes for text, given room.
func textWidth(text string) int {
	text = plain(text)
	n := 0
	for text != "" {
		_, rest, w := cluster(text)
		n += w
		text = rest
	}
	return n
}

// textWidthOver reports whether clean text is wider than width, reading no further than that.
func textWidthOver(text string, width int) bool {
	n := 0
	for text != "" && n <= width {
		_, rest, w := cluster(text)
		n += w
		text = rest
	}
	return n > width
}

// truncate cuts text to width cells, the last one "…" where something is
// missing, and returns it clean.
func truncate(text string, width int) string {
	text = plain(text)
	if len(text) <= width || !textWidthOver(text, width) {
		return text
	}
	if width <= 0 {
		return ""
	}
	head, _ := splitWidth(text, width-1)
	return head + ellipsis
}

// padRight is truncate, and blanks up to width.
func padRight(text string, width int) string {
	text = truncate(text, width)
	return text + strings.Repeat(" ", max(0, width-textWidth(text)))
}

// splitWidth splits clean text after the clusters that fit into width cells.
func splitWidth(text string, width int) (head, tail string) {
	n, at := 0, 0
	for at < len(text) {
		_, rest, w := cluster(text[at:])
		if n+w > width {
			break
		}
		n += w
		at = len(text) - len(rest)
	}
	return text[:at], text[at:]
}

// wrapLine breaks text into lines of at most width cells, between words where
// it can. Blanks at a break are dropped; a text without any line break has at
// least one line. A cluster wider than width is left out.
func wrapLine(text string, width int) []string {
	var out []string
	for _, l := range Wrap(Line{{Text: text}}, width) {
		out = append(out, lineText(l))
	}
	return out
}
