package ui

import (
	"bytes"

	"github.com/gdamore/tcell/v2"
)

// steady is a terminal that is not told of synchronised output (mode 2026).
type steady struct{ tcell.Tty }

var synchronised = [][]byte{[]byte("\x1b[?2026h"), []byte("\x1b[?2026l")}

// Write passes on all but the mode. tcell writes a frame as a whole, so the
// sequences are never cut in two.
func (s steady) Write(b []byte) (int, error) {
	rest := b
	for _, mode := range synchronised {
		rest = bytes.ReplaceAll(rest, mode, nil)
	}
	if len(rest) == 0 {
		return len(b), nil
	}
	if n, err := s.Tty.Write(rest); err != nil {
		return n, err
	}
	return len(b), nil
}

// newScreen opens the terminal.
func newScreen(o *Options) (tcell.Screen, error) {
	if !o.Steady {
		return tcell.NewScreen()
	}
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, err
	}
	return tcell.NewTerminfoScreenFromTty(steady{tty})
}
