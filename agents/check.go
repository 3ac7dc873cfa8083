package agents

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drover/core"
)

// Check reads one file, or all of a directory, and tells what is wrong with
// each definition, whoever's it is. The dialect is that of the directory the
// file lies in, else that of its name, else drover's own. The error says that
// there is nothing to read.
func (c *Catalog) Check(ctx context.Context, path string) ([]Definition, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalidInput, "checking %s: %w", core.CleanLine(path), err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, core.Errorf(core.CodeNotFound, "checking %s: %w", core.CleanLine(path), plainError(err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p, known := c.placeOf(path, info.IsDir())
	jobs := []job{{place: &p, path: path, rel: filepath.Base(path)}}
	if info.IsDir() {
		jobs = nil
		if !known {
			jobs = c.below(path)
		}
		if len(jobs) == 0 {
			jobs = c.list(&p)
		}
	}
	if _, err := c.load(ctx, jobs); err != nil {
		return nil, err
	}
	var all []Definition
	for _, j := range jobs {
		all = append(all, j.defs...)
	}
	return all, nil
}

// below lists a directory that has agents somewhere in it: a project, or a
// family's own.
func (c *Catalog) below(dir string) []job {
	var jobs []job
	for i := range c.families {
		f := &c.families[i]
		for _, r := range slices.Concat(f.project, f.projectFile) {
			path := filepath.Join(dir, filepath.FromSlash(r))
			if filepath.Base(dir) == f.name {
				_, rest, _ := strings.Cut(r, "/")
				path = filepath.Join(dir, filepath.FromSlash(rest))
			}
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			p := c.at(f, ScopeProject, dir, path, !info.IsDir())
			jobs = append(jobs, c.list(&p)...)
		}
	}
	p := c.at(&folders, ScopeProject, dir, filepath.Join(dir, "subagents"), false)
	return append(jobs, c.list(&p)...)
}

// placeOf guesses whose a path is: by the families' directories in it, else by
// how the file is called. known says that it is more than a guess.
func (c *Catalog) placeOf(path string, dir bool) (p place, known bool) {
	slash := filepath.ToSlash(path)
	if dir {
		slash += "/"
	}
	for i := range families {
		f := &families[i]
		for _, r := range slices.Concat(f.project, f.user) {
			if strings.Contains(slash, "/"+r+"/") && (r != ".agents" || !strings.Contains(slash, "/.agents/skills/")) {
				return c.at(f, ScopeUser, "", path, false), true
			}
		}
		for _, r := range slices.Concat(f.projectFile, f.userFile) {
			if strings.HasSuffix(slash, "/"+r) {
				return c.at(f, ScopeUser, "", path, true), true
			}
		}
	}
	name := filepath.Base(path)
	by := ".drover"
	switch {
	case name == "SUBAGENT.md" || dir && isFile(filepath.Join(path, "SUBAGENT.md")):
		return c.at(&folders, ScopeUser, "", path, false), true
	case strings.HasSuffix(name, ".toml"):
		by = ".codex"
	case strings.HasSuffix(name, ".agent.md"), strings.HasSuffix(name, ".chatmode.md"):
		by = ".github"
	case strings.HasSuffix(name, ".mdc"):
		by = ".cursor"
	}
	i := slices.IndexFunc(families, func(f family) bool { return f.name == by })
	return c.at(&families[i], ScopeUser, "", path, false), false
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
