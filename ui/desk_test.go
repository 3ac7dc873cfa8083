package ui

import (
	"encoding/json"
	"time"

	"drover/core"
)

// desk is a whole desk for the pictures: every state there is, and a session with something to read.
func desk(f *fake) {
	fleet(f)
	f.change(func() {
		now := time.Now()
		at := func(ago time.Duration) *time.Time { t := now.Add(-ago); return &t }
		session := func(id, title string, ago time.Duration, cost float64, tokens int64) *core.TaskView {
			f.put(core.TaskView{ID: id, Session: id, Kind: core.KindMain, Agent: "main", Name: "main", Description: title, Status: core.Idle, Turn: 2, Mode: core.Background, TokensIn: tokens, TokensOut: tokens / 20, Cost: &cost, Created: at(ago), Started: at(ago), ElapsedMS: (ago / 3).Milliseconds()})
			f.sessions[id] = core.Session{ID: id, Title: title, Dir: "/home/me/shop", Updated: now.Add(-ago)}
			return f.task(id)
		}
		child := func(id, session, name, agent string, st core.Status, act core.Activity, ago time.Duration) *core.TaskView {
			cost := 0.07
			t := core.TaskView{ID: id, Session: session, Parent: session, Kind: core.KindAgent, Agent: agent, Name: name, Status: st, Activity: act, Mode: core.Background, Turn: 1, TokensIn: 18_300, TokensOut: 920, Cost: &cost, Created: at(ago), Started: at(ago), ElapsedMS: (ago / 2).Milliseconds()}
			if st == core.Running {
				t.ActiveSince, t.LastEvent, t.ElapsedMS = now.Add(-ago), at(4*time.Second), 0
			}
			f.put(t)
			return f.task(id)
		}
		up := session("kport", "Port the mailer to queues", 26*time.Minute, 1.12, 310_000)
		up.Status, up.Activity, up.ActiveSince, up.LastEvent = core.Running, core.ActChildren, now.Add(-26*time.Minute), at(9*time.Second)
		child("kread", "kport", "read-mailer", "explore", core.Completed, "", 20*time.Minute)
		child("kwork", "kport", "worker", "general", core.Running, core.ActTool, 11*time.Minute).Detail = "edit_file queue/worker.go"
		child("krevi", "kport", "review", "code-review", core.Running, core.ActModel, 2*time.Minute)
		p := session("lbump", "Bump the dependencies", 40*time.Minute, 0.41, 88_000)
		p.Status, p.Activity, p.Detail, p.ActiveSince = core.Running, core.ActParked, "until 10:30:00", now.Add(-3*time.Minute)
		i := session("mbench", "Nightly benchmarks", 7*time.Hour, 0.18, 41_000)
		i.Status, i.Interrupted = core.Running, true
		session("ndocs", "Explain the billing module", 70*time.Minute, 0.09, 22_000)
		for _, t := range f.tasks {
			f.touch(t.ID)
		}
		call := func(task string, step int, id, tool, args, result string, took time.Duration) {
			f.say(task, core.Entry{Turn: 1, Step: step, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: id, Name: tool, Args: json.RawMessage(args)}}})
			f.say(task, core.Entry{Turn: 1, Step: step, Kind: core.EntryCall, CallID: id, Tool: tool})
			if result != "" {
				f.say(task, core.Entry{Turn: 1, Step: step, Kind: core.EntryResult, CallID: id, Tool: tool, Text: result, Took: took})
			}
		}
		call("bmain", 2, "1", "task", `{"name":"explore-api","agent_type":"explore"}`, "dexpl started\nin the background", 3*time.Millisecond)
		call("bmain", 2, "2", "task", `{"name":"edit-cart","agent_type":"general"}`, "eedit started\nin the background", 2*time.Millisecond)
		f.say("bmain", core.Entry{Turn: 1, Step: 3, Kind: core.EntryNotice, Text: "explore-api (dexpl) answered turn 1: totals are computed in three places"})
		f.say("bmain", core.Entry{Turn: 1, Step: 4, Kind: core.EntryAnswer, Text: "Totals are computed in **three** places, and VAT is added in a fourth:\n\n| file | what | coupon |\n| --- | --- | --- |\n| `cart/total.go` | sum of the items | before |\n| `cart/vat.go` | VAT by country | after |\n| `invoice/sum.go` | what is billed | shown |\n\nA coupon is taken off *before* VAT:\n\n```go\nfunc Total(items []Item, c Coupon) Cents {\n\treturn VAT(c.Off(Sum(items)))\n}\n```\n"})
		call("bmain", 5, "3", "shell", `{"command":"go test ./cart"}`, "ok  shop/cart 0.41s", 410*time.Millisecond)
		f.say("bmain", core.Entry{Turn: 1, Step: 6, Kind: core.EntryAnswer, Text: "`edit-cart` writes it now; `plan` looks at the schema meanwhile."})
		f.say("eedit", core.Entry{Turn: 1, Kind: core.EntryMessage, Sender: "bmain", Text: "Let the cart take a coupon off before VAT. Run its tests."})
		call("eedit", 1, "1", "read_file", `{"path":"cart/total.go"}`, "package cart\n\nfunc Total(items []Item) Cents {\n\treturn VAT(Sum(items))\n}", 2*time.Millisecond)
		call("eedit", 2, "2", "edit_file", `{"path":"cart/total.go","old_string":"func Total(items []Item) Cents {\n\treturn VAT(Sum(items))","new_string":"func Total(items []Item, c Coupon) Cents {\n\treturn VAT(c.Off(Sum(items)))"}`, "cart/total.go: one place changed", 4*time.Millisecond)
		f.say("eedit", core.Entry{Turn: 1, Step: 3, Kind: core.EntryAnswer, Text: "Now the tests that have to do with coupons.", Calls: []core.ToolCall{{ID: "3", Name: "shell", Args: json.RawMessage(`{"command":"npm test -- --grep coupon"}`)}}})
		f.events = nil
		day := now.Truncate(24 * time.Hour).Add(9*time.Hour + 12*time.Minute)
		for _, e := range []struct {
			at   time.Duration
			task string
			kind core.EventKind
			text string
		}{
			{4 * time.Second, "bmain", core.EvSessionStart, "Add coupon support"},
			{9 * time.Second, "dexpl", core.EvStart, "main started explore-api (explore) in the background: find where totals are computed"},
			{9 * time.Second, "fsurv", core.EvStart, "main started survey (explore) in the background: survey the cart"},
			{10 * time.Second, "cplan", core.EvStart, "main started plan (plan) and waits for it: read the schema"},
			{31 * time.Second, "cplan", core.EvPromoted, "plan moved to the background by you"},
			{42 * time.Second, "fsurv", core.EvCompleted, "survey completed"},
			{71 * time.Second, "dexpl", core.EvIdle, "explore-api answered turn 1"},
			{74 * time.Second, "eedit", core.EvStart, "main started edit-cart (general) in the background: take coupons off before VAT"},
			{80 * time.Second, "bmain", core.EvRefused, "refused: todo \"write tests\" is open"},
			{80 * time.Second, "bmain", core.EvContinue, "continuation 1 of 5"},
			{96 * time.Second, "eedit", core.EvApproval, "edit-cart needs you: shell npm test -- --grep coupon"},
			{118 * time.Second, "bmain", core.EvTaskComplete, "done: Coupons are accepted at checkout, stored with the order and shown on the invoice. Not done: the admin page."},
		} {
			f.event("bmain", e.task, e.kind, e.text)
			f.events[len(f.events)-1].At = day.Add(e.at)
		}
	})
}
