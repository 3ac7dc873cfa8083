package themes

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// builtins are the themes that come with the program.
var builtins = []string{"contrast-dark", "contrast-light", "dark", "deuteranopia-dark", "deuteranopia-light", "dune-dark", "dune-light", "ember", "fjord", "light", "terminal"}

func TestBuiltinsAreComplete(t *testing.T) {
	names, err := Names("")
	if err != nil || !slices.Equal(names, builtins) {
		t.Fatalf("Names = %v, %v", names, err)
	}
	for _, name := range names {
		th, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if th.Name != name || th.Dark == strings.Contains(name, "light") || len(th.Styles) != Count {
			t.Errorf("%s: name %q, dark %v, %d of %d roles", name, th.Name, th.Dark, len(th.Styles), Count)
		}
	}
	for i := range Count {
		if r, ok := RoleOf(Role(i).String()); !ok || int(r) != i {
			t.Errorf("role %d does not find itself", i)
		}
	}
}

// TestContrast holds WCAG AA for every text, also on the rows it can stand on
// (AAA in the themes of high contrast); frames need 3 to 1.
func TestContrast(t *testing.T) {
	for _, name := range builtins {
		if name != "terminal" { // its colours are the person's
			checkContrast(t, name)
		}
	}
}

func checkContrast(t *testing.T, name string) {
	th, err := Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	check := func(r Role, fg, bg, on string) {
		want := 4.5
		if r == Border {
			want = 3
		} else if strings.HasPrefix(name, "contrast") {
			want = 7
		}
		if c := ratio(t, fg, bg); c < want {
			t.Errorf("%s: %s on %s is %.2f to 1, want %.1f", name, r, on, c, want)
		}
	}
	for i := range Count {
		s := th.Style(Role(i))
		check(Role(i), s.FG, s.BG, s.BG)
	}
	for _, bg := range []Role{Header, Selected, SelectedUnfocused, Composer, CursorLine, CodeBlock} {
		for _, r := range []Role{Text, Muted, Running, Idle, Completed, Failed, Cancelled, Interrupted, NeedsYou, Queued, User, Agent, Tool, Notice, Error, Warning, Key, KeyLabel, Link, Code} {
			check(r, th.Style(r).FG, th.Style(bg).BG, bg.String())
		}
	}
}

func color(t *testing.T, s string) rgb {
	t.Helper()
	c, ok := parseHex(s)
	if !ok || s[0] != '#' {
		t.Fatalf("built-in themes use #rrggbb, not %q", s)
	}
	return c
}

func ratio(t *testing.T, a, b string) float64 { return contrast(color(t, a), color(t, b)) }

// deuteranope is a colour as people see it who lack the green receptor (Viénot, Brettel, Mollon 1999).
func deuteranope(c rgb) rgb {
	for i, v := range c {
		c[i] = math.Pow(v, 2.2)
	}
	c = rgb{0.29275*c[0] + 0.70725*c[1], 0.29275*c[0] + 0.70725*c[1], -0.02234*c[0] + 0.02234*c[1] + c[2]}
	for i, v := range c {
		c[i] = math.Pow(max(0, v), 1/2.2)
	}
	return c
}

// TestColourBlindThemes: states that mean well and ill stay apart without red and green.
func TestColourBlindThemes(t *testing.T) {
	apart := func(th Theme, a, b Role) float64 {
		x, y := deuteranope(color(t, th.Style(a).FG)), deuteranope(color(t, th.Style(b).FG))
		return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
	}
	for _, name := range []string{"deuteranopia-dark", "deuteranopia-light"} {
		th, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]Role{{Completed, Failed}, {Completed, NeedsYou}, {DiffAdd, DiffDel}, {Idle, Failed}, {Running, Failed}, {Running, NeedsYou}, {Idle, Interrupted}} {
			if d := apart(th, pair[0], pair[1]); d < 0.3 {
				t.Errorf("%s: %s and %s are %.2f apart", name, pair[0], pair[1], d)
			}
		}
	}
}

