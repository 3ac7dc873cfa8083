package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drover/core"
)

func TestDeleteAndMove(t *testing.T) {
	out := t.TempDir()
	must(t, os.WriteFile(filepath.Join(out, "theirs"), nil, 0o644))
	dir := home(t, map[string]string{"a": "1", "b": "2", "full/x": "", "empty/": "", ".git/config": "", "d/e": "", "over": "old", "new": "new", "sub/.git/hooks": ""})
	must(t, os.Symlink(filepath.Join(out, "theirs"), filepath.Join(dir, "away")))
	must(t, os.Symlink(out, filepath.Join(dir, "door")))
	must(t, os.Symlink("b", filepath.Join(dir, "link")))
	e := env(dir)
	table(t, e, "delete_file", []row{
		{`{"path":"a"}`, "deleted a, a file", false},
		{`{"path":"a"}`, "…there is no such file", true},
		{`{"path":"link"}`, "deleted link, a link", false},
		{`{"path":"away"}`, "deleted away, a link", false},
		{`{"path":"empty/"}`, "deleted empty, a directory", false},
		{`{"path":"full"}`, "…directory not empty", true},
		{`{"path":"."}`, "…the working directory itself", true},
		{`{"path":".."}`, "…outside", true},
		{`{"path":"door/theirs"}`, "…outside", true},
		{`{"path":"` + out + `/theirs"}`, "…outside", true},
		{`{"path":".git/config"}`, "…belongs to git", true},
		{`{"path":"sub/.git/hooks"}`, "…belongs to git", true},
		{`{"path":"a\u0000"}`, "…cannot delete", true},
	})
	table(t, e, "move_file", []row{
		{`{"from":"b","to":"deep/er/b2"}`, "moved b to deep/er/b2", false},
		{`{"from":"new","to":"over"}`, "…overwrite replaces it", true},
		{`{"from":"new","to":"over","overwrite":true}`, "moved new to over", false},
		{`{"from":"d","to":"d2"}`, "moved d to d2", false},
		{`{"from":"d2","to":"d2/in"}`, "…into itself", true},
		{`{"from":"d2","to":"over","overwrite":true}`, "…cannot take the place of a file", true},
		{`{"from":"over","to":"d2","overwrite":true}`, "…a directory stands there", true},
		{`{"from":"none","to":"x"}`, "…no such file", true},
		{`{"from":"over","to":"over"}`, "…the same", true},
		{`{"from":"over","to":"../x"}`, "…outside", true},
		{`{"from":"over","to":"door/x"}`, "…outside", true},
		{`{"from":"over","to":".git/hooks"}`, "…belongs to git", true},
		{`{"from":"door/theirs","to":"x"}`, "…outside", true},
		{`{"from":"door","to":"gate"}`, "moved door to gate", false},
	})
	if b, err := os.ReadFile(filepath.Join(dir, "over")); err != nil || string(b) != "new" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(out, "theirs")); err != nil {
		t.Errorf("what a link leads to was touched: %v", err)
	}
}

// TestStateStays holds that the registry's files are neither deleted nor moved,
// by themselves or with a directory that holds them.
func TestStateStays(t *testing.T) {
	dir := home(t, map[string]string{"a/state/drover.db": "", "a/state/scratch/s/": ""})
	e := env(dir)
	e.Scratch = filepath.Join(dir, "a/state/scratch/s")
	table(t, e, "delete_file", []row{{`{"path":"a/state/drover.db"}`, "…drover's registry", true}})
	table(t, e, "move_file", []row{
		{`{"from":"a/state/drover.db","to":"x"}`, "…drover's registry", true},
		{`{"from":"a/state","to":"x"}`, "…holds drover's registry", true},
		{`{"from":"a","to":"x"}`, "…holds drover's registry", true},
	})
}

