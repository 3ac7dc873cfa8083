package run

import (
	_ "embed"
	"fmt"
	"strings"

	"drover/core"
)

//go:embed continue.md
var continueText string

// Decision is what autopilot does when its session is idle.
type Decision struct {
	Continue bool
	Stop     core.Code // set where autopilot gives up
	Why      string
}

// Reminder is the message of a continuation.
func Reminder() string { return strings.TrimSpace(continueText) }

// Autopilot decides, at session.idle, by the session, its main task and main's
// turns (oldest first). It is pure. Nothing happens while autopilot is off,
// after a completion in main's last turn, after a failed turn, or after a
// person's interruption; it stops when the limit is reached, and when two
// continuations in a row brought no tool call (orchestration.md 15, complaint 18).
func Autopilot(s core.Session, main core.Task, completed bool, turns []core.Turn) Decision {
	if !s.Autopilot || completed || main.Status != core.Idle || main.ErrorCode != "" || main.Turn == 0 {
		return Decision{}
	}
	idle := 0
	for i := len(turns) - 1; i >= 0 && turns[i].Sender == core.SenderAutopilot && turns[i].ToolCalls == 0; i-- {
		idle++
	}
	switch {
	case idle >= 2:
		return Decision{Stop: core.CodeNoProgress, Why: "two continuations in a row brought no tool call"}
	case s.Continues >= s.MaxContinues:
		return Decision{Stop: core.CodeMaxContinues, Why: fmt.Sprintf("%d continuations did not complete the job", s.Continues)}
	}
	return Decision{Continue: true}
}
