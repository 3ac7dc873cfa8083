package host_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/run"
)

type answerer = func(context.Context, core.ModelRequest) (core.ModelReply, error)

type script = []answerer

// child is a whole engine in which main has a background child that answers by a script.
func child(t *testing.T, set func(*world), a core.Agent, replies ...answerer) *world {
	t.Helper()
	n := 0
	w := newWorld(t, func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
		if req.Task.Kind == core.KindMain {
			return text("main: " + last(req).Text)
		}
		n++
		if n > len(replies) {
			return text("too many")
		}
		return replies[n-1](ctx, req)
	})
	set(w)
	w.start(core.NewSession{Prompt: "hello"})
	synctest.Wait()
	_, err := w.host.Registry().Start(core.NewTask{Parent: w.root.ID, Kind: core.KindAgent, Agent: a, Name: "kid", Prompt: "go", Mode: core.Background, Model: "script/one", Output: a.Output})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func say(s string) answerer {
	return func(context.Context, core.ModelRequest) (core.ModelReply, error) { return text(s) }
}

func use(cs ...core.ToolCall) answerer {
	return func(context.Context, core.ModelRequest) (core.ModelReply, error) { return calls(cs...) }
}

func hang(ctx context.Context, _ core.ModelRequest) (core.ModelReply, error) {
	<-ctx.Done()
	return core.ModelReply{}, ctx.Err()
}

// limited is a provider that lets nobody through for another second.
func limited(ctx context.Context, r core.ModelRequest) (core.ModelReply, error) {
	for {
		if err := r.Wait(ctx, core.ModelWait{Parked: true, Why: "429", Until: time.Now().Add(time.Second)}); err != nil {
			return core.ModelReply{}, err
		}
	}
}

func (w *world) kidRequests() (out []core.ModelRequest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.seen {
		if r.Task.Kind != core.KindMain {
			out = append(out, r)
		}
	}
	return out
}

// turn is the last turn of the task.
func (w *world) turn(ref string) core.Turn {
	w.t.Helper()
	d, err := w.client.Show(w.ctx, w.id(ref))
	if err != nil {
		w.t.Fatal(err)
	}
	return d.Turns[len(d.Turns)-1]
}

var okSchema = json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)

