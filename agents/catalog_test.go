package agents

import (
	"context"
	"slices"
	"strings"
	"testing"

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
