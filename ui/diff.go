package ui

import (
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

// editLines is what a call changes, if it changes a file.
func (it *item) edits() []state.Edit {
	if it.asked == nil || len(it.asked.Args) > maxEntry {
		return nil
	}
	return state.EditOf(*it.asked)
}
