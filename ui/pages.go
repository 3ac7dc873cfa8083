package ui

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// drawTabs is the line with the names of the pages; it returns what is left of the room.
func (v *view) drawTabs(s tcell.Screen, r rect) rect {
	if r.h < 7 || r.w < 16 {
		return r
	}
	tabs, at := v.st.Tabs()
	total := 0
	for _, t := range tabs {
		total += textWidth(t.Name) + 2
	}
	x := r.x
	for i, t := range tabs {
		if total > r.w && i != at { // names that do not fit shrink to their beginning
			t.Name = truncate(t.Name, max(2, (r.w-14)/len(tabs)-1))
		}
		style := v.pal.Style(themes.Muted)
		if i == at {
			style = v.pal.Style(themes.Title).Underline(true).Bold(true)
		}
		n := drawText(s, x, r.y, r.x+r.w-x, t.Name, style)
		v.zone(zone{rect: rect{x, r.y, n, 1}, kind: onTab, show: t.Show})
		x += n + 2
	}
	v.drawTurners(s, r, x)
	return rect{r.x, r.y + 1, r.w, r.h - 1}
}

// drawTurners names the keys that turn the pages, at the end of the line with their names.
func (v *view) drawTurners(s tcell.Screen, r rect, from int) {
	prev, next := v.st.HintOf("previous-tab", ""), v.st.HintOf("next-tab", "")
	n := textWidth(prev.Key + " " + next.Key)
	if n < 2 || r.x+r.w-from <= n+3 {
		return
	}
	v.drawHints(s, rect{r.x + r.w - n, r.y, n, 1}, themes.Key, 1, prev, next)
}

// drawPage shows any page but the transcript and the waterfall.
func (v *view) drawPage(s tcell.Screen, r rect, n *state.Node) {
	v.page.w = r.w
	v.fillPage(n)
	focus := v.st.View.Pane == state.PaneDetail && v.st.View.Mode != state.Composing
	find := v.st.Pages.Find
	if v.st.View.Show.Events() {
		find = ""
	}
	v.page.draw(s, r, v.pal, focus, find)
}

// fillPage makes the page's rows anew where something has changed.
func (v *view) fillPage(n *state.Node) {
	show, about := v.st.View.Show, n.Task.ID
	if show.OfSession() {
		about = n.Task.Session
	}
	if id := fmt.Sprint(show, " ", about); id != v.pageID {
		v.pageID = id
		v.page.reset(show.Events())
	}
	version := fmt.Sprint(v.pageID, " ", v.st.Pages.Version)
	if !show.Events() {
		version += fmt.Sprint(" ", n.Task.Rev)
	}
	v.page.set(version, show.Events(), func() []*block {
		switch show {
		case state.ShowTurns:
			return v.turnBlocks(n)
		case state.ShowDefinition:
			return v.definitionBlocks(n)
		case state.ShowFiles:
			return v.fileBlocks(n)
		}
		return v.eventBlocks(n.Task.Session)
	})
}

// turnBlocks are the turns of a task, and what waits for it.
func (v *view) turnBlocks(n *state.Node) []*block {
	in, ok := v.st.Inside()
	if !ok {
		return []*block{words("reading …")}
	}
	var out []*block
	for i := range in.Turns {
		t, key := &in.Turns[i], state.TurnKey(in.Turns[i].N)
		open := v.st.Unfolded(key)
		out = append(out, &block{key: key, build: func(w int) []Line { return v.turnLines(t, &n.Task, open, w) }})
	}
	for _, r := range in.Requests {
		if r.State == core.ReqQueued {
			out = append(out, &block{key: state.RequestKey(r.ID), build: func(w int) []Line { return v.requestLines(&r, w) }})
		}
	}
	return out
}

const turnPeek = 3 // lines of a folded turn's prompt and answer

