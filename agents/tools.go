package agents

import (
	"slices"
	"strings"

	"drover/core"
)

const maxTools = 1000 // of one definition

// wanted is a list of tools in drover's words. all means every tool.
type wanted struct {
	all   bool
	names []string
}

// settleTools turns the author's tools into drover's: names through the table,
// Bash(git:*) into permissions, Agent(x) into spawns, less what is disallowed
// and what a read-only agent may not have.
func (b *builder) settleTools() {
	d := &b.def
	want := wanted{all: true}
	at := entry{key: "tools", value: b.tools}
	declared, given := b.declared(b.tools, at)
	d.Declared.Tools = declared
	if given {
		want = b.resolve(declared, at, true)
	}
	var not []string
	if b.mapped {
		want, not = b.switches()
	}
	at = entry{key: "disallowed_tools", value: b.disallowed}
	if off, given := b.declared(b.disallowed, at); given {
		d.Declared.Disallowed = off
		not = append(not, b.resolve(off, at, false).names...)
	}
	not = append(not, b.denied()...)
	d.Tools = b.less(want, not)
	if d.ReadOnly {
		b.readOnly()
	}
	if !b.spawnsSet && d.Spawns == nil && startsAgents(d.Tools) {
		d.Spawns = []string{"*"}
	}
	if b.d.name == "gemini" {
		d.Spawns = []string{} // its subagents start no others
	}
	d.Rules = append(d.Rules, safeRules(d.Permissions)...)
}

// declared reads a field of tools as written; given is false where it means "all".
func (b *builder) declared(v value, at entry) (names []string, given bool) {
	switch v.kind {
	case null:
		if v.line > 0 {
			b.note(Info, at, "the field is empty", "read as if it were not there")
		}
		return nil, false
	case object:
		for _, e := range v.object {
			if is, ok := e.value.boolean(); !(ok && !is) && e.value.text != "deny" {
				names = append(names, core.CleanLine(e.key))
			}
		}
		return append([]string{}, names...), true
	}
	if b.d.strict && v.kind != list {
		b.wrong(at, "a list")
	}
	if is, ok := v.boolean(); ok && v.typ == 'b' {
		if is {
			return nil, false
		}
		return []string{}, true
	}
	for _, n := range b.names(v) {
		names = append(names, core.CleanLine(unquote(n)))
	}
	if len(names) > maxTools {
		b.note(Warning, at, "there are too many tools", "the first are kept")
		names = names[:maxTools]
	}
	if len(names) == 0 && v.kind == scalar {
		b.note(Warning, at, "the field is empty", "read as if it were not there; for no tools write []")
		return nil, false
	}
	if v.kind == list && len(v.list) > 0 && len(names) == 0 {
		b.wrong(at, "a list of names")
	}
	if len(names) == 1 {
		switch low := strings.ToLower(names[0]); {
		case low == "none":
			return names, true
		case low == "undefined" || low == "null":
			b.note(Warning, at, "it says "+low+", which a generator left there", "read as if it were not there")
			return names, false
		}
	}
	return append([]string{}, names...), true
}

// resolve maps names to drover's. grant says that the list grants: what stands
// in parentheses is then allowed, else denied.
func (b *builder) resolve(names []string, at entry, grant bool) wanted {
	w := wanted{names: []string{}}
	for _, n := range names {
		base, arg, has := strings.Cut(n, "(")
		base = strings.TrimSpace(base)
		arg, closed := strings.CutSuffix(strings.TrimSpace(arg), ")")
		if has && closed && strings.TrimSpace(arg) != "" && strings.TrimSpace(arg) != "*" {
			tools := b.tool(base, at)
			if b.restricted(tools[0], arg, at, grant); grant {
				w.names = append(w.names, tools...)
			}
			continue
		}
		if n == "*" || strings.EqualFold(n, "all") && b.d.name == "pi" {
			w.all = true
			continue
		}
		if strings.EqualFold(n, "none") && len(names) == 1 {
			continue
		}
		w.names = append(w.names, b.tool(base, at)...)
	}
	w.names = unique(w.names)
	return w
}

