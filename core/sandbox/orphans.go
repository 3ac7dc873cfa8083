package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// environment is what /proc/PID/environ holds: "KEY=value" each ended by NUL.
type environment []byte

func (e environment) has(kv string) bool {
	return bytes.HasPrefix(e, []byte(kv+"\x00")) || bytes.Contains(e, []byte("\x00"+kv+"\x00"))
}

// Orphans are the living processes of a session that have lost their
// supervisor. Supervisors clean up by themselves; this is for the case that one
// was killed itself. An empty session has none.
func Orphans(session string) ([]int, error) {
	if session == "" {
		return nil, nil
	}
	return marked(orphaned(session))
}

// KillOrphans kills the orphans of a session and returns how many there were.
func KillOrphans(session string) (int, error) {
	if session == "" {
		return 0, nil
	}
	return killMarked(orphaned(session))
}

func orphaned(session string) func(environment) bool {
	return func(env environment) bool { return env.has(EnvSession + "=" + session) }
}

// marked finds living processes by their environment: neither supervisors, nor
// under one, nor this process or one it descends from.
func marked(match func(environment) bool) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, p := range all {
		if !p.gone() && isMarked(p.pid, match) {
			pids = append(pids, p.pid)
		}
	}
	return pids, nil
}

func isMarked(pid int, match func(environment) bool) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || !match(env) {
		return false
	}
	return pid != os.Getpid() && !under(pid, os.Getpid()) && !supervised(pid)
}

// supervised reports whether pid is a supervisor or has one above it.
func supervised(pid int) bool {
	for range 10_000 {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return false
		}
		if isSupervisor(args) {
			return true
		}
		p, ok := readProcess(pid)
		if !ok || p.ppid <= 1 {
			return false
		}
		pid = p.ppid
	}
	return false
}

func isSupervisor(cmdline []byte) bool {
	part := bytes.SplitN(cmdline, []byte{0}, 3)
	return len(part) == 3 && string(part[1]) == execArg && (string(part[0]) == "drover" || string(part[0]) == fdSelf)
}

// killMarked kills until no marked process is left, and counts those it found first.
func killMarked(match func(environment) bool) (int, error) {
	first := -1
	for end := time.Now().Add(patience); ; time.Sleep(again) {
		pids, err := marked(match)
		if first < 0 {
			first = len(pids)
		}
		if err != nil || len(pids) == 0 {
			return first, err
		}
		var failed error
		for _, pid := range pids {
			failed = errors.Join(failed, signalIf(pid, func() bool { return isMarked(pid, match) }, unix.SIGKILL))
		}
		if time.Now().After(end) {
			return first, errors.Join(fmt.Errorf("%d processes would not end", len(pids)), failed)
		}
	}
}
