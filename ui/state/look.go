package state

import (
	"fmt"
	"strings"
	"time"

	"drover/core"
)

// Look is how a task is shown: one glyph and one word, never the same for two.
type Look int

// The looks there are.
const (
	LookRunning Look = iota
	LookQueued
	LookParked
	LookStalled // running, but nothing has been heard of it
	LookNeeds
	LookIdle
	LookInterrupted
	LookCompleted
	LookFailed
	LookCancelled
	looks
)

// LookOf decides how the task is shown.
func LookOf(t *core.TaskView) Look {
	return lookOf(t.Status, t.Activity, t.Interrupted, t.NeedsApproval)
}

func lookOf(status core.Status, activity core.Activity, interrupted, needs bool) Look {
	switch {
	case status == core.Completed:
		return LookCompleted
	case status == core.Failed:
		return LookFailed
	case status == core.Cancelled:
		return LookCancelled
	case interrupted:
		return LookInterrupted
	case needs || activity == core.ActApproval:
		return LookNeeds
	case status == core.Idle:
		return LookIdle
	case activity == core.ActQueued:
		return LookQueued
	case activity == core.ActParked:
		return LookParked
	}
	return LookRunning
}

// Glyph is one column wide in every terminal and no emoji.
func (l Look) Glyph() string {
	return [looks]string{"●", "◌", "z", "~", "!", "○", "↯", "✓", "✗", "⊘"}[l]
}

// Word says the same.
func (l Look) Word() string {
	return [looks]string{"running", "queued", "parked", "stalled", "needs you", "idle", "interrupted", "completed", "failed", "cancelled"}[l]
}

// Title is what the row of a task is called: a session by its title, else the task by its name.
func (s *State) Title(n *Node) string {
	if n.Parent == nil && n.Task.Kind == core.KindMain {
		if t := core.CleanLine(s.Tree.sessions[n.Task.Session].Title); t != "" {
			return t
		}
		if t := core.CleanLine(n.Task.Description); t != "" {
			return t
		}
	}
	return core.CleanLine(n.Task.Label())
}

// Doing says what the task is doing, in words that stand without colour.
func (s *State) Doing(n *Node) string {
	t := &n.Task
	look := s.Look(n)
	switch look {
	case LookStalled:
		return s.stallText(n)
	case LookNeeds:
		if as := s.Wants.approvals[t.ID]; len(as) > 0 {
			return "needs you: " + Ask(&as[0])
		}
		return join("needs you", ": ", core.CleanLine(t.Detail))
	case LookQueued:
		return "queued for a slot"
	case LookParked:
		return join("parked", " ", minute(core.CleanLine(t.Detail)))
	case LookInterrupted:
		return "interrupted"
	case LookFailed:
		return join("failed", ": ", core.CleanLine(t.Error))
	case LookCompleted, LookCancelled:
		return join(look.Word(), " · ", string(t.Outcome))
	case LookIdle:
		idle := "idle"
		if s.Unread(t.ID) {
			idle = "idle, unread"
		}
		if n.Below().Running+n.Below().Needs > 0 {
			return fmt.Sprintf("%s · %d at work", idle, n.Below().Running+n.Below().Needs)
		}
		if left := n.Below().Interrupted; left > 0 {
			return fmt.Sprintf("%s · %d interrupted", idle, left)
		}
		if t.ErrorCode != "" && t.Outcome == "" {
			return idle + " · " + strings.ReplaceAll(core.CleanLine(string(t.ErrorCode)), "_", " ")
		}
		return join(idle, " · ", outcome(t.Outcome))
	}
	return join(busy(n), " · ", core.CleanLine(t.Intent))
}

func outcome(o core.Outcome) string {
	switch o {
	case "":
		return ""
	case core.OutcomeNeedsInput:
		return "needs input"
	}
	return string(o)
}

func busy(n *Node) string {
	t := &n.Task
	detail := core.CleanLine(t.Detail)
	switch t.Activity {
	case core.ActModel:
		return join("model", ": ", detail) // of a call that is made again, when
	case core.ActTool:
		return join("tool", " ", detail)
	case core.ActChildren:
		working := 0
		for _, k := range n.Kids {
			if k.Task.Status == core.Running {
				working++
			}
		}
		if working == 0 {
			return join("waits for", " ", core.Short(join("children", " ", detail), 40))
		}
		return "waits for " + plural(working, "child", "children")
	case core.ActHook:
		return join("hook", " ", detail)
	case core.ActCompacting:
		return "compacting"
	}
	return "running"
}

// minute leaves the seconds out of "until 09:07:25": a row has no room for them.
func minute(until string) string {
	if at, ok := strings.CutPrefix(until, "until "); ok && len(at) == len("15:04:05") {
		return until[:len(until)-len(":05")]
	}
	return until
}

// Ask is a pending tool call in one line: the tool and what it is about.
func Ask(a *core.Approval) string {
	return join(core.CleanLine(a.Tool), " ", core.CleanLine(a.Subject))
}

// Elapsed writes a duration as people read it: 0:41, 12:05, 3:07:12, 2d 04h.
func Elapsed(d time.Duration) string {
	sec := int64(max(d, 0) / time.Second)
	switch {
	case sec < 3600:
		return fmt.Sprintf("%d:%02d", sec/60, sec%60)
	case sec < 100*3600:
		return fmt.Sprintf("%d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	}
	return fmt.Sprintf("%dd %02dh", sec/86400, sec/3600%24)
}

// Brief writes the same in five characters: 0:41, 12:05, 3h07, 2d04h, 123d.
func Brief(d time.Duration) string {
	sec := int64(max(d, 0) / time.Second)
	switch {
	case sec < 3600:
		return fmt.Sprintf("%d:%02d", sec/60, sec%60)
	case sec < 100*3600:
		return fmt.Sprintf("%dh%02d", sec/3600, sec/60%60)
	case sec < 10*86400:
		return fmt.Sprintf("%dd%02dh", sec/86400, sec/3600%24)
	}
	return fmt.Sprintf("%dd", sec/86400)
}

// Tokens writes a count of tokens: 812, 41k, 1.3M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_500:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func join(a, sep, b string) string {
	if b == "" {
		return a
	}
	return a + sep + b
}

func names(of []string, limit int) string {
	if len(of) > limit {
		return fmt.Sprintf("%s and %d more", strings.Join(of[:limit], ", "), len(of)-limit)
	}
	return strings.Join(of, ", ")
}
