package state

import (
	"fmt"

	"drover/core"
)

// Trouble says why the task does not go on and what helps, in words for the foot of its
// transcript; "" when nothing is wrong with it.
func (s *State) Trouble(n *Node) string {
	t := &n.Task
	detail := core.Short(core.CleanLine(t.Error), 300)
	code := core.CleanLine(string(t.ErrorCode))
	switch look := s.Look(n); {
	case look == LookParked:
		return join("parked", " ", core.CleanLine(t.Detail)) + ": the provider's rate limit is reached. It goes on by itself" + s.keyed("; ", "cancel", " cancels it")
	case look == LookQueued:
		return "it waits for a slot; it begins when another task of the session rests" + s.keyed("; ", "cancel", " cancels it")
	case look == LookStalled:
		return s.stallText(n) + s.keyed(". ", "interrupt", " interrupts it with a message") + s.keyed(", ", "cancel", " cancels it")
	case look == LookInterrupted:
		return "interrupted: the process that ran it has died, and nothing is lost" + s.keyed(". ", "resume", " takes it up where it stood")
	case look == LookFailed:
		return join(join("failed", " with ", code), ": ", detail)
	case look == LookCancelled:
		return "cancelled" + by(t.EndedBy)
	case look == LookIdle && code != "":
		return join("its last turn ended with "+code, ": ", detail) + s.keyed(". ", "message", " writes to it")
	}
	return ""
}

// keyed names the key of a command in a sentence; "" when it has none.
func (s *State) keyed(before, id, after string) string {
	if k := s.KeyOf(id); k != "" {
		return before + k + after
	}
	return ""
}

func by(who string) string {
	switch who {
	case "":
		return ""
	case core.SenderUser:
		return " by you"
	}
	return fmt.Sprintf(" by %s", core.CleanLine(who))
}
