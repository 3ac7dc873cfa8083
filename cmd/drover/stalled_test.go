package main

import (
	"strings"
	"testing"
	"time"

	"drover/core"
)

// TestPsSaysStalled: the command line calls stalled what the screen calls stalled, and nothing else.
func TestPsSaysStalled(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	a := &app{now: func() time.Time { return now }}
	long := now.Add(-4 * time.Minute)
	run := func(id, parent string, act core.Activity, detail string) core.TaskView {
		return core.TaskView{ID: id, Parent: parent, Name: id, Status: core.Running, Activity: act, Detail: detail, ActiveSince: long, LastEvent: &long, Created: &long}
	}
	got := a.tree([]core.TaskView{
		run("main1", "", core.ActChildren, "kid"), run("kid01", "main1", core.ActTool, "shell npm test"), run("wait1", "main1", core.ActApproval, "shell"),
	}, 2*time.Minute)
	lines := strings.Split(got, "\n")
	for i, want := range []string{"● running", "~ stalled", "! needs you"} {
		if !strings.Contains(lines[i+1], want) {
			t.Errorf("%q lacks %q", lines[i+1], want)
		}
	}
	if want := "no event for 4m (in tool shell npm test)"; !strings.Contains(lines[2], want) {
		t.Errorf("%q lacks %q", lines[2], want)
	}
	if got := a.tree([]core.TaskView{run("kid01", "", core.ActTool, "shell")}, 5*time.Minute); strings.Contains(got, "stalled") {
		t.Errorf("stalled too early:\n%s", got)
	}
}
