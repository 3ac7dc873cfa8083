package state

import (
	"slices"
	"strings"

	"drover/core"
)

// EventGroup is a kind of thing that happens, as a person filters by it.
type EventGroup struct {
	Name  string
	Help  string
	Kinds []core.EventKind
}

// EventGroups are all there are; together they hold every kind of a timeline.
func EventGroups() []EventGroup {
	return []EventGroup{
		{"completions", "what was declared complete, or refused", []core.EventKind{core.EvTaskComplete, core.EvRefused}},
		{"tasks", "starts, turns, answers, ends", []core.EventKind{core.EvSessionStart, core.EvSessionIdle, core.EvStart, core.EvTurn, core.EvIdle,
			core.EvCompleted, core.EvFailed, core.EvCancelled, core.EvPromoted, core.EvResumed}},
		{"approvals", "asked, allowed, denied", []core.EventKind{core.EvApproval, core.EvApproved, core.EvDenied}},
		{"autopilot", "continuations, stops", []core.EventKind{core.EvContinue, core.EvAutoStop, core.EvAutopilot}},
		{"trouble", "failures, retries, rate limits, limits, refusals", []core.EventKind{core.EvFailed, core.EvRetry, core.EvParked, core.EvUnparked,
			core.EvLimit, core.EvToolRefused, core.EvAutoStop, core.EvRefused}},
		{"results", "what was handed in, progress that was told, plans", []core.EventKind{core.EvResult, core.EvNotify, core.EvTodos, core.EvTaskComplete}},
		{"engine", "hooks, models, shortened histories, requests", []core.EventKind{core.EvHook, core.EvModel, core.EvCompacted, core.EvRequest}},
	}
}

// GroupOf finds the group of that name.
func GroupOf(name string) (EventGroup, bool) {
	for _, g := range EventGroups() {
		if g.Name == name {
			return g, true
		}
	}
	return EventGroup{}, false
}

// GroupNames are the names to filter by.
func GroupNames() []string {
	var names []string
	for _, g := range EventGroups() {
		names = append(names, g.Name)
	}
	return names
}

// EventFilter is what a person wants to see of a timeline. The zero value shows all.
type EventFilter struct {
	Group string // of EventGroups, or ""
	Words string // all must be in the text; !word must not
	Task  string // and only of this task
}

// Any reports whether something is left out.
func (f EventFilter) Any() bool { return f != EventFilter{} }

// Passes reports whether the event is shown; label is what its task is called.
func (f EventFilter) Passes(e *core.Event, label string) bool {
	if f.Task != "" && e.Task != f.Task {
		return false
	}
	if g, ok := GroupOf(f.Group); ok && !slices.Contains(g.Kinds, e.Kind) {
		return false
	}
	if f.Words == "" {
		return true
	}
	_, words := EventLook(e.Kind)
	hay := strings.ToLower(label + " " + words + " " + e.Text)
	for _, w := range strings.Fields(strings.ToLower(f.Words)) {
		w, not := strings.CutPrefix(w, "!")
		if w != "" && strings.Contains(hay, w) == not {
			return false
		}
	}
	return true
}

// EventWords is an event in plain words: what happened, and in text what to
// read about it, "" where the words say it all. A completion is told by its
// outcome; text may have lines.
func EventWords(e *core.Event, label string) (glyph, words, text string) {
	glyph, words = EventLook(e.Kind)
	text = strings.TrimSpace(core.Clean(e.Text))
	if e.Kind != core.EvTaskComplete {
		text = core.CleanLine(text)
		if rest, ok := strings.CutPrefix(text, label+" "); ok && label != "" {
			text = rest
		}
		if _, rest, ok := strings.Cut(text, words+": "); ok && rest != "" && strings.HasPrefix(text, words+": ") {
			text = rest
		}
		return glyph, words, text
	}
	outcome, summary, ok := strings.Cut(text, ": ")
	if !ok {
		return glyph, words, text
	}
	switch core.Outcome(outcome) {
	case core.OutcomeDone:
		return glyph, "declared complete: done", summary
	case core.OutcomeBlocked:
		return "■", "declared complete: blocked", summary
	case core.OutcomeNeedsInput:
		return "?", "declared complete: needs input", summary
	}
	return glyph, words, text
}

// KnownKind reports whether there are events of that kind in a timeline.
func KnownKind(k core.EventKind) bool {
	return slices.ContainsFunc(EventGroups(), func(g EventGroup) bool { return slices.Contains(g.Kinds, k) })
}
