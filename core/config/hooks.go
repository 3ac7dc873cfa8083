package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Hook is one [[hooks.POINT]] of the settings file.
type Hook struct {
	Point    string
	Command  string
	Args     []string // nil: Command is a line for the shell
	Matcher  string   // a regular expression for the whole name; "" is all
	Timeout  time.Duration
	Required bool
	Cwd      string
	Env      map[string]string
}

// HookPoints are the moments a hook can be for.
var HookPoints = []string{"subagentStart", "subagentStop", "agentStop", "taskComplete", "notification"}

const hookHint = `write [[hooks.subagentStop]] on a line, and below it: command = "./check.sh"`

// hookKeys are what a hook may say, each with what it must be.
var hookKeys = map[string]func(*Hook, any) error{
	"command": hookText(func(h *Hook) *string { return &h.Command }),
	"matcher": hookText(func(h *Hook) *string { return &h.Matcher }),
	"cwd":     hookText(func(h *Hook) *string { return &h.Cwd }),
	"args": func(h *Hook, v any) error {
		var s Settings
		if err := texts(func(s *Settings) *[]string { return &s.AgentsDisabled })(&s, v); err != nil {
			return err
		}
		h.Args = s.AgentsDisabled
		return nil
	},
	"timeout": func(h *Hook, v any) error {
		var s Settings
		if err := duration(func(s *Settings) *time.Duration { return &s.HostIdle }, time.Millisecond, 24*time.Hour)(&s, v); err != nil {
			return err
		}
		h.Timeout = s.HostIdle
		return nil
	},
	"required": func(h *Hook, v any) (err error) {
		var ok bool
		if h.Required, ok = v.(bool); !ok {
			err = fmt.Errorf("must be true or false, is %s", kind(v))
		}
		return err
	},
	"env": func(h *Hook, v any) error {
		table, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("must be a table of texts, is %s", kind(v))
		}
		h.Env = map[string]string{}
		for name, value := range table {
			if h.Env[name], ok = value.(string); !ok || name == "" || strings.ContainsAny(name, "=\x00") {
				return fmt.Errorf("must be a table of texts, and %q is none", name)
			}
		}
		return nil
	},
}

func hookText(field func(*Hook) *string) func(*Hook, any) error {
	return func(h *Hook, v any) error {
		t, ok := v.(string)
		if !ok {
			return fmt.Errorf("must be a text in quotes, is %s", kind(v))
		}
		*field(h) = t
		return nil
	}
}

// setHooks reads the table of hooks. The order within a point is the file's.
func setHooks(s *Settings, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return hookError("", "must be tables such as [[hooks.subagentStop]], is %s", kind(v))
	}
	s.Hooks = nil
	for _, point := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(HookPoints, point) {
			return hookError(point, "no such moment; there are %s", strings.Join(HookPoints, ", "))
		}
		list, ok := table[point].([]map[string]any)
		if !ok {
			return hookError(point, "must be [[hooks.%s]], with two brackets, is %s", point, kind(table[point]))
		}
		for i, one := range list {
			h := Hook{Point: point}
			if err := h.set(one); err != nil {
				return hookError(point, "number %d: %v", i+1, err)
			}
			s.Hooks = append(s.Hooks, h)
		}
	}
	return nil
}

func (h *Hook) set(table map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		set, ok := hookKeys[name]
		if !ok {
			return fmt.Errorf("%s: no such key; there are %s", name, strings.Join(slices.Sorted(maps.Keys(hookKeys)), ", "))
		}
		if err := set(h, table[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if strings.TrimSpace(h.Command) == "" {
		return fmt.Errorf("command: must not be empty")
	}
	if _, err := regexp.Compile(`^(?:` + h.Matcher + `)$`); err != nil && h.Matcher != "*" {
		return fmt.Errorf("matcher: %w", err)
	}
	return nil
}

func hookError(point, format string, args ...any) error {
	key := "hooks"
	if point != "" {
		key += "." + point
	}
	return &Error{Key: key, Problem: fmt.Sprintf(format, args...), Hint: hookHint}
}