func TestTerminalThemeHasTheTerminalsColoursOnly(t *testing.T) {
	th, err := Load("terminal", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range Count {
		for _, c := range []string{th.Style(Role(i)).FG, th.Style(Role(i)).BG} {
			if n, err := strconv.Atoi(c); c != "default" && (err != nil || n > 15) {
				t.Errorf("%s has %q", Role(i), c)
			}
		}
	}
}

const schemeYAML = `system: "base16"
name: "A scheme"
variant: "dark"
palette: # the colours
  base00: "#181818"
  base01: "282828"
  base02: "383838"
  base03: "585858"
  base04: "b8b8b8"
  base05: "d8d8d8"
  base06: "e8e8e8"
  base07: "f8f8f8"
  base08: "ab4642"
  base09: "dc9656"
  base0A: "f7ca88"
  base0B: "a1b56c"
  base0C: "86c1b9"
  base0D: "7cafc2"
  base0E: "ba8baf"
  base0F: "a16946"
`

// TestBase16: both ways in which schemes are written, and what is too dim to read is made legible.
func TestBase16(t *testing.T) {
	flat := strings.NewReplacer("palette: # the colours\n", "", "  base", "base", "\"#181818\"", "181818 # bg").Replace(schemeYAML)
	for name, src := range map[string]string{"nested.yaml": schemeYAML, "flat.yml": flat} {
		th, err := Parse([]byte(src), "/x/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if th.Name+filepath.Ext(name) != name || !th.Dark || len(th.Styles) != Count || th.Style(Text) != (Style{FG: "#d8d8d8", BG: "#181818"}) {
			t.Errorf("%s: %q dark %v, %d roles, %+v", name, th.Name, th.Dark, len(th.Styles), th.Style(Text))
		}
		if c := ratio(t, th.Style(Failed).FG, th.Style(Selected).BG); c < usual {
			t.Errorf("failed on selected is %.2f", c)
		}
	}
	for name, src := range map[string]string{
		"missing.yaml": strings.Replace(schemeYAML, "base0E", "base1E", 1), "bad.yaml": strings.Replace(schemeYAML, "ab4642", "ab464", 1), "none.yaml": "name: x\n",
	} {
		_, err := Parse([]byte(src), name)
		if f, ok := errors.AsType[*Fault](err); !ok || f.File != name || f.Hint == "" || name == "bad.yaml" && f.Line != 13 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	src := "dark = false\n[colors]\nsky = \"#9ECBFF\"\n[styles]\ntext = { fg = 17, bg = \"default\" }\nlink = { fg = \"sky\", underline = true }\n[styles.key]\nfg = \"bright_red\"\nreverse = true\n"
	th, err := Parse([]byte(src), "/x/dusk.toml")
	if err != nil {
		t.Fatal(err)
	}
	light, err := Load("light", "")
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[Role]Style{
		Text:    {FG: "17", BG: "default"},
		Link:    {FG: "#9ecbff", BG: "default", Underline: true},
		Key:     {FG: "9", BG: "default", Reverse: true},
		Running: {FG: light.Styles[Running].FG, BG: "default"},
	} {
		if got := th.Style(r); got != want {
			t.Errorf("%s = %+v, want %+v", r, got, want)
		}
	}
	if th.Name != "dusk" || th.Dark || len(th.Styles) != Count {
		t.Errorf("theme = %q dark %v, %d roles", th.Name, th.Dark, len(th.Styles))
	}
}

func TestFaultsNameFileLineKeyAndWayOut(t *testing.T) {
	for _, c := range []struct {
		name, src string
		line      int
		key, hint string
	}{
		{"syntax", "dark = true\ntext = {", 2, "", "valid TOML"},
		{"top", "dark = true\ncolour = 1\n", 2, "colour", "known are name"},
		{"kind", "dark = \"yes\"\n", 1, "dark", "true or false"},
		{"role", "[styles]\ntext = { fg = 1 }\nblink = { fg = 1 }\n", 3, "styles.blink", "roles are text"},
		{"style", "[styles]\n\ntext = \"red\"\n", 3, "styles.text", "for example"},
		{"key", "[styles]\ntext = { foreground = 1 }\n", 2, "styles.text.foreground", "known are fg"},
		{"colour", "[styles]\nmuted = { fg = 1 }\ntext = { bg = \"rde\" }\n", 3, "styles.text.bg", "#rrggbb"},
		{"number", "[styles.text]\nfg = 1\nbg = 256\n", 3, "styles.text.bg", "0 to 255"},
		{"hex", "[colors]\na = \"#12345g\"\n", 2, "colors.a", "#rrggbb"},
		{"flag", "[styles]\ntext.bold = 1\n", 2, "styles.text.bold", "write true"},
		{"array", "[[styles]]\n", 1, "styles", "tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.src), "mine.toml")
			e, ok := errors.AsType[*Fault](err)
			if !ok {
				t.Fatalf("err = %v", err)
			}
			if e.File != "mine.toml" || e.Line != c.line || (c.key != "" && e.Key != c.key) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%+v, want line %d key %q hint %q", e, c.line, c.key, c.hint)
			}
			if !strings.HasPrefix(err.Error(), "mine.toml:"+strconv.Itoa(c.line)) {
				t.Errorf("message %q", err)
			}
		})
	}
}

func TestLoadFromDirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(name, src string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("dusk.toml", "[styles]\ntext = { fg = 1 }\n")
	write("dark.toml", "[styles]\ntext = { fg = 2 }\n")
	write("notes.txt", "")
	if err := os.Mkdir(filepath.Join(dir, "odd.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append([]string{"dusk"}, builtins...)))
	names, err := Names(dir)
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("Names = %v, %v", names, err)
	}
	for name, fg := range map[string]string{"dusk": "1", "dark": "2"} {
		th, err := Load(name, dir)
		if err != nil || th.Style(Text).FG != fg || th.Name != name {
			t.Errorf("%s: %q fg %q, %v", name, th.Name, th.Style(Text).FG, err)
		}
	}
	for _, name := range []string{"", "../dark", "nope", "odd", ".x", `a\b`} {
		if _, err := Load(name, dir); err == nil || err.Error() == "" {
			t.Errorf("Load(%q) found a theme", name)
		}
	}
	if _, err := Load("nope", dir); !strings.Contains(err.Error(), "dark, deuteranopia-dark") {
		t.Errorf("err = %v", err)
	}
	if _, err := Load("light", filepath.Join(dir, "missing")); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"dark.toml", "light.toml"} {
		src, err := builtin.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("[[styles]]\n"))
	f.Add([]byte("[styles]\n\"text\" = { fg = 1e9 }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, file := range []string{"f.toml", "f.yaml"} {
			parses(t, src, file)
		}
	})
}

func parses(t *testing.T, src []byte, file string) {
	th, err := Parse(src, file)
	if err != nil {
		if _, ok := errors.AsType[*Fault](err); !ok {
			t.Errorf("%T: %v", err, err)
		}
		return
	}
	if len(th.Styles) != Count {
		t.Errorf("%d of %d roles", len(th.Styles), Count)
	}
}
