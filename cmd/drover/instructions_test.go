package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstructions(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("AGENTS.md", "ABOVE")
	write("config/AGENTS.md", "MINE")
	write("repo/.git/HEAD", "")
	write("repo/AGENTS.md", "ROOT \x1b[2J\u202e")
	write("repo/sub/deep/AGENTS.md", "NEAR "+strings.Repeat("x", mostInstructions))
	got, err := instructions(filepath.Join(top, "config"), filepath.Join(top, "repo", "sub", "deep"), []string{"AGENTS.md"})
	if err != nil {
		t.Fatal(err)
	}
	mine, root, near, marker := strings.Index(got, "MINE"), strings.Index(got, "ROOT"), strings.Index(got, "NEAR"), strings.Index(got, "[cut: only the first 32 KiB")
	if mine < 0 || root < mine || near < root || marker < near {
		t.Errorf("order: %d %d %d %d", mine, root, near, marker)
	}
	if strings.ContainsAny(got, "\x1b\u202e") || strings.Contains(got, "ABOVE") {
		t.Error("an escape sequence, or a file from above the repository, is in it")
	}
	if none, err := instructions(filepath.Join(top, "nowhere"), filepath.Join(top, "repo", ".git"), []string{"AGENTS.md"}); err != nil || !strings.Contains(none, "ROOT") {
		t.Errorf("%q, %v", none, err)
	}
	if err := os.Mkdir(filepath.Join(top, "repo", "sub", "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := instructions(top, filepath.Join(top, "repo", "sub"), []string{"AGENTS.md"}); err == nil {
		t.Error("a directory is no file of instructions")
	}
}

// Files of other programs are read where they are named, the same words once.
func TestInstructionsOfOthers(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{"AGENTS.md": "SAME", "CLAUDE.md": "SAME\n", "GEMINI.md": "G", ".github/copilot-instructions.md": "C"} {
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := instructions(filepath.Join(top, "none"), top, []string{".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md"})
	if err != nil {
		t.Fatal(err)
	}
	if c, a := strings.Index(got, "\nC"), strings.Index(got, "SAME"); c < 0 || a < c || strings.Count(got, "SAME") != 1 || strings.Contains(got, "GEMINI") {
		t.Error(got)
	}
	if got, err := instructions(top, top, nil); err != nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSurroundings(t *testing.T) {
	top := t.TempDir()
	if got := surroundings(t.Context(), top); got != "" {
		t.Errorf("no repository: %q", got)
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.git/HEAD", "ref: refs/heads/fix/\x1b[2Jvat\n")
	write("repo/sub/file", "")
	write("tree/.git", "gitdir: ../repo/.git/worktrees/tree\n")
	write("repo/.git/worktrees/tree/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	write("odd/.git", "what is this")
	for dir, want := range map[string]string{"repo/sub": "git branch: fix/", "tree": "detached at 0123456789a", "odd": "root: "} {
		got := surroundings(t.Context(), filepath.Join(top, dir))
		if !strings.Contains(got, want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", dir, got)
		}
	}
}

// A repository's own programs do not get to do anything when git looks at it.
func TestSurroundingsOfHostileRepository(t *testing.T) {
	top := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@test"}, args...)...)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	git("init", "-q", "-b", "main")
	if err := os.WriteFile(filepath.Join(top, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-qm", "one")
	if got := surroundings(t.Context(), top); !strings.Contains(got, "git branch: main") || !strings.Contains(got, "no uncommitted changes") {
		t.Errorf("clean: %q", got)
	}
	stain := filepath.Join(top, "stain")
	git("config", "filter.bad.clean", "touch "+stain+"; cat")
	if err := os.WriteFile(filepath.Join(top, ".gitattributes"), []byte("* filter=bad\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "a.txt"), []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := surroundings(t.Context(), top); !strings.Contains(got, "uncommitted changes in 2 files") {
		t.Errorf("changed: %q", got)
	}
	if _, err := os.Stat(stain); err == nil {
		t.Error("the repository's filter has written a file")
	}
}
