package ui

import (
	"testing"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

func palettes(t *testing.T) map[string]*Palette {
	t.Helper()
	out := map[string]*Palette{}
	for _, name := range []string{"dark", "light"} {
		th, err := themes.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for suffix, colors := range map[string]int{"/8": 8, "/16": 16, "/256": 256, "/true": 1 << 24} {
			out[name+suffix] = NewPalette(th, colors, false)
		}
		out[name+"/none"] = NewPalette(th, 1<<24, true)
		out[name+"/vt100"] = NewPalette(th, 0, false)
	}
	return out
}

func darkPalette(t testing.TB) *Palette {
	t.Helper()
	th, err := themes.Load("dark", "")
	if err != nil {
		t.Fatal(err)
	}
	return NewPalette(th, 1<<24, false)
}

// TestPaletteOnEveryTerminal: nothing is drawn in its own background, only
// colours the terminal has are used, and what is selected differs from what is not.
func TestPaletteOnEveryTerminal(t *testing.T) {
	for name, p := range palettes(t) {
		for i := range themes.Count {
			r := themes.Role(i)
			fg, bg, _ := p.Style(r).Decompose()
			if p.Mono() && (fg != tcell.ColorDefault || bg != tcell.ColorDefault) {
				t.Errorf("%s: %s has a colour", name, r)
			}
			if fg == bg && fg != tcell.ColorDefault {
				t.Errorf("%s: %s is invisible", name, r)
			}
			for _, on := range []themes.Role{themes.Selected, themes.Composer} {
				if fg, bg, _ := p.Over(p.Style(on), r).Decompose(); fg == bg && fg != tcell.ColorDefault {
					t.Errorf("%s: %s on %s is invisible", name, r, on)
				}
			}
		}
		for _, r := range []themes.Role{themes.Selected, themes.SelectedUnfocused, themes.Match} {
			if p.Style(r) == p.Style(themes.Text) {
				t.Errorf("%s: %s looks like text", name, r)
			}
		}
		if p.Style(themes.Selected) == p.Style(themes.SelectedUnfocused) {
			t.Errorf("%s: focus does not show", name)
		}
		if p.Style(themes.Border) == p.Style(themes.BorderFocus) {
			t.Errorf("%s: focus of a pane does not show", name)
		}
	}
}

func TestPaletteUsesWhatTheTerminalHas(t *testing.T) {
	th, err := themes.Parse([]byte("[styles]\ntext = { fg = \"#808080\", bg = 200 }\nkey = { fg = \"red\" }\nlink = { fg = \"default\" }"), "x.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		colors int
		role   themes.Role
		want   tcell.Color
	}{
		{1 << 24, themes.Text, tcell.NewHexColor(0x808080)}, {256, themes.Text, tcell.PaletteColor(244)}, {16, themes.Text, tcell.PaletteColor(8)},
		{16, themes.Key, tcell.PaletteColor(1)}, {1 << 24, themes.Key, tcell.PaletteColor(1)}, {256, themes.Link, tcell.ColorDefault},
	} {
		fg, bg, _ := NewPalette(th, c.colors, false).Style(c.role).Decompose()
		if fg != c.want {
			t.Errorf("%s at %d colours: %v, want %v", c.role, c.colors, fg, c.want)
		}
		if c.colors == 16 && bg.Valid() && bg-tcell.ColorValid > 15 {
			t.Errorf("%s at 16 colours has background %v", c.role, bg)
		}
	}
}

func TestOverKeepsTheSelection(t *testing.T) {
	for name, p := range palettes(t) {
		base := p.Style(themes.Selected)
		_, bg, attrs := base.Decompose()
		for _, r := range []themes.Role{themes.Running, themes.NeedsYou, themes.Match} {
			_, gotBG, got := p.Over(base, r).Decompose()
			if gotBG != bg || got&tcell.AttrReverse != attrs&tcell.AttrReverse {
				t.Errorf("%s: %s breaks the selected row", name, r)
			}
		}
	}
}
