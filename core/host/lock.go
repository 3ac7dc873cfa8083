package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"drover/core"
)

// lockTries, 2 ms apart: readers probe for an instant, and a killed holder takes a moment to go.
const lockTries = 500

// ErrHeld says that another living process owns the session.
var ErrHeld = errors.New("another process hosts this session")

// Lock is the ownership of a session: a kernel lock, gone the instant its
// holder dies, even by kill -9.
type Lock struct{ f *os.File }

func lockPath(dir, session string) string {
	return filepath.Join(dir, "hosts", session+".lock")
}

// Acquire takes the session's lock or returns ErrHeld. Readers that probe the
// lock hold it for an instant, so a refusal is tried again for a moment.
func Acquire(ctx context.Context, dir, session string) (*Lock, error) {
	path := lockPath(dir, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, storage("making the directory of locks", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, storage("opening the session's lock", err)
	}
	for try := 0; ; try++ {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || try == lockTries || try > 20 && Held(dir, session) {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, ErrHeld
			}
			return nil, storage("locking "+path, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(2 * time.Millisecond):
		}
	}
	pid := strconv.Itoa(os.Getpid()) + "\n"
	if err := errors.Join(f.Truncate(0), writeAt(f, pid)); err != nil {
		f.Close()
		return nil, storage("writing "+path, err)
	}
	return &Lock{f}, nil
}

func writeAt(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// Release gives the session up.
func (l *Lock) Release() error { return l.f.Close() }

// Held reports whether a living process owns the session. One that has been
// killed is not alive, even while the kernel still takes it apart.
func Held(dir, session string) bool {
	f, err := os.Open(lockPath(dir, session))
	if err != nil {
		return false
	}
	defer f.Close()
	if !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return false
	}
	pid := make([]byte, 20)
	n, err := f.ReadAt(pid, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return true
	}
	return !dying(string(trimNL(pid[:n])))
}

// dying reports whether the process is on its way out: its end is certain, but
// its locks are not gone yet. What cannot be told counts as alive.
func dying(pid string) bool {
	if _, err := strconv.Atoi(pid); err != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may hold anything
	fields := strings.Fields(rest)
	if len(fields) < 7 {
		return false
	}
	const exiting = 0x4 // PF_EXITING in the kernel's flags of a task
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	if err != nil {
		return false
	}
	if fields[0] == "Z" || fields[0] == "X" || flags&exiting != 0 {
		return true
	}
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return false
	}
	const kill = 1 << (syscall.SIGKILL - 1)
	for line := range strings.Lines(string(status)) {
		name, mask, _ := strings.Cut(line, ":")
		if name != "SigPnd" && name != "ShdPnd" {
			continue
		}
		if m, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64); err == nil && m&kill != 0 {
			return true
		}
	}
	return false
}

// PID of the process that owns the session, 0 where none does.
func PID(dir, session string) int {
	if !Held(dir, session) {
		return 0
	}
	b, err := os.ReadFile(lockPath(dir, session))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(string(trimNL(b)))
	if err != nil {
		return 0
	}
	return pid
}

func trimNL(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b
}

func storage(doing string, err error) error {
	return &core.Error{Code: core.CodeStorage, Message: fmt.Sprintf("%s: %v", doing, err), Hint: "drover doctor says what is wrong with the state directory"}
}
