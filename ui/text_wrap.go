package ui

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
)

// Attr is how a span differs from its role.
type Attr uint8

// The attributes of a span.
const (
	Bold   Attr = 1 << iota
	Italic      //
	Strike      //
	Under       //
	OnCode      // stands on the background of code blocks
)

// Span is text in one style. Link is where it leads, or "".
type Span struct {
	Text string
	Role themes.Role
	Attr Attr
	Link string
}

// Line is one line of spans, logical or as wrapped.
type Line []Span

// lineText is the line without styles.
func lineText(l Line) string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

func lineWidth(l Line) int {
	n := 0
	for _, s := range l {
		n += textWidth(s.Text)
	}
	return n
}

// drawLine draws a line on base, cut at width, and blanks what remains.
func drawLine(s tcell.Screen, x, y, width int, l Line, p *Palette, base tcell.Style) {
	n, cut := 0, lineWidth(l) > width
	room := width
	if cut {
		room--
	}
	for _, span := range l {
		n += put(s, x+n, y, room-n, plain(span.Text), spanStyle(span, p, base))
	}
	if cut && width > 0 {
		n += put(s, x+n, y, width-n, ellipsis, base)
	}
	fill(s, x+n, y, width-n, 1, base)
}

func spanStyle(span Span, p *Palette, base tcell.Style) tcell.Style {
	if span.Attr&OnCode != 0 {
		base = p.Style(themes.CodeBlock)
	}
	style := base
	switch {
	case span.Role == themes.Match:
		style = p.Style(span.Role)
	case span.Role != themes.Text && span.Attr&OnCode == 0 || span.Role != themes.CodeBlock && span.Attr&OnCode != 0:
		style = p.Over(base, span.Role)
	}
	if span.Attr&Bold != 0 {
		style = style.Bold(true)
	}
	if span.Attr&Italic != 0 {
		style = style.Italic(true)
	}
	if span.Attr&Strike != 0 {
		style = style.StrikeThrough(true)
	}
	if span.Attr&Under != 0 {
		style = style.Underline(true)
	}
	if safeLink(span.Link) {
		h := fnv.New32a()
		h.Write([]byte(span.Link))
		style = style.Url(span.Link).UrlId(strconv.FormatUint(uint64(h.Sum32()), 36))
	}
	return style
}

// safeLink reports whether a terminal may be given the link: a web or mail
// address in plain ASCII. tcell reads "$<9>" in an address as a pause, so
// angle brackets are out.
func safeLink(link string) bool {
	if len(link) > 1024 || !strings.HasPrefix(link, "https://") && !strings.HasPrefix(link, "http://") && !strings.HasPrefix(link, "mailto:") {
		return false
	}
	for i := range len(link) {
		if c := link[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' {
			return false
		}
	}
	return true
}

// Wrap breaks a logical line into lines of at most width cells: between words
// and beside wide characters, inside a word only where it is wider than a
// line. Blanks at a break are dropped. There is at least one line, and no
// line is wider than width; a width below 1 counts as 1.
func Wrap(l Line, width int) []Line {
	w := wrapper{src: make(Line, 0, len(l)), width: max(width, 1)}
	for _, s := range l {
		s.Text = plain(s.Text)
		w.src = append(w.src, s)
	}
	if len(w.src) == 1 && len(w.src[0].Text) <= w.width { // a cell takes at least a byte
		w.src[0].Text = strings.TrimRight(w.src[0].Text, " ")
		return []Line{w.src}
	}
	for i := range w.src {
		w.span(i)
	}
	w.commit()
	w.flush()
	return w.out
}

// seg is a piece of a span.
type seg struct{ span, from, to int }

type wrapper struct {
	src    Line
	width  int
	out    []Line
	cur    []seg // the line being filled
	curW   int
	blank  []seg // blanks after it
	blankW int
	word   []seg // the word after these
	wordW  int
	long   bool // the word goes on one that was wider than a line
}

