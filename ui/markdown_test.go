package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/themes"
)

func linesText(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(lineText(l), " ") + "\n")
	}
	return b.String()
}

func sampleMarkdown(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "prim", "sample.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func TestMarkdownGolden(t *testing.T) {
	src := sampleMarkdown(t)
	for _, width := range []int{24, 60, 100} {
		golden(t, fmt.Sprintf("prim/markdown-%d.txt", width), linesText(Markdown(src, width)))
	}
}

func TestMarkdownScreen(t *testing.T) {
	s, sim := newSim(t, 64, 70)
	p := darkPalette(t)
	fill(s, 0, 0, 64, 70, p.Style(themes.Text))
	for i, l := range Markdown(sampleMarkdown(t), 62) {
		drawLine(s, 1, i, 62, l, p, p.Style(themes.Text))
	}
	s.Show()
	golden(t, "prim/markdown.svg", screenSVG(sim))
}

func TestMarkdownSpans(t *testing.T) {
	for _, c := range []struct {
		src  string
		want Line
	}{
		{"a *b* **c** ~~d~~ `e`", Line{{Text: "a "}, {Text: "b", Attr: Italic}, {Text: " "}, {Text: "c", Attr: Bold}, {Text: " "}, {Text: "d", Attr: Strike}, {Text: " "}, {Text: "e", Role: themes.Code}}},
		{"[x](https://e.org)", Line{{Text: "x", Role: themes.Link, Link: "https://e.org"}, {Text: " (https://e.org)", Role: themes.Muted}}},
		{"<https://e.org>", Line{{Text: "https://e.org", Role: themes.Link, Link: "https://e.org"}}},
		{"![pic](a.png)", Line{{Text: "pic", Role: themes.Link, Link: "a.png"}, {Text: " (a.png)", Role: themes.Muted}}},
		{"&lt;b&gt; \\*x\\* &#7;z &#x202e;y &amp;amp; &nope;", Line{{Text: "<b> *x* z y &amp; &nope;"}}},
		{"a<b>c</b>", Line{{Text: "a<b>c</b>"}}},
		{"[red]x[-] [::b]", Line{{Text: "[red]x[-] [::b]"}}},
		{"\x1b[31mx\u202ey\x07", Line{{Text: "xy"}}},
		{"- [x] done", Line{{Text: "• ", Role: themes.Muted}, {Text: "[x] ", Role: themes.Muted}, {Text: "done"}}},
	} {
		got := Markdown(c.src, 80)
		if len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(c.want) {
			t.Errorf("%q:\n got %+v\nwant %+v", c.src, got, c.want)
		}
	}
}

// hostileMarkdown is what grammars and layouts choke on.
func hostileMarkdown() map[string]string {
	n := 20_000
	return map[string]string{
		"brackets": strings.Repeat("[", n), "quotes": strings.Repeat(">", n), "quotes2": strings.Repeat("> ", n),
		"emphasis": strings.Repeat("*a ", n), "emphasis2": strings.Repeat("*a_", n), "ticks": strings.Repeat("`a", n), "links": strings.Repeat("[a](", n),
		"lists": strings.Repeat("- ", n), "nested": nested(400), "html": strings.Repeat("<a ", n), "comments": strings.Repeat("<!--", n), "entities": strings.Repeat("&amp;", n),
		"wide table": "|" + strings.Repeat("a|", n) + "\n|" + strings.Repeat("-|", n) + "\n" + strings.Repeat("|\n", n),
		"table":      "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|\n", n), "pipes": strings.Repeat("|", n),
		"refs": strings.Repeat("[a]: b\n", n/4) + strings.Repeat("[a] ", n/4), "images": strings.Repeat("![", n), "long word": strings.Repeat("x", 5*n),
		"marks": "a" + strings.Repeat("\u0301", n), "rules": strings.Repeat("---\n", n), "fences": strings.Repeat("```\n", n), "heads": strings.Repeat("# ", n),
		"emoji": strings.Repeat("👨\u200d👩\u200d👧", n/20), "strike": strings.Repeat("~~a ", n), "huge": strings.Repeat("word *and* ", 3*maxMarkdown/11),
		"plus": strings.Repeat("+ ", n), "numbers": strings.Repeat("1. ", n), "runs": runs(700), "runs2": strings.ReplaceAll(runs(700), "a", "a\n"), "deep quotes": strings.Repeat(strings.Repeat("> ", 400)+"x\n", 300), "tabs": strings.Repeat("\t", n), "spaces": strings.Repeat(" ", n) + "x", "brackets2": strings.Repeat("[a](<b", n), "autolink": strings.Repeat("<http:", n), "escapes": strings.Repeat("\\", n),
		"ordered": strings.Repeat("999999999. x\n", n/10), "closing": strings.Repeat("a**b", n), "mixed": strings.Repeat("**a *b ", n), "right": strings.Repeat("]", n), "linkref": strings.Repeat("[a][", n),
	}
}

// runs are code spans that never end.
func runs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + "a")
	}
	return b.String()
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

// TestMarkdownIsBounded: hostile texts cost about what their size costs. The
// bound tells a hang from a busy machine and is no measure.
func TestMarkdownIsBounded(t *testing.T) {
	for name, src := range hostileMarkdown() {
		for _, width := range []int{80} {
			start := time.Now()
			lines := Markdown(src, width)
			took := time.Since(start)
			t.Logf("%s at %d: %d KB, %d lines, %v", name, width, len(src)>>10, len(lines), took)
			if took > 5*time.Second {
				t.Errorf("%s at %d took %v", name, width, took)
			}
			checkLines(t, lines, width)
		}
	}
}

func checkLines(t fataler, lines []Line, width int) {
	t.Helper()
	for _, l := range lines {
		if n := lineWidth(l); n > width {
			t.Fatalf("line of %d cells at width %d: %.200q", n, width, lineText(l))
		}
		if text := lineText(l); core.Clean(text) != text || strings.ContainsAny(text, "\n\t") {
			t.Fatalf("line is not clean: %.200q", text)
		}
	}
}

func TestMarkdownAtEveryWidth(t *testing.T) {
	src := sampleMarkdown(t) + "\n" + strings.Join(hostileTexts, "\n\n")
	for width := -1; width <= 250; width++ {
		checkLines(t, Markdown(src, width), max(width, 1))
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, 20)
	}
	f.Add(sampleMarkdown(f), 33)
	f.Add("|a|b|\n|-|-:|\n|界界界界界|long words here|\n", 12)
	f.Add("> 1. > - a\n\n\n      code\n", 9)
	f.Fuzz(func(t *testing.T, src string, width int) {
		width %= 251
		checkLines(t, Markdown(src, width), max(width, 1))
	})
}

func BenchmarkMarkdown50KB(b *testing.B) {
	sample := sampleMarkdown(b)
	src := strings.Repeat(sample+"\n", 50<<10/len(sample)+1)[:50<<10]
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Markdown(src, 80)
	}
}
