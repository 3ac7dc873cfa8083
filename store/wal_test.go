package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drover/core"
	"drover/store"
)

// What little was written stays in the WAL, from one program to the next; much
// is copied back. Nothing is lost either way.
func TestCloseLeavesLittle(t *testing.T) {
	dir := t.TempDir()
	wal := filepath.Join(dir, "drover.db-wal")
	written := 0
	use := func(commits int) {
		t.Helper()
		s, err := store.Open(context.Background(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range commits {
			written++
			err := s.Update(context.Background(), core.Acknowledged, func(tx core.Tx) error { return tx.PutFact(fmt.Sprint("k", written), "v") })
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	use(3)
	if _, err := os.Stat(wal); err != nil {
		t.Errorf("three commits were copied: %v", err)
	}
	use(0)
	use(5)
	use(400)
	for range 60 {
		use(5)
	}
	use(63)
	if st, err := os.Stat(wal); err == nil && st.Size() > 4<<20 {
		t.Errorf("the WAL has grown to %d bytes", st.Size())
	}
	s, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(context.Background(), func(r core.Reader) error {
		facts, err := r.Facts("k")
		if len(facts) != written {
			t.Errorf("%d of %d commits are there", len(facts), written)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