// tool gives drover's names for one; a name nobody knows is kept and told.
func (b *builder) tool(name string, at entry) []string {
	if to, ok := groups[b.d.name][strings.ToLower(name)]; ok {
		return to
	}
	if b.o.Canonical == nil {
		return []string{name}
	}
	to, ok := b.o.Canonical(name)
	if set, of, found := strings.Cut(name, "/"); !ok && found && strings.Contains(" read edit search execute web agent vscode runCommands ", " "+set+" ") {
		to, ok = b.o.Canonical(of) // VS Code puts its own tools into sets
	}
	if ok && (!b.d.strict || geminiTool(name) || spelled(name)) {
		if b.d.strict && !geminiTool(name) {
			b.note(Warning, at, "Gemini CLI has no tool "+name, "read as "+to)
		}
		return []string{to}
	}
	_, _, mcp := MCPTool(name)
	switch {
	case b.d.strict && !geminiTool(name) && !(foreign(name) && name != strings.ToLower(name)):
		b.note(Error, at, "Gemini CLI has no tool "+name, "remove it or write its name there")
	case mcp && !foreign(name), strings.HasPrefix(name, "ext:"), strings.Contains(string(b.def.MCPServers), `"`+name+`":`):
	case foreign(name):
		b.lacking(Info, at, "drover has no tool ", name)
	default:
		b.lacking(Warning, at, "no tool is known by the name ", name)
	}
	return []string{name}
}

// lacking tells of tools that the agent names and goes without, all in one problem.
func (b *builder) lacking(s Severity, at entry, message, name string) {
	for i := range b.def.Problems {
		p := &b.def.Problems[i]
		if p.Severity == s && p.Field == at.key && strings.HasPrefix(p.Message, message) {
			if len(p.Message) < 300 {
				p.Message += ", " + core.Short(name, 60)
			}
			return
		}
	}
	b.note(s, at, message+core.Short(name, 60), "it is kept; the agent goes without")
}

// restricted notes what stands in a tool's parentheses.
func (b *builder) restricted(tool, arg string, at entry, grant bool) {
	decision := "allow"
	if !grant {
		decision = "deny"
	}
	if tool == "task" {
		if grant && !b.spawnsSet {
			for _, n := range splitOutside(arg) {
				if !slices.Contains(b.def.Spawns, n) {
					b.def.Spawns = append(b.def.Spawns, core.CleanLine(n))
				}
			}
		}
		return
	}
	for _, pattern := range splitOutside(arg) {
		// Claude Code lets Bash(a:*, b:*) and Bash(a:*) mean the prefix.
		if rest, ok := strings.CutSuffix(pattern, ":*"); ok {
			pattern = rest + " *"
		}
		b.allow(at, core.Permission{Tool: tool, Pattern: strings.TrimPrefix(pattern, "./"), Decision: decision})
	}
}

// switches reads a map of tools to true or false: all are on but those that are off.
func (b *builder) switches() (wanted, []string) {
	w := wanted{all: true, names: []string{}}
	var not []string
	for _, e := range b.tools.object {
		is, ok := e.value.boolean()
		off := ok && !is || e.value.text == "deny"
		switch {
		case e.key == "*":
			w.all = !off
		case off:
			not = append(not, b.tool(core.CleanLine(e.key), entry{key: "tools", line: e.line, col: e.col})...)
		default:
			w.names = append(w.names, b.tool(core.CleanLine(e.key), entry{key: "tools", line: e.line, col: e.col})...)
		}
	}
	w.names = unique(w.names)
	return w, not
}

// less takes tools away. nil stays nil, every tool, as long as nothing is taken away.
func (b *builder) less(w wanted, not []string) []string {
	names := w.names
	if w.all {
		if len(not) == 0 {
			return nil
		}
		names = unique(append(append(slices.Clone(toolNames(b.o)), anyMCP), w.names...))
	}
	out := []string{}
	for _, n := range names {
		if !slices.ContainsFunc(not, func(p string) bool { return p == n || strings.ContainsAny(p, "*?") && core.Matches(p, n) }) {
			out = append(out, n)
		}
	}
	return out
}

// readOnly takes away what writes. Where the dialect lets a read-only agent run
// commands the shell stays: its processes are read-only to the kernel. Notes
// are no files of the project: who names the tools for them may write them.
func (b *builder) readOnly() {
	d := &b.def
	shell := d.Tools != nil && b.d.name != "pi" || b.d.name == "codex" || b.d.name == "cursor"
	from := d.Tools
	if from == nil {
		from = toolNames(b.o)
	}
	kept, lost := []string{}, []string{}
	for _, n := range from {
		_, known := b.known(n)
		switch {
		case readsOnly(n), n == "shell" && shell, d.Tools != nil && strings.HasPrefix(n, "memory_"), !known && b.d.name != "pi":
			kept = append(kept, n)
		default:
			lost = append(lost, n)
		}
	}
	if d.Tools != nil && len(lost) > 0 {
		b.note(Warning, entry{key: "tools", value: b.tools}, "a read-only agent has no "+strings.Join(lost, ", "), "left out")
	}
	d.Tools = kept
}

func (b *builder) known(name string) (string, bool) {
	if b.o.Canonical != nil {
		return b.o.Canonical(name)
	}
	return name, slices.Contains(toolNames(b.o), name)
}

func unique(names []string) []string {
	out := []string{}
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
