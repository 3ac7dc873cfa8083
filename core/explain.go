package core

import (
	"fmt"
	"strings"
	"time"
)

// Why says in plain words why the task is in the state it is in, and what
// would bring it out of it.
func (d *Detail) Why(now time.Time) string {
	t := &d.Task
	since := ""
	if t.LastEvent != nil {
		since = " for " + now.Sub(*t.LastEvent).Truncate(time.Second).String()
	}
	switch {
	case t.Interrupted:
		return "interrupted: the process that ran it is gone" + since + "; drover resume " + t.ID + " goes on where it stopped"
	case t.Status == Running:
		return d.busy(since)
	case t.Status == Idle && t.ErrorCode != "":
		return fmt.Sprintf("idle: its last turn ended with %s (%s); it takes a message: drover send %s TEXT", t.ErrorCode, Short(CleanLine(t.Error), 200), t.ID)
	case t.Status == Idle && t.Outcome != "":
		return fmt.Sprintf("idle: it declared the job %s; it takes a follow-up: drover send %s TEXT", t.Outcome, t.ID)
	case t.Status == Idle:
		return fmt.Sprintf("idle: turn %d is answered; it takes a follow-up: drover send %s TEXT", t.Turn, t.ID)
	case t.Status == Cancelled:
		return "cancelled by " + whoText(t.EndedBy) + "; that is final"
	case t.Status == Failed:
		return fmt.Sprintf("failed with %s: %s", t.ErrorCode, Short(CleanLine(t.Error), 300))
	}
	return "completed: closed by " + whoText(t.EndedBy)
}

// busy says what a running task does or waits for.
func (d *Detail) busy(since string) string {
	t := &d.Task
	detail := Short(CleanLine(t.Detail), 120)
	switch t.Activity {
	case ActQueued:
		return "running, queued" + since + ": every slot is in use; it starts when one is free"
	case ActApproval:
		for _, a := range d.Approvals {
			if a.State == AppPending {
				return fmt.Sprintf("running, and waits%s for you: may it run %s %s? drover approve %s, or drover deny %s", since, a.Tool, Short(CleanLine(a.Subject), 120), ApprovalRef(a.ID), ApprovalRef(a.ID))
			}
		}
	case ActParked:
		return "running, parked " + detail + ": its provider's rate limit was reached; it goes on by itself"
	case ActChildren:
		var names []string
		for _, c := range d.Children {
			if c.Status == Running {
				names = append(names, fmt.Sprintf("%s (%s)", CleanLine(c.Label()), c.ID))
			}
		}
		if len(names) > 0 {
			return "running, and waits" + since + " for " + Short(strings.Join(names, ", "), 300)
		}
	case ActModel:
		if detail != "" {
			return "running: the model call is made again (" + detail + ")"
		}
		return "running: its model was asked" + since
	case ActTool:
		return "running: in tool " + detail + since
	case ActHook:
		return "running: a hook of yours works" + since
	case ActCompacting:
		return "running: its long history is being shortened" + since
	}
	return strings.TrimSpace("running" + since)
}
