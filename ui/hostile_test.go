package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// attacks are what a page, a file or a model may bring to colour, link, hide,
// overdraw, reorder or ring.
var attacks = []string{
	"[red]tag[-] [::b]bold[:::https://evil.test]link[:::-] [\"region\"]r[\"\"]",
	"\x1b[31;5mred\x1b[0m\x1b[2J\x1b[1;1Hhome\x1b[10Bdown",
	"\x1b]8;;https://evil.test\x07link\x1b]8;;\x07 \x1b]52;c;ZXZpbA==\x07 \x1b]0;title\x1b\\ \x1b]9;bell\x07",
	"\x1bP1$r0m\x1b\\dcs \x9b31mc1 \u009b31mc1 \u009d0;title\u009c \x1b_apc\x1b\\",
	"\a\b\b\b\x00\x0e\x0f\x7f\x1a\x1bc\x1b(0lqqk",
	"\u202egnp.exe\u202c \u2066iso\u2069 \u200fא ב\u200e \u061c",
	"ze\u200bro\u2060wi\ufeffdth\u00ad \U000e0041\U000e007f \u115f\u3164\u180e",
	"日本語テキスト漢字漢字漢字 👩‍👩‍👧‍👦🇩🇪✔️⚠️ ﷽ ⸻⸻",
	"Z" + strings.Repeat("\u0335\u0327\u0301", 60) + "algo " + strings.Repeat("\u0301", 40) + "\u200d\u200d\ufe0f",
	"a\tb\t\tc\nsecond\r\nthird\rfourth\x0b\x0c\u2028five\u0085six",
	strings.Repeat("w", 4000) + " " + strings.Repeat("漢", 2000),
	"\xff\xfe\xc3\x28\xed\xa0\x80 broken \xf0\x9f",
	"│┌─┐└┘┬┴├┤ ▸ ● ○ ! ✓ ✗ ⊘ y yes  n no",
	"  \x1b \x1b[ \x1b] \x9b unfinished \x1b",
	"%s %d %!x \\u001b[31m &amp; $(reboot) `x`",
}

// spot is somewhere a text of an agent, a file or a server shows.
type spot struct {
	name string
	set  func(f *fake, s string)
	keys string
	only []string // the parts in which it may show; nil: all of it is about the text
	md   bool     // read as Markdown: has styles of its own
	json bool     // shown as JSON has it
}

func onTask(id string, do func(*core.TaskView, string)) func(*fake, string) {
	return func(f *fake, s string) {
		t := f.task(id)
		do(t, s)
		t.Rev++
		f.touch(id)
	}
}

// onEntry sets what the transcript of a task ends with.
func onEntry(e func(s string) []core.Entry) func(*fake, string) {
	return func(f *fake, s string) {
		for _, e := range e(s) {
			f.say("eedit", e)
		}
	}
}

func onInside(do func(*core.Inside, string)) func(*fake, string) {
	return func(f *fake, s string) {
		in := core.Inside{Spec: core.Spec{Prompt: "p", System: "s", Tools: []string{"read_file"}}}
		do(&in, s)
		f.insides = map[string]core.Inside{"dexpl": in}
		f.touch("dexpl")
	}
}

func onAgent(do func(*state.Agent, string)) func(*fake, string) {
	return func(f *fake, s string) {
		a := f.agents[0]
		do(&a, s)
		f.agents[0] = a
	}
}

const (
	toPlan = ":go cplan<Enter>"
	toExpl = ":go dexpl<Enter>"
	toEdit = ":go eedit<Enter>"
)

var (
	right = []string{"right"}
	row   = []string{"tree"}
	both  = []string{"tree", "right"}
)

