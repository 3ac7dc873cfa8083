package host_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// family is a scripted model: main starts one background child that works 30 s
// and answers, then answers itself; whatever comes later is echoed.
func family(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
	m := last(req)
	if req.Task.Kind != core.KindMain {
		switch {
		case m.Role == core.RoleUser && strings.HasPrefix(m.Text, "work"):
			return calls(call("w1", "probe", `{"seconds":30}`))
		case m.Role == core.RoleTool:
			return text("worked")
		}
		return text("heard: " + m.Text)
	}
	switch {
	case m.Text == "go":
		return calls(call("m1", "task", `{"agent_type":"general-purpose","name":"kid","prompt":"work","mode":"background"}`))
	case m.Text == "wait":
		return calls(call("m2", "task", `{"agent_type":"general-purpose","name":"kid","prompt":"work","mode":"sync"}`))
	case m.Role == core.RoleTool:
		return text("main says: " + strings.SplitN(m.Text, "\n", 2)[0])
	}
	return text("main heard: " + strings.SplitN(m.Text, "\n", 2)[0])
}

func TestBackgroundChildAndFollowUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, family)
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		w.settle()
		w.want("main has answered, the child works", `
			main idle turn 1
			  kid running turn 1 tool probe {"seconds":30}
		`)
		w.pass(31 * time.Second)
		w.want("the child's answer wakes main for a turn of its own", `
			main idle turn 2
			  kid idle turn 1
		`)
		if got := w.transcript("main"); !strings.Contains(got, "2.2 notice from system: [notice] kid (t0001) answered turn 1: worked") {
			t.Errorf("main reads a notice:\n%s", got)
		}
		q := w.send("kid", "and why?", core.Queue)
		w.want("a person's follow-up is answered; main is not woken by it", `
			main idle turn 2
			  kid idle turn 2
		`)
		rs, err := w.client.Requests(w.ctx, core.RequestFilter{IDs: []int64{q.ID}})
		if err != nil || rs[0].State != core.ReqDone || rs[0].Turn != 2 {
			t.Errorf("the request says what became of it: %+v %v", rs, err)
		}
		w.send("main", "hello", core.Queue)
		if got := w.transcript("main"); !strings.Contains(got, "3.3 notice from system: [notice] kid (t0001) answered turn 2: heard: and why?") {
			t.Errorf("main hears of it with its next message:\n%s", got)
		}
	})
}

func TestPromote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, family)
		defer w.close()
		w.start(core.NewSession{Prompt: "wait"})
		w.settle()
		w.want("main waits for its sync child and holds no slot", `
			main running turn 1 children kid
			  kid running turn 1 tool probe {"seconds":30}
		`)
		q := w.ask(core.Request{Task: "kid", Kind: core.ReqPromote})
		if q.State != core.ReqDone {
			t.Fatalf("promote: %+v", q)
		}
		w.want("main goes on with the child's ID", `
			main idle turn 1
			  kid running turn 1 tool probe {"seconds":30}
		`)
		if got := w.transcript("main"); !strings.Contains(got, "kid was moved to the background") {
			t.Errorf("main is told:\n%s", got)
		}
		if _, err := w.client.Submit(w.ctx, core.Request{Task: w.id("kid"), Kind: core.ReqPromote}); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("a second promotion is refused: %v", err)
		}
		w.pass(31 * time.Second)
		w.want("and hears the answer as a notice", `
			main idle turn 2
			  kid idle turn 1
		`)
	})
}

// nest starts agents three deep, each waiting for the next; the deepest probes for a minute.
func nest(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
	m := last(req)
	if m.Role == core.RoleTool {
		return text("done: " + m.Text)
	}
	if req.Task.Depth == 3 {
		return calls(call("p", "probe", `{"seconds":60}`))
	}
	if strings.HasPrefix(m.Text, "dig") {
		return calls(call("n", "task", `{"agent_type":"general-purpose","name":"deep","prompt":"dig","mode":"sync"}`))
	}
	return text("main heard: " + m.Text)
}

