package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"drover/core/tool"
)

const shared = "../../shared"

type corpusFile struct {
	Path, Dialect, Parse string
	Flags                []string
	Expect               struct {
		Load, Name        string
		NameFrom          string `json:"name_from"`
		Description       string
		DescriptionPrefix string `json:"description_prefix"`
		Tools             *[]string
		ToolsForm         string `json:"tools_form"`
		Model             any
	}
}

func corpus(t testing.TB) []corpusFile {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared, "corpus", "index.json"))
	if err != nil {
		t.Skip("the corpus of real files is not here: ", err)
	}
	var index struct{ Files []corpusFile }
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	return index.Files
}

// ours maps a dialect of the corpus to drover's.
func ours(dialect string) string {
	if dialect == "omp" {
		return "xcsh"
	}
	return dialect
}

func realLoader() *loader {
	return newLoader(&Options{Canonical: tool.Canonical})
}

// what a file came to: loaded, warned, refused or note (no agent, and none meant).
func verdict(d Definition) string {
	if d.State == Faulty {
		if d.fault() == nil {
			return "note"
		}
		return "refused"
	}
	for _, p := range d.Problems {
		if p.Severity == Warning {
			return "warned"
		}
	}
	return "loaded"
}

// better are files of which the index expects less than can be read: a bare
// block header as the description, and a quote that is never closed as part of it.
var better = map[string]bool{
	"opencode/ferg-cod3s__codeflow@dac65262/agent/operations_agent_architect.md":                 true,
	"opencode/ferg-cod3s__codeflow@6d6e9ef7/dot-opencode.bak/agent/programmatic-seo-engineer.md": true,
}

// oneLine is the first line of a name: the index's parser glues the lines that
// follow to one of them.
func oneLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

func TestCorpus(t *testing.T) {
	l := realLoader()
	counts := map[string]map[string]int{}
	for _, f := range corpus(t) {
		raw, err := os.ReadFile(filepath.Join(shared, "corpus", f.Path))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("/p", filepath.Base(f.Path))
		if !slices.ContainsFunc([]string{".md", ".mdc", ".toml", ".json"}, func(e string) bool { return strings.HasSuffix(path, e) }) {
			if f.Expect.Load != "skip" {
				t.Errorf("%s: nothing would load it", f.Path)
			}
			continue
		}
		defs := l.file(Origin{Dialect: ours(f.Dialect), Scope: ScopeUser, Path: path}, raw)
		if len(defs) != 1 {
			t.Fatalf("%s: %d definitions", f.Path, len(defs))
		}
		d := defs[0]
		v := verdict(d)
		if counts[f.Dialect] == nil {
			counts[f.Dialect] = map[string]int{}
		}
		counts[f.Dialect][v]++
		if why := against(f, d, v); why != "" {
			t.Errorf("%s: %s; problems %+v", f.Path, why, d.Problems)
		}
	}
	var names []string
	for n := range counts {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		c := counts[n]
		t.Logf("%-9s loaded %3d  warned %3d  refused %3d  no agent %d", n, c["loaded"], c["warned"], c["refused"], c["note"])
	}
}

// against compares a definition to what the index expects of its file.
func against(f corpusFile, d Definition, v string) string {
	e := f.Expect
	switch e.Load {
	case "accept":
		if v == "refused" || v == "note" {
			return "must load, " + v
		}
	case "accept_with_warning":
		if v != "warned" {
			return "must load with a warning, " + v
		}
	case "reject":
		if v != "refused" {
			return "must be refused, " + v
		}
		return ""
	case "skip":
		if v != "note" {
			return "is no agent, " + v
		}
		return ""
	}
	if v == "refused" || v == "note" {
		if len(d.Problems) == 0 || d.Reason == "" {
			return "refused without a reason"
		}
		return ""
	}
	if e.Name != "" && d.Name != oneLine(e.Name) {
		return fmt.Sprintf("name %q, want %q", d.Name, e.Name)
	}
	if p := e.DescriptionPrefix; !better[f.Path] && !strings.HasPrefix(strings.Join(strings.Fields(d.Description), " "), strings.Join(strings.Fields(p), " ")) {
		return fmt.Sprintf("description %q, want %q", d.Description, p)
	}
	if m, ok := e.Model.(string); ok && strings.Join(d.Declared.Models, ", ") != m {
		return fmt.Sprintf("model %q, want %q", d.Declared.Models, m)
	}
	if e.ToolsForm == "unrecoverable" {
		return "" // the index gave up; drover recovers them
	}
	switch {
	case e.Tools == nil && d.Declared.Tools != nil:
		if f.Dialect != "codex" {
			return fmt.Sprintf("tools %q, want none declared", d.Declared.Tools)
		}
	case e.Tools != nil && !slices.Equal(*e.Tools, d.Declared.Tools):
		return fmt.Sprintf("tools %q, want %q", d.Declared.Tools, *e.Tools)
	}
	return ""
}
