package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// points are the moments drover has, in every spelling that hook files use.
var points = map[string]core.HookPoint{
	"subagentStart": core.HookSubagentStart, "SubagentStart": core.HookSubagentStart,
	"subagentStop": core.HookSubagentStop, "SubagentStop": core.HookSubagentStop,
	"agentStop": core.HookAgentStop, "Stop": core.HookAgentStop, "stop": core.HookAgentStop,
	"taskComplete": core.HookTaskComplete, "TaskCompleted": core.HookTaskComplete,
	"notification": core.HookNotification, "Notification": core.HookNotification,
}

// parsed is what a file says.
type parsed struct {
	hooks []Hook
	off   bool // disableAllHooks
}

// entry is one hook of a file, or a group of hooks with one matcher.
type entry struct {
	Type       string            `json:"type"`
	Matcher    *string           `json:"matcher"`
	Command    string            `json:"command"`
	Bash       string            `json:"bash"`
	Linux      string            `json:"linux"`
	PowerShell string            `json:"powershell"`
	Args       []string          `json:"args"`
	Cwd        string            `json:"cwd"`
	Env        map[string]string `json:"env"`
	Timeout    *float64          `json:"timeout"`    // seconds
	TimeoutSec *float64          `json:"timeoutSec"` // the same
	Required   bool              `json:"required"`   // drover's own
	Hooks      []json.RawMessage `json:"hooks"`
}

// parse reads a file of another program. Both know hooks by moment; one puts
// them into groups by matcher, the other gives each hook its own, and each
// reads the other's files. One bad entry does not hide the others.
func parse(p place, raw []byte) parsed {
	sum := sha256.Sum256(raw)
	base := Hook{Name: p.name, Dialect: p.dialect, Path: p.path, Root: p.root, Hash: hex.EncodeToString(sum[:])}
	var file struct {
		Version         any                        `json:"version"`
		Hooks           map[string]json.RawMessage `json:"hooks"`
		DisableAllHooks bool                       `json:"disableAllHooks"`
	}
	err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), &file)
	if v, ok := file.Version.(float64); err == nil && p.dialect == Copilot && file.Version != nil && (!ok || v != 1) {
		err = errors.New("its version is not 1, the one there is")
	}
	if err != nil {
		base.fault("%s", readable(err, raw))
		return parsed{hooks: []Hook{base}}
	}
	out := parsed{off: file.DisableAllHooks}
	for _, event := range slices.Sorted(maps.Keys(file.Hooks)) {
		h := base
		h.Event, h.Point = event, points[event]
		h.Name += ": " + core.Short(core.CleanLine(event), 40)
		out.hooks = append(out.hooks, entries(h, file.Hooks[event])...)
	}
	for i := range out.hooks {
		if h := &out.hooks[i]; h.Point == "" {
			h.State, h.Reason = Ignored, "drover has no moment of this name"
		}
	}
	return out
}

// entries reads a list of hooks or of groups of them.
func entries(base Hook, raw json.RawMessage) []Hook {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		base.fault("%s", readable(err, raw))
		return []Hook{base}
	}
	var out []Hook
	for i, one := range list {
		h := base
		h.Name += fmt.Sprintf("[%d]", i)
		var e entry
		err := json.Unmarshal(one, &e)
		switch {
		case err != nil:
			h.fault("%s", readable(err, one))
		case e.Hooks != nil:
			h.Name += ".hooks"
			for j, inner := range e.Hooks {
				g := h
				g.Name += fmt.Sprintf("[%d]", j)
				out = append(out, g.from(inner, e.Matcher))
			}
			continue
		default:
			h.fill(e)
		}
		out = append(out, h)
	}
	return out
}

// from is a hook inside of a group.
func (h Hook) from(raw json.RawMessage, matcher *string) Hook {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		h.fault("%s", readable(err, raw))
		return h
	}
	e.Matcher = matcher
	h.fill(e)
	return h
}

// fill makes a hook of what its entry says.
func (h *Hook) fill(e entry) {
	h.State, h.Shell = Active, "sh"
	h.Command, h.Args, h.Dir, h.Env, h.Required = e.Command, e.Args, e.Cwd, e.Env, e.Required
	switch {
	case e.Bash != "":
		h.Command, h.Shell, h.Args = e.Bash, "bash", nil
	case e.Linux != "":
		h.Command, h.Args = e.Linux, nil
	}
	if e.Matcher != nil && h.Point != core.HookAgentStop && h.Point != core.HookTaskComplete { // the others ignore one there
		h.Matcher = *e.Matcher
	}
	for _, sec := range []*float64{e.Timeout, e.TimeoutSec} {
		if sec != nil {
			h.Timeout = time.Duration(min(max(*sec, 0), longest.Seconds()) * float64(time.Second))
		}
	}
	if h.Dir == "" && h.Dialect == Copilot && h.Root != "" {
		h.Dir = "."
	}
	h.check()
	switch {
	case e.Type != "" && e.Type != "command":
		h.State, h.Reason = Ignored, "it is of the type "+core.Short(core.CleanLine(e.Type), 40)+"; drover runs commands"
	case h.Command == "" && e.PowerShell != "":
		h.State, h.Reason = Ignored, "it is for PowerShell only"
	}
}

// readable says what is wrong with a JSON text, and where.
func readable(err error, raw []byte) string {
	line := func(offset int64) int { return 1 + bytes.Count(raw[:min(int(offset), len(raw))], []byte("\n")) }
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is no valid JSON, line %d: %s", line(e.Offset), strings.TrimPrefix(e.Error(), "json: "))
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := "it"
		if e.Field != "" {
			what = core.Short(e.Field, 60)
		}
		return fmt.Sprintf("%s is a JSON %s where %s is wanted", what, e.Value, kinds[e.Type.Kind().String()])
	}
	return err.Error()
}

// kinds are Go's kinds in the words of a file's author.
var kinds = map[string]string{
	"string": "a text", "bool": "true or false", "float64": "a number of seconds", "slice": "a list", "map": "an object", "struct": "an object", "ptr": "another type",
}
