package ui

import (
	"strconv"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

// Palette is a theme made ready for one terminal: a tcell style a role.
// It is resolved once and only read afterwards.
type Palette struct {
	styles [themes.Count]tcell.Style
	fg     [themes.Count]tcell.Color
	attrs  [themes.Count]tcell.AttrMask
	mono   bool
}

// NewPalette resolves a theme for a terminal with that many colours
// (Screen.Colors). noColor is a person's NO_COLOR, set and not empty:
// attributes only, and what is selected is reversed. Fewer than 8 colours are
// treated alike.
func NewPalette(t themes.Theme, colors int, noColor bool) *Palette {
	p := &Palette{mono: noColor || colors < 8}
	known := map[string]tcell.Color{} // the nearest colour is dear to find, and most roles share a few
	fit := func(c string) tcell.Color {
		near, ok := known[c]
		if !ok {
			near = nearest(c, colors)
			known[c] = near
		}
		return near
	}
	for i := range themes.Count {
		r := themes.Role(i)
		s := t.Style(r)
		attrs := attributes(s)
		fg, bg := tcell.ColorDefault, tcell.ColorDefault
		if p.mono {
			attrs |= monoAttrs(r)
		} else {
			fg, bg = fit(s.FG), fit(s.BG)
			base := fit(t.Style(themes.Text).BG)
			if s.BG != t.Style(themes.Text).BG && bg == base {
				attrs |= coarseAttrs(r)
			}
			if fg == bg && fg != tcell.ColorDefault {
				fg = fit(t.Style(themes.Text).FG)
			}
		}
		p.fg[i], p.attrs[i] = fg, attrs
		p.styles[i] = withAttrs(tcell.StyleDefault.Foreground(fg).Background(bg), attrs)
	}
	return p
}

// Style is the role's style.
func (p *Palette) Style(r themes.Role) tcell.Style { return p.styles[r] }

// Over is the role's foreground and attributes on the background of base: a
// state's glyph on the selected row, say. What base reverses stays reversed.
func (p *Palette) Over(base tcell.Style, r themes.Role) tcell.Style {
	attrs := p.attrs[r]
	s := base
	if p.mono {
		attrs &^= tcell.AttrReverse
	} else if _, bg, _ := base.Decompose(); p.fg[r] != bg {
		s = s.Foreground(p.fg[r])
	}
	if attrs&tcell.AttrUnderline != 0 {
		s = s.Underline(true)
	}
	if attrs&tcell.AttrBold != 0 {
		s = s.Bold(true)
	}
	if attrs&tcell.AttrItalic != 0 {
		s = s.Italic(true)
	}
	if attrs&tcell.AttrDim != 0 {
		s = s.Dim(true)
	}
	return s
}

// Mono reports whether no colours are used.
func (p *Palette) Mono() bool { return p.mono }

func attributes(s themes.Style) tcell.AttrMask {
	var a tcell.AttrMask
	for _, f := range []struct {
		on   bool
		attr tcell.AttrMask
	}{{s.Bold, tcell.AttrBold}, {s.Dim, tcell.AttrDim}, {s.Italic, tcell.AttrItalic}, {s.Underline, tcell.AttrUnderline}, {s.Reverse, tcell.AttrReverse}} {
		if f.on {
			a |= f.attr
		}
	}
	return a
}

func withAttrs(s tcell.Style, a tcell.AttrMask) tcell.Style {
	return s.Attributes(a &^ tcell.AttrUnderline).Underline(a&tcell.AttrUnderline != 0)
}

// monoAttrs tells apart without colour what a theme tells by colour.
func monoAttrs(r themes.Role) tcell.AttrMask {
	switch r {
	case themes.Selected, themes.Match:
		return tcell.AttrReverse
	case themes.SelectedUnfocused, themes.CursorLine:
		return tcell.AttrUnderline
	case themes.BorderFocus, themes.NeedsYou, themes.Failed, themes.Error, themes.Header, themes.Key, themes.Heading, themes.Title:
		return tcell.AttrBold
	case themes.Muted, themes.Border, themes.KeyLabel:
		return tcell.AttrDim
	}
	return 0
}

// coarseAttrs tells apart what lost its own background to a small palette.
func coarseAttrs(r themes.Role) tcell.AttrMask {
	switch r {
	case themes.Selected, themes.Match:
		return tcell.AttrReverse
	case themes.SelectedUnfocused:
		return tcell.AttrUnderline
	}
	return 0
}

// nearest is the nearest colour the terminal has. The first 16 of a 256 palette
// are a person's own and mean anything, so RGB colours avoid them.
func nearest(c string, colors int) tcell.Color {
	if c == "" || c == "default" {
		return tcell.ColorDefault
	}
	var col tcell.Color
	if c[0] == '#' {
		n, err := strconv.ParseInt(c[1:], 16, 32)
		if err != nil {
			return tcell.ColorDefault
		}
		col = tcell.NewHexColor(int32(n))
		if colors > 256 {
			return col
		}
	} else {
		n, err := strconv.Atoi(c)
		if err != nil {
			return tcell.ColorDefault
		}
		col = tcell.PaletteColor(n)
		if n < colors {
			return col
		}
	}
	first, last := 0, min(colors, 256)
	if last == 256 {
		first = 16
	}
	have := make([]tcell.Color, 0, last-first)
	for i := first; i < last; i++ {
		have = append(have, tcell.PaletteColor(i))
	}
	return tcell.FindColor(col, have)
}
