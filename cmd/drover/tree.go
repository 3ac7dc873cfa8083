package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"drover/core"
	"drover/ui/state"
)

// treeRow is one task as `ps` prints it.
type treeRow struct {
	task  core.TaskView
	lead  string // the branches before the name
	title string
}

// treeRows draws the branches of a list in which each parent stands directly
// before its subtree. A task whose parent is not in the list is a root.
func treeRows(tasks []core.TaskView) []treeRow {
	last := make([]bool, len(tasks)) // the last of its siblings
	open := map[string]int{}         // parent: its last child so far
	for i, t := range tasks {
		if before, ok := open[t.Parent]; ok && t.Parent != "" {
			last[before] = false
		}
		last[i], open[t.Parent] = true, i
	}
	lead := map[string]string{} // task: what its children's rows begin with
	rows := make([]treeRow, 0, len(tasks))
	for i, t := range tasks {
		r := treeRow{task: t, title: core.CleanLine(t.Label())}
		if _, ok := lead[t.Parent]; ok && t.Parent != "" {
			above := lead[t.Parent]
			r.lead = above + "├ "
			lead[t.ID] = above + "│ "
			if last[i] {
				r.lead, lead[t.ID] = above+"└ ", above+"  "
			}
		} else {
			lead[t.ID] = ""
			if d := core.CleanLine(t.Description); d != "" {
				r.title += " · " + d
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// doing is what a task says of itself in a few words.
func doing(t *core.TaskView) string {
	var parts []string
	add := func(s string) {
		if s = core.CleanLine(s); s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case t.Error != "":
		add(t.Error)
	case t.Outcome != "":
		add(string(t.Outcome) + ": " + t.Summary)
	case t.Status == core.Running && !t.Interrupted:
		what := string(t.Activity)
		if t.Activity == core.ActChildren {
			what = "waits for"
		}
		add(what + " " + t.Detail)
		add(t.Intent)
	case t.Interrupted:
		add("drover resume " + t.ID)
	}
	if t.QueuedRequests > 0 {
		add(fmt.Sprintf("%d queued", t.QueuedRequests))
	}
	return strings.Join(parts, " · ")
}

// Widths of the columns beside the tree.
const (
	idColumn    = 7
	stateColumn = 14
	timeColumn  = 8
	tokenColumn = 7
)

// tree prints tasks as an aligned tree. A narrow terminal loses the columns
// that matter least first, then the ends of the names.
func (a *app) tree(tasks []core.TaskView, stall time.Duration) string {
	rows := treeRows(tasks)
	working := map[string]bool{} // what has something under it that is at work
	for _, t := range tasks {
		if t.Status == core.Running {
			working[t.Parent] = true
		}
	}
	width := a.paint.width
	titles := 4
	for _, r := range rows {
		titles = max(titles, uniseg.StringWidth(r.lead+r.title))
	}
	rest := idColumn + stateColumn + timeColumn + tokenColumn + 8
	withTokens, withDoing := width == 0 || width >= 60, width == 0 || width >= 50
	if width > 0 {
		if !withTokens {
			rest -= tokenColumn
		}
		if !withDoing {
			rest = idColumn + 2 + stateColumn
		} else {
			rest += min(24, width/4)
		}
		titles = min(titles, max(8, width-rest))
	} else {
		titles = min(titles, 60)
	}
	var b strings.Builder
	line := func(id, title, look, elapsed, tokens, what string) {
		plain := pad(id, idColumn) + pad(fit(title, titles), titles) + "  "
		used := uniseg.StringWidth(plain) + stateColumn
		if !withDoing {
			b.WriteString(plain + strings.TrimRight(look, " ") + "\n")
			return
		}
		b.WriteString(plain + look)
		tail := fmt.Sprintf("%*s  ", timeColumn, elapsed)
		if withTokens {
			tail += fmt.Sprintf("%*s  ", tokenColumn, tokens)
		}
		if width > 0 {
			if room := width - used - uniseg.StringWidth(tail); room > 1 {
				what = fit(what, room)
			} else {
				what = ""
			}
		}
		b.WriteString(strings.TrimRight(tail+what, " ") + "\n")
	}
	line("ID", "TASK", a.paint.in(bold, pad("STATE", stateColumn)), "TIME", "TOKENS", "DOING")
	for _, r := range rows {
		t := &r.task
		l, what := state.LookOf(t), doing(t)
		if quiet, ok := state.Stalled(t, working[t.ID], stall, a.now()); ok {
			l, what = state.LookStalled, quiet
		}
		look := a.paint.in(lookColor(l), pad(l.Glyph()+" "+l.Word(), stateColumn))
		line(t.ID, r.lead+r.title, look, state.Elapsed(t.ElapsedAt(a.now())), state.Tokens(t.TokensIn+t.TokensOut), what)
	}
	return b.String()
}