func TestMoveRules(t *testing.T) {
	dir := home(t, map[string]string{"docs/a": "", "src/x": ""})
	must(t, os.Symlink("../src", filepath.Join(dir, "docs/link")))
	tool, _ := NewBox(Builtin()...).Get("move_file")
	for _, c := range []struct{ from, to, exact, rule string }{
		{"docs/a", "docs/b", "docs/a → docs/b", "move_file(docs/**)"},
		{"docs/link/x", "docs/x", "src/x → docs/x", "move_file(**)"},
		{"a/b/c", "a/d/e/f", "a/b/c → a/d/e/f", "move_file(a/**)"},
		{"x", "y", "x → y", "move_file(*)"},
		{"docs/a", "../y", "", ""},
		{"docs/p → docs/q", "docs/r", "", ""},
	} {
		args, err := json.Marshal(map[string]string{"from": c.from, "to": c.to})
		must(t, err)
		exact := Exact(tool, args, dir)
		if exact != c.exact {
			t.Errorf("%s %s: exact %q", c.from, c.to, exact)
		}
		if exact == "" {
			continue
		}
		if rule := RuleFor("move_file", exact); rule != c.rule || !Allowed([]string{rule}, "move_file", exact) {
			t.Errorf("%s: rule %q", exact, rule)
		}
	}
	for subject, want := range map[string]bool{"docs/a → docs/b": true, "docs/a → src/b": false, "src/a → docs/b": false, "docs/a → docs/b → docs/c": false, "docs/a": false, "docs/a → docs/../x": false} {
		if got := Allowed([]string{"move_file(docs/**)"}, "move_file", subject); got != want {
			t.Errorf("%s: %v", subject, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("MY_SECRET_TOKEN", "hush-hush-hush")
	t.Setenv("LANG", "de_DE")
	e := env(t.TempDir())
	e.Scratch, e.Task = t.TempDir(), "t1"
	table(t, e, "get_env", []row{
		{`{"name":"LANG"}`, "LANG=de_DE", false},
		{`{"name":"MY_SECRET_TOKEN"}`, "…is not set for commands", false},
	})
	table(t, e, "set_env", []row{
		{`{"name":"CI","value":"a b'\""}`, "CI is set for your commands from now on", false},
		{`{"name":"LANG","value":"C"}`, "…is set", false},
		{`{"name":"A B","value":"1"}`, "…not a name", true},
		{`{"name":"BASH_FUNC_ls%%","value":"() { :; }"}`, "…not a name", true},
		{`{"name":"DROVER_TASK","value":"t9"}`, "…belongs to drover", true},
		{`{"name":"X","value":"a\u0000b"}`, "…NUL", true},
		{`{"name":"X","value":"` + strings.Repeat("x", 40<<10) + `"}`, "…too much", true},
	})
	table(t, e, "shell", []row{{`{"command":"echo $CI $LANG $MY_SECRET_TOKEN."}`, "a b'\" C .\n", false}})
	if r := call(t, e, "get_env", `{}`); !strings.Contains(r.Text, "CI=a b'\"\n") || !strings.Contains(r.Text, "LANG=C") || strings.Contains(r.Text, "hush") {
		t.Errorf("%q", r.Text)
	}
	table(t, e, "set_env", []row{{`{"name":"CI","value":""}`, "CI is no longer set for your commands", false}})
	table(t, e, "shell", []row{{`{"command":"echo [$CI]"}`, "[]\n", false}})
	other := e
	other.Task = "t2"
	table(t, other, "get_env", []row{{`{"name":"LANG"}`, "LANG=de_DE", false}})
	tool, _ := NewBox(Builtin()...).Get("set_env")
	exact := Exact(tool, json.RawMessage(`{"name":"A","value":"x*"}`), "")
	rule := RuleFor("set_env", exact)
	if tool.Spec().Effect != core.Runs || rule != `set_env(A=x\*)` || !Allowed([]string{rule}, "set_env", "A=x*") || Allowed([]string{rule}, "set_env", "A=xy") {
		t.Errorf("%q %q", exact, rule)
	}
}

func TestData(t *testing.T) {
	dir := home(t, map[string]string{"f.json": `{"a":[1,{"b/c":"x","n":12345678901234567890}]}`, "bin": "\x00\xff"})
	table(t, env(dir), "json_parse", []row{
		{`{"text":"{\"a\": [1,2]}"}`, "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n", false},
		{`{"path":"f.json","pointer":"/a/1/n"}`, "12345678901234567890\n", false},
		{`{"path":"f.json","pointer":"/a/1/b~1c"}`, "\"x\"\n", false},
		{`{"path":"f.json","pointer":"/a/2"}`, "…a list of 2", true},
		{`{"path":"f.json","pointer":"/z"}`, "…there is no \"z\"; there is a", true},
		{`{"path":"f.json","pointer":"/a/0/x"}`, "…there is a number, which has no parts", true},
		{`{"path":"f.json","pointer":"a"}`, "…begins with /", true},
		{`{"text":"{\n  \"a\": tru }"}`, "…in line 2, column 11", true},
		{`{"text":""}`, "…unexpected end", true},
		{`{}`, "…give text, or a path", true},
		{`{"text":"1","path":"f.json"}`, "…not both", true},
		{`{"path":"/proc/self/environ"}`, "…files of the kernel", true},
	})
	table(t, env(dir), "json_stringify", []row{
		{`{"value":{"a":[1,"x\"y"]}}`, "{\"a\":[1,\"x\\\"y\"]}\n", false},
		{`{"value":[1],"indent":2}`, "[\n  1\n]\n", false},
		{`{"value":null}`, "null\n", false},
		{`{}`, "…value is missing", true},
	})
	table(t, env(dir), "base64_encode", []row{
		{`{"text":"hé?>"}`, "aMOpPz4=\n", false}, {`{"text":"hé?>","url":true}`, "aMOpPz4\n", false}, {`{"path":"bin"}`, "AP8=\n", false}, {`{"text":""}`, "…empty", false},
	})
	table(t, env(dir), "base64_decode", []row{
		{`{"text":"aMOp Pz4="}`, "hé?>\n", false}, {`{"text":"aMOpPz4"}`, "hé?>\n", false}, {`{"text":"AP8="}`, "…no text, but 2 B", false}, {`{"text":"!"}`, "…not Base64", true},
	})
}

func TestMemory(t *testing.T) {
	base, dir := t.TempDir(), home(t, nil)
	box := NewBox(Memory(base)...)
	run := func(where, name, args string) core.ToolResult {
		t.Helper()
		tool, _ := box.Get(name)
		e := env(where)
		e.Scratch = t.TempDir()
		r, err := tool.Run(t.Context(), e, json.RawMessage(args))
		must(t, err)
		return r
	}
	for _, c := range []struct {
		tool string
		row
	}{
		{"memory_list", row{`{}`, "no notes", false}},
		{"memory_read", row{`{"name":"a"}`, "no notes", true}},
		{"memory_patch", row{`{"name":"a","old_text":"x","new_text":"y"}`, "no such note", true}},
		{"memory_write", row{`{"name":"a","content":"# Build\nmake all\n"}`, "wrote the note a, 2 lines", false}},
		{"memory_append", row{`{"name":"a.md","content":"make test"}`, "changed the note a, 3 lines", false}},
		{"memory_patch", row{`{"name":"a","old_text":"make","new_text":"x"}`, "occurs 2 times", true}},
		{"memory_patch", row{`{"name":"a","old_text":"make all","new_text":"make"}`, "changed", false}},
		{"memory_read", row{`{"name":"a"}`, "# Build\nmake\nmake test\n", false}},
		{"memory_append", row{`{"name":"b","content":"x"}`, "wrote the note b, 1 line", false}},
		{"memory_list", row{`{}`, "- a (", false}},
		{"memory_list", row{`{}`, "): Build\n", false}},
		{"memory_write", row{`{"name":"../a","content":""}`, "no name of a note", true}},
		{"memory_write", row{`{"name":"/etc/passwd","content":""}`, "no name of a note", true}},
		{"memory_write", row{`{"name":"a/b","content":""}`, "no name of a note", true}},
		{"memory_write", row{`{"name":".hidden","content":""}`, "no name of a note", true}},
		{"memory_read", row{`{"name":".."}`, "no name of a note", true}},
		{"memory_write", row{`{"name":"big","content":"` + strings.Repeat("x", 70<<10) + `"}`, "is the most", true}},
	} {
		if r := run(dir, c.tool, c.args); r.Failed != c.failed || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s %.100s: %+v", c.tool, c.args, r)
		}
	}
	if r := run(home(t, nil), "memory_list", `{}`); !strings.Contains(r.Text, "no notes") {
		t.Errorf("another project sees %q", r.Text)
	}
	// A link that somebody put there leads nowhere.
	out := filepath.Join(t.TempDir(), "theirs")
	must(t, os.WriteFile(out, []byte("secret"), 0o600))
	projects, err := os.ReadDir(base)
	must(t, err)
	must(t, os.Symlink(out, filepath.Join(base, projects[0].Name(), "trap.md")))
	for _, c := range [][2]string{{"memory_read", `{"name":"trap"}`}, {"memory_write", `{"name":"trap","content":"x"}`}, {"memory_append", `{"name":"trap","content":"x"}`}} {
		if r := run(dir, c[0], c[1]); !r.Failed || strings.Contains(r.Text, "secret") {
			t.Errorf("%s: %+v", c[0], r)
		}
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "secret" {
		t.Errorf("%q %v", b, err)
	}
	var wg sync.WaitGroup
	tool, _ := NewBox(Memory(base)...).Get("memory_append")
	for range 20 {
		wg.Go(func() {
			if r, err := tool.Run(t.Context(), env(dir), json.RawMessage(`{"name":"many","content":"line"}`)); err != nil || r.Failed {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	wg.Wait()
	if r := run(dir, "memory_read", `{"name":"many"}`); strings.Count(r.Text, "line\n") != 20 {
		t.Errorf("%q", r.Text)
	}
}
