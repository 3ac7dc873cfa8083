package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"drover/core"
)

// absolute makes the path a model wrote absolute: relative to dir, with ~ for home.
func absolute(dir, path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + path[1:]
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// shown is a path for people: relative to dir where it lies inside.
func shown(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return quoted(path)
}

// realPath resolves every link of path, also where its end does not exist yet.
func realPath(path string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil && err.Error() == "EvalSymlinks: too many links" { // it has no other mark
		return "", fmt.Errorf("resolve %s: %w", path, syscall.ELOOP)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
		return real, err
	}
	parent, err := realPath(filepath.Dir(path), links)
	if err != nil {
		return "", err
	}
	path = filepath.Join(parent, filepath.Base(path))
	target, err := os.Readlink(path)
	if err != nil {
		return path, nil // nothing is there
	}
	if links == 0 {
		return "", fmt.Errorf("resolve %s: %w", path, syscall.ELOOP)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	return realPath(target, links-1)
}

// writable resolves a path to be written to one relative to dir's real place,
// free of links. A refusal says why.
func writable(dir, path string) (root, rel, refusal string) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", "the working directory is gone: " + reason(err)
	}
	real, err := realPath(absolute(dir, path), 40)
	if err != nil {
		return "", "", fmt.Sprintf("%s: %s", quoted(path), reason(err))
	}
	rel, refusal = inside(dir, path, root, real)
	return root, rel, refusal
}

// entry is writable for what a path names itself: of its links only those on
// the way to it are resolved.
func entry(dir, path string) (root, rel, refusal string) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", "the working directory is gone: " + reason(err)
	}
	clean := absolute(dir, path)
	parent, err := realPath(filepath.Dir(clean), 40)
	if err != nil {
		return "", "", fmt.Sprintf("%s: %s", quoted(path), reason(err))
	}
	rel, refusal = inside(dir, path, root, filepath.Join(parent, filepath.Base(clean)))
	return root, rel, refusal
}

// inside gives real relative to root, or the refusal to write there.
func inside(dir, path, root, real string) (rel, refusal string) {
	rel, err := filepath.Rel(root, real)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		refusal = fmt.Sprintf("%s lies outside the working directory %s; only files inside it can be written", quoted(path), quoted(dir))
		if clean := absolute(dir, path); clean != real {
			refusal += fmt.Sprintf(" (links lead to %s)", quoted(real))
		}
	case rel == ".":
		refusal = quoted(path) + " is the working directory itself"
	case slices.Contains(strings.Split(rel, "/"), ".git"):
		refusal = quoted(path) + " belongs to git: what is written there may run as a command; use git itself"
	}
	return rel, refusal
}

// reason is an error of the file system in plain words, without the call and path.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.ELOOP):
		return "its links form a loop"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of its path is a file, not a directory"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "its name is too long"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only"
	case errors.Is(err, syscall.EINVAL):
		return "its name is not valid"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// Magic numbers of file systems that are the kernel talking.
const (
	procMagic  = 0x9fa0
	sysMagic   = 0x62656572
	debugMagic = 0x64626720
	traceMagic = 0x74726163
)

// guard is the files of the registry. Opening and closing one of them in the
// process that has the database open would drop all of SQLite's locks on it
// (they are POSIX locks), so no tool opens them, whatever path leads there.
type guard []fs.FileInfo

const ofRegistry = "it belongs to drover's registry; drover ps, show and log tell what is in it"

// guardOf finds them by the place of the session's scratch directory within the state.
func guardOf(env core.ToolEnv) (g guard) {
	if env.Scratch == "" {
		return nil
	}
	state := filepath.Dir(filepath.Dir(env.Scratch))
	if known, ok := guards.Load(state); ok {
		return known.(guard)
	}
	for _, name := range []string{"drover.db", "drover.db-wal", "drover.db-shm"} {
		if info, err := os.Stat(filepath.Join(state, name)); err == nil {
			g = append(g, info)
		}
	}
	if len(g) == 3 { // this process has them open: they stay what they are
		guards.Store(state, g)
	}
	return g
}

// guards are those found before, by the state directory.
var guards sync.Map

func (g guard) holds(info fs.FileInfo) bool {
	return slices.ContainsFunc(g, func(own fs.FileInfo) bool { return os.SameFile(own, info) })
}

// openFile opens an ordinary file for reading without ever waiting for it. The
// refusal is for the model.
func (g guard) openFile(path string, flags int) (f *os.File, info fs.FileInfo, refusal string) {
	if info, err := os.Stat(path); err == nil && g.holds(info) {
		return nil, nil, ofRegistry
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|flags, 0)
	if err != nil {
		return nil, nil, reason(err)
	}
	if info, err = f.Stat(); err != nil {
		refusal = reason(err)
	} else if !info.Mode().IsRegular() {
		refusal = "it is " + kind(info.Mode()) + ", not a file"
	} else if ofKernel(f) {
		refusal = "files of the kernel are not read by tools"
	}
	if refusal != "" {
		_ = f.Close() // nothing was written
		return nil, nil, refusal
	}
	return f, info, ""
}

func ofKernel(f *os.File) bool {
	var st syscall.Statfs_t
	if syscall.Fstatfs(int(f.Fd()), &st) != nil {
		return true
	}
	return slices.Contains([]uint32{procMagic, sysMagic, debugMagic, traceMagic}, uint32(st.Type))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a file"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// near finds up to three names that a path which does not exist may have meant.
func near(dir, path string) string {
	parent := filepath.Dir(path)
	for !isDir(parent) && parent != filepath.Dir(parent) {
		path, parent = parent, filepath.Dir(parent)
	}
	d, err := os.Open(parent)
	if err != nil {
		return ""
	}
	defer d.Close()
	names, _ := d.Readdirnames(5000) // as many as there are
	base := filepath.Base(path)
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return far(base, name) })
	slices.SortStableFunc(names, func(a, b string) int { return core.Distance(base, a) - core.Distance(base, b) })
	var list []string
	for _, name := range names[:min(3, len(names))] {
		list = append(list, shown(dir, filepath.Join(parent, name)))
	}
	if len(list) == 0 {
		return ""
	}
	return "; there is " + strings.Join(list, ", ")
}

func far(want, name string) bool {
	if len(want) > 100 || len(name) > 100 {
		return true
	}
	stem := func(s string) string { return strings.ToLower(strings.TrimSuffix(s, filepath.Ext(s))) }
	a, b := stem(want), stem(name)
	if a == b || len(a) > 3 && strings.Contains(b, a) || len(b) > 3 && strings.Contains(a, b) {
		return false
	}
	return core.Distance(want, name) > max(min(2, (len(want)+1)/2), len(want)/4)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
