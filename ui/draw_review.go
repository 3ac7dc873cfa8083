package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

func roleOfOutcome(o core.Outcome) themes.Role {
	switch o {
	case core.OutcomeDone:
		return themes.Completed
	case core.OutcomeNeedsInput:
		return themes.NeedsYou
	}
	return themes.Warning
}

// drawReview draws the completions in place of tree and transcript.
func (v *view) drawReview(s tcell.Screen, w, h int, text []string) {
	rv := &v.st.Review
	title := "review · " + itoa(v.st.Tree.Review) + " to review"
	if rv.All {
		title += " · all " + itoa(rv.Len())
	}
	if rv.Filter != "" && v.st.View.Mode != state.Filtering {
		title += " · /" + core.Short(core.CleanLine(rv.Filter), 40)
	}
	led, detail := v.st.Led(), "no completion"
	if led != nil {
		_, word := state.OutcomeLook(led.Outcome)
		detail = core.Short(v.st.SessionTitle(led.Session), 60) + " · " + word
	}
	l := v.drawList(s, w, h, text, title, detail)
	if len(rv.Rows) == 0 {
		none := "Nothing has been declared complete yet. Autopilot does that: a session that was started with it works until its agent says done, blocked or needs input."
		switch {
		case rv.Filter != "" && rv.Len() > 0:
			none = join2("No completion fits.", v.st.Keyed("{close-completions} drops the filter."))
		case rv.Len() > 0:
			none = join2("All is reviewed.", v.st.Keyed("{open-or-all} shows what was."))
		}
		v.drawNone(s, l.tree, none)
	}
	from, to := window(&v.reviewTop, rv.At(), len(rv.Rows), l.tree.h)
	wide := 0 // of the sessions: what comes after them stands in a column
	v.zone(zone{rect: l.tree, kind: onReview, at: from})
	for i := from; i < to; i++ {
		r := rv.Row(i)
		wide = max(wide, min(textWidth(v.st.SessionTitle(r.Session)), max(16, l.tree.w/3)))
	}
	for i := from; i < to; i++ {
		r := rv.Row(i)
		v.drawCompletion(s, rect{l.tree.x, l.tree.y + i - from, l.tree.w, 1}, &r, i == rv.At(), wide)
	}
	if led != nil {
		v.drawParts(s, l.detail, v.st.LedParts(led))
	}
	v.drawTyping(s, &l, text)
}

func (v *view) drawCompletion(s tcell.Screen, r rect, c *core.Review, here bool, wide int) {
	base := v.listRow(s, r, here)
	muted := v.pal.Over(base, themes.Muted)
	age := state.Elapsed(v.st.Now.Sub(c.At))
	end := r.x + r.w - 1 - textWidth(age)
	drawText(s, end, r.y, textWidth(age), age, muted)
	glyph, word := state.OutcomeLook(c.Outcome)
	x := r.x + 1
	x += drawText(s, x, r.y, end-x-1, glyph+" "+word+strings.Repeat(" ", max(0, 12-len(word))), v.pal.Over(base, roleOfOutcome(c.Outcome)))
	drawText(s, x, r.y, min(end-x-1, wide), v.st.SessionTitle(c.Session), base)
	x += wide + 2
	if standing := v.st.Standing(c); standing != "" {
		x += drawText(s, x, r.y, end-x-1, standing, v.pal.Over(base, themes.Queued)) + 2
	}
	if len(c.NotDone) > 0 {
		x += drawText(s, x, r.y, end-x-1, itoa(len(c.NotDone))+" not done", v.pal.Over(base, themes.Warning)) + 2
	}
	drawText(s, x, r.y, end-x-1, core.Short(core.CleanLine(core.Short(c.Summary, 800)), 400), muted)
}
