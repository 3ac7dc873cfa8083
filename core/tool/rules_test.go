package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"drover/core"
)

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		rule, tool, subject string
		want                bool
	}{
		{"*", "shell", "rm -rf / ; x", true},
		{"shell", "shell", "a; b", true},
		{"shell", "write_file", "a", false},
		{"Bash", "shell", "a", true},
		{"Bash(ls*)", "shell", "ls -l", true},
		{"mcp__*", "mcp__git__log", "", true},
		{"shell(go test*)", "shell", "go test ./...", true},
		{"shell(go test*)", "shell", "go test -run 'A$' ./x", true},
		{"shell(go test*)", "shell", "go test $HOME", true},
		{"shell(go test*)", "shell", "go vet", false},
		{"shell(go test*)", "shell", "go test; rm -rf /", false},
		{"shell(go test*)", "shell", "go test && rm x", false},
		{"shell(go test*)", "shell", "go test & rm x", false},
		{"shell(go test*)", "shell", "go test | sh", false},
		{"shell(go test*)", "shell", "go test `rm x`", false},
		{"shell(go test*)", "shell", "go test $(rm x)", false},
		{"shell(go test*)", "shell", "go test $$(rm x)", false},
		{"shell(go test*)", "shell", "go test \"$(rm x)\"", false},
		{"shell(go test*)", "shell", "go test\nrm x", false},
		{"shell(go test*)", "shell", "go test\rrm x", false},
		{"shell(go test*)", "shell", "go test > /etc/passwd", false},
		{"shell(go test*)", "shell", "go test <(rm x)", false},
		{"shell(go test*)", "shell", "go test …", false},
		{"shell(echo *(x))", "shell", "echo $(x)", false},
		{"shell(go test* | tail)", "shell", "go test ./... | tail", true},
		{"shell(go test* | tail)", "shell", "go test ./... | sh | tail", false},
		{"shell(a.c)", "shell", "abc", false},
		{`shell(ls \*)`, "shell", "ls *", true},
		{`shell(ls \*)`, "shell", "ls x", false},
		{"shell(*)", "shell", "", false},
		{"write_file(docs/**)", "write_file", "docs/a/b.md", true},
		{"write_file(./docs/**)", "write_file", "docs/b.md", true},
		{"write_file(docs/**)", "write_file", "docs/../main.go", false},
		{"write_file(docs/**)", "write_file", "../docs/a", false},
		{"write_file(**)", "write_file", "../docs/a", false},
		{"write_file(**)", "write_file", "/etc/passwd", false},
		{"write_file(*)", "write_file", "a/b", false},
		{"write_file(docs/**)", "edit_file", "docs/a", false},
		{"write_file(docs/[)", "write_file", "docs/[", false},
		{"", "shell", "x", false},
	} {
		if got := Allowed([]string{c.rule}, c.tool, c.subject); got != c.want {
			t.Errorf("rule %q, %s %q: %v", c.rule, c.tool, c.subject, got)
		}
	}
}

func TestParseRule(t *testing.T) {
	for _, bad := range []string{"", "  ", "(x)", "shell(", "shell(x", "shell()", "shell( )", "sh ell", "write_file([)", "shell(x …)", "shell[x]", "a)b"} {
		if _, err := ParseRule(bad); core.CodeOf(err) != core.CodeInvalidInput || core.HintOf(err) == "" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if r, err := ParseRule(" Bash(echo (a) b) "); err != nil || r != (Rule{Tool: "shell", Glob: "echo (a) b"}) {
		t.Errorf("%+v %v", r, err)
	}
}

func TestRuleFor(t *testing.T) {
	for _, c := range []struct{ tool, subject, want string }{
		{"shell", `rm *.\o; echo`, `shell(rm \*.\\o; echo)`},
		{"shell", "ls …", ""},
		{"shell", "", ""},
		{"write_file", "docs/x/a.md", "write_file(docs/x/**)"},
		{"edit_file", "a.md", "edit_file(*)"},
		{"edit_file", "a[1]/a.md", `edit_file(a\[1\]/**)`},
		{"task", "explore", "task"},
	} {
		if got := RuleFor(c.tool, c.subject); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.tool, c.subject, got, c.want)
		}
	}
}

