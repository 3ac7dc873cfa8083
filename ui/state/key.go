package state

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drover/core"
)

// Key is one key press: the character as it is typed ("m", "G", " "), or a
// name with its modifiers ("Enter", "Esc", "Shift-Tab", "Ctrl-D", "Alt-Enter").
// Modifiers stand in the order Ctrl, Alt, Shift.
type Key string

// Rune returns the character of a key that types one.
func (k Key) Rune() (rune, bool) {
	r, n := utf8.DecodeRuneInString(string(k))
	return r, n == len(k) && n > 0 && r != utf8.RuneError
}

// Label is how the key is written for people.
func (k Key) Label() string {
	switch k {
	case " ":
		return "Space"
	case "Up":
		return "↑"
	case "Down":
		return "↓"
	case "Left":
		return "←"
	case "Right":
		return "→"
	}
	return string(k)
}

// keyNames are the keys that type nothing.
var keyNames = []string{
	"Enter", "Esc", "Tab", "Backspace", "Delete", "Insert", "Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDn", "Space",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}

// otherNames are what else people call them.
var otherNames = map[string]string{
	"return": "Enter", "cr": "Enter", "escape": "Esc", "del": "Delete", "ins": "Insert", "bs": "Backspace", "pageup": "PgUp", "pagedown": "PgDn",
	"pgdown": "PgDn", "spacebar": "Space", "↑": "Up", "↓": "Down", "←": "Left", "→": "Right",
}

// asAnother are combinations that a terminal sends as another key.
var asAnother = map[string]string{"Ctrl-I": "Tab", "Ctrl-M": "Enter", "Ctrl-H": "Backspace", "Ctrl-[": "Esc"}

// ParseKey reads a key as a person writes it: "x", "Space", "ctrl+d", "C-d",
// "<Alt-Enter>". The problem, where it is none, is said in words.
func ParseKey(text string) (k Key, problem string) {
	if _, ok := Key(text).Rune(); ok && unicode.IsPrint([]rune(text)[0]) {
		return Key(text), ""
	}
	shown := core.CleanLine(core.Short(text, 40))
	rest := strings.TrimSpace(text)
	if len(rest) > 2 && rest[0] == '<' && rest[len(rest)-1] == '>' {
		rest = rest[1 : len(rest)-1]
	}
	var ctrl, alt, shift bool
	for {
		i := strings.IndexAny(rest, "-+")
		if i < 1 || i == len(rest)-1 {
			break
		}
		switch strings.ToLower(rest[:i]) {
		case "ctrl", "control", "c":
			ctrl = true
		case "alt", "meta", "option", "a", "m":
			alt = true
		case "shift", "s":
			shift = true
		default:
			return "", "there is no key " + shown
		}
		rest = rest[i+1:]
	}
	base, problem := baseKey(rest, shown, ctrl, alt, shift)
	if problem != "" {
		return "", problem
	}
	if base == "Space" && !ctrl && !alt {
		return " ", ""
	}
	name := base
	if _, ok := Key(base).Rune(); !ok && shift {
		name = "Shift-" + name
	}
	if alt {
		name = "Alt-" + name
	}
	if ctrl {
		name = "Ctrl-" + name
	}
	if other, ok := asAnother[name]; ok {
		return "", "a terminal sends " + name + " as " + other + ": write " + other
	}
	return Key(name), ""
}

// baseKey is the key without its modifiers.
func baseKey(rest, shown string, ctrl, alt, shift bool) (base, problem string) {
	if r, ok := Key(rest).Rune(); ok && unicode.IsPrint(r) && r != ' ' {
		switch {
		case ctrl && alt:
			return "", "terminals do not send " + shown
		case ctrl && unicode.IsLetter(r) && r < utf8.RuneSelf:
			return strings.ToUpper(rest), ""
		case ctrl && !strings.ContainsRune(`\]^_[`, r):
			return "", "terminals do not send " + shown + ": Ctrl goes with letters"
		case shift && unicode.IsLetter(r):
			return strings.ToUpper(rest), ""
		case shift:
			return "", shown + ": write the character that it types"
		}
		return rest, ""
	}
	if other, ok := otherNames[strings.ToLower(rest)]; ok {
		rest = other
	}
	i := slices.IndexFunc(keyNames, func(n string) bool { return strings.EqualFold(n, rest) })
	if i < 0 {
		return "", "there is no key " + shown
	}
	return keyNames[i], ""
}
