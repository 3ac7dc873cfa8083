package ui

import (
	"strconv"
	"strings"
	"time"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

const (
	maxEventLines = 2
	maxDeclared   = 14 // lines of a completion's summary
)

// eventBlocks are the rows of a timeline, oldest first.
func (v *view) eventBlocks(session string) []*block {
	evs := v.st.Timeline(session)
	blocks := make([]*block, 0, len(evs))
	for _, e := range evs {
		blocks = append(blocks, &block{key: state.EventKey(e.Seq), build: func(w int) []Line { return eventLines(e, v.st, w, v.p.o.Zone) }})
	}
	if len(blocks) == 0 {
		blocks = append(blocks, words(v.noEvents()))
	}
	return blocks
}

func (v *view) noEvents() string {
	switch {
	case v.st.Pages.Filter.Any():
		return "nothing of this kind has happened" + v.st.Keyed("; {back} shows all")
	case v.st.View.Show == state.ShowCompletions:
		return "nothing has been declared complete yet: autopilot does that, with task_complete"
	}
	return "nothing has happened yet"
}

// words is a block of muted text.
func words(text string) *block {
	return &block{build: func(w int) []Line { return Wrap(Line{{Text: text, Role: themes.Muted}}, w) }}
}

// eventLines is one event: when, what, of whom, and what there is to read about it.
func eventLines(e *core.Event, st *state.State, w int, zone *time.Location) []Line {
	label := ""
	if n := st.Tree.Node(e.Task); n != nil {
		label = core.CleanLine(n.Task.Label())
	}
	glyph, what, text := state.EventWords(e, label)
	role := eventRole(e.Kind)
	clock := e.At.In(zone).Format(time.TimeOnly)
	if w < 40 {
		clock = e.At.In(zone).Format("15:04")
	}
	head := Line{{Text: clock + " ", Role: themes.Muted}, {Text: glyph + " ", Role: role}}
	indent := lineWidth(head)
	width := max(4, w-indent)
	body := Line{}
	if label != "" {
		body = append(body, Span{Text: label + "  ", Attr: Bold})
	}
	if !saysItself(e.Kind) || text == "" {
		body = append(body, Span{Text: what, Role: role})
		if text != "" {
			body = append(body, Span{Text: " · ", Role: themes.Muted})
		}
	}
	limit := maxEventLines
	var lines []Line
	if state.Declares(e.Kind) {
		limit = maxDeclared
		lines = append(Wrap(body[:max(0, len(body)-1)], width), capped(text, width, Span{Role: themes.Text})...)
		if text == "" {
			lines = Wrap(body, width)
		}
	} else {
		lines = Wrap(append(body, Span{Text: core.Short(text, width*limit), Role: role}), width)
	}
	if n := len(lines); n > limit {
		lines = append(lines[:limit:limit], Line{{Text: "… " + strconv.Itoa(n-limit) + " more lines", Role: themes.Muted}})
	}
	for i, l := range lines {
		if i == 0 {
			lines[i] = append(head, l...)
		} else {
			lines[i] = append(Line{{Text: strings.Repeat(" ", indent)}}, l...)
		}
	}
	return lines
}

// saysItself reports whether an event's text is a sentence that needs no words before it.
func saysItself(k core.EventKind) bool {
	switch k {
	case core.EvSessionStart, core.EvTaskComplete, core.EvRefused, core.EvLimit, core.EvResult, core.EvNotify, core.EvHook, core.EvModel,
		core.EvRetry, core.EvToolRefused, core.EvRequest, core.EvCompacted:
		return false
	}
	return true
}

func eventRole(k core.EventKind) themes.Role {
	switch k {
	case core.EvTaskComplete, core.EvCompleted, core.EvResult:
		return themes.Completed
	case core.EvFailed:
		return themes.Failed
	case core.EvRefused, core.EvAutoStop, core.EvLimit, core.EvRetry, core.EvToolRefused:
		return themes.Warning
	case core.EvCancelled:
		return themes.Cancelled
	case core.EvApproval:
		return themes.NeedsYou
	case core.EvStart, core.EvTurn, core.EvResumed, core.EvUnparked, core.EvContinue:
		return themes.Running
	case core.EvParked:
		return themes.Queued
	case core.EvIdle, core.EvSessionIdle:
		return themes.Idle
	case core.EvHook, core.EvModel, core.EvNotify, core.EvPromoted:
		return themes.Notice
	}
	return themes.Text
}
