package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// morning is the shop with turns, changes of files, a definition and a past.
func morning(f *fake) {
	shop(f)
	f.change(func() {
		t0 := time.Now().Add(-134 * time.Second)
		f.insides = map[string]core.Inside{"eedit": {
			Spec: core.Spec{
				Prompt: "Accept coupons in the cart.", System: "You change code.\n\n- small steps\n- run the tests",
				Tools: []string{"read_file", "edit_file", "write_file", "shell"}, Output: json.RawMessage(`{"type":"object","required":["files"]}`),
				Agent: json.RawMessage(`{"name":"general","description":"Does any work.","tools":["read_file","edit_file","write_file","shell"],"model":"powerful","limits":{"max_turns":30,"timeout_ns":600000000000,"cost_usd":0.5},"spawns":["explore"],"source":"/home/me/shop/.drover/agents/general.md"}`),
			},
			Turns: []core.Turn{
				{Task: "eedit", N: 1, Sender: "bmain", Prompt: "Accept coupons in the cart.", Response: "The cart takes **coupons** now:\n\n1. `cart/coupon.go`\n2. `cart/total.go`\n3. tests\n4. docs", Started: t0, Ended: t0.Add(72 * time.Second), ToolCalls: 9,
					Handed: core.Handed{Result: json.RawMessage(`{"files":["cart/coupon.go"]}`), Partial: true, Code: "TIMEOUT"}},
				{Task: "eedit", N: 2, Sender: core.SenderUser, Prompt: "and round to cents", Started: t0.Add(100 * time.Second)},
			},
		}}
		call := func(step int, id, name, args string) {
			f.say("eedit", core.Entry{Turn: 1, Step: step, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: id, Name: name, Args: json.RawMessage(args)}}})
			f.say("eedit", core.Entry{Turn: 1, Step: step, Kind: core.EntryCall, CallID: id, Tool: name})
			f.say("eedit", core.Entry{Turn: 1, Step: step, Kind: core.EntryResult, CallID: id, Tool: name, Text: "done", Took: 4 * time.Millisecond, Failed: name == "shell"})
		}
		f.say("eedit", core.Entry{Turn: 1, Kind: core.EntryMessage, Sender: "bmain", Text: "Accept coupons in the cart."})
		call(1, "1", "write_file", `{"path":"cart/coupon.go","content":"package cart\n\n// Coupon is a discount.\ntype Coupon struct{ Code string }\n"}`)
		call(2, "2", "edit_file", `{"path":"cart/total.go","old_string":"func Total(c Cart) int {\n\treturn c.Sum()\n}","new_string":"func Total(c Cart) int {\n\treturn c.Sum() - c.Discount()\n}"}`)
		call(3, "3", "shell", `{"command":"npm test"}`)
		call(4, "4", "edit_file", `{"path":"cart/coupon.go","old_string":"Code string","new_string":"Code  string\n\tCents int"}`)
		ev := func(after time.Duration, task string, k core.EventKind, text string) {
			f.touch(task)
			f.events = append(f.events, core.Event{Seq: f.seq, Session: "bmain", Task: task, At: t0.Add(after), Kind: k, Notable: k != core.EvActivity && k != core.EvStep, Text: text})
		}
		began, ended := t0.Add(10*time.Second), t0.Add(43*time.Second)
		f.task("fsurv").Created, f.task("fsurv").Ended = &began, &ended
		ev(0, "bmain", core.EvActivity, "model")
		ev(9*time.Second, "bmain", core.EvActivity, "children survey")
		ev(10*time.Second, "fsurv", core.EvStart, "main started survey (explore) in the background: survey the code")
		ev(10*time.Second, "fsurv", core.EvActivity, "model")
		ev(25*time.Second, "fsurv", core.EvStep, "tool grep_files")
		ev(43*time.Second, "fsurv", core.EvCompleted, "survey completed")
		ev(43*time.Second, "bmain", core.EvActivity, "model")
		ev(60*time.Second, "bmain", core.EvParked, "parked at the rate limit of anthropic until 14:02")
		ev(72*time.Second, "bmain", core.EvUnparked, "main goes on")
		ev(80*time.Second, "dexpl", core.EvActivity, "model")
		ev(92*time.Second, "bmain", core.EvContinue, "autopilot continues (1 of 5): not complete yet")
		ev(93*time.Second, "cplan", core.EvActivity, "model")
		ev(95*time.Second, "bmain", core.EvActivity, "children plan")
		ev(99*time.Second, "eedit", core.EvRetry, "model call failed (overloaded), try 2 of 5")
		ev(110*time.Second, "cplan", core.EvStep, "tool read_file")
		ev(122*time.Second, "eedit", core.EvActivity, "tool edit_file")
		ev(126*time.Second, "eedit", core.EvApproval, "edit-cart asks: shell npm test")
		ev(130*time.Second, "eedit", core.EvApproved, "allowed by user: shell npm test")
		ev(131*time.Second, "eedit", core.EvHook, "stop hook lint.sh blocked: 2 problems")
		slices.SortStableFunc(f.events, func(a, b core.Event) int { return a.At.Compare(b.At) })
		for i := range f.events {
			f.events[i].Seq = int64(i + 1)
		}
	})
}

