package ui

import (
	"strings"
	"time"

	"drover/core"
)

// seek is a place that is looked for in a transcript, of which a part has been read.
type seek struct {
	words string    // in lower case; what is marked
	at    time.Time // or a moment
	fails bool      // or an error
	from  int       // items from the end where the search began, so that earlier ones do not move it
	on    bool      // it goes on when earlier entries have come
}

// holds reports whether the item has the words, or failed.
func (it *item) holds(k *seek) bool {
	if k.fails {
		return it.result != nil && it.result.Failed || it.entry != nil && it.entry.Failed
	}
	for _, e := range []*core.Entry{it.entry, it.call, it.result, it.thought} {
		if e != nil && (contains(e.Text, k.words) || contains(e.Tool, k.words)) {
			return true
		}
	}
	return it.asked != nil && contains(string(it.asked.Args), k.words)
}

// contains is without regard to case, for ASCII without copying.
func contains(text, low string) bool {
	if len(low) == 0 || len(text) < len(low) {
		return false
	}
	first := low[0]
	if first >= 0x80 {
		return strings.Contains(strings.ToLower(text), low)
	}
	upper := first
	if first >= 'a' && first <= 'z' {
		upper -= 'a' - 'A'
	}
	for i := 0; i+len(low) <= len(text); i++ {
		if c := text[i]; (c == first || c == upper) && strings.EqualFold(text[i:i+len(low)], low) {
			return true
		}
	}
	return false
}

// begin is the item at which a search begins: that at the top, or the end when it is followed.
func (t *Transcript) begin() int {
	if t.view.follow {
		return len(t.items)
	}
	return min(t.view.top, len(t.items))
}

// Find goes to the next item, or the one before, that holds what is looked for.
// It reports whether there is one, and whether to ask again when earlier
// entries have been read.
func (t *Transcript) Find(k *seek, back bool) bool {
	from := len(t.items) - k.from
	if back {
		for i := min(from, len(t.items)) - 1; i >= 0; i-- {
			if t.items[i].holds(k) {
				t.goTo(i, k)
				return true
			}
		}
		return false
	}
	for i := max(0, from+1); i < len(t.items); i++ {
		if t.items[i].holds(k) {
			t.goTo(i, k)
			return true
		}
	}
	return false
}

// Wrap goes to the last item, or the first, that holds it.
func (t *Transcript) wrapRound(k *seek, back bool) bool {
	k.from = len(t.items) + 1
	if back {
		k.from = 0
	}
	return t.Find(k, back)
}

// goTo shows item i at the top, from the line with the words on.
func (t *Transcript) goTo(i int, k *seek) {
	t.view.follow, t.view.top, t.view.line = false, i, 0
	k.from = len(t.items) - i
	if t.view.w == 0 {
		return
	}
	line, shown := t.lineWith(i, k.words)
	if tool := t.items[i].asked != nil || t.items[i].result != nil; !shown && tool && !t.expanded && k.words != "" {
		t.Toggle() // the words are in what is folded
		line, _ = t.lineWith(i, k.words)
	}
	t.view.line = line
	t.pin()
}

// lineWith is the item's first line with the words, or its first; shown says which.
func (t *Transcript) lineWith(i int, words string) (line int, shown bool) {
	it := t.layout(t.items[i])
	for n, l := range it.lines {
		if words != "" && contains(lineText(l), words) {
			return n + it.lead(), true
		}
	}
	return it.lead(), false
}

// pin keeps a place near the end in sight instead of following from there.
func (t *Transcript) pin() {
	top, line := t.end()
	if t.view.top > top || t.view.top == top && t.view.line > line {
		t.view.top, t.view.line = top, max(0, line-1)
		if line == 0 && top > 0 {
			t.view.top = top - 1
			t.view.line = max(0, t.layout(t.at(top-1)).height-1)
		}
	}
}

// reaches reports whether what has been read goes back to that moment.
func (t *Transcript) reaches(at time.Time) bool {
	return len(t.items) > 0 && t.items[0].entry != nil && !t.items[0].entry.At.After(at)
}

// GoTime shows the first item of that moment or after.
func (t *Transcript) GoTime(at time.Time) {
	for i, it := range t.items {
		e := it.entry
		if it.result != nil {
			e = it.result
		}
		if e != nil && !e.At.Before(at.Add(-time.Millisecond)) {
			t.goTo(i, &seek{})
			return
		}
	}
	t.Bottom()
}
