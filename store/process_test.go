package store_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/coretest"
	"drover/store"
)

func TestConformanceSolo(t *testing.T) {
	coretest.TestStore(t, func(t *testing.T) core.Store {
		s, err := store.Open(t.Context(), t.TempDir(), store.Options{Solo: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// Under synctest every goroutine of a Solo store must block in a way the
// bubble understands, or its clock would stand still.
func TestSoloInBubble(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), dir, store.Options{Solo: true})
		if err != nil {
			t.Fatal(err)
		}
		woken := s.Watch(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3 {
				time.Sleep(time.Hour)
				if err := s.Update(t.Context(), core.Acknowledged, step); err != nil {
					t.Error(err)
				}
			}
		}()
		begin := time.Now()
		for range 3 {
			<-woken
		}
		<-done
		if passed := time.Since(begin); passed != 3*time.Hour || steps(t, s) != 3 {
			t.Errorf("%v passed, %d steps", passed, steps(t, s))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Two Stores on one directory are two processes as far as SQLite can tell.
func TestTwoStores(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	woken := b.Watch(t.Context())
	for n := 1; n <= 20; n++ {
		if err := a.Update(t.Context(), core.Durability(n%2), step); err != nil {
			t.Fatal(err)
		}
		awaitSteps(t, b, woken, n)
	}
}

// awaitSteps reads after each wake until the registry has n steps.
func awaitSteps(t *testing.T, s *store.Store, woken <-chan struct{}, n int) {
	t.Helper()
	late := time.After(20 * time.Second)
	for steps(t, s) < n {
		select {
		case <-woken:
		case <-late:
			t.Fatalf("no wake for step %d", n)
		}
	}
}

// Where the kernel gives no watch (here: its directory is gone), and where the
// writer's nudge goes nowhere, a commit is still seen.
func TestWatchWithoutInotify(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "nudge")); err != nil {
		t.Fatal(err)
	}
	woken := b.Watch(t.Context())
	if err := a.Update(t.Context(), core.Acknowledged, step); err != nil {
		t.Fatal(err)
	}
	awaitSteps(t, b, woken, 1)
}

func TestWatchAfterLostNudge(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	woken := b.Watch(t.Context())
	if err := os.RemoveAll(filepath.Join(dir, "nudge")); err != nil {
		t.Fatal(err)
	}
	if err := a.Update(t.Context(), core.Acknowledged, step); err != nil {
		t.Fatal(err)
	}
	awaitSteps(t, b, woken, 1)
}

// A brief process polls while it is young, and is woken by the kernel afterwards:
// no commit is missed before, after, or while it changes over.
func TestBriefWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir)
	b, err := store.Open(t.Context(), dir, store.Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	woken := b.Watch(t.Context())
	for n, began := 1, time.Now(); time.Since(began) < 2200*time.Millisecond; n++ {
		if err := a.Update(t.Context(), core.Progress, step); err != nil {
			t.Fatal(err)
		}
		awaitSteps(t, b, woken, n)
	}
}

func TestHammer(t *testing.T) {
	const workers, rounds = 8, 40
	dir := t.TempDir()
	stores := []*store.Store{open(t, dir), open(t, dir)}
	var all sync.WaitGroup
	for w := range workers {
		for _, s := range stores {
			all.Go(func() {
				woken := s.Watch(t.Context())
				for i := range rounds {
					if err := s.Update(t.Context(), core.Durability((w+i)%2), step); err != nil {
						t.Error(err)
						return
					}
					<-woken
					steps(t, s)
				}
			})
		}
	}
	all.Wait()
	for _, s := range stores {
		if n := steps(t, s); n != workers*rounds*len(stores) {
			t.Errorf("%d steps, want %d", n, workers*rounds*len(stores))
		}
	}
}

func TestCreateAtOnce(t *testing.T) {
	const processes = 16
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	var all sync.WaitGroup
	for range processes {
		cmd := child(t, "once", dir)
		all.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := open(t, dir)
	var events []core.Event
	err := s.View(t.Context(), func(r core.Reader) (err error) {
		events, err = r.Events(core.EventFilter{})
		return err
	})
	if err != nil || len(events) != processes {
		t.Errorf("%d events of %d processes (%v)", len(events), processes, err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// kill -9 in the middle of commits: what was said to be committed is there,
// and the two tables of a step agree.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	said := 0
	for round := range 4 {
		before := said
		cmd := child(t, "commit", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				break // the line was cut off
			}
			if said = before + n; n == 40+round*100 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s := open(t, dir)
		got := steps(t, s)
		if got < said || got > said+1 {
			t.Errorf("round %d: %d steps were acknowledged, %d are there", round, said, got)
		}
		said = got
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLargeText(t *testing.T) {
	s := open(t, t.TempDir())
	large := strings.Repeat("drover 🐂 \"quoted\" <&>\n", 5<<20/24)
	err := s.Update(t.Context(), core.Acknowledged, func(tx core.Tx) error {
		if err := tx.InsertTask(core.Task{ID: "t", Ending: core.Ending{Summary: large}}, core.Spec{Prompt: large}); err != nil {
			return err
		}
		_, err := tx.AppendEntry(core.Entry{Task: "t", Text: large, Calls: []core.ToolCall{{Args: []byte(large)}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(r core.Reader) error {
		spec, err1 := r.Spec("t")
		k, err2 := r.Task("t")
		entries, err3 := r.Tail("t", 0, 1)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		if spec.Prompt != large || k.Summary != large || entries[0].Text != large || string(entries[0].Calls[0].Args) != large {
			t.Error("the text came back changed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
