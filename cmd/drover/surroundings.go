package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

// dirtyWithin is how long git may take to look for changes: the prompt waits for it.
const dirtyWithin = 400 * time.Millisecond

// surroundings tells the main agent of the repository that dir lies in, as the
// session begins: it is read once, so that the prompt stays the same.
func surroundings(ctx context.Context, dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		at := filepath.Join(d, ".git")
		if info, err := os.Stat(at); err == nil {
			text := "\n\n## The repository, as this session begins\n\n- root: " + core.CleanLine(d)
			if branch := branchOf(at, info.IsDir()); branch != "" {
				text += "\n- " + branch
			}
			if state := changes(ctx, dir); state != "" {
				text += "\n- " + state
			}
			return text
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// surroundingsOfThis asks for the surroundings of the working directory while
// the rest is opened: git takes as long. Leave waits for the end of it.
func surroundingsOfThis(ctx context.Context) (around func() string, leave func()) {
	ctx, stop := context.WithCancel(ctx)
	text, done := "", make(chan struct{})
	go func() {
		defer close(done)
		if dir, err := os.Getwd(); err == nil { // else the session cannot begin either, and says so
			text = surroundings(ctx, dir)
		}
	}()
	return func() string { <-done; return text }, func() { stop(); <-done }
}

// branchOf reads what is checked out, without git: "" where it cannot be told.
func branchOf(at string, isDir bool) string {
	if !isDir { // a worktree or a submodule
		link, err := readInstructions(at)
		path, ok := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
		if err != nil || !ok {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(at), path)
		}
		at = path
	}
	head, err := readInstructions(filepath.Join(at, "HEAD"))
	if err != nil {
		return ""
	}
	head = core.CleanLine(strings.TrimSpace(head))
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		return "git branch: " + core.Short(strings.TrimPrefix(ref, "refs/heads/"), 100)
	}
	return "git: no branch, detached at " + core.Short(head, 12)
}

// changes asks git whether there are uncommitted ones; "" where it does not say
// in time. A repository can name programs for git to run, so git is confined: it
// reads, writes nothing and reaches nobody.
func changes(ctx context.Context, dir string) string {
	scratch, err := os.MkdirTemp("", "drover-git-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(scratch)
	ctx, stop := context.WithTimeout(ctx, dirtyWithin)
	defer stop()
	files := 0
	exit, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: dir, Argv: []string{"git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status", "--porcelain"},
		ReadOnly: true, NoNet: true, Weak: true, Scratch: scratch, Grace: 100 * time.Millisecond,
		Output: func(b []byte) { files += strings.Count(string(b), "\n") }, Stderr: func([]byte) {},
	})
	switch {
	case err != nil || exit.Code != 0:
		return ""
	case files == 0:
		return "no uncommitted changes"
	case files == 1:
		return "uncommitted changes in 1 file"
	}
	return fmt.Sprintf("uncommitted changes in %d files", files)
}
