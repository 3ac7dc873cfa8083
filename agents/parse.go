package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drover/core"
)

// A loader turns files into definitions. It is immutable and shared.
type loader struct {
	o   *Options
	all map[string]meanings
	set map[string]setter
}

func newLoader(o *Options) *loader { return &loader{o: o, all: table(), set: setters()} }

func (l *loader) builder(name string, from Origin, stem string) *builder {
	d := *dialects[name]
	d.name = name
	b := &builder{o: l.o, d: &d, m: l.all[name], all: l.all, stem: stem}
	b.def.Origin = from
	b.def.Source = from.Path
	if from.Scope == ScopeBundled {
		b.def.Source = "bundled"
	}
	b.def.State = Available
	return b
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// file loads the definitions of one file of a dialect. A file that cannot be
// loaded is one definition that says why.
func (l *loader) file(from Origin, raw []byte) []Definition {
	from.Hash = hashOf(raw)
	stem := stemOf(from.Dialect, from.Path)
	switch strings.ToLower(filepath.Ext(from.Path)) {
	case ".toml":
		return l.tomlAgent(from, stem, raw)
	case ".json":
		return l.fails(from, stem, Problem{Severity: Warning, Line: 1, Message: "agents in JSON are not read from this directory", Repair: "write it as Markdown"})
	}
	return l.markdown(from, stem, raw)
}

// stemOf is the name that a file gives its agent.
func stemOf(dialect, file string) string {
	base := filepath.Base(file)
	if base == "SUBAGENT.md" {
		return core.CleanLine(filepath.Base(filepath.Dir(file)))
	}
	for _, end := range []string{".agent.md", ".chatmode.md", ".prompt.md", ".markdown", ".mdc", ".md", ".toml", ".json"} {
		if end == ".prompt.md" && dialect != "copilot" {
			continue
		}
		if cut := strings.TrimSuffix(base, end); cut != base && cut != "" {
			base = cut
			break
		}
	}
	return core.CleanLine(base)
}

func (l *loader) markdown(from Origin, stem string, raw []byte) []Definition {
	doc := split(raw)
	b := l.builder(from.Dialect, from, stem)
	b.def.Problems = doc.problems
	d := b.d
	if d.strict && (doc.odd || !doc.has) && b.def.fault() == nil {
		b.note(Error, entry{line: 1}, d.title+" needs the front matter at the very start of the file", "begin the file with a line of ---")
	}
	if b.def.fault() != nil {
		return []Definition{b.finish("")}
	}
	if !doc.has {
		return l.bare(b, doc, from)
	}
	v, problems, err := parseFront(doc.front, doc.line)
	b.def.Problems = append(b.def.Problems, problems...)
	if err != nil {
		b.def.Problems = append(b.def.Problems, badFront(err, doc.front, doc.line))
		return []Definition{b.finish("")}
	}
	if v.kind == list {
		return l.several(b, v, doc)
	}
	b.fields(v, l.set)
	return []Definition{b.finish(doc.body)}
}

// bare loads a file without front matter: an agent in some dialects, a note
// that lies among agents in others.
func (l *loader) bare(b *builder, doc document, from Origin) []Definition {
	base := filepath.Base(from.Path)
	note := slices.Contains([]string{"README", "AGENTS", "CLAUDE", "GEMINI", "CHANGELOG", "CONTRIBUTING", "LICENSE", "INDEX"}, strings.ToUpper(b.stem))
	plain := b.d.name == "copilot" && !strings.HasSuffix(base, ".agent.md") && !strings.HasSuffix(base, ".chatmode.md")
	if !b.d.bare || note || plain || doc.body == "" {
		sev := Warning
		if note {
			sev = Info
		}
		return l.fails(from, b.stem, Problem{Severity: sev, Line: 1, Message: "there is no front matter, so it is no agent", Repair: "begin the file with a line of ---, name: and description:, and a line of ---"})
	}
	b.note(Info, entry{line: 1}, "there is no front matter", "the whole file is the prompt, the file's name the agent's")
	return []Definition{b.finish(doc.body)}
}

// several loads Gemini's list of remote agents in one file.
func (l *loader) several(b *builder, v value, doc document) []Definition {
	if b.d.name != "gemini" || len(v.list) == 0 {
		b.note(Error, entry{line: doc.line}, "the front matter is a list", "write key: value, one a line")
		return []Definition{b.finish("")}
	}
	var out []Definition
	for _, item := range v.list {
		one := l.builder(b.def.Dialect, b.def.Origin, b.stem)
		one.def.Problems = slices.Clone(b.def.Problems)
		if item.kind != object {
			one.note(Error, entry{line: item.line}, "an item of the list is no agent", "write key: value, one a line")
		} else {
			one.fields(item, l.set)
			if one.def.Remote == nil {
				one.note(Error, entry{line: item.line, key: "kind"}, "a list may hold remote agents only", "give each local agent its own file")
			}
		}
		out = append(out, one.finish(""))
	}
	return out
}

// fails is a definition that stands for what could not be loaded.
func (l *loader) fails(from Origin, stem string, p Problem) []Definition {
	b := l.builder(from.Dialect, from, stem)
	b.def.Name, b.def.State, b.def.Reason, b.def.Problems = stem, Faulty, p.Message, []Problem{p}
	return []Definition{b.def}
}

// object loads one agent of a JSON or TOML table, under the name it has there.
func (l *loader) object(from Origin, name string, v value, problems []Problem) Definition {
	b := l.builder(from.Dialect, from, name)
	b.def.Problems = problems
	b.fields(v, l.set)
	if b.def.Name == "" {
		b.def.Name = name
	}
	return b.finish("")
}

// tomlAgent loads a role file of Codex.
func (l *loader) tomlAgent(from Origin, stem string, raw []byte) []Definition {
	var doc document
	v, err := parseTOML(doc.readable(raw))
	if err != nil {
		return l.fails(from, stem, badNotation("TOML", err))
	}
	b := l.builder(from.Dialect, from, stem)
	b.def.Problems = doc.problems
	b.fields(v, l.set)
	return []Definition{b.finish("")}
}

// reader reads a file that another one names.
type reader func(path string) (raw []byte, err error)

// codexRoles loads the [agents.x] tables of Codex's config.toml.
func (l *loader) codexRoles(from Origin, raw []byte, read reader) []Definition {
	from.Hash = hashOf(raw)
	var doc document
	v, err := parseTOML(doc.readable(raw))
	if err != nil {
		return l.fails(from, "config", badNotation("TOML", err))
	}
	roles, _ := v.get("agents")
	var out []Definition
	for _, e := range roles.object {
		if e.value.kind != object {
			continue // max_threads and the like
		}
		out = append(out, l.codexRole(from, e, read))
	}
	return out
}

// codexRole loads one role: its table, and the file it names for the rest.
func (l *loader) codexRole(from Origin, e entry, read reader) Definition {
	fields := value{kind: object}
	var problems []Problem
	var refs []string
	if file := e.value.textAt("config_file"); file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(from.Path), file)
		}
		refs = append(refs, file)
		raw, err := read(file)
		if err == nil {
			var doc document
			fields, err = parseTOML(doc.readable(raw))
			from.Path, from.Hash = file, hashOf(append(raw, from.Hash...))
		}
		if err != nil {
			problems = append(problems, Problem{Severity: Error, Line: e.line, Field: "config_file", Message: core.CleanLine(err.Error()), Repair: "name a file that is there"})
		}
	}
	for _, own := range e.value.object {
		if own.key != "config_file" {
			put(&fields, own)
		}
	}
	put(&fields, entry{key: "name", line: e.line, value: value{kind: scalar, typ: 's', text: e.key, line: e.line}})
	d := l.object(from, core.CleanLine(e.key), fields, problems)
	d.refs = refs
	return d
}

