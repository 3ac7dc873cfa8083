package agents

import (
	"context"
	"path/filepath"
	"runtime"

	"drover/core"
)

// cached is what came of one file.
type cached struct {
	defs []Definition
	cmd  Command
}

// parsed is what came of one file, with what it was made from.
type parsed struct {
	*cached
	stamp stamp
	deps  []dep
}

type dep struct {
	path  string
	stamp stamp // zero where it could not be read
}

// load loads the jobs: from memory what has not changed, the rest on all
// processors. fresh says that something was not in memory.
func (c *Catalog) load(ctx context.Context, jobs []job) (fresh bool, err error) {
	known := make([]bool, len(jobs))
	err = spread(ctx, len(jobs), 64, func(_, i int) { known[i] = c.remembered(&jobs[i]) })
	if err != nil {
		return false, err
	}
	var todo []*job
	for i := range jobs {
		if !known[i] {
			todo = append(todo, &jobs[i])
		}
	}
	results := make([]parsed, len(todo))
	bufs := make([][]byte, runtime.GOMAXPROCS(0)+1)
	err = spread(ctx, len(todo), 8, func(w, i int) { results[i], bufs[w] = c.one(todo[i], bufs[w]) })
	if err != nil {
		return false, err
	}
	for i, j := range todo {
		j.cached = results[i].cached
		if j.err == nil {
			fresh = true
			c.files[j.key()] = results[i]
		}
	}
	return fresh, nil
}

// remembered takes a job's result from memory, if nothing it was made of has
// changed. It only reads the memory, so that several may at once.
func (c *Catalog) remembered(j *job) bool {
	if j.err != nil {
		return false
	}
	j.stamp, j.err = stat(j.path)
	if j.err != nil {
		j.err = plainError(j.err)
		return false
	}
	p, ok := c.files[j.key()]
	if !ok || !p.stamp.same(j.stamp) {
		return false
	}
	for _, d := range p.deps {
		if s, err := stat(d.path); err != nil && d.stamp.ino != 0 || err == nil && !d.stamp.same(s) {
			return false
		}
	}
	j.cached = p.cached
	return true
}

// one loads one file. It gives back the buffer, grown where it was too small.
func (c *Catalog) one(j *job, buf []byte) (parsed, []byte) {
	from := j.place.from
	from.Path = j.path
	if j.err != nil {
		return c.failed(j, from, j.err), buf
	}
	raw, s, err := readStamped(j.path, j.stamp, buf)
	if err != nil {
		p := c.failed(j, from, err)
		p.stamp = s.aged()
		return p, buf
	}
	p := parsed{cached: &cached{}, stamp: s}
	deps := func(path string) ([]byte, error) {
		raw, s, err := read(path, nil)
		p.deps = append(p.deps, dep{path, s})
		return raw, err
	}
	switch {
	case j.place.command:
		p.cmd = c.loader.command(j, raw)
	case j.place.file && from.Family == ".codex":
		p.defs = c.loader.codexRoles(from, raw, deps)
	case j.place.file:
		p.defs = c.loader.opencodeAgents(from, raw, deps)
	default:
		p.defs = c.loader.file(from, raw)
		c.fit(j, p.defs)
	}
	return p, raw[:0]
}

// failed stands for a file or directory that could not be read.
func (c *Catalog) failed(j *job, from Origin, err error) parsed {
	p := Problem{Severity: Error, Message: core.CleanLine(err.Error())}
	stem := stemOf(from.Dialect, j.path)
	if j.place.command {
		return parsed{cached: &cached{cmd: Command{Origin: from, Name: stem, State: Faulty, Reason: p.Message, Problems: []Problem{p}}}}
	}
	return parsed{cached: &cached{defs: c.loader.fails(from, stem, p)}}
}

// fit applies what depends on the place: names from paths, plugins' names.
func (c *Catalog) fit(j *job, defs []Definition) {
	for i := range defs {
		d := &defs[i]
		if j.place.family.pathName && d.Name == stemOf(d.Dialect, j.path) {
			d.Name = filepath.ToSlash(filepath.Join(filepath.Dir(j.rel), d.Name))
		}
		if d.Scope == ScopePlugin {
			fitPlugin(j.place, d)
		}
	}
}
