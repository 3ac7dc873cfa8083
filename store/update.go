package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"

	"drover/core"
)

// SQLite waits busyStep milliseconds for another process's write, then begin
// looks whether the caller still wants it, busyTries times: ten seconds in all.
// Everything but begin waits the ten seconds at once.
const (
	busyStep  = 250
	busyTries = 40
)

// The WAL is copied back in the background: after checkpointMost commits of this
// process, or checkpointLeast and a moment of rest; by the writer itself only
// when that does not keep up and the WAL has writerCheckpoint pages (32 MB).
// What is less than checkpointLeast commits, or not much, the last Close leaves
// in the WAL: to copy it and to remove the file takes longer than a short command.
const (
	checkpointLeast  = 64
	checkpointMost   = 256
	checkpointRest   = 10 * time.Millisecond
	writerCheckpoint = 8000
	walLeft          = 1 << 20 // bytes at Open from which on the last Close copies it
)

// Update implements core.Store. While it waits for its turn the end of ctx ends
// it; once fn runs it does not. A panic in fn rolls back and goes on. What a
// statement fails with is returned by each later one of the same fn, and by
// Update even if fn ignores it. A key that is taken is CodeConflict.
func (s *Store) Update(ctx context.Context, d core.Durability, fn func(core.Tx) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-s.lock }()
	if err := s.setDurability(d); err != nil {
		return err
	}
	if err := begin(ctx, s.writer, s.path); err != nil {
		return err
	}
	if err := s.transact(fn); err != nil {
		return err
	}
	s.committed()
	return nil
}

func (s *Store) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.errClosed()
	default:
	}
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return s.errClosed()
	}
}

// setDurability costs nothing while it stays the same; it must precede BEGIN.
func (s *Store) setDurability(d core.Durability) error {
	if d == s.durability {
		return nil
	}
	pragma := "PRAGMA synchronous=NORMAL"
	if d == core.Acknowledged {
		pragma = "PRAGMA synchronous=FULL"
	}
	if _, err := s.writer.ExecContext(context.Background(), pragma); err != nil {
		return storage(s.path, "setting the durability of", err)
	}
	s.durability = d
	return nil
}

// transact runs fn in the transaction that has begun, and ends it.
func (s *Store) transact(fn func(core.Tx) error) (err error) {
	t := &tx{reader{c: s.writer, path: s.path}}
	committed := false
	defer func() { // also when fn panics or leaves its goroutine
		t.broken = errOver
		if !committed {
			err = rollback(s.writer, err)
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if t.broken != nil {
		return t.broken
	}
	if _, err := s.writer.ExecContext(context.Background(), "COMMIT"); err != nil {
		return storage(s.path, "committing to", err)
	}
	committed = true
	return nil
}

var errOver = core.Errorf(core.CodeInternal, "the transaction is over")

// begin takes the write lock of the database.
func begin(ctx context.Context, c *sql.Conn, path string) error {
	var err error
	for range busyTries {
		_, err = c.ExecContext(context.Background(), "BEGIN IMMEDIATE")
		if !busy(err) {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return storage(path, "writing to", err)
}

// rollback undoes the transaction, unless SQLite has done so already (a full
// disk), and returns err, with its own failure where it has one.
func rollback(c *sql.Conn, err error) error {
	active := true
	rawErr := c.Raw(func(driverConn any) error {
		if sc, ok := driverConn.(*sqlite3.SQLiteConn); ok {
			active = !sc.AutoCommit()
		}
		return nil
	})
	if rawErr != nil {
		return errors.Join(err, rawErr)
	}
	if active {
		if _, rollErr := c.ExecContext(context.Background(), "ROLLBACK"); rollErr != nil {
			return errors.Join(err, rollErr)
		}
	}
	return err
}

// committed tells everybody.
func (s *Store) committed() {
	s.nudge()
	s.wake()
	if s.commits.Add(1)%checkpointLeast == 0 && !s.solo {
		select {
		case s.checkpoint <- struct{}{}:
		default: // one is asked for already
		}
	}
}

// checkpoints copies the WAL back on its own connection. A failure harms
// nothing: the WAL has it all, and the next attempt or the last Close copies it.
func (s *Store) checkpoints() {
	var db *sql.DB
	for {
		select {
		case <-s.done:
			if db != nil {
				db.Close()
			}
			return
		case <-s.checkpoint:
		}
		s.rest()
		if db == nil {
			var err error
			if db, err = openDB(s.path, "mode=rw"); err != nil {
				continue
			}
			db.SetMaxOpenConns(1)
		}
		var blocked, pages, copied int
		all := s.commits.Load()
		if err := db.QueryRow("PRAGMA wal_checkpoint(PASSIVE)").Scan(&blocked, &pages, &copied); err == nil && blocked == 0 && pages == copied {
			s.copied.Store(int64(all))
		}
	}
}

// rest waits for a moment without commits, or until there are too many.
func (s *Store) rest() {
	for n := s.commits.Load(); ; {
		select {
		case <-s.done:
			return
		case <-time.After(checkpointRest):
		}
		now := s.commits.Load()
		if now == n || int64(now)-s.copied.Load() >= checkpointMost {
			return
		}
		n = now
	}
}
