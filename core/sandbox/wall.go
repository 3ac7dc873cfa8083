package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Wall is what stands between a confined command and the rest of the machine.
type Wall string

// The walls, the strongest first. Behind each of them stands a filter of system calls.
const (
	Namespaces Wall = "namespaces" // a view of the machine of its own, all read-only; Landlock on top where there is one
	Bubblewrap Wall = "bubblewrap" // the same, made by bwrap, which may where others may not
	Landlock   Wall = "landlock"   // Landlock alone, weak: other processes, names and attributes of files can be seen
	Seccomp    Wall = "seccomp"    // the filter alone: NoNet without ReadOnly needs no more
)

// ErrNoWall says that this machine has no means to confine a command. The
// command has not been started. The error that wraps it tells what was tried,
// and why it did not work.
var ErrNoWall = errors.New("no sandbox: this machine cannot confine a command")

// missing is why a wall cannot be built.
type missing struct {
	wall Wall
	err  error
}

func (m *missing) Error() string { return string(m.wall) + ": " + m.err.Error() }
func (m *missing) Unwrap() error { return m.err }

// cell is what the supervisor needs to know to confine its command.
type cell struct {
	Wall    Wall    `json:"w"`
	Dir     string  `json:"d,omitempty"`
	Scratch string  `json:"s,omitempty"`
	Places  []place `json:"p,omitempty"` // for Namespaces and Landlock
	NoNet   bool    `json:"n,omitempty"`
}

// confined runs the command behind the strongest wall that there is.
func confined(ctx context.Context, s Spec) (Exit, error) {
	if !s.ReadOnly {
		return behind(ctx, s, &cell{Wall: Seccomp, NoNet: true})
	}
	c, s, err := furnish(s)
	if err != nil {
		return Exit{}, err
	}
	why := []error{ErrNoWall}
	for _, wall := range []Wall{Namespaces, Bubblewrap, Landlock} {
		if wall == Landlock && !s.Weak {
			why = append(why, errors.New("landlock alone would be too weak"))
			break
		}
		c.Wall = wall
		exit, err := behind(ctx, s, &c)
		m, ok := errors.AsType[*missing](err)
		if !ok || ctx.Err() != nil {
			return exit, err
		}
		why = append(why, m)
	}
	return Exit{}, &noWall{why}
}

// noWall puts all the reasons on one line.
type noWall struct{ why []error }

func (e *noWall) Unwrap() []error { return e.why }
func (e *noWall) Error() string {
	list := make([]string, 0, len(e.why))
	for _, err := range e.why[1:] {
		list = append(list, err.Error())
	}
	return e.why[0].Error() + " (" + strings.Join(list, "; ") + ")"
}

func behind(ctx context.Context, s Spec, c *cell) (Exit, error) {
	if c.Wall == Bubblewrap {
		if err := c.probe(ctx); err != nil {
			return Exit{}, &missing{c.Wall, err}
		}
	}
	exit, err := run(ctx, s, c)
	exit.Wall = c.Wall
	if m, ok := errors.AsType[*missing](err); ok && c.Wall == Seccomp {
		return exit, &noWall{[]error{ErrNoWall, m}}
	}
	return exit, err
}

// furnish finds the command's directories and settles its environment.
func furnish(s Spec) (cell, Spec, error) {
	var err error
	if s.Dir, err = resolve(s.Dir); err != nil {
		return cell{}, s, fmt.Errorf("the working directory of a read-only command: %w", err)
	}
	if s.Scratch == "" {
		return cell{}, s, errors.New("a read-only command needs a scratch directory")
	}
	if s.Scratch, err = resolve(s.Scratch); err != nil {
		return cell{}, s, fmt.Errorf("the scratch directory of a read-only command: %w", err)
	}
	if s.Env == nil {
		s.Env = Environ(os.Environ())
	}
	list := places(s, hideouts(os.Environ()))
	s.Env = inCell(s.Env, s.Scratch)
	return cell{Dir: s.Dir, Scratch: s.Scratch, Places: list, NoNet: s.NoNet}, s, nil
}

// resolve is the directory itself, without links on the way.
func resolve(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil {
		return "", err
	} else if !st.IsDir() {
		return "", &fs.PathError{Op: "open", Path: dir, Err: unix.ENOTDIR}
	}
	return dir, nil
}

