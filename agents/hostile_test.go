package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drover/core"
	"drover/core/tool"
)

const sound = "---\nname: %s\ndescription: d\n---\nBody"

// tree is a project in a temporary directory.
type tree struct {
	t         *testing.T
	dir, home string
}

func newTree(t *testing.T) tree {
	w := newWorld(t)
	return tree{t, w.project, w.home}
}

func (p tree) put(rel, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p tree) options() Options {
	return Options{Home: p.home, Canonical: tool.Canonical, Trusted: func(string, string) bool { return true }}
}

func (p tree) load() Snapshot {
	p.t.Helper()
	s, err := Open(p.options()).Load(p.t.Context(), p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// told is what the snapshot says is wrong, by the last part of the path.
func told(s Snapshot) map[string]string {
	m := map[string]string{}
	for _, d := range s.Definitions {
		if d.State == Faulty {
			m[filepath.Base(d.Path)] = d.Reason
		}
	}
	return m
}

func TestHostileFiles(t *testing.T) {
	p := newTree(t)
	agents := ".claude/agents/"
	p.put(agents+"good.md", fmt.Sprintf(sound, "good"))
	if err := os.MkdirAll(filepath.Join(p.dir, agents, "a.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.put(agents+"a.md/inside.md", fmt.Sprintf(sound, "inside"))
	p.put(agents+"huge.md", strings.Repeat("x", 10<<20))
	p.put(agents+"up.md", fmt.Sprintf(sound, "../../etc/passwd"))
	p.put(agents+"escape.md", "---\nname: esc\ndescription: \"\x1b]0;owned\x07red \x1b[31m\u202ealert\"\n---\nBody")
	p.put(agents+"bomb.md", bomb())
	p.put(agents+"front.md", "---\nname: f\ndescription: "+strings.Repeat("d", 300<<10)+"\n---\nB")
	p.put(agents+"open.md", "---\nname: open\ndescription: never closed\n")
	p.put(agents+"empty.md", "")
	p.put(agents+"nul.md", "\x00\x00\x00")
	mustLink(t, p, agents+"loop.md", "loop.md")
	mustLink(t, p, agents+"gone.md", "nowhere.md")
	mustLink(t, p, agents+"null.md", "/dev/null")
	mustLink(t, p, agents+"zero.md", "/dev/zero")
	mustLink(t, p, agents+"round", "../agents")
	if err := syscall.Mkfifo(filepath.Join(p.dir, agents, "pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s := p.load()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, name := range []string{"good", "inside", "esc"} {
		if _, err := s.Find(name); err != nil {
			t.Error(err)
		}
	}
	why := told(s)
	for file, want := range map[string]string{
		"a.md": "directory", "huge.md": "1 MiB", "up.md": "path", "bomb.md": "too large", "front.md": "256 KiB", "open.md": "never closed",
		"empty.md": "no front matter", "nul.md": "no front matter", "loop.md": "symbolic links", "gone.md": "no such file", "null.md": "regular", "zero.md": "regular",
		"pipe.md": "regular", "round": "loop",
	} {
		if !strings.Contains(why[file], want) {
			t.Errorf("%s: %q does not say %q", file, why[file], want)
		}
	}
	d, _ := s.Find("esc")
	if strings.ContainsAny(d.Description, "\x1b\x07\u202e") || verdict(d) != "warned" {
		t.Errorf("the description keeps %q", d.Description)
	}
	raw, err := json.Marshal(s.Definitions)
	if err != nil || bytes.ContainsAny(raw, "\x1b\u202e") {
		t.Error("escapes in the JSON", err)
	}
}

func mustLink(t *testing.T, p tree, rel, to string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(p.dir, filepath.FromSlash(rel))); err != nil {
		t.Fatal(err)
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("---\nname: bomb\ndescription: d\na: &a [x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c < 'l'; c++ {
		fmt.Fprintf(&b, "%c: &%c [", c, c)
		b.WriteString(strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
		b.WriteString("]\n")
	}
	return b.String() + "---\nBody"
}

func TestUnreadableIsNamed(t *testing.T) {
	p := newTree(t)
	mustDir(t, filepath.Join(p.dir, ".claude"))
	mustLink(t, p, ".claude/agents", "agents")
	p.put(".gemini/agents/g.md", fmt.Sprintf(sound, "g"))
	p.put(".factory/droids/d.md", fmt.Sprintf(sound, "d"))
	if os.Getuid() != 0 {
		for _, f := range []string{".gemini/agents", ".factory/droids/d.md"} {
			if err := os.Chmod(filepath.Join(p.dir, f), 0); err != nil {
				t.Fatal(err)
			}
		}
		defer os.Chmod(filepath.Join(p.dir, ".gemini/agents"), 0o755)
	}
	s := p.load()
	if why := told(s)["agents"]; !strings.Contains(why, "symbolic links") && !strings.Contains(why, "permission") {
		t.Errorf("the loop is not named: %q", told(s))
	}
}

func mustDir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestTenThousandFiles(t *testing.T) {
	p := newTree(t)
	for i := range 10_000 {
		p.put(fmt.Sprintf(".claude/agents/a%05d.md", i), fmt.Sprintf(sound, fmt.Sprintf("a%05d", i)))
	}
	s := p.load()
	if _, err := s.Find("a00000"); err != nil {
		t.Error(err)
	}
	if why := told(s)["agents"]; !strings.Contains(why, "more than 5000") {
		t.Errorf("the rest is not named: %q", why)
	}
	_, err := s.Find("nobody")
	if hint := core.HintOf(err); len(hint) > 4000 || !strings.Contains(hint, "more") {
		t.Errorf("the hint has %d bytes", len(hint))
	}
}

func TestCancelledLoad(t *testing.T) {
	p := newTree(t)
	p.put(".claude/agents/a.md", fmt.Sprintf(sound, "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(p.options()).Load(ctx, p.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedTextLoads(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string // what it loads as: name|description|prompt
		warned     bool
	}{
		"crlf":              {"---\r\nname: a\r\ndescription: b\r\n---\r\nc\r\n", "a|b|c", false},
		"crcrlf":            {"---\r\r\nname: a\r\r\ndescription: b\r\r\n---\r\r\nc\r\r\n", "a|b|c", true},
		"mac":               {"---\rname: a\rdescription: b\r---\rc\r", "a|b|c", false},
		"bom":               {"\ufeff---\nname: a\ndescription: b\n---\nc", "a|b|c", true},
		"fence":             {"```markdown\n---\nname: a\ndescription: b\n---\nc\n```\n", "a|b|c", true},
		"fence open":        {"```\n---\nname: a\ndescription: b\n---\nc", "a|b|c", true},
		"blank lines":       {"\n \n---\nname: a\ndescription: b\n---\nc", "a|b|c", true},
		"indent":            {"  ---\n  name: a\n  description: b\n  ---\n  c", "a|b|c", true},
		"long closer":       {"---\nname: a\ndescription: b\n------\nc\n---\nd", "a|b|c\n---\nd", true},
		"dots":              {"---\nname: a\ndescription: b\n...\nc", "a|b|c", true},
		"indented closer":   {"---\nname: a\ndescription: b\n  ---\nc", "a|b|c", true},
		"no final line end": {"---\nname: a\ndescription: b\n---", "a|b|b", true},
		"rule in body":      {"---\nname: a\ndescription: b\n---\nc\n\n---\n\nd", "a|b|c\n\n---\n\nd", false},
		"colon":             {"---\nname: a\ndescription: Use when: x. Context: y\n---\nc", "a|Use when: x. Context: y|c", true},
		"colon twice":       {"---\nname: a\ndescription: one: two\nmodel: x\ncolor: a: b\n---\nc", "a|one: two|c", true},
		"quote and more":    {"---\nname: a\ndescription: \"b\" and more\n---\nc", "a|\"b\" and more|c", true},
		"open quote":        {"---\nname: a\ndescription: \"b\nmodel: x\n---\nc", "a|b|c", true},
		"apostrophe":        {"---\nname: a\ndescription: it's: fine\n---\nc", "a|it's: fine|c", true},
		"back-tick":         {"---\nname: a\ndescription: `b` does\n---\nc", "a|`b` does|c", true},
		"star":              {"---\nname: a\ndescription: b\ntools: *\n---\nc", "a|b|c", true},
		"tab":               {"---\nname: a\ndescription:\tb\nmcp_servers:\n\tx:\n\t\tcommand: y\n---\nc", "a|b|c", true},
		"margin":            {"---\nname: a\ndescription: b\ngoes on here: and on\nand on\nmodel: x\n---\nc", "a|b goes on here: and on and on|c", true},
		"example":           {"---\nname: a\ndescription: Use it. Examples:\n<example>\nContext: x\nuser: \"y\"\n</example>\nmodel: x\n---\nc", "a|Use it. Examples: <example> Context: x user: \"y\" </example>|c", true},
		"indented colon":    {"---\nname: a\ndescription: b\n  more: of it\nmodel: x\n---\nc", "a|b more: of it|c", true},
		"backslash n":       {"---\nname: a\ndescription: b\\nContext: c\\n\n---\nc", "a|b\\nContext: c\\n|c", true},
		"twice":             {"---\nname: x\nname: a\ndescription: b\n---\nc", "a|b|c", true},
		"control":           {"---\nname: a\nemoji: \x01x\ndescription: b\n---\nc", "a|b|c", true},
		"bad utf-8":         {"---\nname: a\ndescription: b\xff\n---\nc", "a|b\uFFFD|c", true},
		"comment":           {"---\nname: a # the name\ndescription: b\n---\nc", "a|b|c", false},
		"html comment":      {"---\n<!-- x\n y -->\nname: a\ndescription: b\n---\nc", "a|b|c", true},
		"block":             {"---\nname: a\ndescription: |\n  b\n  b2\n---\nc", "a|b\nb2|c", false},
		"folded":            {"---\nname: a\ndescription: >-\n  b\n  b2\n---\nc", "a|b b2|c", false},
		"block and colon":   {"---\nname: a\ndescription: >\n  b: c\n  d\nx: y: z\n---\nc", "a|b: c d|c", true},
		"list and colon":    {"---\nname: a\ndescription: x: y\ntools:\n  - Read\n  - Grep\n---\nc", "a|x: y|c", true},
		"emoji":             {"---\nname: \"🚀 Go\"\ndescription: b\n---\nc", "🚀 Go|b|c", false},
	} {
		d := realLoader().file(Origin{Dialect: "claude", Path: "/p/stem.md"}, []byte(c.text))[0]
		if got := d.Name + "|" + d.Description + "|" + d.Prompt; got != c.want || d.State != Available || c.warned != (verdict(d) == "warned") {
			t.Errorf("%s: %q, %s; want %q\n%+v", name, got, verdict(d), c.want, d.Problems)
		}
		for _, p := range d.Problems {
			if p.Severity == Warning && (p.Line < 1 || p.Message == "" || p.Repair == "") {
				t.Errorf("%s: a problem without line or repair: %+v", name, p)
			}
		}
	}
}

func TestToolsSurviveRepair(t *testing.T) {
	d := realLoader().file(Origin{Dialect: "claude", Path: "/p/a.md"}, []byte("---\nname: a\ndescription: x: y\ntools:\n  - Read\n  - Bash(git:*)\nmcpServers:\n  gh:\n    command: x\n---\nc"))[0]
	if fmt.Sprint(d.Tools, d.Rules, string(d.MCPServers)) != `[read_file shell] [shell(git *)]{"gh":{"command":"x"}}` {
		t.Error(d.Tools, d.Rules, string(d.MCPServers))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{sound, bomb(), "---\na: b: c\n---\n", "---\r\r\nname: x\n------\n", "```\n---\n", "---\n- a\n- kind: remote\n---", "--- \n\tx: [\n---", "---\na: &a [*a]\n---"} {
		f.Add(s, uint8(0))
	}
	l := realLoader()
	names := []string{"drover", "claude", "copilot", "gemini", "codex", "opencode", "pi", "xcsh", "subagent", "cursor", "factory", "kiro", "kilo", "junie"}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		dialect := names[int(n)%len(names)]
		began := time.Now()
		defer func() {
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		}()
		for _, ext := range []string{".md", ".toml"} {
			defs := l.file(Origin{Dialect: dialect, Path: "/p/x" + ext}, []byte(text))
			if len(defs) == 0 {
				t.Fatal("nothing is told")
			}
			for _, d := range defs {
				if d.State != Available && d.Reason == "" || d.State == Available && (d.Name == "" || d.fault() != nil) {
					t.Fatalf("%+v", d)
				}
				if core.CleanLine(d.Name) != d.Name || core.Clean(d.Description) != d.Description {
					t.Fatalf("not clean: %q %q", d.Name, d.Description)
				}
				if _, err := json.Marshal(d); err != nil {
					t.Fatal(err)
				}
			}
		}
		none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
		l.opencodeAgents(Origin{Dialect: "opencode", Path: "/p/opencode.json"}, []byte(text), none)
		l.codexRoles(Origin{Dialect: "codex", Path: "/p/config.toml"}, []byte(text), none)
	})
}
