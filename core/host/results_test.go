package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/run"
)

func TestResults(t *testing.T) {
	hand := func(id, args string) answerer { return use(call(id, "complete_task", args)) }
	for _, tt := range []struct {
		name    string
		schema  string
		tools   []string
		replies script
		status  core.Status
		code    core.Code
		result  string // JSON
		text    string // the response contains
		asked   int
		told    string // the last request to the model contains
	}{
		{name: "fits", schema: string(okSchema), replies: script{hand("1", `{"result":{"ok":true}}`)}, status: core.Idle, result: `{"ok":true}`, asked: 1},
		{name: "by another name", schema: string(okSchema), replies: script{use(call("1", "submit_result", `{"data":{"ok":true}}`))}, status: core.Idle, result: `{"ok":true}`, asked: 1},
		{name: "missing argument, then right", schema: `{"type":"string"}`, replies: script{hand("1", `{"wrong":"oops"}`), hand("2", `{"result":"put right"}`)},
			status: core.Idle, result: `"put right"`, text: "put right", asked: 2, told: "Missing required argument 'result' for completion."},
		{name: "wrong, told with pointers, then right", schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}},"required":["a","b"]}`,
			replies: script{hand("1", `{"result":{"a":[1,"x"]}}`), hand("2", `{"result":{"a":[],"b":1}}`)},
			status:  core.Idle, result: `{"a":[],"b":1}`, asked: 2, told: "/a/1"},
		{name: "an older draft with definitions", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"n":{"$ref":"#/definitions/n"}},"required":["n"]}`,
			replies: script{hand("1", `{"result":{"n":"1"}}`), hand("2", `{"result":{"n":1}}`)}, status: core.Idle, result: `{"n":1}`, asked: 2, told: "/n"},
		{name: "JSON sent as a string", schema: string(okSchema), replies: script{hand("1", `{"result":"{\"ok\": true}"}`)}, status: core.Idle, result: `{"ok": true}`, asked: 1},
		{name: "never fits", schema: string(okSchema), replies: script{hand("1", `{"result":1}`), hand("2", `{"result":2}`), hand("3", `{"result":3}`), hand("4", `{"result":4}`), hand("5", `{"result":5}`)},
			status: core.Failed, code: core.CodeBadResult, text: "5", asked: 5},
		{name: "reminded, then handed in", schema: string(okSchema), replies: script{say("I think that is all"), hand("1", `{"result":{"ok":false}}`)},
			status: core.Idle, result: `{"ok":false}`, asked: 2, told: "[reminder 1 of 3]"},
		{name: "never handed in", schema: string(okSchema), replies: script{say("analysis in prose"), say(""), say(""), say("")},
			status: core.Failed, code: core.CodeNoResult, text: "analysis in prose", asked: 4},
		{name: "salvaged from what it said", schema: string(okSchema), replies: script{say(`{"ok": true}`), say(""), say(""), say("")}, status: core.Idle, result: `{"ok": true}`, asked: 4},
		{name: "salvaged from a block", schema: string(okSchema), replies: script{say("Here:\n```json\n{\"ok\": true}\n```"), say(""), say(""), say("")}, status: core.Idle, result: `{"ok": true}`, asked: 4},
		{name: "not salvaged: it does not fit", schema: string(okSchema), replies: script{say(`{"no": 1}`), say(""), say(""), say("")}, status: core.Failed, code: core.CodeNoResult, text: `{"no": 1}`, asked: 4},
		{name: "gives up", schema: string(okSchema), replies: script{hand("1", `{"status":"aborted","error":"no such table"}`)}, status: core.Failed, code: core.CodeSubagentFailed, asked: 1},
		{name: "two hand-ins in one step", schema: string(okSchema), replies: script{use(call("1", "complete_task", `{"result":{"ok":true}}`), call("2", "complete_task", `{"result":{"ok":false}}`))}, status: core.Idle, asked: 1},
		{name: "asked for by its tools alone", tools: []string{"probe", "complete_task"}, replies: script{hand("1", `{"result":"free words"}`)}, status: core.Idle, result: `"free words"`, text: "free words", asked: 1},
		{name: "a schema that is none", schema: `{"type":"nonsense"}`, replies: script{say("x")}, status: core.Failed, code: core.CodeInvalidInput, asked: 0},
		{name: "a schema that reaches out", schema: `{"$ref":"http://127.0.0.1:1/x.json"}`, replies: script{say("x")}, status: core.Failed, code: core.CodeInvalidInput, asked: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := core.Agent{Name: "kid", Tools: tt.tools}
				if tt.schema != "" {
					a.Output = json.RawMessage(tt.schema)
				}
				w := child(t, func(w *world) { w.limits = run.Limits{} }, a, tt.replies...)
				defer w.close()
				w.pass(time.Second)
				v := w.view("kid")
				n := w.turn("kid")
				if v.Status != tt.status || v.ErrorCode != tt.code || tt.result != "" && string(n.Result) != tt.result || !strings.Contains(n.Response, tt.text) {
					t.Errorf("%s [%s] %q, result %s, response %q\n%s", v.Status, v.ErrorCode, v.Error, n.Result, n.Response, w.transcript("kid"))
				}
				reqs := w.kidRequests()
				if len(reqs) != tt.asked {
					t.Errorf("%d model calls, want %d\n%s", len(reqs), tt.asked, w.transcript("kid"))
				}
				if tt.told != "" && !strings.Contains(last(reqs[len(reqs)-1]).Text, tt.told) {
					t.Errorf("the model was told %q", last(reqs[len(reqs)-1]).Text)
				}
			})
		})
	}
}

