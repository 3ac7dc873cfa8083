package ui

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// Draw implements tview.Primitive: it reads the State and puts it into cells.
func (v *view) Draw(s tcell.Screen) {
	w, h := s.Size()
	s.HideCursor()
	v.zones = v.zones[:0]
	v.retitle()
	v.tiny = w < minWidth || h < minHeight
	if v.tiny {
		drawText(s, 0, 0, w, v.oneLine(w), v.pal.Style(themes.Text))
		return
	}
	v.drawHeader(s, w)
	v.drawFooter(s, h-1, w)
	tour := v.tourRows(w, h)
	v.drawPanes(s, w, h-tour)
	v.drawTour(s, w, h, tour)
	switch v.st.View.Mode {
	case state.Reading:
		v.drawOverlay(s, w, h)
	case state.Confirming:
		v.drawConfirm(s, w, h)
	case state.Picking:
		v.drawPalette(s, w, h)
	case state.Finding:
		v.drawHits(s, w, h)
	case state.Normal:
		v.drawLongToast(s, w, h)
	}
}

// drawPanes draws what stands between header and footer; the last of the h rows is left free.
func (v *view) drawPanes(s tcell.Screen, w, h int) {
	text := v.composerText(w, h)
	switch {
	case v.st.Agents.Open:
		v.drawAgents(s, w, h, text)
	case v.st.Inbox.Open:
		v.drawInboxPane(s, w, h, text)
	case v.st.Review.Open:
		v.drawReview(s, w, h, text)
	default:
		v.drawTasks(s, w, h, text)
	}
}

// drawTasks draws tree, transcript and what belongs to them.
func (v *view) drawTasks(s tcell.Screen, w, h int, text []string) {
	l := arrange(w, h, &v.st.View, v.wants(text, w, h))
	v.st.View.Page = max(1, l.tree.h)
	if l.tree.h > 0 {
		tree := v.drawNotice(s, l.tree)
		v.drawTree(s, tree)
		v.zone(zone{rect: tree, kind: onTree})
	}
	v.drawInbox(s, l.inbox)
	v.zone(zone{rect: l.inbox, kind: onInbox})
	v.zone(zone{rect: l.detail, kind: onDetail})
	v.drawDetail(s, l.detail)
	v.links(s, l.detail)
	v.drawFrame(s, &l) // its title says whether the transcript follows, which is known now
	v.drawQueued(s, l.queued)
	v.drawCard(s, l.card)
	v.drawTyping(s, &l, text)
}

// drawTyping draws the composer; with no room for one of its own it takes the footer's.
func (v *view) drawTyping(s tcell.Screen, l *layout, text []string) {
	if l.composer.h == 0 && v.st.View.Mode == state.Composing {
		if v.st.Toast.Text != "" {
			return
		}
		_, rows := s.Size()
		l.composer = rect{0, rows - 1, l.w, 1}
	}
	v.drawComposer(s, l.composer, text)
	v.drawCandidates(s, l.composer)
}

// drawFrame draws the lines between the parts, with their titles.
func (v *view) drawFrame(s tcell.Screen, l *layout) {
	tree := v.st.View.Pane == state.PaneTree && v.st.View.Mode != state.Composing
	title := v.treeTitle()
	detail := v.detailTitle()
	if l.split > 0 {
		v.frameWide(s, l, title, detail, tree)
		return
	}
	if l.tree.h > 0 {
		v.rule(s, l.tree, title, tree)
	}
	if l.detail.h > 0 {
		v.rule(s, l.detail, detail, !tree)
	}
	v.rules(s, l)
}

// rules are the title lines of the smaller parts.
func (v *view) rules(s tcell.Screen, l *layout) {
	if l.inbox.h > 0 {
		v.rule(s, l.inbox, fmt.Sprintf("inbox · %d", len(v.st.Wants.Inbox)), false)
	}
	if l.card.h > 0 {
		v.rule(s, l.card, v.cardTitle(), true)
	}
	if l.composer.h > 0 {
		v.rule(s, l.composer, v.composerTitle(), v.st.View.Mode == state.Composing)
	}
}

func (v *view) frameWide(s tcell.Screen, l *layout, title, detail string, tree bool) {
	line := v.pal.Style(themes.Border)
	for y := 2; y < l.bottom; y++ {
		for _, x := range []int{0, l.split, l.w - 1} {
			s.SetContent(x, y, '│', nil, line)
		}
	}
	v.rule(s, rect{0, 2, l.split + 1, 1}, title, tree)
	v.rule(s, rect{l.split, 2, l.w - l.split, 1}, detail, !tree)
	v.rule(s, rect{0, l.bottom + 1, l.w, 1}, "", false)
	v.rules(s, l)
	for _, c := range []struct {
		x, y int
		r    rune
	}{{0, 1, '┌'}, {l.split, 1, '┬'}, {l.w - 1, 1, '┐'}, {0, l.bottom, '└'}, {l.split, l.bottom, '┴'}, {l.w - 1, l.bottom, '┘'}} {
		s.SetContent(c.x, c.y, c.r, nil, line)
	}
	v.joints(s, l, line)
}