func (w *wrapper) span(i int) {
	text := w.src[i].Text
	for at := 0; at < len(text); {
		if text[at] == ' ' {
			w.commit()
			w.long = false
			w.blank = extend(w.blank, i, at, at+1)
			w.blankW++
			at++
			continue
		}
		_, rest, cw := cluster(text[at:])
		next := len(text) - len(rest)
		w.word = extend(w.word, i, at, next)
		w.wordW += cw
		if over := w.wordW > w.width; over || cw == 2 {
			w.commit()
			w.long = over
		}
		at = next
	}
}

func extend(s []seg, span, from, to int) []seg {
	if n := len(s); n > 0 && s[n-1].span == span && s[n-1].to == from {
		s[n-1].to = to
		return s
	}
	return append(s, seg{span, from, to})
}

// commit puts blanks and word on the line, or the word on the next.
func (w *wrapper) commit() {
	if len(w.word) == 0 {
		return
	}
	long := w.long || w.wordW > w.width
	fits := w.curW+w.blankW+w.wordW <= w.width || long && w.curW+w.blankW < w.width
	if fits {
		w.cur = join(w.cur, w.blank)
		w.curW += w.blankW
	} else if w.curW > 0 {
		w.flush()
	}
	w.blank, w.blankW = w.blank[:0], 0
	if w.curW+w.wordW <= w.width {
		w.cur = join(w.cur, w.word)
		w.curW += w.wordW
	} else {
		w.split()
	}
	w.word, w.wordW = w.word[:0], 0
}

// split puts a word on the line that is too long for any, cluster by cluster.
func (w *wrapper) split() {
	for _, s := range w.word {
		text := w.src[s.span].Text
		for at := s.from; at < s.to; {
			_, rest, cw := cluster(text[at:s.to])
			next := s.to - len(rest)
			if w.curW+cw > w.width && len(w.cur) > 0 {
				w.flush()
			}
			if cw <= w.width {
				w.cur = extend(w.cur, s.span, at, next)
				w.curW += cw
			}
			at = next
		}
	}
}

func join(dst, src []seg) []seg {
	for _, s := range src {
		dst = extend(dst, s.span, s.from, s.to)
	}
	return dst
}

// flush ends the line.
func (w *wrapper) flush() {
	line := make(Line, 0, len(w.cur))
	for _, s := range w.cur {
		span := w.src[s.span]
		span.Text = span.Text[s.from:s.to]
		line = append(line, span)
	}
	w.out = append(w.out, line)
	w.cur, w.curW = w.cur[:0], 0
	w.blank, w.blankW = w.blank[:0], 0
}

// hardWrap breaks a line of code at the width alone; lines after the first
// begin with a mark where there is room for it.
func hardWrap(text string, width int, span Span) []Line {
	const mark = "↪ "
	width = max(width, 1)
	text = expandTabs(text)
	if len(text) <= width {
		span.Text = text
		return []Line{{span}}
	}
	var out []Line
	for first := true; text != "" || first; first = false {
		var l Line
		room := width
		if !first && width >= 12 {
			l = append(l, Span{Text: mark, Role: themes.Muted, Attr: span.Attr & OnCode})
			room -= 2
		}
		head, tail := splitWidth(text, room)
		if head == "" { // a wide character in a column
			_, tail, _ = cluster(text)
		}
		span.Text, text = head, tail
		out = append(out, append(l, span))
	}
	return out
}

// expandTabs is one line of text with its tabs as blanks, at stops of 4 cells.
func expandTabs(text string) string {
	if strings.IndexByte(text, '\t') < 0 {
		return plain(text)
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(core.Clean(text), "\t") {
		if i > 0 {
			n := 4 - col%4
			b.WriteString(blanks[:n])
			col += n
		}
		part = plain(part)
		b.WriteString(part)
		col += textWidth(part)
	}
	return b.String()
}

var blanks = strings.Repeat(" ", 512)
