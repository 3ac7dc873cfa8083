package core_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"drover/core"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "plain text, 漢字, é, 🙂\n\tindented", "plain text, 漢字, é, 🙂\n\tindented"},
		{"family emoji keeps its joiners", "👨‍👩‍👧 ❤️", "👨‍👩‍👧 ❤️"},
		{"tags of tview are text", "[red]not red[-]", "[red]not red[-]"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"true colour", "\x1b[38;2;1;2;3mred\x1b[m", "red"},
		{"colon parameters", "\x1b[4:3mred", "red"},
		{"cursor and erase", "a\x1b[2J\x1b[Hb", "ab"},
		{"private mode", "a\x1b[?1049hb", "ab"},
		{"title by BEL", "a\x1b]0;owned\x07b", "ab"},
		{"title by ST", "a\x1b]0;owned\x1b\\b", "ab"},
		{"title by C1 ST", "a\x1b]0;owned\u009cb", "ab"},
		{"clipboard", "a\x1b]52;c;aGVsbG8=\x07b", "ab"},
		{"link", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"device control", "a\x1bPq#0;2;0;0;0\x1b\\b", "ab"},
		{"C1 CSI", "a\u009b31mb", "ab"},
		{"C1 OSC", "a\u009d0;owned\u009cb", "ab"},
		{"raw 8-bit CSI is invalid UTF-8", "a\x9b31mb", "a\uFFFD31mb"},
		{"unterminated OSC hides nothing", "a\x1b]0;all of this\nand this", "a0;all of this\nand this"},
		{"unterminated OSC at the end", "a\x1b]0;still here", "a0;still here"},
		{"OSC cut short by another sequence", "a\x1b]0;still\x1b[31mhere", "a0;stillhere"},
		{"unterminated CSI", "a\x1b[12", "a12"},
		{"CSI broken by a control", "a\x1b[1\x07mb", "a1mb"},
		{"lone escape", "a\x1b", "a"},
		{"escape before a wide character", "a\x1b漢", "a漢"},
		{"two escapes", "\x1b\x1b[31mred", "red"},
		{"reset", "a\x1bcb", "ab"},
		{"charset", "a\x1b(0b", "ab"},
		{"keypad", "a\x1b=b\x1b>c", "abc"},
		{"carriage return does not overwrite", "safe\rrm -rf", "safe\nrm -rf"},
		{"windows lines", "a\r\nb\r\nc", "a\nb\nc"},
		{"backspace does not eat", "safe\b\b\b\bevil", "safeevil"},
		{"bell, null, delete", "a\x07b\x00c\x7fd", "abcd"},
		{"shift out", "a\x0eb\x0f", "ab"},
		{"vertical tab, form feed", "a\vb\fc", "abc"},
		{"bidi override", "user\u202egnp.exe", "usergnp.exe"},
		{"bidi isolates and marks", "\u2066a\u2069\u200eb\u200f\u061c", "ab"},
		{"zero width", "pass\u200bword\u2060\ufeff", "password"},
		{"line separators", "a\u2028b\u2029c", "abc"},
		{"tag characters", "hi\U000e0068\U000e0069", "hi"},
		{"soft hyphen, fillers", "a\u00adb\u3164c\u115f", "abc"},
		{"private use", "a\ue000b\U000f0000c", "abc"},
		{"invalid UTF-8", "a\xff\xfeb\xc3", "a\uFFFD\uFFFDb\uFFFD"},
		{"overlong escape", "a\xc0\x9b[31mb", "a\uFFFD\uFFFD[31mb"},
		{"surrogate", "a\xed\xa0\x80b", "a\uFFFD\uFFFD\uFFFDb"},
		{"a sequence made by removing another", "\x1b\x1b[0m[31mred", "[31mred"},
		{"a sequence made by removing a bidi mark", "\x1b\u202e[31mred", "[31mred"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := core.Clean(tt.in)
			if got != tt.want {
				t.Errorf("Clean(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			harmless(t, tt.in, got)
		})
	}
}

func TestCleanLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{" \n\t ", ""},
		{"  one\n two\tthree\r\nfour ", "one two three four"},
		{"a\x1b]0;x\x07\nb", "a b"},
		{"a\u2028b", "ab"},
		{"a\u00a0 b", "a b"},
	} {
		if got := core.CleanLine(tt.in); got != tt.want {
			t.Errorf("CleanLine(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCleanLeavesNoTrace(t *testing.T) {
	s := strings.Repeat("plain text\n", 100)
	if n := testing.AllocsPerRun(20, func() { core.Clean(s) }); n != 0 {
		t.Errorf("plain text costs %v allocations", n)
	}
}

// Many introducers without an end must not cost the square of their number.
func TestCleanIsLinear(t *testing.T) {
	for _, intro := range []string{"\u009d", "\x1b]", "\x1b[1", "\u009b;", "\x1bP", "\u0090x"} {
		if out := core.Clean(strings.Repeat(intro, 1<<20)); len(out) > 1<<20 {
			t.Errorf("%q: %d bytes left", intro, len(out))
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07x", "\x1b]0;open\nnext", "\u009b31m", "a\x9b1m",
		"\u202eabc", "\xff\xfe", "a\rb\r\n", "\x1b\x1b[0m[31m", "\x1bP\x1b]\x1b\\", "👨‍👩‍👧", "\U000e0041", "\xc2\x1b[mb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		harmless(t, s, core.Clean(s))
		line := core.CleanLine(s)
		if strings.ContainsAny(line, "\n\t") || line != strings.TrimSpace(line) {
			t.Errorf("CleanLine(%q) = %q: not one tidy line", s, line)
		}
		// An introducer that never ends must not swallow the text that follows.
		plain := strings.Map(func(r rune) rune {
			if r < unicode.MaxASCII && (unicode.IsLetter(r) || r == ' ') {
				return r
			}
			return -1
		}, s)
		for _, intro := range []string{"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\u009d", "\u0090"} {
			if got := core.Clean(intro + plain); got != plain {
				t.Errorf("Clean(%q) = %q hides text", intro+plain, got)
			}
		}
	})
}

// harmless holds what Clean promises of any input.
func harmless(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("Clean(%q) = %q: invalid UTF-8", in, out)
	}
	if again := core.Clean(out); again != out {
		t.Errorf("Clean(%q) = %q, and cleaned again %q", in, out, again)
	}
	for _, r := range out {
		switch {
		case r == '\n' || r == '\t' || r == 0x200d:
		case unicode.IsControl(r):
			t.Errorf("Clean(%q) lets the control %U through", in, r)
		case unicode.Is(unicode.Cf, r) && r < 0xe000 && !visibleFormat(r):
			t.Errorf("Clean(%q) lets the invisible %U through", in, r)
		case unicode.Is(unicode.Bidi_Control, r):
			t.Errorf("Clean(%q) lets the bidi control %U through", in, r)
		case unicode.In(r, unicode.Zl, unicode.Zp):
			t.Errorf("Clean(%q) lets the line separator %U through", in, r)
		case unicode.Is(unicode.Variation_Selector, r) && r != 0xfe0f:
			t.Errorf("Clean(%q) lets the variation selector %U through", in, r)
		case r >= 0xe0000 && r < 0xe1000:
			t.Errorf("Clean(%q) lets the tag %U through", in, r)
		}
	}
	if isPlain(in) && in != out {
		t.Errorf("Clean(%q) = %q changes plain text", in, out)
	}
}

// visibleFormat are the format characters that draw something: signs that span Arabic, Syriac and Kaithi numbers.
func visibleFormat(r rune) bool {
	return r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x890 || r == 0x891 || r == 0x8e2 || r == 0x110bd || r == 0x110cd
}

func isPlain(s string) bool {
	for _, r := range s {
		if r != '\n' && r != '\t' && (r == utf8.RuneError || !unicode.IsPrint(r)) || r > 0x7e && !unicode.IsLetter(r) || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 {
			return false
		}
	}
	return true
}
