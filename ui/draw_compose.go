package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// maxShown bounds what of a long draft is laid out: the lines around the cursor.
const maxShown = 4000

// composerTitle says what Enter would do.
func (v *view) composerTitle() string {
	if v.st.View.Mode == state.Composing {
		to, then := v.st.Prompt()
		if then != "" {
			to += " · " + then
		}
		if n := v.st.Input.Compose.Lines(); n > 5 {
			to += " · " + itoa(n) + " lines"
		}
		return to
	}
	n := v.st.Selected()
	if n == nil {
		return "new session"
	}
	return "message · " + v.st.Consequence(n.Task.ID, core.Queue)
}

// composerText is what is being typed, wrapped, with a mark where the cursor is; nil when nothing is.
func (v *view) composerText(w, h int) []string {
	if v.st.View.Mode != state.Composing {
		return nil
	}
	width := w - 2
	if w >= wide && h >= 10 && (!v.st.View.Full || v.st.Listing()) {
		width = w - splitAt(w, v.st.Listing()) - 4
	}
	v.st.Input.Paper = state.Paper{Width: max(4, width), Prefix: textWidth(v.prefix()), Split: splitWidth, Cells: textWidth}
	before, after := v.around()
	text := before + string(cursorMark) + after
	var lines []string
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			line = v.prefix() + line
		}
		lines = append(lines, wrapHard(line, max(4, width))...)
	}
	return lines
}

func (v *view) prefix() string {
	to, _ := v.st.Prompt()
	return core.Short(to, 30) + " › "
}

// cursorMark stands for the cursor while text is wrapped; clean text cannot hold it.
const cursorMark = '\ue000'

func (v *view) around() (before, after string) {
	e := &v.st.Input.Compose.Editor
	from, to := max(0, e.Pos-maxShown), min(len(e.Text), e.Pos+maxShown)
	return string(e.Text[from:e.Pos]), string(e.Text[e.Pos:to])
}

// wrapHard breaks a line at the width; blanks stay, for the cursor may stand on them.
func wrapHard(line string, width int) []string {
	line = strings.ReplaceAll(line, "\t", "    ")
	var out []string
	for {
		head, tail := splitMarked(line, width)
		out = append(out, head)
		if tail == "" {
			return out
		}
		line = tail
	}
}

// splitMarked splits after width cells; the mark takes none.
func splitMarked(line string, width int) (head, tail string) {
	before, after, ok := strings.Cut(line, string(cursorMark))
	if !ok {
		return splitWidth(line, width)
	}
	head, tail = splitWidth(before, width)
	if tail != "" {
		return head, tail + string(cursorMark) + after
	}
	more, rest := splitWidth(after, width-textWidth(head))
	if textWidth(head) >= width { // the cursor needs a cell of its own
		return head, string(cursorMark) + after
	}
	return head + string(cursorMark) + more, rest
}

func (v *view) drawComposer(s tcell.Screen, r rect, text []string) {
	if r.h <= 0 {
		return
	}
	base := v.pal.Style(themes.Composer)
	if v.st.View.Mode != state.Composing {
		v.drawIdleComposer(s, r)
		return
	}
	at := 0
	for i, line := range text {
		if strings.ContainsRune(line, cursorMark) {
			at = i
		}
	}
	top := max(0, min(at-r.h+1, len(text)-r.h))
	for i := range r.h {
		fill(s, r.x, r.y+i, r.w, 1, base)
		if top+i >= len(text) {
			continue
		}
		before, after, here := strings.Cut(text[top+i], string(cursorMark))
		x := r.x + 1
		if p := v.prefix(); top+i == 0 && strings.HasPrefix(before, p) {
			x += drawText(s, x, r.y, r.w-2, p, v.pal.Over(base, themes.Muted))
			before = before[len(p):]
		}
		x += drawText(s, x, r.y+i, r.x+r.w-x, before, base)
		if here {
			s.ShowCursor(min(x, r.x+r.w-1), r.y+i)
		}
		drawText(s, x, r.y+i, r.x+r.w-x, after, base)
	}
}

// drawIdleComposer shows the draft, or how to begin one.
func (v *view) drawIdleComposer(s tcell.Screen, r rect) {
	muted := v.pal.Style(themes.Muted)
	n := v.st.Selected()
	switch {
	case n == nil:
		drawText(s, r.x+1, r.y, r.w-2, v.st.Keyed("{new-session} starts a session"), muted)
	case n.Task.Status.Terminal():
		drawText(s, r.x+1, r.y, r.w-2, v.st.Keyed("it has ended; {new-session} starts a session"), muted)
	default:
		x := r.x + 1
		x += drawText(s, x, r.y, r.w-2, "to "+core.Short(v.st.Title(n), 30)+" › ", muted)
		if d := v.st.Draft(n.Task.ID); d != "" {
			drawText(s, x, r.y, r.x+r.w-1-x, "draft: "+core.Short(d, 400), muted)
			return
		}
		drawText(s, x, r.y, r.x+r.w-1-x, v.st.Keyed("{message} writes"), muted)
	}
}
