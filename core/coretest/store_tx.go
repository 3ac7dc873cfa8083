package coretest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"drover/core"
)

func testRollback(t *testing.T, s core.Store) {
	insertTasks(t, s, task("t", "s"))
	before := read(t, s, core.Reader.LastSeq)
	err := s.Update(t.Context(), core.Acknowledged, func(tx core.Tx) error {
		k, err := tx.Task("t")
		if err != nil {
			return err
		}
		k.Intent = "changed"
		_, err1 := tx.UpdateTask(k)
		_, err2 := tx.AppendEvent(core.Event{Session: "s"})
		err3 := tx.InsertTask(task("new", "s"), core.Spec{})
		return errors.Join(err1, err2, err3, errOwn)
	})
	if !errors.Is(err, errOwn) {
		t.Fatalf("error %v", err)
	}
	if err := s.Update(t.Context(), core.Progress, func(core.Tx) error { return errOwn }); err != errOwn {
		t.Errorf("the caller's error came back as %#v", err)
	}
	same(t, "tasks", read(t, s, func(r core.Reader) ([]core.Task, error) { return r.Tasks(core.TaskFilter{}) }), []core.Task{task("t", "s")})
	same(t, "events", read(t, s, core.Reader.LastSeq), before)
	if err := s.View(t.Context(), func(core.Reader) error { return errOwn }); err != errOwn {
		t.Errorf("a View's error came back as %#v", err)
	}
}

func testPanic(t *testing.T, s core.Store) {
	func() {
		defer func() { same(t, "panic", recover(), any("boom")) }()
		update(t, s, func(tx core.Tx) error {
			if err := tx.InsertTask(task("half", "s"), core.Spec{}); err != nil {
				return err
			}
			panic("boom")
		})
	}()
	var gone sync.WaitGroup
	gone.Go(func() {
		update(t, s, func(tx core.Tx) error {
			_ = tx.InsertTask(task("left", "s"), core.Spec{})
			runtime.Goexit()
			return nil
		})
	})
	gone.Go(func() {
		defer func() { same(t, "panic in a View", recover(), any("boom")) }()
		view(t, s, func(core.Reader) error { panic("boom") })
	})
	gone.Wait()
	insertTasks(t, s, task("whole", "s"))
	same(t, "tasks", read(t, s, func(r core.Reader) ([]string, error) { return r.TaskIDs("", 0) }), []string{"whole"})
}

func testOwnWrites(t *testing.T, s core.Store) {
	update(t, s, func(tx core.Tx) error {
		k := fill[core.Task](t, 1)
		if err := tx.InsertTask(k, core.Spec{}); err != nil {
			return err
		}
		got, err := tx.Task(k.ID)
		same(t, "the task just written", got, k)
		if outside := read(t, s, func(r core.Reader) ([]string, error) { return r.TaskIDs("", 0) }); outside != nil {
			t.Errorf("seen before the commit: %v", outside)
		}
		return err
	})
}

// testOver: what is kept of a transaction does nothing once it has ended.
func testOver(t *testing.T, s core.Store) {
	var kept core.Tx
	var reader core.Reader
	update(t, s, func(tx core.Tx) error { kept = tx; return nil })
	view(t, s, func(r core.Reader) error { reader = r; return nil })
	if err := kept.InsertTask(task("late", "s"), core.Spec{}); err == nil {
		t.Error("a write after the end of the transaction succeeded")
	}
	if _, err := reader.LastSeq(); err == nil {
		t.Error("a read after the end of the View succeeded")
	}
	same(t, "tasks", read(t, s, func(r core.Reader) ([]string, error) { return r.TaskIDs("", 0) }), []string(nil))
}

func testSnapshot(t *testing.T, s core.Store) {
	insertTasks(t, s, task("a", "s"))
	view(t, s, func(r core.Reader) error {
		before, err := r.TaskIDs("", 0)
		if err != nil {
			return err
		}
		insertTasks(t, s, task("b", "s"))
		if err := event(t.Context(), s); err != nil {
			return err
		}
		after, err := r.TaskIDs("", 0)
		same(t, "within one View", after, before)
		seq, err2 := r.LastSeq()
		same(t, "another table", seq, int64(0))
		return errors.Join(err, err2)
	})
	same(t, "the next View", read(t, s, func(r core.Reader) ([]string, error) { return r.TaskIDs("", 0) }), []string{"a", "b"})
}

func testConflict(t *testing.T, s core.Store) {
	insertTasks(t, s, task("t", "s"))
	stale := read(t, s, func(r core.Reader) (core.Task, error) { return r.Task("t") })
	first, second := stale, stale
	first.Intent, second.Intent = "first", "second"
	update(t, s, func(tx core.Tx) error { _, err := tx.UpdateTask(first); return err })
	err := s.Update(t.Context(), core.Progress, func(tx core.Tx) error { _, err := tx.UpdateTask(second); return err })
	wantCode(t, "a stale revision", err, core.CodeConflict)
	second.Rev += 5
	err = s.Update(t.Context(), core.Progress, func(tx core.Tx) error { _, err := tx.UpdateTask(second); return err })
	wantCode(t, "a revision to come", err, core.CodeConflict)
	got := read(t, s, func(r core.Reader) (core.Task, error) { return r.Task("t") })
	same(t, "who was first", got.Intent, "first")
}

// testConcurrent: every increment of a counter counts, and every event is there once.
func testConcurrent(t *testing.T, s core.Store) {
	const workers, rounds = 8, 25
	insertTasks(t, s, task("t", "s"))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				err := s.Update(t.Context(), core.Durability((w+i)%2), func(tx core.Tx) error {
					k, err := tx.Task("t")
					if err != nil {
						return err
					}
					k.Steps++
					if _, err := tx.UpdateTask(k); err != nil {
						return err
					}
					_, err = tx.AppendEvent(core.Event{Session: "s", Task: "t"})
					return err
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
				view(t, s, func(r core.Reader) error {
					k, err := r.Task("t")
					events, err2 := r.Events(core.EventFilter{Task: "t"})
					if len(events) != k.Steps {
						t.Errorf("a View saw %d steps and %d events", k.Steps, len(events))
					}
					return errors.Join(err, err2)
				})
			}
		})
	}
	all.Wait()
	got := read(t, s, func(r core.Reader) (core.Task, error) { return r.Task("t") })
	same(t, "steps", got.Steps, workers*rounds)
	same(t, "revision", got.Rev, int64(workers*rounds))
}

func testWaitForLock(t *testing.T, s core.Store) {
	inside, leave := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		update(t, s, func(core.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	})
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := s.Update(ctx, core.Progress, func(core.Tx) error {
		t.Error("fn ran")
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	close(leave)
	holder.Wait()
	if err := event(t.Context(), s); err != nil {
		t.Errorf("after it: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := event(ended, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Update with an ended context: %v", err)
	}
	if err := s.View(ended, func(core.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("View with an ended context: %v", err)
	}
}
