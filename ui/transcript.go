package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
)

// Transcript shows what one task has been told, has done and has answered.
// It lays out what is visible and keeps that, a cache an entry and width, so
// neither the length of the transcript nor news of it makes a frame slow.
// Until a person scrolls up it follows the end; the place is kept by entry and
// line, so that a new width or earlier entries do not move it.
// It belongs to the UI goroutine: no locks, no I/O.
type Transcript struct {
	task     string
	items    []*item
	calls    map[callKey]*item // where a result belongs
	open     []*item           // calls without a result yet
	live     live
	pending  []*item
	names    func(id string) string
	expanded bool
	halted   string // why calls without a result are not running, "" while they are
	view     viewport
	cached   int // items that hold lines
	last     string
	found    string // words that are marked, in lower case
}

// callKey finds the call of a result; some providers count calls anew in each step.
type callKey struct {
	turn, step int
	id         string
}

// viewport is the place in the transcript.
type viewport struct {
	w, h   int  // as drawn last
	follow bool // the end stays in sight
	top    int  // else: the item at the top,
	line   int  // and its line there
	below  int  // entries that came since
}

const (
	maxCached  = 2048 // items whose lines are kept
	nearCached = 256  // of them, around what is visible
)

// Reset empties it for a task.
func (t *Transcript) Reset(task string) {
	*t = Transcript{task: task, calls: map[callKey]*item{}, names: t.names, expanded: t.expanded}
	t.view.follow = true
}

// Task is the task it shows.
func (t *Transcript) Task() string { return t.task }

// SetNames tells how to find a task's name by its ID, "" where it has none.
func (t *Transcript) SetNames(names func(id string) string) { t.names = names }

// Len is the number of entries it shows.
func (t *Transcript) Len() int { return len(t.items) }

// Append adds new entries at the end. They must not be changed afterwards.
func (t *Transcript) Append(entries []core.Entry) {
	if t.calls == nil {
		t.Reset(t.task)
	}
	for i := range entries {
		e := &entries[i]
		if e.Kind == core.EntryAnswer {
			t.closeBefore(e.Turn, e.Step)
			if strings.TrimSpace(e.Text) != "" {
				t.last = e.Text
			}
		}
		for _, it := range t.take(e) {
			it.gap = len(t.items) > 0 && it.gapAfter(t.items[len(t.items)-1])
			t.items = append(t.items, it)
			if !t.view.follow {
				t.view.below++
			}
		}
	}
}

// Prepend adds earlier entries at the start; what is visible stays where it is.
func (t *Transcript) Prepend(entries []core.Entry) {
	if len(t.items) == 0 {
		t.Append(entries)
		return
	}
	var items []*item
	for i := range entries {
		e := &entries[i]
		for _, it := range t.take(e) {
			it.gap = len(items) > 0 && it.gapAfter(items[len(items)-1])
			items = append(items, it)
		}
	}
	if len(items) == 0 {
		return
	}
	first := t.items[0]
	if gap := first.gapAfter(items[len(items)-1]); gap != first.gap {
		first.gap = gap
		t.drop(first)
		if t.view.top == 0 && t.view.line > 0 {
			t.view.line++
		}
	}
	t.items = append(items, t.items...)
	t.view.top += len(items)
	last := t.items[len(t.items)-1].entry
	t.closeBefore(last.Turn, last.Step)
	for i := len(entries) - 1; i >= 0 && t.last == ""; i-- {
		if e := &entries[i]; e.Kind == core.EntryAnswer && strings.TrimSpace(e.Text) != "" {
			t.last = e.Text
		}
	}
}