func (v *view) turnLines(t *core.Turn, task *state.Task, open bool, w int) []Line {
	var facts []string
	switch {
	case !t.Ended.IsZero():
		facts = append(facts, tookText(t.Ended.Sub(t.Started)))
		if t.ToolCalls > 0 {
			facts = append(facts, count(t.ToolCalls, "tool call"))
		}
	case task.Status == core.Running:
		facts = append(facts, "running since "+t.Started.In(v.p.o.Zone).Format("15:04:05"))
	default:
		facts = append(facts, "stopped")
	}
	if t.Partial {
		facts = append(facts, "partial: it was stopped")
	}
	if t.Code != "" {
		facts = append(facts, core.CleanLine(string(t.Code)))
	}
	mark, role := "▸ ", themes.Heading
	if open {
		mark = "▾ "
	}
	lines := []Line{beside(Line{{Text: fmt.Sprintf("%sturn %d", mark, t.N), Role: role, Attr: Bold}, {Text: " by " + v.sender(t.Sender), Role: themes.User}},
		strings.Join(facts, " · "), themes.Muted, w)}
	add := func(who, text string, role themes.Role, markdown bool) {
		if strings.TrimSpace(text) == "" {
			return
		}
		var ls []Line
		if shown, more := capText(text); open && markdown {
			ls = append(Markdown(shown, max(1, w-4)), more...)
		} else {
			ls = append(plainLines(core.Clean(shown), max(1, w-4), Span{}), more...)
		}
		if n := len(ls); !open && n > turnPeek {
			ls = append(ls[:turnPeek:turnPeek], moreLines(n-turnPeek))
		}
		lines = append(lines, indented(ls, Span{Text: who, Role: role}, w)...)
	}
	add("  › ", t.Prompt, themes.User, false)
	add("  ‹ ", t.Response, themes.Agent, true)
	if len(t.Result) > 0 {
		add("  = ", string(t.Result), themes.Completed, false)
	}
	if t.Full != "" {
		add("    ", "all of it: "+t.Full, themes.Muted, false)
	}
	return append(lines, nil)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sender names who wrote to a task.
func (v *view) sender(id string) string {
	switch id {
	case core.SenderUser, "":
		return "you"
	case core.SenderAutopilot:
		return "autopilot"
	case core.SenderSystem:
		return "drover"
	}
	if n := v.st.Tree.Node(id); n != nil {
		return core.CleanLine(n.Task.Label())
	}
	return core.CleanLine(id)
}

func (v *view) requestLines(r *core.Request, w int) []Line {
	head := beside(Line{{Text: "» " + core.RequestRef(r.ID), Role: themes.Queued, Attr: Bold}, {Text: " by " + v.sender(r.Sender), Role: themes.User}},
		v.st.Waits(r), themes.Queued, w)
	body := capped(r.Text, max(1, w-4), Span{Role: themes.User})
	if n := len(body); n > 6 {
		body = append(body[:6:6], moreLines(n-6))
	}
	hint := Line{{Text: strings.ReplaceAll(v.st.Keyed("{withdraw-this} withdraw; {rewrite-this} change; {earlier} earlier; {later} later"), "; ", "  "), Role: themes.Muted}}
	return append(append(append([]Line{head}, indented(body, Span{Text: "    "}, w)...), indented(Wrap(hint, max(1, w-4)), Span{Text: "    "}, w)...), nil)
}

// fileBlocks are the files a task has changed, the last one first.
func (v *view) fileBlocks(n *state.Node) []*block {
	edits, ok := v.st.FileEdits()
	if !ok {
		return []*block{words("reading …")}
	}
	files := state.ByFile(edits)
	who := "this task"
	if v.st.Pages.Subtree {
		who = "this task and those under it"
	}
	if len(files) == 0 {
		return []*block{words(who + " changed no file with edit_file or write_file; what a shell command changed is not seen here" + v.st.Keyed("; {subtree} looks into the tasks under it, too"))}
	}
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.Added, removed+f.Removed
	}
	out := []*block{{build: func(w int) []Line {
		return Wrap(Line{{Text: count(len(files), "file"), Attr: Bold}, {Text: fmt.Sprintf(" +%d", added), Role: themes.DiffAdd}, {Text: fmt.Sprintf(" -%d", removed), Role: themes.DiffDel}, {Text: " by " + who, Role: themes.Muted}}, w)
	}}}
	for i := range files {
		f, key := &files[i], state.FileKey(files[i].Path)
		open := v.st.Unfolded(key)
		out = append(out, &block{key: key, build: func(w int) []Line { return v.fileLines(f, open, w) }})
	}
	return out
}

func (v *view) fileLines(f *state.FileChange, open bool, w int) []Line {
	mark := "▸ "
	if open {
		mark = "▾ "
	}
	last := f.Edits[len(f.Edits)-1]
	what := last.Verb
	if len(f.Edits) > 1 {
		what = fmt.Sprintf("%d changes, last %s", len(f.Edits), last.Verb)
	}
	role := themes.Muted
	if by := f.Tasks(); len(by) > 1 { // they may undo each other's work
		names := make([]string, len(by))
		for i, id := range by {
			names[i] = v.sender(id)
		}
		what, role = fmt.Sprintf("▲ %d agents: %s", len(by), strings.Join(names, ", ")), themes.Warning
	}
	left := Line{{Text: mark, Role: themes.Tool}, {Text: core.CleanLine(f.Path), Role: themes.Link}, {Text: fmt.Sprintf(" +%d", f.Added), Role: themes.DiffAdd}, {Text: fmt.Sprintf(" -%d", f.Removed), Role: themes.DiffDel}}
	lines := []Line{beside(left, core.CleanLine(what), role, w)}
	if !open {
		return lines
	}
	for _, e := range f.Edits {
		head := join2(e.At.In(v.p.o.Zone).Format("15:04:05")+" "+v.sender(e.Task)+" "+e.Verb, e.Note)
		lines = append(lines, indented(Wrap(Line{{Text: core.CleanLine(head), Role: themes.Muted}}, max(1, w-2)), Span{Text: "  "}, w)...)
		lines = append(lines, diffLines(e.Diff, w, maxFileDiff)...)
	}
	return append(lines, nil)
}

const maxFileDiff = 2000 // lines of one change that are shown