// inCell is env for a command whose home is its scratch directory. What would
// lead it to files it cannot see or write is left out.
func inCell(env []string, scratch string) []string {
	vars := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if ok && !strings.HasPrefix(name, "XDG_") && !slices.Contains([]string{"GOCACHE", "GOPATH", "GOENV", "GOBIN", "CARGO_HOME", "SSH_AUTH_SOCK"}, name) {
			vars[name] = value
		}
	}
	return merge(vars, []string{
		"HOME=" + scratch, "TMPDIR=" + scratch, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_OPTIONAL_LOCKS=0",
		// git refuses a repository of another user for what its settings could
		// run; here they could run nothing that the command could not.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	})
}

// build makes the supervisor's process for the wall.
func (c *cell) build(cmd *exec.Cmd, marks []string) error {
	switch c.Wall {
	case Namespaces:
		return c.unshare(cmd.SysProcAttr)
	case Bubblewrap:
		return c.wrap(cmd, marks)
	}
	cmd.Env = append(cmd.Env, marks...)
	return nil
}

func (c *cell) unshare(attr *syscall.SysProcAttr) error {
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if c.NoNet {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_SETPCAP} // until it has built its walls
	var err1, err2 error
	attr.UidMappings, err1 = identity("/proc/self/uid_map", os.Geteuid())
	attr.GidMappings, err2 = identity("/proc/self/gid_map", os.Getegid())
	return errors.Join(err1, err2)
}

// identity maps every id that this process may map to itself.
func identity(path string, id int) ([]syscall.SysProcIDMap, error) {
	if os.Geteuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read which ids there are: %w", err)
	}
	var list []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var m syscall.SysProcIDMap
		if _, err := fmt.Sscan(line, &m.ContainerID, &m.HostID, &m.Size); err != nil {
			return nil, fmt.Errorf("read which ids there are: %w", err)
		}
		m.HostID = m.ContainerID
		list = append(list, m)
	}
	return list, nil
}

// fdSelf is this program, for bwrap to run; its file may be hidden or replaced by now.
const fdSelf = "/proc/self/fd/5"

// wrap has bwrap run the supervisor.
func (c *cell) wrap(cmd *exec.Cmd, marks []string) error {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, self)
	args := c.wrapping()
	for _, mark := range marks { // not in its own environment: bwrap must not be taken for a command
		name, value, _ := strings.Cut(mark, "=")
		args = append(args, "--setenv", name, value)
	}
	cmd.Path, cmd.Args = bwrap, slices.Concat(args, []string{"--", fdSelf}, cmd.Args[1:])
	return nil
}

// probe has bwrap do nothing, so that what it has to say against it is not taken for a command's output.
func (c *cell) probe(ctx context.Context) error {
	if _, err := exec.LookPath("bwrap"); err != nil {
		return errors.New("bwrap is not installed")
	}
	args := append(c.wrapping(), "--", "true")
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return errors.New(strings.Join(strings.Fields(string(out)+" "+err.Error()), " "))
	}
	return nil
}

// wrapping is bwrap's command line up to the command.
func (c *cell) wrapping() []string {
	args := []string{"bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--remount-ro", "/dev", "--proc", "/proc", "--remount-ro", "/proc"}
	if c.NoNet {
		args = append(args, "--unshare-net")
	}
	return append(append(args, c.binds()...), "--chdir", c.Dir)
}

func (c *cell) binds() []string {
	var args, after []string
	for _, p := range c.Places {
		switch p.Kind {
		case hide:
			args = append(args, "--tmpfs", p.Path)
			after = append(after, "--remount-ro", p.Path)
		case show:
			args = append(args, "--ro-bind", p.Path, p.Path)
		case own:
			args = append(args, "--bind", p.Path, p.Path)
		}
	}
	return append(args, after...)
}

// refused reports whether a process could not be started for want of the wall.
func (c *cell) refused(err error) bool {
	return c.Wall == Namespaces && slices.ContainsFunc([]error{unix.EPERM, unix.EACCES, unix.ENOSPC, unix.EUSERS, unix.EINVAL, unix.ENOSYS},
		func(e error) bool { return errors.Is(err, e) })
}
