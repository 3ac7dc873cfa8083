package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Settings are what a person may set. Load fills every field.
type Settings struct {
	Model         string        // of new sessions: "provider/model", a tier, or Auto
	Effort        string        // of models that reason, where the agent says nothing: off to max, or Auto
	Theme         string        // a theme's name, or "auto"
	Concurrency   int           // tasks of a session that work at once
	MaxDepth      int           // levels of subagents under the main task
	MaxContinues  int           // autopilot's reminders before it stops
	MaxTurns      int           // model calls in one turn
	Timeout       time.Duration // of a subagent's turn; 0: none
	IdleTimeout   time.Duration // of a subagent without an event; 0: none
	AnswerWait    time.Duration // until a model's answer begins
	Grace         time.Duration // to hand in at a limit
	RequestBudget int           // model calls of a subagent's turn; 0: none
	BudgetTokens  int           // of a session; 0: none
	BudgetCost    float64       // of a session; 0: none
	HostIdle      time.Duration // a host with nothing to do exits after this
	KeepProgress  time.Duration // events of progress of a session that has rested for longer are removed
	StallAfter    time.Duration // a running task without an event for this long is said to be stalled
	OfflinePace   int           // characters a second of the offline model; 0: full speed

	Mouse        string // "on", "wheel" or "off"
	Notify       string // "auto", "off", or a way
	Title        bool   // the terminal's title says how things are
	Progress     bool   // OSC 9;4
	Synchronised bool   // mode 2026

	Tiers       map[string]string            // a tier to "provider/model"
	AgentModels map[string]string            // an agent's name to "provider/model" or a tier
	Providers   []Provider                   // a person's own, beside those that drover knows
	Headers     map[string]map[string]string // by provider and name; may hold secrets

	Subagents        bool     // agents may start others
	NestedBackground bool     // a subagent's own subagents may work in the background
	DelegationTools  []string // of the hidden ways to start agents, those that every agent is shown

	Instructions []string // files of instructions that the main agent reads, by their paths in a folder

	Trust          string   // "folder" or "content"
	AgentOrder     []string // families of agent files
	AgentsDisabled []string

	SearchURL    string   // of web_search, with {query} in it; "": none
	PrivateHosts []string // names that may lead to private addresses
	Hooks        []Hook   // of one point in the order of the file
}

// An Error is a setting that cannot be used.
type Error struct {
	File    string // the settings file, or "" when the environment holds the value
	Line    int    // 1 is the first; 0 where the file does not say
	Key     string // the setting or the variable; "" where the file is no TOML
	Problem string
	Hint    string // the way out
	table   string // the table that Key is in, "" for none
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Dir is the directory of the settings file, of a person's themes and agents.
func Dir(getenv func(string) string) (string, error) {
	return directory(getenv, "DROVER_CONFIG", "XDG_CONFIG_HOME", ".config")
}

// StateDir is the directory of the registry. It need not exist yet.
func StateDir(getenv func(string) string) (string, error) {
	return directory(getenv, "DROVER_STATE", "XDG_STATE_HOME", ".local/state")
}

func directory(getenv func(string) string, own, xdg, home string) (string, error) {
	if d := getenv(own); d != "" {
		return filepath.Abs(d)
	}
	// The XDG specification says to ignore a relative path.
	if d := getenv(xdg); filepath.IsAbs(d) {
		return filepath.Join(d, "drover"), nil
	}
	if d := getenv("HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, filepath.FromSlash(home), "drover"), nil
	}
	return "", &Error{Key: own, Problem: "neither it, nor " + xdg + ", nor HOME names a directory", Hint: "set " + own + " to a directory of yours"}
}

// Load reads the settings. The error, where it is about a setting, is an *Error.
func Load(getenv func(string) string) (Settings, error) {
	s := defaults()
	dir, err := Dir(getenv)
	if err != nil {
		return s, err
	}
	file := filepath.Join(dir, "config.toml")
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, &Error{File: file, Problem: "cannot be read: " + cause(err), Hint: "make it readable, or set DROVER_CONFIG to another directory"}
	default:
		if err := s.parse(file, string(text)); err != nil {
			return s, err
		}
	}
	return s, s.override(getenv)
}

func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// parse sets what the text of a settings file says.
func (s *Settings) parse(file, text string) error {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return syntaxError(file, err, `a line is: key = "text", or key = 12`)
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	// In the order of the file, so that the first fault is the one that is told.
	slices.SortFunc(names, func(a, b string) int {
		return lineOf(text, a) - lineOf(text, b)
	})
	for _, name := range names {
		k, ok := find(name)
		if !ok {
			return &Error{File: file, Line: lineOf(text, name), Key: name, Problem: "no such setting", Hint: nearest(name)}
		}
		if err := k.set(s, values[name]); err != nil {
			if e, ok := errors.AsType[*Error](err); ok { // it knows better where and what
				e.File, e.Line = file, lineIn(text, e.table, e.Key)
				return e
			}
			return &Error{File: file, Line: lineOf(text, name), Key: name, Problem: err.Error(), Hint: "for example: " + k.Name + " = " + k.Default}
		}
	}
	return nil
}

// lineIn finds the line of a key in a table, "" for none.
func lineIn(text, table, key string) int {
	head := 0
	if table != "" {
		head = lineOf(text, table)
	}
	below := strings.Join(strings.SplitAfter(text, "\n")[head:], "")
	if n := lineOf(below, key); n > 0 {
		return head + n
	}
	return head
}

// lineOf finds the line that sets a key, or opens it as a table; 0 where there is none.
func lineOf(text, key string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimLeft(line, " \t[")
		for _, form := range []string{key, strconv.Quote(key), "'" + key + "'"} {
			rest, ok := strings.CutPrefix(line, form)
			if rest = strings.TrimLeft(rest, " \t"); ok && rest != "" && strings.ContainsRune("=.]", rune(rest[0])) {
				return n
			}
		}
	}
	return 0
}

// override sets what the environment says.
func (s *Settings) override(getenv func(string) string) error {
	for _, k := range Keys {
		if k.Env == "" {
			continue
		}
		text := getenv(k.Env)
		if text == "" {
			continue
		}
		var value any = text
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = n
		}
		if err := k.set(s, value); err != nil {
			return &Error{Key: k.Env, Problem: err.Error(), Hint: "for example: " + k.Env + "=" + strings.Trim(k.Default, `"`)}
		}
	}
	return nil
}

// ThemeName is the theme to use: the one that is set; for "auto" the one that
// suits the terminal's background: what light says where it knows, else what
// stands in COLORFGBG, else dark.
func (s Settings) ThemeName(getenv func(string) string, light func() (is, known bool)) string {
	if s.Theme != "auto" {
		return s.Theme
	}
	if is, known := light(); known {
		return map[bool]string{true: "light", false: "dark"}[is]
	}
	fgbg := getenv("COLORFGBG") // "foreground;background", or with a default between them
	switch fgbg[strings.LastIndex(fgbg, ";")+1:] {
	case "7", "15":
		return "light"
	}
	return "dark"
}
