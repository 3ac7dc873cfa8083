package state

import (
	"strings"
	"testing"

	"drover/core"
)

// TestUnread: a session that answers away from the cursor is unread until one
// looks, or until it works again; what was there at the start is not.
func TestUnread(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	says := func(want bool) {
		t.Helper()
		if n := s.Tree.Node("main1"); s.Unread("main1") != want || strings.HasPrefix(s.Doing(n), "idle, unread · ") != want {
			t.Fatalf("unread %v, it says %q", s.Unread("main1"), s.Doing(n))
		}
	}
	to := func(st core.Status, turn int) {
		change(s, "main1", func(v *core.TaskView) { v.Status, v.Turn, v.Activity = st, turn, "" })
	}
	says(false)
	to(core.Running, 1)
	to(core.Idle, 1)
	says(true)
	to(core.Running, 2)
	says(false)
	to(core.Idle, 2)
	to(core.Idle, 3) // a whole turn between two looks at the registry
	says(true)
	s.Tree.goTo("main1")
	press(s, "y")
	says(false)
	to(core.Running, 4)
	to(core.Idle, 4)
	says(false)
	change(s, "sync1", func(v *core.TaskView) { v.Status, v.Turn, v.Activity = core.Idle, 7, "" })
	if s.Unread("sync1") {
		t.Error("a subagent is its parent's to read")
	}
}
