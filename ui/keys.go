package ui

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"drover/ui/state"
)

// named are the keys with a name of their own.
var named = map[tcell.Key]string{
	tcell.KeyEnter: "Enter", tcell.KeyEsc: "Esc", tcell.KeyTab: "Tab", tcell.KeyBacktab: "Shift-Tab",
	tcell.KeyBackspace: "Backspace", tcell.KeyBackspace2: "Backspace", tcell.KeyDelete: "Delete", tcell.KeyInsert: "Insert",
	tcell.KeyUp: "Up", tcell.KeyDown: "Down", tcell.KeyLeft: "Left", tcell.KeyRight: "Right",
	tcell.KeyHome: "Home", tcell.KeyEnd: "End", tcell.KeyPgUp: "PgUp", tcell.KeyPgDn: "PgDn",
	tcell.KeyCtrlJ: "Ctrl-J", tcell.KeyCtrlSpace: "Ctrl-Space", tcell.KeyCtrlBackslash: `Ctrl-\`, tcell.KeyCtrlRightSq: "Ctrl-]",
	tcell.KeyCtrlCarat: "Ctrl-^", tcell.KeyCtrlUnderscore: "Ctrl-_",
	tcell.KeyF1: "F1", tcell.KeyF2: "F2", tcell.KeyF3: "F3", tcell.KeyF4: "F4", tcell.KeyF5: "F5", tcell.KeyF6: "F6",
	tcell.KeyF7: "F7", tcell.KeyF8: "F8", tcell.KeyF9: "F9", tcell.KeyF10: "F10", tcell.KeyF11: "F11", tcell.KeyF12: "F12",
}

// keyOf is the key as the State knows it.
func keyOf(ev *tcell.EventKey) state.Key {
	k, mod := ev.Key(), ev.Modifiers()
	if k == tcell.KeyRune {
		r := ev.Rune()
		switch {
		case mod&tcell.ModCtrl != 0 && r >= 'a' && r <= 'z':
			return state.Key("Ctrl-" + string(r-'a'+'A'))
		case mod&tcell.ModCtrl != 0 && r == ' ':
			return "Ctrl-Space"
		case mod&tcell.ModAlt != 0 && r == ' ':
			return "Alt-Space"
		case mod&tcell.ModAlt != 0:
			return state.Key("Alt-" + string(r))
		}
		return state.Key(string(r))
	}
	if name, ok := named[k]; ok {
		return state.Key(modified(name, k, mod))
	}
	if k >= tcell.KeyCtrlA && k <= tcell.KeyCtrlZ {
		return state.Key("Ctrl-" + string(rune('A'+k-tcell.KeyCtrlA)))
	}
	return state.Key(fmt.Sprintf("Key-%d", k))
}

// modified writes the modifiers in the order Ctrl, Alt, Shift. Terminals differ
// in which they send with Enter and the arrows: those that mean the same are one.
func modified(name string, k tcell.Key, mod tcell.ModMask) string {
	ctrl, alt, shift := mod&tcell.ModCtrl != 0, mod&tcell.ModAlt != 0, mod&tcell.ModShift != 0
	switch {
	case k == tcell.KeyBacktab, k >= tcell.KeyCtrlSpace && k <= tcell.KeyCtrlUnderscore:
		return name // the modifier is in the name
	case name == "Enter" && (alt || shift):
		return "Alt-Enter"
	case name == "Backspace" && alt:
		return "Alt-Backspace"
	case name == "Backspace":
		return name
	case (name == "Left" || name == "Right") && alt && !shift:
		return "Ctrl-" + name
	}
	if shift {
		name = "Shift-" + name
	}
	if alt {
		name = "Alt-" + name
	}
	if ctrl {
		name = "Ctrl-" + name
	}
	return name
}
