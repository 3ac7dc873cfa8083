package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

// most is how much of a hook's output is read, in bytes; the rest is dropped.
const most = 64 << 10

// EnvHook is the variable that holds the point; it tells drover that it runs inside a hook.
const EnvHook = "DROVER_HOOK"

// at is the set as seen from a directory.
type at struct {
	*Set
	dir string
}

// At is the hooks of a session that works in dir.
func (s *Set) At(dir string) core.Hooks { return at{s, dir} }

// Run implements core.Hooks. Hooks run one after another, each command once.
// The first block counts, and the others run all the same. With the error of a
// required hook the outcome still says what ran.
func (s at) Run(ctx context.Context, e core.HookEvent) (core.HookOutcome, error) {
	var out core.HookOutcome
	if e.Dir == "" {
		e.Dir = s.dir
	}
	all, err := s.Load(ctx, s.dir)
	if ctx.Err() != nil {
		return out, fmt.Errorf("looking for hooks: %w", ctx.Err())
	}
	out.Ran = s.faults(all)
	if err != nil {
		out.Ran = append(out.Ran, core.HookRun{Name: "the project's hooks", Problem: core.Short(core.CleanLine(err.Error()), 500)})
	}
	var broken *core.HookRun
	for _, h := range due(all, e) {
		began := time.Now()
		a, err := s.run(ctx, h, e)
		if err != nil {
			return out, fmt.Errorf("running the hook %s: %w", core.CleanLine(h.Name), err)
		}
		ran := core.HookRun{Name: core.CleanLine(h.Name), Took: time.Since(began), Required: h.Required}
		ran.Problem = core.Short(core.CleanLine(s.text(a.problem)), 500)
		out.Ran = append(out.Ran, ran)
		out.Context = join(out.Context, s.text(a.context))
		if reason := s.text(a.reason); a.block && !out.Block {
			out.Block, out.Reason = true, reason
		}
		if ran.Problem != "" && h.Required && broken == nil {
			broken = &ran
		}
	}
	if broken != nil {
		return out, &core.Error{Code: core.CodeHookFailed, Message: "the required hook " + broken.Name + " broke: " + broken.Problem,
			Hint: "mend it (drover hooks check), or take \"required\" from it"}
	}
	return out, nil
}

// text is what a hook wrote as it may go to a model and a screen.
func (s *Set) text(t string) string { return strings.TrimSpace(s.o.Mask(core.Clean(t))) }

// faults are the hooks and files that count here and cannot be read, each told once.
func (s *Set) faults(all []Hook) []core.HookRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.HookRun
	for _, h := range all {
		key := h.Path + "\x00" + h.Name + "\x00" + h.Hash + "\x00" + h.Reason
		if h.State == Faulty && h.trusted && !s.told[key] {
			s.told[key] = true
			out = append(out, core.HookRun{Name: core.CleanLine(h.Name), Problem: core.Short(h.Reason, 500)})
		}
	}
	return out
}

// due are the hooks that are to run, the same command once. It is required if one of them is.
func due(all []Hook, e core.HookEvent) []Hook {
	var out []Hook
	for _, h := range all {
		if !h.due(e) {
			continue
		}
		twin := slices.IndexFunc(out, func(o Hook) bool {
			return o.Command == h.Command && o.Shell == h.Shell && slices.Equal(o.Args, h.Args) && (o.Args == nil) == (h.Args == nil) &&
				o.where(e.Dir) == h.where(e.Dir) && maps.Equal(o.Env, h.Env)
		})
		if twin < 0 {
			out = append(out, h)
		} else {
			out[twin].Required = out[twin].Required || h.Required
		}
	}
	return out
}

// where is the directory it runs in, for a session that works in dir.
func (h *Hook) where(dir string) string {
	base := dir
	if h.Root != "" {
		base = h.Root
	}
	switch {
	case h.Dir == "":
		return dir
	case filepath.IsAbs(h.Dir):
		return h.Dir
	}
	return filepath.Join(base, h.Dir)
}

// argv is what is started. Claude Code's files may name the project's folder
// in a program's path and arguments.
func (h *Hook) argv(project string) []string {
	if h.Args == nil {
		return []string{h.Shell, "-c", h.Command}
	}
	argv := append([]string{h.Command}, h.Args...)
	if h.Dialect == Claude {
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "${CLAUDE_PROJECT_DIR}", project)
		}
	}
	return argv
}

// run runs one hook. The error is ctx's, or of the machine below; what is
// wrong with the hook is the answer's problem.
func (s *Set) run(ctx context.Context, h Hook, e core.HookEvent) (answer, error) {
	input, err := payload(e, e.Dir, time.Now())
	if err != nil {
		return answer{}, err
	}
	project := h.Root
	if project == "" {
		project = s.top(e.Dir)
	}
	limit, stop := context.WithTimeout(ctx, h.Timeout)
	defer stop()
	var stdout, stderr capped
	spec := sandbox.Spec{
		Dir: h.where(e.Dir), Argv: h.argv(project), Env: s.env(h, e, project), Session: e.Session, Task: e.Task, Stdin: input,
		Output: stdout.write, Stderr: stderr.write,
	}
	if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
		return answer{problem: "its directory " + spec.Dir + " does not exist"}, nil
	}
	exit, err := sandbox.Run(limit, spec)
	switch {
	case ctx.Err() != nil:
		return answer{}, ctx.Err()
	case limit.Err() != nil && (err != nil || exit.Killed):
		return answer{problem: fmt.Sprintf("it took longer than %s and was stopped", h.Timeout)}, nil
	case err != nil:
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			return answer{problem: fmt.Sprintf("its command %s cannot be started: %v", core.Short(p.Path, 200), p.Err)}, nil
		}
		return answer{problem: err.Error()}, nil
	}
	return said(ended{
		code: exit.Code, out: stdout.text, err: stderr.text, outCut: stdout.cut, answersText: e.Point == core.HookSubagentStart,
		mayBlock: e.Point == core.HookSubagentStop || e.Point == core.HookAgentStop,
	}), nil
}

// env is what the hook may see: what commands may, its own, and where it is.
func (s *Set) env(h Hook, e core.HookEvent, project string) []string {
	env := sandbox.Environ(s.o.Environ)
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		env = append(env, name+"="+h.Env[name])
	}
	for _, kv := range [][2]string{
		{EnvHook, string(e.Point)}, {"DROVER_AGENT", e.Agent}, {"DROVER_PARENT", e.Parent}, {"DROVER_PROJECT_DIR", project}, {"CLAUDE_PROJECT_DIR", project},
	} {
		env = append(env, kv[0]+"="+strings.ReplaceAll(kv[1], "\x00", ""))
	}
	return env
}

// capped keeps the beginning of what is written to it.
type capped struct {
	text []byte
	cut  bool
}

func (c *capped) write(b []byte) {
	if room := most - len(c.text); len(b) > room {
		b, c.cut = b[:room], true
	}
	c.text = append(c.text, b...)
}
