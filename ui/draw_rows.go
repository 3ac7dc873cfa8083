package ui

import (
	"path"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// columns are the widths of a tree row's parts.
type columns struct{ name, doing, agent, time, tokens, cost int }

const (
	maxGuides = 12 // levels that are indented; deeper ones stand at the last
	minDoing  = 9
)

// From these widths of the tree on there are columns for them: as it gets
// narrow the cost goes first, then the tokens, then the agent.
const (
	roomForAgent  = 58
	roomForTokens = 66
	roomForCost   = 74
	roomForNames  = 80 // of agents, whole
)

// treeTitle says how the rows are ordered, and what is left out of them.
func (v *view) treeTitle() string {
	t := &v.st.Tree
	parts := []string{"tasks"}
	add := func(text string) { parts = append(parts, text) }
	if n := v.st.Marking(); n > 0 {
		add(plural(n, "marked"))
	}
	if order := t.Order.String(); order != "" {
		if age := t.OrderAge(v.st.Now); age >= time.Minute {
			order += ", " + state.Ago(age) + " old"
		}
		add(order)
	}
	if t.HideDone {
		add("finished hidden")
	}
	if t.ShowArchived {
		add("archived shown")
	}
	if t.Filter != "" && v.st.View.Mode != state.Filtering {
		add("/" + core.CleanLine(t.Filter))
	}
	if text := v.st.Searching(); text != "" {
		add(text)
	}
	return strings.Join(parts, " · ")
}

// drawTree draws the visible rows.
func (v *view) drawTree(s tcell.Screen, r rect) {
	t := &v.st.Tree
	if len(t.Rows) == 0 {
		v.drawEmpty(s, r)
		return
	}
	at := t.At()
	v.treeTop = max(0, min(v.treeTop, len(t.Rows)-r.h))
	v.treeTop = max(min(v.treeTop, at), at-r.h+1)
	if at == v.treeTop && at > 0 && r.h > 1 && t.Rows[at-1].Node.Head != "" {
		v.treeTop-- // the heading of what is under the cursor
	}
	rows := t.Rows[v.treeTop:min(v.treeTop+r.h, len(t.Rows))]
	c := v.fitColumns(rows, r.w)
	for i := range rows {
		row := rect{r.x, r.y + i, r.w, 1}
		if rows[i].Node.Head != "" {
			v.drawHeading(s, row, rows[i].Node)
			continue
		}
		v.drawRow(s, row, v.treeTop+i, c)
	}
}

// fitColumns shares the width out; the names take what they need, but leave what the rest needs, or half.
func (v *view) fitColumns(rows []state.Row, w int) columns {
	c := columns{time: 6}
	if w >= roomForAgent {
		c.agent = 9
	}
	if w >= roomForNames {
		c.agent = 16
	}
	if w >= roomForTokens {
		c.tokens = 6
	}
	if w >= roomForCost && v.st.Tree.Total.Money() != "" {
		c.cost = 7
	}
	for i := range rows {
		n := rows[i].Node
		if n.Head != "" {
			continue
		}
		title := 2 + textWidth(v.st.Title(n)) + 2*min(depth(n), maxGuides) + 3
		if rows[i].Flat {
			title = 7 + textWidth(v.st.Title(n)) + textWidth(v.under(rows[i]))
		}
		if many, _ := state.Folded(n); many != "" {
			title += 1 + len(many)
		}
		if v.st.Slot(n.Task.ID) > 0 {
			title += 2
		}
		c.name = max(c.name, title)
		c.doing = max(c.doing, textWidth(v.doing(n))+1)
	}
	if v.widest.w != w {
		v.widest.w, v.widest.name, v.widest.doing = w, 0, 0
	}
	// What has been seen counts on: the columns must not move as one scrolls, or as a task says more.
	c.name, c.doing = max(c.name, v.widest.name), max(c.doing, v.widest.doing)
	v.widest.name, v.widest.doing = c.name, c.doing
	room, need := w-2-c.agent-c.time-c.tokens-c.cost, min(c.doing, minDoing)
	if c.name+c.doing > room {
		c.name = min(c.name, max(8, min(room*11/20, room-minDoing), room-c.doing))
	}
	c.doing = room - c.name
	if c.doing < need { // no place for the word: the glyph and the name must do
		c.name, c.doing = max(6, w-1-c.time), 0
	}
	return c
}

func depth(n *state.Node) int {
	d := 0
	for n.Parent != nil {
		n, d = n.Parent, d+1
	}
	return d
}

// ground is the style of a row: whether the cursor is on it, and whether it is dim.
func (v *view) ground(id string, dim bool) tcell.Style {
	switch {
	case id == v.st.Tree.Selected && v.st.View.Pane == state.PaneTree && v.st.View.Mode != state.Composing:
		return v.pal.Style(themes.Selected)
	case id == v.st.Tree.Selected:
		return v.pal.Style(themes.SelectedUnfocused)
	case dim:
		return v.pal.Style(themes.Muted)
	}
	return v.pal.Style(themes.Text)
}

// drawHeading draws what the rows below have in common, and what of them matters.
func (v *view) drawHeading(s tcell.Screen, r rect, n *state.Node) {
	base := v.ground(n.Task.ID, false)
	fill(s, r.x, r.y, r.w, 1, base)
	sign := "▾ "
	if n.Shut && v.st.Tree.Filter == "" {
		sign = "▸ "
	}
	x := r.x + 1
	x += drawText(s, x, r.y, r.w-2, sign, v.pal.Over(base, themes.Muted))
	tally := v.st.Tally(n)
	room := r.w - 4 - textWidth(tally) - 2
	if room < 8 {
		room, tally = r.w-4, ""
	}
	head := n.Head
	if textWidth(head) > room && strings.Contains(head, "/") { // of a directory the end counts
		head = "…/" + path.Base(head)
	}
	x += drawText(s, x, r.y, room, head, base.Bold(true)) + 2
	drawText(s, x, r.y, textWidth(tally), tally, v.pal.Over(base, themes.Muted))
}

// small are the digits of pinned tasks.
var small = [...]string{"", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}

func (v *view) drawRow(s tcell.Screen, r rect, i int, c columns) {
	row := v.st.Tree.Rows[i]
	n := row.Node
	look := v.st.Look(n)
	archived := v.st.Tree.ShowArchived && v.st.Archived(n)
	dim := look == state.LookCompleted || look == state.LookCancelled || n.Context() || archived
	base := v.ground(n.Task.ID, dim)
	fill(s, r.x, r.y, r.w, 1, base)
	muted := v.pal.Over(base, themes.Muted)
	if v.st.IsMarked(n.Task.ID) {
		drawText(s, r.x, r.y, 1, "*", v.pal.Over(base, themes.Key))
	}
	x, end := r.x+1, r.x+1+c.name
	x += drawText(s, x, r.y, end-x, v.guides(row), muted)
	mark := v.pal.Over(base, roleOf(look))
	if n.Context() {
		mark = muted
	}
	x += drawText(s, x, r.y, end-x, look.Glyph()+" ", mark)
	v.drawName(s, rect{x, r.y, end - x, 1}, row, base, dim)
	if c.doing > 0 {
		doing, text := mark, v.doing(n)
		if dim {
			doing = muted
		}
		if v.st.Unread(n.Task.ID) {
			doing = doing.Bold(true)
		}
		if archived {
			text = "archived · " + text
		}
		drawText(s, end+1, r.y, c.doing-1, text, doing)
	}
	v.drawFigures(s, rect{r.x + r.w - c.agent - c.time - c.tokens - c.cost, r.y, 0, 1}, n, c, muted)
}

// drawName draws the title, the digit it is pinned to, and what is folded under it or stands above it.
func (v *view) drawName(s tcell.Screen, r rect, row state.Row, base tcell.Style, dim bool) {
	n := row.Node
	muted := v.pal.Over(base, themes.Muted)
	pin := small[v.st.Slot(n.Task.ID)]
	tail, _ := state.Folded(n)
	if row.Flat {
		tail = v.under(row)
	}
	room := r.w
	if pin != "" {
		room -= 2
	}
	if tail != "" && room >= 6+1+textWidth(tail) {
		room -= 1 + textWidth(tail)
	} else {
		tail = ""
	}
	name := base
	if row.Up < 0 && !row.Flat && !dim {
		name = name.Bold(true)
	}
	x := r.x + drawText(s, r.x, r.y, max(0, room), v.st.Title(n), name)
	if pin != "" && r.w > 6 {
		x += 1 + drawText(s, x+1, r.y, 1, pin, v.pal.Over(base, themes.Key))
	}
	if tail != "" {
		drawText(s, x+1, r.y, textWidth(tail), tail, muted)
	}
}

// doing says what the task does, and before it what of the tasks folded under it matters.
func (v *view) doing(n *state.Node) string {
	if _, what := state.Folded(n); what != "" {
		return what + " below · " + v.st.Doing(n)
	}
	return v.st.Doing(n)
}

// under says where a task belongs that stands without its tree.
func (v *view) under(row state.Row) string {
	n := row.Node
	if !row.Flat || n.Parent == nil {
		return ""
	}
	for n.Parent != nil {
		n = n.Parent
	}
	return "‹ " + truncate(v.st.Title(n), 24)
}

// drawFigures draws agent, time, tokens and cost; a folded row's tokens and cost are of all under it too.
func (v *view) drawFigures(s tcell.Screen, r rect, n *state.Node, c columns, style tcell.Style) {
	right := func(x, w int, text string) {
		text = truncate(text, w)
		drawText(s, x+w-textWidth(text), r.y, w, text, style)
	}
	if c.agent > 0 {
		drawText(s, r.x, r.y, c.agent-1, truncate(core.CleanLine(n.Task.Agent), c.agent-1), style)
	}
	if n.Task.Started != 0 || !n.Task.ActiveSince.IsZero() || n.Task.ElapsedMS > 0 {
		right(r.x+c.agent, c.time-1, state.Brief(n.Task.ElapsedAt(v.st.Now)))
	}
	if c.tokens == 0 {
		return
	}
	sums := n.Own()
	if n.Shut {
		sums = n.All()
	}
	if sum := sums.TokensIn + sums.TokensOut; sum > 0 {
		right(r.x+c.agent+c.time, c.tokens-1, state.Tokens(sum))
	}
	if c.cost > 0 {
		right(r.x+c.agent+c.time+c.tokens, c.cost-1, sums.Money())
	}
}

// guides are the lines of the tree before a row, and whether it is folded.
func (v *view) guides(row state.Row) string {
	fold := "  "
	switch {
	case row.Flat:
		return "  "
	case !row.Node.Parts():
	case row.Node.Shut && v.st.Tree.Filter == "":
		fold = "▸ "
	case row.Up < 0:
		fold = "▾ "
	default:
		fold = ""
	}
	if row.Up < 0 {
		return fold
	}
	if !row.Node.Parts() || fold == "" {
		fold = ""
	}
	tail := "├ "
	if row.Last {
		tail = "└ "
	}
	parts := []string{tail + fold}
	levels := 1
	for up := v.st.Tree.Rows[row.Up]; up.Up >= 0 && levels < maxGuides; up = v.st.Tree.Rows[up.Up] {
		line := "│ "
		if up.Last {
			line = "  "
		}
		parts = append(parts, line)
		levels++
	}
	var b strings.Builder
	b.WriteString("  ")
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}