// take turns an entry into what is shown of it. A call is shown from the
// answer that asks for it on; its beginning and its result complete it.
func (t *Transcript) take(e *core.Entry) []*item {
	switch e.Kind {
	case core.EntryCall, core.EntryResult:
		it, items := t.callOf(e, e.CallID)
		if e.Kind == core.EntryCall {
			it.call = e
		} else {
			it.result = e
		}
		return items
	case core.EntryAnswer:
		var items []*item
		silent := strings.TrimSpace(e.Text) == "" && !e.Failed
		thought := strings.TrimSpace(e.Reasoning) != ""
		if !silent || thought && len(e.Calls) == 0 {
			items = append(items, &item{entry: e})
		}
		for i := range e.Calls {
			it, fresh := t.callOf(e, e.Calls[i].ID)
			it.asked = &e.Calls[i]
			if i == 0 && silent && thought {
				it.thought = e
			}
			items = append(items, fresh...)
		}
		return items
	}
	return []*item{{entry: e}}
}

// callOf finds the call an entry is about, or makes it, to be shown.
func (t *Transcript) callOf(e *core.Entry, id string) (it *item, fresh []*item) {
	key := callKey{e.Turn, e.Step, id}
	if it = t.calls[key]; it != nil {
		t.drop(it)
		return it, nil
	}
	it = &item{entry: e}
	t.calls[key] = it
	t.open = append(t.open, it)
	return it, []*item{it}
}

// closeBefore marks calls of other steps than the current: no result of theirs will come.
func (t *Transcript) closeBefore(turn, step int) {
	kept := t.open[:0]
	for _, it := range t.open {
		switch {
		case it.result != nil:
		case it.entry.Turn != turn || it.entry.Step != step:
			it.closed = true
			t.drop(it)
		default:
			kept = append(kept, it)
		}
	}
	clear(t.open[len(kept):])
	t.open = kept
}

// SetHalted says that nothing of the task runs any more, and why: calls without a
// result then say so instead of running for ever; "" says that it works.
func (t *Transcript) SetHalted(why string) {
	if t.halted == why {
		return
	}
	t.halted = why
	for _, it := range t.open {
		t.drop(it)
	}
}

// SetLive sets what has arrived of the answer that is being written, "" for none.
func (t *Transcript) SetLive(text string) {
	if text == t.live.text {
		return
	}
	t.drop(&t.live.item)
	t.live.set(text)
	t.live.item.gap = len(t.items) > 0
}

// SetPending sets messages that are not delivered yet; they show at the end.
func (t *Transcript) SetPending(requests []core.Request) {
	for _, it := range t.pending {
		t.drop(it)
	}
	t.pending = nil
	for i := range requests {
		if r := &requests[i]; r.Kind == core.ReqMessage && r.State == core.ReqQueued {
			t.pending = append(t.pending, &item{gap: true, request: r})
		}
	}
}

// Toggle shows all tool calls with arguments and output, or as one line each.
func (t *Transcript) Toggle() {
	t.expanded = !t.expanded
	for _, it := range t.items {
		t.drop(it)
	}
}

// Expanded reports whether tool calls show arguments and output.
func (t *Transcript) Expanded() bool { return t.expanded }

// LastAnswer is the source text of the last answer, for copying.
func (t *Transcript) LastAnswer() string { return t.last }

// Draw shows the visible part in the rectangle, all of which it covers.
func (t *Transcript) Draw(s tcell.Screen, x, y, w, h int, p *Palette) {
	if w <= 0 || h <= 0 {
		return
	}
	t.resize(w, h)
	base := p.Style(themes.Text)
	at, line := t.place()
	first, row := at, 0
	for ; at < t.count() && row < h; at++ {
		it := t.layout(t.at(at))
		for ; line < it.height && row < h; line++ {
			if n := line - it.lead(); n >= 0 {
				drawLine(s, x, y+row, w, it.lines[n], p, base)
				markWords(s, x, y+row, w, it.lines[n], t.found, p)
			} else {
				fill(s, x, y+row, w, 1, base)
			}
			row++
		}
		line = 0
	}
	fill(s, x, y+row, w, h-row, base)
	t.evict(first, at)
}