func TestSubjectAndExact(t *testing.T) {
	dir := home(t, map[string]string{"src/": "", "docs/": ""})
	must(t, os.Symlink("../src", filepath.Join(dir, "docs", "link")))
	box := NewBox(Builtin()...)
	for _, c := range []struct{ tool, args, subject, exact string }{
		{"shell", `{"command":" ls -l "}`, "ls -l", "ls -l"},
		{"shell", `{"command":"ls\nrm x"}`, "ls …", "ls\nrm x"},
		{"shell", `{"command":"echo  \u001b[31ma"}`, "echo a …", "echo  \x1b[31ma"},
		{"shell", `{"command":7}`, "", ""},
		{"shell", `nonsense`, "", ""},
		{"write_file", `{"path":"docs/./a"}`, "docs/a", "docs/a"},
		{"write_file", `{"path":"docs/link/a"}`, "docs/link/a", "src/a"},
		{"write_file", `{"path":"../x"}`, "../x", ""},
		{"edit_file", `{"path":"` + dir + `/src/a"}`, dir + "/src/a", "src/a"},
		{"grep_files", `{"pattern":"a\nb"}`, "a b", "a b"},
		{"read_file", `{"path":"a\nb"}`, `"a\nb"`, `"a\nb"`},
	} {
		tool, _ := box.Get(c.tool)
		if got := tool.Subject(json.RawMessage(c.args)); got != c.subject {
			t.Errorf("%s %s: subject %q", c.tool, c.args, got)
		}
		if got := Exact(tool, json.RawMessage(c.args), dir); got != c.exact {
			t.Errorf("%s %s: exact %q", c.tool, c.args, got)
		}
	}
}

func TestArguments(t *testing.T) {
	dir := home(t, map[string]string{"f": "x\n"})
	table(t, env(dir), "read_file", []row{
		{``, "read_file: path is missing", true},
		{`{"path":null}`, "read_file: path is missing", true},
		{`{"path":"f","offset":null}`, "     1\tx\n", false},
		{`{"path":"f","lines":3}`, `read_file: unknown field "lines"; the fields are limit, offset, path`, true},
		{`{"Path":"f"}`, `read_file: unknown field "Path"; the fields are limit, offset, path`, true},
		{`{"path":["f"]}`, "read_file: path must be a string, not an array", true},
		{`{"path":"f","offset":"3"}`, "read_file: offset must be a whole number, not a string", true},
		{`{"path":"f","offset":1.5}`, "read_file: offset must be a whole number, written without point or exponent", true},
		{`{"path":"f","offset":-1}`, "read_file: offset must be at least 0", true},
		{`{"path":"f","offset":1e400}`, "read_file: offset is too large", true},
		{`{"path":"f"`, "read_file: the arguments are not valid JSON; send one JSON object", true},
		{`{"path":"f"} {}`, "read_file: the arguments are not valid JSON; send one JSON object", true},
		{`["f"]`, "read_file: the arguments must be an object, not an array", true},
		{`"f"`, "read_file: the arguments must be an object, not a string", true},
		{"\xff", "read_file: the arguments are not valid JSON; send one JSON object", true},
	})
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"path":"f"}`, `{"path":1}`, `{"command":"x","timeout_seconds":1e9}`, `[[[[`, `{"a":{"b":[null]}}`, "\"\\ud800\"", `{"path":"\u0000"}`} {
		f.Add(seed)
	}
	tools := Builtin()
	f.Fuzz(func(t *testing.T, args string) {
		for _, tool := range tools {
			subject := tool.Subject(json.RawMessage(args))
			if subject != core.CleanLine(subject) {
				t.Errorf("%s: subject %q", tool.Spec().Name, subject)
			}
			d := define(tool.Spec().Name, core.Reads)
			var into map[string]any
			r, err := d.decode(json.RawMessage(args), &into)
			if err != nil {
				t.Errorf("%s %q: %v", d.spec.Name, args, err)
			}
			if r != nil && (!r.Failed || !utf8.ValidString(r.Text) || strings.Contains(r.Text, "json:")) {
				t.Errorf("%s %q: %+v", d.spec.Name, args, r)
			}
		}
	})
}

// FuzzRules holds that a rule for a command allows that command, and that a
// rule with a star never allows more commands than one.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{{"go test", "; rm"}, {"a*b", "$(x)"}, {`\`, "\n"}, {"x", "$"}, {"(", ")"}, {"é", "`"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, command, more string) {
		if !utf8.ValidString(command) || !utf8.ValidString(more) {
			return
		}
		command = strings.TrimSpace(command)
		rule := RuleFor("shell", command)
		if rule != "" && strings.TrimSpace(command) != "" && !Allowed([]string{rule}, "shell", command) {
			t.Errorf("rule %q does not allow %q", rule, command)
		}
		if rule != "" && more != "" && Allowed([]string{rule}, "shell", command+more) {
			t.Errorf("rule %q allows %q", rule, command+more)
		}
		if strings.ContainsAny(more, ";&|<>`\n\r") || strings.Contains(more, "$(") {
			if Allowed([]string{"shell(ls*)"}, "shell", "ls"+more) {
				t.Errorf("ls* allows %q", "ls"+more)
			}
		}
		_, _ = ParseRule(command)
		Allowed([]string{command}, more, command)
	})
}
