package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"drover/core"
)

// home makes a directory with files; a name that ends in / is a directory.
func home(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func env(dir string) core.ToolEnv { return core.ToolEnv{TaskInfo: core.TaskInfo{Dir: dir}} }

// call runs a tool with arguments as JSON and checks what holds for every result.
func call(t testing.TB, e core.ToolEnv, name, args string) core.ToolResult {
	t.Helper()
	tool, ok := NewBox(Builtin()...).Get(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	r, err := tool.Run(t.Context(), e, json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	if !utf8.ValidString(r.Text) || r.Text == "" || len(r.Text) > 80<<10 {
		t.Errorf("%s %s: bad text of %d bytes", name, args, len(r.Text))
	}
	return r
}

type row struct {
	args   string
	want   string // the whole text, or with … a part of it
	failed bool
}

func table(t *testing.T, e core.ToolEnv, name string, rows []row) {
	t.Helper()
	for _, c := range rows {
		r := call(t, e, name, c.args)
		part, some := strings.CutPrefix(c.want, "…")
		if r.Failed != c.failed || !some && r.Text != c.want || some && !strings.Contains(r.Text, part) {
			t.Errorf("%s %s\n got (failed %v) %q\nwant (failed %v) %q", name, c.args, r.Failed, r.Text, c.failed, c.want)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := home(t, map[string]string{
		"a.txt": "one\ntwo\nthree", "crlf.txt": "one\r\ntwo\r\n", "empty": "", "bin": "ab\x00c", "latin": "caf\xe9\n",
		"long": strings.Repeat("x", 5000) + "\nend\n", "many": strings.Repeat("line\n", 5000), "sub/readme.md": "hi\n", "line\nbreak": "odd\n",
		"wide": strings.Repeat(strings.Repeat("y", 1999)+"\n", 100),
	})
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	must(t, os.Symlink("loop2", filepath.Join(dir, "loop1")))
	must(t, os.Symlink("loop1", filepath.Join(dir, "loop2")))
	must(t, os.Symlink("/proc/self/environ", filepath.Join(dir, "secrets")))
	table(t, env(dir), "read_file", []row{
		{`{"path":"a.txt"}`, "     1\tone\n     2\ttwo\n     3\tthree\n", false},
		{`{"path":"` + dir + `/a.txt","offset":2,"limit":1}`, "     2\ttwo\n(lines 2 to 2 of 3 lines; offset 3 goes on)\n", false},
		{`{"path":"a.txt","offset":4}`, "a.txt has only 3 lines; offset 4 is behind its end", true},
		{`{"path":"crlf.txt"}`, "     1\tone\n     2\ttwo\n(lines end in CRLF)\n", false},
		{`{"path":"latin"}`, "     1\tcaf\uFFFD\n(bytes that are not UTF-8 are shown as \uFFFD)\n", false},
		{`{"path":"empty"}`, "(empty is empty)", false},
		{`{"path":"bin"}`, "…bin is binary (4 B)", true},
		{`{"path":"long"}`, "…xxx… (cut: this line has 5.0 kB)\n     2\tend\n", false},
		{`{"path":"many"}`, "…(lines 1 to 2000 of 5000 lines; offset 2001 goes on)", false},
		{`{"path":"wide"}`, "… of 100 lines; offset ", false},
		{`{"path":"line\nbreak"}`, "     1\todd\n", false},
		{`{"path":"sub"}`, "cannot read sub: it is a directory, not a file; use list_files", true},
		{`{"path":"a.tx"}`, "…there is no such file; there is a.txt", true},
		{`{"path":"sub/README"}`, "…there is sub/readme.md", true},
		{`{"path":"sbu/x"}`, "…there is sub", true},
		{`{"path":"fifo"}`, "…it is a pipe", true},
		{`{"path":"/dev/zero"}`, "…it is a device", true},
		{`{"path":"secrets"}`, "…files of the kernel", true},
		{`{"path":"/proc/self/../self/environ"}`, "…files of the kernel", true},
		{`{"path":"loop1"}`, "…links form a loop", true},
		{`{"path":"a.txt/b"}`, "…not a directory", true},
		{`{"path":"a\u0000b"}`, "…not valid", true},
		{`{"path":"` + strings.Repeat("n", 5000) + `"}`, "…name is too long", true},
	})
}

func TestReadHugeFile(t *testing.T) {
	dir := home(t, nil)
	f, err := os.Create(filepath.Join(dir, "huge"))
	must(t, err)
	block := []byte(strings.Repeat("0123456789abcde\n", 1<<16))
	for range 100 {
		_, err := f.Write(block)
		must(t, err)
	}
	must(t, f.Close())
	table(t, env(dir), "read_file", []row{
		{`{"path":"huge","limit":1}`, "…of more than ", false},
		{`{"path":"huge","offset":6000000,"limit":2}`, "…6000001\t0123456789abcde\n", false},
	})
	if r := call(t, env(dir), "grep_files", `{"pattern":"x","path":"huge"}`); !strings.Contains(r.Text, "huge: not searched, it has 104.9 MB") {
		t.Error(r.Text)
	}
}

func TestListFiles(t *testing.T) {
	dir := home(t, map[string]string{"b.txt": "12", "a/x.go": "1", "a/deep/y": "", "node_modules/m/i.js": "", "nl\nname": "", "none/": ""})
	must(t, os.Symlink("..", filepath.Join(dir, "a", "up")))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	table(t, env(dir), "list_files", []row{
		{``, "a/\nnode_modules/\nnone/\nb.txt  2 B\nfifo  a pipe\n\"nl\\nname\"  0 B\n", false},
		{`{"path":"a","depth":6}`, "deep/\ndeep/y  0 B\nup -> ..\nx.go  1 B\n", false},
		{`{"path":"none","depth":null}`, "(none is empty)", false},
		{`{"path":"b.txt"}`, "…it is a file, not a directory", true},
		{`{"path":"fifo"}`, "…it is a pipe, not a directory", true},
		{`{"path":"noen"}`, "…there is none", true},
		{`{"depth":9}`, "list_files: depth must be at most 6", true},
	})
	many := home(t, nil)
	for i := range 1200 {
		must(t, os.WriteFile(filepath.Join(many, strings.Repeat("f", i%7)+string(rune('a'+i%26))+time.Duration(i).String()), nil, 0o644))
	}
	table(t, env(many), "list_files", []row{{`{}`, "…(200 more left out", false}})
}

func TestGlobFiles(t *testing.T) {
	dir := home(t, map[string]string{
		"main.go": "", "cmd/a/a.go": "", "cmd/a/a_test.go": "", "docs/x.md": "", "node_modules/m.go": "", "new.txt": "", "line\nbreak.go": "",
	})
	must(t, os.Symlink("..", filepath.Join(dir, "cmd", "loop")))
	must(t, os.Chtimes(filepath.Join(dir, "cmd/a/a.go"), time.Now(), time.Now().Add(time.Hour)))
	table(t, env(dir), "glob_files", []row{
		{`{"pattern":"**/*.go"}`, "cmd/a/a.go\ncmd/a/a_test.go\n\"line\\nbreak.go\"\nmain.go\n", false},
		{`{"pattern":"./**/a*.{go,md}","newest":true}`, "cmd/a/a.go\ncmd/a/a_test.go\n", false},
		{`{"pattern":"` + dir + `/docs/*"}`, "docs/x.md\n", false},
		{`{"pattern":"*.md"}`, "…(**/*.md would match 1 file)", false},
		{`{"pattern":"a_*","path":"cmd/a"}`, "cmd/a/a_test.go\n", false},
		{`{"pattern":"[a"}`, "…not valid", true},
		{`{"pattern":"` + strings.Repeat("{*,a}", 30) + `"}`, "…too many braces", true},
		{`{"pattern":"` + strings.Repeat("**/a*", 20) + `"}`, "…too many stars", true},
		{`{"pattern":"*","path":"cdm"}`, "…there is cmd", true},
	})
	git := exec.Command("git", "init", "-q", dir)
	must(t, git.Run())
	must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("docs\nnode_modules\n"), 0o644))
	hook := filepath.Join(dir, "hook")
	must(t, os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+dir+"/owned\n"), 0o755))
	must(t, exec.Command("git", "-C", dir, "config", "core.fsmonitor", hook).Run())
	table(t, env(dir), "glob_files", []row{
		{`{"pattern":"**/*.{go,md}"}`, "cmd/a/a.go\ncmd/a/a_test.go\n\"line\\nbreak.go\"\nmain.go\n", false},
		{`{"pattern":"*.md","path":"docs"}`, "docs/x.md\n", false},
	})
	if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
		t.Error("the repository's own command was run")
	}
}

