package ui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"drover/core"
)

var hostileTexts = []string{
	"plain words", "", " ", "a", "…",
	"[red]tag[-] [\"region\"]x[\"\"] [::b]bold [:::https://evil/?a=b&c]link",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;ZXZpbA==\x1b\\ \u009b31m \x00\x07\x08\x7f",
	"abc\u202edcba\u202c \u2066x\u2069 \u200e\u200f \u061c",
	"zero\u200bwidth\u200c\u2060\ufeff soft\u00adhyphen",
	"界面 全角ＡＢＣ 한국어 ﾊﾝｶｸ", "e\u0301a\u0300\u0301\u0302\u0303 n\u0303",
	"z" + strings.Repeat("\u0301", 500) + "algo", "\u0301 lone mark", "\u200d\ufe0f lone joiners",
	"👨‍👩‍👧‍👦 family 🏳️‍🌈 flag 🇩🇪🇫🇷 ✔️ ⚠️ 👍🏽 ☑",
	strings.Repeat("👨\u200d", 40), "⸺⸻", "نص عربي", "tab\tand\nline\r\nend\rx",
	"\xff\xfe broken \xc3\x28 utf8", "\U000e0041\U000e0042 tags", "\u1160\u3164 fillers", "กำ ำ", "क्षि",
	"\ue000 private", "a\u2028b\u2029c", "\u0600٣", "ㅤ",
}

// checkCells holds that a drawing stayed within its cells and that each holds one visible cluster.
func checkCells(t fataler, sim tcell.SimulationScreen, x, y, width, used int) {
	t.Helper()
	if used < 0 || used > max(width, 0) {
		t.Fatalf("took %d of %d cells", used, width)
	}
	for row, cells := range simCells(sim) {
		for _, c := range cells {
			inside := row == y && c.x >= x && c.x+c.width <= x+width
			if !inside && c.text != "~" {
				t.Fatalf("cell %d,%d outside has %q", c.x, row, c.text)
			}
			for _, r := range c.text {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r) && r != 0x200d && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r == '\u2028' {
					t.Fatalf("cell %d,%d holds %U", c.x, row, r)
				}
			}
			if n := uniseg.StringWidth(c.text); n < 1 || n > 2 {
				t.Fatalf("cell %d,%d: %q is %d wide", c.x, row, c.text, n)
			}
			if len(c.text) > maxClusterBytes {
				t.Fatalf("cell %d,%d holds %d bytes", c.x, row, len(c.text))
			}
		}
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// tilde fills a screen with something that drawText must not touch outside.
func tilde(s *Thin) {
	s.Fill('~', tcell.StyleDefault)
}

func TestDrawTextIsSafe(t *testing.T) {
	for _, text := range hostileTexts {
		for width := -1; width <= 24; width++ {
			s, sim := newSim(t, 30, 3)
			tilde(s)
			used := drawText(s, 3, 1, width, text, tcell.StyleDefault.Bold(true))
			s.Show()
			checkCells(t, sim, 3, 1, width, used)
			if want := min(textWidth(text), max(width, 0)); used > want {
				t.Errorf("%q in %d: took %d, want at most %d", text, width, used, want)
			}
			if cut := truncate(text, width); textWidth(cut) > max(width, 0) || textWidth(text) <= width && cut != plain(text) {
				t.Errorf("truncate(%q, %d) = %q", text, width, cut)
			}
			if width >= 0 && textWidth(padRight(text, width)) != width {
				t.Errorf("padRight(%q, %d) is %d wide", text, width, textWidth(padRight(text, width)))
			}
		}
	}
}

func FuzzDrawText(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, 7)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width %= 40
		s, sim := newSim(t, 44, 3)
		tilde(s)
		used := drawText(s, 2, 1, width, text, tcell.StyleDefault)
		s.Show()
		checkCells(t, sim, 2, 1, width, used)
	})
}

func TestDrawTextCutsWithAnEllipsis(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"hello", 5, "hello"}, {"hello", 4, "hel…"}, {"hello", 1, "…"}, {"界界", 4, "界界"}, {"界界", 3, "界…"},
		{"界界", 2, "…"}, {"a\tb\nc", 9, "a b c"}, {"[red]x", 9, "[red]x"}, {"⸻", 4, "—"},
	} {
		s, sim := newSim(t, 12, 1)
		drawText(s, 0, 0, c.width, c.text, tcell.StyleDefault)
		s.Show()
		if got := strings.TrimSuffix(screenText(sim), "\n"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""}, {"one two three", 7, "one two|three"}, {"one two three", 3, "one|two|thr|ee"},
		{"  lead", 10, "  lead"}, {"  leading", 7, "leading"}, {"trail   ", 10, "trail"}, {"a  b", 10, "a  b"},
		{"界界界界", 5, "界界|界界"}, {"ab界界", 4, "ab界|界"}, {"界", 1, ""}, {"see https://x.example/abc", 10, "see https:|//x.exampl|e/abc"},
		{"longerthanthat x", 6, "longer|thanth|at x"},
	} {
		if got := strings.Join(wrapLine(c.text, c.width), "|"); got != c.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestWrapKeepsEverything: no line is too wide, and only blanks get lost.
func TestWrapKeepsEverything(t *testing.T) {
	letters := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		for range rapid.IntRange(0, 4).Draw(t, "spans") {
			s := rapid.StringOf(rapid.SampledFrom([]rune("ab  界é-👍\u0301xyz"))).Draw(t, "text")
			l = append(l, Span{Text: s, Attr: Attr(rapid.IntRange(0, 3).Draw(t, "attr"))})
		}
		width := rapid.IntRange(1, 12).Draw(t, "width")
		got := ""
		for _, line := range Wrap(l, width) {
			if lineWidth(line) > width {
				t.Fatalf("%q is wider than %d", lineText(line), width)
			}
			got += lineText(line)
		}
		if want := letters(core.Clean(lineText(l))); width > 1 && letters(got) != want {
			t.Fatalf("got %q, want %q", letters(got), want)
		}
	})
}

func TestHardWrapAndTabs(t *testing.T) {
	if got := expandTabs("a\tbc\t\td"); got != "a   bc      d" {
		t.Errorf("tabs: %q", got)
	}
	for width := 1; width < 30; width++ {
		got := ""
		for _, l := range hardWrap("func main() {\tprintln(界) }", width, Span{Attr: OnCode}) {
			if lineWidth(l) > width {
				t.Errorf("%q is wider than %d", lineText(l), width)
			}
			got += l[len(l)-1].Text
		}
		if width > 1 && strings.ReplaceAll(got, " ", "") != "funcmain(){println(界)}" {
			t.Errorf("at %d: %q", width, got)
		}
	}
}

func TestLinksGivenToTheTerminal(t *testing.T) {
	for link, want := range map[string]bool{
		"https://example.com/a?b=c#d": true, "http://x": true, "mailto:a@b": true,
		"": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "https://x/$<99999>": false,
		"https://x/\x1b]": false, "https://x y": false, "https://ex\u202eample": false, "https://" + strings.Repeat("a", 2000): false,
	} {
		if safeLink(link) != want {
			t.Errorf("safeLink(%q) = %v", link, !want)
		}
	}
}

func BenchmarkDrawText(b *testing.B) {
	s, _ := newSim(b, 120, 40)
	for name, text := range map[string]string{"ascii": strings.Repeat("some words ", 10), "wide": strings.Repeat("全角 é ", 15)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				drawText(s, 0, 0, 120, text, tcell.StyleDefault)
			}
		})
	}
}
