package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"drover/core"
	"drover/store"
)

// The size of the registry that the benchmarks of scale run on.
const (
	scaleSessions = 500
	scaleTasks    = 200 // in each session, its main task with them
	scaleEvents   = 10  // of each task
	scaleLive     = 4   // sessions at work; of the others one in ten is idle, the rest has ended
)

func scaleID(session int) string { return fmt.Sprintf("s%04d", session) }

// scaleTask is the n-th task of a session as it is in the registry.
func scaleTask(session, n int, now time.Time) core.Task {
	main := scaleID(session)
	at := now.Add(-time.Duration(session)*time.Hour + time.Duration(n)*time.Second)
	t := core.Task{
		ID: fmt.Sprintf("t%04d%03d", session, n), Session: main, Parent: main, Kind: core.KindAgent, Agent: []string{"explore", "plan", "review"}[n%3],
		Name: fmt.Sprintf("explore-%d-%d", session, n), Description: "Look for the handlers that compute totals", Depth: 1, Mode: core.Background, Model: "offline/rules", Created: at,
		State:  core.State{Status: core.Completed, Intent: "Reading the schema", Turn: 1, Opener: main},
		Usage:  core.Usage{Steps: 7, ToolCalls: 12, TokensIn: 1200, TokensOut: 300, Cost: 0.01, CostKnown: true},
		Times:  core.Times{Started: at, Active: time.Minute, LastEvent: at.Add(time.Minute), Ended: at.Add(time.Minute)},
		Ending: core.Ending{Summary: "Totals are computed in three places, each with rounding of its own."},
	}
	if n == 0 {
		t.ID, t.Parent, t.Kind, t.Agent, t.Name, t.Depth = main, "", core.KindMain, "main", "main", 0
	}
	switch {
	case session < scaleLive:
		t.Status, t.Activity, t.Detail, t.ActiveSince, t.Ended = core.Running, core.ActTool, "read_file", now, time.Time{}
	case session%10 == 0:
		t.Status, t.Ended = core.Idle, time.Time{}
	}
	return t
}

// scaleRegistry fills a new registry: 100,000 tasks in 500 sessions, a million
// events, the oldest session first.
func scaleRegistry(tb testing.TB) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	s, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	now := time.Now()
	for i := scaleSessions - 1; i >= 0; i-- {
		err := s.Update(context.Background(), core.Progress, func(tx core.Tx) error { return scaleSession(tx, i, now) })
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	scaleTimeline(tb, dir)
	return dir
}

// scaleTimeline writes the events in one statement: one by one they would take a minute.
func scaleTimeline(tb testing.TB, dir string) {
	tb.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "drover.db"))
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO events(session, task, at, kind, notable, text, ref)
		SELECT session, id, created + 1000 * i, iif(i = 1, 'task.idle', 'task.activity'), i = 1, 'read_file cart/total.go', '' FROM tasks, n`, scaleEvents)
	if err != nil {
		tb.Fatal(err)
	}
}

func scaleSession(tx core.Tx, session int, now time.Time) error {
	id, at := scaleID(session), now.Add(-time.Duration(session)*time.Hour)
	err := tx.InsertSession(core.Session{ID: id, Dir: "/home/dev/shop", Title: fmt.Sprint("Add coupon support, part ", session), Agent: "main", Model: "offline/rules", Created: at, Updated: at.Add(time.Minute)})
	if err != nil {
		return err
	}
	for n := range scaleTasks {
		t := scaleTask(session, n, now)
		if err := tx.InsertTask(t, core.Spec{Prompt: "Find the handlers that compute totals."}); err != nil {
			return err
		}
	}
	return nil
}
