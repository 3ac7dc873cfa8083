package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// literal is a word as a pattern that matches only itself.
func literal(word string) string { return regexp.QuoteMeta(word) }

// code is text as Markdown code in a line, never too long.
func code(text string) string {
	text = headline(text)
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

func hitList(found []hit, most int) string {
	var lines []string
	for _, h := range found[:min(most, len(found))] {
		lines = append(lines, strings.TrimSpace(h.String()+" "+code(h.text)))
	}
	if n := len(found); n > most {
		lines = append(lines, fmt.Sprintf("(%d more)", n-most))
	}
	return "- " + strings.Join(lines, "\n- ")
}

// inCode keeps the hits in files of code.
func inCode(found []hit) []hit {
	var out []hit
	for _, h := range found {
		if isCode(h.path) {
			out = append(out, h)
		}
	}
	return out
}

func filesIn(found []hit) int {
	seen := map[string]bool{}
	for _, h := range found {
		seen[h.path] = true
	}
	return len(seen)
}

// ranked orders hits: lines with more of the words first, code before prose,
// what is not vendored or a test before what is; else as they were found.
func ranked(found []hit, words []string) []hit {
	out := slices.Clone(found)
	score := func(h hit) int {
		n := 0
		low := strings.ToLower(h.text)
		for _, w := range words {
			if strings.Contains(low, strings.ToLower(w)) {
				n += 4
			}
		}
		if definition().MatchString(h.text) {
			n += 3
		}
		if isCode(h.path) {
			n++
		}
		if isLesser(h.path) || isTest(h.path) {
			n -= 2
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b hit) int { return score(b) - score(a) })
	return out
}

var definition = pattern(defRegex)

// numberedLine is a line of read_file's output.
type numberedLine struct {
	n    int // 0 where it has no number
	text string
}

var (
	readLine = pattern(`^\s*(\d+)(?:\t|→|\||: |:\t| {2})(.*)$`)
	noteEnd  = pattern(`^[\[(].*(?:lines?|more|offset|end of file|is empty).*[\])]$`)
)

// numbered reads the output of read_file: numbered lines, with or without a note at the end.
func numbered(text string) []numberedLine {
	var out []numberedLine
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := readLine().FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			if err == nil {
				out = append(out, numberedLine{n, m[2]})
				continue
			}
		}
		if !noteEnd().MatchString(strings.TrimSpace(line)) {
			out = append(out, numberedLine{0, line})
		}
	}
	return out
}

// linesIn is how many lines the file has, as far as the output tells: its note
// does, or there is none and the last number does.
func linesIn(text string) int {
	last := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if n := total(line); n > 0 && noteEnd().MatchString(line) {
			return n
		}
	}
	for _, l := range numbered(text) {
		last = max(last, l.n)
	}
	return last
}

func total(note string) int {
	m := totalLine().FindStringSubmatch(note)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil {
		return 0
	}
	return n
}
