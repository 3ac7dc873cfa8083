package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// maxSubjectArgs bounds what is parsed of arguments to find their subject.
const maxSubjectArgs = 64 << 10

// toolLines shows a call: one line with what it was about, what came of it
// and how long it took; expanded, its arguments and output below.
func (t *Transcript) toolLines(it *item, width int) []Line {
	if lines := it.completion(width); lines != nil && !t.expanded {
		return lines
	}
	edits := it.edits()
	glyph, role := "▸ ", themes.Tool
	if t.expanded {
		glyph = "▾ "
	}
	gist, gistRole := it.gist()
	if t.halted != "" && it.result == nil && !it.closed {
		gist, gistRole = t.halted, themes.Interrupted
	}
	if gistRole == themes.Failed {
		glyph, role = "✗ ", themes.Failed
	}
	left := Line{{Text: glyph, Role: role}, {Text: core.CleanLine(it.toolName()), Role: role}}
	if subject := it.subject(); subject != "" {
		left = append(left, Span{Text: " " + subject})
	}
	for _, e := range edits {
		if added, removed := state.DiffCount(e.Diff); added+removed > 0 {
			left = append(left, Span{Text: " +" + strconv.Itoa(added), Role: themes.DiffAdd}, Span{Text: " -" + strconv.Itoa(removed), Role: themes.DiffDel})
		}
	}
	if r := it.result; len(edits) > 0 && r != nil && !r.Failed { // what changed is shown
		gist = tookText(r.Took)
	}
	line := beside(left, gist, gistRole, width)
	if !t.expanded {
		return append([]Line{line}, it.diff(edits, width, false)...)
	}
	var lines []Line
	if it.thought != nil {
		lines = reasoning(it.thought, width)
	}
	lines = append(lines, line)
	if diff := it.diff(edits, width, true); len(diff) > 0 {
		return append(append(lines, diff...), it.output(width)...)
	}
	return append(lines, it.details(width)...)
}

// beside puts gist at the right end of the line; both are cut where there is too little room.
func beside(left Line, gist string, role themes.Role, width int) Line {
	gist = truncate(gist, max(width/2, min(width-12, 24)))
	room := width - textWidth(gist) - 2
	if room < 8 { // what came of it is told by the glyph too
		gist, room = "", width
	}
	var out Line
	n := 0
	for _, s := range left {
		s.Text = truncate(s.Text, room-n)
		n += textWidth(s.Text)
		out = append(out, s)
	}
	if gist == "" {
		return out
	}
	return append(appendBlank(out, width-n-textWidth(gist)), Span{Text: gist, Role: role})
}

func (it *item) toolName() string {
	switch {
	case it.call != nil && it.call.Tool != "":
		return it.call.Tool
	case it.asked != nil:
		return it.asked.Name
	case it.result != nil && it.result.Tool != "":
		return it.result.Tool
	}
	return "tool"
}

// gist is what came of the call, in a few words.
func (it *item) gist() (string, themes.Role) {
	r := it.result
	switch {
	case r == nil && it.closed:
		return "no result", themes.Warning
	case r == nil && it.call == nil:
		return "waiting", themes.Queued
	case r == nil:
		return "running", themes.Running
	}
	text := strings.TrimSpace(r.Text)
	first, _, more := strings.Cut(text, "\n")
	first = core.CleanLine(first[:min(len(first), 400)])
	took := ""
	if r.Took > 0 {
		took = " · " + tookText(r.Took)
	}
	switch {
	case r.Failed && first == "":
		return "failed" + took, themes.Failed
	case r.Failed:
		return "failed: " + truncate(first, 60) + took, themes.Failed
	case text == "":
		return "no output" + took, themes.Muted
	case !more && textWidth(first) <= 32:
		return first + took, themes.Muted
	}
	if n := strings.Count(text, "\n") + 1; n > 1 {
		return fmt.Sprintf("%d lines", n) + took, themes.Muted
	}
	return "1 line" + took, themes.Muted
}

// subject is the one thing the call is about: a path, a pattern, a command.
func (it *item) subject() string {
	if it.call != nil && it.call.Text != "" {
		return core.CleanLine(it.call.Text[:min(len(it.call.Text), 1000)])
	}
	if it.asked == nil || len(it.asked.Args) == 0 {
		return ""
	}
	raw := string(it.asked.Args)
	var args map[string]any
	if len(raw) > maxSubjectArgs || json.Unmarshal(it.asked.Args, &args) != nil {
		return core.CleanLine(strings.ToValidUTF8(raw[:min(len(raw), 200)], ""))
	}
	text := func(key string) string {
		s, _ := args[key].(string)
		return s
	}
	if p := text("pattern"); p != "" {
		return core.CleanLine(strings.TrimSpace(strconv.Quote(p) + " " + text("path")))
	}
	keys := []string{"path", "file_path", "command", "query", "url", "name", "description", "id", "agent_type", "prompt", "message", "summary", "intent"}
	for _, key := range append(keys, slices.Sorted(maps.Keys(args))...) {
		if s := text(key); s != "" {
			return core.CleanLine(s[:min(len(s), 1000)])
		}
	}
	return ""
}

// details are the arguments and the output.
func (it *item) details(width int) []Line {
	var out []Line
	if it.asked != nil {
		out = append(out, argLines(it.asked.Args, width)...)
	}
	return append(out, it.output(width)...)
}

func (it *item) output(width int) []Line {
	var out []Line
	if it.result != nil && strings.TrimSpace(it.result.Text) != "" {
		out = append(out, verbatim(it.result.Text, width, maxOutput)...)
		if it.result.Full != "" {
			out = append(out, indented(capped("all of it: "+it.result.Full, width-2, Span{Role: themes.Muted}), Span{Text: "  "}, width)...)
		}
	}
	return out
}

func argLines(raw json.RawMessage, width int) []Line {
	var args map[string]json.RawMessage
	if len(raw) > maxEntry || json.Unmarshal(raw, &args) != nil {
		return verbatim(string(raw), width, maxArg)
	}
	var out []Line
	for _, key := range slices.Sorted(maps.Keys(args)) {
		var text string
		if json.Unmarshal(args[key], &text) != nil {
			text = string(args[key])
		}
		if !strings.Contains(text, "\n") {
			text = core.CleanLine(key) + ": " + text
			out = append(out, indented(capped(text, width-2, Span{Role: themes.Muted}), Span{Text: "  "}, width)...)
			continue
		}
		out = append(out, Line{{Text: truncate("  "+core.CleanLine(key)+":", width), Role: themes.Muted}})
		out = append(out, verbatim(text, width, maxArg)...)
	}
	return out
}

// verbatim shows text as code, at most limit lines of it.
func verbatim(text string, width, limit int) []Line {
	text = strings.TrimRight(text, "\n")
	total := strings.Count(text, "\n") + 1
	shown, more := capText(text)
	w := mdWriter{width: max(width, 1)}
	pop := w.push(Span{Text: "  "}, Span{Text: "  "})
	defer pop()
	n := 0
	for line := range strings.SplitSeq(core.Clean(shown), "\n") {
		if n == limit {
			more = []Line{moreLines(total - n)}
			break
		}
		n++
		for _, l := range hardWrap(line, w.width, Span{Role: themes.CodeBlock, Attr: OnCode}) {
			w.emit(w.codeLine(l))
		}
	}
	w.emit(more...)
	return w.out
}
