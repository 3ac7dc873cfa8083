package tool

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"drover/core"
)

const (
	noteBytes  = 64 << 10 // of one note: it is read by a model, whole
	notesMost  = 200      // of one project
	notesShown = 100
	memoryWait = 5 * time.Second // for another process that writes just now
)

var noteName = pattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// Memory makes the tools for the notes that a person keeps about each project,
// as Markdown files in a directory a project under dir. Nobody is asked before
// a note is written: they are drover's own, and no program runs them.
func Memory(dir string) []core.Tool {
	m := memory{dir}
	write := func(name string, again bool) def {
		d := define(name, core.Steers)
		d.spec.Again = again
		return d
	}
	return []core.Tool{
		memoryList{define("memory_list", core.Reads), m}, memoryRead{define("memory_read", core.Reads), m},
		memoryWrite{write("memory_write", true), m}, memoryPatch{write("memory_patch", false), m}, memoryAppend{write("memory_append", false), m},
	}
}

type memory struct{ dir string }

// open opens the notes of the project in dir. It is nil without an error where
// there are none yet and none are to be made.
func (m memory) open(dir string, create bool) (*os.Root, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("the working directory: %w", err)
	}
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(real))
	sum := sha256.Sum256([]byte(real))
	path := filepath.Join(m.dir, slug[:min(len(slug), 40)]+"-"+hex.EncodeToString(sum[:6]))
	if create {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("make the directory of the notes: %w", err)
		}
	}
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the notes: %w", err)
	}
	return root, nil
}

// noteFile is the file of a name, or a refusal.
func noteFile(name string) (file, refusal string) {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".md")
	if !noteName().MatchString(name) || strings.Contains(name, "..") {
		return "", fmt.Sprintf("%s is no name of a note: letters, digits, - _ and . are, up to 80, without directories", quoted(cut(name, 60)))
	}
	return name + ".md", ""
}

// read gives a note's text; a refusal where there is none that can be read.
func readNote(root *os.Root, file string) (text, refusal string) {
	info, err := root.Lstat(file)
	switch {
	case err != nil:
		return "", reason(err)
	case !info.Mode().IsRegular():
		return "", "it is " + kind(info.Mode()) + ", not a file"
	case info.Size() > 4*noteBytes:
		return "", fmt.Sprintf("it has %s; %s is the most", size(info.Size()), size(noteBytes))
	}
	b, err := root.ReadFile(file)
	if err != nil {
		return "", reason(err)
	}
	return core.Clean(string(b)), ""
}

type memoryList struct {
	def
	m memory
}

func (t memoryList) Subject(json.RawMessage) string { return "" }

func (t memoryList) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	root, err := t.m.open(env.Dir, false)
	if err != nil {
		return core.ToolResult{}, err
	}
	var b strings.Builder
	n := 0
	if root != nil {
		defer root.Close()
		notes, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return core.ToolResult{}, fmt.Errorf("list the notes: %w", err)
		}
		for _, e := range notes {
			if file, refusal := noteFile(e.Name()); refusal != "" || file != e.Name() || !e.Type().IsRegular() {
				continue
			}
			if n++; n <= notesShown {
				b.WriteString(noteLine(root, e))
			}
		}
	}
	switch {
	case n == 0:
		return done("no notes are kept about this project yet"), ctx.Err()
	case n > notesShown:
		fmt.Fprintf(&b, "(%d more)\n", n-notesShown)
	}
	return done(b.String()), ctx.Err()
}

func noteLine(root *os.Root, e fs.DirEntry) string {
	name := strings.TrimSuffix(e.Name(), ".md")
	info, err := e.Info()
	if err != nil {
		return "- " + name + "\n"
	}
	text, refusal := readNote(root, e.Name())
	if refusal != "" {
		text = "(" + refusal + ")"
	}
	first, _, _ := strings.Cut(strings.TrimLeft(text, "# \n"), "\n")
	return fmt.Sprintf("- %s (%s, %s): %s\n", name, size(info.Size()), info.ModTime().Format(time.DateOnly), cut(core.CleanLine(first), 120))
}

type memoryRead struct {
	def
	m memory
}

func (t memoryRead) Subject(args json.RawMessage) string { return noteSubject(args) }

func noteSubject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "name")), subjectBytes)
}

