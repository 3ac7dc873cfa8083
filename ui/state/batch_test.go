package state

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"drover/core"
)

// Many at once end in one receipt, whatever order the outcomes come in.
func TestReceiptsAreSummed(t *testing.T) {
	s := registry()
	effects := []Effect{End{"idle1"}, End{"idle2"}, End{"idle3"}}
	s.begin("closed", [2]string{"task", "tasks"}, effects, []string{"still running", "failed", "still running"})
	s.say("closing")
	for _, e := range effects {
		s.Done(e, core.Request{ID: 1, State: core.ReqQueued}, nil)
	}
	s.Done(effects[2], core.Request{ID: 1, State: core.ReqDone}, nil)
	s.Done(effects[0], core.Request{ID: 2, State: core.ReqRefused, Outcome: "explore-api is running"}, nil)
	if s.Toast.Text != "closing" {
		t.Errorf("said too early: %q", s.Toast.Text)
	}
	s.Done(effects[1], core.Request{ID: 3, State: core.ReqDone}, nil)
	if got, want := s.Toast.Text, "closed 2 tasks, 4 kept: 2 still running, 1 failed, 1 explore-api is running"; got != want || !s.Toast.Bad {
		t.Errorf("said %q, want %q", got, want)
	}
	if len(s.Marks.batches) != 0 {
		t.Errorf("%d are waited for", len(s.Marks.batches))
	}
	// One alone says what it always said.
	s.Done(End{"idle1"}, core.Request{Task: "idle1", State: core.ReqDone}, nil)
	if !strings.Contains(s.Toast.Text, "is closed: completed") {
		t.Errorf("said %q", s.Toast.Text)
	}
}

func TestCancelReceiptsAreSummed(t *testing.T) {
	s := registry()
	s.Tree.goTo("run11")
	press(s, ",")
	s.Tree.goTo("idle1")
	press(s, ",x")
	effects := press(s, "y")
	if len(effects) != 2 {
		t.Fatalf("did %v", effects)
	}
	receipt := func(r core.Receipt) core.Request {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return core.Request{ID: 1, Kind: core.ReqCancel, State: core.ReqDone, Outcome: string(b)}
	}
	for _, e := range effects {
		s.Done(e, core.Request{ID: 1, State: core.ReqQueued}, nil)
	}
	s.Done(effects[0], receipt(core.Receipt{Stopped: []core.Stopped{{Name: "a", MS: 5}, {Name: "b", MS: 1200}}}), nil)
	s.Done(effects[1], receipt(core.Receipt{Stopped: []core.Stopped{{Name: "c", MS: 20}}, NotStopped: []core.Stopped{{Name: "deep", Why: "its process ignores signals"}}}), nil)
	if got, want := s.Toast.Text, "stopped 3 tasks in 1.2s, 1 kept: deep would not stop: its process ignores signals"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	// A registry that takes nothing: each is told of, and what it says is not lost.
	s.begin("stopped", [2]string{"task", "tasks"}, effects, nil)
	for _, e := range effects {
		s.Done(e, core.Request{}, errors.New("the disk is full"))
	}
	if got, want := s.Toast.Text, "stopped 0 tasks, 2 kept: the disk is full"; got != want || !s.Toast.Bad {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestArchiveSaysWhatIsKept(t *testing.T) {
	s := registry()
	for _, id := range []string{"done1", "run11", "idle1"} {
		s.Tree.goTo(id)
		press(s, ",")
	}
	press(s, "z")
	if got := s.Toast.Text; !strings.HasPrefix(got, "archived done-one, 2 kept: ") || !strings.Contains(got, "1 still running") || !strings.Contains(got, "1 idle") {
		t.Errorf("said %q", got)
	}
}

func TestReviewFilter(t *testing.T) {
	s := reviewing()
	press(s, "R/second")
	if len(s.Review.Rows) != 1 || s.Review.Selected != "main1#20" {
		t.Fatalf("rows %v", s.Review.Rows)
	}
	press(s, "<Enter>")
	if s.View.Mode != Normal || len(s.Review.Rows) != 1 || s.Tree.Review != 3 {
		t.Errorf("kept: rows %v, %d to review", s.Review.Rows, s.Tree.Review)
	}
	// What is done to all is done to what is shown.
	press(s, "D")
	if !strings.Contains(s.View.Confirm.Text, "mark 1 completion as reviewed") {
		t.Errorf("asks %q", s.View.Confirm.Text)
	}
	press(s, "n")
	// Outcome and what was not done are looked in, too; !word leaves out.
	for words, want := range map[string]string{"blocked": "main1#20", "needs": "gone1#10", "!third !second": "gone1#10", "THIRD": "main1#30", "": "main1#30 main1#20 gone1#10", "nothing of it": ""} {
		press(s, "/<Ctrl-U>"+words+"<Enter>")
		if got := strings.Join(s.Review.Rows, " "); got != want {
			t.Errorf("%q shows %q, want %q", words, got, want)
		}
	}
	press(s, "/<Ctrl-U>zzz<Enter>d")
	if !strings.Contains(s.Toast.Text, "no completion fits the filter; Esc drops it") {
		t.Errorf("said %q", s.Toast.Text)
	}
	// Esc drops the filter first, then goes back to the tasks.
	press(s, "<Esc>")
	if !s.Review.Open || len(s.Review.Rows) != 3 {
		t.Errorf("Esc: open %v, rows %v", s.Review.Open, s.Review.Rows)
	}
	press(s, "<Esc>")
	if s.Review.Open {
		t.Error("Esc does not go back")
	}
	// In the tasks "/" is their filter again.
	press(s, "/explore<Enter>")
	if s.Tree.Filter != "explore" || s.Review.Filter != "" {
		t.Errorf("filters %q, %q", s.Tree.Filter, s.Review.Filter)
	}
}
