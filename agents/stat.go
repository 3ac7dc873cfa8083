package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// A stamp tells whether a file or directory is still the one that was read.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime syscall.Timespec
	mode         uint32
	young        bool // it had changed just before: the next change may leave the same times
}

// stat follows symbolic links.
func stat(path string) (stamp, error) {
	var st syscall.Stat_t
	for {
		err := syscall.Stat(path, &st)
		switch {
		case err == nil:
			return stampOf(&st), nil
		case !errors.Is(err, syscall.EINTR):
			return stamp{}, err
		}
	}
}

func stampOf(st *syscall.Stat_t) stamp {
	return stamp{dev: uint64(st.Dev), ino: st.Ino, size: st.Size, mtime: st.Mtim, ctime: st.Ctim, mode: st.Mode}
}

// aged marks a stamp that is too fresh to be relied on: a file system tells
// times in ticks of some milliseconds, old ones in seconds.
func (s stamp) aged() stamp {
	tick := 50 * time.Millisecond
	if s.ctime.Nsec == 0 {
		tick = 2100 * time.Millisecond
	}
	s.young = time.Since(time.Unix(s.ctime.Sec, s.ctime.Nsec)) < tick
	return s
}

func (s stamp) isDir() bool     { return s.mode&syscall.S_IFMT == syscall.S_IFDIR }
func (s stamp) isRegular() bool { return s.mode&syscall.S_IFMT == syscall.S_IFREG }

// same reports whether now is what was read. It never is for what was too young then.
func (s stamp) same(now stamp) bool {
	old := s.young
	s.young, now.young = false, false
	return !old && s.ino != 0 && s == now
}

// missing reports an error that only says that there is no such file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// read reads a file that must be a regular one and of a size that an agent may
// have, into buf where it has room. It never waits: what is no regular file
// is opened without blocking at worst, and not read.
func read(path string, buf []byte) ([]byte, stamp, error) {
	s, err := stat(path)
	if err != nil {
		return nil, s, plainError(err)
	}
	return readStamped(path, s, buf)
}

// readStamped is read for a path of which the stamp was just taken.
func readStamped(path string, s stamp, buf []byte) ([]byte, stamp, error) {
	if err := s.readable(); err != nil {
		return nil, s, err
	}
	fd, err := openFile(path)
	if err != nil {
		return nil, s, plainError(err)
	}
	raw, s, err := readOpen(fd, buf)
	if closed := syscall.Close(fd); err == nil {
		err = closed
	}
	if err != nil {
		return nil, s, plainError(err)
	}
	return raw, s, nil
}

func openFile(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

// readOpen looks at what was opened, which may be another file than stood there
// before, and reads it.
func readOpen(fd int, buf []byte) ([]byte, stamp, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, stamp{}, err
	}
	s := stampOf(&st).aged()
	if err := s.readable(); err != nil {
		return nil, s, err
	}
	if int64(cap(buf)) < s.size {
		buf = make([]byte, s.size+s.size/2)
	}
	buf = buf[:s.size]
	for n := 0; n < len(buf); {
		k, err := syscall.Read(fd, buf[n:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, s, err
		case k == 0:
			return buf[:n], s, nil
		}
		n += max(k, 0)
	}
	return buf, s, nil
}

func (s stamp) readable() error {
	switch {
	case s.isDir():
		return errors.New("it is a directory, not a file")
	case !s.isRegular():
		return errors.New("it is not a regular file")
	case s.size > maxFile:
		return fmt.Errorf("it is larger than 1 MiB (%d bytes) and was not read", s.size)
	}
	return nil
}

// plainError is an error of the file system without its path, which the
// definition tells.
func plainError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return fmt.Errorf("it cannot be read: %w", no)
	}
	return err
}