func TestCancelSubtree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nest)
		defer w.close()
		w.opts.Slots = core.NewSlots(1) // nested work never deadlocks: who waits holds no slot
		w.start(core.NewSession{Prompt: "dig"})
		w.settle()
		w.want("three deep, on one slot", `
			main running turn 1 children deep
			  deep running turn 1 children deep-2
			    deep-2 running turn 1 children deep-3
			      deep-3 running turn 1 tool probe {"seconds":60}
		`)
		q := w.ask(core.Request{Task: "deep", Kind: core.ReqCancel})
		var rc core.Receipt
		if err := json.Unmarshal([]byte(q.Outcome), &rc); err != nil || len(rc.Stopped) != 3 || len(rc.NotStopped) != 0 {
			t.Fatalf("receipt: %s %v", q.Outcome, err)
		}
		w.want("main gets a failed result that names who did it", `
			main idle turn 1
			  deep cancelled turn 1 [cancelled]
			    deep-2 cancelled turn 1 [cancelled]
			      deep-3 cancelled turn 1 [cancelled]
		`)
		if got := w.transcript("main"); !strings.Contains(got, "Subagent 'deep' (t0001) was cancelled by the user") {
			t.Errorf("transcript:\n%s", got)
		}
		if used, _, waiting := w.opts.Slots.Counts(); used != 0 || waiting != 0 {
			t.Errorf("slots: %d used, %d waiting", used, waiting)
		}
		if _, err := w.client.Submit(w.ctx, core.Request{Task: w.id("deep"), Kind: core.ReqCancel}); core.CodeOf(err) != core.CodeEnded {
			t.Errorf("cancel twice: %v", err)
		}
		if _, err := w.client.Submit(w.ctx, core.Request{Task: w.id("deep"), Kind: core.ReqMessage, Text: "x"}); core.CodeOf(err) != core.CodeEnded || core.HintOf(err) == "" {
			t.Errorf("message to an ended task: %v", err)
		}
	})
}

func TestCancelOnlyLeavesChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nest)
		defer w.close()
		w.start(core.NewSession{Prompt: "dig"})
		w.settle()
		w.ask(core.Request{Task: "deep", Kind: core.ReqCancel, Scope: core.ScopeOnly})
		w.want("its child goes on", `
			main idle turn 1
			  deep cancelled turn 1 [cancelled]
			    deep-2 running turn 1 children deep-3
			      deep-3 running turn 1 tool probe {"seconds":60}
		`)
		w.pass(61 * time.Second)
		w.want("and its news goes to the nearest living ancestor", `
			main idle turn 2
			  deep cancelled turn 1 [cancelled]
			    deep-2 idle turn 1
			      deep-3 idle turn 1
		`)
	})
}

// danger asks for a call that needs approval, once a message.
func danger(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
	m := last(req)
	if m.Role == core.RoleTool {
		return text("result: " + m.Text)
	}
	return calls(call("d"+string(rune('0'+len(req.Messages))), "danger", `{"seconds":0}`))
}

func TestApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, danger)
		defer w.close()
		w.start(core.NewSession{Prompt: "do it"})
		w.pass(24 * time.Hour)
		w.want("an approval waits for as long as it takes", `
			main running turn 1 approval danger
		`)
		if v := w.tree()[0]; !v.NeedsApproval {
			t.Error("needs_approval is told")
		}
		w.ask(core.Request{Task: "main", Kind: core.ReqDeny, Ref: "a1", Text: "not today"})
		if got := w.transcript("main"); !strings.Contains(got, "saying: not today") {
			t.Errorf("transcript:\n%s", got)
		}
		w.send("main", "again", core.Queue)
		w.ask(core.Request{Task: "main", Kind: core.ReqApprove, Ref: "a2", Scope: core.ScopeAlways})
		if got := w.transcript("main"); !strings.Contains(got, "2.4 answer: result: probed") {
			t.Errorf("transcript:\n%s", got)
		}
		w.send("main", "and again", core.Queue)
		w.want("a rule asks no more", `
			main idle turn 3
		`)
		if _, err := w.client.Submit(w.ctx, core.Request{Task: w.root.ID, Kind: core.ReqApprove, Ref: "a2"}); err == nil {
			t.Error("an approval is decided once")
		}
	})
}

func TestSteerAndInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
			m := last(req)
			switch {
			case m.Text == "work":
				return calls(call("s"+string(rune('0'+len(req.Messages))), "probe", `{"seconds":10}`))
			case m.Role == core.RoleTool:
				return text("after the tool: " + m.Text)
			}
			return text("heard: " + m.Text)
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "work"})
		w.settle()
		w.send("main", "mind the gap", core.Steer)
		w.send("main", "later", core.Queue)
		w.pass(11 * time.Second)
		want := `1.0 message from user: work
1.1 answer: 
1.1 call probe: {"seconds":10}
1.1 result probe: probed
1.1 message from user: mind the gap
1.2 answer: heard: mind the gap
2.2 message from user: later
2.3 answer: heard: later
`
		if got := w.transcript("main"); got != want {
			t.Errorf("steering joins the turn after the tool call, a queued message opens the next:\n%s", got)
		}
		w.send("main", "work", core.Queue)
		w.send("main", "stop that", core.Interrupt)
		got := w.transcript("main")
		if !strings.Contains(got, "3.4 result probe failed: interrupted: a message arrived") || !strings.HasSuffix(got, "4.4 message from user: stop that\n4.5 answer: heard: stop that\n") {
			t.Errorf("an interrupt cuts the turn short at once:\n%s", got)
		}
	})
}

func TestAutopilot(t *testing.T) {
	for name, c := range map[string]struct {
		calls bool // a tool call in each turn
		when  int  // the turn that completes, 0 never
		want  string
		event string
	}{
		"completes":   {when: 2, want: "main idle turn 2 <done>\n", event: "session.task_complete done: all of it"},
		"no progress": {want: "main idle turn 3 [no_progress]\n", event: "autopilot.stopped autopilot stopped: two continuations in a row brought no tool call"},
		"restless":    {calls: true, want: "main idle turn 6 [max_continues]\n", event: "autopilot.stopped autopilot stopped: 5 continuations did not complete the job"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turn := 0
				w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
					if last(req).Role == core.RoleTool {
						return text("not yet")
					}
					turn++
					switch {
					case turn == c.when:
						return calls(call("z", "task_complete", `{"outcome":"done","summary":"all of it"}`))
					case c.calls:
						return calls(call("p"+string(rune('0'+turn)), "probe", `{}`))
					}
					return text("thinking")
				})
				defer w.close()
				w.start(core.NewSession{Prompt: "job", Autopilot: true})
				w.pass(time.Minute)
				w.want(name, c.want)
				if got := w.timeline(); !strings.Contains(got, c.event) {
					t.Errorf("timeline:\n%s", got)
				}
			})
		})
	}
}

func TestCompletionIsRefusedWhileWorkIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			m := last(req)
			switch {
			case req.Task.Kind != core.KindMain && m.Role == core.RoleUser:
				return calls(call("w", "probe", `{"seconds":5}`))
			case req.Task.Kind != core.KindMain:
				return text("kid is done")
			case m.Text == "job":
				return calls(call("a", "task", `{"agent_type":"general-purpose","name":"kid","prompt":"x","mode":"background"}`),
					call("b", "todo_write", `{"todos":[{"id":"1","title":"tests"}]}`))
			case strings.HasPrefix(m.Text, "[notice]"), strings.Contains(m.Text, "open todos"):
				if strings.Contains(m.Text, "open todos") {
					return calls(call("c", "todo_write", `{"todos":[{"id":"1","title":"tests","status":"done"}]}`))
				}
				return calls(call("d"+string(rune('0'+len(req.Messages))), "task_complete", `{"summary":"s"}`))
			case m.Tool == "todo_write", m.Tool == "task":
				return calls(call("e"+string(rune('0'+len(req.Messages))), "task_complete", `{"summary":"s"}`))
			}
			return text("waiting: " + m.Text)
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "job", Autopilot: true})
		w.pass(time.Minute)
		w.want("complete in the end", `
			main idle turn 2 <done>
			  kid idle turn 1
		`)
		got := w.timeline()
		for _, want := range []string{"completion refused: still running: kid (t0001)", "completion refused: open todos: tests (pending)", "session.task_complete done: s"} {
			if !strings.Contains(got, want) {
				t.Errorf("the timeline lacks %q:\n%s", want, got)
			}
		}
	})
}
