package offline

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drover/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var shop = map[string]string{
	"README.md":            "# Shop\n\nSells things and takes coupons.\n",
	"go.mod":               "module shop\n",
	"cmd/shop/main.go":     "package main\n\nfunc main() {\n\t// TODO: read the flags\n}\n",
	"cart/total.go":        "package cart\n\n// Total adds the prices and takes the coupon off.\nfunc Total(prices []int, coupon int) int {\n\treturn 0 // FIXME coupon\n}\n",
	"cart/total_test.go":   "package cart\n\nfunc TestTotal(t *testing.T) {}\n",
	"store/schema.sql":     "create table coupons (code text);\n",
	"store/store.go":       "package store\n\ntype Store struct{}\n\nfunc Open() *Store { return nil }\n",
	"vendor/x/x.go":        "package x\n",
	"docs/notes, old.md":   "coupon ideas\n",
	"store/with space.txt": "words\n",
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", file, got)
	}
}

// story is a transcript as a person would read it.
func story(msgs []core.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		switch m.Role {
		case core.RoleUser:
			fmt.Fprintf(&b, "=== %s\n%s\n", m.Sender, m.Text)
		case core.RoleAssistant:
			fmt.Fprintf(&b, "=== model\n%s\n", m.Text)
			for _, c := range m.Calls {
				fmt.Fprintf(&b, "--> %s %s %s\n", c.ID, c.Name, c.Args)
			}
		case core.RoleTool:
			fmt.Fprintf(&b, "<-- %s %s\n", m.CallID, strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    "))
		}
	}
	return b.String()
}

func TestSurvey(t *testing.T) {
	w := newWorld(t, shop)
	first := w.send("user", "Add coupon support to the cart")
	if !interim(first) || !strings.Contains(first, "explore-cart") {
		t.Fatalf("the first turn should end in a word of waiting, got %q", first)
	}
	all := w.notices
	w.notices = all[:1]
	if text := w.deliver(); !interim(text) {
		t.Fatalf("with one report of several it should wait on, got %q", text)
	}
	w.notices = all[1:]
	report := w.deliver()
	for _, want := range []string{"# Survey of shop", "10 files", "| Go | 5 |", "### cart", "`cart/total.go:3`", "`cmd/shop/main.go:4`", "`cart/total_test.go`", "entry point `cmd/shop/main.go:3`", "not a language model"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	golden(t, "survey.md", story(w.main().msgs))
	golden(t, "explore.md", story(w.tasks["k1vqd"].msgs))
}

func TestSurveyCompletesInAutopilot(t *testing.T) {
	w := newWorld(t, shop)
	w.main().tools = autoTools
	w.send("user", "Add coupon support")
	got := w.deliver()
	if w.main().done != "done" || !strings.HasPrefix(got, "Surveyed shop: 10 files") {
		t.Errorf("outcome %q, answer %q", w.main().done, got)
	}
}

func TestSmallDirectories(t *testing.T) {
	for name, c := range map[string]struct {
		files    map[string]string
		children int
	}{
		"empty":         {nil, 0},
		"one file":      {map[string]string{"a.go": "package a\n"}, 1},
		"one dir":       {map[string]string{"src/a.go": "package a\n"}, 1},
		"all in one":    {map[string]string{"src/a/a.go": "package a\n", "src/b/b.go": "package b\n"}, 2},
		"same base":     {map[string]string{"a b/x.go": "package a\n", "a-b/x.go": "package b\n"}, 2},
		"five":          {map[string]string{"a/x.go": "", "b/x.go": "", "c/x.go": "", "d/x.go": "", "e/x.go": ""}, 4},
		"vendored only": {map[string]string{"vendor/x.go": "package a\n"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.files)
			text := w.send("user", "what is this")
			if c.children > 0 {
				text = w.deliver()
			}
			if got := len(w.tasks) - 1; got != c.children {
				t.Errorf("started %d agents, want %d", got, c.children)
			}
			if !strings.HasPrefix(text, "# Survey of shop") {
				t.Errorf("no report: %q", text)
			}
		})
	}
}

func TestSurveyWithoutTools(t *testing.T) {
	w := newWorld(t, shop)
	w.main().tools = nil
	text := w.send("user", "Add coupon support")
	for _, want := range []string{"# Survey of shop", "could not", "Not offered to me here", toolGlob} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if w.calls != 0 {
		t.Errorf("made %d calls", w.calls)
	}
}

// A message during a survey is done first; the notices then end the survey.
func TestSurveySteered(t *testing.T) {
	w := newWorld(t, shop)
	ft := w.main()
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: "user", Text: "Add coupon support"})
	for range 2 { // list; start agents and search
		w.step(ft)
	}
	text := w.send("user", "list cart")
	steps := story(ft.msgs)
	if !strings.Contains(steps, "A new message came while I worked on “Add coupon support”") || !strings.Contains(text, "total.go") {
		t.Errorf("not steered:\n%s", steps)
	}
	if report := w.deliver(); !strings.HasPrefix(report, "# Survey of shop") {
		t.Errorf("the survey did not go on: %q", report)
	}
	if text := w.send("user", "and what is the Store type?"); !strings.Contains(text, "`store/store.go:3`") {
		t.Errorf("answer: %s", text)
	}
}

// kill -9 between any two rows: what the transcript holds is all there is.
func TestResumesFromAnyRow(t *testing.T) {
	w := newWorld(t, shop)
	w.send("user", "Add coupon support")
	want := w.deliver()
	msgs := w.main().msgs
	for i := range msgs {
		if msgs[i].Role != core.RoleAssistant {
			continue
		}
		again := newModelReply(t, w, msgs[:i])
		if again.Text != msgs[i].Text || fmt.Sprint(again.Calls) != fmt.Sprint(msgs[i].Calls) {
			t.Errorf("message %d: a second asking gave %q, not %q", i, again.Text, msgs[i].Text)
		}
	}
	// Every reading call of the second step was cut off: each is made once again.
	w2 := newWorld(t, shop)
	ft := w2.main()
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: "user", Text: "Add coupon support"})
	w2.step(ft)
	for i := range ft.msgs {
		if m := &ft.msgs[i]; m.Role == core.RoleTool {
			m.Text, m.Failed = "interrupted: the host was stopped while this ran", true
		}
	}
	w2.run(ft)
	if got := w2.deliver(); got != want {
		t.Errorf("after an interruption:\n%s", got)
	}
}

func newModelReply(t *testing.T, w *world, msgs []core.Message) core.ModelReply {
	t.Helper()
	ft := &fakeTask{info: w.main().info, msgs: msgs, tools: w.main().tools}
	r, err := New(Options{}).Stream(t.Context(), w.request(ft), func(core.Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCallIDsAreUnique(t *testing.T) {
	w := newWorld(t, shop)
	w.send("user", "Add coupon support")
	w.deliver()
	w.send("user", "list")
	w.send("user", "list")
	w.main().msgs = w.main().msgs[5:] // a shortened history
	w.send("user", "list")
	seen := map[string]bool{}
	for _, m := range w.main().msgs {
		for _, c := range m.Calls {
			if seen[c.ID] || !json.Valid(c.Args) {
				t.Errorf("call %s twice, or its arguments are no JSON: %s", c.ID, c.Args)
			}
			seen[c.ID] = true
		}
	}
}
