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

func TestBuiltinsAreComplete(t *testing.T) {
	names, err := Names("")
	if err != nil || !slices.Equal(names, []string{"dark", "light"}) {
		t.Fatalf("Names = %v, %v", names, err)
	}
	for _, name := range names {
		th, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if th.Name != name || th.Dark != (name == "dark") || len(th.Styles) != Count {
			t.Errorf("%s: name %q, dark %v, %d of %d roles", name, th.Name, th.Dark, len(th.Styles), Count)
		}
	}
	for i := range Count {
		if r, ok := RoleOf(Role(i).String()); !ok || int(r) != i {
			t.Errorf("role %d does not find itself", i)
		}
	}
}

// TestContrast holds WCAG AA for every text, also on the rows it can stand on; frames need 3 to 1.
func TestContrast(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		th, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		check := func(r Role, fg, bg, on string) {
			want := 4.5
			if r == Border {
				want = 3
			}
			if c := contrast(t, fg, bg); c < want {
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
}

func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, c string) float64 {
	t.Helper()
	if len(c) != 7 {
		t.Fatalf("built-in themes use #rrggbb, not %q", c)
	}
	lin := func(s string) float64 {
		n, err := strconv.ParseUint(s, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c[1:3]) + 0.7152*lin(c[3:5]) + 0.0722*lin(c[5:7])
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
	names, err := Names(dir)
	if err != nil || !slices.Equal(names, []string{"dark", "dusk", "light"}) {
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
	if _, err := Load("nope", dir); !strings.Contains(err.Error(), "dark, dusk, light") {
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
		th, err := Parse(src, "f.toml")
		if err != nil {
			if _, ok := errors.AsType[*Fault](err); !ok {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if len(th.Styles) != Count {
			t.Errorf("%d of %d roles", len(th.Styles), Count)
		}
	})
}
