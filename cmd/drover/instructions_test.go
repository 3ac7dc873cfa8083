package main

import (
	"os"
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
	got, err := instructions(filepath.Join(top, "config"), filepath.Join(top, "repo", "sub", "deep"))
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
	if none, err := instructions(filepath.Join(top, "nowhere"), filepath.Join(top, "repo", ".git")); err != nil || !strings.Contains(none, "ROOT") {
		t.Errorf("%q, %v", none, err)
	}
	if err := os.Mkdir(filepath.Join(top, "repo", "sub", "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := instructions(top, filepath.Join(top, "repo", "sub")); err == nil {
		t.Error("a directory is no file of instructions")
	}
}