func (t memoryRead) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Name string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	file, refusal := noteFile(a.Name)
	if refusal != "" {
		return failed("memory_read: %s", refusal), nil
	}
	root, err := t.m.open(env.Dir, false)
	switch {
	case err != nil:
		return core.ToolResult{}, err
	case root == nil:
		return failed("no notes are kept about this project yet"), nil
	}
	defer root.Close()
	text, refusal := readNote(root, file)
	switch {
	case refusal != "":
		return failed("cannot read the note %s: %s", a.Name, refusal), nil
	case text == "":
		return done("(the note is empty)"), ctx.Err()
	}
	return kept(env, "note", text), ctx.Err()
}

type memoryWrite struct {
	def
	m memory
}

func (t memoryWrite) Subject(args json.RawMessage) string { return noteSubject(args) }

func (t memoryWrite) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Name, Content string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	return t.m.change(ctx, env, a.Name, func(string, bool) (string, string) { return a.Content, "" })
}

type memoryPatch struct {
	def
	m memory
}

func (t memoryPatch) Subject(args json.RawMessage) string { return noteSubject(args) }

func (t memoryPatch) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Name string
		Old  string `json:"old_text"`
		New  string `json:"new_text"`
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	return t.m.change(ctx, env, a.Name, func(old string, is bool) (string, string) {
		switch n := strings.Count(old, a.Old); {
		case !is:
			return "", "there is no such note"
		case n == 0:
			return "", "old_text does not occur in it; read it again"
		case n > 1:
			return "", fmt.Sprintf("old_text occurs %d times; give more of its surroundings", n)
		}
		return strings.Replace(old, a.Old, a.New, 1), ""
	})
}

type memoryAppend struct {
	def
	m memory
}

func (t memoryAppend) Subject(args json.RawMessage) string { return noteSubject(args) }

func (t memoryAppend) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Name, Content string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	return t.m.change(ctx, env, a.Name, func(old string, _ bool) (string, string) { return endLine(old) + endLine(a.Content), "" })
}

// change makes a note's new text of its old one, while no other process does.
// The new text stands there whole or not at all.
func (m memory) change(ctx context.Context, env core.ToolEnv, name string, f func(old string, is bool) (text, refusal string)) (core.ToolResult, error) {
	file, refusal := noteFile(name)
	if refusal != "" {
		return failed("%s", refusal), nil
	}
	root, err := m.open(env.Dir, true)
	if err != nil {
		return core.ToolResult{}, err
	}
	defer root.Close()
	unlock, err := lockNotes(ctx, root)
	if err != nil {
		return core.ToolResult{}, err
	}
	defer unlock()
	old, refusal := readNote(root, file)
	is := refusal == ""
	if _, err := root.Lstat(file); err == nil && !is {
		return failed("cannot change the note %s: %s", name, refusal), nil
	}
	text, refusal := f(old, is)
	text = valid(text)
	notes, err := fs.ReadDir(root.FS(), ".")
	switch {
	case err != nil:
		return core.ToolResult{}, fmt.Errorf("list the notes: %w", err)
	case refusal != "":
		return failed("cannot change the note %s: %s", name, refusal), nil
	case len(text) > noteBytes:
		return failed("the note %s would have %s; %s is the most. Keep what still matters, or begin another", name, size(int64(len(text))), size(noteBytes)), nil
	case !is && len(notes) >= notesMost:
		return failed("this project has %d notes already, which is the most; add to one of them", len(notes)), nil
	}
	temp := ".new-" + rand.Text()
	if err = root.WriteFile(temp, []byte(text), 0o600); err == nil {
		err = root.Rename(temp, file)
	}
	if err != nil {
		_ = root.Remove(temp) // the error says more
		return failed("cannot write the note %s: %s", name, reason(err)), nil
	}
	what := "wrote"
	if is {
		what = "changed"
	}
	return done(fmt.Sprintf("%s the note %s, %s", what, strings.TrimSuffix(file, ".md"), plural(lineCount(text), "line"))), nil
}

// lockNotes keeps other processes from changing the same notes. The kernel
// gives the lock back when its holder dies.
func lockNotes(ctx context.Context, root *os.Root) (unlock func(), err error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("lock the notes: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // nothing was written through it
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("another process keeps the notes locked: %w", ctx.Err()), f.Close())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