var spots = []spot{
	{name: "task name", set: onTask("dexpl", func(t *core.TaskView, s string) { t.Name = s }), keys: toPlan, only: row},
	{name: "selected task's name", set: onTask("dexpl", func(t *core.TaskView, s string) { t.Name = s }), keys: toExpl, only: both},
	{name: "agent name", set: onTask("dexpl", func(t *core.TaskView, s string) { t.Agent = s }), keys: toExpl, only: both},
	{name: "description", set: onTask("bmain", func(t *core.TaskView, s string) { t.Description = s }), keys: toPlan, only: row},
	{name: "intent", set: onTask("cplan", func(t *core.TaskView, s string) { t.Intent = s }), keys: toExpl, only: row},
	{name: "detail", set: onTask("cplan", func(t *core.TaskView, s string) { t.Detail = s }), keys: toExpl, only: row},
	{name: "model", set: onTask("cplan", func(t *core.TaskView, s string) { t.Model = s }), keys: toPlan, only: both},
	{name: "error", set: onTask("fsurv", func(t *core.TaskView, s string) { t.Status, t.Error, t.ErrorCode = core.Failed, s, core.Code(s) }), keys: ":go fsurv<Enter>", only: []string{"header", "tree", "right"}},
	{name: "session title", set: func(f *fake, s string) {
		x := f.sessions["hold2"]
		x.Title = s
		f.sessions["hold2"] = x
		f.touch("hold2")
	}, keys: "=", only: row},
	{name: "session folder", set: func(f *fake, s string) {
		x := f.sessions["hold2"]
		x.Dir = "/" + s
		f.sessions["hold2"] = x
		f.touch("hold2")
	}, keys: "==", only: row},
	{name: "answer", set: onEntry(func(s string) []core.Entry {
		return []core.Entry{{Turn: 1, Kind: core.EntryAnswer, Text: s, Reasoning: s}}
	}), keys: toEdit, only: right, md: true},
	{name: "message", set: onEntry(func(s string) []core.Entry {
		return []core.Entry{{Turn: 1, Kind: core.EntryMessage, Sender: s, Text: s}}
	}), keys: toEdit, only: right, md: true},
	{name: "note", set: onEntry(func(s string) []core.Entry { return []core.Entry{{Turn: 1, Kind: core.EntryNote, Text: s}} }), keys: toEdit, only: right, md: true},
	{name: "tool call", set: onEntry(func(s string) []core.Entry {
		return []core.Entry{
			{Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: s, Name: s, Args: mustJSON(map[string]string{"path": s, s: s})}}},
			{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: s, Tool: s},
			{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: s, Tool: s, Text: s, Full: s, Failed: true},
		}
	}), keys: toEdit, only: right, md: true, json: true},
	{name: "diff", set: onEntry(func(s string) []core.Entry {
		return []core.Entry{
			{Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "1", Name: "edit_file", Args: mustJSON(map[string]string{"path": s, "old_string": s, "new_string": "+" + s})}}},
			{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "1", Tool: "edit_file", Text: s},
		}
	}), keys: toEdit, only: right, md: true, json: true},
	{name: "live answer", set: func(f *fake, s string) {
		f.live = map[string]core.Live{"eedit": {Task: "eedit", Text: s}}
		f.touch("eedit")
	}, keys: toEdit, only: right, md: true},
	{name: "event", set: func(f *fake, s string) { f.event("bmain", "dexpl", core.EvFailed, s) }, keys: "t", only: right, md: true},
	{name: "notice of a hook", set: func(f *fake, s string) { f.event("bmain", "dexpl", core.EvHook, "stop hook "+s+" blocked: "+s) }, keys: toExpl + ":tab timeline<Enter>", only: right, md: true},
	{name: "todo", set: func(f *fake, s string) { f.event("bmain", "bmain", core.EvRefused, "refused: todo \""+s+"\" is open") }, keys: "t", only: right, md: true},
	{name: "completion in the timeline", set: func(f *fake, s string) { f.event("bmain", "bmain", core.EvTaskComplete, "done: "+s) }, keys: "tt", only: right, md: true},
	{name: "waterfall", set: onTask("dexpl", func(t *core.TaskView, s string) { t.Name = s }), keys: toPlan + ":waterfall<Enter>", only: both},
	{name: "approval", set: setApproval, keys: toEdit, json: true},
	{name: "inbox", set: setApproval, keys: "I", json: true},
	{name: "arguments in full", set: setApproval, keys: "Iv", json: true},
	{name: "review", set: func(f *fake, s string) {
		f.reviews, f.reviewed = nil, map[string]int64{}
		f.declare("hold2", core.OutcomeBlocked, time.Minute, s, s, s)
	}, keys: "R", md: true},
	{name: "queued message", set: func(f *fake, s string) {
		f.requests = []core.Request{{ID: 1, Session: "bmain", Task: "dexpl", Kind: core.ReqMessage, Text: s, Sender: s, State: core.ReqQueued}}
		f.touch("dexpl")
	}, keys: toExpl, only: both},
	{name: "turns", set: onInside(func(in *core.Inside, s string) {
		in.Turns = []core.Turn{{Task: "dexpl", N: 1, Prompt: s, Sender: s, Response: s, Handed: core.Handed{Result: mustJSON(s), Full: s, Code: core.Code(s)}}}
	}), keys: toExpl + ":tab turns<Enter>", md: true, json: true},
	{name: "definition", set: onInside(func(in *core.Inside, s string) {
		in.Spec = core.Spec{Prompt: s, System: s, Tools: []string{s}, Agent: mustJSON(map[string]any{"name": s, "description": s, "source": s, "model": s, "tools": []string{s}})}
	}), keys: toExpl + ":tab definition<Enter>", md: true, json: true},
	{name: "files", set: onEntry(func(s string) []core.Entry {
		return []core.Entry{
			{Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "1", Name: "write_file", Args: mustJSON(map[string]string{"path": s, "content": s})}}},
			{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "1", Tool: "write_file", Text: s},
		}
	}), keys: toEdit + ":tab files<Enter>", md: true, json: true},
	{name: "agents", set: onAgent(func(a *state.Agent, s string) {
		a.Name, a.Display, a.Description, a.Dialect, a.Family, a.Scope, a.Path, a.Reason, a.ShadowedBy, a.Model = s, s, s, s, s, s, s, s, s, s
		a.Tools, a.Problems = []string{s}, []state.Problem{{Severity: "error", Field: s, Message: s, Repair: s}}
	}), keys: "@", md: true},
	{name: "saved views", set: func(f *fake, s string) {
		f.note(core.NoteView+s, `{"sort":"cost","group":"dir","filter":`+string(mustJSON(s))+`}`)
		f.note(core.NoteSlot+s, s)
	}, keys: ":view<Enter>", md: true},
	{name: "refusal", set: func(f *fake, s string) { f.broken = core.Errorf(core.CodeInternal, "%s", s) }, keys: "", md: true},
}

