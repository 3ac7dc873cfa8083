package ui

import "drover/ui/state"

// Below this size the screen is one line that says how things are.
const (
	minWidth  = 20
	minHeight = 5
)

// wide is the width from which tree and transcript stand side by side.
const wide = 100

// rect is a part of the screen; one without height is not shown.
type rect struct{ x, y, w, h int }

// layout says where everything goes. Each part but the header has its title
// line above it, at y-1, or beside the tree's.
type layout struct {
	w, h     int
	tree     rect
	inbox    rect
	detail   rect // transcript or timeline
	queued   rect // messages that have not arrived
	card     rect // the tool call that waits for an answer
	composer rect
	split    int // column between tree and transcript; 0: they are stacked
	bottom   int // row of the lower border; 0: none
}

// wants is what the parts would like to have.
type wants struct {
	inbox, queued, card, composer int  // rows of content
	empty                         bool // there is no task: one pane says what to do
}

// arrange divides the screen. It is pure: the same state and size give the same layout.
func arrange(w, h int, vw *state.View, want wants) layout {
	l := layout{w: w, h: h}
	top, end := 1, h-1 // the header above, the footer below
	switch {
	case want.empty:
		l.tree = rect{0, top + 1, w, end - top - 1}
		if vw.Mode == state.Composing {
			l.composer = takeBottom(&l.tree, min(want.composer, max(1, h/3)))
		}
	case w >= wide && h >= 10 && !vw.Full:
		l.split = splitAt(w, false)
		l.bottom = end - 1
		l.tree = rect{1, top + 1, l.split - 1, end - top - 2}
		l.stackInbox(want.inbox)
		l.column(rect{l.split + 1, top + 1, w - l.split - 2, end - top - 2}, want)
	case vw.Full || h < 12 && vw.Pane == state.PaneDetail:
		l.column(rect{0, top + 1, w, end - top - 1}, want)
	case h < 12:
		l.tree = rect{0, top + 1, w, end - top - 1}
		if vw.Mode == state.Composing {
			l.composer = takeBottom(&l.tree, min(want.composer, 2))
		}
	default:
		rows := end - top - 1
		treeRows := max(4, rows*9/20)
		l.tree = rect{0, top + 1, w, treeRows}
		inbox := min(want.inbox, max(0, rows/6))
		if inbox > 0 {
			l.inbox = rect{0, l.tree.y + treeRows + 1, w, inbox}
			treeRows += inbox + 1
		}
		l.column(rect{0, top + treeRows + 2, w, rows - treeRows - 1}, want)
	}
	return l
}

// splitAt is the column between left and right: the transcript gets most, of the catalogue the list.
func splitAt(w int, agents bool) int {
	if agents {
		return w - min(max(w*2/5, 40), 84) - 4
	}
	return min(max(w*9/20, 40), 84)
}

// arrangeAgents divides the screen for the catalogue: the list is l.tree.
func arrangeAgents(w, h int, composing bool, rows int) layout {
	l := layout{w: w, h: h}
	top, end := 1, h-1
	if w >= wide && h >= 10 {
		l.split, l.bottom = splitAt(w, true), end-1
		l.tree = rect{1, top + 1, l.split - 1, end - top - 2}
		l.detail = rect{l.split + 1, top + 1, w - l.split - 2, end - top - 2}
		if composing {
			l.composer = takeBottom(&l.detail, min(max(1, rows), l.detail.h/2))
		}
		return l
	}
	l.tree = rect{0, top + 1, w, end - top - 1}
	if composing {
		l.composer = takeBottom(&l.tree, max(1, rows))
	}
	if l.tree.h >= 8 {
		l.detail = takeBottom(&l.tree, l.tree.h/2)
	}
	return l
}

// stackInbox takes room for the inbox from the foot of the tree.
func (l *layout) stackInbox(rows int) {
	l.inbox = takeBottom(&l.tree, min(rows, l.tree.h/3))
}

// column divides the right side, or the lower one: what is read above, what
// asks for an answer, what waits, and where one types.
func (l *layout) column(r rect, want wants) {
	if r.h >= 5 {
		l.composer = takeBottom(&r, min(want.composer, max(1, r.h/2)))
	} else {
		l.composer = takeBottom(&r, min(want.composer-1, 1))
	}
	l.card = takeBottom(&r, min(want.card, r.h*2/3))
	if r.h > 4 {
		l.queued = rect{r.x, r.y + r.h - min(want.queued, r.h/3), r.w, min(want.queued, r.h/3)}
		r.h -= l.queued.h
	}
	l.detail = r
}

// takeBottom cuts rows, and one for a title line, off the foot of r.
func takeBottom(r *rect, rows int) rect {
	if rows <= 0 || r.h < rows+2 {
		return rect{}
	}
	r.h -= rows + 1
	return rect{r.x, r.y + r.h + 1, r.w, rows}
}
