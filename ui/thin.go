package ui

import (
	"strings"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// Thin is a screen in front of another that passes on changed cells only.
//
// tview clears the screen before every draw, which makes tcell write all of it
// to the terminal. Thin draws into a buffer of its own and compares it at Show
// with the frame that the inner screen has; an unchanged frame writes nothing.
//
// Drawing (everything about cells, cursor, Show, Sync, Resume) belongs to one
// goroutine, as tview does it; events may be read and posted by any. Events
// must be read with PollEvent, by which Thin learns of a new size.
type Thin struct {
	tcell.Screen             // the inner one: events, modes, clipboard, title
	w, h         int         // size of the buffers
	back         []thinCell  // what is being drawn
	front        []thinCell  // what the inner screen has
	blank        []thinCell  // a frame of Fill
	blankStyle   tcell.Style //
	blankRune    rune        //
	cursor       thinCursor  // as wanted
	shown        thinCursor  // as the inner screen has it
	stale        atomic.Bool // the inner screen may have lost its cells
	resync       bool        // the next Show redraws all
	lone         map[rune]lone
}

// thinCell is one cell. The second cell of a wide cluster has width 0.
type thinCell struct {
	str   string
	width int
	style tcell.Style
}

type thinCursor struct {
	x, y  int
	shape tcell.CursorStyle
	color tcell.Color
}

// asciiChars holds the strings of cells, so that none is made for a letter.
const asciiChars = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// NewThin puts a thin screen in front of inner.
func NewThin(inner tcell.Screen) *Thin {
	off := thinCursor{x: -1, y: -1, color: tcell.ColorNone}
	t := &Thin{Screen: inner, cursor: off, shown: off, lone: map[rune]lone{}}
	t.stale.Store(true)
	return t
}

// Init implements tcell.Screen.
func (t *Thin) Init() error {
	t.stale.Store(true)
	return t.Screen.Init()
}

// Resume implements tcell.Screen: somebody else has written on the terminal.
func (t *Thin) Resume() error {
	t.stale.Store(true)
	return t.Screen.Resume()
}

// PollEvent implements tcell.Screen.
func (t *Thin) PollEvent() tcell.Event {
	ev := t.Screen.PollEvent()
	if _, ok := ev.(*tcell.EventResize); ok {
		t.stale.Store(true)
	}
	return ev
}

// SetStyle implements tcell.Screen.
func (t *Thin) SetStyle(style tcell.Style) {
	t.resync = true
	t.Screen.SetStyle(style)
}

// EnableMouse implements tcell.Screen: buttons and wheel only, whatever the flags,
// or the terminal would report each move of the pointer.
func (t *Thin) EnableMouse(...tcell.MouseFlags) { t.Screen.EnableMouse(tcell.MouseButtonEvents) }

// Clear implements tcell.Screen.
func (t *Thin) Clear() { t.Fill(' ', tcell.StyleDefault) }

// Fill implements tcell.Screen.
func (t *Thin) Fill(r rune, style tcell.Style) {
	t.fit()
	if len(t.blank) != len(t.back) || t.blankRune != r || t.blankStyle != style {
		t.blank, t.blankRune, t.blankStyle = make([]thinCell, len(t.back)), r, style
		for i := range t.blank {
			t.blank[i] = thinCell{str: string(r), width: 1, style: style}
		}
	}
	copy(t.back, t.blank)
}

// fit gives the buffers the size of the inner screen, keeping what is drawn.
func (t *Thin) fit() {
	w, h := t.Screen.Size()
	if w == t.w && h == t.h {
		return
	}
	back := make([]thinCell, w*h)
	for i := range back {
		back[i] = thinCell{str: " ", width: 1}
	}
	for y := range min(h, t.h) {
		copy(back[y*w:y*w+min(w, t.w)], t.back[y*t.w:])
	}
	t.back, t.front, t.w, t.h = back, make([]thinCell, w*h), w, h
	t.stale.Store(true)
}

// SetContent implements tcell.Screen.
func (t *Thin) SetContent(x, y int, r rune, combining []rune, style tcell.Style) {
	if r >= ' ' && r < 0x7f && len(combining) == 0 {
		t.set(x, y, asciiChars[r-' ':][:1], 1, style)
		return
	}
	if len(combining) > 0 {
		t.Put(x, y, string(append([]rune{r}, combining...)), style)
		return
	}
	c, ok := t.lone[r]
	if !ok {
		c.str = string(r)
		_, _, c.width, _ = uniseg.FirstGraphemeClusterInString(c.str, -1)
		if len(t.lone) < maxLone {
			t.lone[r] = c
		}
	}
	t.set(x, y, c.str, c.width, style)
}

// SetCell implements tcell.Screen.
func (t *Thin) SetCell(x, y int, style tcell.Style, ch ...rune) {
	if len(ch) == 0 {
		ch = []rune{' '}
	}
	t.Put(x, y, string(ch), style)
}

// Put implements tcell.Screen.
func (t *Thin) Put(x, y int, str string, style tcell.Style) (string, int) {
	rest, width, state, end := str, 0, -1, 0
	for width == 0 && rest != "" {
		var c string
		c, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		end += len(c)
	}
	t.set(x, y, str[:end], width, style)
	return rest, width
}

// PutStr implements tcell.Screen.
func (t *Thin) PutStr(x, y int, str string) { t.PutStrStyled(x, y, str, tcell.StyleDefault) }

// PutStrStyled implements tcell.Screen.
func (t *Thin) PutStrStyled(x, y int, str string, style tcell.Style) {
	for str != "" && x < t.w {
		rest, width := t.Put(x, y, str, style)
		if width == 0 {
			return
		}
		str, x = rest, x+width
	}
}

// set writes one cluster. As on a terminal, half of a wide cluster that is
// overwritten leaves a blank, and one that does not fit into the row is a blank.
func (t *Thin) set(x, y int, str string, width int, style tcell.Style) {
	if x < 0 || y < 0 || x >= t.w || y >= t.h {
		return
	}
	row := t.back[y*t.w : (y+1)*t.w]
	if width == 0 || x+width > t.w {
		str, width = " ", 1
	}
	style = inherit(style, row[x].style)
	if row[x].width == 0 { // the right half of a wide one: blank its left
		for i := x - 1; i >= 0; i-- {
			wide := row[i].width > 1
			row[i].str, row[i].width = " ", 1
			if wide {
				break
			}
		}
	}
	for i := x + width; i < t.w && row[i].width == 0; i++ { // the left half: blank its right
		row[i].str, row[i].width = " ", 1
	}
	if old := t.front[y*t.w+x].str; old == str {
		str = old // the same bytes, so that comparing is quick and no long text is kept alive
	} else if len(str) > 1 {
		str = strings.Clone(str)
	}
	row[x] = thinCell{str: str, width: width, style: style}
	for i := 1; i < width; i++ {
		row[x+i] = thinCell{style: style}
	}
}

// inherit fills in colours that mean "as it was".
func inherit(style, old tcell.Style) tcell.Style {
	fg, bg, _ := style.Decompose()
	if fg != tcell.ColorNone && bg != tcell.ColorNone {
		return style
	}
	ofg, obg, _ := old.Decompose()
	if fg == tcell.ColorNone {
		style = style.Foreground(ofg)
	}
	if bg == tcell.ColorNone {
		style = style.Background(obg)
	}
	return style
}

// Get implements tcell.Screen: what is drawn, not yet what is shown.
func (t *Thin) Get(x, y int) (string, tcell.Style, int) {
	if x < 0 || y < 0 || x >= t.w || y >= t.h {
		return "", tcell.StyleDefault, 0
	}
	c := t.back[y*t.w+x]
	if c.width == 0 {
		return " ", c.style, 1
	}
	return c.str, c.style, c.width
}

// GetContent implements tcell.Screen.
func (t *Thin) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	str, style, width := t.Get(x, y)
	if len(str) == 1 {
		return rune(str[0]), nil, style, width
	}
	var first rune
	var more []rune
	for i, r := range str {
		if i == 0 {
			first = r
		} else {
			more = append(more, r)
		}
	}
	return first, more, style, width
}

