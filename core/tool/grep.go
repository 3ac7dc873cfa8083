package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"drover/core"
)

const (
	grepMax      = 200      // matching lines shown, unless told otherwise
	grepBytes    = 40 << 10 // of one answer
	grepFile     = 32 << 20 // larger files are not searched
	grepLine     = 300      // bytes shown of a line
	grepWorkers  = 8
	subjectBytes = 500
)

type grepFiles struct{ def }

type grepArgs struct {
	Pattern    string
	Path       string
	Glob       string
	IgnoreCase bool `json:"ignore_case"`
	Literal    bool
	Context    int
	Limit      int
}

func (t grepFiles) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "pattern")), subjectBytes)
}

// Run flows: names of the files → workers, a file each → hits in the order of
// the names → text up to the caps, with a count of what was left out.
func (t grepFiles) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a grepArgs
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	s, refusal := newSearch(a)
	if refusal != "" {
		return failed("%s", refusal), nil
	}
	s.own = guardOf(env)
	root := absolute(env.Dir, a.Path)
	info, err := os.Stat(root)
	if err != nil {
		return failed("cannot search %s: %s%s", shown(env.Dir, root), reason(err), near(env.Dir, root)), nil
	}
	paths, full := []string{root}, false
	if info.IsDir() {
		names, more, err := tree(ctx, env, root)
		if err != nil {
			return core.ToolResult{}, err
		}
		paths, full = under(root, names, a.Glob), more
	} else if f, _, refusal := s.own.openFile(root, 0); refusal != "" {
		return failed("cannot search %s: %s", shown(env.Dir, root), refusal), nil
	} else {
		_ = f.Close() // it can be read
		s.named = true
	}
	found, err := s.files(ctx, paths)
	if err != nil {
		return core.ToolResult{}, err
	}
	r := grepReport{dir: env.Dir, limit: s.limit, context: a.Context}
	for i := range found {
		r.add(paths[i], &found[i])
	}
	return done(r.end(a.Pattern, len(paths), full)), nil
}

// under joins names to root, those only that fit the glob. A glob without a
// slash is for the last part of the name.
func under(root string, names []string, glob string) []string {
	paths := make([]string, 0, len(names))
	for _, name := range names {
		part := name
		if !strings.Contains(glob, "/") {
			part = filepath.Base(name)
		}
		if ok, _ := doublestar.Match(glob, part); ok || glob == "" {
			paths = append(paths, filepath.Join(root, name))
		}
	}
	return paths
}

// search is a pattern made ready.
type search struct {
	re      *regexp.Regexp
	literal []byte // every match holds it; nil: nothing is known
	fold    bool   // literal is in lower case, and case does not count
	context int
	limit   int
	named   bool // one file that was asked for by name
	own     guard
}

func newSearch(a grepArgs) (*search, string) {
	pattern := a.Pattern
	if a.Literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if a.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		why := "it is too large"
		if e, ok := err.(*syntax.Error); ok {
			why = e.Code.String()
		}
		return nil, fmt.Sprintf("the pattern %s is not valid: %s; escape it, or set literal", quoted(cut(a.Pattern, 200)), why)
	}
	if fault := globFault(a.Glob); fault != "" {
		return nil, fmt.Sprintf("the glob %s is not valid: %s", quoted(cut(a.Glob, 200)), fault)
	}
	s := &search{re: re, context: a.Context, limit: a.Limit}
	if s.limit == 0 {
		s.limit = grepMax
	}
	if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		text, fold := required(tree.Simplify())
		s.literal, s.fold = []byte(text), fold
	}
	return s, ""
}

// required is the longest text that every match must hold; with fold it is in
// lower case, pure ASCII, and stands for any case.
func required(re *syntax.Regexp) (text string, fold bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text = string(re.Rune)
		if re.Flags&syntax.FoldCase == 0 {
			return text, false
		}
		text = strings.ToLower(text)
		if strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) >= 0 {
			return "", false
		}
		return text, true
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if t, f := required(sub); len(t) > len(text) {
				text, fold = t, f
			}
		}
	}
	return text, fold
}

// fileHits is what a file gave.
type fileHits struct {
	hits  []hit
	count int // of matching lines, those not kept included
	note  string
}

// files searches the files, several at a time. The result has their order.
func (s *search) files(ctx context.Context, paths []string) ([]fileHits, error) {
	found := make([]fileHits, len(paths))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(grepWorkers, runtime.GOMAXPROCS(0), len(paths)) {
		all.Go(func() {
			w := worker{search: s}
			for i := int(next.Add(1)) - 1; i < len(paths) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				found[i] = w.file(ctx, paths[i])
			}
		})
	}
	all.Wait()
	return found, ctx.Err()
}

// file searches one file. What cannot be read is no error in a search of many.
func (w *worker) file(ctx context.Context, path string) fileHits {
	flags := syscall.O_NOFOLLOW // what a link leads to is found where it lies
	if w.named {
		flags = 0
	}
	f, info, refusal := w.own.openFile(path, flags)
	if refusal != "" {
		return fileHits{}
	}
	defer f.Close()
	if info.Size() > grepFile {
		return fileHits{note: "not searched, it has " + size(info.Size())}
	}
	text, binary, err := w.load(f, info.Size())
	switch {
	case err != nil:
		return fileHits{note: "not searched: " + reason(err)}
	case binary && w.named:
		return fileHits{note: "not searched, it is binary"}
	case binary:
		return fileHits{}
	}
	return w.scan(ctx, text)
}
