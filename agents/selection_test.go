package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/core/tool"
)

func (p tree) atHome(rel, text string) { tree{p.t, p.home, p.home}.put(rel, text) }

func TestSearchOrder(t *testing.T) {
	p := newTree(t)
	def := func(from string) string { return "---\nname: x\ndescription: " + from + "\n---\nB" }
	order := []struct{ path, text string }{
		{".drover/agents/x.md", ""}, {"~/.drover/agents/x.md", ""},
		{".xcsh/agents/x.md", ""}, {"~/.xcsh/agent/agents/x.md", ""},
		{".claude/agents/x.md", ""}, {"~/.claude/agents/x.md", ""},
		{".codex/agents/x.toml", "name = 'x'\ndescription = '%s'\ndeveloper_instructions = 'B'\n"}, {"~/.codex/agents/x.toml", "name = 'x'\ndescription = '%s'\ndeveloper_instructions = 'B'\n"},
		{".gemini/agents/x.md", ""}, {"~/.gemini/agents/x.md", ""},
		{".github/agents/x.agent.md", ""}, {"~/.copilot/agents/x.agent.md", ""},
		{".opencode/agent/x.md", ""}, {"~/.config/opencode/agent/x.md", ""},
		{".pi/agents/x.md", ""}, {"~/.pi/agent/agents/x.md", ""},
		{".agents/x.md", ""},
		{".cursor/agents/x.md", ""}, {"~/.cursor/agents/x.md", ""},
		{".factory/droids/x.md", ""}, {"~/.factory/droids/x.md", ""},
		{".omp/agents/x.md", ""}, {".kiro/agents/x.md", ""}, {".kilo/agents/x.md", ""}, {".junie/agents/x.md", ""},
		{"data/subagents/x/SUBAGENT.md", ""}, {"~/.pegasus/subagents/x/SUBAGENT.md", ""}, {"subagents/x/SUBAGENT.md", ""},
		{"~/.gemini/extensions/e/agents/x.md", ""},
	}
	for _, f := range order {
		text := def(f.path)
		if f.text != "" {
			text = fmt.Sprintf(f.text, f.path)
		}
		if rest, ok := strings.CutPrefix(f.path, "~/"); ok {
			p.atHome(rest, text)
		} else {
			p.put(f.path, text)
		}
	}
	sub := filepath.Join(p.dir, "deep", "down")
	mustDir(t, sub)
	c := Open(p.options())
	s, err := c.Load(t.Context(), sub)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range s.Definitions {
		if d.Name == "x" {
			got = append(got, d.Description)
		}
		if d.Name == "x" && len(got) > 1 && (d.State != Shadowed || !strings.HasSuffix(d.ShadowedBy, ".drover/agents/x.md")) {
			t.Errorf("%s is %s by %q", d.Path, d.State, d.ShadowedBy)
		}
	}
	var want []string
	for _, f := range order {
		want = append(want, f.path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("order\n%q, want\n%q", got, want)
	}
	o := p.options()
	o.Order = []string{".factory", ".claude"}
	s, err = Open(o).Load(t.Context(), sub)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Find("x"); err != nil || d.Description != ".factory/droids/x.md" {
		t.Errorf("with the order set it is %q, %v", d.Description, err)
	}
}

func TestNearestProjectAndItsTop(t *testing.T) {
	p := newTree(t)
	p.put("pkg/.claude/agents/near.md", fmt.Sprintf(sound, "near"))
	p.put(".claude/agents/top.md", fmt.Sprintf(sound, "top"))
	outside := filepath.Join(filepath.Dir(p.dir), ".claude/agents/outside.md")
	mustDir(t, filepath.Dir(outside))
	if err := os.WriteFile(outside, []byte(fmt.Sprintf(sound, "outside")), 0o644); err != nil {
		t.Fatal(err)
	}
	mustDir(t, filepath.Join(p.dir, "pkg/src"))
	c := Open(p.options())
	for dir, want := range map[string]string{"pkg/src": "near", "": "top"} {
		list, err := c.List(t.Context(), filepath.Join(p.dir, dir))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range list {
			if a.Source != "bundled" {
				got = append(got, a.Name)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("in %q there are %q", dir, got)
		}
	}
}

func TestChangesAreSeen(t *testing.T) {
	p := newTree(t)
	path := p.put(".claude/agents/a.md", fmt.Sprintf(sound, "first"))
	c := Open(p.options())
	find := func(name string) error {
		_, err := c.Find(t.Context(), p.dir, name)
		return err
	}
	if err := find("first"); err != nil {
		t.Fatal(err)
	}
	// The same size and the same moment: only the age of the stamp tells.
	p.put(".claude/agents/a.md", fmt.Sprintf(sound, "other"))
	if find("other") != nil || find("first") == nil {
		t.Error("a change of the same size is not seen")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	p.put(".claude/agents/team/b.md", fmt.Sprintf(sound, "nested"))
	if find("nested") != nil {
		t.Error("a new directory is not seen")
	}
	p.put(".factory/droids/c.md", fmt.Sprintf(sound, "family"))
	if find("family") != nil {
		t.Error("a new family is not seen")
	}
	if err := os.Rename(path, filepath.Join(p.dir, ".claude/agents/a.txt")); err != nil {
		t.Fatal(err)
	}
	if find("other") == nil {
		t.Error("a file that went is still there")
	}
}

func TestRolesThatOtherFilesDeclare(t *testing.T) {
	p := newTree(t)
	p.put(".codex/config.toml", "[agents]\nmax_threads = 3\n[agents.auditor]\ndescription = 'Audits'\nconfig_file = 'agents/a.toml'\n[agents.lost]\nconfig_file = 'agents/none.toml'\n")
	role := p.put(".codex/agents/a.toml", "developer_instructions = 'one'\nsandbox_mode = 'read-only'\n")
	p.put("opencode.jsonc", `{ // agents
  "agent": { "scan": {"description": "s", "mode": "primary", "tools": {"write": false, "bash": true,}, "prompt": "{file:./scan.txt}"},
             "leak": {"description": "l", "prompt": "{file:../../etc/passwd}"} } }`)
	p.put("scan.txt", "Scan it.")
	c := Open(p.options())
	s, err := c.Load(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Find("auditor")
	if err != nil || a.Prompt != "one" || !a.ReadOnly || a.Description != "Audits" || slices.Contains(a.Tools, "write_file") {
		t.Errorf("%+v %v", a.Agent, err)
	}
	d, err := s.Find("scan")
	if err != nil || d.Prompt != "Scan it." || !d.LeadOnly || slices.Contains(d.Tools, "write_file") || !slices.Contains(d.Tools, "edit_file") || !slices.Equal(d.Declared.Tools, []string{"bash"}) {
		t.Errorf("%+v %v", d, err)
	}
	why := told(s)
	if !strings.Contains(why["opencode.jsonc"], "outside") || !strings.Contains(why["none.toml"]+why["config.toml"], "no such file") || why["a.toml"] != "" {
		t.Errorf("told %q", why)
	}
	if err := os.WriteFile(role, []byte("developer_instructions = 'two'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Find(t.Context(), p.dir, "auditor"); err != nil || got.Prompt != "two" {
		t.Errorf("the role's file changed and it says %q, %v", got.Prompt, err)
	}
}

func TestTrustAndShadows(t *testing.T) {
	p := newTree(t)
	p.put(".claude/agents/explore.md", fmt.Sprintf(sound, "explore"))
	p.put(".claude/agents/mine.md", fmt.Sprintf(sound, "mine"))
	p.put(".claude/agents/main.md", fmt.Sprintf(sound, "main"))
	trusted := ""
	o := p.options()
	o.Trusted = func(dir, content string) bool { return dir == trusted }
	c := Open(o)
	a, err := c.Find(t.Context(), p.dir, "explore")
	if err != nil || a.Source != "bundled" {
		t.Errorf("an untrusted agent takes a name: %+v %v", a, err)
	}
	_, err = c.Find(t.Context(), p.dir, "mine")
	if core.CodeOf(err) != core.CodeSubagentDisabled || !strings.Contains(core.HintOf(err), "drover trust "+p.dir) {
		t.Errorf("got %v (%s)", err, core.HintOf(err))
	}
	trusted = p.dir
	if a, err = c.Find(t.Context(), p.dir, "explore"); err != nil || a.Source == "bundled" {
		t.Errorf("trust is not seen: %+v %v", a, err)
	}
	if a, err = c.Find(t.Context(), p.dir, "main"); err != nil || a.Source != "bundled" {
		t.Errorf("the leading agent was replaced: %+v %v", a, err)
	}
}

func TestSpawnPolicy(t *testing.T) {
	for _, c := range []struct {
		a     core.Agent
		name  string
		allow bool
	}{
		{core.Agent{}, "x", true},
		{core.Agent{Tools: []string{"task"}}, "x", true},
		{core.Agent{Tools: []string{"read_file"}}, "x", false},
		{core.Agent{Spawns: []string{"*"}, Tools: []string{"read_file"}}, "x", true},
		{core.Agent{Spawns: []string{}}, "x", false},
		{core.Agent{Spawns: []string{"y", "x"}}, "x", true},
		{core.Agent{Spawns: []string{"y"}}, "x", false},
	} {
		if err := MaySpawn(c.a, c.name); (err == nil) != c.allow {
			t.Errorf("%+v may start %s: %v", c.a, c.name, err)
		}
	}
	if Recursion("x", "x") == nil || Recursion("", "") != nil || Recursion("y", "x") != nil {
		t.Error("the guard against recursion")
	}
}

func TestPlanModeReachesTheAgent(t *testing.T) {
	for _, a := range []core.Agent{
		{Name: "a", Prompt: "P", Rules: []string{"shell(*)"}},
		{Name: "a", Prompt: "P", Tools: []string{"shell", "write_file", "task", "read_file", "mcp__x__y"}, Spawns: []string{"*"}},
	} {
		got := PlanMode(a)
		for _, n := range []string{"shell", "write_file", "edit_file", "task", "write_agent", "mcp__x__y"} {
			if slices.Contains(got.Tools, n) {
				t.Errorf("plan mode leaves %s", n)
			}
		}
		if !got.ReadOnly || got.Rules != nil || MaySpawn(got, "x") == nil || !slices.Contains(got.Tools, "read_file") || !strings.HasSuffix(got.Prompt, "\n\nP") || len(got.Prompt) < 50 {
			t.Errorf("%+v", got)
		}
	}
}

func TestOutputSchemaAndTier(t *testing.T) {
	a, b, s := json.RawMessage(`{"a":1}`), json.RawMessage(`{"b":1}`), json.RawMessage(`{"s":1}`)
	for _, c := range []struct{ agent, call, session, want json.RawMessage }{{a, b, s, a}, {nil, b, s, b}, {nil, nil, s, s}, {json.RawMessage("null"), nil, s, s}, {nil, nil, nil, nil}} {
		if got := OutputSchema(c.agent, c.call, c.session); string(got) != string(c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	for name, want := range map[string]string{
		"inherit": Inherit, "auto": Inherit, "pi/default": Inherit, "fast": "fast", "haiku": "fast", "@smol": "fast", "sonnet": "balanced",
		"Opus": "powerful", "opus[1m]": "powerful", "pi/slow": "powerful", "openai/gpt": "", "gpt-5": "",
	} {
		if got, ok := Tier(name); ok != (want != "") || got != want {
			t.Errorf("the tier of %q is %q, %v, want %q", name, got, ok, want)
		}
	}
}

// TestOneVocabulary holds the spellings here and the aliases of core/tool together.
func TestOneVocabulary(t *testing.T) {
	for _, w := range words {
		for _, s := range []string{w.tool, w.claude, w.copilot, w.gemini, w.opencode, w.pi, w.factory} {
			if s == "" {
				continue
			}
			if s == "ask" { // pi's word for ask_user, not an alias yet
				continue
			}
			if got, ok := tool.Canonical(s); !ok || got != w.tool {
				t.Errorf("%s is %s here and %s in core/tool", s, w.tool, got)
			}
		}
	}
}

func TestRulesAreRules(t *testing.T) {
	d := realLoader().file(Origin{Dialect: "claude", Path: "/p/a.md"}, []byte(`---
name: a
description: d
tools: Read(./src/**), Bash(git:*), Bash(npm run test:*), Bash(a:*, b), Agent(x, y), WebFetch(domain:z), mcp__gh__list, Skill
disallowedTools: Bash(git push:*), Write
---
P`))[0]
	if want := []string{"read_file", "shell", "task", "http_get", "mcp__gh__list", "Skill"}; !slices.Equal(d.Tools, want) {
		t.Errorf("tools %q", d.Tools)
	}
	if want := []string{"x", "y"}; !slices.Equal(d.Spawns, want) {
		t.Errorf("spawns %q", d.Spawns)
	}
	// git * is not given away: a later permission denies a part of it.
	if want := []string{"read_file(src/**)", "shell(npm run test *)", "shell(a *)", "shell(b)", "http_get(domain:z)"}; !slices.Equal(d.Rules, want) {
		t.Errorf("rules %q", d.Rules)
	}
	for _, r := range d.Rules {
		if _, err := tool.ParseRule(r); err != nil {
			t.Error(err)
		}
	}
	for cmd, want := range map[string]string{"git status": "allow", "git push x": "deny", "ls": ""} {
		if got := core.Decide(d.Permissions, "shell", cmd); got != want {
			t.Errorf("%s: %q, want %q", cmd, got, want)
		}
	}
}

func TestFieldsOfTheJSON(t *testing.T) {
	p := newTree(t)
	p.put(".drover/agents/a.md", `---
name: full
display_name: Full
description: All of it
tools: [Read, Bash]
disallowed_tools: [Bash]
model: sonnet
spawns: none
max_turns: 7
timeout_minutes: 2.5
temperature: 0.5
background: true
output_schema: {type: object}
mcp_servers: {gh: {command: x}}
aliases: [f]
---
héé`)
	s := p.load()
	d, err := s.Find("f")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"full","display_name":"Full","description":"All of it","dialect":"drover","family":".drover","scope":"project","path":"` + d.Path + `","state":"available","reason":"","shadowed_by":"",` +
		`"tools":["read_file"],"tools_declared":["Read","Bash"],"disallowed_tools":["Bash"],"model":"sonnet","spawns":[],"max_turns":7,"timeout_minutes":2.5,"temperature":0.5,` +
		`"read_only":false,"background":true,"output_schema":{"type":"object"},"mcp_servers":{"gh":{"command":"x"}},"prompt_chars":3,"problems":[]}`
	if string(raw) != want {
		t.Errorf("\n%s, want\n%s", raw, want)
	}
	if d.Model != Balanced || d.Limits.Timeout != 150*time.Second {
		t.Errorf("%+v", d.Agent)
	}
}

func TestPlugins(t *testing.T) {
	p := newTree(t)
	root := filepath.Join(p.home, ".claude/plugins/cache/pack")
	p.atHome(".claude/plugins/cache/pack/agents/deep/x.md", "---\nname: x\ndescription: d\nmodel: opus\n---\nB")
	p.atHome(".claude/plugins/cache/other/agents/y.md", fmt.Sprintf(sound, "y"))
	p.atHome(".claude/plugins/installed_plugins.json", fmt.Sprintf(`{"version":2,"plugins":{"pack@m":[{"scope":"user","installPath":%q}],
		"other@m":[{"scope":"project","projectPath":"/elsewhere","installPath":%q}]}}`, root, filepath.Join(filepath.Dir(root), "other")))
	s := p.load()
	d, err := s.Find("pack:x")
	if err != nil || d.Name != "x" || d.Scope != ScopePlugin || d.Model != "" {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := s.Find("y"); err == nil {
		t.Error("a plugin of another project counts")
	}
}

func TestCommands(t *testing.T) {
	p := newTree(t)
	p.put(".claude/commands/git/commit.md", "---\ndescription: Commits\nargument-hint: \"[message]\"\nallowed-tools: Bash(git:*)\nmodel: haiku\n---\nCommit with $ARGUMENTS, first $1 then $2, $10.")
	p.put(".claude/commands/plain.md", "# Do it\n\nNow.")
	p.put(".gemini/commands/git/commit.toml", "description = 'G'\nprompt = 'G {{args}}'\n")
	p.put(".gemini/commands/sum.toml", "prompt = 'Sum {{args}} !{ls}'\n")
	p.put(".gemini/commands/bad.toml", "prompt = \n")
	p.put(".claude/skills/audit/SKILL.md", "---\nname: audit\ndescription: Audits\nagent: explore\ncontext: fork\n---\nAudit.")
	p.atHome(".codex/prompts/plain.md", "Mine")
	c := Open(p.options())
	all, err := c.Commands(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range all {
		got[m.Name] += string(m.State) + " "
		if m.State == Available {
			switch m.Name {
			case "git:commit":
				if m.Dialect != "claude" || m.Hint != "[message]" || m.Model != Fast || !slices.Equal(m.Tools, []string{"shell"}) {
					t.Errorf("%+v", m)
				}
				if x := m.Expand(`"a b" c`); x != `Commit with "a b" c, first a b then c, $10.` {
					t.Errorf("expanded to %q", x)
				}
			case "plain":
				if x := m.Expand("this"); x != "# Do it\n\nNow.\n\nthis" || m.Description != "Do it" {
					t.Errorf("expanded to %q (%s)", x, m.Description)
				}
			case "audit":
				if !m.Skill || m.Agent != "explore" {
					t.Errorf("%+v", m)
				}
			}
		}
	}
	if want := fmt.Sprint(map[string]string{"git:commit": "available shadowed ", "plain": "available shadowed ", "sum": "available ", "bad": "problem ", "audit": "available "}); fmt.Sprint(got) != want {
		t.Errorf("commands %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	p := newTree(t)
	bad := p.put(".claude/agents/bad.md", "---\nname: b\ndescription: x: y\n---\nB")
	p.put(".claude/agents/worse.md", "---\ndescription: x\n---\nB")
	c := Open(p.options())
	for path, want := range map[string]int{p.dir: 2, filepath.Join(p.dir, ".claude"): 2, filepath.Dir(bad): 2, bad: 1} {
		defs, err := c.Check(t.Context(), path)
		if err != nil || len(defs) != want || defs[0].Dialect != "claude" || len(defs[0].Problems) != 1 || defs[0].Problems[0].Line != 3 || defs[0].Problems[0].Repair == "" {
			t.Errorf("%s: %d definitions, %v: %+v", path, len(defs), err, defs)
		}
	}
	if _, err := c.Check(t.Context(), filepath.Join(p.dir, "none")); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
