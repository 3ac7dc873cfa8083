package store

import (
	"io"

	"golang.org/x/sys/unix"
)

// Who watches holds a read lock on the nudge file, by an open file description
// of its own: a writer that meets no lock but its own has nobody to tell.

// watching takes the lock, for as long as the Store is open. Without it the
// nudges of others may be missed, and the poll tells.
func (s *Store) watching() {
	_ = unix.FcntlFlock(s.nudgeFile.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart})
}

// watched reports whether anybody else may be watching.
func (s *Store) watched() bool {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(s.nudgeFile.Fd(), unix.F_OFD_GETLK, &lock)
	return err != nil || lock.Type != unix.F_UNLCK
}
