package store_test

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

var durabilities = []struct {
	name        string
	durability  core.Durability
	synchronous string
}{
	{"progress", core.Progress, "NORMAL"},
	{"acknowledged", core.Acknowledged, "FULL"},
}

// seed makes n tasks in one session.
func seed(b *testing.B, s core.Store, n int) {
	b.Helper()
	err := s.Update(b.Context(), core.Progress, func(tx core.Tx) error {
		for i := range n {
			if err := tx.InsertTask(benchTask(i), core.Spec{Prompt: "Find the handlers that compute totals."}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func benchTask(i int) core.Task {
	now := time.Now()
	return core.Task{
		ID: fmt.Sprintf("t%04d", i), Session: "bench", Parent: "t0000", Kind: core.KindAgent, Agent: "explore",
		Name: fmt.Sprintf("explore-%d", i), Description: "Look for the handlers", Depth: 1, Mode: core.Background,
		Model: "offline/rules", Created: now,
		State: core.State{Status: core.Running, Activity: core.ActTool, Detail: "read_file", Intent: "Reading the schema", Turn: 1, Opener: "t0000"},
		Times: core.Times{Started: now, ActiveSince: now, LastEvent: now},
	}
}

// A transition: the hot row is changed and an event is written.
func BenchmarkTransition(b *testing.B) {
	for _, d := range durabilities {
		b.Run(d.name, func(b *testing.B) {
			s := open(b, b.TempDir())
			seed(b, s, 256)
			tasks := make([]core.Task, 256)
			for i := range tasks {
				tasks[i] = benchTask(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				t := &tasks[i%len(tasks)]
				t.Steps++
				err := s.Update(context.Background(), d.durability, func(tx core.Tx) (err error) {
					if t.Rev, err = tx.UpdateTask(*t); err != nil {
						return err
					}
					_, err = tx.AppendEvent(core.Event{Session: "bench", Task: t.ID, At: t.LastEvent, Kind: core.EvActivity, Text: "read_file"})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The floor under BenchmarkTransition: go-sqlite3 with the same statements,
// values, database and settings, and nothing else.
func BenchmarkTransitionFloor(b *testing.B) {
	const update = `UPDATE tasks SET rev=rev+1,name=?,description=?,mode=?,model=?,status=?,activity=?,detail=?,intent=?,turn=?,opener=?,
		steps=?,tool_calls=?,tokens_in=?,tokens_out=?,tokens_cached=?,cost=?,cost_known=?,started=?,active_since=?,active_ns=?,last_event=?,ended=?,
		error_code=?,error=?,outcome=?,summary=?,not_done=?,ended_by=? WHERE id=? AND rev=?`
	const insert = `INSERT INTO events(session,task,at,kind,notable,text,ref) VALUES(?,?,?,?,?,?,?)`
	for _, d := range durabilities {
		b.Run(d.name, func(b *testing.B) {
			dir := b.TempDir()
			s := open(b, dir)
			seed(b, s, 256)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "drover.db")+"?_txlock=immediate&_synchronous="+d.synchronous)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			up, err1 := db.Prepare(update)
			in, err2 := db.Prepare(insert)
			if err1 != nil || err2 != nil {
				b.Fatal(err1, err2)
			}
			var revs [256]int64
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				t := benchTask(i % 256)
				at := t.LastEvent.UnixMilli()
				tx, err := db.Begin()
				if err != nil {
					b.Fatal(err)
				}
				_, err1 := tx.Stmt(up).Exec(t.Name, t.Description, "background", t.Model, "running", "tool", t.Detail, t.Intent, t.Turn, t.Opener,
					i, 0, 0, 0, 0, 0.0, 0, at, at, 0, at, 0, "", "", "", "", nil, "", t.ID, revs[i%256])
				_, err2 := tx.Stmt(in).Exec("bench", t.ID, at, "task.activity", 0, "read_file", "")
				revs[i%256]++
				if err := tx.Commit(); err != nil || err1 != nil || err2 != nil {
					b.Fatal(err, err1, err2)
				}
			}
		})
	}
}

// What a screen asks after a nudge: ten new events among 100,000.
func BenchmarkEventsSince(b *testing.B) {
	s := open(b, b.TempDir())
	err := s.Update(b.Context(), core.Progress, func(tx core.Tx) error {
		for i := range 100_000 {
			if _, err := tx.AppendEvent(core.Event{Session: fmt.Sprint(i % 50), Task: "t", Kind: core.EvStep, Notable: i%10 == 0}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range []struct {
		name   string
		filter core.EventFilter
		want   int
	}{
		{"none", core.EventFilter{After: 100_000}, 0},
		{"ten", core.EventFilter{After: 99_990}, 10},
		{"timeline", core.EventFilter{Session: "0", Notable: true, Last: 100}, 100},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				err := s.View(context.Background(), func(r core.Reader) error {
					events, err := r.Events(q.filter)
					if len(events) != q.want {
						b.Fatalf("%d events", len(events))
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad1000(b *testing.B) {
	s := open(b, b.TempDir())
	seed(b, s, 1000)
	b.ReportAllocs()
	for b.Loop() {
		err := s.View(context.Background(), func(r core.Reader) error {
			tasks, err := r.Tasks(core.TaskFilter{Session: "bench"})
			if len(tasks) != 1000 {
				b.Fatalf("%d tasks", len(tasks))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// From the beginning of an Update in one Store to the wake in another.
func BenchmarkNudge(b *testing.B) {
	for _, d := range durabilities {
		b.Run(d.name, func(b *testing.B) {
			dir := b.TempDir()
			writer, reader := open(b, dir), open(b, dir)
			woken := reader.Watch(b.Context())
			var seq int64
			for b.Loop() {
				err := writer.Update(context.Background(), d.durability, func(tx core.Tx) (err error) {
					seq, err = tx.AppendEvent(core.Event{Session: "bench"})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				for seen := int64(0); seen < seq; {
					<-woken
					if err := reader.View(context.Background(), func(r core.Reader) (err error) { seen, err = r.LastSeq(); return err }); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// Opening a database that is there, reading one row, closing it: what every
// command pays.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	keep := open(b, dir) // as where a host runs
	seed(b, keep, 100)
	for b.Loop() {
		s, err := store.Open(context.Background(), dir, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.View(context.Background(), func(r core.Reader) error { _, err := r.Task("t0000"); return err }); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
