package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kind says what a confined command has in a place.
type kind string

const (
	hide kind = "hide" // nothing: an empty directory
	show kind = "show" // what is there, read-only
	own  kind = "own"  // what is there, to write

	device kind = "device"
)

// place is a part of the file system that is not simply read-only.
type place struct {
	Path string `json:"p"`
	Kind kind   `json:"k"`
	File bool   `json:"f,omitempty"`
}

// tools are variables that name a directory of programs, without keys.
var tools = []string{
	"GOROOT", "GOMODCACHE", "RUSTUP_HOME", "JAVA_HOME", "ANDROID_HOME", "NVM_DIR", "PNPM_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "RBENV_ROOT",
}

// hideouts are the places where sockets and secrets lie: temporary
// directories, the home and drover's own state.
func hideouts(env []string) []string {
	list := []string{"/run", "/tmp", "/var/tmp"}
	for _, name := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "DROVER_STATE", "DROVER_CONFIG"} {
		list = append(list, lookup(env, name))
	}
	if u, err := user.Current(); err == nil {
		list = append(list, u.HomeDir)
	}
	var found []string
	for _, dir := range list {
		if dir == "" {
			continue
		}
		if dir, err := resolve(dir); err == nil && dir != "/" {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func lookup(env []string, name string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// places says which of hidden to hide, and what must stay in sight: the
// working directory with its repository, what the spec names, the directories
// where programs are found, the scratch. Outer places come before inner ones.
func places(s Spec, hidden []string) []place {
	seen := []string{s.Dir}
	seen = append(seen, repository(s.Dir, hidden)...)
	seen = append(seen, s.Readable...)
	if strings.Contains(s.Argv[0], "/") {
		seen = append(seen, s.Argv[0])
	}
	for _, dir := range append(filepath.SplitList(lookup(s.Env, "PATH")), values(s.Env, tools)...) {
		if dir, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && !above(dir, hidden) {
			seen = append(seen, dir)
		}
	}
	kinds := map[string]kind{}
	files := map[string]bool{}
	for _, dir := range hidden {
		kinds[dir] = hide
	}
	for _, path := range seen {
		path, err := filepath.EvalSymlinks(path)
		if err != nil || !filepath.IsAbs(path) || !within(path, append([]string{s.Scratch}, hidden...)) {
			continue
		}
		if st, err := os.Stat(path); err == nil && (st.IsDir() || st.Mode().IsRegular()) {
			kinds[path], files[path] = show, !st.IsDir()
		}
	}
	kinds[s.Scratch] = own
	list := make([]place, 0, len(kinds))
	for path, k := range kinds {
		list = append(list, place{path, k, files[path]})
	}
	slices.SortFunc(list, func(a, b place) int {
		if n := len(a.Path) - len(b.Path); n != 0 {
			return n
		}
		return strings.Compare(a.Path, b.Path)
	})
	return slices.DeleteFunc(list, func(p place) bool { return p.Kind == around(p.Path, kinds) })
}

// around is the kind of the place that path lies in.
func around(path string, kinds map[string]kind) kind {
	for path != "/" {
		path = filepath.Dir(path)
		if k, ok := kinds[path]; ok {
			return k
		}
	}
	return ""
}

func values(env, names []string) []string {
	var list []string
	for _, name := range names {
		if v := lookup(env, name); v != "" {
			list = append(list, v)
		}
	}
	return list
}

// contains reports whether path is dir or lies in it.
func contains(dir, path string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// within reports whether path is one of dirs, or lies in one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return contains(dir, path) })
}

// above reports whether path is one of dirs, or holds one.
func above(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return contains(path, dir) })
}

// repository finds what git needs beside dir: the top of the working tree, and
// for a linked working tree the repository it belongs to. Nothing is shown on
// the word of the project alone, as its .git file could name any directory.
func repository(dir string, hidden []string) []string {
	var list []string
	for top := dir; top != "/" && !above(top, hidden); top = filepath.Dir(top) {
		st, err := os.Stat(filepath.Join(top, ".git"))
		if err != nil {
			continue
		}
		list = append(list, top)
		if st.Mode().IsRegular() {
			list = append(list, linked(filepath.Join(top, ".git"))...)
		}
	}
	return list
}

// linked is the repository of a linked working tree, if that names it in return.
func linked(file string) []string {
	gitdir, ok := strings.CutPrefix(line(file), "gitdir: ")
	if !ok || !filepath.IsAbs(gitdir) {
		return nil
	}
	common := line(filepath.Join(gitdir, "commondir"))
	if common == "" || line(filepath.Join(gitdir, "gitdir")) != file {
		return nil
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitdir, common)
	}
	if filepath.Dir(filepath.Dir(gitdir)) != filepath.Clean(common) || line(filepath.Join(common, "HEAD")) == "" {
		return nil
	}
	return []string{common}
}

// line is the first line of a small file, or "".
func line(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 4096)
	n, _ := f.Read(buf)
	first, _, _ := strings.Cut(string(buf[:n]), "\n")
	return first
}
