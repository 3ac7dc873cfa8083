package ui

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"drover/themes"
)

const (
	columnGap = " │ "
	ruleGap   = "─┼─"
	gapWidth  = 3
	minColumn = 6 // what a column may be narrowed to
)

// table draws a table fitted to the width, or where columns would become too
// narrow, each row as a list of "header: value".
func (w *mdWriter) table(n *east.Table) {
	var rows [][]Line
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Line
		style := Span{}
		if _, ok := row.(*east.TableHeader); ok {
			style = Span{Role: themes.Heading, Attr: Bold}
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, w.cell(cell, style))
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return
	}
	widths := fitColumns(rows, w.width)
	if widths == nil {
		w.tableList(rows)
		return
	}
	for i, row := range rows {
		w.tableRow(row, widths, n.Alignments)
		if i == 0 {
			w.tableRule(widths)
		}
	}
}

func (w *mdWriter) cell(n ast.Node, style Span) Line {
	in := inliner{src: w.src}
	in.walk(n, style)
	var l Line
	for _, part := range append(in.lines, in.cur) {
		l = append(l, part...)
	}
	return l
}

// fitColumns gives each column its natural width, or narrows the widest ones
// until the table fits. nil means it cannot fit.
func fitColumns(rows [][]Line, width int) []int {
	widths := make([]int, len(rows[0]))
	room := width - (len(widths)-1)*gapWidth
	if room < len(widths) {
		return nil
	}
	total := 0
	for _, row := range rows {
		for i, cell := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], min(lineWidth(cell), width), 1)
			}
		}
	}
	for _, n := range widths {
		total += n
	}
	for total > room {
		widest := 0
		for i, n := range widths {
			if n > widths[widest] {
				widest = i
			}
		}
		second := minColumn
		for i, n := range widths {
			if i != widest {
				second = max(second, min(n, widths[widest]-1))
			}
		}
		if widths[widest] <= minColumn {
			return nil
		}
		cut := min(widths[widest]-second, total-room)
		widths[widest] -= max(cut, 1)
		total -= max(cut, 1)
	}
	return widths
}

func (w *mdWriter) tableRow(row []Line, widths []int, align []east.Alignment) {
	cells, height := make([][]Line, len(widths)), 1
	for i := range widths {
		if i < len(row) {
			cells[i] = Wrap(row[i], widths[i])
			height = max(height, len(cells[i]))
		}
	}
	for y := range height {
		var l Line
		for i, width := range widths {
			if i > 0 {
				l = append(l, Span{Text: columnGap, Role: themes.Muted})
			}
			var part Line
			if y < len(cells[i]) {
				part = cells[i][y]
			}
			left, right := padding(width-lineWidth(part), i, align)
			if i == len(widths)-1 {
				right = 0
			}
			l = appendBlank(l, left)
			l = append(l, part...)
			l = appendBlank(l, right)
		}
		w.emit(l)
	}
}

func padding(free, column int, align []east.Alignment) (left, right int) {
	if column < len(align) {
		switch align[column] {
		case east.AlignRight:
			return free, 0
		case east.AlignCenter:
			return free / 2, free - free/2
		}
	}
	return 0, free
}

func appendBlank(l Line, n int) Line {
	for ; n > 0; n -= len(blanks) {
		l = append(l, Span{Text: blanks[:min(n, len(blanks))]})
	}
	return l
}

func (w *mdWriter) tableRule(widths []int) {
	var b strings.Builder
	for i, n := range widths {
		if i > 0 {
			b.WriteString(ruleGap)
		}
		b.WriteString(strings.Repeat("─", n))
	}
	w.emit(Line{{Text: b.String(), Role: themes.Muted}})
}

func (w *mdWriter) tableList(rows [][]Line) {
	head := rows[0]
	if len(rows) == 1 {
		for _, cell := range head {
			w.emit(Wrap(cell, w.width)...)
		}
	}
	for i, row := range rows[1:] {
		if i > 0 {
			w.gap()
		}
		for j, cell := range row {
			l := Line{}
			if j < len(head) && len(head[j]) > 0 {
				l = append(append(l, head[j]...), Span{Text: ": ", Role: themes.Muted})
			}
			w.emit(Wrap(append(l, cell...), w.width)...)
		}
	}
}
