package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// rooms is the table of packages: each row is a reason to exist, and what the
// package may import beside the standard library. A name that ends in /... is
// that module with everything in it.
var rooms = map[string][]string{
	"cmd/drover":    {"drover/...", "github.com/...", "golang.org/x/...", "go.yaml.in/..."},
	"core":          {},
	"core/run":      {"drover/core"},
	"core/host":     {"drover/core", "golang.org/x/sys/..."},
	"core/tool":     {"drover/core", "drover/core/sandbox", "github.com/bmatcuk/doublestar/v4"},
	"core/model":    {"drover/core"},
	"core/model/*":  {"drover/core", "drover/core/model"},
	"core/mcp":      {"drover/core", "drover/core/sandbox"},
	"core/remote":   {"drover/core", "drover/core/sandbox"},
	"core/hook":     {"drover/core", "drover/core/sandbox"},
	"core/sandbox":  {"golang.org/x/sys/...", "github.com/landlock-lsm/go-landlock/...", "kernel.org/pub/linux/libs/security/libcap/psx"},
	"core/mask":     {"drover/core"},
	"core/schema":   {"drover/core", "github.com/santhosh-tekuri/jsonschema/v6"},
	"core/config":   {"github.com/BurntSushi/toml"},
	"core/coretest": {"drover/core", "github.com/google/go-cmp/...", "pgregory.net/rapid"},
	"store":         {"drover/core", "github.com/mattn/go-sqlite3", "github.com/fsnotify/fsnotify", "golang.org/x/sys/unix"},
	"agents":        {"drover/core", "go.yaml.in/yaml/v4", "github.com/BurntSushi/toml"},
	"themes":        {"github.com/BurntSushi/toml"},
	"ui/state":      {"drover/core"},
	"ui": {"drover/core", "drover/ui/state", "drover/themes", "github.com/rivo/tview", "github.com/rivo/uniseg",
		"github.com/gdamore/tcell/v2/...", "github.com/yuin/goldmark/..."},
}

// forTests is what a test file may import on top of its package's row: the
// real parts of drover (but no program), and the libraries for testing.
var forTests = []string{
	"drover/core/...", "drover/store", "drover/agents", "drover/themes", "drover/ui/...",
	"github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/...", "github.com/creack/pty",
	"github.com/mattn/go-sqlite3", "github.com/rivo/tview", "github.com/gdamore/tcell/v2/...",
	"go.uber.org/goleak", "pgregory.net/rapid", "golang.org/x/tools/...", "golang.org/x/sys/...",
}

// A source is one parsed Go file of the repository.
type source struct {
	path string // from the top of the repository
	dir  string
	test bool
	file *ast.File
	fset *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	for _, top := range []string{"cmd", "ui", "core", "store", "agents", "themes"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if d != nil && d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return err
			}
			if !strings.HasSuffix(p, ".go") {
				return nil
			}
			f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, p)
			rel = filepath.ToSlash(rel)
			all = append(all, source{path: rel, dir: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), file: f, fset: fset})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

func (s source) imports() []string {
	var all []string
	for _, i := range s.file.Imports {
		all = append(all, strings.Trim(i.Path.Value, `"`))
	}
	return all
}

// row is the row of the table for a directory.
func row(dir string) ([]string, bool) {
	if r, ok := rooms[dir]; ok {
		return r, true
	}
	r, ok := rooms[path.Dir(dir)+"/*"]
	return r, ok
}

// allowed reports whether the patterns allow the import.
func allowed(imp string, patterns []string) bool {
	for _, p := range patterns {
		if under, ok := strings.CutSuffix(p, "/..."); ok {
			if imp == under || strings.HasPrefix(imp, under+"/") {
				return true
			}
		} else if imp == p {
			return true
		}
	}
	return false
}

func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && first != "drover"
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		may, ok := row(s.dir)
		if !ok {
			t.Errorf("%s: no package %q is planned. A package has one reason to exist: write it into the table of DESIGN section 4 and into rooms in this file, or put the code where it belongs", s.path, s.dir)
			continue
		}
		for _, imp := range s.imports() {
			if standard(imp) || allowed(imp, may) || s.test && allowed(imp, append(forTests, "drover/"+s.dir)) {
				continue
			}
			why := "arrows of import point to core and never out of it"
			switch {
			case s.dir == "core":
				why = "core says what a task is and knows no technology: it imports the standard library only"
			case !strings.HasPrefix(imp, "drover/"):
				why = "a library is known in one package only, which turns its types into core's"
			case strings.HasPrefix(imp, "drover/cmd"):
				why = "cmd names the concrete types and wires them; nothing imports it"
			}
			t.Errorf("%s may not import %s: %s (allowed for %s: %s)", s.path, imp, why, s.dir, strings.Join(may, ", "))
		}
	}
}

func TestPackageComments(t *testing.T) {
	longest := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		n := 0
		if d := s.file.Doc; d != nil {
			n = len(strings.Split(strings.TrimSpace(d.Text()), "\n"))
		}
		longest[s.dir] = max(longest[s.dir], n)
	}
	for dir, n := range longest {
		if n < 3 {
			t.Errorf("%s: its package comment has %d lines; it says what the package is, what it promises and what it never does (doc.go)", dir, n)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if n := s.line(s.file.FileEnd); n > 401 {
			t.Errorf("%s has %d lines; above 400 a file has more than one reason to exist", s.path, n)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > 80 {
				t.Errorf("%s:%d: %s has %d lines; above 80 nobody reads it whole", s.path, s.line(f.Pos()), f.Name.Name, n)
			}
		}
	}
}

// calls lists the places where a file calls one of the names, as "pkg.Func" or ".Method".
func (s source) calls(names ...string) []int {
	var lines []int
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		full := "." + sel.Sel.Name
		if id, ok := sel.X.(*ast.Ident); ok && slices.Contains(names, id.Name+full) {
			lines = append(lines, s.line(sel.Pos()))
		} else if slices.Contains(names, full) {
			lines = append(lines, s.line(sel.Pos()))
		}
		return true
	})
	return lines
}

func TestOneWayBackToTheScreen(t *testing.T) {
	var files []string
	for _, s := range sources(t) {
		if s.dir == "ui" && !s.test && len(s.calls(".QueueUpdate", ".QueueUpdateDraw")) > 0 {
			files = append(files, s.path)
		}
	}
	if len(files) > 1 {
		t.Errorf("QueueUpdate is called in %v; one file only may post to the UI goroutine, or updates come out of order", files)
	}
}

func TestWhoMayExit(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.dir == "cmd/drover" {
			continue
		}
		names := []string{"os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf"}
		if s.dir == "core/sandbox" { // its helper is the program, once it runs
			names = names[1:]
		}
		for _, l := range s.calls(names...) {
			t.Errorf("%s:%d ends the process; only cmd may, everybody else returns an error", s.path, l)
		}
	}
}

func TestNoTestSleeps(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test || slices.Contains(s.imports(), "testing/synctest") {
			continue // inside a bubble a sleep costs no time
		}
		for _, l := range s.calls("time.Sleep") {
			t.Errorf("%s:%d sleeps; use synctest, or poll for the thing itself with a deadline", s.path, l)
		}
	}
}
