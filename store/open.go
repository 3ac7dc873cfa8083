package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"

	"drover/core"
)

// Name of the database in its directory.
const fileName = "drover.db"

// maxReaders is how many Views may run at once; one more would wait.
const maxReaders = 4

const readOnly = "mode=ro&_query_only=1&_txlock=deferred"

// Options of Open. The zero value is what a program wants.
type Options struct {
	// Solo says that no other Store has this database open: nothing is polled
	// and no file is watched, so that a test may run under synctest.
	Solo bool
	// Brief says that the process may be over in a moment: in its first two seconds
	// it learns of the commits of others within 20 ms instead of at once, and ends sooner.
	Brief bool
}

// Store is the registry. It may be used by any number of goroutines.
type Store struct {
	path  string
	solo  bool
	brief bool

	lock       chan struct{} // holds the one right to write
	writeDB    *sql.DB
	writer     *sql.Conn // pinned; guarded by lock
	durability core.Durability

	readDB *sql.DB

	nudgeFile  *os.File      // nil when solo
	commits    atomic.Uint64 // since Open
	copied     atomic.Int64  // how many of them the WAL does not need any more
	checkpoint chan struct{} // asks for a checkpoint

	hub hub

	done      chan struct{} // closed by Close
	wait      sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

var _ core.Store = (*Store)(nil)

// hub knows who is to be told of a commit, and whether the Store still takes anybody.
type hub struct {
	mu        sync.Mutex
	watches   map[chan struct{}]struct{}
	following bool
	closed    bool
}

// Open opens the database of the state directory dir, making both where they
// are missing (the directory for its owner alone). The error is a *core.Error
// of CodeNewer or CodeStorage that names the path and the way out. ctx bounds
// the opening only.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, storage(dir, "finding", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, storage(dir, "making the state directory", err)
	}
	s := &Store{
		path:       filepath.Join(dir, fileName),
		solo:       o.Solo,
		brief:      o.Brief,
		lock:       make(chan struct{}, 1),
		checkpoint: make(chan struct{}, 1),
		hub:        hub{watches: map[chan struct{}]struct{}{}},
		done:       make(chan struct{}),
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	if s.writeDB, err = openDB(s.path, "_txlock=immediate"); err != nil {
		return storage(s.path, "opening", err)
	}
	s.writeDB.SetMaxOpenConns(1)
	if s.writer, err = s.writeDB.Conn(ctx); err != nil {
		return storage(s.path, "opening", err)
	}
	if err := prepare(ctx, s.writer, s.path, scripts); err != nil {
		return err
	}
	if s.readDB, err = openDB(s.path, readOnly); err != nil {
		return storage(s.path, "opening", err)
	}
	s.readDB.SetMaxOpenConns(maxReaders)
	s.readDB.SetMaxIdleConns(maxReaders)
	if s.solo {
		return nil
	}
	if _, err := s.writer.ExecContext(context.Background(), "PRAGMA wal_autocheckpoint="+strconv.Itoa(writerCheckpoint)); err != nil {
		return storage(s.path, "opening", err)
	}
	if err := s.openNudge(); err != nil {
		return err
	}
	if wal, err := os.Stat(s.path + "-wal"); err == nil && wal.Size() > walLeft {
		s.copied.Store(-checkpointLeast)
	}
	s.wait.Go(s.checkpoints)
	if s.brief {
		s.wait.Go(s.warm)
	}
	return nil
}

// warm opens the two readers that everybody needs while the writer is at work
// on the first rows. What fails here fails again where it is told.
func (s *Store) warm() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s.wait.Go(func() { // Close ends its waiting
		select {
		case <-s.done:
		case <-ctx.Done():
		}
		stop()
	})
	var held []*sql.Conn
	for range 2 {
		c, err := s.readDB.Conn(ctx)
		if err != nil {
			break
		}
		held = append(held, c)
		_, _ = c.ExecContext(context.Background(), "SELECT 1 FROM sessions LIMIT 1") // reads the schema
	}
	for _, c := range held {
		_ = c.Close() // it goes back to the pool
	}
}

// openDB makes a pool for the file; it opens nothing yet. A connection needs no
// mutex of SQLite's own: no two goroutines ever use one at once.
func openDB(path, options string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path} // escapes ?, # and %
	const common = "%s?_busy_timeout=%d&_synchronous=NORMAL&_stmt_cache_size=64&_mutex=no&%s"
	return sql.Open("sqlite3", fmt.Sprintf(common, &u, busyStep*busyTries, options))
}

// Path of the database file.
func (s *Store) Path() string { return s.path }

// Check reads the whole database and reports damage as CodeStorage.
func (s *Store) Check(ctx context.Context) error {
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	rows, err := s.readDB.QueryContext(ctx, "PRAGMA quick_check(20)")
	if err != nil {
		return storage(s.path, "checking", err)
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return storage(s.path, "checking", err)
		}
		if line != "ok" {
			faults = append(faults, line)
		}
	}
	if err := rows.Err(); err != nil { // damage may show as rows and as an error
		return storage(s.path, "checking", err)
	}
	if len(faults) > 0 {
		_, hint := explainSQLite(sqlite3.Error{Code: sqlite3.ErrCorrupt})
		return &core.Error{Code: core.CodeStorage, Message: s.path + " is damaged: " + strings.Join(faults, "; "), Hint: hint}
	}
	return nil
}

// Close waits for the Update and the Views that run, ends every Watch, and
// frees everything. Later calls do nothing.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.hub.mu.Lock()
		s.hub.closed = true
		s.hub.mu.Unlock()
		close(s.done)
		s.wait.Wait()
		s.lock <- struct{}{} // for good
		err := s.disconnect()
		if s.nudgeFile != nil {
			err = errors.Join(err, s.nudgeFile.Close())
		}
		s.closeErr = storage(s.path, "closing", err)
	})
	return s.closeErr
}

// disconnect closes the connections. SQLite copies the WAL back and removes it
// when the last one that may write is closed while no other is open.
func (s *Store) disconnect() (err error) {
	read := func() {
		if s.readDB != nil {
			err = errors.Join(err, s.readDB.Close())
		}
	}
	if !s.leavesWAL() {
		read()
	} else {
		defer read()
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	if s.writeDB != nil {
		err = errors.Join(err, s.writeDB.Close())
	}
	return err
}

// leavesWAL reports whether the next one to open may as well read the WAL.
func (s *Store) leavesWAL() bool {
	if s.solo || s.writer == nil || s.readDB == nil || int64(s.commits.Load())-s.copied.Load() >= checkpointLeast {
		return false
	}
	return s.readDB.Ping() == nil // a reader is open
}

// enter makes Close wait until leave is called.
func (s *Store) enter() (leave func(), err error) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.closed {
		return nil, s.errClosed()
	}
	s.wait.Add(1)
	return s.wait.Done, nil
}

func (s *Store) errClosed() error {
	return core.Errorf(core.CodeStorage, "the registry %s is closed", s.path)
}
