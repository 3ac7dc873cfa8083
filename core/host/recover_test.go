package host_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// gone is a Hosts that knows no living host.
type gone struct{}

func (gone) Held(string) bool                     { return false }
func (gone) Ensure(context.Context, string) error { return nil }

func TestRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			m := last(req)
			switch {
			case m.Text == "go":
				return calls(call("r1", "probe", `{"seconds":5}`), call("r2", "probe", `{"seconds":60}`))
			case m.Role == core.RoleTool:
				return text("answered with " + m.Text)
			}
			return text("heard: " + m.Text)
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		w.pass(6 * time.Second)
		w.send("main", "first queued", core.Queue)
		w.send("main", "second queued", core.Queue)
		w.kill()

		w.client.Hosts = gone{}
		v := w.tree()[0]
		if !v.Interrupted || v.Status != core.Running || v.QueuedRequests != 2 {
			t.Errorf("a running task without a host is interrupted: %+v", v)
		}
		w.client.Hosts = nil
		w.serve()
		w.pass(61 * time.Second)
		want := `1.0 message from user: go
1.1 answer: 
1.1 call probe: {"seconds":5}
1.1 call probe: {"seconds":60}
1.1 result probe: probed
1.1 result probe failed: interrupted: drover was stopped while this call ran. It may have had an effect; look befo…
1.2 answer: answered with interrupted: drover was stopped while this call ran. It may have had an eff…
2.2 message from user: first queued
2.3 answer: heard: first queued
3.3 message from user: second queued
3.4 answer: heard: second queued
`
		if got := w.transcript("main"); got != want {
			t.Errorf("the session goes on where its rows end:\n%s", got)
		}
	})
}

func TestRecoveryOfWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, family)
		defer w.close()
		w.start(core.NewSession{Prompt: "wait"})
		w.pass(10 * time.Second)
		w.kill()
		w.serve()
		w.settle()
		w.want("main waits for the same child again; the child's call is not run twice", `
			main idle turn 1
			  kid idle turn 1
		`)
		if got := w.transcript("main"); !strings.Contains(got, "main says: worked") {
			t.Errorf("transcript:\n%s", got)
		}
	})
}

func TestRecoveryOfApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, danger)
		defer w.close()
		w.start(core.NewSession{Prompt: "do it"})
		w.settle()
		w.kill()
		q, err := w.client.Submit(w.ctx, core.Request{Task: w.root.ID, Kind: core.ReqApprove, Ref: "a1"})
		if err != nil {
			t.Fatal(err)
		}
		w.serve()
		w.settle()
		if got := w.transcript("main"); !strings.Contains(got, "result: probed") {
			t.Errorf("a call that had not begun is asked for once, and runs:\n%s", got)
		}
		as, err := w.client.Approvals(w.ctx, core.ApprovalFilter{})
		if err != nil || len(as) != 1 || as[0].State != core.AppAllowed {
			t.Errorf("one question, one answer: %+v %v (r%d)", as, err, q.ID)
		}
	})
}

func TestCancelBeforeResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nest)
		defer w.close()
		w.start(core.NewSession{Prompt: "dig"})
		w.settle()
		w.kill()
		calls := len(w.seen)
		if _, err := w.client.Submit(w.ctx, core.Request{Task: w.root.ID, Kind: core.ReqCancel}); err != nil {
			t.Fatal(err)
		}
		w.serve()
		w.pass(time.Minute)
		for _, v := range w.tree() {
			if v.Status != core.Cancelled {
				t.Errorf("%s is %s", v.Name, v.Status)
			}
		}
		if len(w.seen) > calls {
			t.Errorf("a session that is cancelled while its host is gone makes %d more model calls", len(w.seen)-calls)
		}
	})
}

func TestModelFailure(t *testing.T) {
	model := func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
		switch m := last(req); {
		case req.Task.Kind != core.KindMain:
			return core.ModelReply{}, &core.Error{Code: core.CodeModel, Message: "the model fell over"}
		case m.Text == "go":
			return calls(call("m", "task", `{"agent_type":"explore","name":"kid","prompt":"x","mode":"background"}`))
		case m.Text == "fall":
			return core.ModelReply{}, &core.Error{Code: core.CodeModel, Message: "no answer"}
		default:
			return text("main heard: " + m.Text)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, model)
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		w.settle()
		if got := w.transcript("main"); !strings.Contains(got, "[notice] kid (t0001) failed (model_error): the model fell over") {
			t.Errorf("the failure reaches the parent at its next boundary:\n%s", got)
		}
		w.send("main", "fall", core.Queue)
		w.send("main", "still there?", core.Queue)
		if got := w.transcript("main"); !strings.HasSuffix(got, "answer: main heard: still there?\n") {
			t.Errorf("a failed turn of main leaves the session usable:\n%s", got)
		}
	})
}

// TestRecoveryOfAHandIn: the host dies when the result is a row and the turn has
// not ended: the next host takes the result, and asks the model nothing.
func TestRecoveryOfAHandIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := child(t, func(w *world) { w.hooks = stuckHooks{} }, core.Agent{Name: "kid", Output: okSchema}, use(call("1", "complete_task", `{"result":{"ok":true}}`)))
		defer w.close()
		w.pass(time.Second)
		w.kill()
		if w.view("kid").Status != core.Running {
			t.Fatalf("it is %s", w.view("kid").Status)
		}
		w.hooks = nil
		w.serve()
		w.pass(time.Second)
		if v, n := w.view("kid"), w.turn("kid"); v.Status != core.Idle || string(n.Result) != `{"ok":true}` || len(w.kidRequests()) != 1 {
			t.Errorf("%s, result %s, %d model calls\n%s", v.Status, n.Result, len(w.kidRequests()), w.transcript("kid"))
		}
	})
}

// stuckHooks never let a subagent stop, until the host goes.
type stuckHooks struct{}

func (stuckHooks) Run(ctx context.Context, e core.HookEvent) (core.HookOutcome, error) {
	if e.Point != core.HookSubagentStop {
		return core.HookOutcome{}, nil
	}
	<-ctx.Done()
	return core.HookOutcome{}, context.Cause(ctx)
}