func (w *world) view(name string) core.TaskView {
	w.t.Helper()
	for _, v := range w.tree() {
		if v.Name == name {
			return v
		}
	}
	w.t.Fatalf("no task %q", name)
	return core.TaskView{}
}

// TestForced: the last try to get a result leaves the model no choice.
func TestForced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := child(t, func(*world) {}, core.Agent{Name: "kid", Output: okSchema}, say("a"), say("b"), say("c"), use(call("1", "complete_task", `{"result":{"ok":true}}`)))
		defer w.close()
		w.pass(time.Second)
		for i, r := range w.kidRequests() {
			if want := map[bool]string{true: "complete_task"}[i == 3]; r.Force != want {
				t.Errorf("request %d forces %q, want %q", i+1, r.Force, want)
			}
		}
	})
}

func TestRequestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		again := func(context.Context, core.ModelRequest) (core.ModelReply, error) {
			return core.ModelReply{Text: "going on", Calls: []core.ToolCall{call(fmt.Sprint(time.Now().UnixNano()), "probe", `{"seconds":1}`)}}, nil
		}
		var rs script
		for range 30 {
			rs = append(rs, again)
		}
		w := child(t, func(*world) {}, core.Agent{Name: "kid", Output: okSchema, Limits: core.AgentLimits{Requests: 4}}, rs...)
		defer w.close()
		w.pass(time.Minute)
		reqs := w.kidRequests()
		notices, forced := 0, 0
		for i, r := range reqs {
			if strings.HasPrefix(last(r).Text, "[budget notice]") {
				notices++
				if i != 4 {
					t.Errorf("the notice came with request %d", i+1)
				}
			}
			if r.Force != "" {
				forced++
			}
		}
		v := w.view("kid")
		if len(reqs) != 11 || notices != 1 || forced != 6 || v.ErrorCode != core.CodeBudgetExceeded || w.turn("kid").Response != "going on" {
			t.Errorf("%d requests, %d notices, %d forced, %s [%s]", len(reqs), notices, forced, v.Status, v.ErrorCode)
		}
	})
}

// TestAskedPersonStopsTheClock: the time a person takes to answer does not count.
func TestAskedPersonStopsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := core.Agent{Name: "kid", Limits: core.AgentLimits{Timeout: time.Minute, IdleTimeout: 30 * time.Second}}
		w := child(t, func(*world) {}, a, use(call("1", "danger", `{"seconds":1}`)), say("done"))
		defer w.close()
		w.pass(5 * time.Minute)
		if v := w.view("kid"); v.Activity != core.ActApproval {
			t.Fatalf("%s %s", v.Status, v.Activity)
		}
		as, err := w.client.Approvals(w.ctx, core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
		if err != nil || len(as) != 1 {
			t.Fatal(as, err)
		}
		w.ask(core.Request{Task: "kid", Kind: core.ReqApprove, Ref: core.ApprovalRef(as[0].ID)})
		w.pass(2 * time.Second)
		if v := w.view("kid"); v.Status != core.Idle || w.turn("kid").Response != "done" {
			t.Errorf("%s [%s]\n%s", v.Status, v.ErrorCode, w.transcript("kid"))
		}
	})
}

