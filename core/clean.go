package core

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean is the one sanitiser: everything an agent, a file or a server wrote
// goes through it before a terminal, a title, a notice or the clipboard sees
// it. What it returns holds printable characters, newlines and tabs only: no
// escape sequence (nor its visible remains), no C0 or C1 control, no bidi
// control, no invisible character that could hide or reorder text. Invalid
// UTF-8 becomes U+FFFD. Text is never hidden: an escape sequence without its
// end loses its introducer only. \r\n and \r become \n.
func Clean(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := escape(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			b.WriteByte('\n')
			if strings.HasPrefix(s[i+n:], "\n") {
				n++
			}
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case printable(r):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// CleanLine is Clean for one line: runs of white space become one blank.
func CleanLine(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

func clean(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !printable(r) {
			return false
		}
		i += n
	}
	return true
}

func printable(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < ' ' || r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return false
	case r == 0x200d, r == 0xfe0f: // joiners of emoji have no width of their own and reorder nothing
		return true
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x180e, r == 0x3164, r == 0xffa0:
		return false // invisible fillers
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return false // zero width, line separators, bidi
	case r >= 0xfe00 && r <= 0xfe0e, r == 0xfeff, r >= 0xfff0 && r <= 0xfffb:
		return false
	case r >= 0xe0000 && r <= 0xe0fff: // tags, variation selectors
		return false
	}
	return !unicode.Is(unicode.Cs, r) && !unicode.Is(unicode.Co, r)
}

// escape returns the length of the control sequence s begins with, or 0.
func escape(s string) int {
	intro, n := byte(0), 0
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		intro, n = s[1], 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f: // C1 in UTF-8
		intro, n = s[1]-0x40, 2
	case len(s) >= 1 && s[0] == 0x1b:
		return 1
	default:
		return 0
	}
	switch intro {
	case '[': // CSI: parameters, intermediates, one final byte
		i := n
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
		return n
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: up to BEL or ST, on one line
		for i := n; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
				return i + 2
			case s[i] == '\n' || s[i] == 0x1b:
				return n
			case s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f: // another begins; also keeps this linear
				return n
			}
		}
		return n
	case '(', ')', '*', '+', '-', '.', '/', '#', '%', ' ':
		if len(s) > n && s[n] >= ' ' && s[n] < 0x7f {
			return n + 1
		}
	}
	if s[0] == 0x1b && (intro < 0x20 || intro >= 0x7f) {
		return 1 // ESC before something that is no sequence: only the ESC goes
	}
	return n
}
