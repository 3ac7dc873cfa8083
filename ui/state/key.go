package state

import "unicode/utf8"

// Key is one key press: the character as it is typed ("m", "G", " "), or a
// name with its modifiers ("Enter", "Esc", "Shift-Tab", "Ctrl-D", "Alt-Enter").
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
