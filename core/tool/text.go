package tool

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valid makes text that may come from anywhere valid UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// cut shortens s to at most n bytes, between characters, and marks it.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// quoted shows a file's name on one line: as it is where that is possible.
func quoted(name string) string {
	odd := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' '
	}
	if strings.IndexFunc(name, odd) >= 0 {
		return strconv.Quote(name)
	}
	return name
}

// size shows a number of bytes.
func size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB"} {
		if f /= 1000; f < 999.5 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}

// plural counts things: "1 line", "3 lines".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// lineCount counts lines as an editor does: the last one need not end.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// whole is the length of b without a character at its end that is not all there yet.
func whole(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return len(b) - n
			}
			break
		}
	}
	return len(b)
}
