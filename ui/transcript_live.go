package ui

import "strings"

// live is the answer that is being written. Paragraphs that are finished are
// laid out once, so that a long answer costs no more a frame than its end.
type live struct {
	text   string
	item   item
	stable int    // bytes of text that are laid out for good
	lines  []Line // these
	width  int    // for this width
}

// minTail is what stays to be laid out anew with each piece.
const minTail = 2 << 10

func (l *live) set(text string) {
	if !strings.HasPrefix(text, l.text) {
		l.stable, l.lines = 0, nil
	}
	l.text = text
}

func (l *live) build(width int) []Line {
	if width != l.width {
		l.stable, l.lines, l.width = 0, nil, width
	}
	if cut := paragraphEnd(l.text[l.stable:]); cut > minTail {
		l.lines = append(append(l.lines, Markdown(l.text[l.stable:l.stable+cut], width)...), nil)
		l.stable += cut
	}
	tail, more := capText(l.text[l.stable:])
	return append(append(l.lines[:len(l.lines):len(l.lines)], Markdown(tail, width)...), more...)
}

// paragraphEnd is where the last paragraph begins, 0 if there is one only. It
// never cuts inside a fence, nor before what may belong to a list.
func paragraphEnd(text string) int {
	at, cut, fence, empty := 0, 0, false, false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			if !fence && empty {
				cut = at
			}
			fence = !fence
		} else if empty && !fence && trimmed != "" && line[0] != ' ' && line[0] != '\t' {
			cut = at
		}
		empty = trimmed == ""
		at += len(line)
	}
	return cut
}
