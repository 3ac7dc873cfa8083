package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// timeline shows a session's events, the newest at the foot. It lays out what
// is visible, from the foot up; up is how many lines the person has scrolled
// back, 0 follows what comes.
type timeline struct {
	session string
	show    state.Show
	up      int
	h       int
}

const (
	eventIndent   = 11 // the clock and the glyph
	maxEventLines = 2
	maxDeclared   = 14 // lines of a completion's summary
)

func (t *timeline) scroll(m state.Move) {
	// up counts from the foot, so moves are the other way round.
	t.up = max(0, t.up-(moved(1<<20, max(1, t.h-1), m)-1<<20))
	switch m {
	case state.ToTop:
		t.up = 1 << 20
	case state.ToBottom:
		t.up = 0
	}
}

// eventLine is one line of the timeline.
type eventLine struct {
	clock, glyph, text string
	role               themes.Role
}

func (t *timeline) draw(s tcell.Screen, r rect, st *state.State, session string, pal *Palette, zone *time.Location) {
	if t.session != session || t.show != st.View.Show {
		*t = timeline{session: session, show: st.View.Show}
	}
	t.h = r.h
	evs := st.Timeline(session)
	if len(evs) == 0 {
		text := "nothing has happened yet"
		if st.View.Show == state.ShowCompletions {
			text = "nothing has been declared complete yet: autopilot does that, with task_complete"
		}
		drawText(s, r.x, r.y, r.w, text, pal.Style(themes.Muted))
		return
	}
	var lines []eventLine // from the foot up
	need := r.h + t.up
	for i := len(evs) - 1; i >= 0 && len(lines) < need; i-- {
		more := eventLines(&evs[i], st, r.w, zone)
		slices.Reverse(more)
		lines = append(lines, more...)
	}
	slices.Reverse(lines)
	t.up = min(t.up, max(0, len(lines)-r.h))
	lines = lines[:len(lines)-t.up]
	lines = lines[max(0, len(lines)-r.h):]
	for i, l := range lines {
		muted := pal.Style(themes.Muted)
		drawText(s, r.x, r.y+i, 8, l.clock, muted)
		drawText(s, r.x+9, r.y+i, 1, l.glyph, pal.Style(l.role))
		drawText(s, r.x+eventIndent, r.y+i, r.w-eventIndent, l.text, pal.Style(l.role))
	}
}

func eventLines(e *core.Event, st *state.State, w int, zone *time.Location) []eventLine {
	glyph, words := state.EventLook(e.Kind)
	role := eventRole(e.Kind)
	label := ""
	if n := st.Tree.Node(e.Task); n != nil {
		label = core.CleanLine(n.Task.Label())
	}
	text := core.CleanLine(e.Text)
	if rest, ok := strings.CutPrefix(text, label+" "); ok && label != "" {
		text = rest
	} else if text == "" {
		text = words
	} else if state.Declares(e.Kind) || e.Kind == core.EvSessionStart {
		text = words + " · " + text
	}
	if label != "" {
		text = label + "  " + text
	}
	limit := maxEventLines
	if state.Declares(e.Kind) {
		limit = maxDeclared
	}
	width := max(4, w-eventIndent)
	var out []eventLine
	for i, line := range wrapLine(core.Short(text, width*limit), width) {
		if i == limit {
			break
		}
		l := eventLine{text: line, role: role}
		if i == 0 {
			l.clock, l.glyph = e.At.In(zone).Format(time.TimeOnly), glyph
		}
		out = append(out, l)
	}
	return out
}

func eventRole(k core.EventKind) themes.Role {
	switch k {
	case core.EvTaskComplete, core.EvCompleted:
		return themes.Completed
	case core.EvFailed:
		return themes.Failed
	case core.EvRefused, core.EvAutoStop:
		return themes.Warning
	case core.EvCancelled:
		return themes.Cancelled
	case core.EvApproval:
		return themes.NeedsYou
	case core.EvStart, core.EvTurn, core.EvResumed:
		return themes.Running
	case core.EvIdle, core.EvSessionIdle:
		return themes.Idle
	}
	return themes.Text
}
