package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// process is a line of the process table.
type process struct {
	pid, ppid int
	state     byte
}

// gone reports whether the process has ended and only waits to be reaped.
func (p process) gone() bool { return p.state == 'Z' || p.state == 'X' }

// parseStat reads /proc/PID/stat. The name in parentheses may itself hold
// blanks, parentheses and newlines, so fields are counted from the last ")".
func parseStat(b []byte) (process, bool) {
	open, end := bytes.IndexByte(b, ' '), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	rest := bytes.Fields(b[end+1:])
	if len(rest) < 2 || len(rest[0]) != 1 {
		return process{}, false
	}
	pid, err1 := strconv.Atoi(string(b[:open]))
	ppid, err2 := strconv.Atoi(string(rest[1]))
	return process{pid: pid, ppid: ppid, state: rest[0][0]}, err1 == nil && err2 == nil
}

func readProcess(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	return parseStat(b)
}

// processes reads the whole process table; what ends meanwhile is left out.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	list := make([]process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			list = append(list, p)
		}
	}
	return list, nil
}

// descendants are the living processes below root, root not included.
func descendants(root int) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	children := make(map[int][]process, len(all))
	for _, p := range all {
		children[p.ppid] = append(children[p.ppid], p)
	}
	var living []int
	for todo := []int{root}; len(todo) > 0; {
		next := children[todo[0]]
		delete(children, todo[0]) // a table read while it changes may hold a circle
		todo = todo[1:]
		for _, p := range next {
			todo = append(todo, p.pid)
			if !p.gone() {
				living = append(living, p.pid)
			}
		}
	}
	return living, nil
}

// under reports whether pid is a descendant of root at this moment.
func under(root, pid int) bool {
	for range 10_000 {
		p, ok := readProcess(pid)
		if !ok || p.ppid <= 0 {
			return false
		}
		if p.ppid == root {
			return true
		}
		pid = p.ppid
	}
	return false
}

// signalIf sends sigs to pid if check still holds for it. The process is held by
// a descriptor before it is checked, so a number given away again is never hit.
func signalIf(pid int, check func() bool, sigs ...syscall.Signal) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) {
		fd = -1
	} else if err != nil {
		return ignoreGone(err)
	}
	if fd >= 0 {
		defer unix.Close(fd)
	}
	if !check() {
		return nil
	}
	for _, sig := range sigs {
		if fd >= 0 {
			err = unix.PidfdSendSignal(fd, sig, nil, 0)
		} else {
			err = unix.Kill(pid, sig)
		}
		if err != nil {
			return ignoreGone(err)
		}
	}
	return nil
}

func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// signalTree sends sigs to every living descendant of root and returns how many there were.
func signalTree(root int, sigs ...syscall.Signal) (int, error) {
	pids, err := descendants(root)
	for _, pid := range pids {
		err = errors.Join(err, signalIf(pid, func() bool { return under(root, pid) }, sigs...))
	}
	return len(pids), err
}

// killTree kills every descendant of root that it finds. They are stopped
// first, until no new one turns up, so that none escapes by forking.
func killTree(root int) error {
	for before, passes := -1, 0; passes < 10; passes++ {
		n, _ := signalTree(root, unix.SIGSTOP) // what cannot be stopped cannot be killed either; the kill says so
		if n == before {
			break
		}
		before = n
	}
	_, err := signalTree(root, unix.SIGKILL)
	return err
}
