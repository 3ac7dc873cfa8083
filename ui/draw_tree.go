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
	case state.LookStalled:
		return themes.Warning
	}
	return themes.Running
}

// drawEmpty says what to press where there is nothing to show.
func (v *view) drawEmpty(s tcell.Screen, r rect) {
	lines := []string{"Reading the registry …"}
	switch {
	case v.st.Searching() != "":
		lines = []string{v.st.Searching()}
	case v.st.Tree.Len() > 0:
		lines = []string{"No task fits.", v.st.Keyed("{back} drops the filter; {finished} shows finished tasks; {archived} archived ones.")}
		if bad := v.st.Tree.FilterError(); bad != "" {
			lines = append(lines, "", bad)
		}
	case v.st.Loaded():
		lines = nil
		for _, line := range v.st.FirstRun() {
			lines = append(lines, wrapLine(line, max(8, r.w-3))...)
		}
		if v.st.Config.Found != "" {
			lines = append(lines, "", core.CleanLine(v.st.Config.Found))
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
	seen := v.st.Wants.Inbox[:min(len(v.st.Wants.Inbox), max(0, r.h))]
	wide, much := 0, v.askers(seen, r.w/2)
	for i := range seen {
		wide = max(wide, min(r.w*2/5, textWidth(v.st.Asker(seen[i].Task, much))))
	}
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
			drawText(s, r.x+1, y, r.w-1, plural(len(v.st.Wants.Inbox)-i, "more")+v.st.Keyed("; {next-in-inbox} goes round"), v.pal.Style(themes.Muted))
			return
		}
		fill(s, r.x, y, r.w, 1, base)
		age := state.Elapsed(v.st.Now.Sub(a.Created))
		drawText(s, r.x+r.w-1-textWidth(age), y, textWidth(age), age, v.pal.Over(base, themes.Muted))
		room := r.w - 3 - textWidth(age)
		x := r.x + 1
		drawText(s, x, y, room, "! "+truncate(v.st.Asker(a.Task, much), wide), v.pal.Over(base, themes.NeedsYou))
		x += wide + 4
		drawText(s, x, y, room-(x-r.x-1), state.Ask(a), base)
	}
}

// askers is how much can be told of the paths of all who ask in so many columns: of all the same.
func (v *view) askers(in []core.Approval, room int) int {
	for much := state.PathWhole; much < state.PathLast; much++ {
		fits := true
		for i := range in {
			fits = fits && textWidth(v.st.Asker(in[i].Task, much)) <= room
		}
		if fits {
			return much
		}
	}
	return state.PathLast
}

func plural(n int, what string) string {
	return strings.TrimSpace(core.Short(itoa(n)+" "+what, 40))
}