func TestGrepFiles(t *testing.T) {
	dir := home(t, map[string]string{
		"a.go": "package a\n\nfunc Total() int {\n\treturn 1\n}\n", "b/b.go": "x := Total()\r\nTOTAL\r\nend", "bin": "Total\x00", "kelvin": "5 \u212a\n",
		"latin": "Total \xe9\n", "many": strings.Repeat("hit\n", 300), "long": strings.Repeat("z", 1000) + "NEEDLE" + strings.Repeat("z", 200_000) + "\n",
		"c.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
	})
	must(t, os.Symlink("a.go", filepath.Join(dir, "link")))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	table(t, env(dir), "grep_files", []row{
		{`{"pattern":"Total\\("}`, "a.go:3: func Total() int {\nb/b.go:1: x := Total()\n", false},
		{`{"pattern":"Total(","literal":true,"glob":"b/**"}`, "b/b.go:1: x := Total()\n", false},
		{`{"pattern":"^total$","ignore_case":true}`, "b/b.go:2: TOTAL\n", false},
		{`{"pattern":"total$|end$","ignore_case":true,"glob":"*.go"}`, "b/b.go:2: TOTAL\nb/b.go:3: end\n", false},
		{`{"pattern":"k","ignore_case":true,"path":"kelvin"}`, "kelvin:1: 5 \u212a\n", false},
		{`{"pattern":"return","context":1}`, "a.go-3- func Total() int {\na.go:4: \treturn 1\na.go-5- }\n", false},
		{`{"pattern":"[258]","context":1,"path":"c.txt"}`, "c.txt-1- 1\nc.txt:2: 2\nc.txt-3- 3\nc.txt-4- 4\nc.txt:5: 5\nc.txt-6- 6\nc.txt-7- 7\nc.txt:8: 8\nc.txt-9- 9\n", false},
		{`{"pattern":"[29]","context":1,"path":"c.txt"}`, "c.txt-1- 1\nc.txt:2: 2\nc.txt-3- 3\n--\nc.txt-8- 8\nc.txt:9: 9\n", false},
		{`{"pattern":"hit"}`, "…(200 of 300 matching lines in 1 file shown; 100 left out", false},
		{`{"pattern":"hit","limit":1,"glob":"many"}`, "many:1: hit\n(1 of 300 matching lines in 1 file shown; 299 left out: narrow the pattern, the path or the glob)\n", false},
		{`{"pattern":"NEEDLE"}`, "…zNEEDLEz", false},
		{`{"pattern":"Total .*"}`, "latin:1: Total \uFFFD\n", false},
		{`{"pattern":"^$","path":"a.go"}`, "a.go:2: \n", false},
		{`{"pattern":"Total","path":"bin"}`, "…bin: not searched, it is binary", false},
		{`{"pattern":"nothing here"}`, "(no match for nothing here in 10 files)\n", false},
		{`{"pattern":"("}`, "…not valid: missing closing )", true},
		{`{"pattern":"x","path":"fifo"}`, "…it is a pipe", true},
		{`{"pattern":"x","path":"/proc/self/environ"}`, "…files of the kernel", true},
		{`{"pattern":"x","glob":"[a"}`, "…glob [a is not valid", true},
		{`{"pattern":""}`, "grep_files: pattern is empty", true},
	})
}