func setApproval(f *fake, s string) {
	f.approvals = nil
	f.ask("eedit", s, s, map[string]string{"command": s, s: s})
}

// parts are where the panes of the last frame stand.
func (d *driver) parts() map[string][]rect {
	_, w, h := d.sim.GetContents()
	out := map[string][]rect{"header": {{0, 0, w, 1}}}
	for _, z := range d.p.view.zones {
		switch z.kind {
		case onTree:
			out["tree"] = append(out["tree"], z.rect)
		case onDetail: // with its title line, and what stands under it
			if z.x == 0 {
				out["right"] = append(out["right"], rect{0, z.y - 1, w, h - z.y})
				continue
			}
			out["right"] = append(out["right"], rect{z.x, z.y - 1, z.w, h - z.y - 1})
		}
	}
	return out
}

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// paints are what a theme can look like: the colours and attributes of all its roles.
func paints(p *Palette) (fg, bg map[tcell.Color]bool) {
	fg, bg = map[tcell.Color]bool{}, map[tcell.Color]bool{}
	for r := range themes.Count {
		f, b, _ := p.Style(themes.Role(r)).Decompose()
		fg[f], bg[b] = true, true
	}
	return fg, bg
}

// innocent checks each cell by itself: what it holds, and how it looks.
func (d *driver) innocent(what string) {
	d.t.Helper()
	fg, bg := paints(d.p.view.pal)
	for _, row := range simCells(d.sim) {
		for _, c := range row {
			for i, r := range []rune(c.text) {
				joint := i > 0 && joins(r)
				if !joint && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || core.Clean(string(r)) != string(r) && r != unicode.ReplacementChar) {
					d.t.Fatalf("%s: %U in the cell %d,%d:\n%s", what, r, c.x, c.y, d.text())
				}
			}
			if n := len([]rune(c.text)); n > maxClusterRunes {
				d.t.Fatalf("%s: %d characters in the cell %d,%d", what, n, c.x, c.y)
			}
			f, b, a := c.style.Decompose()
			if !fg[f] || !bg[b] || a&tcell.AttrBlink != 0 {
				d.t.Fatalf("%s: %q at %d,%d is %v on %v, attributes %b, which no theme has:\n%s", what, c.text, c.x, c.y, f, b, a, d.text())
			}
		}
	}
	for _, r := range d.sim.GetTitle() {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			d.t.Fatalf("%s: %U in the title %q", what, r, d.sim.GetTitle())
		}
	}
}

