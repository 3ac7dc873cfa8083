package ui

import (
	"github.com/gdamore/tcell/v2"

	"drover/ui/state"
)

// named are the keys with a name of their own.
var named = map[tcell.Key]string{
	tcell.KeyEnter: "Enter", tcell.KeyEsc: "Esc", tcell.KeyTab: "Tab", tcell.KeyBacktab: "Shift-Tab",
	tcell.KeyBackspace: "Backspace", tcell.KeyBackspace2: "Backspace", tcell.KeyDelete: "Delete",
	tcell.KeyUp: "Up", tcell.KeyDown: "Down", tcell.KeyLeft: "Left", tcell.KeyRight: "Right",
	tcell.KeyHome: "Home", tcell.KeyEnd: "End", tcell.KeyPgUp: "PgUp", tcell.KeyPgDn: "PgDn",
	tcell.KeyF1: "F1", tcell.KeyCtrlJ: "Ctrl-J", tcell.KeyCtrlUnderscore: "Ctrl-_",
}

// keyOf is the key as the State knows it.
func keyOf(ev *tcell.EventKey) state.Key {
	k, mod := ev.Key(), ev.Modifiers()
	if k == tcell.KeyRune {
		r := ev.Rune()
		switch {
		case mod&tcell.ModCtrl != 0 && r >= 'a' && r <= 'z':
			return state.Key("Ctrl-" + string(r-'a'+'A'))
		case mod&tcell.ModCtrl != 0 && r == '_':
			return "Ctrl-_"
		case mod&tcell.ModAlt != 0:
			return state.Key("Alt-" + string(r))
		}
		return state.Key(string(r))
	}
	if name, ok := named[k]; ok {
		switch {
		case name == "Enter" && mod&(tcell.ModAlt|tcell.ModShift) != 0, name == "Backspace" && mod&tcell.ModAlt != 0:
			return state.Key("Alt-" + name)
		case (name == "Left" || name == "Right") && mod&(tcell.ModCtrl|tcell.ModAlt) != 0:
			return state.Key("Ctrl-" + name)
		}
		return state.Key(name)
	}
	if k >= tcell.KeyCtrlA && k <= tcell.KeyCtrlZ {
		return state.Key("Ctrl-" + string(rune('A'+k-tcell.KeyCtrlA)))
	}
	return state.Key(ev.Name())
}
