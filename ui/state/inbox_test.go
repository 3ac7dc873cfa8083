package state

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"drover/core"
)

// asking is a registry in which tasks of two sessions wait for answers.
func asking() *State {
	s := registry()
	s.Config.RuleFor = func(tool, subject string) string {
		if tool == "odd" {
			return ""
		}
		return tool + "(" + subject + ")"
	}
	s.Apply(core.Update{
		Changed: []string{"run11", "deep1", "idle1"},
		Approvals: []core.Approval{
			{ID: 1, Session: "main1", Task: "run11", Tool: "shell", Subject: "npm test", Args: json.RawMessage(`{"command":"npm test"}`), State: core.AppPending, Created: t0},
			{ID: 2, Session: "main1", Task: "deep1", Tool: "shell", Subject: "npm test", Args: json.RawMessage(`{"command":"npm test"}`), State: core.AppPending, Created: t0.Add(time.Second)},
			{ID: 3, Session: "main1", Task: "idle1", Tool: "odd", Subject: "x", Args: json.RawMessage(`{"x":1}`), State: core.AppPending, Created: t0.Add(2 * time.Second)},
		},
	})
	return s
}

func pass(s *State, d time.Duration) { s.Now = s.Now.Add(d) }

// A call that comes under the cursor because another has gone is not answered
// by a key that was on its way; the cursor stays on its call otherwise.
func TestInboxTypingThrough(t *testing.T) {
	s := asking()
	press(s, "I")
	if e := press(s, "a"); len(e) != 0 || !strings.Contains(s.Toast.Text, "only just come up") {
		t.Fatalf("a key within the guard did %v, said %q", e, s.Toast.Text)
	}
	pass(s, time.Second)
	if e := press(s, "a"); !reflect.DeepEqual(e, []Effect{Approve{Task: "run11", Approval: 1, Scope: core.ScopeOnce}}) {
		t.Fatalf("allow did %v", e)
	}
	if e := press(s, "a"); len(e) != 0 {
		t.Fatalf("the same key answered the next call too: %v", e)
	}
	pass(s, 499*time.Millisecond)
	if e := press(s, "a"); len(e) != 0 {
		t.Fatalf("within 500 ms: %v", e)
	}
	pass(s, time.Second)
	press(s, "j")
	pass(s, time.Second)
	if q := s.Question(); q == nil || q.ID != 3 {
		t.Fatalf("the cursor is on %+v", q)
	}
	// The one above vanishes: nothing moves, and the answer is for the same call.
	s.Apply(core.Update{Changed: []string{"deep1"}})
	if q := s.Question(); q == nil || q.ID != 3 || s.Inbox.At() != 0 {
		t.Fatalf("the cursor went to %+v at %d", q, s.Inbox.At())
	}
	if e := press(s, "a"); !reflect.DeepEqual(e, []Effect{Approve{Task: "idle1", Approval: 3, Scope: core.ScopeOnce}}) {
		t.Fatalf("allow did %v", e)
	}
	if s.Question() != nil || !s.Inbox.Open {
		t.Error("the empty inbox closes by itself")
	}
}

// Answered elsewhere under the cursor: what takes its place waits for a reader.
func TestInboxVanishesUnderTheCursor(t *testing.T) {
	s := asking()
	press(s, "I")
	pass(s, time.Second)
	s.Apply(core.Update{Changed: []string{"run11"}})
	if q := s.Question(); q == nil || q.ID != 2 {
		t.Fatalf("the cursor is on %+v", q)
	}
	if e := press(s, "aA="); len(e) != 0 || s.View.Mode != Normal {
		t.Fatalf("keys answered what came up under them: %v", e)
	}
	if e := press(s, "d"); len(e) != 0 || s.View.Mode != Normal {
		t.Fatal("a denial began")
	}
	pass(s, time.Second)
	if e := press(s, "dtoo risky<Enter>"); !reflect.DeepEqual(e, []Effect{Deny{Task: "deep1", Approval: 2, Reason: "too risky"}}) {
		t.Fatalf("deny did %v", e)
	}
}

// Letters that are typed somewhere approve nothing.
func TestLettersApproveNothing(t *testing.T) {
	for _, keys := range []string{"maA", "naA=", ":aA", "/aA", "Ima=A", "@aA", "RaA", "?aA", "IvaA", "I:aA"} {
		s := asking()
		s.Tree.goTo("run11")
		pass(s, time.Minute)
		s.Apply(core.Update{})
		for _, e := range press(s, keys) {
			switch e.(type) {
			case Approve, Deny:
				t.Errorf("keys %s did %v", keys, e)
			}
		}
	}
}

func TestInboxIdentical(t *testing.T) {
	s := asking()
	press(s, "I")
	pass(s, time.Second)
	press(s, "=")
	if want := "allow 2 identical calls of shell npm test? Asked by Add coupons › survey, Add coupons › plan › deep"; s.View.Confirm.Text != want {
		t.Fatalf("asks %q", s.View.Confirm.Text)
	}
	// One more comes in: it is not among those that were asked about.
	s.Apply(core.Update{Changed: []string{"sync1"}, Approvals: []core.Approval{{ID: 9, Session: "main1", Task: "sync1", Tool: "shell", Subject: "npm test", Args: json.RawMessage(`{"command":"npm test"}`), State: core.AppPending, Created: t0}}})
	// And one is answered elsewhere: the question says so, and waits for a reader.
	s.Apply(core.Update{Changed: []string{"deep1"}})
	if want := "allow 1 call of shell npm test? Asked by Add coupons › survey"; s.View.Confirm.Text != want {
		t.Fatalf("asks %q", s.View.Confirm.Text)
	}
	if e := press(s, "y"); len(e) != 0 {
		t.Fatalf("a question that has just changed was answered: %v", e)
	}
	pass(s, time.Second)
	if e := press(s, "y"); !reflect.DeepEqual(e, []Effect{Approve{Task: "run11", Approval: 1, Scope: core.ScopeOnce}}) {
		t.Fatalf("yes did %v", e)
	}
	press(s, "g")
	pass(s, time.Second)
	if press(s, "="); s.View.Mode == Confirming || !strings.Contains(s.Toast.Text, "no other call is identical") {
		t.Errorf("said %q", s.Toast.Text)
	}
	press(s, "G")
	pass(s, time.Second)
	if e := press(s, "A"); len(e) != 0 || !strings.Contains(s.Toast.Text, "no safe rule") {
		t.Errorf("always did %v, said %q", e, s.Toast.Text)
	}
}

