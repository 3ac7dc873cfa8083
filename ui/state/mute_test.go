package state

import (
	"strings"
	"testing"

	"drover/core"
)

// TestMute: what is muted, and what is under it, is in the inbox and calls nobody; the rest says whose it is.
func TestMute(t *testing.T) {
	s := registry()
	ask := func(id int64, task string) (notices []string) {
		for _, e := range s.Apply(core.Update{
			Tasks: []core.TaskView{s.Tree.Node(task).Task.View()}, Changed: []string{task},
			Approvals: []core.Approval{{ID: id, Session: "main1", Task: task, Tool: "shell", Subject: "ls", State: core.AppPending, Created: t0}},
		}) {
			if n, ok := e.(Notify); ok {
				notices = append(notices, n.Text)
			}
		}
		return notices
	}
	if got := strings.Join(ask(1, "main1"), "|"); got != "Add coupons needs you: shell ls" {
		t.Errorf("got %q", got)
	}
	s.Tree.goTo("sync1")
	if got := press(s, ":mute<Enter>"); len(got) == 0 || got[0] != (PutNote{Key: "muted sync1", Value: "on"}) {
		t.Errorf("got %v", got)
	}
	if got := ask(2, "deep1"); got != nil || !s.Muted("deep1") || s.Muted("run11") {
		t.Errorf("it is muted and calls: %q", got)
	}
	s.Tree.goTo("deep1")
	if got := press(s, ":mute<Enter>"); got != nil || !s.Toast.Bad {
		t.Errorf("got %v, %q", got, s.Toast.Text)
	}
	s.Tree.goTo("sync1")
	press(s, ":mute<Enter>")
	if got := strings.Join(ask(3, "deep1"), "|"); !strings.HasPrefix(got, "Add coupons › ") || !strings.Contains(got, "needs you") {
		t.Errorf("got %q", got)
	}
}

// TestLeftLeavesTheEmptyComposer, and no other.
func TestLeftLeavesTheEmptyComposer(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	press(s, "ma<Left><Left>")
	if s.View.Mode != Composing {
		t.Fatal("left with a text")
	}
	press(s, "<Ctrl-K><Left>")
	if s.View.Mode != Normal {
		t.Error("← does not leave the empty composer")
	}
}

// TestHelpIsSearched: from the help to the same keys as a list; not while something is being typed.
func TestHelpIsSearched(t *testing.T) {
	s := registry()
	press(s, "?/mess")
	if s.View.Mode != Picking || len(s.Home.Palette.Fit) == 0 {
		t.Errorf("mode %v", s.View.Mode)
	}
	press(s, "<Esc>")
	s.Tree.goTo("idle1")
	press(s, "mhello<F1>/")
	if s.View.Mode != Reading || s.Toast.Text != "first put aside what you are typing" {
		t.Errorf("the composer was left, or not a word why not: %q", s.Toast.Text)
	}
	press(s, "<Esc>")
	if s.View.Mode != Composing || s.Input.Compose.Editor.String() != "hello" {
		t.Error("what was typed is gone")
	}
}

func TestTwoAgentsOneFile(t *testing.T) {
	files := ByFile([]Edit{{Task: "a", Path: "x.go"}, {Task: "b", Path: "y.go"}, {Task: "c", Path: "x.go"}, {Task: "a", Path: "x.go"}})
	for i := range files {
		if got, want := strings.Join(files[i].Tasks(), " "), map[string]string{"x.go": "a c", "y.go": "b"}[files[i].Path]; got != want {
			t.Errorf("%s: %q, want %q", files[i].Path, got, want)
		}
	}
}

// TestAnsweredIsTold: a session that a person leads calls when it rests, not while something under it works.
func TestAnsweredIsTold(t *testing.T) {
	for _, c := range []struct {
		name  string
		quiet bool // nothing under it works
		want  string
	}{{"at rest", true, "Add coupons has answered"}, {"children at work", false, ""}} {
		s := registry()
		if c.quiet {
			for id := range s.Tree.nodes {
				if n := s.Tree.Node(id); n.Parent != nil && n.Task.Session == "main1" {
					change(s, id, func(v *core.TaskView) { v.Status, v.Activity, v.NeedsApproval = core.Idle, "", false })
				}
			}
		}
		v := s.Tree.Node("main1").Task.View()
		v.Status, v.Activity, v.Rev = core.Idle, "", v.Rev+1
		var got string
		for _, e := range s.Apply(core.Update{Tasks: []core.TaskView{v}}) {
			if n, ok := e.(Notify); ok {
				got += n.Text
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
