package offline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip returns at most n bytes of s, whole runes only.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// oneLine makes runs of white space one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// headline is s in one line that is not too long to stand in a sentence.
func headline(s string) string {
	const most = 120
	s = oneLine(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(clip(s, most)) + "…"
}

// fence puts text into a code block that nothing in it can end, and says how
// many lines it left out.
func fence(text string, most int) string {
	text = strings.TrimRight(text, "\n")
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	lines := strings.Split(text, "\n")
	more := ""
	if len(lines) > most {
		more = fmt.Sprintf("\n\n(%s more)", count(len(lines)-most, "line", "lines"))
		lines = lines[:most]
	}
	return ticks + "\n" + strings.Join(lines, "\n") + "\n" + ticks + more
}

// quote is text as a Markdown quotation.
func quote(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "> (no words)"
	}
	lines := strings.Split(text, "\n")
	if len(lines) > quoted {
		lines = append(lines[:quoted:quoted], fmt.Sprintf("(%s more)", count(len(lines)-quoted, "line", "lines")))
	}
	return "> " + strings.Join(lines, "\n> ")
}

// count is a number with its noun: 1 file, 3 files.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// summaryOf is the first sentence-like line of a Markdown text.
func summaryOf(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|") || line == "---" {
			continue
		}
		line = strings.Trim(strings.ReplaceAll(line, "**", ""), "*_>: ")
		if line != "" {
			return headline(line)
		}
	}
	return "Answered."
}

var notSlug = pattern(`[^a-z0-9]+`)

// slug makes a name of a directory: lower case, letters, digits and dashes.
func slug(s string) string {
	s = strings.Trim(notSlug().ReplaceAllString(strings.ToLower(s), "-"), "-")
	if s == "" {
		return "here"
	}
	return clip(s, 24)
}

// stop words carry no meaning to search for.
var stopWords = wordSet(`
a about above add after again all also an and any are as at be because been before being below between both but by
can could describe did do does doing done down each explain few find fix for from further get give go had has have
having he help her here him his how i if implement in into is it its just know list look make may me might more most
must my need new no not now of off on once only or other our out over own please project repo repository code file
files same see she should show so some such support survey tell than that the their them then there these they thing
things this those through to too under until up us use used using very want was we were what when where which while
who why will with within would write you your
`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		set[w] = true
	}
	return set
}

const maxWords = 3

// significant picks the words of a text worth searching for: identifiers
// first, then the longer ones; at most three, in the order of the text.
func significant(text string) []string {
	var found []string
	seen := map[string]bool{}
	for w := range strings.FieldsFuncSeq(clip(text, 4000), notWord) {
		w = strings.Trim(w, "-_")
		low := strings.ToLower(w)
		if utf8.RuneCountInString(w) < 3 || len(w) > 60 || stopWords[low] || seen[low] || strings.Trim(w, "0123456789") == "" {
			continue
		}
		seen[low] = true
		found = append(found, singular(w))
	}
	for len(found) > maxWords {
		worst := 0
		for i, w := range found {
			if weight(w) <= weight(found[worst]) {
				worst = i
			}
		}
		found = append(found[:worst:worst], found[worst+1:]...)
	}
	return found
}

// singular takes the s of a plural off, so that both are found.
func singular(w string) string {
	if len(w) > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && strings.ToLower(w) == w {
		return w[:len(w)-1]
	}
	return w
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }

func weight(w string) int {
	n := min(utf8.RuneCountInString(w), 12)
	if strings.ContainsRune(w, '_') || strings.IndexFunc(w[1:], unicode.IsUpper) >= 0 {
		n += 20 // looks like an identifier
	}
	return n
}
