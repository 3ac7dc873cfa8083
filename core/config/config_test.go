package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// env is an environment of a few variables.
func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func load(t *testing.T, text string, pairs ...string) (Settings, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(env(append(pairs, "DROVER_CONFIG", dir)...))
	if e, ok := errors.AsType[*Error](err); ok {
		e.File = strings.Replace(e.File, dir, "DIR", 1)
	}
	return s, err
}

func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	var file strings.Builder
	for _, k := range Keys {
		file.WriteString(k.Name + " = " + k.Default + "\n")
	}
	documented, err := load(t, file.String())
	if err != nil {
		t.Fatal(err)
	}
	none, err := Load(env("DROVER_CONFIG", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(normal(documented), normal(none)) {
		t.Errorf("documented %+v\nin force   %+v", documented, none)
	}
}

// normal takes an empty list for none.
func normal(s Settings) Settings {
	if len(s.AgentOrder) == 0 {
		s.AgentOrder = nil
	}
	if len(s.AgentsDisabled) == 0 {
		s.AgentsDisabled = nil
	}
	if len(s.DelegationTools) == 0 {
		s.DelegationTools = nil
	}
	if len(s.PrivateHosts) == 0 {
		s.PrivateHosts = nil
	}
	return s
}

func TestLoad(t *testing.T) {
	s, err := load(t, `
# mine
model = "anthropic/some-model"
theme = "light"
concurrency = 4
max_depth = 0
max_continues = 9
max_turns = 7
timeout = "30m"
idle_timeout = "0s"
answer_wait = "20m"
grace = "5s"
request_budget = 40
budget_tokens = 100000
budget_cost = 2.5
"host_idle" = "5s"
offline_pace = 0
trust = "content"
agent_order = [".claude", ".drover"]
agents_disabled = ["task"]
subagents = false
nested_background = false
delegation_tools = ["subagent"]
instructions = ["CLAUDE.md", ".github/copilot-instructions.md"]
[[hooks.subagentStop]]
command = "./check.sh"
matcher = "explore|plan"
timeout = "30s"
required = true
cwd = "sub"
env = {A = "b"}
[tiers]
fast = "ollama/small"
[agent_models]
explore = "fast"
"my agent" = "openai/gpt-6-luna"
[headers.openai]
x-team = "search"
[providers.z_ai]
url = "https://models.test/anthropic"
key = "ZAI_TOKEN"
format = "anthropic"
[providers.deepseek]
url = "https://models.test/v1"
[[hooks.subagentStop]]
command = "notify-send"
args = ["x"]
[[hooks.agentStop]]
command = "true"
matcher = "*"
`)
	want := Settings{
		KeepProgress: 14 * 24 * time.Hour,
		Mouse:        "on", Notify: "auto", Title: true, Synchronised: true,
		Model: "anthropic/some-model", Effort: "auto", Theme: "light", Concurrency: 4, MaxContinues: 9, MaxTurns: 7, HostIdle: 5 * time.Second, StallAfter: 2 * time.Minute, AnswerWait: 20 * time.Minute,
		Timeout: 30 * time.Minute, Grace: 5 * time.Second, RequestBudget: 40, BudgetTokens: 100000, BudgetCost: 2.5,
		Tiers: map[string]string{"fast": "ollama/small"}, AgentModels: map[string]string{"explore": "fast", "my agent": "openai/gpt-6-luna"},
		Headers:   map[string]map[string]string{"openai": {"X-Team": "search"}},
		Providers: []Provider{{Name: "deepseek", URL: "https://models.test/v1"}, {Name: "z_ai", URL: "https://models.test/anthropic", Key: "ZAI_TOKEN", Format: "anthropic"}},
		Trust:     "content", AgentOrder: []string{".claude", ".drover"}, AgentsDisabled: []string{"task"}, DelegationTools: []string{"subagent"},
		Instructions: []string{"CLAUDE.md", ".github/copilot-instructions.md"},
		Hooks: []Hook{
			{Point: "agentStop", Command: "true", Matcher: "*"},
			{Point: "subagentStop", Command: "./check.sh", Matcher: "explore|plan", Timeout: 30 * time.Second, Required: true, Cwd: "sub", Env: map[string]string{"A": "b"}},
			{Point: "subagentStop", Command: "notify-send", Args: []string{"x"}},
		},
	}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, %v\nwant %+v", s, err, want)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want, hint string }{
		{"unknown", "model = \"a/b\"\nconcurency = 3\n", "DIR/config.toml:2: concurency: no such setting", "did you mean concurrency?"},
		{"unknown and far", "colour = 3", "DIR/config.toml:1: colour: no such setting", "the settings are model, theme"},
		{"case", "Model = \"a/b\"", "DIR/config.toml:1: Model: no such setting", "did you mean model?"},
		{"table", "# a\n\n[model]\nname = \"x\"\n", "DIR/config.toml:3: model: must be a text in quotes, is a table", `model = "auto"`},
		{"unknown table", "[provider.x]\na = 1\n", "DIR/config.toml:1: provider: no such setting", "did you mean providers?"},
		{"dotted", "theme.name = 1", "DIR/config.toml:1: theme: must be a text in quotes, is a table", "theme ="},
		{"type", "\nconcurrency = \"many\"", "DIR/config.toml:2: concurrency: must be a whole number, is a text", "concurrency = 128"},
		{"fraction", "concurrency = 1.5", "DIR/config.toml:1: concurrency: must be a whole number, is a number with a fraction", ""},
		{"range", "concurrency = 0", "DIR/config.toml:1: concurrency: must be 1 to 10000, is 0", ""},
		{"yes", "subagents = 1", "DIR/config.toml:1: subagents: must be true or false, is a number", "for example: subagents = true"},
		{"several", "delegation_tools = [\"task\"]", "DIR/config.toml:1: delegation_tools: must hold only delegate_to_agent, subagent, spawn_subagent, holds \"task\"", ""},
		{"negative", "max_depth = -2", "DIR/config.toml:1: max_depth: must be -1 to 100, is -2", ""},
		{"model", `model = "gpt"`, `DIR/config.toml:1: model: must be provider/model, one of fast, balanced, powerful, or auto, is "gpt"`, ""},
		{"tiers", "[tiers]\nfast = \"a/b\"\nslow = \"a/b\"", "DIR/config.toml:3: slow: tiers: no such tier; there are fast, balanced, powerful", "below [tiers] a line is"},
		{"tiers, a tier", "[tiers]\nfast = \"balanced\"", "DIR/config.toml:2: fast: tiers: must be provider/model, is \"balanced\"", ""},
		{"tiers, no table", "tiers = 1", "DIR/config.toml:1: tiers: must be a table, a line [tiers]", ""},
		{"agent_models", "[agent_models]\nexplore = 3", "DIR/config.toml:2: explore: agent_models: must be a text in quotes, is a number", ""},
		{"agent_models, a word", "[agent_models]\nexplore = \"quick\"", "explore: agent_models: must be provider/model, or one of", ""},
		{"headers", "[headers]\nopenai = 3", "DIR/config.toml:2: openai: headers: must be a table such as [headers.openai], is a number", ""},
		{"headers, two lines", "[headers.openai]\nX-A = \"a\\nb\"", "DIR/config.toml:2: X-A: headers.openai: must be a header's name with a text of one line", ""},
		{"headers, the line in its own table", "[headers.openai]\nX-A = \"a\"\n[headers.vllm]\nX-A = 3\n", "DIR/config.toml:4: X-A: headers.vllm: must be a header's name", ""},
		{"providers", "[providers]\nx = \"https://a.test\"", "DIR/config.toml:2: x: providers: must be a table such as [providers.x], is a text", "[providers.deepseek]"},
		{"providers, no url", "model = \"x/y\"\n[providers.x]\nkey = \"X_KEY\"", "DIR/config.toml:2: providers.x: it has no url", "url ="},
		{"providers, url", "[providers.x]\nurl = \"a.test/v1\"", "DIR/config.toml:2: url: providers.x: must be an address that begins with https://", ""},
		{"providers, url of the second", "[providers.x]\nurl = \"http://a.test/v1\"\n[providers.y]\nurl = \"\"", "DIR/config.toml:4: url: providers.y: must be an address", ""},
		{"providers, the key itself", "[providers.x]\nurl = \"https://a.test\"\nkey = \"sk-1234\"", "DIR/config.toml:3: key: providers.x: must be the name of the variable that holds the key", "key = \"X_API_KEY\""},
		{"providers, a variable that is not masked", "[providers.x]\nurl = \"https://a.test\"\nkey = \"MOON\"", "DIR/config.toml:3: key: providers.x: must be the name of the variable", ""},
		{"providers, format", "[providers.x]\nurl = \"https://a.test\"\nformat = \"openai\"", "format: providers.x: must be one of chat, responses, anthropic", ""},
		{"providers, unknown key", "[providers.x]\nurl = \"https://a.test\"\nmodels = \"m\"", "DIR/config.toml:3: models: providers.x: there is no such key", "url, key and format"},
		{"providers, name", "[providers.offline]\nurl = \"https://a.test\"", "DIR/config.toml:1: providers.offline: a provider's name", ""},
		{"empty theme", `theme = " "`, "DIR/config.toml:1: theme: must not be empty", ""},
		{"duration", `host_idle = "soon"`, `DIR/config.toml:1: host_idle: must be a time such as "90s" or "2m", is "soon"`, `host_idle = "60s"`},
		{"duration without a unit", `host_idle = 60`, `DIR/config.toml:1: host_idle: must be a time such as "90s" or "2m", is a number`, ""},
		{"too long", `host_idle = "48h"`, "DIR/config.toml:1: host_idle: must be 0s to 24h0m0s, is 48h0m0s", ""},
		{"the first fault is told", "zzz = 1\nconcurrency = 0\n", "DIR/config.toml:1: zzz", ""},
		{"no TOML", "model = \"a/b\"\nthis is no toml\n", "DIR/config.toml:2: no valid TOML", "key ="},
		{"twice", "max_depth = 1\nmax_depth = 2\n", "DIR/config.toml:2: no valid TOML", ""},
		{"binary", "\x00\x01\x02", "DIR/config.toml:1: no valid TOML", ""},
		{"hooks, no table", "hooks = 3", "DIR/config.toml:1: hooks: must be tables such as [[hooks.subagentStop]], is a number", "[[hooks."},
		{"hooks, one bracket", "theme = \"a\"\n[hooks.agentStop]\ncommand = \"x\"", "DIR/config.toml:2: hooks.agentStop: must be [[hooks.agentStop]], with two brackets, is a table", ""},
		{"hooks, unknown moment", "[[hooks.agentstop]]\ncommand = \"x\"", "DIR/config.toml:1: hooks.agentstop: no such moment; there are subagentStart,", ""},
		{"hooks, no command", "[[hooks.agentStop]]\nargs = []", "hooks.agentStop: number 1: command: must not be empty", ""},
		{"hooks, unknown key", "[[hooks.agentStop]]\ncommand = \"x\"\nmatch = \"y\"", "number 1: match: no such key; there are args, command,", ""},
		{"hooks, matcher", "[[hooks.agentStop]]\ncommand = \"x\"\n[[hooks.agentStop]]\ncommand = \"x\"\nmatcher = \"(\"", "number 2: matcher: error parsing regexp", ""},
		{"hooks, timeout", "[[hooks.agentStop]]\ncommand = \"x\"\ntimeout = 30", "number 1: timeout: must be a time such as", ""},
		{"hooks, no time", "[[hooks.agentStop]]\ncommand = \"x\"\ntimeout = \"0s\"", "number 1: timeout: must be 1ms to 24h", ""},
		{"hooks, required", "[[hooks.agentStop]]\ncommand = \"x\"\nrequired = \"yes\"", "number 1: required: must be true or false, is a text", ""},
		{"hooks, env", "[[hooks.agentStop]]\ncommand = \"x\"\nenv = {A = 1}", "number 1: env: must be a table of texts, and \"A\" is none", ""},
		{"hooks, args", "[[hooks.agentStop]]\ncommand = \"x\"\nargs = [1]", "number 1: args: must be a list of texts, holds a number", ""},
		{"list, date, bool", "theme = [1]", "is a list", ""},
		{"date", "theme = 2026-01-01", "is a date", ""},
		{"bool", "theme = true", "is true or false", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.text)
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v, want an *Error", err)
			}
			if !strings.Contains(e.Error(), tt.want) {
				t.Errorf("message\n got %s\nwant %s", e, tt.want)
			}
			if e.Hint == "" || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("hint %q, want %q", e.Hint, tt.hint)
			}
		})
	}
}

