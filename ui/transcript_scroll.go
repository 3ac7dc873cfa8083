package ui

// count is how many items there are to show, with the live answer and what is pending.
func (t *Transcript) count() int {
	n := len(t.items) + len(t.pending)
	if t.live.text != "" {
		n++
	}
	return n
}

// at is the item of that index: transcript, live answer, pending messages.
func (t *Transcript) at(i int) *item {
	if i < len(t.items) {
		return t.items[i]
	}
	i -= len(t.items)
	if t.live.text != "" {
		if i == 0 {
			return &t.live.item
		}
		i--
	}
	return t.pending[i]
}

// resize takes a new size of the window and keeps the place: the same part of the same entry.
func (t *Transcript) resize(w, h int) {
	v := &t.view
	if !v.follow && v.w > 0 && w != v.w && v.top < t.count() {
		old := t.layout(t.at(v.top)).height
		v.w = w
		v.line = v.line * t.layout(t.at(v.top)).height / old
	}
	v.w, v.h = w, h
}

// place is the item and its line at the top of the window, within bounds.
func (t *Transcript) place() (top, line int) {
	v := &t.view
	top, line = t.end()
	if !v.follow {
		v.top = max(0, min(v.top, t.count()-1))
		if v.top < t.count() {
			v.line = max(0, min(v.line, t.layout(t.at(v.top)).height-1))
		}
		if v.top < top || v.top == top && v.line < line {
			return v.top, v.line
		}
	}
	v.follow, v.below = true, 0
	return top, line
}

// end is the place from which the last line is at the bottom of the window.
func (t *Transcript) end() (top, line int) {
	room := t.view.h
	for i := t.count() - 1; i >= 0; i-- {
		height := t.layout(t.at(i)).height
		if height >= room {
			return i, height - room
		}
		room -= height
	}
	return 0, 0
}

// Scroll moves by that many lines, down for positive ones.
func (t *Transcript) Scroll(lines int) {
	if t.view.w == 0 || t.count() == 0 {
		return
	}
	top, line := t.place()
	line += lines
	for line < 0 && top > 0 {
		top--
		line += t.layout(t.at(top)).height
	}
	for top < t.count()-1 {
		height := t.layout(t.at(top)).height
		if line < height {
			break
		}
		line -= height
		top++
	}
	t.view.follow, t.view.top, t.view.line = false, top, max(0, line)
	t.place() // which follows again where the end is reached
}

// Page moves by pages less a line, down for positive ones.
func (t *Transcript) Page(n int) { t.Scroll(n * max(1, t.view.h-1)) }

// Top moves to the first line.
func (t *Transcript) Top() {
	t.view.follow, t.view.top, t.view.line = false, 0, 0
	if t.view.w > 0 {
		t.place()
	}
}

// Bottom moves to the end, and follows it.
func (t *Transcript) Bottom() { t.view.follow, t.view.below = true, 0 }

// Following reports whether the end stays in sight.
func (t *Transcript) Following() bool { return t.view.follow }

// AtTop reports whether the first line is in sight: time to Prepend.
func (t *Transcript) AtTop() bool {
	if t.view.w == 0 {
		return false
	}
	top, line := t.place()
	return top == 0 && line == 0
}

// NewBelow is how many entries came while a person was reading further up.
func (t *Transcript) NewBelow() int { return t.view.below }

// layout gives the item its lines and height for the window's width, unless it has them.
func (t *Transcript) layout(it *item) *item {
	if it.lines == nil || it.width != t.view.w {
		if it.lines == nil {
			t.cached++
		}
		it.width = t.view.w
		it.lines = t.build(it, it.width)
		it.height = len(it.lines) + it.lead()
	}
	return it
}

// drop forgets the item's lines.
func (t *Transcript) drop(it *item) {
	if it.lines != nil {
		it.lines = nil
		t.cached--
	}
}

// evict forgets the lines of items far from the visible ones, when there are many.
func (t *Transcript) evict(first, last int) {
	if t.cached <= maxCached {
		return
	}
	for i, it := range t.items {
		if i < first-nearCached || i > last+nearCached {
			t.drop(it)
		}
	}
}
