package state

import (
	"fmt"
	"strings"
	"time"

	"drover/core"
)

// usualStall is after how long without an event a running task is said to be stalled.
const usualStall = 2 * time.Minute

// quiet is how long nothing has been heard of a task that ought to be heard
// of: not of one that waits for a person, a slot, a rate limit or its children.
func (s *State) quiet(n *Node) time.Duration {
	t := &n.Task
	if n.Head != "" || t.Look() != LookRunning || t.Activity == core.ActChildren && n.Below().Running+n.Below().Needs > 0 {
		return 0
	}
	return unheard(max(t.ActiveSince, t.LastEvent), s.Now)
}

func unheard(last At, now time.Time) time.Duration {
	if last == 0 {
		return 0
	}
	return max(0, now.Sub(last.Time()))
}

// Stalled is how long nothing has been heard of a task, and how that is said, once it is
// longer than after (0: two minutes); working is whether something under it is at work.
func Stalled(t *core.TaskView, working bool, after time.Duration, now time.Time) (string, bool) {
	if after <= 0 {
		after = usualStall
	}
	if LookOf(t) != LookRunning || t.Activity == core.ActChildren && working {
		return "", false
	}
	quiet := unheard(max(at(&t.ActiveSince), at(t.LastEvent)), now)
	if quiet < after {
		return "", false
	}
	return fmt.Sprintf("no event for %s (in %s)", Ago(quiet), strings.TrimSpace(string(t.Activity)+" "+core.CleanLine(t.Detail))), true
}

// stalled reports whether it has been quiet for too long.
func (s *State) stalled(n *Node) bool {
	after := s.Config.StallAfter
	if after <= 0 {
		after = usualStall
	}
	return s.quiet(n) >= after
}

// countStalled looks at what runs only.
func (s *State) countStalled() {
	s.Tree.Stalled = 0
	for _, n := range s.Tree.work.busy {
		if s.stalled(n) {
			s.Tree.Stalled++
		}
	}
}

// Look is how the row of the task is shown now.
func (s *State) Look(n *Node) Look {
	if s.stalled(n) {
		return LookStalled
	}
	return n.Task.Look()
}

// stallText says since when and in what it is quiet.
func (s *State) stallText(n *Node) string {
	return fmt.Sprintf("no event for %s (in %s)", Ago(s.quiet(n)), busy(n))
}

// Ago writes a duration in one unit: 40s, 4m, 3h, 2d.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
