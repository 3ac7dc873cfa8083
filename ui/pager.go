package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
	"drover/ui/state"
)

// block is one row of a page: some lines that belong together. Its lines are
// laid out when they come into sight.
type block struct {
	key   string // names it across rebuilds; "" for text that cannot be picked
	build func(width int) []Line
	lines []Line
	width int
}

// pager shows blocks below each other with a line cursor. It lays out what is
// visible only, and keeps its place by block and line when the blocks are made
// anew. It belongs to the UI goroutine.
type pager struct {
	version string
	blocks  []*block
	w, h    int
	cur     place
	top     place
	follow  bool // the cursor stays at the end
	tail    bool // it follows when the cursor is moved to the end
}

// place is a line of a block.
type place struct{ block, line int }

func (p place) before(q place) bool {
	return p.block < q.block || p.block == q.block && p.line < q.line
}

// set takes new blocks where version is another; those of an old key that are
// marked as kept never change and keep their lines.
func (g *pager) set(version string, kept bool, blocks func() []*block) {
	if version == g.version {
		return
	}
	g.version = version
	key, line := g.key(), g.cur.line
	old := map[string]*block{}
	for _, b := range g.blocks {
		old[b.key] = b
	}
	up := g.distance()
	g.blocks = blocks()
	at := -1
	for i, b := range g.blocks {
		if b.key == key && key != "" {
			at = i
		}
		if o := old[b.key]; kept && o != nil && b.key != "" {
			b.lines, b.width = o.lines, o.width
		}
	}
	switch {
	case g.follow:
		g.end()
	case at >= 0:
		g.cur = place{at, line}
		g.top = g.cur
		g.back(&g.top, up)
	default:
		g.cur.block = max(0, min(g.cur.block, len(g.blocks)-1))
	}
}

// reset forgets all, for another page.
func (g *pager) reset(tail bool) { *g = pager{w: g.w, h: g.h, follow: tail, tail: tail} }

// key is that of the block under the cursor.
func (g *pager) key() string {
	if g.cur.block < len(g.blocks) {
		return g.blocks[g.cur.block].key
	}
	return ""
}

func (g *pager) layout(i int) []Line {
	b := g.blocks[i]
	if b.lines == nil || b.width != g.w {
		b.lines, b.width = b.build(max(1, g.w)), g.w
		if len(b.lines) == 0 {
			b.lines = []Line{nil}
		}
	}
	return b.lines
}

// back and on move a place by n lines, within bounds.
func (g *pager) back(p *place, n int) {
	for ; n > 0; n-- {
		switch {
		case p.line > 0:
			p.line--
		case p.block > 0:
			p.block--
			p.line = len(g.layout(p.block)) - 1
		default:
			return
		}
	}
}

func (g *pager) on(p *place, n int) {
	for ; n > 0; n-- {
		switch {
		case p.line < len(g.layout(p.block))-1:
			p.line++
		case p.block < len(g.blocks)-1:
			p.block++
			p.line = 0
		default:
			return
		}
	}
}

// distance is how many lines the cursor is below the top, at most a window.
func (g *pager) distance() int {
	n, p := 0, g.top
	for len(g.blocks) > 0 && p.block < len(g.blocks) && p.before(g.cur) && n < g.h {
		g.on(&p, 1)
		n++
	}
	return n
}

func (g *pager) end() {
	g.cur = place{max(0, len(g.blocks)-1), 0}
	if len(g.blocks) > 0 && g.w > 0 {
		g.cur.line = len(g.layout(g.cur.block)) - 1
	}
}

func (g *pager) scroll(m state.Move) {
	if len(g.blocks) == 0 || g.w == 0 {
		g.follow = g.tail && m == state.ToBottom
		return
	}
	g.clamp()
	page := max(1, g.h-1)
	switch m {
	case state.LineUp:
		g.back(&g.cur, 1)
	case state.LineDown:
		g.on(&g.cur, 1)
	case state.HalfUp:
		g.back(&g.cur, max(1, page/2))
	case state.HalfDown:
		g.on(&g.cur, max(1, page/2))
	case state.PageUp:
		g.back(&g.cur, page)
	case state.PageDown:
		g.on(&g.cur, page)
	case state.ToTop:
		g.cur = place{}
	case state.ToBottom:
		g.end()
	}
	last := len(g.blocks) - 1
	g.follow = g.tail && g.cur.block == last && g.cur.line == len(g.layout(last))-1
}

// clamp keeps the places within the blocks as they are now.
func (g *pager) clamp() {
	for _, p := range []*place{&g.cur, &g.top} {
		p.block = max(0, min(p.block, len(g.blocks)-1))
		p.line = max(0, min(p.line, len(g.layout(p.block))-1))
	}
}

// find moves to the next line, or the one before, that has the words; false if there is none.
func (g *pager) find(words string, back bool) bool {
	if len(g.blocks) == 0 || g.w == 0 {
		return false
	}
	g.clamp()
	words = strings.ToLower(words)
	total := 0
	for i := range g.blocks {
		total += len(g.layout(i))
	}
	p := g.cur
	for range total {
		q := p
		if back {
			g.back(&p, 1)
		} else {
			g.on(&p, 1)
		}
		if p == q && back {
			p = place{len(g.blocks) - 1, len(g.layout(len(g.blocks)-1)) - 1}
		} else if p == q {
			p = place{}
		}
		if strings.Contains(strings.ToLower(lineText(g.layout(p.block)[p.line])), words) {
			g.cur, g.follow = p, false
			return true
		}
	}
	return false
}

// draw shows the page; focus marks the line with the cursor.
func (g *pager) draw(s tcell.Screen, r rect, pal *Palette, focus bool, words string) {
	g.w, g.h = r.w, r.h
	if len(g.blocks) == 0 || r.w <= 0 || r.h <= 0 {
		return
	}
	g.clamp()
	if g.follow {
		g.end()
		g.top = g.cur
		g.back(&g.top, r.h-1)
	}
	if g.cur.before(g.top) {
		g.top = g.cur
	}
	if low := g.cur; true {
		g.back(&low, r.h-1)
		if g.top.before(low) {
			g.top = low
		}
	}
	p := g.top
	for y := range r.h {
		style := pal.Style(themes.Text)
		line := g.layout(p.block)[p.line]
		if focus && p == g.cur {
			style = pal.Style(themes.SelectedUnfocused)
		}
		drawLine(s, r.x, r.y+y, r.w, line, pal, style)
		markWords(s, r.x, r.y+y, r.w, line, words, pal)
		q := p
		if g.on(&p, 1); p == q {
			break
		}
	}
}

// markWords shows where the words stand in a line that has been drawn.
func markWords(s tcell.Screen, x, y, width int, l Line, words string, pal *Palette) {
	if words == "" {
		return
	}
	text := plain(lineText(l))
	low, want := strings.ToLower(text), strings.ToLower(words)
	if len(low) != len(text) || want == "" {
		return
	}
	for at := 0; ; {
		i := strings.Index(low[at:], want)
		if i < 0 {
			return
		}
		from := textWidth(text[:at+i])
		if from >= width {
			return
		}
		put(s, x+from, y, width-from, text[at+i:at+i+len(want)], pal.Style(themes.Match))
		at += i + len(want)
	}
}
