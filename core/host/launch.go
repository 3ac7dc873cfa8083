package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"drover/core"
)

// Launcher starts hosts as processes of their own. It is the core.Hosts of the
// screen and the command line.
type Launcher struct {
	Dir  string   // state directory
	Exe  string   // the program; "" means this one
	Args []string // before the session's ID
	Env  []string // nil: this process's environment, which the host inherits
}

// LogPath is where the host of a session writes its log.
func LogPath(dir, session string) string {
	return filepath.Join(dir, "logs", session+".log")
}

// Held reports whether a living process owns the session.
func (l *Launcher) Held(session string) bool { return Held(l.Dir, session) }

// startWithin is how long a new host may take to own its session.
const startWithin = 10 * time.Second

// Ensure starts a host where none lives and returns when the session is owned.
// The command it runs (`drover host --detach ID`) leaves the host behind as a
// process without a parent, so nobody has to wait for it.
func (l *Launcher) Ensure(ctx context.Context, session string) error {
	if l.Held(session) {
		return nil
	}
	log := LogPath(l.Dir, session)
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return storage("making the directory of logs", err)
	}
	exe := l.Exe
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return storage("finding the program to start a host with", err)
		}
	}
	began := time.Now()
	// Who asked may be leaving: the request is a row, and needs its host all the same.
	launch, done := context.WithTimeout(context.WithoutCancel(ctx), startWithin)
	defer done()
	cmd := exec.CommandContext(launch, exe, append(append([]string{}, l.Args...), session)...)
	cmd.Env = l.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &core.Error{
			Code: core.CodeInternal, Message: fmt.Sprintf("starting a host for session %s: %v: %s", session, err, core.CleanLine(string(out))),
			Hint: "drover resume " + session + " tries again; drover log --host " + session + " shows its log",
		}
	}
	return l.owned(ctx, session, began)
}

// owned waits until the session is owned, or has been left again already.
func (l *Launcher) owned(ctx context.Context, session string, began time.Time) error {
	deadline := time.After(startWithin)
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		if l.Held(session) || ownedSince(l.Dir, session, began) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline:
			return &core.Error{
				Code: core.CodeInternal, Message: fmt.Sprintf("the host of session %s did not come up: %s", session, lastLine(LogPath(l.Dir, session))),
				Hint: "drover log --host " + session + " shows its log",
			}
		case <-time.After(wait):
		}
	}
}

// ownedSince reports whether a host has owned the session since then: it writes
// its process ID into the lock's file.
func ownedSince(dir, session string, began time.Time) bool {
	info, err := os.Stat(lockPath(dir, session))
	return err == nil && info.Size() > 0 && info.ModTime().After(began)
}

func lastLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return core.CleanLine(lines[len(lines)-1])
}

// Detach starts `exe args…` in a session of its own, with its output in the
// log, and leaves it behind. It is what `drover host --detach` does.
func Detach(dir, session, exe string, args []string) error {
	log := LogPath(dir, session)
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return storage("making the directory of logs", err)
	}
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return storage("opening the host's log", err)
	}
	defer f.Close()
	cmd := exec.Command(exe, args...)
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the host: %w", err)
	}
	return cmd.Process.Release()
}
