package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"drover/core"
	"drover/ui/state"
)

// paint knows what standard output can show.
type paint struct {
	tty   bool
	color bool // escape codes are welcome
	width int  // columns; 0 is no limit
}

// paintFor looks at standard output: escape codes go to a terminal only, and
// none where NO_COLOR is set. COLUMNS wins over the terminal's own width.
func paintFor(out *os.File, getenv func(string) string) paint {
	p := paint{tty: term.IsTerminal(int(out.Fd()))}
	p.color = p.tty && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		p.width = n
	} else if p.tty {
		if w, _, err := term.GetSize(int(out.Fd())); err == nil {
			p.width = w
		}
	}
	return p
}

// Colours of a terminal's own sixteen, so that they suit its background.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

func (p paint) in(code, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// look is a task's state by glyph and word, coloured where that is welcome.
func (p paint) look(t *core.TaskView) string {
	l := state.LookOf(t)
	return p.in(lookColor(l), l.Glyph()+" "+l.Word())
}

func lookColor(l state.Look) string {
	switch l {
	case state.LookRunning, state.LookQueued, state.LookParked:
		return blue
	case state.LookNeeds, state.LookInterrupted, state.LookStalled:
		return yellow
	case state.LookCompleted:
		return green
	case state.LookFailed, state.LookCancelled:
		return red
	}
	return dim
}

// fit cuts one line of cleaned text to a width, with an ellipsis; 0 is no limit.
func fit(text string, width int) string {
	if width <= 0 || uniseg.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used+g.Width() > width-1 {
			break
		}
		used += g.Width()
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// pad fills text up to a width with blanks.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
}

// indent puts a prefix before every line but the first and the empty ones.
func indent(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] = strings.TrimRight(lines[i], " \t"); lines[i] != "" {
			lines[i] = prefix + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