// opencodeAgents loads the "agent" and "mode" objects of opencode.json.
func (l *loader) opencodeAgents(from Origin, raw []byte, read reader) []Definition {
	from.Hash = hashOf(raw)
	var doc document
	v, err := parseJSON(doc.readable(raw))
	if err != nil {
		return l.fails(from, "opencode", badNotation("JSON", err))
	}
	var out []Definition
	for _, section := range []string{"agent", "agents", "mode"} {
		all, _ := v.get(section)
		for _, e := range all.object {
			out = append(out, l.opencodeAgent(from, e, read))
		}
	}
	return out
}

// opencodeAgent loads one of them; {file:x} in its prompt stands for a file
// beside the settings.
func (l *loader) opencodeAgent(from Origin, e entry, read reader) Definition {
	var problems []Problem
	var refs []string
	for i, f := range e.value.object {
		file, ok := strings.CutPrefix(f.value.text, "{file:")
		if f.key != "prompt" || !ok || !strings.HasSuffix(file, "}") {
			continue
		}
		file = path.Clean(strings.TrimSuffix(file, "}"))
		if !filepath.IsLocal(file) {
			problems = append(problems, Problem{Severity: Error, Line: f.line, Field: "prompt", Message: "the file lies outside of the directory", Repair: "move it beside opencode.json"})
			continue
		}
		file = filepath.Join(filepath.Dir(from.Path), file)
		refs = append(refs, file)
		raw, err := read(file)
		if err != nil {
			problems = append(problems, Problem{Severity: Error, Line: f.line, Field: "prompt", Message: core.CleanLine(err.Error()), Repair: "name a file that is there"})
			continue
		}
		var doc document
		fields := slices.Clone(e.value.object)
		fields[i].value.text = doc.readable(raw)
		e.value.object = fields
	}
	d := l.object(from, core.CleanLine(e.key), e.value, problems)
	d.refs = refs
	return d
}

// inline loads Claude Code's --agents JSON: an object of agents by name.
func (l *loader) inline(text []byte) []Definition {
	from := Origin{Dialect: "claude", Family: "inline", Scope: ScopeUser, Path: "--agents", Hash: hashOf(text)}
	var doc document
	v, err := parseJSON(doc.readable(text))
	if err != nil {
		return l.fails(from, "agents", badNotation("JSON", err))
	}
	var out []Definition
	for _, e := range v.object {
		out = append(out, l.object(from, core.CleanLine(e.key), e.value, nil))
	}
	return out
}
