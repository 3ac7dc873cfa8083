package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

func roleOfAgent(l state.AgentLook) themes.Role {
	switch l {
	case state.AgentShadowed, state.AgentDisabled:
		return themes.Muted
	case state.AgentUntrusted:
		return themes.NeedsYou
	case state.AgentProblem:
		return themes.Failed
	}
	return themes.Completed
}

// drawAgents draws the catalogue in place of tree and transcript.
func (v *view) drawAgents(s tcell.Screen, w, h int, text []string) {
	l := v.drawList(s, w, h, text, "agents · "+v.agentsTitle(), v.agentTitle())
	v.drawAgentList(s, l.tree)
	v.drawAgentDetail(s, l.detail)
	v.drawTyping(s, &l, text)
}

func (v *view) agentsTitle() string {
	a := &v.st.Agents
	if !a.Loaded() {
		return "reading"
	}
	title := a.Counts()
	if a.Filter != "" && v.st.View.Mode != state.Filtering {
		title = itoa(len(a.Rows)) + " of " + itoa(a.Len()) + " · /" + core.CleanLine(a.Filter)
	}
	return title
}

func (v *view) agentTitle() string {
	a := v.st.Agent()
	if a == nil {
		return "no agent"
	}
	return core.Short(core.CleanLine(core.Short(a.Name, 400)), 60) + " · " + a.Look().Glyph() + " " + a.Look().Word()
}

// agentColumns are the widths of a row's parts; 0 leaves one out.
type agentColumns struct{ name, state, scope, family, model int }

func (v *view) fitAgents(from, to, w int) agentColumns {
	c, apart := agentColumns{}, false // whether a family says more than the scope
	for i := from; i < to; i++ {
		a := v.st.Agents.Row(i)
		c.name = max(c.name, textWidth(core.Short(a.Name, 60))+1)
		apart = apart || a.Family != a.Scope
	}
	room := w - 3 - 8 // the glyph, and the least of a name
	take := func(n int) int {
		if room < n {
			room = 0
			return 0
		}
		room -= n
		return n
	}
	c.state, c.scope = take(11), take(9)
	if apart {
		c.family = take(10)
	}
	if room > 44 {
		c.model = take(16)
	}
	c.name = min(c.name, 8+room)
	return c
}

func (v *view) drawAgentList(s tcell.Screen, r rect) {
	a := &v.st.Agents
	if a.Err != "" && r.h > 1 {
		lines := wrapLine("the agents cannot be read: "+a.Err, max(4, r.w-2))
		lines = lines[:min(len(lines), 3, r.h-1)]
		r.h -= len(lines)
		for i, line := range lines {
			drawText(s, r.x+1, r.y+r.h+i, r.w-2, line, v.pal.Style(themes.Error))
		}
	}
	if len(a.Rows) == 0 {
		text := "Reading the agents …"
		switch {
		case a.Len() > 0:
			text = join2("No agent fits.", v.st.Keyed("{leave-agents} drops the filter."))
		case a.Loaded():
			text = "There are no agents."
		case a.Err != "":
			text = v.st.Keyed("{reload} tries again.")
		}
		for i, line := range wrapLine(text, max(4, r.w-3)) {
			if i < r.h {
				drawText(s, r.x+1, r.y+i, r.w-2, line, v.pal.Style(themes.Muted))
			}
		}
		return
	}
	at := a.At()
	v.agentsTop = max(0, min(v.agentsTop, len(a.Rows)-r.h))
	v.agentsTop = max(min(v.agentsTop, at), at-r.h+1)
	end := min(v.agentsTop+r.h, len(a.Rows))
	v.zone(zone{rect: r, kind: onAgents})
	c := v.fitAgents(v.agentsTop, end, r.w)
	for i := v.agentsTop; i < end; i++ {
		v.drawAgentRow(s, rect{r.x, r.y + i - v.agentsTop, r.w, 1}, a.Row(i), i == at, c)
	}
}

func (v *view) drawAgentRow(s tcell.Screen, r rect, a *state.Agent, here bool, c agentColumns) {
	look := a.Look()
	base := v.pal.Style(themes.Text)
	switch {
	case here && v.st.View.Mode == state.Composing:
		base = v.pal.Style(themes.SelectedUnfocused)
	case here:
		base = v.pal.Style(themes.Selected)
	case look == state.AgentShadowed || look == state.AgentDisabled:
		base = v.pal.Style(themes.Muted)
	}
	fill(s, r.x, r.y, r.w, 1, base)
	mark, muted := v.pal.Over(base, roleOfAgent(look)), v.pal.Over(base, themes.Muted)
	x, end := r.x+1, r.x+r.w-1
	x += drawText(s, x, r.y, end-x, look.Glyph()+" ", mark)
	cell := func(text string, width int, style tcell.Style) {
		if width > 0 {
			drawText(s, x, r.y, min(width-1, end-x), core.Short(text, 400), style)
			x += width
		}
	}
	cell(a.Name, c.name, base)
	cell(look.Word(), c.state, mark)
	cell(a.Scope, c.scope, muted)
	cell(a.Family, c.family, muted)
	cell(a.Model, c.model, muted)
	if end-x < 12 {
		return
	}
	if n := len(a.Problems); n > 0 {
		x += drawText(s, x, r.y, end-x, plural(n, "wrong")+" ", v.pal.Over(base, themes.Warning))
	}
	drawText(s, x, r.y, end-x, core.Short(a.Description, 400), muted)
}

