package tool

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drover/core"
)

// place is a target that a path names itself: a link at its end is not followed.
type place struct {
	target
	state string // where the registry is
}

func newPlace(env core.ToolEnv, path string) (*place, string) {
	real, rel, refusal := entry(env.Dir, path)
	if refusal != "" {
		return nil, refusal
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, "the working directory: " + reason(err)
	}
	p := &place{target: target{dir: real, root: root, rel: rel, own: guardOf(env)}}
	if env.Scratch != "" {
		if p.state, err = filepath.EvalSymlinks(filepath.Dir(filepath.Dir(env.Scratch))); err != nil {
			p.state = ""
		}
	}
	return p, ""
}

// there says what stands at the target, and refuses what no tool may touch.
// Without anything there it returns nil.
func (t *place) there() (fs.FileInfo, error) {
	info, err := t.root.Lstat(t.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case t.own.holds(info):
		return nil, errors.New(ofRegistry)
	case info.IsDir() && strings.HasPrefix(t.state+"/", t.full()+"/"):
		return nil, errors.New("it holds drover's registry")
	}
	return info, nil
}

type deleteFile struct {
	def
	locks *locks
}

func (t deleteFile) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t deleteFile) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Path string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	target, refusal := newPlace(env, a.Path)
	if refusal != "" {
		return failed("cannot delete: %s", refusal), nil
	}
	defer target.close()
	defer t.locks.lock(target.full())()
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	info, err := target.there()
	switch {
	case err != nil:
		return failed("cannot delete %s: %s", quoted(target.rel), reason(err)), nil
	case info == nil:
		return failed("cannot delete %s: there is no such file%s", quoted(target.rel), near(env.Dir, target.full())), nil
	}
	if err := target.root.Remove(target.rel); err != nil {
		return failed("cannot delete %s: %s", quoted(target.rel), reason(err)), nil
	}
	return done("deleted " + quoted(target.rel) + ", " + kind(info.Mode())), nil
}

type moveFile struct {
	def
	locks *locks
}

func (t moveFile) Subject(args json.RawMessage) string {
	from, to := field(args, "from"), field(args, "to")
	if from == "" && to == "" {
		return ""
	}
	return cut(core.CleanLine(quoted(filepath.Clean(from))+moveSign+quoted(filepath.Clean(to))), subjectBytes)
}

// moveSign stands between the two paths of a move, for people and for rules.
const moveSign = " → "

func (t moveFile) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		From, To  string
		Overwrite bool
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	from, refusal := newPlace(env, a.From)
	if refusal != "" {
		return failed("cannot move: %s", refusal), nil
	}
	defer from.close()
	to, refusal := newPlace(env, a.To)
	if refusal != "" {
		return failed("cannot move: %s", refusal), nil
	}
	defer to.close()
	if from.rel == to.rel {
		return failed("cannot move %s: both paths are the same", quoted(from.rel)), nil
	}
	defer t.locks.both(from.full(), to.full())()
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	if why := movable(env, from, to, a.Overwrite); why != "" {
		return failed("cannot move %s to %s: %s", quoted(from.rel), quoted(to.rel), why), nil
	}
	err := from.root.MkdirAll(filepath.Dir(to.rel), 0o755)
	if err == nil {
		err = from.root.Rename(from.rel, to.rel)
	}
	if err != nil {
		return failed("cannot move %s to %s: %s", quoted(from.rel), quoted(to.rel), reason(err)), nil
	}
	return done("moved " + quoted(from.rel) + " to " + quoted(to.rel)), nil
}

// movable says why the one cannot take the place of the other, or "".
func movable(env core.ToolEnv, from, to *place, overwrite bool) string {
	old, err := from.there()
	switch {
	case err != nil:
		return reason(err)
	case old == nil:
		return "there is no such file" + near(env.Dir, from.full())
	case old.IsDir() && strings.HasPrefix(to.rel, from.rel+"/"):
		return "a directory cannot be moved into itself"
	}
	there, err := to.there()
	switch {
	case err != nil:
		return "at its new place: " + reason(err)
	case there == nil:
	case there.IsDir():
		return "a directory stands there; give the whole new path"
	case !overwrite:
		return "something stands there already; overwrite replaces it"
	case old.IsDir():
		return "a directory cannot take the place of " + kind(there.Mode())
	}
	return ""
}
