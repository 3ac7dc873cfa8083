package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"drover/core"
)

const globMax = 500

type globFiles struct{ def }

func (t globFiles) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "pattern")), subjectBytes)
}

func (t globFiles) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Pattern, Path string
		Newest        bool
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	if fault := globFault(a.Pattern); fault != "" {
		return failed("the pattern %s is not valid: %s", quoted(cut(a.Pattern, 200)), fault), nil
	}
	root, pattern := absolute(env.Dir, a.Path), strings.TrimPrefix(a.Pattern, "./")
	if filepath.IsAbs(pattern) {
		var base string
		base, pattern = doublestar.SplitPattern(filepath.Clean(pattern))
		root = filepath.Clean(base)
	}
	if !isDir(root) {
		return failed("cannot search %s: it is not a directory%s", shown(env.Dir, root), near(env.Dir, root)), nil
	}
	files, full, err := tree(ctx, env, root)
	if err != nil {
		return core.ToolResult{}, err
	}
	hits, err := match(ctx, root, pattern, files, a.Newest)
	if err != nil {
		return core.ToolResult{}, err
	}
	return globResult(env.Dir, root, pattern, files, hits, full), nil
}

// globFault says what is wrong with a pattern, or "". Matching tries each way
// to read braces, so there may be few of them.
func globFault(pattern string) string {
	switch {
	case len(pattern) > 1000:
		return "it is too long"
	case strings.Count(pattern, "{") > 6 || strings.Count(pattern, ",") > 60:
		return "it has too many braces or choices"
	case strings.Count(pattern, "*") > 24:
		return "it has too many stars"
	case !doublestar.ValidatePattern(pattern):
		return "a bracket or brace is not closed"
	}
	return ""
}

func match(ctx context.Context, root, pattern string, files []string, newest bool) ([]string, error) {
	type hit struct {
		path string
		time time.Time
	}
	var hits []hit
	for _, name := range files {
		if ok, _ := doublestar.Match(pattern, name); !ok { // the pattern was checked
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(root, name)
		info, err := os.Lstat(path)
		if err != nil || info.IsDir() {
			continue // git also names what was deleted, and other repositories inside
		}
		hits = append(hits, hit{path, info.ModTime()})
	}
	if newest {
		slices.SortStableFunc(hits, func(a, b hit) int { return b.time.Compare(a.time) })
	}
	paths := make([]string, len(hits))
	for i, h := range hits {
		paths[i] = h.path
	}
	return paths, nil
}

func globResult(dir, root, pattern string, files, hits []string, full bool) core.ToolResult {
	var b strings.Builder
	for _, path := range hits[:min(len(hits), globMax)] {
		b.WriteString(shown(dir, path) + "\n")
	}
	if len(hits) > globMax {
		fmt.Fprintf(&b, "(%d more left out; narrow the pattern)\n", len(hits)-globMax)
	}
	if full {
		fmt.Fprintf(&b, "(only the first %d files of %s were looked at)\n", treeMax, shown(dir, root))
	}
	if len(hits) == 0 {
		fmt.Fprintf(&b, "(no file matches %s in %s; %s looked at)\n", quoted(pattern), shown(dir, root), plural(len(files), "file"))
		if deep := "**/" + pattern; !strings.Contains(pattern, "**") {
			n := 0
			for _, name := range files {
				if ok, _ := doublestar.Match(deep, name); ok {
					n++
				}
			}
			if n > 0 {
				fmt.Fprintf(&b, "(%s would match %s)\n", quoted(deep), plural(n, "file"))
			}
		}
	}
	return done(b.String())
}
