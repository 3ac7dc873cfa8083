package tool

import (
	"encoding/json"
	"testing"

	"drover/core"
)

func TestDenied(t *testing.T) {
	all := []core.Permission{
		{Tool: "shell", Pattern: "git push *", Decision: "deny"},
		{Tool: "shell", Pattern: "git push origin docs", Decision: "allow"},
		{Tool: "shell", Pattern: "rm *", Decision: "deny"},
		{Tool: "read_file", Pattern: "*.env", Decision: "deny"},
		{Tool: "write_file", Pattern: "src/*", Decision: "ask"},
		{Tool: "glob_*", Pattern: "*", Decision: "deny"},
	}
	dir := t.TempDir()
	box := NewBox(Builtin()...)
	for _, c := range []struct {
		tool, args string
		want       bool
	}{
		{"shell", `{"command":"git status"}`, false},
		{"shell", `{"command":"git push"}`, true},
		{"shell", `{"command":"git push --force"}`, true},
		{"shell", `{"command":"git push origin docs"}`, false},
		{"shell", `{"command":"cd x && git  push --force"}`, true},
		{"shell", `{"command":"true; GIT_TRACE=1 git push"}`, true},
		{"shell", `{"command":"echo $(rm -r x)"}`, true},
		{"shell", `{"command":"ls\nrm -r x"}`, true},
		{"shell", `{"command":"sudo rm x | cat"}`, true},
		{"shell", `{"command":"grep rm x"}`, false},
		{"read_file", `{"path":".env"}`, true},
		{"read_file", `{"path":"./a/../prod.env"}`, true},
		{"read_file", `{"path":"env.go"}`, false},
		{"write_file", `{"path":"src/a.go","content":""}`, false},
		{"glob_files", `{"pattern":"**"}`, true},
	} {
		tool, ok := box.Get(c.tool)
		if !ok {
			t.Fatal(c.tool)
		}
		if got := Denied(all, tool, json.RawMessage(c.args), dir); got != c.want {
			t.Errorf("%s %s: denied %v, want %v", c.tool, c.args, got, c.want)
		}
	}
}
