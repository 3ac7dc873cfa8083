package ui

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"drover/core"
	"drover/themes"
)

const (
	maxMarkdown  = 256 << 10 // longer texts are shown as they are
	maxTableWork = 100_000   // lines times columns: a table of one line may ask for millions of cells
	minContent   = 6         // columns that nesting leaves for text
)

// Both are safe for concurrent use and never change.
var (
	markdownParser = newMarkdownParser(true)
	tablelessOne   = newMarkdownParser(false)
)

// Markdown renders src (CommonMark with tables, strikethrough and task lists)
// as lines of at most width cells. It is safe for any text: HTML is shown as
// it is, code stays verbatim, links show their address, and neither depth nor
// size makes it slow. It never fails: what is no Markdown is text.
func Markdown(src string, width int) []Line {
	src = core.Clean(src)
	width = max(width, 1)
	if len(src) > maxMarkdown {
		return plainLines(src, width, Span{})
	}
	source := []byte(src)
	p := markdownParser
	if tableWork(source) > maxTableWork {
		p = tablelessOne
	}
	w := mdWriter{src: source, width: width}
	w.blocks(p.Parse(text.NewReader(source)), false)
	return w.out
}

// plainLines wraps text that has lines, keeping them.
func plainLines(src string, width int, span Span) []Line {
	var out []Line
	for line := range strings.SplitSeq(strings.TrimRight(src, "\n"), "\n") {
		span.Text = expandTabs(line)
		out = append(out, Wrap(Line{span}, width)...)
	}
	return out
}

// tableWork bounds how many cells a table in src could have.
func tableWork(src []byte) int {
	columns, lines := 0, 0
	for line := range bytes.Lines(src) {
		columns = max(columns, bytes.Count(line, []byte{'|'}))
		lines++
	}
	return columns * lines
}

// frame is what a container puts before its lines: a bullet, then blanks.
type frame struct {
	first, rest Span
	used        bool
}

type mdWriter struct {
	src    []byte
	width  int  // what the frames leave
	style  Span // of plain text here
	frames []frame
	out    []Line
}

// push opens a container; where it would leave too little room it has no prefix.
func (w *mdWriter) push(first, rest Span) (pop func()) {
	n := max(textWidth(first.Text), textWidth(rest.Text))
	if w.width-n < minContent {
		return func() {}
	}
	w.width -= n
	w.frames = append(w.frames, frame{first: first, rest: rest})
	return func() {
		w.width += n
		w.frames = w.frames[:len(w.frames)-1]
	}
}

func (w *mdWriter) emit(lines ...Line) {
	for _, l := range lines {
		if len(w.frames) > 0 {
			prefixed := make(Line, 0, len(w.frames)+len(l))
			for i := range w.frames {
				f := &w.frames[i]
				if f.used {
					prefixed = append(prefixed, f.rest)
				} else {
					prefixed = append(prefixed, f.first)
				}
				f.used = true
			}
			l = append(prefixed, l...)
		}
		w.out = append(w.out, l)
	}
}

// gap is the empty line between blocks; a frame that has not begun does not begin with one.
func (w *mdWriter) gap() {
	var l Line
	for i := range w.frames {
		if f := &w.frames[i]; f.used {
			l = append(l, f.rest)
		}
	}
	w.out = append(w.out, l)
}

func (w *mdWriter) blocks(parent ast.Node, tight bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && !tight {
			w.gap()
		}
		w.block(n)
	}
}

func (w *mdWriter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		attr := Bold
		if n.Level == 1 {
			attr |= Under
		}
		w.inline(n, Span{Role: themes.Heading, Attr: attr})
	case *ast.Paragraph, *ast.TextBlock:
		w.inline(n, w.style)
	case *ast.ThematicBreak:
		w.emit(Line{{Text: strings.Repeat("─", min(w.width, 40)), Role: themes.Muted}})
	case *ast.FencedCodeBlock:
		w.code(n, string(n.Language(w.src)))
	case *ast.CodeBlock:
		w.code(n, "")
	case *ast.HTMLBlock:
		w.html(n)
	case *ast.Blockquote:
		bar := Span{Text: "▎ ", Role: themes.Quote}
		pop, outer := w.push(bar, bar), w.style
		w.style = Span{Role: themes.Quote}
		w.blocks(n, false)
		w.style = outer
		pop()
	case *ast.List:
		w.list(n)
	case *east.Table:
		w.table(n)
	default:
		w.blocks(n, false)
	}
}

func (w *mdWriter) list(n *ast.List) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && !n.IsTight {
			w.gap()
		}
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(rune(n.Marker)) + " "
			number++
		}
		pop := w.push(Span{Text: mark, Role: themes.Muted}, Span{Text: blanks[:textWidth(mark)]})
		if !item.HasChildren() {
			w.emit(nil)
		}
		w.blocks(item, n.IsTight)
		pop()
	}
}

// inline emits the text of a block, one logical line for each hard break.
func (w *mdWriter) inline(n ast.Node, style Span) {
	in := inliner{src: w.src}
	in.walk(n, style)
	in.lines = append(in.lines, in.cur)
	for _, l := range in.lines {
		w.emit(Wrap(l, w.width)...)
	}
}

func (w *mdWriter) code(n ast.Node, lang string) {
	lines := n.Lines()
	if lines.Len() == 0 {
		w.emit(w.codeLine(Line{{Role: themes.CodeBlock, Attr: OnCode}}))
	}
	for i := range lines.Len() {
		seg := lines.At(i)
		line := strings.TrimRight(string(seg.Value(w.src)), "\n")
		span := Span{Role: themes.CodeBlock, Attr: OnCode}
		if lang == "diff" || lang == "patch" {
			switch {
			case strings.HasPrefix(line, "+"):
				span.Role = themes.DiffAdd
			case strings.HasPrefix(line, "-"):
				span.Role = themes.DiffDel
			case strings.HasPrefix(line, "@@"):
				span.Role = themes.Muted
			}
		}
		for _, l := range hardWrap(line, w.width, span) {
			w.emit(w.codeLine(l))
		}
	}
}

// codeLine carries the background of code to the end of the line.
func (w *mdWriter) codeLine(l Line) Line {
	if n := w.width - lineWidth(l); n > 0 {
		l = append(l, Span{Text: blanks[:min(n, len(blanks))], Role: themes.CodeBlock, Attr: OnCode})
	}
	return l
}

func (w *mdWriter) html(n *ast.HTMLBlock) {
	raw := string(n.Lines().Value(w.src))
	if n.HasClosure() {
		raw += string(n.ClosureLine.Value(w.src))
	}
	w.emit(plainLines(raw, w.width, Span{Role: themes.Muted})...)
}
