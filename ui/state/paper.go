package state

import "slices"

// Paper is what the caller sets so that the cursor moves by the rows that are
// seen: how wide the composer is, and what stands before its first line.
type Paper struct {
	Width, Prefix int
	Split         func(text string, width int) (head, tail string) // after that many cells; nil: rows are lines
	Cells         func(text string) int                            // how wide it is
}

// rows are where each row that is seen begins.
func (p *Paper) rows(e *Editor) []int {
	var starts []int
	for at := 0; ; {
		end := at
		for end < len(e.Text) && e.Text[end] != '\n' {
			end++
		}
		width := p.Width
		if at == 0 {
			width -= p.Prefix
		}
		for rest := string(e.Text[at:end]); ; width = p.Width {
			starts = append(starts, at)
			head, tail := p.Split(rest, max(1, width))
			if head == "" || tail == "" {
				break
			}
			at += len([]rune(head))
			rest = tail
		}
		if end == len(e.Text) {
			return starts
		}
		at = end + 1
	}
}

// move goes that many rows up or down and keeps the column; false beyond the first or the last.
func (p *Paper) move(e *Editor, by int) bool {
	if p.Split == nil || p.Width < 2 {
		return e.line(by)
	}
	starts := p.rows(e)
	row, exact := slices.BinarySearch(starts, e.Pos)
	if !exact {
		row--
	}
	to := row + by
	if to < 0 || to >= len(starts) {
		return false
	}
	col := p.Cells(string(e.Text[starts[row]:e.Pos]))
	if row == 0 {
		col += p.Prefix
	}
	if to == 0 {
		col = max(0, col-p.Prefix)
	}
	end := len(e.Text)
	if to+1 < len(starts) {
		end = starts[to+1] - 1 // before the line feed, or the last character of the row
	}
	e.Pos = starts[to]
	for e.Pos < end && p.Cells(string(e.Text[starts[to]:e.right()])) <= col {
		e.Pos = min(e.right(), end)
	}
	return true
}
