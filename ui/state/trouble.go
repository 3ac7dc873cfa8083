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
		return join("parked", " ", core.CleanLine(t.Detail)) + ": the provider's rate limit is reached. It goes on by itself" + s.Keyed("; {cancel} cancels it")
	case look == LookQueued:
		return "it waits for a slot; it begins when another task of the session rests" + s.Keyed("; {cancel} cancels it")
	case look == LookStalled:
		return s.stallText(n) + s.Keyed("; {interrupt} interrupts it with a message") + s.Keyed("; {cancel} cancels it")
	case look == LookInterrupted:
		return "interrupted: the process that ran it has died, and nothing is lost" + s.Keyed("; {resume} takes it up where it stood")
	case look == LookFailed:
		return join(join("failed", " with ", code), ": ", detail)
	case look == LookCancelled:
		return "cancelled" + by(t.EndedBy)
	case look == LookIdle && code != "":
		return join("its last turn ended with "+code, ": ", detail) + s.Keyed("; {message} writes to it")
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