func TestLimits(t *testing.T) {
	probeFor := func(id string, seconds string) core.ToolCall { return call(id, "probe", `{"seconds":`+seconds+`}`) }
	for _, tt := range []struct {
		name    string
		agent   core.Agent
		limits  run.Limits
		replies script
		pass    time.Duration
		status  core.Status
		code    core.Code // of the task
		turn    core.Code // of the turn
		partial bool
		text    string
		asked   int
	}{
		{name: "hard timeout, then handed in", agent: core.Agent{Limits: core.AgentLimits{Timeout: 30 * time.Second}}, pass: 31 * time.Second,
			replies: script{hang, say("what I have")},
			status:  core.Idle, turn: core.CodeTimeout, partial: true, text: "what I have", asked: 2},
		{name: "hard timeout, and the grace is over", agent: core.Agent{Limits: core.AgentLimits{Timeout: 30 * time.Second}}, pass: 95 * time.Second,
			replies: script{hang, hang},
			status:  core.Failed, code: core.CodeTimeout, turn: core.CodeTimeout, asked: 2},
		{name: "hard timeout, and a rate limit in the grace", agent: core.Agent{Limits: core.AgentLimits{Timeout: 30 * time.Second}}, pass: 31 * time.Second,
			replies: script{hang, limited},
			status:  core.Failed, code: core.CodeTimeout, turn: core.CodeTimeout, asked: 2},
		{name: "a tool that hangs", agent: core.Agent{Limits: core.AgentLimits{Timeout: 30 * time.Second}}, pass: 95 * time.Second,
			replies: script{use(probeFor("1", "1000")), use(probeFor("2", "1"))},
			status:  core.Failed, code: core.CodeTimeout, turn: core.CodeTimeout, asked: 2},
		{name: "default hard timeout", pass: 17 * time.Minute, limits: run.Limits{Idle: -1},
			replies: script{hang, hang},
			status:  core.Failed, code: core.CodeTimeout, turn: core.CodeTimeout, asked: 2},
		{name: "default idle timeout", pass: 5 * time.Minute,
			replies: script{hang, say("so far")},
			status:  core.Idle, turn: core.CodeIdleTimeout, partial: true, text: "so far", asked: 2},
		{name: "events reset the idle timeout", agent: core.Agent{Limits: core.AgentLimits{IdleTimeout: time.Second}}, pass: 5 * time.Second, limits: run.Limits{},
			replies: script{slow(600, use(probeFor("1", "0"))), slow(600, use(probeFor("2", "0"))), slow(600, say("fine"))},
			status:  core.Idle, text: "fine", asked: 3},
		{name: "turns, and only a hand-in counts", agent: core.Agent{Limits: core.AgentLimits{MaxTurns: 1}}, pass: time.Second,
			replies: script{use(probeFor("1", "0")), use(probeFor("2", "0"))},
			status:  core.Failed, code: core.CodeMaxTurns, turn: core.CodeMaxTurns, asked: 2},
		{name: "turns, with what was said before", agent: core.Agent{Limits: core.AgentLimits{MaxTurns: 1}}, pass: time.Second,
			replies: script{func(context.Context, core.ModelRequest) (core.ModelReply, error) {
				return core.ModelReply{Text: "half of it", Calls: []core.ToolCall{probeFor("1", "0")}}, nil
			}, use(probeFor("2", "0"))},
			status: core.Failed, code: core.CodeMaxTurns, turn: core.CodeMaxTurns, partial: true, text: "half of it", asked: 2},
		{name: "token budget of the agent", agent: core.Agent{Limits: core.AgentLimits{Tokens: 100}}, pass: time.Second,
			replies: script{cost(120, use(probeFor("1", "0"))), cost(1, say("stopped early"))},
			status:  core.Idle, turn: core.CodeBudgetExceeded, partial: true, text: "stopped early", asked: 2},
		{name: "token budget of the session", limits: run.Limits{Tokens: 100}, pass: time.Second,
			replies: script{cost(120, use(probeFor("1", "0"))), cost(1, say("stopped early"))},
			status:  core.Idle, turn: core.CodeBudgetExceeded, partial: true, text: "stopped early", asked: 2},
		{name: "empty answers", pass: time.Second,
			replies: script{say(""), say(""), say("")},
			status:  core.Failed, code: core.CodeNoResult, turn: core.CodeNoResult, asked: 3},
		{name: "an empty answer, mended", pass: time.Second,
			replies: script{say(""), say("here")},
			status:  core.Idle, text: "here", asked: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.agent.Name = "kid"
				w := child(t, func(w *world) { w.limits = tt.limits }, tt.agent, tt.replies...)
				defer w.close()
				w.pass(tt.pass)
				var v core.TaskView
				for _, o := range w.tree() {
					if o.Name == "kid" {
						v = o
					}
				}
				n := w.turn("kid")
				if v.Status != tt.status || v.ErrorCode != tt.code || n.Code != tt.turn || n.Partial != tt.partial || n.Response != tt.text {
					t.Errorf("status %s [%s] %q, turn [%s] partial %v %q\n%s", v.Status, v.ErrorCode, v.Error, n.Code, n.Partial, n.Response, w.transcript("kid"))
				}
				if got := len(w.kidRequests()); got != tt.asked {
					t.Errorf("%d model calls, want %d\n%s", got, tt.asked, w.transcript("kid"))
				}
				if tt.code != "" && !strings.Contains(w.transcript("main"), "failed ("+string(tt.code)+")") {
					t.Errorf("main was not told:\n%s", w.transcript("main"))
				}
				if tt.code == "" && tt.turn != "" && !strings.Contains(w.transcript("main"), "stopped at a limit, "+string(tt.turn)) {
					t.Errorf("main was not told:\n%s", w.transcript("main"))
				}
			})
		})
	}
}

func slow(ms int, f answerer) answerer {
	return func(ctx context.Context, r core.ModelRequest) (core.ModelReply, error) {
		select {
		case <-ctx.Done():
			return core.ModelReply{}, ctx.Err()
		case <-time.After(time.Duration(ms) * time.Millisecond):
		}
		return f(ctx, r)
	}
}

func cost(tokens int64, f answerer) answerer {
	return func(ctx context.Context, r core.ModelRequest) (core.ModelReply, error) {
		reply, err := f(ctx, r)
		reply.Tokens = core.Tokens{Out: tokens, Cost: 0.01, CostKnown: true}
		return reply, err
	}
}
