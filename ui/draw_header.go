package ui

import (
	"path/filepath"
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// sum is one figure of the header: what waits for a person comes first, and goes last when there is no room.
type sum struct {
	text string
	role themes.Role
	drop int    // where there is no room the highest goes first
	lead string // before it, unless it is the first
}

// sums are what a person has to know at a glance: who needs them, what is stuck,
// what runs, what is finished, what it cost. No task is in two of them.
func (v *view) sums() []sum {
	c, t := v.st.Tree.Total, &v.st.Tree
	var l []sum
	add := func(n int, one, many string, role themes.Role, drop int) {
		if n > 0 {
			l = append(l, sum{tallied(n, one, many), role, drop, " · "})
		}
	}
	add(c.Needs, "needs you", "need you", themes.NeedsYou, 0)
	add(t.Stalled, "stalled", "stalled", themes.Warning, 1)
	add(c.Interrupted, "interrupted", "interrupted", themes.Interrupted, 2)
	add(c.Running-c.Parked-c.Queued-t.Stalled, "running", "running", themes.Header, 4)
	add(c.Parked, "parked", "parked", themes.Queued, 6)
	add(c.Queued, "queued", "queued", themes.Queued, 7)
	add(t.Review, "to review", "to review", themes.Completed, 5)
	add(c.Idle, "idle", "idle", themes.Muted, 8)
	if v.st.Counting() {
		l = append(l, sum{"counting…", themes.Muted, 0, " "})
	}
	if n := c.TokensIn + c.TokensOut; n > 0 {
		l = append(l, sum{state.Tokens(n) + " tok", themes.Muted, 9, "    "})
		if m := c.Money(); m != "" {
			l = append(l, sum{m, themes.Header, 3, "  "})
		}
	}
	return l
}

func tallied(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

// fitSums leaves out what there is no room for.
func fitSums(l []sum, room int) []sum {
	for len(l) > 1 && sumsWidth(l) > room {
		worst := 0
		for i := range l {
			if l[i].drop >= l[worst].drop {
				worst = i
			}
		}
		l = append(l[:worst:worst], l[worst+1:]...)
	}
	return l
}

func sumsWidth(l []sum) (n int) {
	for i := range l {
		n += textWidth(l[i].text)
		if i > 0 {
			n += textWidth(l[i].lead)
		}
	}
	return n
}

// oneLine is the whole screen where there is no room for one.
func (v *view) oneLine(w int) string {
	var b strings.Builder
	b.WriteString("drover")
	for i, s := range fitSums(v.sums(), w-7) {
		if i == 0 {
			s.lead = " "
		}
		b.WriteString(s.lead + s.text)
	}
	return b.String()
}

func (v *view) drawHeader(s tcell.Screen, w int) {
	base := v.pal.Style(themes.Header)
	fill(s, 0, 0, w, 1, base)
	x := 1 + drawText(s, 1, 0, w-2, "drover", base.Bold(true))
	l := fitSums(v.sums(), w-x-3)
	at := max(x+2, w-1-sumsWidth(l))
	if dir := filepath.Base(v.st.Config.Dir); v.st.Config.Dir != "" && at-x-4 >= 4 {
		drawText(s, x+2, 0, min(at-x-4, 40), core.CleanLine(dir), v.pal.Over(base, themes.Muted))
	}
	for i := range l {
		if i > 0 {
			at += drawText(s, at, 0, max(0, w-1-at), l[i].lead, v.pal.Over(base, themes.Muted))
		}
		at += drawText(s, at, 0, max(0, w-1-at), l[i].text, v.pal.Over(base, l[i].role))
	}
}

func join2(a, b string) string { return strings.TrimSpace(a + " " + b) }