// bare is a style without the link that a path or an address may carry.
func bare(s tcell.Style) tcell.Style {
	f, b, a := s.Decompose()
	return tcell.StyleDefault.Foreground(f).Background(b).Attributes(a &^ tcell.AttrUnderline).Underline(s.GetUnderlineStyle() != tcell.UnderlineStyleNone)
}

func looks(rows [][]simCell) map[tcell.Style]bool {
	out := map[tcell.Style]bool{}
	for _, row := range rows {
		for _, c := range row {
			out[bare(c.style)] = true
		}
	}
	return out
}

// differ finds the first cell of two screens that differs, where it may not.
func differ(a, b [][]simCell, may func(x, y int) bool) (simCell, simCell, bool) {
	flat := func(rows [][]simCell) map[[2]int]simCell {
		out := map[[2]int]simCell{}
		for _, row := range rows {
			for _, c := range row {
				out[[2]int{c.x, c.y}] = c
			}
		}
		return out
	}
	m := flat(b)
	for _, row := range a {
		for _, c := range row {
			o := m[[2]int{c.x, c.y}]
			if c.text == o.text && bare(c.style) == bare(o.style) || may(c.x, c.y) || ticks(c.text) && ticks(o.text) {
				continue
			}
			return c, o, true
		}
	}
	return simCell{}, simCell{}, false
}

// ticks reports whether a cell may be of a clock.
func ticks(text string) bool { return strings.Trim(text, "0123456789: ") == "" }

func (d *driver) showing(set func(*fake, string), s string) [][]simCell {
	d.f.change(func() { set(d.f, s) })
	d.wait(1100 * time.Millisecond) // the catalogue is looked at once a second
	return simCells(d.sim)
}

// No text can do more than be read, in the part where it belongs.
func TestHostileTextStaysInItsPlace(t *testing.T) {
	for _, p := range spots {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			sizes := [][2]int{{120, 40}, {60, 20}}
			if slow {
				sizes = sizes[1:]
			}
			for _, size := range sizes {
				synctest.Test(t, func(t *testing.T) { siege(t, p, size) })
			}
		})
	}
}

func siege(t *testing.T, p spot, size [2]int) {
	f := newFake()
	shopAgents(f)
	f.change(func() { // ages that stay in one width for as long as this takes
		for i := range f.tasks {
			f.tasks[i].LastEvent = nil
		}
	})
	d := drive(t, f, size[0], size[1], nil)
	defer d.quit()
	f.change(func() { p.set(f, "plain") })
	d.settle()
	if strings.HasPrefix(p.keys, "I") {
		d.wait(time.Second)
	}
	d.keys(p.keys)
	d.wait(5 * time.Second) // what was said about the keys is gone
	calm := d.showing(p.set, "plain")
	style := looks(calm)
	for i, s := range attacks {
		if slow && i%4 != len(p.name)%4 { // the race detector watches a part; without it all are tried
			continue
		}
		what := fmt.Sprintf("%s at %dx%d, attack %d %.40q", p.name, size[0], size[1], i, s)
		got := d.showing(p.set, s)
		d.innocent(what)
		d.within(what, p, calm, got)
		if !p.md && !p.json {
			for st := range looks(got) {
				if !style[st] {
					t.Fatalf("%s: a style that plain text has not there: %+v\n%s", what, st, d.text())
				}
			}
		}
		if clean := core.Clean(s); clean != s && !p.json && !grows(p.name) {
			a, b, bad := differ(got, d.showing(p.set, clean), func(_, y int) bool { return y == size[1]-1 })
			if bad {
				t.Fatalf("%s: what was cleaned away shows at %d,%d: %q, without it %q\n%s", what, a.x, a.y, a.text, b.text, d.text())
			}
		}
	}
	d.keys("<Esc>")
}

// grows reports whether each text of the place is one more, or moves others.
func grows(name string) bool {
	return slices.Contains([]string{"event", "notice of a hook", "todo", "completion in the timeline", "answer", "message", "note", "saved views", "refusal", "waterfall", "review", "agents"}, name)
}

