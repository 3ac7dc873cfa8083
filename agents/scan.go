package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const (
	maxPlace = 5000 // files of one place
	maxLevel = 16   // directories below one
)

// A folder is a directory as it was read.
type folder struct {
	stamp   stamp
	entries []dirEntry // sorted by name
}

type dirEntry struct {
	name, path string
	typ        fs.FileMode // type bits; irregular where the file system does not tell
}

// A job is one file to be loaded.
type job struct {
	place *place
	path  string
	rel   string // in its place
	stamp stamp
	err   error
	*cached
}

// key of a job's result in memory.
type key struct {
	dialect string
	scope   Scope
	path    string
	command bool
	err     string // why it is not even looked at
}

func (j *job) key() key {
	k := key{dialect: j.place.from.Dialect, scope: j.place.from.Scope, path: j.path, command: j.place.command}
	if j.err != nil {
		k.err = j.err.Error()
	}
	return k
}

// A walk lists the files of one place.
type walk struct {
	c     *Catalog
	p     *place
	jobs  []job
	above []stamp // the directories on the way, against loops
	full  bool
}

// list gives the files of a place in their order.
func (c *Catalog) list(p *place) []job {
	if p.file {
		return []job{{place: p, path: p.path}}
	}
	w := walk{c: c, p: p}
	w.dir(p.path, "")
	if p.family.deep {
		slices.SortStableFunc(w.jobs, func(a, b job) int { return strings.Compare(a.rel, b.rel) })
	}
	if w.full {
		w.jobs = append(w.jobs, job{place: p, path: p.path, err: fmt.Errorf("there are more than %d files; the rest is not read", maxPlace)})
	}
	return w.jobs
}

func (w *walk) fail(path, rel string, err error) {
	w.jobs = append(w.jobs, job{place: w.p, path: path, rel: rel, err: plainError(err)})
}

func (w *walk) dir(path, rel string) {
	s, err := stat(path)
	if err != nil {
		if !missing(err) {
			w.fail(path, rel, err)
		}
		return
	}
	if slices.ContainsFunc(w.above, func(a stamp) bool { return a.dev == s.dev && a.ino == s.ino }) {
		w.fail(path, rel, errors.New("it is a loop: the directory holds itself"))
		return
	}
	if len(w.above) > maxLevel {
		w.fail(path, rel, fmt.Errorf("it lies more than %d directories deep and is not read", maxLevel))
		return
	}
	entries, err := w.c.entries(path, s)
	if err != nil {
		w.fail(path, rel, err)
		return
	}
	w.above = append(w.above, s)
	w.jobs = slices.Grow(w.jobs, min(len(entries), maxPlace-len(w.jobs)+1))
	for i := range entries {
		if w.full {
			break
		}
		w.entry(&entries[i], rel)
	}
	w.above = w.above[:len(w.above)-1]
}

// entry looks at one name in a directory: a file of the family, a directory
// below, or nothing of ours.
func (w *walk) entry(e *dirEntry, rel string) {
	f := w.p.family
	ours := f.has(e.name)
	if !ours && (!f.deep || e.typ.IsRegular() || e.name == ".git" || e.name == "node_modules") {
		return
	}
	if rel == "" {
		rel = e.name
	} else {
		rel = filepath.Join(rel, e.name)
	}
	if e.typ.IsRegular() {
		w.add(e, rel)
		return
	}
	s, err := stat(e.path)
	switch {
	case err != nil && (ours || errors.Is(err, syscall.ELOOP)):
		w.fail(e.path, rel, err)
	case err != nil:
	case s.isDir():
		if ours {
			w.fail(e.path, rel, s.readable())
		}
		if f.deep {
			w.dir(e.path, rel)
		}
	case ours:
		w.add(e, rel)
	}
}

func (w *walk) add(e *dirEntry, rel string) {
	if len(w.jobs) >= maxPlace {
		w.full = true
		return
	}
	w.jobs = append(w.jobs, job{place: w.p, path: e.path, rel: rel})
}

// has reports whether a file of the name is one of the family.
func (f *family) has(name string) bool {
	if f.hidden && name[0] == '_' {
		return false
	}
	for _, end := range f.ends {
		if name == end && end[0] != '.' || end[0] == '.' && len(name) > len(end) && strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// entries lists a directory, from memory where it has not changed.
func (c *Catalog) entries(path string, s stamp) ([]dirEntry, error) {
	if f, ok := c.folders[path]; ok && f.stamp.same(s) {
		return f.entries, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	found, err := f.ReadDir(20 * maxPlace)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	entries := make([]dirEntry, len(found))
	for i, e := range found {
		entries[i] = dirEntry{name: e.Name(), path: filepath.Join(path, e.Name()), typ: e.Type()}
	}
	slices.SortFunc(entries, func(a, b dirEntry) int { return strings.Compare(a.name, b.name) })
	c.folders[path] = folder{stamp: s.aged(), entries: entries}
	return entries, nil
}

// spread does n pieces of work, on all processors where there is enough of it.
// It returns when all is done, or at the next piece after ctx ends.
func spread(ctx context.Context, n, least int, do func(worker, i int)) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), n/least))
	part := func(w int) {
		for i := w; i < n && ctx.Err() == nil; i += workers {
			do(w, i)
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { part(w) })
	}
	part(0)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("looking for agents: %w", err)
	}
	return nil
}