func TestEnvironmentOverrides(t *testing.T) {
	s, err := load(t, "model = \"a/b\"\noffline_pace = 1", "DROVER_MODEL", "c/d", "DROVER_PACE", "0", "DROVER_HOST_IDLE", "2s", "DROVER_THEME", "mine")
	if err != nil || s.Model != "c/d" || s.OfflinePace != 0 || s.HostIdle != 2*time.Second || s.Theme != "mine" {
		t.Errorf("got %+v, %v", s, err)
	}
	for name, value := range map[string]string{"DROVER_MODEL": "x", "DROVER_PACE": "fast", "DROVER_HOST_IDLE": "60"} {
		_, err := load(t, "", name, value)
		if err == nil || !strings.HasPrefix(err.Error(), name+": must be") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "config.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Load(env("DROVER_CONFIG", dir))
	if err == nil || !strings.Contains(err.Error(), "config.toml: cannot be read") {
		t.Errorf("got %v", err)
	}
}

func TestDirectories(t *testing.T) {
	for _, tt := range []struct {
		name          string
		env           func(string) string
		config, state string
	}{
		{"own", env("DROVER_CONFIG", "/c", "DROVER_STATE", "/s", "XDG_CONFIG_HOME", "/x", "HOME", "/h"), "/c", "/s"},
		{"xdg", env("XDG_CONFIG_HOME", "/xc", "XDG_STATE_HOME", "/xs", "HOME", "/h"), "/xc/drover", "/xs/drover"},
		{"home", env("HOME", "/h"), "/h/.config/drover", "/h/.local/state/drover"},
		{"a relative XDG path is ignored", env("XDG_CONFIG_HOME", "x", "XDG_STATE_HOME", ".", "HOME", "/h"), "/h/.config/drover", "/h/.local/state/drover"},
	} {
		c, err1 := Dir(tt.env)
		s, err2 := StateDir(tt.env)
		if err1 != nil || err2 != nil || c != tt.config || s != tt.state {
			t.Errorf("%s: %q, %q, %v, %v", tt.name, c, s, err1, err2)
		}
	}
	if _, err := StateDir(env()); err == nil || !strings.Contains(err.Error(), "DROVER_STATE") {
		t.Errorf("nowhere to go: %v", err)
	}
	if d, err := StateDir(env("DROVER_STATE", "here")); err != nil || !filepath.IsAbs(d) {
		t.Errorf("relative: %q, %v", d, err)
	}
}

func TestThemeName(t *testing.T) {
	for fgbg, want := range map[string]string{"": "dark", "15;0": "dark", "0;15": "light", "0;default;7": "light", "12;8": "dark", "x": "dark"} {
		if got := (Settings{Theme: "auto"}).ThemeName(env("COLORFGBG", fgbg), func() (bool, bool) { return true, false }); got != want {
			t.Errorf("COLORFGBG=%q: %q, want %q", fgbg, got, want)
		}
	}
	for light, want := range map[bool]string{true: "light", false: "dark"} {
		if got := (Settings{Theme: "auto"}).ThemeName(env("COLORFGBG", "0;7"), func() (bool, bool) { return light, true }); got != want {
			t.Errorf("the terminal says light %v: %q", light, got)
		}
	}
	if got := (Settings{Theme: "mine"}).ThemeName(env("COLORFGBG", "0;15"), nil); got != "mine" {
		t.Errorf("a theme that is set: %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "model = \"a/b\"", "[x]\ny=1", "concurrency = -1", "a.b.c = 1", "\"\" = 1", "theme = '''x\n'''", "[[hooks.agentStop]]\ncommand = \"x\"\nenv = {A = \"b\"}", "hooks = {agentStop = [{}]}", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := defaults()
		err := s.parse("f", text)
		if err == nil && (s.Concurrency < 1 || s.MaxTurns < 1 || s.Model == "" || s.Theme == "") {
			t.Errorf("%q gives %+v", text, s)
		}
		if e, ok := errors.AsType[*Error](err); err != nil && (!ok || e.Hint == "") {
			t.Errorf("%q: %v names no way out", text, err)
		}
	})
}

func TestKeymapFile(t *testing.T) {
	dir := t.TempDir()
	getenv := env("DROVER_CONFIG", dir)
	if file, rows, err := LoadKeymap(getenv); err != nil || len(rows) != 0 || filepath.Base(file) != KeymapFile {
		t.Fatalf("none: %v %v", rows, err)
	}
	for text, want := range map[string]string{
		"# mine\ncopy = [\"y\", \"c\"]\nmessage = \"M\"\nsteer = []\n": "[{copy [y c] 2} {message [M] 3} {steer [] 4}]",
		"[keys]\nmessage = \"M\"\n":                                    "[{message [M] 2}]",
		"":                                                             "[]",
		"\nmessage = 3\n":                                              "keys.toml:2: message: a key must be a text, is a number",
		"message = [\"a\", 1]":                                         "keys.toml:1: message: a key must be a text, is a number",
		"message = {a = 1}":                                            "keys.toml:1: message: a key must be a text, is a table",
		"message = \n":                                                 "keys.toml:1: no valid TOML",
		"message = \"a\"\nmessage = \"b\"":                             "keys.toml:2: no valid TOML",
	} {
		if err := os.WriteFile(filepath.Join(dir, KeymapFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, rows, err := LoadKeymap(getenv)
		got := fmt.Sprint(rows)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
