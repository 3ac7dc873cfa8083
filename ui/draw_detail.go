package ui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

func itoa(n int) string { return strconv.Itoa(n) }

// roomToInvite is the height from which the composer is shown before one writes.
const roomToInvite = 28

// wants is how much room the parts ask for.
func (v *view) wants(text []string, w, h int) wants {
	want := wants{composer: max(1, min(len(text), h/3)), empty: v.st.Tree.Len() == 0}
	want.inbox = min(len(v.st.Wants.Inbox), 4)
	if n := v.st.Selected(); n != nil {
		if h < roomToInvite && text == nil && v.st.Draft(n.Task.ID) == "" {
			want.composer = 0 // the footer says how to write
		}
		want.queued = min(len(v.st.Queued(n.Task.ID))+len(v.st.Sent(n.Task.ID)), 3)
	}
	if a, _ := v.st.Approval(); a != nil {
		want.card = min(2+len(v.st.View.Args), h/3)
		if w < wide && len(v.st.Wants.Inbox) == 1 { // the card says it all
			want.inbox = 0
		}
	}
	return want
}

func (v *view) detailTitle() string {
	n := v.st.Selected()
	if n == nil {
		return "no task"
	}
	t := &n.Task
	switch v.st.View.Show {
	case state.ShowTimeline:
		return v.filtered("timeline · " + v.sessionTitle(t.Session) + v.st.Keyed(" · {timeline} completions only"))
	case state.ShowCompletions:
		return v.filtered("completions · " + v.sessionTitle(t.Session) + v.st.Keyed(" · {timeline} waterfall"))
	case state.ShowWaterfall:
		return "waterfall · " + v.sessionTitle(t.Session) + v.st.Keyed(" · {timeline} transcript")
	}
	look := t.Look()
	parts := []string{v.st.Title(n)}
	if a := core.CleanLine(t.Agent); a != "" && a != parts[0] {
		parts = append(parts, a)
	}
	parts = append(parts, look.Glyph()+" "+look.Word())
	if t.Turn > 0 {
		parts = append(parts, "turn "+itoa(t.Turn))
	}
	if t.Mode == core.Sync && t.Status == core.Running {
		parts = append(parts, "its parent waits")
	}
	if ses, ok := v.st.Tree.Session(t.ID); ok && n.Parent == nil && ses.Autopilot {
		parts = append(parts, "autopilot")
	}
	if v.st.Muted(n.Task.ID) {
		parts = append(parts, "muted")
	}
	if v.st.View.Show != state.ShowTranscript {
		return v.filtered(strings.Join(parts, " · "))
	}
	if log := v.paper(t.ID); log.NewBelow() > 0 {
		parts = append(parts, itoa(log.NewBelow())+" new below"+v.st.Keyed("; {end-of-it} follows"))
	} else if !log.Following() {
		parts = append(parts, cmp.Or(v.st.Keyed("{end-of-it} follows"), "does not follow"))
	}
	return strings.Join(parts, " · ")
}

// filtered adds what a timeline leaves out.
func (v *view) filtered(title string) string {
	f := v.st.Pages.Filter
	if !v.st.View.Show.Events() {
		return title
	}
	if f.Group != "" {
		title = "only " + f.Group + " · " + title
	}
	if f.Words != "" {
		title = "/" + core.CleanLine(f.Words) + " · " + title
	}
	return title
}

func (v *view) sessionTitle(id string) string {
	if n := v.st.Tree.Node(id); n != nil {
		return v.st.Title(n)
	}
	return id
}

func (v *view) drawDetail(s tcell.Screen, r rect) {
	n := v.st.Selected()
	if n == nil || r.h <= 0 {
		return
	}
	inner := rect{r.x + 1, r.y, r.w - 2, r.h}
	inner = v.drawTabs(s, inner)
	switch v.st.View.Show {
	case state.ShowTranscript:
	case state.ShowWaterfall:
		v.drawChart(s, inner)
		return
	default:
		v.drawPage(s, inner, n)
		return
	}
	log := v.paper(n.Task.ID)
	log.SetHalted(halted(&n.Task))
	inner = v.drawTrouble(s, inner, n)
	log.Draw(s, inner.x, inner.y, inner.w, inner.h, v.pal)
}

