package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// data_version is looked at this often: as a safety net, and where the kernel
// gives no watch of the nudge file.
const (
	pollSafety = time.Second
	pollAlone  = 50 * time.Millisecond
	newsEvery  = time.Millisecond // the least time between two wakes by the nudge file

	// The kernel takes up to 15 ms to end a watch, and a process that ends waits
	// for it. One that may be over in a moment polls until it is no longer young.
	young     = 2 * time.Second
	pollYoung = 20 * time.Millisecond
)

func (s *Store) nudgeDir() string { return filepath.Join(filepath.Dir(s.path), "nudge") }

func (s *Store) openNudge() error {
	if err := os.MkdirAll(s.nudgeDir(), 0o700); err != nil {
		return storage(s.nudgeDir(), "making", err)
	}
	name := filepath.Join(s.nudgeDir(), "all")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return storage(name, "opening", err)
	}
	s.nudgeFile = file
	return nil
}

// nudge tells other processes. The commit stands whether or not it succeeds:
// they look by themselves every pollSafety.
func (s *Store) nudge() {
	if s.nudgeFile != nil && s.watched() {
		mark := binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano())) // another one each time
		_, _ = s.nudgeFile.WriteAt(mark, 0)
	}
}

// wake tells the watches of this process.
func (s *Store) wake() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for ch := range s.hub.watches {
		select {
		case ch <- struct{}{}:
		default: // told already, and not yet looked
		}
	}
}

// Watch implements core.Store. The channel is closed by Close as well.
func (s *Store) Watch(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.closed {
		close(ch)
		return ch
	}
	if !s.hub.following && !s.solo {
		s.hub.following = true
		s.startFollow()
	}
	s.hub.watches[ch] = struct{}{}
	s.wait.Go(func() {
		select {
		case <-ctx.Done():
		case <-s.done:
		}
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		delete(s.hub.watches, ch)
		close(ch)
	})
	return ch
}

// follower turns commits of other processes into wakes.
type follower struct {
	s       *Store
	files   *fsnotify.Watcher // nil: the kernel has none to give
	db      *sql.DB           // its own, of one connection
	conn    *sql.Conn         // pinned: data_version is a property of a connection
	version int64
	mark    [8]byte // last seen in the nudge file
}

// startFollow sets the watch and the baseline before it returns, so that no
// commit after Watch is missed.
func (s *Store) startFollow() {
	s.watching()
	f := &follower{s: s}
	if s.brief {
		f.heard()
	} else {
		f.listen()
		f.moved()
	}
	s.wait.Go(f.run)
}

// listen asks the kernel for nudges.
func (f *follower) listen() {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return
	}
	if files.Add(f.s.nudgeDir()) != nil {
		files.Close()
		return
	}
	f.files = files
}

// youth looks at the nudge file from time to time, and reports whether the
// Store was closed meanwhile.
func (f *follower) youth() (closed bool) {
	tick := time.NewTicker(pollYoung)
	defer tick.Stop()
	for grown := time.After(young); ; {
		select {
		case <-f.s.done:
			return true
		case <-grown:
			return false
		case <-tick.C:
			if f.heard() {
				f.s.wake()
			}
		}
	}
}

// heard reports whether the mark in the nudge file is another one than before.
func (f *follower) heard() bool {
	var mark [8]byte
	_, _ = f.s.nudgeFile.ReadAt(mark[:], 0) // nothing in it: nobody has written
	was := f.mark
	f.mark = mark
	return mark != was
}

func (f *follower) run() {
	defer f.close()
	if f.s.brief {
		if f.youth() {
			return
		}
		f.listen()
		f.moved()
		f.s.wake() // for what came between the last look and the watch
	}
	every := pollAlone
	var events <-chan fsnotify.Event
	var faults <-chan error
	if f.files != nil {
		every, events, faults = pollSafety, f.files.Events, f.files.Errors
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-f.s.done:
			return
		case _, ok := <-events:
			if !ok {
				events = nil
				tick.Reset(pollAlone)
			}
			f.moved() // what is visible now needs no wake from the poll as well
			f.s.wake()
			select { // a busy writer is one piece of news a millisecond
			case <-f.s.done:
				return
			case <-time.After(newsEvery):
			}
		case _, ok := <-faults: // the queue ran over: something was lost
			if !ok {
				faults = nil
			}
			f.s.wake()
		case <-tick.C:
			if f.moved() {
				f.s.wake()
			}
		}
	}
}

// moved reports whether anybody has committed since it last looked. Where it
// cannot look it says yes: the reader will meet the reason.
func (f *follower) moved() bool {
	if f.conn == nil && f.connect() != nil {
		return true
	}
	var version int64
	if err := f.conn.QueryRowContext(context.Background(), "PRAGMA data_version").Scan(&version); err != nil {
		return true
	}
	was := f.version
	f.version = version
	return version != was
}

func (f *follower) connect() (err error) {
	if f.db == nil {
		if f.db, err = openDB(f.s.path, readOnly); err != nil {
			return err
		}
	}
	f.conn, err = f.db.Conn(context.Background())
	return err
}

func (f *follower) close() {
	if f.files != nil {
		f.files.Close()
	}
	if f.conn != nil {
		f.conn.Close()
	}
	if f.db != nil {
		f.db.Close()
	}
}
