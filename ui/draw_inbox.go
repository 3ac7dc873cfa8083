package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// drawList draws the frame of a list that stands in place of the tasks, and
// returns where its parts go: the list is l.tree, what is under the cursor l.detail.
func (v *view) drawList(s tcell.Screen, w, h int, text []string, title, detail string) layout {
	l := arrangeAgents(w, h, v.st.View.Mode == state.Composing, min(len(text), h/3))
	v.st.View.Page = max(1, l.tree.h)
	focus := v.st.View.Mode != state.Composing
	if l.split > 0 {
		v.frameWide(s, &l, title, detail, focus)
		return l
	}
	v.rule(s, l.tree, title, focus)
	if l.detail.h > 0 {
		v.rule(s, l.detail, detail, false)
	}
	v.rules(s, &l)
	return l
}

// window is the first row that is shown so that the cursor is, and the first that is not.
func window(top *int, at, rows, h int) (from, to int) {
	*top = max(0, min(*top, rows-h))
	*top = max(min(*top, at), at-h+1, 0)
	return *top, min(*top+h, rows)
}

// listRow is the style of a row, and blanks in it.
func (v *view) listRow(s tcell.Screen, r rect, here bool) tcell.Style {
	base := v.pal.Style(themes.Text)
	switch {
	case here && v.st.View.Mode == state.Composing:
		base = v.pal.Style(themes.SelectedUnfocused)
	case here:
		base = v.pal.Style(themes.Selected)
	}
	fill(s, r.x, r.y, r.w, 1, base)
	return base
}

// drawNone says in an empty list why it is empty.
func (v *view) drawNone(s tcell.Screen, r rect, text string) {
	for i, line := range wrapLine(text, max(4, r.w-3)) {
		if i < r.h {
			drawText(s, r.x+1, r.y+i, r.w-2, line, v.pal.Style(themes.Muted))
		}
	}
}

// drawInboxPane draws all calls that wait, in place of tree and transcript.
func (v *view) drawInboxPane(s tcell.Screen, w, h int, text []string) {
	in, at, q := v.st.Wants.Inbox, v.st.Inbox.At(), v.st.Question()
	detail := "nothing is asked"
	if q != nil {
		detail = core.ApprovalRef(q.ID) + " · may it run " + core.Short(core.CleanLine(q.Tool), 40) + "?"
	}
	l := v.drawList(s, w, h, text, "inbox · "+itoa(len(in)), detail)
	if len(in) == 0 {
		v.drawNone(s, l.tree, "Nothing needs you. Tool calls that wait for an answer come here, from every session and at any depth.")
	}
	from, to := window(&v.inboxTop, at, len(in), l.tree.h)
	room := max(12, l.tree.w*2/5)
	wide, much := 0, v.askers(in[from:to], room) // of who asks: what is asked stands in a column
	v.zone(zone{rect: l.tree, kind: onAsks, at: from})
	for i := from; i < to; i++ {
		wide = max(wide, min(room, textWidth(v.st.Asker(in[i].Task, much))))
	}
	for i := from; i < to; i++ {
		v.drawAsk(s, rect{l.tree.x, l.tree.y + i - from, l.tree.w, 1}, &in[i], i == at, wide, much)
	}
	if q != nil {
		v.drawParts(s, l.detail, v.st.AskParts(q))
	}
	v.drawTyping(s, &l, text)
}

func (v *view) drawAsk(s tcell.Screen, r rect, a *core.Approval, here bool, wide, much int) {
	base := v.listRow(s, r, here)
	age := state.Elapsed(v.st.Now.Sub(a.Created))
	end := r.x + r.w - 1 - textWidth(age)
	drawText(s, end, r.y, textWidth(age), age, v.pal.Over(base, themes.Muted))
	x := r.x + 1
	x += drawText(s, x, r.y, end-x-1, "! ", v.pal.Over(base, themes.NeedsYou))
	drawText(s, x, r.y, min(end-x-1, wide), v.st.Asker(a.Task, much), v.pal.Over(base, themes.NeedsYou))
	x += wide + 2
	x += drawText(s, x, r.y, end-x-1, core.Short(state.Ask(a), 400), base)
	if much == state.PathLast && a.Task != a.Session && end-x > 12 {
		drawText(s, x+2, r.y, end-x-3, "‹ "+v.st.SessionTitle(a.Session), v.pal.Over(base, themes.Muted))
	}
}
