package tool

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

const (
	treeMax = 200_000          // files of one search
	gitTime = 20 * time.Second // for git to name a repository's files
)

// skipped directories hold what others wrote or what is made anew; a search
// goes into one only when it is named.
var skipped = map[string]bool{
	".git": true, ".hg": true, ".svn": true, "node_modules": true, "bower_components": true, "vendor": true, "__pycache__": true,
	".venv": true, "venv": true, ".tox": true, ".mypy_cache": true, ".pytest_cache": true, ".gradle": true, ".terraform": true,
}

// tree names the files below root, relative to it, in order, without what git
// ignores. full reports whether there were more than treeMax.
func tree(ctx context.Context, env core.ToolEnv, root string) (files []string, full bool, err error) {
	if inRepository(root) {
		files, err = gitFiles(ctx, env, root)
		if err != nil {
			return nil, false, err
		}
	}
	if len(files) == 0 { // no repository, git does not want to, or root is ignored itself
		if files, err = walk(ctx, root); err != nil {
			return nil, false, err
		}
	}
	if full = len(files) > treeMax; full {
		files = files[:treeMax]
	}
	return files, full, nil
}

// Files names the files below dir, relative to it, in order, without what git
// ignores; at most that many.
func Files(ctx context.Context, dir string, most int) ([]string, error) {
	files, _, err := tree(ctx, core.ToolEnv{TaskInfo: core.TaskInfo{Dir: dir}}, dir)
	return files[:min(len(files), most)], err
}

func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if filepath.Base(dir) == ".git" || dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// gitFiles asks git, which alone knows the rules of ignoring. A repository may
// be hostile: nothing that its configuration names is run. The error is ctx's
// only; where git fails there are no files.
func gitFiles(ctx context.Context, env core.ToolEnv, root string) ([]string, error) {
	short, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	var out bytes.Buffer
	exit, err := sandbox.Run(short, sandbox.Spec{
		Dir: root, Session: env.Session, Task: env.Task,
		Env: append(sandbox.Environ(os.Environ()), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"),
		Argv: []string{
			"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "--no-optional-locks",
			"ls-files", "-co", "--exclude-standard", "-z",
		},
		Output: func(b []byte) { out.Write(b) },
		Stderr: func([]byte) {},
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || exit.Code != 0 {
		return nil, nil
	}
	files := strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
	if files[0] == "" {
		return nil, nil
	}
	slices.Sort(files)
	return slices.Compact(files), nil // an unmerged file is named once a side
}

// walk names the files without git. Links are named, never followed, so no loop can catch it.
func walk(ctx context.Context, root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil // unreadable: what can be seen is searched
		}
		if e.IsDir() {
			if path != root && skipped[e.Name()] {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if files = append(files, rel); len(files) > treeMax {
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	slices.Sort(files)
	return files, err
}
