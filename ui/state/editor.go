package state

import (
	"slices"
	"strings"
	"unicode"

	"drover/core"
)

// MaxDraft is the most a composer holds, in characters; longer texts belong in a file.
const MaxDraft = 200_000

// Editor is text being typed, with a cursor. The zero value is empty.
type Editor struct {
	Text []rune
	Pos  int      // 0 is before the first character
	was  []Editor // before the last changes that took more than a character away
}

// maxUndo is how many changes can be undone.
const maxUndo = 30

// remember keeps the text as it is, for undo.
func (e *Editor) remember() {
	if len(e.was) == maxUndo {
		e.was = e.was[1:]
	}
	e.was = append(e.was[:len(e.was):len(e.was)], Editor{Text: slices.Clone(e.Text), Pos: e.Pos})
}

// undo goes back to the text before the last such change; false where there is none.
func (e *Editor) undo() bool {
	if len(e.was) == 0 {
		return false
	}
	last := e.was[len(e.was)-1]
	e.Text, e.Pos, e.was = last.Text, last.Pos, e.was[:len(e.was)-1]
	return true
}

func (e *Editor) String() string { return string(e.Text) }

// Lines is how many lines there are, 1 at least.
func (e *Editor) Lines() int {
	n := 1
	for _, r := range e.Text {
		if r == '\n' {
			n++
		}
	}
	return n
}

// Blank reports whether there is nothing but white space.
func (e *Editor) Blank() bool { return strings.TrimSpace(string(e.Text)) == "" }

// Set replaces the text and puts the cursor at its end.
func (e *Editor) Set(s string) {
	e.Text = []rune(core.Clean(s))
	e.Pos = len(e.Text)
}

// Insert puts s, cleaned of all that is not text, at the cursor; false when it would not fit.
func (e *Editor) Insert(s string) bool {
	r := []rune(core.Clean(s))
	if len(e.Text)+len(r) > MaxDraft {
		return false
	}
	e.Text = slices.Insert(e.Text, e.Pos, r...)
	e.Pos += len(r)
	return true
}

// joins reports whether r belongs to the character before it.
func joins(r rune) bool { return unicode.Is(unicode.Mn, r) || r == 0x200d || r == 0xfe0f }

func (e *Editor) left() int {
	p := max(e.Pos-1, 0)
	for p > 0 && (joins(e.Text[p]) || e.Text[p-1] == 0x200d) {
		p--
	}
	return p
}

func (e *Editor) right() int {
	p := min(e.Pos+1, len(e.Text))
	for p < len(e.Text) && (joins(e.Text[p]) || e.Text[p-1] == 0x200d) {
		p++
	}
	return p
}

func (e *Editor) lineStart() int {
	p := e.Pos
	for p > 0 && e.Text[p-1] != '\n' {
		p--
	}
	return p
}

func (e *Editor) lineEnd() int {
	p := e.Pos
	for p < len(e.Text) && e.Text[p] != '\n' {
		p++
	}
	return p
}

func (e *Editor) wordLeft() int {
	p := e.Pos
	for p > 0 && unicode.IsSpace(e.Text[p-1]) {
		p--
	}
	for p > 0 && !unicode.IsSpace(e.Text[p-1]) {
		p--
	}
	return p
}

func (e *Editor) wordRight() int {
	p := e.Pos
	for p < len(e.Text) && unicode.IsSpace(e.Text[p]) {
		p++
	}
	for p < len(e.Text) && !unicode.IsSpace(e.Text[p]) {
		p++
	}
	return p
}

// cut removes what lies between the cursor and p.
func (e *Editor) cut(p int) {
	from, to := min(p, e.Pos), max(p, e.Pos)
	if to-from > 1 {
		e.remember()
	}
	e.Text = slices.Delete(e.Text, from, to)
	e.Pos = from
}

// line moves the cursor a line up (-1) or down (1); false at the first or last line.
func (e *Editor) line(by int) bool {
	start := e.lineStart()
	col := e.Pos - start
	if by < 0 {
		if start == 0 {
			return false
		}
		e.Pos = start - 1
		e.Pos = min(e.lineStart()+col, start-1)
		return true
	}
	end := e.lineEnd()
	if end == len(e.Text) {
		return false
	}
	e.Pos = end + 1
	e.Pos = min(end+1+col, e.lineEnd())
	return true
}
