package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"drover/core/host"
)

// run runs drover as the script's person would.
func drover(ts *testscript.TestScript, args ...string) (stdout, stderr string, code int) {
	exe, err := exec.LookPath("drover")
	ts.Check(err)
	ctx, stop := context.WithTimeout(context.Background(), scriptPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environ(ts)
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err = cmd.Run()
	if ctx.Err() != nil {
		ts.Fatalf("drover %s: no end after %s\n%s%s", strings.Join(args, " "), scriptPatience, &out, &fault)
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), fault.String(), e.ExitCode()
	}
	ts.Check(err)
	return out.String(), fault.String(), 0
}

func environ(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, k := range append([]string{"HOME", "DROVER_STATE", "DROVER_CONFIG", "DROVER_HOST_IDLE", "DROVER_PACE", "DROVER_MODEL", "DROVER_THEME", "TERM", "NO_COLOR", "COLUMNS", "GORACE", "PATH", "DROVER_BLOCKED_AGENT"}, modelEnv...) {
		env = append(env, k+"="+ts.Getenv(k))
	}
	return env
}

// exits CODE drover ARGS…: runs drover and holds its exit code; what it wrote
// is put into the files out and err.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "drover" {
		ts.Fatalf("usage: exits CODE drover ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	out, fault, code := drover(ts, args[2:]...)
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(out), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(fault), 0o600))
	if code != want {
		ts.Fatalf("drover %s: exit code %d, want %d\n%s%s", strings.Join(args[2:], " "), code, want, out, fault)
	}
}

// scriptPatience is how long a script waits for something to become true.
const scriptPatience = 40 * time.Second

// until REGEXP drover ARGS…: runs drover again and again until its output matches.
func cmdUntil(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || args[1] != "drover" {
		ts.Fatalf("usage: [!] until REGEXP drover ARGS...")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(scriptPatience)
	for {
		out, fault, _ := drover(ts, args[2:]...)
		if re.MatchString(out) != neg {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("drover %s: no match for %q after %s\n%s%s", strings.Join(args[2:], " "), args[0], scriptPatience, out, fault)
		}
	}
}

// id VAR REGEXP drover ARGS…: sets VAR to what the group of the pattern matches in drover's output.
func cmdID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || args[2] != "drover" {
		ts.Fatalf("usage: id VAR REGEXP drover ARGS...")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	out, fault, _ := drover(ts, args[3:]...)
	m := re.FindStringSubmatch(out)
	if len(m) < 2 {
		ts.Fatalf("drover %s: no match for %q\n%s%s", strings.Join(args[3:], " "), args[1], out, fault)
	}
	ts.Setenv(args[0], m[1])
}

// fill FILE SIZE TEXT: makes a file of SIZE bytes of TEXT over and over; \xHH is a byte.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill FILE SIZE TEXT")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := strconv.Unquote(`"` + args[2] + `"`)
	ts.Check(err)
	all := strings.Repeat(text, size/len(text)+1)[:size]
	ts.Check(os.WriteFile(ts.MkAbs(filepath.FromSlash(args[0])), []byte(all), 0o600))
}

// hostkill SESSION: kills the host of a session as the kernel would, at once.
func cmdHostKill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostkill SESSION")
	}
	dir := ts.Getenv("DROVER_STATE")
	pid := host.PID(dir, args[0])
	if pid == 0 {
		ts.Fatalf("session %s has no host", args[0])
	}
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	ts.Check(gone(dir, args[0]))
}

// together N drover ARGS…: N persons run drover at once; N in an argument is the person's number.
func cmdTogether(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "drover" {
		ts.Fatalf("usage: together N drover ARGS...")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	exe, err := exec.LookPath("drover")
	ts.Check(err)
	ctx, stop := context.WithTimeout(context.Background(), scriptPatience)
	defer stop()
	var all sync.WaitGroup
	faults := make(chan string, n)
	for i := range n {
		mine := make([]string, 0, len(args))
		for _, a := range args[2:] {
			mine = append(mine, strings.ReplaceAll(a, "N.", strconv.Itoa(i)+"."))
		}
		cmd := exec.CommandContext(ctx, exe, mine...)
		cmd.Dir, cmd.Env = ts.MkAbs("."), environ(ts)
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				faults <- fmt.Sprintf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	close(faults)
	for f := range faults {
		ts.Fatalf("%s", f)
	}
}
