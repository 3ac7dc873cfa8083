package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// roleOf is the colour of a look; glyph and word say the same without it.
func roleOf(l state.Look) themes.Role {
	switch l {
	case state.LookNeeds:
		return themes.NeedsYou
	case state.LookIdle:
		return themes.Idle
	case state.LookInterrupted:
		return themes.Interrupted
	case state.LookCompleted:
		return themes.Completed
	case state.LookFailed:
		return themes.Failed
	case state.LookCancelled:
		return themes.Cancelled
	case state.LookQueued, state.LookParked:
		return themes.Queued
	}
	return themes.Running
}

// columns are the widths of a tree row's parts.
type columns struct{ name, doing, time, tokens, cost int }

const (
	maxGuides = 12 // levels that are indented; deeper ones stand at the last
	minDoing  = 9
)

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
	rows := t.Rows[v.treeTop:min(v.treeTop+r.h, len(t.Rows))]
	c := v.fitColumns(rows, r.w)
	for i := range rows {
		v.drawRow(s, rect{r.x, r.y + i, r.w, 1}, v.treeTop+i, c)
	}
}

// fitColumns shares the width out; the names take what they need, but leave what the rest needs, or half.
func (v *view) fitColumns(rows []state.Row, w int) columns {
	c := columns{time: 6}
	if w >= 56 {
		c.tokens = 6
	}
	if w >= 66 {
		c.cost = 7
	}
	for i := range rows {
		n := rows[i].Node
		title := 2 + textWidth(v.st.Title(n)) + 2*min(depth(n), maxGuides) + 3
		if f := state.Folded(n); f != "" {
			title += 1 + len(f)
		}
		c.name = max(c.name, title)
		c.doing = max(c.doing, textWidth(v.st.Doing(n))+1)
	}
	room, need := w-2-c.time-c.tokens-c.cost, min(c.doing, minDoing)
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

func (v *view) drawRow(s tcell.Screen, r rect, i int, c columns) {
	row := v.st.Tree.Rows[i]
	n := row.Node
	look := state.LookOf(&n.Task)
	base := v.pal.Style(themes.Text)
	dim := look == state.LookCompleted || look == state.LookCancelled
	switch {
	case n.Task.ID == v.st.Tree.Selected && v.st.View.Pane == state.PaneTree && v.st.View.Mode != state.Composing:
		base = v.pal.Style(themes.Selected)
	case n.Task.ID == v.st.Tree.Selected:
		base = v.pal.Style(themes.SelectedUnfocused)
	case dim:
		base = v.pal.Style(themes.Muted)
	}
	fill(s, r.x, r.y, r.w, 1, base)
	x, end := r.x+1, r.x+1+c.name
	muted := v.pal.Over(base, themes.Muted)
	x += drawText(s, x, r.y, end-x, v.guides(row), muted)
	mark := v.pal.Over(base, roleOf(look))
	x += drawText(s, x, r.y, end-x, look.Glyph()+" ", mark)
	folded := state.Folded(n)
	room := end - x
	if folded != "" && room > len(folded)+6 {
		room -= len(folded) + 1
	} else {
		folded = ""
	}
	name := base
	if row.Up < 0 && !dim {
		name = name.Bold(true)
	}
	x += drawText(s, x, r.y, room, v.st.Title(n), name)
	if folded != "" {
		drawText(s, x+1, r.y, len(folded), folded, muted)
	}
	if c.doing > 0 {
		doing := mark
		if dim {
			doing = muted
		}
		drawText(s, end+1, r.y, c.doing-1, v.st.Doing(n), doing)
	}
	v.drawFigures(s, rect{r.x + r.w - c.time - c.tokens - c.cost, r.y, c.time + c.tokens + c.cost, 1}, n, c, muted)
}

// drawFigures draws time, tokens and cost, right-aligned; a folded row's are of all under it.
func (v *view) drawFigures(s tcell.Screen, r rect, n *state.Node, c columns, style tcell.Style) {
	right := func(x, w int, text string) {
		text = truncate(text, w)
		drawText(s, x+w-textWidth(text), r.y, w, text, style)
	}
	if n.Task.Started != nil || !n.Task.ActiveSince.IsZero() || n.Task.ElapsedMS > 0 {
		right(r.x, c.time-1, state.Elapsed(n.Task.ElapsedAt(v.st.Now)))
	}
	if c.tokens == 0 {
		return
	}
	own := state.Counts{TokensIn: n.Task.TokensIn, TokensOut: n.Task.TokensOut}
	if n.Task.Cost != nil {
		own.Cost = *n.Task.Cost
	}
	if n.Shut {
		own.TokensIn += n.Below.TokensIn
		own.TokensOut += n.Below.TokensOut
		own.Cost += n.Below.Cost
	}
	if sum := own.TokensIn + own.TokensOut; sum > 0 {
		right(r.x+c.time, c.tokens-1, state.Tokens(sum))
	}
	if c.cost > 0 {
		right(r.x+c.time+c.tokens, c.cost-1, own.Money())
	}
}

// guides are the lines of the tree before a row, and whether it is folded.
func (v *view) guides(row state.Row) string {
	fold := "  "
	switch {
	case len(row.Node.Kids) == 0:
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
	if len(row.Node.Kids) == 0 || fold == "" {
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

// drawEmpty says what to press where there is nothing to show.
func (v *view) drawEmpty(s tcell.Screen, r rect) {
	lines := []string{"Reading the registry …"}
	switch {
	case v.st.Tree.Len() > 0:
		lines = []string{"No task fits.", "Esc drops the filter; f shows finished tasks."}
	case v.st.Loaded():
		lines = nil
		for _, line := range v.st.FirstRun() {
			lines = append(lines, wrapLine(line, max(8, r.w-3))...)
		}
	}
	y := r.y + max(0, (r.h-len(lines))/3)
	for i, line := range lines {
		if y+i >= r.y+r.h {
			return
		}
		drawText(s, r.x+2, y+i, r.w-3, line, v.pal.Style(themes.Text))
	}
}

// drawInbox lists who waits for an answer, the oldest first.
func (v *view) drawInbox(s tcell.Screen, r rect) {
	cur, _ := v.st.Approval()
	for i := range v.st.Wants.Inbox {
		if i >= r.h {
			return
		}
		a := &v.st.Wants.Inbox[i]
		base := v.pal.Style(themes.Text)
		if cur != nil && cur.ID == a.ID {
			base = v.pal.Style(themes.SelectedUnfocused)
		}
		y := r.y + i
		if i == r.h-1 && len(v.st.Wants.Inbox) > r.h {
			drawText(s, r.x+1, y, r.w-1, plural(len(v.st.Wants.Inbox)-i, "more")+"; ! goes round", v.pal.Style(themes.Muted))
			return
		}
		fill(s, r.x, y, r.w, 1, base)
		age := state.Elapsed(v.st.Now.Sub(a.Created))
		drawText(s, r.x+r.w-1-textWidth(age), y, textWidth(age), age, v.pal.Over(base, themes.Muted))
		room := r.w - 3 - textWidth(age)
		x := r.x + 1
		x += drawText(s, x, y, room, "! "+v.st.Path(a.Task)+"  ", v.pal.Over(base, themes.NeedsYou))
		drawText(s, x, y, room-(x-r.x-1), state.Ask(a), base)
	}
}

func plural(n int, what string) string {
	return strings.TrimSpace(core.Short(itoa(n)+" "+what, 40))
}