// within checks that only the parts where the text belongs have changed.
func (d *driver) within(what string, p spot, calm, got [][]simCell) {
	d.t.Helper()
	if p.only == nil {
		return
	}
	parts := d.parts()
	_, _, h := d.sim.GetContents()
	a, b, bad := differ(calm, got, func(x, y int) bool {
		if y == h-1 { // the keys that can be pressed, or the last thing there was to say
			return true
		}
		for _, name := range p.only {
			for _, r := range parts[name] {
				if r.holds(x, y) {
					return true
				}
			}
		}
		return false
	})
	if bad {
		d.t.Fatalf("%s: changed the cell %d,%d outside of %v from %q to %q\n%s", what, a.x, a.y, p.only, a.text, b.text, d.text())
	}
}

// everywhere puts a text into every place at once.
func everywhere(f *fake, s string) {
	for _, p := range spots {
		if p.name != "refusal" {
			p.set(f, s)
		}
	}
	f.insides["eedit"] = f.insides["dexpl"]
	f.files, f.history = []string{s, "x" + s}, []string{s}
	f.commands = append(f.commands, state.Command{Name: s, Description: s, Hint: s, Path: s, State: "available"})
	f.requests[0].Outcome = s
	for _, id := range []string{"eedit", "gtest"} {
		t := f.task(id)
		t.Name, t.Agent, t.Intent, t.Summary, t.NotDone, t.EndedBy, t.Dir, t.Rev = s, s, s, s, []string{s}, s, s, t.Rev+1
		f.touch(id)
	}
	in := f.insides["dexpl"]
	in.Parent = &core.Spec{Prompt: s, System: s, Agent: json.RawMessage(`{"name":` + string(mustJSON(s)) + `}`)}
	f.insides["dexpl"] = in
}

// round looks at every pane.
var round = []string{
	"", "?", "<Esc>", "t", "t", "t", "t", ">", ">", ">", ">", "<", "I", "v", "<Esc>", "<Esc>", "R", "v", "<Esc>", "<Esc>", "@", "v", "<Esc>", "<Esc>",
	"!", "v", "<Esc>", "d", "<Esc>", "x", "n", "m@", "<Tab>", "<Esc>", "n/", "<Tab>", "<Up>", "<Esc>", ":view <Tab>", "<Esc>", "<Ctrl-P>", "<Esc>", "=", "=", "=", "/e", "<Esc>", "<Enter>", "<Tab>/e<Enter>", "n", "E", "y",
}

func besiege(t *testing.T, s string, w, h int) {
	f := newFake()
	shopAgents(f)
	f.change(func() { everywhere(f, s) })
	var wrote strings.Builder
	d := drive(t, f, w, h, func(o *Options) {
		o.Dir, o.Title, o.Notify = "/home/"+s, true, Notices{Kind: "osc9"}
		o.Outside.Write = func(seq string) error { wrote.WriteString(seq); return nil }
	})
	defer d.quit()
	d.wait(time.Second)
	for _, k := range round {
		d.keys(k)
		d.innocent(fmt.Sprintf("%dx%d, after %q, of %.60q", w, h, k, s))
	}
	d.p.look.turn(false)
	f.change(func() {
		f.ask("gtest", s, s, map[string]string{"x": s})
		m := f.task("hold2")
		m.Status, m.Error, m.Rev = core.Failed, s, m.Rev+1
		f.touch("hold2")
	})
	d.settle()
	for seq := range strings.SplitSeq(wrote.String(), "\x1b\\") {
		if said, ok := strings.CutPrefix(seq, "\x1b]9;"); seq != "" && (!ok || strings.ContainsFunc(said, unicode.IsControl)) {
			t.Fatalf("the terminal is sent %q", seq)
		}
	}
	var clip []byte
	d.sim.GetClipboard()
	if clip = d.sim.GetClipboardData(); core.Clean(string(clip)) != string(clip) {
		t.Fatalf("on the clipboard: %q", clip)
	}
}

// FuzzHostileText puts a text into every place and looks at every pane.
func FuzzHostileText(f *testing.F) {
	for i, s := range attacks {
		if !slow || i%5 == 0 {
			f.Add(s, uint8(20+i*13), uint8(5+i*4))
		}
	}
	if !slow {
		f.Add(strings.Join(attacks, ""), uint8(200), uint8(60))
	}
	f.Fuzz(func(t *testing.T, s string, w, h uint8) {
		synctest.Test(t, func(t *testing.T) { besiege(t, s, max(20, int(w)), max(5, int(h)%70)) })
	})
}