var pageScenes = []struct {
	name  string
	setup func(*fake)
	keys  string
}{
	{"turns", morning, ":go edit-cart<Enter>:tab turns<Enter>"},
	{"turns-queued", morning, ":go edit-cart<Enter>mround to cents<Enter>|mand write docs<Enter>|:tab turns<Enter><Tab>|GK"},
	{"task-timeline", morning, ":go edit-cart<Enter>:tab timeline<Enter>"},
	{"definition", morning, ":go edit-cart<Enter>:tab definition<Enter>"},
	{"files", morning, ":go edit-cart<Enter>:tab files<Enter><Tab>|j<Enter>"},
	{"waterfall", morning, ":waterfall<Enter><Tab>|jj"},
	{"waterfall-zoom", morning, ":waterfall<Enter><Tab>|+++llj"},
	{"timeline-kind", morning, ":kind trouble<Enter><Tab>"},
	{"timeline-words", morning, "t<Tab>/survey<Enter>"},
	{"diffs", morning, ":go edit-cart<Enter><Enter>"},
	{"hits", found, ":search comp<Enter>"},
	{"found", morning, ":go edit-cart<Enter><Tab>/coupon<Enter>n"},
}

func TestPages(t *testing.T) {
	for _, s := range pageScenes {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 60}} {
			t.Run(fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					s.setup(f)
					d := drive(t, f, size[0], size[1], nil)
					d.wait(2 * time.Second)
					for part := range strings.SplitSeq(s.keys, "|") {
						d.keys(part)
					}
					got := d.text()
					d.quit()
					golden(t, fmt.Sprintf("screen/%s-%dx%d.txt", s.name, size[0], size[1]), got)
				})
			})
		}
	}
}

// Every page takes any key at any size, with hostile text in all of it.
func TestPagesNeverBreak(t *testing.T) {
	evil := "\x1b[31m\x1b]0;own\x07[red::b]\u202e日本語\u0301\u0301\u200b" + strings.Repeat("w", 300) + "\n\n\t%s"
	keys := strings.Split("j k g G < > t / n N E + - 0 h l . , w K J e <Enter> <Esc> <Tab> <PgUp> <PgDn> f", " ")
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		morning(f)
		f.change(func() {
			in := f.insides["eedit"]
			in.Turns[0].Response, in.Turns[0].Sender, in.Spec.System, in.Spec.Tools = evil, evil, evil, []string{evil}
			in.Spec.Agent = json.RawMessage(`{"name":"x","source":` + string(mustJSON(evil)) + `}`)
			f.insides["eedit"] = in
			f.say("eedit", core.Entry{Turn: 1, Step: 9, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "9", Name: "write_file", Args: mustJSON(map[string]string{"path": evil, "content": evil})}}})
			f.say("eedit", core.Entry{Turn: 1, Step: 9, Kind: core.EntryResult, CallID: "9", Tool: evil, Text: evil})
			f.event("bmain", "eedit", core.EvTaskComplete, "done: "+evil)
			f.event("bmain", "eedit", core.EvNotify, evil)
		})
		d := drive(t, f, 80, 24, func(o *Options) {
			o.Outside.Open = func(_ context.Context, path string) error { return nil }
		})
		d.keys(":go edit-cart<Enter><Tab>")
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			if rnd.IntN(12) == 0 {
				d.resize(20+rnd.IntN(180), 5+rnd.IntN(60))
			}
			d.keys(keys[rnd.IntN(len(keys))])
			for _, bad := range []string{"\x1b", "\u202e", "\u200b", "\x07"} {
				if strings.Contains(d.text(), bad) {
					t.Fatalf("%q reached the screen:\n%s", bad, d.text())
				}
			}
		}
		d.quit()
	})
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