func TestWriteFile(t *testing.T) {
	outside := home(t, map[string]string{"victim": "safe"})
	dir := home(t, map[string]string{"old.sh": "a\nb\n", "sub/": "", "locked": "x", ".git/config": "c"})
	must(t, os.Chmod(filepath.Join(dir, "old.sh"), 0o755))
	must(t, os.Chmod(filepath.Join(dir, "locked"), 0o444))
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	for name, to := range map[string]string{
		"out": outside, "dangling": outside + "/new", "inside": "sub", "chain": "out", "loop": "loop", "via": "sub/../../" + filepath.Base(outside) + "/x", "abs": dir + "/sub/t",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	table(t, env(dir), "write_file", []row{
		{`{"path":"new/deep/f.txt","content":"a\nb"}`, "created new/deep/f.txt, 2 lines", false},
		{`{"path":"old.sh","content":"x\n"}`, "overwrote old.sh, 1 line (before: 2)", false},
		{`{"path":"` + dir + `/sub/g","content":""}`, "created sub/g, 0 lines", false},
		{`{"path":"inside/h","content":"x"}`, "created sub/h, 1 line", false},
		{`{"path":"abs","content":"x"}`, "created sub/t, 1 line", false},
		{`{"path":"../f","content":"x"}`, "…lies outside the working directory", true},
		{`{"path":"sub/../../f","content":"x"}`, "…lies outside", true},
		{`{"path":"` + outside + `/victim","content":"x"}`, "…lies outside", true},
		{`{"path":"out/victim","content":"x"}`, "…(links lead to " + outside + "/victim)", true},
		{`{"path":"chain/victim","content":"x"}`, "…lies outside", true},
		{`{"path":"dangling","content":"x"}`, "…lies outside", true},
		{`{"path":"via","content":"x"}`, "…lies outside", true},
		{`{"path":"loop","content":"x"}`, "…links form a loop", true},
		{`{"path":"fifo","content":"x"}`, "…it is a pipe", true},
		{`{"path":"sub","content":"x"}`, "…it is a directory", true},
		{`{"path":"new2/","content":"x"}`, "…names a directory", true},
		{`{"path":".","content":"x"}`, "…the working directory itself", true},
		{`{"path":"locked","content":"x"}`, "…write-protected", true},
		{`{"path":".git/hooks/pre-commit","content":"x"}`, "…belongs to git", true},
		{`{"path":"old.sh/x","content":"x"}`, "…a file, not a directory", true},
		{`{"path":"f"}`, "write_file: content is missing", true},
	})
	if info, err := os.Stat(filepath.Join(dir, "old.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "victim")); err != nil || string(b) != "safe" {
		t.Errorf("victim: %q %v", b, err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*/.drover-*")); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
}

func TestEditFile(t *testing.T) {
	files := map[string]string{
		"a.go": "package a\n\nfunc f() {\n\tone()\n\ttwo()\n\tone()\n}\n", "crlf": "one\r\ntwo\r\nthree\r\n", "mixed": "a\r\nb\nc\n", "bin": "a\x00b", "latin": "caf\xe9 x\n", "noend": "last",
	}
	for _, c := range []struct {
		name, args, want, after string
		failed                  bool
	}{
		{"a.go", `"old_string":"\ttwo()","new_string":"\tthree()\n\tfour()"`,
			"edited a.go\n@@ line 5 @@\n func f() {\n \tone()\n-\ttwo()\n+\tthree()\n+\tfour()\n \tone()\n }\n", "package a\n\nfunc f() {\n\tone()\n\tthree()\n\tfour()\n\tone()\n}\n", false},
		{"a.go", `"old_string":"\ttwo()\n","new_string":""`, "edited a.go\n@@ line 5 @@\n func f() {\n \tone()\n-\ttwo()\n \tone()\n }\n", "package a\n\nfunc f() {\n\tone()\n\tone()\n}\n", false},
		{"a.go", `"old_string":"one","new_string":"1","replace_all":true`, "…, 2 places\n@@ line 4 @@", "package a\n\nfunc f() {\n\t1()\n\ttwo()\n\t1()\n}\n", false},
		{"a.go", `"old_string":"one()","new_string":"x"`, "a.go: old_string occurs 2 times (lines 4, 6); add text around it to make it unique, or set replace_all", "", true},
		{"a.go", `"old_string":"  two()\n one","new_string":"x"`, "…its first line is line 5 of the file", "", true},
		{"a.go", `"old_string":"func g() {","new_string":"x"`, "…the nearest line is 3: func f() {", "", true},
		{"a.go", `"old_string":"entirely different words","new_string":"x"`, "…does not occur in it; read the file again", "", true},
		{"a.go", `"old_string":"one","new_string":"one"`, "…nothing to change", "", true},
		{"a.go", `"old_string":"","new_string":"one"`, "edit_file: old_string is empty", "", true},
		{"crlf", `"old_string":"one\ntwo","new_string":"1\n2\n2b"`, "edited crlf\n@@ line 1 @@\n-one\n-two\n+1\n+2\n+2b\n three\n", "1\r\n2\r\n2b\r\nthree\r\n", false},
		{"mixed", `"old_string":"b\nc","new_string":"x\ny"`, "…edited mixed", "a\r\nx\ny\n", false},
		{"latin", `"old_string":" x","new_string":" y"`, "edited latin\n@@ line 1 @@\n-caf\uFFFD x\n+caf\uFFFD y\n", "caf\xe9 y\n", false},
		{"noend", `"old_string":"last","new_string":"first\nlast"`, "edited noend\n@@ line 1 @@\n-last\n+first\n+last\n", "first\nlast", false},
		{"bin", `"old_string":"a","new_string":"b"`, "…binary", "", true},
		{"a.og", `"old_string":"a","new_string":"b"`, "…no such file; there is a.go", "", true},
	} {
		dir := home(t, files)
		table(t, env(dir), "edit_file", []row{{`{"path":"` + c.name + `",` + c.args + `}`, c.want, c.failed}})
		if c.failed {
			c.after = files[c.name]
		}
		if b, _ := os.ReadFile(filepath.Join(dir, c.name)); string(b) != c.after {
			t.Errorf("%s %s\n got %q\nwant %q", c.name, c.args, b, c.after)
		}
	}
}

// TestEditsAtOnce makes calls of one step that change the same file.
func TestEditsAtOnce(t *testing.T) {
	dir := home(t, map[string]string{"f": "a\nb\nc\nd\ne\nf\ng\nh\n"})
	box := NewBox(Builtin()...)
	edit, _ := box.Get("edit_file")
	done := make(chan core.ToolResult)
	for _, c := range "abcdefgh" {
		go func() {
			r, err := edit.Run(t.Context(), env(dir), json.RawMessage(`{"path":"f","old_string":"`+string(c)+`\n","new_string":"`+string(c-32)+`\n"}`))
			if err != nil {
				r = failed("%v", err)
			}
			done <- r
		}()
	}
	for range 8 {
		if r := <-done; r.Failed {
			t.Error(r.Text)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "f")); string(b) != "A\nB\nC\nD\nE\nF\nG\nH\n" {
		t.Errorf("%q", b)
	}
}

func TestShell(t *testing.T) {
	dir := home(t, map[string]string{"f": ""})
	e := env(dir)
	e.Scratch, e.CallID = t.TempDir(), "../../call 1"
	table(t, e, "shell", []row{
		{`{"command":"pwd; echo err >&2"}`, dir + "\nerr\n", false},
		{`{"command":"true"}`, "(no output)\n", false},
		{`{"command":"echo x; exit 3"}`, "x\n(exit code 3)\n", true},
		{`{"command":"kill -9 $$"}`, "(no output)\n(ended by SIGKILL)\n", true},
		{`{"command":"printf 'a\\xffb\\033[31mred\\033[0m\\n10%%\\r20%%\\rdone\\n'"}`, "a\uFFFDbred\ndone\n", false},
		{`{"command":"echo hi; sleep 300","timeout_seconds":1}`, "hi\n(stopped after 1s, the timeout)\n", true},
		{`{"command":"sleep 300 & sleep 300 & echo started"}`, "started\n(2 background processes left behind and stopped: nothing outlives its command)\n", false},
		{`{"command":"  "}`, "shell: command is empty", true},
		{`{"command":"echo a\u0000b"}`, "…NUL", true},
		{`{"command":"` + strings.Repeat("x", 200_000) + `"}`, "…too long", true},
		{`{"command":"true","timeout_seconds":901}`, "…at most 900", true},
	})
	r := call(t, e, "shell", `{"command":"seq 1 100000"}`)
	if !strings.HasPrefix(r.Text, "1\n2\n") || !strings.HasSuffix(r.Text, "\n99999\n100000\n") || !strings.Contains(r.Text, "cut here; the whole is in "+r.Full) {
		t.Errorf("cut: %.100q … full %q", r.Text, r.Full)
	}
	if info, err := os.Stat(r.Full); err != nil || info.Size() != 588_895 || filepath.Dir(r.Full) != e.Scratch {
		t.Errorf("full %q: %v %v", r.Full, info, err)
	}
	r = call(t, e, "shell", `{"command":"head -c 70000000 /dev/zero | tr '\\0' x"}`)
	if info, err := os.Stat(r.Full); err != nil || info.Size() != spillBytes || !strings.Contains(r.Text, "the first 67.1 MB are in") {
		t.Errorf("spill %v %v %.200q", info, err, r.Text[len(r.Text)/2-100:])
	}
	e.Scratch = filepath.Join(dir, "gone")
	if r = call(t, e, "shell", `{"command":"seq 1 100000"}`); r.Failed || r.Full != "" || !strings.Contains(r.Text, "could not be kept") {
		t.Errorf("without a place: %v %q", r.Failed, r.Full)
	}
}

func TestShellStreams(t *testing.T) {
	e := env(t.TempDir())
	var parts []string
	intent := ""
	e.Output = func(s string) { parts = append(parts, s) }
	e.Intent = func(s string) error { intent = s; return nil }
	call(t, e, "shell", `{"command":"echo one; sleep 0.3; echo two; head -c 100000 /dev/zero | tr '\\0' y","description":"count \u001b[31mup"}`)
	all := strings.Join(parts, "")
	if len(parts) < 2 || !strings.HasPrefix(all, "one\ntwo\n") && !strings.HasPrefix(all, "one\n…\n") || !strings.HasSuffix(all, "y") || intent != "count up" {
		t.Errorf("%d parts, %.40q, intent %q", len(parts), all, intent)
	}
	for _, p := range parts {
		if len(p) > streamKeep+8 || !utf8.ValidString(p) {
			t.Errorf("a part of %d bytes", len(p))
		}
	}
}

func TestContextEnds(t *testing.T) {
	big := home(t, nil)
	text := strings.Repeat(strings.Repeat("ab", 500)+"\n", 2000)
	for i := range 40 {
		must(t, os.WriteFile(filepath.Join(big, "f"+string(rune('a'+i))), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(big, "line"), []byte(strings.Repeat("ab", 8<<20)), 0o644))
	box := NewBox(Builtin()...)
	for name, args := range map[string]string{
		"grep_files": `{"pattern":"(a|b|ab){100}[cd]"}`, "shell": `{"command":"trap '' TERM; sleep 300"}`,
		"read_file": `{"path":"fa"}`, "list_files": `{}`, "glob_files": `{"pattern":"**"}`, "write_file": `{"path":"x","content":""}`,
		"edit_file": `{"path":"fa","old_string":"ab","new_string":"b","replace_all":true}`, "get_file_info": `{"path":"fa"}`, "current_time": `{}`,
	} {
		tool, _ := box.Get(name)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := tool.Run(ended, env(big), json.RawMessage(args)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the end: %v", name, err)
		}
		if name != "grep_files" && name != "shell" {
			continue
		}
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		began := time.Now()
		_, err := tool.Run(short, env(big), json.RawMessage(args))
		cancel()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

func TestInfoAndTime(t *testing.T) {
	dir := home(t, map[string]string{"f": "12345"})
	must(t, os.Symlink("f", filepath.Join(dir, "l")))
	table(t, env(dir), "get_file_info", []row{
		{`{"path":"f"}`, "…size: 5 bytes (5 B)\nmode: -rw-r--r-- (0644)\n", false},
		{`{"path":"l"}`, "…leads to: " + dir + "/f\n", false},
		{`{"path":"x"}`, "…no such file", true},
	})
	table(t, env(dir), "current_time", []row{{`{"timezone":"UTC"}`, "…Z (UTC)", false}, {`{"timezone":"Mars"}`, "…no timezone", true}})
}

func TestBox(t *testing.T) {
	box := NewBox(Builtin()...)
	for _, name := range box.Names() {
		d := define(name, core.Reads)
		if d.broken != nil || d.spec.Description == "" {
			t.Fatalf("%s: %v", name, d.broken)
		}
		if s, err := d.schema(); err != nil || len(s.Properties) == 0 && name != "list_files" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for alias, want := range map[string]string{
		"Read": "read_file", "view": "read_file", "Bash": "shell", "run_shell_command": "shell", "Grep": "grep_files", "search_file_content": "grep_files",
		"LS": "list_files", "Create": "write_file", "replace": "edit_file", "MultiEdit": "edit_file", "Glob": "glob_files", "find": "glob_files", "shell": "shell",
	} {
		if got, ok := Canonical(alias); !ok || got != want {
			t.Errorf("%s is %s", alias, got)
		}
		if tool, ok := box.Get(alias); !ok || tool.Spec().Name != want {
			t.Errorf("no tool for %s", alias)
		}
	}
	if got, ok := Canonical("mcp__x__Y"); ok || got != "mcp__x__Y" {
		t.Errorf("unknown became %s", got)
	}
	var names []string
	for _, s := range box.Specs([]string{"Bash", "read_file", "Read", "unknown"}) {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"read_file", "shell"}) || len(box.Specs(nil)) != len(box.Names()) || len(box.Specs([]string{})) != 0 {
		t.Errorf("specs %v", names)
	}
	for alias, to := range aliases {
		if own[alias] || !own[to] || alias != strings.ToLower(alias) {
			t.Errorf("alias %s of %s", alias, to)
		}
	}
}
