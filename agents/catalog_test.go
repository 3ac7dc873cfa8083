package agents

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

func TestBundledAgentsAreSound(t *testing.T) {
	c, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.List(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range list {
		for _, n := range append([]string{a.Name}, a.Aliases...) {
			if seen[n] {
				t.Errorf("%q names two agents", n)
			}
			seen[n] = true
		}
		if strings.ContainsAny(a.Description, "\n") || len(a.Description) > 160 {
			t.Errorf("%s: the description is one line a model can choose by, not %d bytes", a.Name, len(a.Description))
		}
		for _, w := range []string{"write_file", "edit_file", "delete_file", "move_file", "set_env", "http_post", "task"} /* its shell is behind the kernel's wall */ {
			if a.ReadOnly && (a.Tools == nil || slices.Contains(a.Tools, w)) {
				t.Errorf("%s is read-only and has %s", a.Name, w)
			}
		}
	}
}

func TestFind(t *testing.T) {
	c, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"explore": "explore", "explorer": "explore", "code-review": "review", "main": "main"} {
		if a, err := c.Find(context.Background(), "", name); err != nil || a.Name != want {
			t.Errorf("Find(%q) = %q, %v; want %q", name, a.Name, err, want)
		}
	}
	_, err = c.Find(context.Background(), "", "EXPLORE")
	if core.CodeOf(err) != core.CodeUnknownAgent || !strings.Contains(core.HintOf(err), "general-purpose") {
		t.Errorf("an unknown name is answered with the names there are, got %v (%s)", err, core.HintOf(err))
	}
}

// Where a host lets a look rest, a step that starts many agents looks at the
// files once, and the next step finds what was written in between.
func TestLooksRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, looks := t.TempDir(), 0
		c := Open(Options{Trusted: func(string, string) bool { return true }, Refresh: func(context.Context) error { looks++; return nil }})
		c.Rest(2 * time.Millisecond)
		for range 64 {
			if _, err := c.Find(t.Context(), dir, "explore"); err != nil {
				t.Fatal(err)
			}
		}
		if looks != 1 {
			t.Errorf("64 starts looked %d times", looks)
		}
		name := filepath.Join(dir, ".claude", "agents", "tailor.md")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("---\nname: tailor\ndescription: Sews.\n---\nSew.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
		if a, err := c.Find(t.Context(), dir, "tailor"); err != nil || a.Name != "tailor" || looks != 2 {
			t.Errorf("after the rest: %q, %v, %d looks", a.Name, err, looks)
		}
	})
}