// ShowCursor implements tcell.Screen.
func (t *Thin) ShowCursor(x, y int) { t.cursor.x, t.cursor.y = x, y }

// HideCursor implements tcell.Screen.
func (t *Thin) HideCursor() { t.ShowCursor(-1, -1) }

// SetCursorStyle implements tcell.Screen.
func (t *Thin) SetCursorStyle(shape tcell.CursorStyle, colors ...tcell.Color) {
	t.cursor.shape, t.cursor.color = shape, tcell.ColorNone
	if len(colors) > 0 {
		t.cursor.color = colors[0]
	}
}

// Show implements tcell.Screen. Nothing is written when nothing has changed.
func (t *Thin) Show() {
	if t.resync {
		t.Sync()
		return
	}
	if t.forward() || t.missedResize() {
		t.Screen.Show()
	}
}

// Sync implements tcell.Screen: all is drawn anew.
func (t *Thin) Sync() {
	t.resync = false
	t.stale.Store(true)
	t.forward()
	t.Screen.Sync()
}

// forward passes on what differs from the last frame, and reports whether anything did.
func (t *Thin) forward() bool {
	t.fit()
	changed := t.stale.Swap(false)
	if changed {
		clear(t.front) // no cell is like the zero cell, so all differ
	}
	for i := range t.back {
		b, f := &t.back[i], &t.front[i]
		if b.str == f.str && b.style == f.style && b.width == f.width {
			continue
		}
		*f = *b
		changed = true
		if b.width > 0 {
			t.Screen.Put(i%t.w, i/t.w, b.str, b.style)
		}
	}
	if t.cursor != t.shown {
		changed = true
		t.Screen.ShowCursor(t.cursor.x, t.cursor.y)
		if t.cursor.color == tcell.ColorNone {
			t.Screen.SetCursorStyle(t.cursor.shape)
		} else {
			t.Screen.SetCursorStyle(t.cursor.shape, t.cursor.color)
		}
		t.shown = t.cursor
	}
	return changed
}

// missedResize heals a lost signal: the terminal has another size than the inner screen knows.
func (t *Thin) missedResize() bool {
	tty, ok := t.Tty()
	if !ok {
		return false
	}
	size, err := tty.WindowSize()
	return err == nil && (size.Width != t.w || size.Height != t.h)
}
