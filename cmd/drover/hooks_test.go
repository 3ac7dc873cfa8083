package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drover/core"
	"drover/core/hook"
	"drover/store"
)

// TestHooksFollowWhatIsOnDisk: what a person trusts or writes counts at the next moment, in an engine that runs.
func TestHooksFollowWhatIsOnDisk(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": home, "DROVER_STATE": filepath.Join(home, "state"), "DROVER_CONFIG": filepath.Join(home, "config")}
	e, err := (&app{getenv: func(k string) string { return env[k] }}).engine(t.Context(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.store.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(home, "shop")
	write("shop/.claude/settings.json", `{"hooks":{"SubagentStart":[{"matcher":"Explore","hooks":[{"type":"command","command":"echo from the team in $PWD"}]}]}}`)
	hooks := hooks{e}
	says := func(want string) {
		t.Helper()
		out, err := hooks.Run(t.Context(), core.HookEvent{Point: core.HookSubagentStart, Dir: dir, Session: "s", Task: "t", Agent: "explore"})
		if err != nil || out.Context != want {
			t.Errorf("context %q, want %q; ran %+v, %v", out.Context, want, out.Ran, err)
		}
	}
	says("")
	if _, err := e.catalog.trust(t.Context(), dir, true); err != nil {
		t.Fatal(err)
	}
	says("from the team in ~/shop") // the home is masked: this goes to a model
	write("config/config.toml", "[[hooks.subagentStart]]\ncommand = \"echo mine\"\n")
	says("mine\n\nfrom the team in ~/shop")
	if _, err := e.catalog.trust(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	says("mine")

	// While the settings cannot be read, those of before hold, and that is told, once.
	write("config/config.toml", "hooks = 3\n")
	for _, told := range []bool{true, false} {
		out, err := hooks.Run(t.Context(), core.HookEvent{Point: core.HookSubagentStart, Dir: dir, Agent: "explore"})
		if err != nil || out.Context != "mine" || told != (len(out.Ran) == 2 && strings.Contains(out.Ran[0].Problem, "config.toml:1: hooks: must be tables")) {
			t.Errorf("told %v: %+v, %v", told, out, err)
		}
	}
}

// TestAHookHidesNothing: what a person trusts is what will run.
func TestAHookHidesNothing(t *testing.T) {
	for _, tt := range []struct {
		h    hook.Hook
		want string
	}{
		{hook.Hook{Command: "make check"}, "make check"},
		{hook.Hook{Command: "echo ok \x1b]0; ; rm -rf ~ \x07"}, `"echo ok \x1b]0; ; rm -rf ~ \a"`},
		{hook.Hook{Command: "echo ok\nrm x"}, `"echo ok\nrm x"`},
		{hook.Hook{Command: "echo", Args: []string{"a\u202eb", "c"}}, `echo "a\u202eb" c`},
	} {
		if got := hookCommand(tt.h); got != tt.want {
			t.Errorf("%q is shown as %s, want %s", tt.h.Command, got, tt.want)
		}
	}
}
