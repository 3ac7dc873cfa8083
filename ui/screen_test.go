package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// shop fills the registry with a morning's work: DESIGN's sketch.
func shop(f *fake) {
	f.change(func() {
		now := time.Now()
		task := func(id, parent, name, agent string, st core.Status, act core.Activity, ago time.Duration) core.TaskView {
			since := now.Add(-ago)
			cost := 0.02
			t := core.TaskView{
				ID: id, Session: "bmain", Parent: parent, Kind: core.KindAgent, Agent: agent, Name: name, Status: st, Activity: act,
				Mode: core.Background, Turn: 1, TokensIn: 4100, TokensOut: 310, Cost: &cost, Created: &since, Started: &since, Rev: 1,
			}
			if st == core.Running {
				t.ActiveSince = since
			} else {
				t.ElapsedMS = ago.Milliseconds()
			}
			return t
		}
		m := task("bmain", "", "main", "main", core.Running, core.ActChildren, 134*time.Second)
		m.Kind, m.Description, m.Autopilot = core.KindMain, "Add coupon support", true
		f.put(m)
		plan := task("cplan", "bmain", "plan", "plan", core.Running, core.ActTool, 41*time.Second)
		plan.Detail, plan.Intent, plan.Mode = "read_file", "reading schema.sql", core.Sync
		f.put(plan)
		f.put(task("dexpl", "bmain", "explore-api", "explore", core.Idle, "", 62*time.Second))
		f.put(task("eedit", "bmain", "edit-cart", "general", core.Running, core.ActTool, 12*time.Second))
		f.put(task("fsurv", "bmain", "survey", "explore", core.Completed, "", 33*time.Second))
		f.put(task("gtest", "cplan", "run-tests", "general", core.Running, core.ActQueued, 2*time.Second))
		old := task("hold2", "", "main", "main", core.Idle, "", 300*time.Second)
		old.Session, old.Kind, old.Description, old.Outcome = "hold2", core.KindMain, "Fix flaky test", core.OutcomeDone
		old.Summary = "The test waited for a port; it now waits for the listener."
		f.put(old)
		f.declare("hold2", core.OutcomeDone, 4*time.Minute, old.Summary)
		f.sessions["bmain"] = core.Session{ID: "bmain", Title: "Add coupon support", Dir: "/home/me/shop", Autopilot: true, Updated: now}
		f.sessions["hold2"] = core.Session{ID: "hold2", Title: "Fix flaky test", Dir: "/home/me/shop", Updated: now.Add(-time.Hour)}
		f.say("dexpl", core.Entry{Turn: 1, Kind: core.EntryMessage, Sender: "bmain", Text: "find the handlers that compute totals"})
		f.say("dexpl", core.Entry{Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "1", Name: "grep_files", Args: json.RawMessage(`{"pattern":"Total("}`)}}})
		f.say("dexpl", core.Entry{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: "1", Tool: "grep_files"})
		f.say("dexpl", core.Entry{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "1", Tool: "grep_files", Text: "cart/total.go:12: func Total(", Took: 20 * time.Millisecond})
		f.say("dexpl", core.Entry{Turn: 1, Step: 2, Kind: core.EntryAnswer, Text: "Totals are computed in **three** places:\n\n1. `cart/total.go`\n2. `cart/vat.go`\n3. `invoice/sum.go`\n"})
		f.say("bmain", core.Entry{Turn: 1, Kind: core.EntryMessage, Sender: core.SenderUser, Text: "Add coupon support"})
		f.say("bmain", core.Entry{Turn: 1, Step: 1, Kind: core.EntryAnswer, Text: "I look at the code first, with three helpers."})
		f.event("bmain", "bmain", core.EvSessionStart, "Add coupon support")
		f.event("bmain", "dexpl", core.EvIdle, "explore-api answered turn 1")
		f.event("bmain", "fsurv", core.EvCompleted, "survey completed")
		f.event("bmain", "bmain", core.EvRefused, "refused: todo \"write tests\" is open")
		f.event("bmain", "bmain", core.EvTaskComplete, "done: Coupons are accepted at checkout, stored with the order and shown on the invoice. Not done: the admin page.")
	})
}

// fleet is the shop with another project, a failure, unknown prices, something stuck, and notes.
func fleet(f *fake) {
	shop(f)
	ask(f)
	f.change(func() {
		now := time.Now()
		long := now.Add(-20 * time.Minute)
		f.task("cplan").LastEvent, f.task("cplan").ActiveSince = &long, long
		dear := 1.75
		f.put(core.TaskView{ID: "iblog", Session: "iblog", Kind: core.KindMain, Agent: "main", Description: "Write the release notes", Status: core.Failed, Error: "the model is overloaded", Turn: 3, TokensIn: 120_000, TokensOut: 4000, Cost: &dear, Created: &long, Started: &long, ElapsedMS: 90_000})
		f.put(core.TaskView{ID: "jlocal", Session: "iblog", Parent: "iblog", Kind: core.KindAgent, Agent: "explore", Name: "read-commits", Status: core.Completed, Turn: 1, TokensIn: 900, Created: &long, Started: &long, ElapsedMS: 30_000})
		f.sessions["iblog"] = core.Session{ID: "iblog", Title: "Write the release notes", Dir: "/home/me/blog", Updated: now.Add(-2 * time.Hour)}
		f.note(core.NoteSlot+"1", "dexpl")
		f.note(core.NoteView+"spent", `{"sort":"cost","group":"dir","filter":"cost:>1"}`)
	})
}

