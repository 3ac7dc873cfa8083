package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drover/core"
	"drover/store"
)

// refused opens dir and demands a clear refusal that names it.
func refused(t *testing.T, dir string, code core.Code) {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err == nil {
		s.Close()
		t.Fatal("opened")
	}
	t.Logf("%v; %s", err, core.HintOf(err))
	if core.CodeOf(err) != code {
		t.Errorf("code %q, want %q", core.CodeOf(err), code)
	}
	if !strings.Contains(err.Error(), dir) || core.HintOf(err) == "" {
		t.Errorf("the error does not name the path and a way out: %v; %q", err, core.HintOf(err))
	}
}

// execSQL changes the database behind the store's back.
func execSQL(t *testing.T, dir, script string) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "drover.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
}

func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(dir, "drover.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	execSQL(t, dir, "PRAGMA user_version=99")
	before, err := os.ReadFile(filepath.Join(dir, "drover.db"))
	if err != nil {
		t.Fatal(err)
	}
	refused(t, dir, core.CodeNewer)
	after, err := os.ReadFile(filepath.Join(dir, "drover.db"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the newer database was touched (%v)", err)
	}
	execSQL(t, dir, fmt.Sprintf("PRAGMA user_version=%d", version))
	open(t, dir)
}

func TestForeignDatabase(t *testing.T) {
	for name, script := range map[string]string{
		"tables":  "CREATE TABLE theirs(x)",
		"version": "PRAGMA user_version=2",
		"id":      "PRAGMA application_id=77",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			execSQL(t, dir, script)
			refused(t, dir, core.CodeStorage)
		})
	}
}

func TestUnusablePlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	text := strings.Repeat("this is no database\n", 400)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	notDB, isDir, badNudge := filepath.Join(dir, "notdb"), filepath.Join(dir, "isdir"), filepath.Join(dir, "nudged")
	for _, err := range []error{
		os.MkdirAll(notDB, 0o700), os.WriteFile(filepath.Join(notDB, "drover.db"), []byte(text), 0o600),
		os.MkdirAll(filepath.Join(isDir, "drover.db"), 0o700),
		os.MkdirAll(badNudge, 0o700), os.WriteFile(filepath.Join(badNudge, "nudge"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, dir := range map[string]string{
		"a file":              file,
		"under a file":        filepath.Join(file, "below"),
		"in proc":             "/proc/drover-state",
		"not a database":      notDB,
		"a directory":         isDir,
		"no directory nudge":  badNudge,
		"a NUL in the path":   filepath.Join(dir, "x\x00y"),
		"a name far too long": filepath.Join(dir, strings.Repeat("x", 300)),
	} {
		t.Run(name, func(t *testing.T) { refused(t, dir, core.CodeStorage) })
	}
	if got, err := os.ReadFile(filepath.Join(notDB, "drover.db")); err != nil || string(got) != text {
		t.Errorf("the foreign file was touched (%v)", err)
	}
}

func TestOddPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?mode=memory#c%20'd\"ü")
	s := open(t, dir)
	if err := s.Update(t.Context(), core.Acknowledged, step); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info, err)
	}
	if _, err := os.Stat(s.Path()); err != nil || filepath.Dir(s.Path()) != dir {
		t.Errorf("Path %s: %v", s.Path(), err)
	}
	if n := steps(t, open(t, dir)); n != 1 {
		t.Errorf("%d steps", n)
	}
}

func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for range 200 {
		if err := s.Update(t.Context(), core.Progress, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)") // pages in the WAL would hide the damage
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(s.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err1 := file.Stat()
	_, err2 := file.WriteAt([]byte(strings.Repeat("\xa5", 4096)), info.Size()-4096)
	if err := errors.Join(err1, err2, file.Close()); err != nil {
		t.Fatal(err)
	}
	err = open(t, dir).Check(t.Context())
	t.Log(err)
	if core.CodeOf(err) != core.CodeStorage || !strings.Contains(err.Error(), s.Path()) || core.HintOf(err) == "" {
		t.Errorf("Check of a damaged file: %v; %q", err, core.HintOf(err))
	}
}

// Another process that sits on the write lock: the wait ends with ctx.
func TestLockedByAnother(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	err := a.Update(t.Context(), core.Progress, func(core.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err := b.Update(ctx, core.Progress, step)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Update against a lock: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Update(t.Context(), core.Progress, step); err != nil {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	s := open(t, state)
	written := 0
	fill := func(tx core.Tx) error {
		if err := step(tx); err != nil {
			return err
		}
		_, err := tx.AppendEntry(core.Entry{Task: "t", Text: strings.Repeat("x", 20_000)})
		return err
	}
	var full error
	for full == nil && written < 1000 {
		if full = s.Update(t.Context(), core.Acknowledged, fill); full == nil {
			written++
		}
	}
	t.Logf("after %d: %v; %s", written, full, core.HintOf(full))
	if core.CodeOf(full) != core.CodeStorage || !strings.Contains(full.Error(), "disk is full") || core.HintOf(full) == "" {
		t.Errorf("a full disk is told as %v", full)
	}
	// A caller that goes on after the failure changes nothing: SQLite has
	// rolled back by itself, and the rest must not stand alone.
	err := s.Update(t.Context(), core.Acknowledged, func(tx core.Tx) error {
		for range 100 {
			_, _ = tx.AppendEntry(core.Entry{Task: "t", Text: strings.Repeat("y", 100_000)})
		}
		_ = tx.InsertSession(core.Session{ID: "alone"})
		return nil
	})
	if core.CodeOf(err) != core.CodeStorage {
		t.Errorf("an ignored failure came back as %v", err)
	}
	if n := steps(t, s); n != written {
		t.Errorf("%d steps are there, %d were acknowledged", n, written)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), core.Acknowledged, fill); err != nil {
		t.Errorf("with space again: %v", err)
	}
	err = s.View(t.Context(), func(r core.Reader) error {
		_, err := r.Session("alone")
		return err
	})
	if core.CodeOf(err) != core.CodeNotFound || steps(t, s) != written+1 {
		t.Errorf("half a transaction was kept: %v, %d steps", err, steps(t, s))
	}
	if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestFullDiskAtOpen(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	refused(t, dir, core.CodeStorage)
}
