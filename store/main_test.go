package store_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"drover/core"
	"drover/store"
)

// childEnv turns the test binary into another process of drover: its value is
// what that process does, its argument the state directory.
const childEnv = "DROVER_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	jobs := map[string]func(*store.Store) error{"commit": commitForever, "once": commitOnce}
	job, ok := jobs[os.Getenv(childEnv)]
	if !ok {
		goleak.VerifyTestMain(m) // exits
	}
	s, err := store.Open(context.Background(), os.Args[1], store.Options{})
	if err == nil {
		err = job(s)
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is a command that runs a job in a process of its own.
func child(t *testing.T, job, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, dir)
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

// commitForever prints the number of each event once its commit is acknowledged.
func commitForever(s *store.Store) error {
	for i := 1; ; i++ {
		err := s.Update(context.Background(), core.Durability(i%2), func(tx core.Tx) error { return step(tx) })
		if err != nil {
			return err
		}
		fmt.Println(i)
	}
}

func commitOnce(s *store.Store) error {
	return s.Update(context.Background(), core.Acknowledged, func(tx core.Tx) error {
		_, err := tx.AppendEvent(core.Event{Session: "s", Text: "from a child"})
		return err
	})
}

// step is a transition in two tables, which must agree afterwards.
func step(tx core.Tx) error {
	t, err := tx.Task("t")
	if core.CodeOf(err) == core.CodeNotFound {
		t = core.Task{ID: "t", Session: "s"}
		err = tx.InsertTask(t, core.Spec{})
	}
	if err != nil {
		return err
	}
	t.Steps++
	if _, err := tx.UpdateTask(t); err != nil {
		return err
	}
	_, err = tx.AppendEvent(core.Event{Session: "s", Task: "t", Kind: core.EvStep})
	return err
}

// steps are how many steps the registry knows, by both tables.
func steps(t *testing.T, s *store.Store) int {
	t.Helper()
	n := 0
	err := s.View(t.Context(), func(r core.Reader) error {
		k, err := r.Task("t")
		if core.CodeOf(err) == core.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		events, err := r.Events(core.EventFilter{Task: "t"})
		if len(events) != k.Steps {
			t.Errorf("%d steps but %d events", k.Steps, len(events))
		}
		n = k.Steps
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