// declared has completions of every outcome.
func declared(f *fake) {
	shop(f)
	declares(f)
}

func declares(f *fake) {
	f.change(func() {
		f.declare("bmain", core.OutcomeBlocked, 70*time.Second, "Coupons are accepted at checkout, stored with the order and shown on the invoice.", "the admin page", "tests of the invoice")
		f.declare("hold2", core.OutcomeNeedsInput, 20*time.Second, "Which of the two ports is meant?\n\nBoth are free.")
	})
}

// asked has calls of several tasks, two of them identical.
func asked(f *fake) {
	shop(f)
	ask(f)
	asks(f)
}

func asks(f *fake) {
	f.change(func() {
		f.ask("cplan", "write_file", "docs/plan.md", map[string]any{"path": "docs/plan.md", "content": "# Plan\n\n1. totals\n2. coupons\n"})
		f.ask("gtest", "shell", "npm test -- --grep coupon", map[string]any{"command": "npm test -- --grep coupon"})
	})
}

func ask(f *fake) {
	f.change(func() {
		f.ask("eedit", "shell", "npm test -- --grep coupon", map[string]any{"command": "npm test -- --grep coupon"})
	})
}

var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}}

// scene is a golden screen: a name, how the registry is, and what is typed.
type scene struct {
	name  string
	setup func(*fake)
	keys  string
}

// scenes are the golden screens.
var scenes = []scene{
	{"empty", nil, ""},
	{"tree", shop, ""},
	{"transcript", shop, ":go explore-api<Enter>"},
	{"approval", func(f *fake) { shop(f); ask(f) }, "!"},
	{"composer", shop, ":go explore-api<Enter>mand where is<Ctrl-J>VAT added?"},
	{"confirm", shop, "x"},
	{"timeline", shop, "t"},
	{"completions", shop, "tt"},
	{"help", shop, "?"},
	{"filter", shop, "/explore"},
	{"command", shop, ":a<Tab>"},
	{"full", shop, ":go explore-api<Enter><Enter>"},
	{"notice", shopAgents, ""},
	{"agents", shopAgents, "@jjj"},
	{"agents-problem", shopAgents, "@/broken<Enter>"},
	{"agents-filter", shopAgents, "@/expl"},
	{"agents-trust", shopAgents, "@T"},
	{"agents-lead", shopAgents, "@/explore<Enter>nwhere is VAT added?"},
	{"agents-view", shopAgents, "@jjjv"},
	{"agents-none", shop, "@"},
	{"tree-status", fleet, "==="},
	{"tree-dir", fleet, "="},
	{"tree-cost", fleet, "SSS"},
	{"tree-folded", fleet, ":go Add coupon<Enter>h"},
	{"tree-marks", fleet, ":go plan<Enter>,,:go survey<Enter>'x"},
	{"tree-filter", fleet, "/is:stuck !status:idle"},
	{"tree-filter-wrong", fleet, "/age:soon status:idle"},
	{"tree-archived", fleet, ":go survey<Enter>z"},
	{"tree-views", fleet, ":view<Enter>"},
	{"slash", shopAgents, ":go explore-api<Enter>m/re<Tab>"},
	{"inbox", asked, "I"},
	{"inbox-second", asked, "Ij"},
	{"inbox-empty", shop, "I"},
	{"review", declared, "R"},
	{"review-blocked", declared, "Rj"},
	{"review-all", declared, "Rd<Enter>Rf"},
	{"review-message", declared, "Rmand now?"},
	{"review-empty", nil, "R"},
	{"mention", func(f *fake) { shopAgents(f); f.files = []string{"cart/total.go", "explain.md", "docs/expiry.md"} }, ":go explore-api<Enter>mask @ex"},
	{"many", shop, "Mstop at noon"},
	{"slash-args", shopAgents, "n/review "},
	{"palette", shop, "<Ctrl-P>mes"},
	{"palette-not-now", shop, "<Ctrl-P>allow"},
	{"mouse", shop, "<Ctrl-T>"},
	{"tour", shop, ":tour<Enter>"},
	{"tour-write", shop, ":tour<Enter>k<Tab><Esc>"},
}

func TestScreens(t *testing.T) {
	for _, s := range scenes {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					if s.setup != nil {
						s.setup(f)
					}
					d := drive(t, f, size[0], size[1], nil)
					d.wait(2 * time.Second)
					d.keys(s.keys)
					got := d.text()
					d.quit()
					golden(t, fmt.Sprintf("screen/%s-%dx%d.txt", s.name, size[0], size[1]), got)
				})
			})
		}
	}
}

// Without colours the screen says the same in the same cells, at every size.
func TestNoColorSaysTheSame(t *testing.T) {
	for _, s := range slices.Concat(scenes, asScenes()) {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					if s.setup != nil {
						s.setup(f)
					}
					d := drive(t, f, size[0], size[1], func(o *Options) { o.NoColor = true })
					d.wait(2 * time.Second)
					for part := range strings.SplitSeq(s.keys, "|") {
						d.keys(part)
					}
					got := d.text()
					for _, row := range simCells(d.sim) {
						for _, c := range row {
							fg, bg, _ := c.style.Decompose()
							if fg.Hex() >= 0 || bg.Hex() >= 0 {
								t.Fatalf("%s: a colour at %d,%d", s.name, c.x, c.y)
							}
						}
					}
					d.quit()
					golden(t, fmt.Sprintf("screen/%s-%dx%d.txt", s.name, size[0], size[1]), got)
				})
			})
		}
	}
}
