package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.toml
var builtin embed.FS

// Style is how a role looks. A colour is "#rrggbb", a number of the 256
// palette ("0" to "255", of which 0 to 15 are the terminal's own ANSI colours),
// "default" for the terminal's own, or "" for that of the role text.
type Style struct {
	FG, BG    string
	Bold      bool
	Dim       bool
	Italic    bool
	Underline bool
	Reverse   bool
}

// Theme is a complete set of styles: every role has one.
type Theme struct {
	Name   string
	Dark   bool
	Styles map[Role]Style
}

// Style is the role's style, with the colours it takes from the role text filled in.
func (t Theme) Style(r Role) Style {
	s, base := t.Styles[r], t.Styles[Text]
	if s.FG == "" {
		s.FG = base.FG
	}
	if s.BG == "" {
		s.BG = base.BG
	}
	return s
}

// Fault is a fault in a theme file, or a theme that does not exist.
type Fault struct {
	File    string
	Line    int    // 1 is the first; 0 where it is not known
	Key     string // dotted, "" where the fault is none of one key
	Message string
	Hint    string // the way out
}

func (e *Fault) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// endings are those of theme files; YAML is for base16 schemes.
var endings = []string{".toml", ".yaml", ".yml"}

// maxFile bounds what is read of a theme file.
const maxFile = 1 << 20

// Load returns the theme of that name: NAME.toml (or .yaml, .yml) in dir, else the built-in
// one. dir may be "" or missing. A fault is a *Fault.
func Load(name, dir string) (Theme, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return Theme{}, &Fault{Message: fmt.Sprintf("%q is no name of a theme", name), Hint: "a name is that of a file without .toml"}
	}
	for _, ending := range endings {
		if dir == "" {
			break
		}
		path := filepath.Join(dir, name+ending)
		src, err := readFile(path)
		if err == nil {
			return Parse(src, path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Theme{}, fmt.Errorf("read theme: %w", err)
		}
	}
	src, err := builtin.ReadFile(name + ".toml")
	if err == nil {
		return Parse(src, name+".toml")
	}
	names, err := Names(dir)
	if err != nil {
		return Theme{}, err
	}
	return Theme{}, &Fault{Message: fmt.Sprintf("there is no theme %q", name), Hint: "there are: " + strings.Join(names, ", ")}
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &Fault{File: path, Message: "is no theme file", Hint: "a regular file of at most 1 MB"}
	}
	return os.ReadFile(path)
}

// Names lists the themes there are, the built-in ones and those of dir, in
// order and each once. A missing dir is no fault.
func Names(dir string) ([]string, error) {
	own, err := builtin.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list themes: %w", err)
	}
	if dir != "" {
		more, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list themes: %w", err)
		}
		own = append(own, more...)
	}
	var names []string
	for _, e := range own {
		ending := filepath.Ext(e.Name())
		if name := strings.TrimSuffix(e.Name(), ending); slices.Contains(endings, ending) && name != "" && name[0] != '.' && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
