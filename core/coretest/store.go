package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drover/core"
)

// patience is how long something that must come may take on a busy machine.
const patience = 20 * time.Second

// TestStore holds a Store against the contract. open gives an empty one, and
// closes it when the test ends.
func TestStore(t *testing.T, open func(t *testing.T) core.Store) {
	tests := []struct {
		name string
		run  func(*testing.T, core.Store)
	}{
		{"Sessions", testSessions},
		{"Tasks", testTasks},
		{"TaskUpdate", testTaskUpdate},
		{"TaskFilters", testTaskFilters},
		{"Rollups", testRollups},
		{"Search", testSearch},
		{"Prune", testPrune},
		{"TaskIDs", testTaskIDs},
		{"DeleteTask", testDeleteTask},
		{"Specs", testSpecs},
		{"Turns", testTurns},
		{"Entries", testEntries},
		{"Requests", testRequests},
		{"FinishRequests", testFinishRequests},
		{"RequestFilters", testRequestFilters},
		{"Events", testEvents},
		{"Approvals", testApprovals},
		{"Todos", testTodos},
		{"Usage", testUsage},
		{"Facts", testFacts},
		{"LiveTexts", testLive},
		{"Missing", testMissing},
		{"Duplicates", testDuplicates},
		{"HostileText", testHostileText},
		{"Times", testTimes},
		{"Rollback", testRollback},
		{"Panic", testPanic},
		{"OwnWrites", testOwnWrites},
		{"Over", testOver},
		{"Snapshot", testSnapshot},
		{"Conflict", testConflict},
		{"Concurrent", testConcurrent},
		{"WaitForLock", testWaitForLock},
		{"Watch", testWatch},
		{"WatchMerges", testWatchMerges},
		{"WatchEnds", testWatchEnds},
		{"Closed", testClosed},
		{"Random", testRandom},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func update(t *testing.T, s core.Store, fn func(core.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), core.Progress, fn); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

func view(t *testing.T, s core.Store, fn func(core.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// read is one call of a Reader method in a View of its own.
func read[T any](t *testing.T, s core.Store, fn func(core.Reader) (T, error)) T {
	t.Helper()
	var v T
	view(t, s, func(r core.Reader) (err error) {
		v, err = fn(r)
		return err
	})
	return v
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	raw := cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) })
	if diff := cmp.Diff(want, got, raw); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func wantCode(t *testing.T, what string, err error, code core.Code) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Errorf("%s: error %v has code %q, want %q", what, err, core.CodeOf(err), code)
	}
}

// task is a small task of a session.
func task(id, session string) core.Task {
	return core.Task{ID: id, Session: session, Kind: core.KindAgent, Agent: "explore", State: core.State{Status: core.Running}}
}

func insertTasks(t *testing.T, s core.Store, tasks ...core.Task) {
	t.Helper()
	update(t, s, func(tx core.Tx) error {
		for _, k := range tasks {
			if err := tx.InsertTask(k, core.Spec{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// event writes the smallest change there is.
func event(ctx context.Context, s core.Store) error {
	return s.Update(ctx, core.Progress, func(tx core.Tx) error {
		_, err := tx.AppendEvent(core.Event{Session: "s"})
		return err
	})
}

// each maps, so that an expectation can be written as IDs.
func each[T, K any](list []T, key func(T) K) []K {
	var keys []K
	for _, v := range list {
		keys = append(keys, key(v))
	}
	return keys
}

var errOwn = errors.New("the caller's own error")
