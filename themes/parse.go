package themes

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// ansi names the first 16 colours of the palette.
var ansi = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright_black", "bright_red", "bright_green", "bright_yellow", "bright_blue", "bright_magenta", "bright_cyan", "bright_white",
}

// Parse reads a theme. file is where src came from: it names the theme where
// src does not, and every fault (a *Fault).
//
//	name = "dusk"                 # else the file's name
//	dark = true                   # else true
//	[colors]                      # names for colours, for use below
//	sky = "#9ecbff"
//	[styles]                      # a role = its style; those left out are built in
//	text = { fg = "#d5dae3", bg = 234 }
//	link = { fg = "sky", underline = true }
//
// A file with base00 to base0F is a base16 scheme, as TOML or (.yaml) as YAML.
// With contrast = 7 its colours are made as legible as that; 4.5 is usual.
func Parse(src []byte, file string) (Theme, error) {
	p := parser{file: file, lines: strings.Split(string(src), "\n")}
	t, err := p.parse(src)
	if err != nil {
		return Theme{}, err
	}
	fallback := fallbackOf(t)
	if len(t.Styles) == Count {
		return t, nil
	}
	base, err := builtin.ReadFile(fallback)
	if err != nil {
		return Theme{}, fmt.Errorf("read built-in theme: %w", err)
	}
	if bytes.Equal(base, src) {
		return Theme{}, p.fault("", "styles", "a built-in theme must give every role a style", "")
	}
	b, err := Parse(base, fallback)
	if err != nil {
		return Theme{}, err
	}
	for r, s := range b.Styles {
		if _, ok := t.Styles[r]; !ok {
			t.Styles[r] = s
		}
	}
	return t, nil
}

// name is the file's name without its ending.
func (p *parser) name() string {
	base := filepath.Base(p.file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// between is what stands between a key and its value.
func (p *parser) between() string {
	if filepath.Ext(p.file) == ".toml" {
		return "="
	}
	return ":"
}

type parser struct {
	file   string
	lines  []string
	colors map[string]string
}

func (p *parser) parse(src []byte) (Theme, error) {
	t := Theme{Name: p.name(), Dark: true, Styles: map[Role]Style{}}
	var raw map[string]any
	if filepath.Ext(p.file) != ".toml" {
		if raw = flatYAML(string(src)); !isBase16(raw) {
			return t, p.fault("", "", "is no base16 scheme", "a YAML theme has base00 to base0F; other themes are TOML")
		}
		return p.base16(raw)
	}
	if err := toml.Unmarshal(src, &raw); err != nil {
		e := &Fault{File: p.file, Message: err.Error(), Hint: "the file must be valid TOML"}
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			e.Line, e.Key, e.Message = pe.Position.Line, pe.LastKey, pe.Message
			if strings.Contains(pe.Message, `but got '\n' instead`) { // the end of a line is told as the next
				e.Line--
			}
		}
		return t, e
	}
	if isBase16(raw) {
		return p.base16(raw)
	}
	for _, key := range sorted(raw) {
		var ok bool
		switch key {
		case "name":
			t.Name, ok = raw[key].(string)
		case "dark":
			t.Dark, ok = raw[key].(bool)
		case "colors", "styles":
			_, ok = raw[key].(map[string]any)
		default:
			return t, p.fault("", key, "unknown key", "known are name, dark, colors, styles")
		}
		if !ok {
			return t, p.fault("", key, "wrong kind of value", "name is a text, dark is true or false, colors and styles are tables")
		}
	}
	if err := p.readColors(raw); err != nil {
		return t, err
	}
	styles, _ := raw["styles"].(map[string]any)
	for _, name := range sorted(styles) {
		role, ok := RoleOf(name)
		if !ok {
			return t, p.fault("styles", name, "unknown role", "roles are "+strings.Join(roleNames[:], ", "))
		}
		table, ok := styles[name].(map[string]any)
		if !ok {
			return t, p.fault("styles", name, "a style is a table", `for example { fg = "#9ecbff", bold = true }`)
		}
		s, err := p.style(name, table)
		if err != nil {
			return t, err
		}
		t.Styles[role] = s
	}
	return t, nil
}

func (p *parser) readColors(raw map[string]any) error {
	colors, _ := raw["colors"].(map[string]any)
	named := map[string]string{}
	for _, name := range sorted(colors) {
		c, ok := p.color(colors[name])
		if !ok {
			return p.badColor("colors", name, colors[name])
		}
		named[name] = c
	}
	p.colors = named
	return nil
}

func (p *parser) style(role string, table map[string]any) (Style, error) {
	var s Style
	flags := map[string]*bool{"bold": &s.Bold, "dim": &s.Dim, "italic": &s.Italic, "underline": &s.Underline, "reverse": &s.Reverse}
	for _, key := range sorted(table) {
		v := table[key]
		if flag, ok := flags[key]; ok {
			on, ok := v.(bool)
			if !ok {
				return s, p.fault("styles."+role, key, fmt.Sprintf("%v is neither true nor false", v), "write true or leave it out")
			}
			*flag = on
			continue
		}
		if key != "fg" && key != "bg" {
			return s, p.fault("styles."+role, key, "unknown key", "known are fg, bg, bold, dim, italic, underline, reverse")
		}
		c, ok := p.color(v)
		if !ok {
			return s, p.badColor("styles."+role, key, v)
		}
		if key == "fg" {
			s.FG = c
		} else {
			s.BG = c
		}
	}
	return s, nil
}

// color brings a colour into one of the three forms of Style.
func (p *parser) color(v any) (string, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), v >= 0 && v <= 255
	case string:
		if c, ok := p.colors[v]; ok {
			return c, true
		}
		if i := slices.Index(ansi, v); i >= 0 {
			return strconv.Itoa(i), true
		}
		if v == "default" {
			return v, true
		}
		if n, err := strconv.ParseUint(v, 10, 8); err == nil {
			return strconv.FormatUint(n, 10), true
		}
		if len(v) == 7 && v[0] == '#' {
			_, err := strconv.ParseUint(v[1:], 16, 32)
			return strings.ToLower(v), err == nil
		}
	}
	return "", false
}

func (p *parser) badColor(table, key string, v any) error {
	return p.fault(table, key, fmt.Sprintf("unknown colour %q", fmt.Sprint(v)),
		`a colour is "#rrggbb", a number from 0 to 255, "default", a name of [colors], or one of `+strings.Join(ansi, ", "))
}

func (p *parser) fault(table, key, message, hint string) error {
	full := strings.TrimPrefix(table+"."+key, ".")
	return &Fault{File: p.file, Line: p.line(full), Key: full, Message: message, Hint: hint}
}

// line finds where a dotted key stands, 0 if it cannot: the toml package
// tells positions of syntax errors only. Inline tables stand on one line, so
// the longest part of the key that begins a line is the place.
func (p *parser) line(key string) int {
	table, found, depth := "", 0, 0
	for i, l := range p.lines {
		l = strings.TrimSpace(l)
		name := ""
		if strings.HasPrefix(l, "[") {
			table = strings.Trim(strings.SplitN(l, "#", 2)[0], "[] \t")
			name = table
		} else if k, _, ok := strings.Cut(l, p.between()); ok && !strings.HasPrefix(l, "#") {
			name = strings.TrimPrefix(table+"."+strings.NewReplacer(`"`, "", "'", "", " ", "").Replace(k), ".")
		}
		if name != "" && len(name) > depth && (key == name || strings.HasPrefix(key, name+".")) {
			found, depth = i+1, len(name)
		}
	}
	return found
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