// reviewing is a registry with three completions.
func reviewing() *State {
	s := registry()
	s.Now = t0.Add(time.Hour)
	s.Apply(core.Update{Reviews: []core.Review{
		{Session: "main1", Seq: 30, At: t0, Outcome: core.OutcomeDone, Summary: "third", State: core.ReviewOpen},
		{Session: "main1", Seq: 20, At: t0, Outcome: core.OutcomeBlocked, Summary: "second", NotDone: []string{"x"}, State: core.ReviewOpen},
		{Session: "gone1", Seq: 10, At: t0, Outcome: core.OutcomeNeedsInput, Summary: "first", State: core.ReviewOpen},
	}})
	return s
}

func TestReviewPane(t *testing.T) {
	s := reviewing()
	if s.Tree.Review != 3 {
		t.Fatalf("%d to review", s.Tree.Review)
	}
	if e := press(s, "R"); !reflect.DeepEqual(e, []Effect{LoadCompletion{"main1#30"}}) {
		t.Fatalf("opening did %v", e)
	}
	press(s, "j")
	e := press(s, "d")
	if !reflect.DeepEqual(e, []Effect{MarkReviews{IDs: []string{"main1#20"}, Mark: core.ReviewMark{State: core.ReviewReviewed}}}) {
		t.Fatalf("reviewed did %v", e)
	}
	done := s.Review.all["main1#20"]
	done.State = core.ReviewReviewed
	s.Reviewed(e[0].(MarkReviews), []core.Review{done}, nil)
	if s.Review.Selected != "gone1#10" || s.Tree.Review != 2 {
		t.Errorf("the cursor is on %s of %d", s.Review.Selected, s.Tree.Review)
	}
	press(s, "<Enter>")
	if !strings.Contains(s.Toast.Text, "not there any more") {
		t.Errorf("a session that is gone: %q", s.Toast.Text)
	}
	press(s, "f")
	if len(s.Review.Rows) != 3 {
		t.Errorf("%d of all", len(s.Review.Rows))
	}
	press(s, "f")
	// A completion that comes in moves nothing under the cursor.
	s.Apply(core.Update{Reviews: []core.Review{{Session: "main1", Seq: 40, At: t0, Outcome: core.OutcomeDone, State: core.ReviewOpen}}})
	if s.Review.Selected != "gone1#10" || s.Review.At() != 2 {
		t.Errorf("the cursor went to %s", s.Review.Selected)
	}
	press(s, "D")
	if !strings.Contains(s.View.Confirm.Text, "mark 3 completions as reviewed") {
		t.Errorf("asks %q", s.View.Confirm.Text)
	}
	pass(s, time.Second)
	if e := press(s, "y"); len(e) != 1 || len(e[0].(MarkReviews).IDs) != 3 {
		t.Errorf("yes did %v", e)
	}
	press(s, "gm")
	if s.View.Mode != Composing || s.Input.Compose.Target != "main1" {
		t.Errorf("a follow-up goes to %q", s.Input.Compose.Target)
	}
	if e := press(s, "go on<Enter>"); !reflect.DeepEqual(e, []Effect{Send{Task: "main1", Text: "go on", Delivery: core.Queue}}) || !s.Review.Open {
		t.Errorf("sending did %v", e)
	}
}

func TestSnooze(t *testing.T) {
	s := reviewing()
	press(s, "R")
	e := press(s, "z")[0].(MarkReviews)
	if !e.Mark.Until.Equal(s.Now.Add(time.Hour)) {
		t.Fatalf("until %v", e.Mark.Until)
	}
	r := s.Review.all["main1#30"]
	r.State, r.Until, r.Marked = core.ReviewSnoozed, e.Mark.Until, s.Now
	s.Reviewed(e, []core.Review{r}, nil)
	if s.Tree.Review != 2 || !s.Due().Equal(r.Until) {
		t.Fatalf("%d to review, due %v", s.Tree.Review, s.Due())
	}
	pass(s, time.Hour)
	s.Tick()
	if s.Tree.Review != 3 || !s.Due().IsZero() {
		t.Errorf("it does not wake: %d to review", s.Tree.Review)
	}
	e = press(s, "s")[0].(MarkReviews)
	r.Until, r.Marked = time.Time{}, s.Now
	s.Reviewed(e, []core.Review{r}, nil)
	if s.Tree.Review != 2 {
		t.Fatalf("%d to review", s.Tree.Review)
	}
	later := s.Now.Add(time.Minute)
	change(s, "main1", func(v *core.TaskView) { v.LastEvent = &later })
	if s.Tree.Review != 3 {
		t.Errorf("the change does not wake it: %d", s.Tree.Review)
	}
}
