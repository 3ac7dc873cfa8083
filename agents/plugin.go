package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Plugin is a package that brings agents in its agents directory.
type Plugin struct {
	Name    string
	Root    string // its directory
	Project string // the project it was installed for; "" is for the person
}

// plugins lists the places of plugins: those of the project first, then the
// person's. Claude Code tells of its own in a file; an extension of Gemini CLI
// is a directory.
func (c *Catalog) plugins(dir string) []place {
	all := slices.Clone(c.o.Plugins)
	if c.o.Home != "" {
		all = append(all, c.claudePlugins(filepath.Join(c.o.Home, ".claude", "plugins", "installed_plugins.json"))...)
	}
	var mine, project []place
	for _, p := range all {
		f := &family{name: "plugin", dialect: "claude", deep: true, ends: markdownOnly}
		at := c.at(f, ScopePlugin, p.Name, filepath.Join(p.Root, "agents"), false)
		switch {
		case p.Project == "":
			mine = append(mine, at)
		case inside(dir, p.Project):
			project = append(project, at)
		}
	}
	return slices.Concat(project, mine, c.extensions())
}

// extensions are Gemini CLI's, in the home.
func (c *Catalog) extensions() []place {
	if c.o.Home == "" {
		return nil
	}
	root := filepath.Join(c.o.Home, ".gemini", "extensions")
	s, err := stat(root)
	if err != nil {
		return nil
	}
	entries, err := c.entries(root, s)
	if err != nil {
		return nil // the directory is Gemini's to complain about
	}
	f := &family{name: "plugin", dialect: "gemini", ends: markdownOnly, hidden: true}
	var all []place
	for _, e := range entries {
		all = append(all, c.at(f, ScopePlugin, e.name, filepath.Join(e.path, "agents"), false))
	}
	return all
}

// claudePlugins reads Claude Code's list of what is installed, from memory
// where it has not changed. A list that cannot be read names no plugin.
func (c *Catalog) claudePlugins(path string) []Plugin {
	s, err := stat(path)
	if err != nil {
		return nil
	}
	if c.installed.stamp.same(s) {
		return c.installed.plugins
	}
	raw, s, err := read(path, nil)
	if err != nil {
		return nil
	}
	var doc document
	v, err := parseJSON(doc.readable(raw))
	if err != nil {
		return nil
	}
	var all []Plugin
	list, _ := v.get("plugins")
	for _, e := range list.object {
		name, _, _ := strings.Cut(e.key, "@")
		installs := e.value.list
		if e.value.kind == object {
			installs = []value{e.value}
		}
		for _, i := range installs {
			if root := i.textAt("installPath"); filepath.IsAbs(root) {
				p := Plugin{Name: name, Root: root}
				if i.textAt("scope") != "user" {
					p.Project = i.textAt("projectPath")
				}
				all = append(all, p)
			}
		}
	}
	c.installed.stamp, c.installed.plugins = s, all
	return all
}

func inside(dir, of string) bool {
	rel, err := filepath.Rel(of, dir)
	return err == nil && filepath.IsLocal(rel)
}

// fitPlugin names a plugin's agent as its own program does too, and drops a
// model that only stands for one of that program's.
func fitPlugin(p *place, d *Definition) {
	if p.from.Root != "" && d.State != Faulty {
		d.Aliases = append(d.Aliases, p.from.Root+":"+d.Name)
	}
	if d.Dialect != "claude" || len(d.Declared.Models) == 0 {
		return
	}
	if _, ok := Tier(d.Declared.Models[0]); ok && d.Model != Inherit {
		d.Model = ""
		d.Problems = append(d.Problems, Problem{Severity: Info, Line: 1, Field: "model", Message: "a plugin does not choose among Claude's models here", Repair: "the session's model is used"})
	}
}
