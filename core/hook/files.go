package hook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// largest is the size of a file that is read, in bytes.
const largest = 1 << 20

// young is the age below which a file's time does not tell whether it has changed.
const young = 2 * time.Second

// place is one file that may hold hooks.
type place struct {
	path    string
	name    string // for people: from the root, or from the home
	root    string // "" for the person's own
	dialect Dialect
}

// cached is a file as it was read.
type cached struct {
	info fs.FileInfo
	sure bool // it was old enough that a change will show
	parsed
}

// parents are the directories from dir up to the top of its repository. The
// home is none of them: what lies there is the person's.
func (s *Set) parents(dir string) []string {
	var all []string
	for d := filepath.Clean(dir); d != s.o.Home; d = filepath.Dir(d) {
		all = append(all, d)
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil || d == filepath.Dir(d) {
			break
		}
	}
	return all
}

// top is the top of the repository that dir lies in, dir itself where there is none.
func (s *Set) top(dir string) string {
	up := s.parents(dir)
	if len(up) > 0 {
		if last := up[len(up)-1]; last != filepath.Dir(last) {
			return last
		}
	}
	return dir
}

// places lists the files that count in dir, in order. Of a project's, the nearest of each kind does.
func (s *Set) places(dir string) []place {
	var all []place
	if s.o.Home != "" {
		all = append(all, place{filepath.Join(s.o.Home, ".claude/settings.json"), "~/.claude/settings.json", "", Claude})
		all = append(all, s.folder(filepath.Join(s.o.Home, ".copilot/hooks"), "~/.copilot/hooks", "")...)
	}
	up := s.parents(dir)
	for _, rel := range []string{".claude/settings.json", ".claude/settings.local.json"} {
		for _, d := range up {
			if path := filepath.Join(d, rel); exists(path) {
				all = append(all, place{path, rel, d, Claude})
				break
			}
		}
	}
	for _, d := range up {
		if path := filepath.Join(d, ".github/hooks"); exists(path) {
			return append(all, s.folder(path, ".github/hooks", d)...)
		}
	}
	return all
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// folder lists the files of a directory of Copilot's, by name. A directory
// that cannot be listed is a file that cannot be read.
func (s *Set) folder(path, name, root string) []place {
	list, err := os.ReadDir(path)
	if err != nil && !missing(err) {
		return []place{{path, name, root, Copilot}}
	}
	var all []place
	for _, f := range list {
		if strings.HasSuffix(f.Name(), ".json") && !strings.HasPrefix(f.Name(), ".") {
			all = append(all, place{filepath.Join(path, f.Name()), name + "/" + f.Name(), root, Copilot})
		}
	}
	return all
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// read is what a file says, from memory if the file has not changed.
func (s *Set) read(p place) parsed {
	info, err := os.Stat(p.path)
	if missing(err) {
		return parsed{}
	}
	key := p.root + "\x00" + p.path
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.files[key]
	if ok && err == nil && old.sure && same(old.info, info) {
		return parsed{slices.Clone(old.hooks), old.off}
	}
	var raw []byte
	if err == nil {
		raw, info, err = load(p.path)
	}
	if err != nil {
		h := Hook{Name: p.name, Dialect: p.dialect, Path: p.path, Root: p.root}
		h.fault("it cannot be read: %v", cause(err))
		return parsed{hooks: []Hook{h}}
	}
	c := cached{info: info, sure: time.Since(info.ModTime()) > young, parsed: parse(p, raw)}
	s.files[key] = c
	return parsed{slices.Clone(c.hooks), c.off}
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// load reads a regular file of a bearable size, and never waits for anything else.
func load(path string) (raw []byte, info fs.FileInfo, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("it is no regular file")
	}
	raw, err = io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(raw) > largest {
		err = fmt.Errorf("it is larger than %d KiB", largest>>10)
	}
	return raw, info, err
}

// cause is an error of the file system without its path, which the name tells.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Missing says why the hook's command cannot be started from dir, where that
// can be seen without running it; "" otherwise. path is where programs are.
func (s *Set) Missing(h Hook, dir, path string) string {
	where, project := h.where(dir), first(h.Root, s.top(dir))
	if info, err := os.Stat(where); err != nil || !info.IsDir() {
		return "its directory " + where + " does not exist"
	}
	program := h.Shell
	if h.Args != nil {
		program = h.argv(project)[0]
	} else if word, _, _ := strings.Cut(inProject(h.Command, project), " "); strings.Contains(word, "/") && !strings.ContainsAny(word, "$`'\"\\~*?[]{}()<>|&;=\n\t#") {
		program = word // the shell would start just that
	}
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(where, program)
		}
		return cannotRun(program)
	}
	for _, d := range filepath.SplitList(path) {
		if cannotRun(filepath.Join(d, program)) == "" {
			return ""
		}
	}
	return "there is no program " + program
}

// inProject puts the project's folder where a line for the shell begins with it, as most of Claude's do.
func inProject(line, project string) string {
	line = strings.TrimSpace(line)
	for _, form := range []string{`"$CLAUDE_PROJECT_DIR"/`, `$CLAUDE_PROJECT_DIR/`, `${CLAUDE_PROJECT_DIR}/`, `"${CLAUDE_PROJECT_DIR}"/`} {
		if rest, ok := strings.CutPrefix(line, form); ok {
			return project + "/" + rest
		}
	}
	return line
}

func cannotRun(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return path + ": " + cause(err).Error()
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return path + " is no executable file"
	}
	return ""
}