// drawAgentDetail shows what there is to say about the agent under the cursor.
func (v *view) drawAgentDetail(s tcell.Screen, r rect) {
	if a := v.st.Agent(); a != nil {
		v.drawParts(s, r, v.st.Parts(a))
	}
}

// drawParts draws labelled texts, as many lines of them as there is room for.
func (v *view) drawParts(s tcell.Screen, r rect, parts []state.Part) {
	if r.h <= 0 {
		return
	}
	hang := 13
	if r.w < 40 {
		hang = 2
	}
	y, left := r.y, 0
	for _, p := range parts {
		style := v.pal.Style(themes.Text)
		if p.Bad {
			style = v.pal.Style(themes.Error)
		}
		var lines []string
		if hang < 13 {
			lines = append(lines, "")
		}
		for _, line := range strings.Split(p.Text, "\n") {
			lines = append(lines, wrapLine(line, max(4, r.w-2-hang))...)
		}
		for i, line := range lines {
			if y >= r.y+r.h {
				left++
				continue
			}
			if i == 0 {
				drawText(s, r.x+1, y, max(hang-1, r.w*(13-hang)/13), p.Label, v.pal.Style(themes.Muted))
			}
			drawText(s, r.x+1+hang, y, r.w-2-hang, line, style)
			y++
		}
	}
	if left > 0 {
		drawFill(s, r.x+1, r.y+r.h-1, r.w-2, itoa(left+1)+" more lines"+v.st.Keyed("; {"+v.viewing()+"} shows them"), v.pal.Style(themes.Muted))
	}
}

// viewing is the command that shows all of what is under the cursor of a list.
func (v *view) viewing() string {
	switch {
	case v.st.Inbox.Open:
		return "view-call-in-inbox"
	case v.st.Review.Open:
		return "view-completion"
	}
	return "view-agent"
}

// drawCandidates lists the commands, agents and files that fit what is being typed, above the composer.
func (v *view) drawCandidates(s tcell.Screen, r rect) {
	all := v.st.Candidates()
	n := min(len(all), 8, r.y-2)
	if n <= 0 || r.h <= 0 {
		return
	}
	from := 0
	for i := range all {
		if all[i].Chosen {
			from = max(0, min(i-n/2, len(all)-n))
		}
	}
	top := r.y - 1 - n
	for i, c := range all[from : from+n] {
		base := v.pal.Style(themes.Composer)
		if c.Chosen {
			base = v.pal.Style(themes.SelectedUnfocused)
		}
		fill(s, r.x, top+i, r.w, 1, base)
		x, end := r.x+1, r.x+r.w-1
		x += drawText(s, x, top+i, end-x, c.Sign+c.Name+" ", v.pal.Over(base, themes.Key))
		if c.Hint != "" {
			x += drawText(s, x, top+i, end-x, c.Hint+" ", v.pal.Over(base, themes.KeyLabel))
		}
		style := v.pal.Over(base, themes.Muted)
		if c.Bad {
			style = v.pal.Over(base, themes.Warning)
		}
		drawText(s, x+1, top+i, end-x-1, c.Text, style)
	}
	if more := len(all) - from - n; more > 0 {
		text := " " + plural(more, "more") + " "
		drawText(s, r.x+r.w-1-textWidth(text), top+n-1, textWidth(text), text, v.pal.Style(themes.Muted))
	}
}

// drawNotice draws the banner at the foot of the tree, and returns what is left of it.
func (v *view) drawNotice(s tcell.Screen, r rect) rect {
	text := v.st.Notice()
	if text == "" || r.h < 4 {
		return r
	}
	lines := wrapLine(text+v.st.Keyed("; {back} hides this"), max(4, r.w-4))
	free := r.h - len(v.st.Tree.Rows)
	if len(v.st.Tree.Rows) == 0 {
		free -= 9 // what is said there
	}
	if len(lines) > free {
		lines = []string{v.st.Keyed("not all here is trusted; {agents} shows it; {trust} trusts it")}
	}
	r.h -= len(lines)
	for i, line := range lines {
		glyph := "  "
		if i == 0 {
			glyph = state.AgentUntrusted.Glyph() + " "
		}
		drawText(s, r.x+1, r.y+r.h+i, r.w-2, glyph+line, v.pal.Style(themes.Warning))
	}
	return r
}
