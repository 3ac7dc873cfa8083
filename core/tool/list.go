package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drover/core"
)

const (
	listMax = 1000   // entries shown
	dirMax  = 20_000 // entries of one directory that are looked at
)

type listFiles struct{ def }

func (t listFiles) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t listFiles) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Path  string
		Depth int
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	path := absolute(env.Dir, a.Path)
	l := lister{depth: max(1, a.Depth)}
	if err := l.list(ctx, path, "", 1); err != nil {
		if ctx.Err() != nil {
			return core.ToolResult{}, ctx.Err()
		}
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = near(env.Dir, path)
		}
		return failed("cannot list %s: %s%s", shown(env.Dir, path), reason(err), hint), nil
	}
	switch {
	case l.entries == 0 && l.left == 0:
		return done("(" + shown(env.Dir, path) + " is empty)"), nil
	case l.left > 0:
		fmt.Fprintf(&l.text, "(%d more left out; list a directory below, or use glob_files)\n", l.left)
	}
	return done(l.text.String()), nil
}

type lister struct {
	depth   int
	text    strings.Builder
	entries int
	left    int
}

// list writes the entries of a directory, directories first, and goes into
// those as deep as was asked for. Links are shown, never followed.
func (l *lister) list(ctx context.Context, path, prefix string, depth int) error {
	entries, left, err := readDir(ctx, path)
	if err != nil {
		return err
	}
	l.left += left
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		if a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	for _, e := range entries {
		if l.entries >= listMax {
			l.left++
			continue
		}
		l.entries++
		name := prefix + e.Name()
		l.text.WriteString(describe(path, name, e) + "\n")
		if !e.IsDir() || depth >= l.depth || skipped[e.Name()] {
			continue
		}
		if err := l.list(ctx, filepath.Join(path, e.Name()), name+"/", depth+1); err != nil {
			if ctx.Err() != nil {
				return err
			}
			fmt.Fprintf(&l.text, "%s (%s)\n", quoted(name+"/"), reason(err))
		}
	}
	return nil
}

func describe(dir, name string, e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return quoted(name + "/")
	case e.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			target = "?"
		}
		return quoted(name) + " -> " + quoted(target)
	case !e.Type().IsRegular():
		return quoted(name) + "  " + kind(e.Type())
	}
	info, err := e.Info()
	if err != nil {
		return quoted(name) + "  gone"
	}
	return quoted(name) + "  " + size(info.Size())
}

// readDir reads up to dirMax entries and counts, in no order, those beyond.
func readDir(ctx context.Context, path string) (entries []fs.DirEntry, left int, err error) {
	info, err := os.Stat(path) // opening a pipe would wait
	if err != nil {
		return nil, 0, err
	}
	if !info.IsDir() {
		return nil, 0, errors.New("it is " + kind(info.Mode()) + ", not a directory")
	}
	d, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		some, err := d.ReadDir(1000)
		if len(entries) < dirMax {
			entries = append(entries, some...)
		} else {
			left += len(some)
		}
		if errors.Is(err, io.EOF) {
			return entries, left, nil
		}
		if err != nil {
			return entries, left, err
		}
	}
}
