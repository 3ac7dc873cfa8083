package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// A family is the directories in which the users of one program keep agents.
type family struct {
	name, dialect string
	project, user []string // relative to a project's directory, and to the home
	level         bool     // every directory up to the top counts, not the nearest only
	deep          bool     // directories below count too
	ends          []string // of the files' names
	projectFile   []string // settings that may hold agents
	userFile      []string
	pathName      bool // a nested file's name is its path
	hidden        bool // files whose names begin with _ are none
}

var markdownOnly = []string{".md"}

// families in the order in which they count. Those after .factory are not in
// the order that the documents name; they come last.
var families = []family{
	{name: ".drover", dialect: "drover", project: []string{".drover/agents"}, user: []string{".drover/agents"}, ends: markdownOnly},
	{name: ".xcsh", dialect: "xcsh", project: []string{".xcsh/agents"}, user: []string{".xcsh/agent/agents"}, ends: markdownOnly},
	{name: ".claude", dialect: "claude", project: []string{".claude/agents"}, user: []string{".claude/agents"}, deep: true, ends: markdownOnly},
	{name: ".codex", dialect: "codex", project: []string{".codex/agents"}, user: []string{".codex/agents"}, deep: true, ends: []string{".toml", ".md"},
		projectFile: []string{".codex/config.toml"}, userFile: []string{".codex/config.toml"}},
	{name: ".gemini", dialect: "gemini", project: []string{".gemini/agents"}, user: []string{".gemini/agents"}, ends: markdownOnly, hidden: true},
	{name: ".github", dialect: "copilot", project: []string{".github/agents", ".github/chatmodes"}, user: []string{".copilot/agents"}, level: true, deep: true, ends: markdownOnly},
	{name: ".opencode", dialect: "opencode", project: []string{".opencode/agent", ".opencode/agents", ".opencode/mode"},
		user: []string{".config/opencode/agent", ".config/opencode/agents", ".config/opencode/mode"}, deep: true, pathName: true, ends: markdownOnly,
		projectFile: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json"},
		userFile:    []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}},
	{name: ".pi", dialect: "pi", project: []string{".pi/agents"}, user: []string{".pi/agent/agents"}, ends: []string{".md", ".markdown"}},
	{name: ".agents", dialect: "pi", project: []string{".agents/agents", ".agents"}, user: []string{".agents/agents", ".agents"}, ends: []string{".md", ".markdown"}},
	{name: ".cursor", dialect: "cursor", project: []string{".cursor/agents", ".cursor/subagents"}, user: []string{".cursor/agents"}, ends: []string{".md", ".mdc"}},
	{name: ".factory", dialect: "factory", project: []string{".factory/droids"}, user: []string{".factory/droids"}, ends: markdownOnly},
	{name: ".omp", dialect: "xcsh", project: []string{".omp/agents"}, user: []string{".omp/agent/agents"}, ends: markdownOnly},
	{name: ".kiro", dialect: "kiro", project: []string{".kiro/agents"}, user: []string{".kiro/agents"}, ends: []string{".md", ".json"}},
	{name: ".kilo", dialect: "kilo", project: []string{".kilo/agents", ".kilocode/agents"}, user: []string{".kilo/agents"}, ends: markdownOnly},
	{name: ".junie", dialect: "junie", project: []string{".junie/agents"}, user: []string{".junie/agents"}, ends: markdownOnly},
}

// folders holds SUBAGENT.md, one a directory: a person's own before a project's.
var folders = family{
	name: "subagents", dialect: "subagent",
	project: []string{"data/subagents", "subagents"}, user: []string{".pegasus/subagents"}, ends: []string{"SUBAGENT.md"}, deep: true,
}

// inOrder puts families in the order of the settings, the rest after them.
func inOrder(all []family, order []string) []family {
	rank := func(f family) int {
		if i := slices.Index(order, f.name); i >= 0 {
			return i
		}
		return len(order)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b family) int { return rank(a) - rank(b) })
	return all
}

// A place is one directory, or one settings file, to look into.
type place struct {
	family  *family
	from    Origin // all but the path and the hash
	path    string
	file    bool // a settings file
	command bool // it holds commands, not agents
}

// parents are the directories from dir up to the top of its repository, those
// below the home only where the home is above: its own are the person's.
func parents(dir, home string) []string {
	var all []string
	for d := dir; ; d = filepath.Dir(d) {
		if d == home && home != "" {
			break
		}
		all = append(all, d)
		if _, err := stat(filepath.Join(d, ".git")); err == nil || d == filepath.Dir(d) {
			break
		}
	}
	return all
}

// places lists where to look for agents seen from dir, in the order that counts.
func (c *Catalog) places(dir string) []place {
	up := parents(dir, c.o.Home)
	var all []place
	for i := range c.families {
		f := &c.families[i]
		all = append(all, c.inProject(f, up, f.project, false)...)
		all = append(all, c.inProject(f, up, f.projectFile, true)...)
		if f.name == ".drover" && c.o.Config != "" {
			all = append(all, c.at(f, ScopeUser, "", filepath.Join(c.o.Config, "agents"), false))
		}
		all = append(all, c.inHome(f, f.user, false)...)
		all = append(all, c.inHome(f, f.userFile, true)...)
	}
	f := &folders
	all = append(all, c.inProject(f, up, f.project[:1], false)...)
	all = append(all, c.inHome(f, f.user, false)...)
	all = append(all, c.inProject(f, up, f.project[1:], false)...)
	return slices.Concat(all, c.plugins(dir))
}

func (c *Catalog) at(f *family, s Scope, root, path string, file bool) place {
	return place{family: f, path: path, file: file, from: Origin{Dialect: f.dialect, Family: f.name, Scope: s, Root: root}}
}

// inProject finds each of the directories, or files, where it is nearest.
func (c *Catalog) inProject(f *family, up, rel []string, file bool) []place {
	var all []place
	for _, d := range up {
		for _, r := range rel {
			if !f.level && slices.ContainsFunc(all, func(p place) bool { return strings.HasSuffix(p.path, string(filepath.Separator)+filepath.FromSlash(r)) }) {
				continue // a nearer one was found
			}
			path := filepath.Join(d, filepath.FromSlash(r))
			s, err := stat(path)
			if err == nil && s.isDir() != file || err != nil && !missing(err) {
				all = append(all, c.at(f, ScopeProject, d, path, file))
			}
		}
	}
	return all
}

func (c *Catalog) inHome(f *family, rel []string, file bool) []place {
	var all []place
	for _, r := range rel {
		path := filepath.Join(c.o.Home, filepath.FromSlash(r))
		if c.o.Home == "" {
			continue
		}
		if _, err := stat(path); err == nil || !missing(err) {
			all = append(all, c.at(f, ScopeUser, "", path, file))
		}
	}
	return all
}
