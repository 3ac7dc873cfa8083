package ui

import (
	"encoding/json"
	"strings"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// diffLines shows a change, at most limit lines of it: its marks say what its colours say.
func diffLines(d []state.DiffLine, width, limit int) []Line {
	var out []Line
	room := max(1, width-4)
	for i, l := range d {
		if i == limit {
			return append(out, indented([]Line{moreLines(len(d) - i)}, Span{Text: "  "}, width)...)
		}
		role, mark := themes.Muted, "  "
		switch l.Mark {
		case '+':
			role, mark = themes.DiffAdd, "+ "
		case '-':
			role, mark = themes.DiffDel, "- "
		case '@':
			out = append(out, Line{{Text: truncate("  ⋯", width), Role: themes.Muted}})
			continue
		}
		text, more := capText(l.Text)
		for j, part := range hardWrap(strings.ReplaceAll(core.Clean(text), "\n", " "), room, Span{Role: role}) {
			if j > 0 {
				mark = "  "
			}
			if width < 4 {
				out = append(out, part)
				continue
			}
			out = append(out, append(Line{{Text: "  " + mark, Role: role}}, part...))
		}
		out = append(out, more...)
	}
	return out
}

// How much of a change a call shows.
const (
	peekDiff = 6   // lines, folded
	callDiff = 400 // unfolded
)

// edits is what the call changes, if it changes files.
func (it *item) edits() []state.Edit {
	if it.asked == nil || len(it.asked.Args) > maxEntry {
		return nil
	}
	return state.EditOf(*it.asked)
}

// diff shows the change that a call makes; a call that failed made none.
func (it *item) diff(edits []state.Edit, width int, open bool) []Line {
	if it.result != nil && it.result.Failed && !open {
		return nil
	}
	limit := peekDiff
	if open {
		limit = callDiff
	}
	var out []Line
	for _, e := range edits {
		out = append(out, diffLines(e.Diff, width, limit)...)
	}
	return out
}

// completion shows an accepted task_complete as what it is: a declaration.
func (it *item) completion(width int) []Line {
	if it.toolName() != "task_complete" || it.asked == nil || it.result == nil || it.result.Failed || len(it.asked.Args) > maxEntry {
		return nil
	}
	var a struct {
		Outcome string   `json:"outcome"`
		Summary string   `json:"summary"`
		NotDone []string `json:"not_done"`
	}
	if json.Unmarshal(it.asked.Args, &a) != nil || a.Summary == "" {
		return nil
	}
	e := core.Event{Kind: core.EvTaskComplete, Text: a.Outcome + ": x"}
	glyph, words, _ := state.EventWords(&e, "")
	out := Wrap(Line{{Text: glyph + " " + words, Role: themes.Completed, Attr: Bold}}, width)
	out = append(out, indented(Markdown(a.Summary, max(1, width-2)), Span{Text: "  "}, width)...)
	for _, n := range a.NotDone {
		out = append(out, indented(capped("not done: "+core.CleanLine(n), max(1, width-2), Span{Role: themes.Warning}), Span{Text: "  "}, width)...)
	}
	return out
}
