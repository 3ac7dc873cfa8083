package coretest

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"drover/core"
)

// woken waits for a wake and reports whether it came.
func woken(t *testing.T, ch <-chan struct{}) {
	t.Helper()
	select {
	case _, ok := <-ch:
		if !ok {
			t.Fatal("the watch has ended")
		}
	case <-time.After(patience):
		t.Fatal("no wake")
	}
}

func testWatch(t *testing.T, s core.Store) {
	a, b := s.Watch(t.Context()), s.Watch(t.Context())
	for range 3 {
		if err := event(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		woken(t, a)
		woken(t, b)
	}
}

// testWatchMerges: a reader that does not look holds nobody up, is woken when
// it does look, and then sees the last commit.
func testWatchMerges(t *testing.T, s core.Store) {
	ch := s.Watch(t.Context())
	for range 50 {
		if err := event(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if len(ch) != 1 {
		t.Errorf("%d wakes wait, want 1", len(ch))
	}
	woken(t, ch)
	events := read(t, s, func(r core.Reader) ([]core.Event, error) { return r.Events(core.EventFilter{}) })
	same(t, "events seen after the wake", len(events), 50)
}

func testWatchEnds(t *testing.T, s core.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	ch, stays := s.Watch(ctx), s.Watch(t.Context())
	cancel()
	ended(t, ch)
	if err := event(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	woken(t, stays)
	ended(t, s.Watch(ctx))
}

func ended(t *testing.T, ch <-chan struct{}) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case _, ok := <-ch:
			if !ok {
				return
			}
		case <-late:
			t.Fatal("the watch does not end")
		}
	}
}

func testClosed(t *testing.T, s core.Store) {
	ch := s.Watch(context.Background())
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	ended(t, ch)
	ended(t, s.Watch(context.Background()))
	wantCode(t, "Update", event(t.Context(), s), core.CodeStorage)
	wantCode(t, "View", s.View(t.Context(), func(core.Reader) error { return nil }), core.CodeStorage)
}

// testRandom holds the store against plain slices under random transactions,
// some of which fail.
func testRandom(t *testing.T, s core.Store) {
	type model struct {
		tasks  []core.Task
		events []core.Event
	}
	var m model
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		for step := range rapid.IntRange(1, 4).Draw(r, "transactions") {
			next := model{slices.Clone(m.tasks), slices.Clone(m.events)}
			fails := rapid.IntRange(0, 3).Draw(r, "fails") == 0
			err := s.Update(context.Background(), core.Progress, func(tx core.Tx) error {
				id := strconv.Itoa(run) + "." + strconv.Itoa(step)
				added := task(id, rapid.SampledFrom([]string{"s", "q", "ü"}).Draw(r, "session"))
				if err := tx.InsertTask(added, core.Spec{}); err != nil {
					return err
				}
				next.tasks = append(next.tasks, added)
				i := rapid.IntRange(0, len(next.tasks)-1).Draw(r, "task")
				k := &next.tasks[i]
				k.Intent = rapid.String().Draw(r, "intent")
				k.TokensIn = rapid.Int64().Draw(r, "tokens")
				rev, err := tx.UpdateTask(*k)
				if err != nil {
					return err
				}
				k.Rev = rev
				k.Intent = storable(k.Intent)
				e := core.Event{Session: k.Session, Task: k.ID}
				if e.Seq, err = tx.AppendEvent(e); err != nil {
					return err
				}
				next.events = append(next.events, e)
				if fails {
					return errOwn
				}
				return nil
			})
			if !fails {
				m = next
			}
			if (err != nil) != fails {
				r.Fatalf("Update: %v", err)
			}
		}
		tasks := read(t, s, func(r core.Reader) ([]core.Task, error) { return r.Tasks(core.TaskFilter{}) })
		events := read(t, s, func(r core.Reader) ([]core.Event, error) { return r.Events(core.EventFilter{}) })
		if diff := cmp.Diff(m.tasks, tasks) + cmp.Diff(m.events, events); diff != "" {
			r.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