// joints are where title lines meet the upright ones.
func (v *view) joints(s tcell.Screen, l *layout, line tcell.Style) {
	left := -1
	if l.inbox.h > 0 {
		left = l.inbox.y - 1
		s.SetContent(0, left, '├', nil, line)
		s.SetContent(l.split, left, '┤', nil, line)
	}
	for _, r := range []rect{l.card, l.composer} {
		if r.h == 0 {
			continue
		}
		joint := '├'
		if r.y-1 == left {
			joint = '┼'
		}
		s.SetContent(l.split, r.y-1, joint, nil, line)
		s.SetContent(l.w-1, r.y-1, '┤', nil, line)
	}
}

// rule is the line above a part, with its title.
func (v *view) rule(s tcell.Screen, r rect, title string, focus bool) {
	line, text := v.pal.Style(themes.Border), v.pal.Style(themes.Title)
	if focus {
		line, text = v.pal.Style(themes.BorderFocus), v.pal.Style(themes.BorderFocus)
	}
	for x := r.x; x < r.x+r.w; x++ {
		s.SetContent(x, r.y-1, '─', nil, line)
	}
	if title != "" && r.w > 6 {
		drawText(s, r.x+1, r.y-1, r.w-2, " "+truncate(title, r.w-5)+" ", text)
	}
}

// drawFooter shows what is being typed, else what there is to say, else the keys.
func (v *view) drawFooter(s tcell.Screen, y, w int) {
	switch v.st.View.Mode {
	case state.Commanding:
		v.drawLine(s, y, w, ":", true)
		return
	case state.Filtering:
		v.drawLine(s, y, w, "/", true)
		return
	case state.Searching:
		v.drawLine(s, y, w, v.st.Searched(), false)
		return
	case state.Picking:
		v.drawLine(s, y, w, "> ", false)
		return
	case state.Denying:
		v.drawLine(s, y, w, "deny "+core.Short(v.st.Denial(), max(8, w/3))+", because: ", false)
		return
	}
	if t := v.st.Toast; t.Text != "" {
		role := themes.Notice
		if t.Bad {
			role = themes.Warning
		}
		drawFill(s, 0, y, w, " "+t.Text, v.pal.Style(role))
		return
	}
	cells := func(h state.Hint) int { return textWidth(h.Key) + 1 + textWidth(h.Label) + 2 }
	v.drawHints(s, rect{1, y, w - 1, 1}, themes.KeyLabel, 2, state.FitHints(v.st.Footer(), w+1, cells)...)
}

// drawLine is the line editor of commands, filters and reasons.
func (v *view) drawLine(s tcell.Screen, y, w int, prompt string, complete bool) {
	base := v.pal.Style(themes.Composer)
	fill(s, 0, y, w, 1, base)
	x := drawText(s, 0, y, w/2, prompt, v.pal.Over(base, themes.Key))
	e := &v.st.Input.Line
	before, after := string(e.Text[:e.Pos]), string(e.Text[e.Pos:])
	if over := textWidth(before) - max(1, w-x-2); over > 0 {
		_, before = splitWidth(plain(before), over+1) // one more: a wide character may stand across
	}
	x += drawText(s, x, y, w-x-1, before, base)
	s.ShowCursor(x, y)
	x += drawText(s, x, y, w-x-1, after, base) + 2
	if bad := v.st.Tree.FilterError(); bad != "" && x < w-4 && v.st.View.Mode == state.Filtering && !v.st.Listing() {
		drawText(s, x, y, w-x, bad, v.pal.Over(base, themes.Warning))
		return
	}
	if t := v.st.Toast; t.Text != "" && x < w-4 {
		drawText(s, x, y, w-x, t.Text, v.pal.Over(base, themes.Muted))
		return
	}
	if !complete {
		return
	}
	fit, at := v.st.Completions()
	for i, f := range fit {
		style := v.pal.Over(base, themes.Muted)
		if i == at {
			style = v.pal.Over(base, themes.Key)
		}
		if x+textWidth(f) >= w {
			break
		}
		x += drawText(s, x, y, w-x, f, style) + 2
	}
}
