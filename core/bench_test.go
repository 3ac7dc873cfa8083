package core_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"drover/core"
	"drover/store"
)

// BenchmarkRegistryTransition changes one task's activity: Next, one
// transaction with the row by revision and its event, memory, waiters.
// BenchmarkRegistryTransitionFloor is go-sqlite3 doing the same two statements.
func BenchmarkRegistryTransition(b *testing.B) {
	reg, id, _ := benchRegistry(b)
	b.Run("progress", func(b *testing.B) {
		for b.Loop() {
			if err := reg.SetActivity(id, core.ActTool, "read_file"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("acknowledged", func(b *testing.B) {
		for b.Loop() {
			if err := reg.StopAutopilot(core.CodeNoProgress, "why"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchRegistry(b *testing.B) (*core.Registry, string, string) {
	b.Helper()
	dir := b.TempDir()
	s, err := store.Open(b.Context(), dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	root, err := (&core.Client{Store: s}).Create(b.Context(), core.NewSession{Dir: dir, Prompt: "go", Agent: core.Agent{Name: "main"}})
	if err != nil {
		b.Fatal(err)
	}
	reg := core.NewRegistry(s, core.Options{})
	if _, err := reg.Load(root.ID); err != nil {
		b.Fatal(err)
	}
	child, err := reg.Start(core.NewTask{Parent: root.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", Mode: core.Sync})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := reg.SetLatestResponse(root.ID, "idle now"); err != nil {
		b.Fatal(err)
	}
	return reg, child.ID, dir
}

func BenchmarkRegistryTransitionFloor(b *testing.B) {
	const update = `UPDATE tasks SET rev=rev+1,name=?,description=?,mode=?,model=?,status=?,activity=?,detail=?,intent=?,turn=?,opener=?,
		steps=?,tool_calls=?,tokens_in=?,tokens_out=?,tokens_cached=?,cost=?,cost_known=?,started=?,active_since=?,active_ns=?,last_event=?,ended=?,
		error_code=?,error=?,outcome=?,summary=?,not_done=?,ended_by=? WHERE id=? AND rev=?`
	const insert = `INSERT INTO events(session,task,at,kind,notable,text,ref) VALUES(?,?,?,?,?,?,?)`
	for name, sync := range map[string]string{"progress": "NORMAL", "acknowledged": "FULL"} {
		b.Run(name, func(b *testing.B) {
			_, id, dir := benchRegistry(b)
			db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "drover.db")+"?_txlock=immediate&_synchronous="+sync)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			up, err1 := db.Prepare(update)
			in, err2 := db.Prepare(insert)
			var rev int64
			if err := db.QueryRow("SELECT rev FROM tasks WHERE id=?", id).Scan(&rev); err != nil || err1 != nil || err2 != nil {
				b.Fatal(err, err1, err2)
			}
			for b.Loop() {
				at := time.Now().UnixMilli()
				tx, err := db.BeginTx(context.Background(), nil)
				if err != nil {
					b.Fatal(err)
				}
				_, err1 := tx.Stmt(up).Exec("explore", "", "sync", "", "running", "tool", "read_file", "", 1, "x", 0, 0, 0, 0, 0, 0.0, 1, 0, at, 0, at, 0, "", "", "", "", nil, "", id, rev)
				_, err2 := tx.Stmt(in).Exec("bench", id, at, "task.activity", 0, "tool", "")
				rev++
				if err := tx.Commit(); err != nil || err1 != nil || err2 != nil {
					b.Fatal(err, err1, err2)
				}
			}
		})
	}
}
