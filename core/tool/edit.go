package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

const editMax = 16 << 20 // larger files are not edited

type editFile struct {
	def
	locks *locks
}

type editArgs struct {
	Path       string
	Old        string `json:"old_string"`
	New        string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

func (t editFile) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t editFile) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a editArgs
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	if a.Old == a.New {
		return failed("old_string and new_string are the same; there is nothing to change"), nil
	}
	target, refusal := newTarget(env, a.Path)
	if refusal != "" {
		return failed("cannot edit: %s", refusal), nil
	}
	defer target.close()
	defer t.locks.lock(target.full())()
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	old, err := target.stat()
	switch {
	case err != nil:
		return failed("cannot edit %s: %s", quoted(target.rel), reason(err)), nil
	case old == nil:
		return failed("cannot edit %s: there is no such file%s", quoted(target.rel), near(target.dir, target.full())), nil
	case old.Size() > editMax:
		return failed("cannot edit %s: it has %s", quoted(target.rel), size(old.Size())), nil
	}
	data, err := target.root.ReadFile(target.rel)
	if err != nil {
		return failed("cannot edit %s: %s", quoted(target.rel), reason(err)), nil
	}
	before := string(data)
	if strings.Contains(before[:min(len(before), probe)], "\x00") {
		return failed("cannot edit %s: it is binary", quoted(target.rel)), nil
	}
	e := newEdit(before, a)
	if e.problem != "" {
		return failed("%s: %s", quoted(target.rel), e.problem), nil
	}
	if err := target.replace(old, []byte(e.after())); err != nil {
		return failed("cannot edit %s: %s", quoted(target.rel), reason(err)), nil
	}
	return done(e.excerpt(target.rel)), nil
}

// edit is one replacement, found and ready.
type edit struct {
	text     string
	old, new string
	at       []int // where old stands
	problem  string
}

func newEdit(text string, a editArgs) edit {
	e := edit{text: text, old: a.Old, new: a.New}
	if strings.Contains(text, "\r\n") && !strings.Contains(a.Old, "\r") {
		// The model writes LF; the file's own ends of lines are kept.
		e.old = strings.ReplaceAll(e.old, "\n", "\r\n")
		e.new = strings.ReplaceAll(strings.ReplaceAll(e.new, "\r\n", "\n"), "\n", "\r\n")
	}
	if e.at = occurrences(text, e.old); len(e.at) == 0 && e.old != a.Old { // LF and CRLF side by side
		e.old, e.new = a.Old, a.New
		e.at = occurrences(text, e.old)
	}
	switch {
	case len(e.at) == 0:
		e.problem = "old_string does not occur in it" + nearest(text, a.Old)
	case len(e.at) > 1 && !a.ReplaceAll:
		e.problem = fmt.Sprintf("old_string occurs %d times (lines %s); add text around it to make it unique, or set replace_all", len(e.at), e.lines())
	}
	return e
}

func occurrences(text, old string) []int {
	var at []int
	for pos := 0; ; {
		n := strings.Index(text[pos:], old)
		if n < 0 {
			return at
		}
		at = append(at, pos+n)
		pos += n + len(old)
	}
}

func (e edit) lines() string {
	var list []string
	for _, at := range e.at[:min(10, len(e.at))] {
		list = append(list, fmt.Sprint(strings.Count(e.text[:at], "\n")+1))
	}
	if len(e.at) > 10 {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

func (e edit) after() string {
	var b strings.Builder
	pos := 0
	for _, at := range e.at {
		b.WriteString(e.text[pos:at])
		b.WriteString(e.new)
		pos = at + len(e.old)
	}
	b.WriteString(e.text[pos:])
	return b.String()
}

const (
	excerptPlaces = 3  // shown of a replacement of many
	excerptLines  = 40 // of each side of a place
	excerptAround = 2
)

// excerpt shows what has changed, in the manner of a unified diff.
func (e edit) excerpt(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "edited %s", quoted(name))
	if len(e.at) > 1 {
		fmt.Fprintf(&b, ", %d places", len(e.at))
	}
	b.WriteByte('\n')
	shift := 0 // of line numbers, by the places before
	for _, at := range e.at[:min(excerptPlaces, len(e.at))] {
		end := at + len(e.old)
		from := strings.LastIndexByte(e.text[:at], '\n') + 1
		to := end
		if !strings.HasSuffix(e.old, "\n") || e.new != "" && !strings.HasSuffix(e.new, "\n") {
			to = lineEnd([]byte(e.text[end:]), 0) + end
		}
		oldLines := splitLines(e.text[from:to])
		newLines := splitLines(e.text[from:at] + e.new + e.text[end:to])
		line := strings.Count(e.text[:from], "\n") + 1
		fmt.Fprintf(&b, "@@ line %d @@\n", line+shift)
		writeLines(&b, " ", lastLines(e.text[:from], excerptAround))
		writeLines(&b, "-", oldLines)
		writeLines(&b, "+", newLines)
		writeLines(&b, " ", firstLines(strings.TrimPrefix(strings.TrimPrefix(e.text[to:], "\r"), "\n"), excerptAround))
		shift += len(newLines) - len(oldLines)
	}
	if more := len(e.at) - excerptPlaces; more > 0 {
		fmt.Fprintf(&b, "(%d more places not shown)\n", more)
	}
	return b.String()
}

func writeLines(b *strings.Builder, mark string, lines []string) {
	for i, line := range lines {
		if i == excerptLines {
			fmt.Fprintf(b, "%s… (%d more lines)\n", mark, len(lines)-i)
			return
		}
		b.WriteString(mark + cut(strings.TrimSuffix(line, "\r"), grepLine) + "\n")
	}
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func firstLines(s string, n int) []string {
	var lines []string
	for s != "" && len(lines) < n {
		line, rest, _ := strings.Cut(s, "\n")
		lines, s = append(lines, line), rest
	}
	return lines
}

func lastLines(s string, n int) []string {
	s = strings.TrimSuffix(s, "\n")
	var lines []string
	for s != "" && len(lines) < n {
		at := strings.LastIndexByte(s, '\n')
		lines = append([]string{s[at+1:]}, lines...)
		s = s[:max(0, at)]
	}
	return lines
}

// nearest tells where a text that was not found may have been meant.
func nearest(text, old string) string {
	want := ""
	for line := range strings.Lines(old) {
		if want = strings.TrimSpace(line); want != "" {
			break
		}
	}
	if want == "" || len(want) > grepLine {
		return "; read the file again"
	}
	best, bestLine, at, n := len(want)/2+1, "", 0, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == want {
			return fmt.Sprintf("; its first line is line %d of the file, so what follows or the white space differs", n)
		}
		if d := len(line) - len(want); n > 5000 || d >= best || -d >= best {
			continue
		}
		if d := core.Distance(want, line); d < best {
			best, bestLine, at = d, line, n
		}
	}
	if at == 0 {
		return "; read the file again"
	}
	return fmt.Sprintf("; the nearest line is %d: %s", at, cut(bestLine, grepLine))
}
