package agents

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"drover/core"
)

const (
	maxFile  = 1 << 20
	maxFront = 256 << 10
)

// A document is a file's text taken apart.
type document struct {
	front    string // the front matter, without its rules
	line     int    // of the front matter's first line in the file
	body     string
	has      bool // there is front matter
	odd      bool // something stands before it, which a strict reader refuses
	problems []Problem
}

func (d *document) warn(line int, message, repair string) {
	d.problems = append(d.problems, Problem{Severity: Warning, Line: line, Message: message, Repair: repair})
}

func (d *document) fail(line int, message, repair string) {
	d.problems = append(d.problems, Problem{Severity: Error, Line: line, Message: message, Repair: repair})
}

// readable makes printable UTF-8 with \n line ends of a file's bytes. What it
// had to mend becomes problems of the document; lines keep their numbers.
func (d *document) readable(raw []byte) string {
	if rest, ok := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); ok {
		raw, d.odd = rest, true
		d.warn(1, "the file starts with a byte-order mark", "it was skipped")
	}
	if !utf8.Valid(raw) {
		i := 0
		for i < len(raw) {
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		d.warn(1+bytes.Count(raw[:i], []byte("\n")), "the file is not valid UTF-8", "each bad byte became U+FFFD")
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	text := string(raw)
	if strings.Contains(text, "\r") {
		if i := strings.Index(text, "\r\r\n"); i >= 0 {
			d.warn(1+strings.Count(text[:i], "\n"), `lines end in \r\r\n`, `read as \n`)
			text = strings.ReplaceAll(text, "\r\r\n", "\n")
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	clean := core.Clean(text)
	if clean == text {
		return text
	}
	line := 1
	for i := 0; i < len(text) && i < len(clean) && text[i] == clean[i]; i++ {
		if text[i] == '\n' {
			line++
		}
	}
	if strings.Count(clean, "\n") == strings.Count(text, "\n") {
		d.warn(line, "the file holds control characters, escape sequences or invisible characters", "they were removed")
	} else {
		d.warn(line, "the file holds control characters or escape sequences", "they were removed, so later line numbers may differ")
	}
	return clean
}

// cutLine cuts the first line off; more says that a line end followed it.
func cutLine(s string) (line, rest string, more bool) { return strings.Cut(s, "\n") }

// split takes a file apart: front matter between two rules of ---, and the
// body. It forgives what people's files really have, and says so.
func split(raw []byte) document {
	var d document
	text := d.readable(raw)
	at := 1
	for {
		line, rest, more := cutLine(text)
		if strings.TrimSpace(line) != "" || !more {
			break
		}
		text, at = rest, at+1
	}
	if at > 1 && strings.HasPrefix(strings.TrimLeft(text, " \t"), "---") {
		d.odd = true
		d.warn(1, "blank lines stand before the front matter", "they were skipped")
	}
	text, at = d.unfence(text, at)
	first, rest, _ := cutLine(text)
	if strings.TrimSpace(first) != "---" {
		d.body = strings.TrimSpace(text)
		return d
	}
	if indent := first[:len(first)-len(strings.TrimLeft(first, " \t"))]; indent != "" {
		d.odd = true
		d.warn(at, "the front matter is indented", "the indent was taken off every line")
		rest = dedent(rest, indent)
	}
	d.line = at + 1
	d.close(rest)
	return d
}

// unfence takes off a code fence that holds the whole file.
func (d *document) unfence(text string, at int) (string, int) {
	first, rest, _ := cutLine(text)
	if !strings.HasPrefix(strings.TrimSpace(first), "```") {
		return text, at
	}
	second, _, _ := cutLine(rest)
	if strings.TrimSpace(second) != "---" {
		return text, at
	}
	d.odd = true
	d.warn(at, "the whole file stands in a code fence", "the fence was taken off")
	end := strings.TrimRight(rest, " \t\n")
	if i := strings.LastIndexByte(end, '\n'); i >= 0 && strings.TrimSpace(end[i:]) == "```" {
		rest = end[:i+1]
	}
	return rest, at + 1
}

func dedent(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		for k := 0; k < len(indent) && l != "" && (l[0] == ' ' || l[0] == '\t'); k++ {
			l = l[1:]
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// close finds the rule that ends the front matter: the first line of three
// dashes or more, else an indented --- or YAML's own end mark.
func (d *document) close(text string) {
	type rule struct{ from, to, line int }
	var loose rule
	loose.from = -1
	for pos, n := 0, 0; pos <= len(text); n++ {
		line, _, more := cutLine(text[pos:])
		next := pos + len(line) + 1
		right := strings.TrimRight(line, " \t")
		if len(right) >= 3 && strings.Trim(right, "-") == "" {
			if len(right) > 3 {
				d.warn(d.line+n, "the front matter is closed by more than three dashes", "read as its end; write ---")
			}
			d.end(text, pos, next)
			return
		}
		if loose.from < 0 && (strings.TrimSpace(line) == "---" || right == "...") {
			loose = rule{pos, next, d.line + n}
		}
		if !more {
			break
		}
		pos = next
	}
	if loose.from < 0 {
		d.fail(d.line-1, "the front matter is never closed", "end it with a line of ---")
		return
	}
	d.warn(loose.line, "the front matter is closed by something other than ---", "read as its end; write ---")
	d.end(text, loose.from, loose.to)
}

func (d *document) end(text string, from, to int) {
	d.has = true
	d.front = text[:from]
	if to < len(text) {
		d.body = strings.TrimSpace(text[to:])
	}
	if len(d.front) > maxFront {
		d.fail(d.line-1, "the front matter is larger than 256 KiB", "shorten it")
		d.front = ""
	}
}
