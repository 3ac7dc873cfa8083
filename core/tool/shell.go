package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

const shellTimeout = 120 * time.Second // unless told otherwise

type shell struct{ def }

func (t shell) Subject(args json.RawMessage) string { return commandSubject(field(args, "command")) }

func (t shell) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Command     string
		Description string
		Timeout     int `json:"timeout_seconds"`
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	if strings.TrimSpace(a.Command) == "" {
		return failed("shell: command is empty"), nil
	}
	timeout := shellTimeout
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout) * time.Second
	}
	if intent := core.CleanLine(a.Description); intent != "" && env.Intent != nil {
		if err := env.Intent(cut(intent, 120)); err != nil {
			return core.ToolResult{}, fmt.Errorf("say what the command is for: %w", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := newCapture(env, "shell-"+env.CallID)
	stream := newStream(env.Output)
	vars, err := guarded(env)
	if err != nil {
		return core.ToolResult{}, err
	}
	spec, err := confined(env, sandbox.Spec{
		Dir: env.Dir, Session: env.Session, Task: env.Task, Argv: []string{interpreter(), "-c", a.Command},
		Env:    vars,
		Output: func(b []byte) { out.write(b); stream.write(b) },
	})
	if err != nil {
		return core.ToolResult{}, err
	}
	exit, err := sandbox.Run(limited, spec)
	stream.close()
	text := out.end()
	switch {
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = nil
		text += fmt.Sprintf("(stopped after %v, the timeout)\n", timeout)
	}
	if err != nil {
		return startFailure(env.Dir, err)
	}
	text += ending(exit)
	return core.ToolResult{Text: valid(text), Failed: exit.Code != 0 || exit.Killed, Full: out.path()}, nil
}

func interpreter() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "sh"
}

// startFailure tells the model's mistakes from drover's faults.
func startFailure(dir string, err error) (core.ToolResult, error) {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return failed("shell: the command is too long; write it to a file and run that"), nil
	case errors.Is(err, syscall.EINVAL):
		return failed("shell: the command holds a NUL character"), nil
	case errors.Is(err, fs.ErrNotExist) && !isDir(dir):
		return failed("shell: the working directory %s is gone", quoted(dir)), nil
	}
	return core.ToolResult{}, fmt.Errorf("shell: %w", err)
}

// ending says how the command ended, where there is something to say.
func ending(exit sandbox.Exit) string {
	var notes []string
	switch {
	case exit.Killed:
	case exit.Signal != "":
		notes = append(notes, "ended by "+exit.Signal)
	case exit.Code != 0:
		notes = append(notes, fmt.Sprintf("exit code %d", exit.Code))
	}
	if exit.Leftover > 0 {
		notes = append(notes, processes(exit.Leftover, "background ")+" left behind and stopped: nothing outlives its command")
	}
	if exit.Stuck > 0 {
		notes = append(notes, processes(exit.Stuck, "")+" could not be stopped")
	}
	if len(notes) == 0 {
		return ""
	}
	return "(" + strings.Join(notes, ". ") + ")\n"
}

func processes(n int, which string) string {
	if n == 1 {
		return "1 " + which + "process"
	}
	return fmt.Sprintf("%d %sprocesses", n, which)
}

// confined is the second wall: a read-only agent's command can write nowhere but
// in a directory of its own, and reaches no network (DESIGN section 6).
func confined(env core.ToolEnv, s sandbox.Spec) (sandbox.Spec, error) {
	if !env.ReadOnly {
		return s, nil
	}
	s.ReadOnly, s.NoNet = true, true
	s.Scratch = filepath.Join(env.Scratch, "own-"+env.Task)
	if err := os.MkdirAll(s.Scratch, 0o700); err != nil {
		return s, fmt.Errorf("make the directory of a read-only agent: %w", err)
	}
	return s, nil
}