// drawTrouble says at the foot of a transcript why the task does not go on, and
// returns what is left of the rectangle.
func (v *view) drawTrouble(s tcell.Screen, r rect, n *state.Node) rect {
	look := v.st.Look(n)
	text := v.st.Trouble(n)
	if text == "" || r.h < 3 {
		return r
	}
	lines := wrapLine(text, max(8, r.w-2))
	lines = lines[:min(len(lines), 3, r.h/2)]
	style := v.pal.Style(roleOf(look))
	if look == state.LookIdle {
		style = v.pal.Style(themes.Warning)
	}
	for i, line := range lines {
		y := r.y + r.h - len(lines) + i
		fill(s, r.x, y, r.w, 1, v.pal.Style(themes.Text))
		if i == 0 {
			drawText(s, r.x, y, 1, look.Glyph(), style)
		}
		drawText(s, r.x+2, y, r.w-2, line, style)
	}
	r.h -= len(lines)
	return r
}

// halted says why no call of the task is running, "" when one may be.
func halted(t *state.Task) string {
	switch look := t.Look(); {
	case look == state.LookInterrupted:
		return look.Word()
	case t.Status != core.Running:
		return "no result"
	}
	return ""
}

// drawQueued lists messages that have not arrived, and what they wait for.
func (v *view) drawQueued(s tcell.Screen, r rect) {
	n := v.st.Selected()
	if n == nil || r.h <= 0 {
		return
	}
	l := v.st.Queued(n.Task.ID)
	if sent := v.st.Sent(n.Task.ID); len(sent) > 0 {
		r = v.drawSent(s, r, sent[max(0, len(sent)-max(1, r.h-len(l))):])
	}
	if len(l) > r.h {
		l = l[len(l)-r.h:]
	}
	for i := range l {
		y := r.y + i
		where := core.RequestRef(l[i].ID) + " " + v.st.Waits(&l[i])
		wide := min(textWidth(where), r.w*2/3)
		x := r.x + 1 + drawText(s, r.x+1, y, r.w-2, "» ", v.pal.Style(themes.Queued))
		drawText(s, x, y, r.w-wide-5-(x-r.x-1), core.CleanLine(core.Short(l[i].Text, 400)), v.pal.Style(themes.User))
		drawText(s, r.x+r.w-1-wide, y, wide, where, v.pal.Style(themes.Queued))
	}
}

func (v *view) cardTitle() string {
	a, more := v.st.Approval()
	if a == nil {
		return ""
	}
	title := fmt.Sprintf("%s · may it run %s? · %s", core.ApprovalRef(a.ID), core.CleanLine(a.Tool), state.Elapsed(v.st.Now.Sub(a.Created)))
	if more > 0 {
		title += fmt.Sprintf(" · %d more after it", more)
	}
	return title
}

// drawCard shows the tool call that waits, with its exact arguments and the keys.
func (v *view) drawCard(s tcell.Screen, r rect) {
	a, _ := v.st.Approval()
	if a == nil || r.h <= 0 {
		return
	}
	drawText(s, r.x+1, r.y, r.w-2, "! "+v.st.Path(a.Task)+"  "+state.Ask(a), v.pal.Style(themes.NeedsYou))
	var lines []string
	for _, line := range v.st.View.Args {
		if len(lines) > r.h {
			break
		}
		lines = append(lines, wrapLine(core.Short(line, r.w*r.h), max(1, r.w-4))...)
	}
	room := r.h - 2
	for i := 0; i < min(room, len(lines)); i++ {
		line := lines[i]
		if i == room-1 && len(lines) > room {
			line = "…" + v.st.Keyed(" {view-call} shows all of it")
		}
		drawText(s, r.x+3, r.y+1+i, r.w-4, line, v.pal.Style(themes.Code))
	}
	if r.h < 2 {
		return
	}
	v.drawHints(s, rect{r.x + 1, r.y + r.h - 1, r.w - 2, 1}, themes.Text, 3,
		v.st.HintOf("allow", "allow"), v.st.HintOf("allow-always", "always"), v.st.HintOf("deny", "deny"), v.st.HintOf("view-call", "view"))
}
