package ui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// attention is whether the person looks at this terminal, as far as it tells.
type attention struct {
	away atomic.Bool
	came atomic.Int64 // when they came back, in Unix nanoseconds
}

func (a *attention) turn(here bool) {
	a.away.Store(!here)
	if here {
		a.came.Store(time.Now().UnixNano())
	}
}

// refit takes over the keys and themes that a person changes while the screen is open.
func (p *program) refit(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case o, ok := <-p.o.Outfit:
			if !ok {
				return
			}
			p.report(ctx, func(v *view) { v.refit(o) })
		}
	}
}

func (v *view) refit(o Outfit) {
	switch {
	case o.Rekeyed && o.KeysErr != nil:
		v.st.Fail(o.KeysErr)
	case o.Rekeyed:
		v.st.Rekey(o.Keys)
		v.st.Say("the keys have changed: " + v.st.KeyOf("help") + " shows them")
	}
	if o.Themes != nil {
		v.st.SetThemes(o.Themes)
		if v.p.themeName != "" {
			v.theme(v.p.themeName, "")
		}
	}
}

// home carries out what makes the screen a person's own.
func (v *view) home(e state.Effect) {
	switch e := e.(type) {
	case state.Theme:
		v.p.themeName = e.Name
		v.theme(e.Name, "theme "+e.Name)
	case state.TryTheme:
		name := e.Name
		if name == "" {
			name = v.p.themeName
		}
		if name == "" { // nothing to go back to by name
			v.paint(NewPalette(v.p.o.Theme, v.p.screen.Colors(), v.p.o.NoColor))
			return
		}
		v.theme(name, "")
	case state.SetMouse:
		v.p.app.EnableMouse(e.To != state.MouseOff)
	case state.Notify:
		if v.p.look.away.Load() {
			v.tell(v.p.o.Notify.Sequence(e.Text))
		}
	}
}

// tell sends the terminal a sequence, and says so where that fails.
func (v *view) tell(sequence string) {
	if sequence == "" {
		return
	}
	if err := v.write(sequence); err != nil {
		v.st.Fail(core.Errorf(core.CodeInternal, "the terminal does not take it: %v", err))
	}
}

// write sends a sequence to the terminal that changes no cell.
func (v *view) write(sequence string) error {
	if w := v.p.o.Outside.Write; w != nil {
		return w(sequence)
	}
	tty, ok := v.p.screen.Tty()
	if !ok {
		return errors.New("it cannot be written to")
	}
	_, err := tty.Write([]byte(sequence))
	return err
}

// retitle keeps the window's title, and the progress that a task bar shows, true.
func (v *view) retitle() {
	if !v.p.o.Title && !v.p.o.Progress {
		return
	}
	title := core.Short(core.CleanLine(v.st.WindowTitle()), 120)
	if title == v.title {
		return
	}
	v.title = title
	if v.p.o.Title {
		v.p.screen.SetTitle(title)
	}
	if v.p.o.Progress {
		c := v.st.Tree.Total
		switch {
		case c.Needs > 0:
			v.tell(v.p.o.Notify.Relay.wrap("\x1b]9;4;4;100\x1b\\"))
		case c.Running > 0:
			v.tell(v.p.o.Notify.Relay.wrap("\x1b]9;4;3\x1b\\"))
		default:
			v.tell(v.p.o.Notify.Relay.wrap("\x1b]9;4;0\x1b\\"))
		}
	}
}

// drawPalette lists what can be done; what is typed stands in the footer's line.
func (v *view) drawPalette(s tcell.Screen, w, h int) {
	p := &v.st.Home.Palette
	r := rect{0, 0, w, h - 1}
	if w > 84 {
		r.x, r.w = (w-84)/2, 84
	}
	if h > 20 {
		r.y, r.h = 1, h-3
	}
	in := v.box(s, r, "actions · "+itoa(len(p.Fit)))
	top := max(0, min(p.At-in.h/2, len(p.Fit)-in.h))
	if len(p.Fit) == 0 {
		drawText(s, in.x, in.y, in.w, "No action fits.", v.pal.Style(themes.Muted))
	}
	for i := range in.h {
		if top+i >= len(p.Fit) {
			return
		}
		c := &p.Fit[top+i]
		base := v.pal.Style(themes.Text)
		if top+i == p.At {
			base = v.pal.Style(themes.Selected)
		}
		y := in.y + i
		fill(s, in.x, y, in.w, 1, base)
		v.zone(zone{rect: rect{in.x, y, in.w, 1}, kind: onChoice, at: top + i})
		room := in.w
		if c.Key != "" && in.w > 24 {
			n := textWidth(c.Key)
			drawText(s, in.x+in.w-n, y, n, c.Key, v.pal.Over(base, themes.Key))
			room -= n + 2
		}
		title, help := base, v.pal.Over(base, themes.Muted)
		text := c.Help
		if c.Why != "" {
			title, help, text = v.pal.Over(base, themes.Muted), v.pal.Over(base, themes.Warning), "not now: "+c.Why
		}
		x := in.x + drawText(s, in.x, y, room, c.Title, title)
		x = max(x+2, in.x+min(22, in.w/3))
		drawText(s, x, y, in.x+room-x, text, help)
	}
}

// clip makes an escape sequence's text harmless: one line, no separators.
func clip(text string, cells int) string {
	return strings.NewReplacer(";", ",", "\\", "/").Replace(core.Short(core.CleanLine(text), cells))
}