// TestParked: at a rate limit the task holds no slot, its clock stands, and it says until when.
func TestParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parks := func(ctx context.Context, r core.ModelRequest) (core.ModelReply, error) {
			if err := r.Wait(ctx, core.ModelWait{Try: 1, Most: 5, Why: "503", Until: time.Now().Add(2 * time.Second)}); err != nil {
				return core.ModelReply{}, err
			}
			for range 2 { // the limit does not hold what it says
				if err := r.Wait(ctx, core.ModelWait{Parked: true, Why: "429 slow down", Until: time.Now().Add(30 * time.Minute)}); err != nil {
					return core.ModelReply{}, err
				}
			}
			return text("after all")
		}
		w := child(t, func(w *world) { w.opts.Slots = core.NewSlots(1) }, core.Agent{Name: "kid"}, parks)
		defer w.close()
		w.pass(10 * time.Second)
		v := w.view("kid")
		if v.Activity != core.ActParked || !strings.HasPrefix(v.Detail, "until ") {
			t.Errorf("%s %s", v.Activity, v.Detail)
		}
		if used, _, _ := w.opts.Slots.Counts(); used != 0 {
			t.Errorf("%d slots are held", used)
		}
		w.pass(time.Hour)
		if v := w.view("kid"); v.Status != core.Idle {
			t.Errorf("%s [%s] %s", v.Status, v.ErrorCode, v.Error)
		}
		tl := w.timeline()
		for _, want := range []string{"task.retry kid: the model call failed (503); try 2 of 5 at ", "task.parked kid is parked until ", ": 429 slow down", "task.unparked kid goes on"} {
			if !strings.Contains(tl, want) {
				t.Errorf("no %q in\n%s", want, tl)
			}
		}
		if n := strings.Count(tl, "task.unparked"); n != 1 {
			t.Errorf("it went on %d times, not once:\n%s", n, tl)
		}
	})
}

func TestLongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := child(t, func(*world) {}, core.Agent{Name: "kid"}, say(strings.Repeat("line\n", 6000)))
		defer w.close()
		w.pass(time.Second)
		n := w.turn("kid")
		if n.Code != core.CodeOutputTruncated || !strings.Contains(n.Response, "[TRUNCATED: ") || !strings.Contains(n.Response, "5000") || n.Full == "" || w.view("kid").Status != core.Idle {
			t.Errorf("%s, %d bytes, %q", n.Code, len(n.Response), n.Full)
		}
	})
}

// fakeHooks are hooks as a script.
type fakeHooks func(core.HookEvent) (core.HookOutcome, error)

func (f fakeHooks) Run(_ context.Context, e core.HookEvent) (core.HookOutcome, error) { return f(e) }

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		w := child(t, func(w *world) {
			w.hooks = fakeHooks(func(e core.HookEvent) (core.HookOutcome, error) {
				if e.Kind == core.KindMain {
					return core.HookOutcome{}, nil
				}
				path, err := e.Transcript()
				if err != nil {
					return core.HookOutcome{}, err
				}
				if rows, err := os.ReadFile(path); err != nil || !strings.Contains(string(rows), `"text":"go"`) {
					t.Errorf("the transcript at %s is %q, %v", path, rows, err)
				}
				seen = append(seen, fmt.Sprintf("%s %s %s %q %v", e.Point, e.Agent, e.StopReason, e.Response, e.Active))
				switch {
				case e.Point == core.HookSubagentStart:
					return core.HookOutcome{Context: "mind the gap", Ran: []core.HookRun{{Name: "mine", Problem: "exit 1"}}}, nil
				case len(seen) == 2:
					return core.HookOutcome{Block: true, Reason: "run the tests"}, nil
				}
				return core.HookOutcome{}, nil
			})
		}, core.Agent{Name: "kid"}, say("one"), say("two"))
		defer w.close()
		w.pass(time.Second)
		want := []string{`subagentStart kid  "" false`, `subagentStop kid end_turn "one" false`, `subagentStop kid end_turn "two" true`}
		if strings.Join(seen, "\n") != strings.Join(want, "\n") {
			t.Errorf("hooks saw\n%s", strings.Join(seen, "\n"))
		}
		reqs := w.kidRequests()
		if m := reqs[0].Messages; len(m) != 1 || m[0].Text != "mind the gap\n\ngo" {
			t.Errorf("first request %+v", m)
		}
		if last(reqs[1]).Text != "run the tests" {
			t.Errorf("second request ends with %q", last(reqs[1]).Text)
		}
		if n := w.turn("kid"); n.N != 1 || n.Response != "two" {
			t.Errorf("turn %d %q", n.N, n.Response)
		}
		for _, want := range []string{"hook hook mine at subagentStart broke: exit 1", "hook kid would stop, and a hook blocked it: run the tests"} {
			if !strings.Contains(w.timeline(), want) {
				t.Errorf("no %q in\n%s", want, w.timeline())
			}
		}
	})
}

func TestVetoesAreCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := newWorld(t, func(context.Context, core.ModelRequest) (core.ModelReply, error) { n++; return text(fmt.Sprint(n)) })
		w.hooks = fakeHooks(func(core.HookEvent) (core.HookOutcome, error) {
			return core.HookOutcome{Block: true, Reason: "more"}, nil
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		w.pass(time.Second)
		if n != 9 || w.view("main").Status != core.Idle {
			t.Errorf("%d model calls, %s", n, w.view("main").Status)
		}
	})
}

func TestRequiredHookBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := child(t, func(w *world) {
			w.hooks = fakeHooks(func(e core.HookEvent) (core.HookOutcome, error) {
				if e.Point == core.HookSubagentStart {
					return core.HookOutcome{}, core.Errorf(core.CodeHookFailed, "the required hook gate is not there")
				}
				return core.HookOutcome{}, nil
			})
		}, core.Agent{Name: "kid"}, say("one"))
		defer w.close()
		w.pass(time.Second)
		if v := w.view("kid"); v.Status != core.Failed || v.ErrorCode != core.CodeHookFailed || len(w.kidRequests()) != 0 {
			t.Errorf("%s [%s]", v.Status, v.ErrorCode)
		}
	})
}

// TestCompaction: a history that outgrows the window is shortened; the task,
// the last steps and every call with its result stay.
func TestCompaction(t *testing.T) {
	for name, broken := range map[string]bool{"by the model": false, "the model fails": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, summaries := 0, 0
				big := strings.Repeat("word ", 400)
				w := newWorld(t, func(_ context.Context, r core.ModelRequest) (core.ModelReply, error) {
					if strings.HasPrefix(r.System, "You shorten") {
						summaries++
						if broken {
							return core.ModelReply{}, core.Errorf(core.CodeModel, "not now")
						}
						return text("SHORT")
					}
					if n++; n > 30 {
						return text("done")
					}
					return core.ModelReply{Text: fmt.Sprintf("step %d %s", n, big), Calls: []core.ToolCall{call(fmt.Sprint("c", n), "probe", `{"seconds":1}`)}}, nil
				})
				w.window = func(string) int64 { return 12000 }
				defer w.close()
				w.start(core.NewSession{Prompt: "the task itself"})
				w.pass(2 * time.Minute)
				if w.view("main").Status != core.Idle || summaries == 0 {
					t.Fatalf("%s, %d summaries\n%s", w.view("main").Status, summaries, w.timeline())
				}
				for i, r := range w.seen {
					if strings.HasPrefix(r.System, "You shorten") {
						continue
					}
					size := 0
					open := map[string]bool{}
					for _, m := range r.Messages {
						size += len(m.Text)
						for _, c := range m.Calls {
							open[c.ID] = true
						}
						if m.Role == core.RoleTool {
							if !open[m.CallID] {
								t.Fatalf("request %d: a result without its call", i)
							}
							delete(open, m.CallID)
						}
					}
					if len(open) > 0 || size > 3*12000 || r.Messages[0].Text != "the task itself" {
						t.Fatalf("request %d: %d calls without result, %d bytes, begins with %q", i, len(open), size, r.Messages[0].Text)
					}
				}
				lastReq := w.seen[len(w.seen)-1]
				if !strings.HasPrefix(lastReq.Messages[1].Text, "[summary]") || !broken && !strings.Contains(lastReq.Messages[1].Text, "SHORT") {
					t.Errorf("the second message is %q", core.Short(lastReq.Messages[1].Text, 200))
				}
				if !strings.Contains(w.timeline(), "task.compacted") {
					t.Error("no event")
				}
			})
		})
	}
}

// TestContextTooLong: the provider refuses; the history is shortened and the call made again.
func TestContextTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := newWorld(t, func(_ context.Context, r core.ModelRequest) (core.ModelReply, error) {
			switch {
			case strings.HasPrefix(r.System, "You shorten"):
				return text("SHORT")
			case len(r.Messages) > 12:
				return core.ModelReply{}, core.Errorf(core.CodeContextTooLong, "too long")
			case n >= 10:
				return text("done")
			}
			n++
			return core.ModelReply{Text: strings.Repeat("word ", 400), Calls: []core.ToolCall{call(fmt.Sprint("c", n), "probe", `{}`)}}, nil
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		w.pass(time.Second)
		if v := w.view("main"); v.Status != core.Idle || v.ErrorCode != "" || n != 10 {
			t.Errorf("%s [%s] after %d steps\n%s", v.Status, v.ErrorCode, n, w.timeline())
		}
	})
}

func TestNotificationHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		w := child(t, func(w *world) {
			w.hooks = fakeHooks(func(e core.HookEvent) (core.HookOutcome, error) {
				if e.Point == core.HookNotification {
					seen = append(seen, e.Topic+": "+e.Message)
				}
				return core.HookOutcome{}, nil
			})
		}, core.Agent{Name: "kid"}, use(call("1", "danger", `{"x":"rm"}`)))
		defer w.close()
		w.pass(time.Second)
		want := "idle: main answered turn 1\napproval: kid needs you: danger {\"x\":\"rm\"}"
		if got := strings.Join(seen, "\n"); got != want {
			t.Errorf("got\n%s", got)
		}
	})
}
