package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drover/core"
	"drover/core/sandbox"
)

const (
	envNames = 100
	envBytes = 32 << 10 // of all that a task has set
)

var envName = pattern(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// BlockedAgent is the variable that tells a drover started from a command which
// agent it may not start again: the one that runs the command.
const BlockedAgent = "DROVER_BLOCKED_AGENT"

// guarded is the environment of an agent's commands: what may be passed on,
// and over it what the task has set.
func guarded(env core.ToolEnv) ([]string, error) {
	own, err := readEnv(env)
	if err != nil {
		return nil, err
	}
	base := slices.DeleteFunc(sandbox.Environ(os.Environ()), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, set := own[name]
		return set
	})
	for _, name := range slices.Sorted(maps.Keys(own)) {
		base = append(base, name+"="+own[name])
	}
	if env.Agent != "" && env.Kind != core.KindMain {
		base = append(base, BlockedAgent+"="+env.Agent)
	}
	return base, nil
}

// envFile keeps what a task has set. It is a file, not memory, because a host
// leaves when nothing runs, and a follow-up finds another one.
func envFile(env core.ToolEnv) string {
	if env.Scratch == "" || env.Task == "" {
		return ""
	}
	return filepath.Join(env.Scratch, "env-"+env.Task+".json")
}

func readEnv(env core.ToolEnv) (map[string]string, error) {
	own := map[string]string{}
	path := envFile(env)
	if path == "" {
		return own, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &own)
	}
	if err != nil {
		return nil, fmt.Errorf("read what the task has set in its environment: %w", err)
	}
	return own, nil
}

type getEnv struct{ def }

func (t getEnv) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "name")), subjectBytes)
}

func (t getEnv) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Name string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	all, err := guarded(env)
	if err != nil {
		return core.ToolResult{}, err
	}
	if a.Name == "" {
		return done(cut(core.Clean(strings.Join(all, "\n")), 2*keepBytes)), ctx.Err()
	}
	for _, kv := range all {
		if name, value, _ := strings.Cut(kv, "="); name == a.Name {
			return done(cut(core.Clean(name+"="+value), 2*keepBytes)), ctx.Err()
		}
	}
	return done(fmt.Sprintf("%s is not set for commands (keys, tokens and passwords never are)", quoted(cut(a.Name, 60)))), ctx.Err()
}

type setEnv struct {
	def
	locks *locks
}

func (t setEnv) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "name")+"="+field(args, "value")), subjectBytes)
}

func (t setEnv) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Name, Value string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	path := envFile(env)
	switch {
	case !envName().MatchString(a.Name):
		return failed("%s is not a name of a variable: letters, digits and _ are", quoted(cut(a.Name, 60))), nil
	case strings.HasPrefix(a.Name, "DROVER_"):
		return failed("%s belongs to drover and cannot be set", a.Name), nil
	case strings.ContainsRune(a.Value, 0):
		return failed("the value holds a NUL character, which no variable can"), nil
	case path == "":
		return failed("there is no place to keep it in"), nil
	}
	defer t.locks.lock(path)()
	own, err := readEnv(env)
	if err != nil {
		return core.ToolResult{}, err
	}
	if own[a.Name] = a.Value; a.Value == "" {
		delete(own, a.Name)
	}
	b, err := json.Marshal(own)
	if err != nil {
		return core.ToolResult{}, fmt.Errorf("keep the environment: %w", err)
	}
	if len(own) > envNames || len(b) > envBytes {
		return failed("too much is set already: %d variables and %s are the most", envNames, size(envBytes)), nil
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return core.ToolResult{}, fmt.Errorf("keep the environment: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return core.ToolResult{}, fmt.Errorf("keep the environment: %w", err)
	}
	if a.Value == "" {
		return done(a.Name + " is no longer set for your commands"), ctx.Err()
	}
	return done(a.Name + " is set for your commands from now on"), ctx.Err()
}
