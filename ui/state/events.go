package state

import (
	"slices"

	"drover/core"
)

// maxEvents is how many events of a session the screen keeps.
const maxEvents = 5000

// Events are the timelines of the sessions.
type Events struct {
	lists  map[string][]core.Event // by session, oldest first
	loaded map[string]bool
}

func (e *Events) add(ev core.Event) {
	l := e.lists[ev.Session]
	i, found := slices.BinarySearchFunc(l, ev.Seq, func(x core.Event, seq int64) int { return int(x.Seq - seq) })
	if found || !ev.Notable {
		return
	}
	l = slices.Insert(l, i, ev)
	if len(l) > maxEvents {
		l = slices.Delete(l, 0, len(l)-maxEvents)
	}
	e.lists[ev.Session] = l
}

// AddEvents takes over events that were asked for.
func (s *State) AddEvents(evs []core.Event) {
	for _, e := range evs {
		s.Events.add(e)
	}
	s.Pages.Version++
}

// Declares reports whether the event is about a completion: declared or refused.
func Declares(k core.EventKind) bool { return k == core.EvTaskComplete || k == core.EvRefused }

// EventLook is the glyph and the words of an event's kind.
func EventLook(k core.EventKind) (glyph, words string) {
	switch k {
	case core.EvSessionStart:
		return "▸", "session started"
	case core.EvSessionIdle:
		return "○", "session idle"
	case core.EvTaskComplete:
		return "✓", "completion declared"
	case core.EvRefused:
		return "✗", "completion refused"
	case core.EvContinue:
		return "↻", "autopilot continues"
	case core.EvAutoStop:
		return "■", "autopilot stopped"
	case core.EvAutopilot:
		return "↻", "autopilot"
	case core.EvStart:
		return "●", "started"
	case core.EvTurn:
		return "●", "next turn"
	case core.EvIdle:
		return "○", "answered"
	case core.EvCompleted:
		return "✓", "completed"
	case core.EvFailed:
		return "✗", "failed"
	case core.EvCancelled:
		return "⊘", "cancelled"
	case core.EvPromoted:
		return "↓", "moved to the background"
	case core.EvResumed:
		return "▸", "resumed"
	case core.EvApproval:
		return "!", "needs you"
	case core.EvApproved:
		return "+", "allowed"
	case core.EvDenied:
		return "-", "denied"
	case core.EvRequest:
		return "»", "request"
	case core.EvReview:
		return "·", "review"
	case core.EvTodos:
		return "·", "plan"
	}
	return laterLook(k)
}

// laterLook is EventLook of what happens to a task on its way.
func laterLook(k core.EventKind) (glyph, words string) {
	switch k {
	case core.EvRetry:
		return "~", "model call again"
	case core.EvParked:
		return "z", "parked at a rate limit"
	case core.EvUnparked:
		return "Z", "goes on after the rate limit"
	case core.EvLimit:
		return "▲", "limit"
	case core.EvResult:
		return "□", "result"
	case core.EvCompacted:
		return "≡", "history shortened"
	case core.EvModel:
		return "◇", "other model"
	case core.EvHook:
		return "▒", "hook"
	case core.EvToolRefused:
		return "≠", "tool refused"
	case core.EvNotify:
		return "◆", "progress"
	}
	return "·", core.CleanLine(string(k))
}
