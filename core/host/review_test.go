package host_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// pen stands for the tool that writes files: one that needs no sandbox.
type pen struct{}

func (pen) Spec() core.ToolSpec {
	return core.ToolSpec{Name: "write_file", Effect: core.Writes, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (pen) Subject(a json.RawMessage) string {
	var args struct{ Path string }
	_ = json.Unmarshal(a, &args)
	return args.Path
}

func (pen) Run(_ context.Context, _ core.ToolEnv, a json.RawMessage) (core.ToolResult, error) {
	return core.ToolResult{Text: "written", Failed: string(a) == `{"path":"ro"}`}, nil
}

// A completion is there to review with what led to it; what a person makes of
// it reaches whoever reads on, and a second completion counts only what is new.
func TestReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		script := func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			n++
			switch n {
			case 1:
				return calls(call("1", "write_file", `{"path":"a.txt","content":"x"}`), call("2", "write_file", `{"path":"b/c.txt","content":"y"}`), call("0", "write_file", `{"path":"ro"}`))
			case 2:
				time.Sleep(90 * time.Second)
				return calls(call("3", "task_complete", `{"outcome":"blocked","summary":"Half\nof it.","not_done":["the rest"]}`))
			case 3:
				return calls(call("4", "write_file", `{"path":"a.txt","content":"z"}`))
			case 4:
				return calls(call("5", "task_complete", `{"outcome":"done","summary":"All of it."}`))
			}
			return text("idle")
		}
		w := newWorld(t, script)
		defer w.close()
		w.start(core.NewSession{Prompt: "go", Autopilot: true, AllowAll: true})
		w.pass(2 * time.Minute)
		all, err := w.client.Reviews(w.ctx)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d completions, %v\n%s", len(all), err, w.timeline())
		}
		first := all[0]
		if first.Outcome != core.OutcomeBlocked || first.Summary != "Half\nof it." || !slices.Equal(first.NotDone, []string{"the rest"}) || first.State != core.ReviewOpen {
			t.Errorf("declared %+v", first)
		}
		d, err := w.client.Completion(w.ctx, first.ID())
		if err != nil {
			t.Fatal(err)
		}
		if want := []core.FileChange{{Path: "a.txt", Times: 1}, {Path: "b/c.txt", Times: 1}}; !slices.Equal(d.Files, want) || d.Title != "go" || d.Active != 90*time.Second {
			t.Errorf("led to by %+v", d)
		}
		u, err := w.client.Pull(w.ctx, core.Cursor{})
		if err != nil || len(u.Reviews) != 1 {
			t.Fatalf("pulled %d, %v", len(u.Reviews), err)
		}
		until := time.Now().Add(time.Hour)
		if _, err := w.client.MarkReviews(w.ctx, core.ReviewMark{State: core.ReviewSnoozed, Until: until}, first.ID()); err != nil {
			t.Fatal(err)
		}
		if u, err = w.client.Pull(w.ctx, core.Cursor{Seq: u.Seq}); err != nil || len(u.Reviews) != 1 || u.Reviews[0].State != core.ReviewSnoozed || !u.Reviews[0].Until.Equal(until) {
			t.Errorf("pulled %+v, %v", u.Reviews, err)
		}
		w.send(w.root.ID, "and the rest?", core.Queue)
		w.pass(time.Minute)
		if all, err = w.client.Reviews(w.ctx); err != nil || len(all) != 2 {
			t.Fatalf("%d completions, %v\n%s", len(all), err, w.timeline())
		}
		if d, err = w.client.Completion(w.ctx, all[0].ID()); err != nil || !slices.Equal(d.Files, []core.FileChange{{Path: "a.txt", Times: 1}}) {
			t.Errorf("the second was led to by %+v, %v", d.Files, err)
		}
		// Of all or of none.
		if _, err := w.client.MarkReviews(w.ctx, core.ReviewMark{State: core.ReviewReviewed}, all[0].ID(), "nope#1"); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("an unknown one: %v", err)
		}
		if again, _ := w.client.Reviews(w.ctx); again[0].State != core.ReviewOpen {
			t.Errorf("half was marked: %+v", again[0])
		}
		if _, err := w.client.MarkReviews(w.ctx, core.ReviewMark{State: "eaten"}, all[0].ID()); core.CodeOf(err) != core.CodeInvalidInput {
			t.Errorf("an unknown state: %v", err)
		}
	})
}

// When a completion is to be looked at.
func TestReviewIsOpen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		r       core.Review
		changed time.Time
		open    bool
	}{
		{"new", core.Review{State: core.ReviewOpen}, now, true},
		{"reviewed", core.Review{State: core.ReviewReviewed, Marked: now.Add(-time.Hour)}, now, false},
		{"archived", core.Review{State: core.ReviewArchived}, now, false},
		{"snoozed", core.Review{State: core.ReviewSnoozed, Until: now.Add(time.Second)}, now, false},
		{"awake", core.Review{State: core.ReviewSnoozed, Until: now}, now, true},
		{"unchanged", core.Review{State: core.ReviewSnoozed, Marked: now}, now, false},
		{"changed", core.Review{State: core.ReviewSnoozed, Marked: now}, now.Add(time.Second), true},
	} {
		if got := c.r.Open(now, c.changed); got != c.open {
			t.Errorf("%s: open %v", c.name, got)
		}
	}
	b, err := json.Marshal(core.Review{})
	if err != nil || slices.Contains([]string{"until", "marked"}, string(b)) {
		t.Errorf("%s, %v", b, err)
	}
	for word, want := range map[string]time.Time{"1h": now.Add(time.Hour), "tomorrow": time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), "change": {}} {
		if got, err := core.ParseSnooze(word, now); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "-1h", "0s", "later", "1"} {
		if _, err := core.ParseSnooze(word, now); core.CodeOf(err) != core.CodeInvalidInput {
			t.Errorf("%q: %v", word, err)
		}
	}
}
