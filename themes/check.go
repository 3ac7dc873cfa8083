package themes

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Checked is what there is to say of a theme file that can be read.
type Checked struct {
	Theme
	Missing []string // the roles that the file gives no style, in their order
	From    string   // the built-in theme that they come from
}

// Check reads a theme file as Load does, and says what it leaves out. A fault is a *Fault.
func Check(path string) (Checked, error) {
	src, err := readFile(path)
	if err != nil {
		return Checked{}, fmt.Errorf("read theme: %w", err)
	}
	t, err := Parse(src, path)
	if err != nil {
		return Checked{}, err
	}
	p := parser{file: path, lines: strings.Split(string(src), "\n")}
	own, err := p.parse(src)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{Theme: t, From: strings.TrimSuffix(fallbackOf(own), ".toml")}
	for r := range Count {
		if _, ok := own.Styles[Role(r)]; !ok {
			c.Missing = append(c.Missing, Role(r).String())
		}
	}
	return c, nil
}

// fallbackOf is the built-in theme that gives the roles without a style theirs.
func fallbackOf(t Theme) string {
	if t.Dark {
		return "dark.toml"
	}
	return "light.toml"
}

// IsFile reports whether a file of that name is a theme's.
func IsFile(name string) bool {
	for _, e := range endings {
		if filepath.Ext(name) == e && !strings.HasPrefix(name, ".") {
			return true
		}
	}
	return false
}
