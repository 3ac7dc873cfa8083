package tool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"drover/core"
)

type writeFile struct {
	def
	locks *locks
}

func (t writeFile) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t writeFile) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Path, Content string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	target, refusal := newTarget(env, a.Path)
	if refusal != "" {
		return failed("cannot write: %s", refusal), nil
	}
	defer target.close()
	defer t.locks.lock(target.full())()
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	old, err := target.stat()
	if err != nil {
		return failed("cannot write %s: %s", quoted(target.rel), reason(err)), nil
	}
	before := 0
	if old != nil && old.Size() <= editMax {
		if text, err := target.root.ReadFile(target.rel); err == nil { // only counted: a file may be written that cannot be read
			before = lineCount(string(text))
		}
	}
	if err := target.replace(old, []byte(a.Content)); err != nil {
		return failed("cannot write %s: %s", quoted(target.rel), reason(err)), nil
	}
	lines := plural(lineCount(a.Content), "line")
	if old == nil {
		return done(fmt.Sprintf("created %s, %s", quoted(target.rel), lines)), nil
	}
	return done(fmt.Sprintf("overwrote %s, %s (before: %d)", quoted(target.rel), lines, before)), nil
}

// target is a file to be written, inside its root and free of links. All is
// done through the root, so that no link made meanwhile can lead outside.
type target struct {
	dir  string
	root *os.Root
	rel  string
	own  guard
}

func newTarget(env core.ToolEnv, path string) (*target, string) {
	if strings.HasSuffix(path, "/") {
		return nil, quoted(path) + " names a directory"
	}
	real, rel, refusal := writable(env.Dir, path)
	if refusal != "" {
		return nil, refusal
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, "the working directory: " + reason(err)
	}
	return &target{dir: real, root: root, rel: rel, own: guardOf(env)}, ""
}

func (t *target) close() { _ = t.root.Close() } // nothing is written through it any more

func (t *target) full() string { return filepath.Join(t.dir, t.rel) }

// stat returns nil where there is no file yet, an error where it must not be written.
func (t *target) stat() (fs.FileInfo, error) {
	info, err := t.root.Lstat(t.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is " + kind(info.Mode()) + ", not a file")
	case t.own.holds(info):
		return nil, errors.New(ofRegistry)
	case info.Mode().Perm()&0o222 == 0:
		return nil, errors.New("it is write-protected")
	}
	return info, nil
}

var errChanged = errors.New("it was changed by somebody else meanwhile; read it again")

// replace puts a whole new file in the place of old (nil: of nothing), which
// must still be what it was. Its mode and owner are kept.
func (t *target) replace(old fs.FileInfo, data []byte) error {
	parent := filepath.Dir(t.rel)
	if err := t.root.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp := filepath.Join(parent, ".drover-"+rand.Text())
	f, err := t.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if old != nil && err == nil {
		if st, ok := old.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(st.Uid), int(st.Gid)) // only root can, and only then it matters
		}
		err = f.Chmod(old.Mode()) // after the owner: a change of owner clears bits
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = t.unchanged(old)
	}
	if err == nil {
		err = t.root.Rename(temp, t.rel)
	}
	if err != nil {
		_ = t.root.Remove(temp) // the error above says more
	}
	return err
}

func (t *target) unchanged(old fs.FileInfo) error {
	now, err := t.root.Lstat(t.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist) && old == nil:
		return nil
	case err != nil:
		return err
	case old == nil || !os.SameFile(old, now) || old.Size() != now.Size() || !old.ModTime().Equal(now.ModTime()):
		return errChanged
	}
	return nil
}

// locks lets one call at a time work on a file.
type locks struct {
	mu   sync.Mutex
	held map[string]*held
}

type held struct {
	mu    sync.Mutex
	users int
}

func newLocks() *locks { return &locks{held: make(map[string]*held)} }

// lock waits for the file (no call keeps it long) and returns what gives it back.
func (l *locks) lock(path string) (unlock func()) {
	l.mu.Lock()
	h := l.held[path]
	if h == nil {
		h = &held{}
		l.held[path] = h
	}
	h.users++
	l.mu.Unlock()
	h.mu.Lock()
	return func() {
		h.mu.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if h.users--; h.users == 0 {
			delete(l.held, path)
		}
	}
}

// both locks two files, always in the same order.
func (l *locks) both(a, b string) (unlock func()) {
	first, second := l.lock(min(a, b)), l.lock(max(a, b))
	return func() { second(); first() }
}
