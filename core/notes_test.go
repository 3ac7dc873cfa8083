package core_test

import (
	"context"
	"strings"
	"testing"

	"drover/core"
	"drover/store"
)

// Notes reach every reader once, and only what has ended can be archived.
func TestNotes(t *testing.T) {
	ctx := t.Context()
	st, err := store.Open(ctx, t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &core.Client{Store: st}
	var cur core.Cursor
	pull := func() map[string]string {
		t.Helper()
		u, err := c.Pull(ctx, cur)
		if err != nil {
			t.Fatal(err)
		}
		cur.Seq, cur.Hosts, cur.NotesRev = u.Seq, u.Hosts, u.NotesRev
		return u.Notes
	}
	task, err := c.Create(ctx, core.NewSession{Prompt: "hello", Agent: core.Agent{Name: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := pull(); n != nil {
		t.Errorf("notes before there are any: %v", n)
	}
	if err := c.PutNote(ctx, core.NoteSlot+"3", task.ID); err != nil {
		t.Fatal(err)
	}
	if n := pull(); len(n) != 1 || n["slot 3"] != task.ID {
		t.Errorf("notes %v", n)
	}
	if n := pull(); n != nil {
		t.Errorf("notes told twice: %v", n)
	}
	if err := c.Archive(ctx, []string{task.ID}, true); core.CodeOf(err) != core.CodeWrongStatus {
		t.Errorf("archiving what runs: %v", err)
	}
	err = st.Update(ctx, core.Acknowledged, func(tx core.Tx) error {
		row, err := tx.Task(task.ID)
		if err != nil {
			return err
		}
		row.Status = core.Completed
		_, err = tx.UpdateTask(row)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Archive(ctx, []string{task.ID}, true); err != nil {
		t.Fatal(err)
	}
	if n := pull(); n["archived "+task.ID] == "" || len(n) != 2 {
		t.Errorf("notes %v", n)
	}
	if err := c.Archive(ctx, []string{task.ID}, false); err != nil {
		t.Fatal(err)
	}
	if err := c.PutNote(ctx, core.NoteSlot+"3", ""); err != nil {
		t.Fatal(err)
	}
	if n := pull(); n == nil || len(n) != 0 {
		t.Errorf("notes %v", n)
	}
	for _, key := range []string{"", "a\nb", "\x1b[31m", strings.Repeat("x", 300)} {
		if err := c.PutNote(context.Background(), key, "x"); core.CodeOf(err) != core.CodeInvalidInput {
			t.Errorf("key %q: %v", key, err)
		}
	}
}
