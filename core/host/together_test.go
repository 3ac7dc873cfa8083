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

// peek is a probe that may be called again after a crash, as tools that only read may.
type peek struct{ probe }

func (peek) Spec() core.ToolSpec {
	return core.ToolSpec{Name: "peek", Effect: core.Reads, Again: true, Schema: json.RawMessage(`{"type":"object"}`)}
}

// A step whose calls only read and are done at once is one commit. What takes
// longer shows as it does elsewhere: the answer and what is there, then each result.
func TestQuickReadsAreOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			switch len(req.Messages) {
			case 1:
				return calls(call("a", "peek", `{}`), call("b", "peek", `{"fail":"gone"}`))
			case 4:
				return calls(call("c", "peek", `{}`), call("d", "peek", `{"seconds":60}`))
			case 7:
				return calls(call("e", "peek", `{}`), call("f", "probe", `{}`))
			}
			return core.ModelReply{Text: "done"}, nil
		})
		w.more = []core.Tool{peek{}}
		defer w.close()
		steps := func() (n int) {
			t.Helper()
			events, err := w.client.Events(w.ctx, core.EventFilter{Kinds: []core.EventKind{core.EvStep}})
			if err != nil {
				t.Fatal(err)
			}
			return len(events)
		}
		w.start(core.NewSession{Prompt: "go"})
		w.pass(time.Second)
		if n := steps(); n != 2 { // the first step; the second one's answer, calls and first result
			t.Errorf("%d commits", n)
		}
		got := w.transcript("main")
		for _, want := range []string{"1.1 result peek failed: gone\n", "1.2 call peek: {\"seconds\":60}\n1.2 result peek: probed\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if v := w.tree()[0]; v.Activity != core.ActTool || !strings.Contains(v.Detail, "peek") {
			t.Errorf("a call that takes long does not show: %s %q", v.Activity, v.Detail)
		}
		w.pass(time.Hour)
		// The second result; the third step is not held, as not all of it only reads: answer, two results; the end.
		if n := steps(); n != 2+1+3+1 {
			t.Errorf("%d commits", n)
		}
		if got := w.transcript("main"); !strings.HasSuffix(got, "1.4 answer: done\n") {
			t.Error(got)
		}
	})
}

// What a person does within the moment in which a step is held is not lost, and neither is the step.
func TestHeldStepIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			if len(req.Messages) == 1 {
				return calls(call("a", "peek", `{"seconds":60}`))
			}
			return core.ModelReply{Text: "heard " + last(req).Text}, nil
		})
		w.more = []core.Tool{peek{}}
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		synctest.Wait() // no time has passed: the step is held
		if got := w.transcript("main"); strings.Contains(got, "call peek") {
			t.Fatalf("it is committed already:\n%s", got)
		}
		w.send("main", "stop that", core.Interrupt)
		w.pass(time.Second)
		got := w.transcript("main")
		for _, want := range []string{"1.1 call peek", "1.1 result peek failed: ", "message from user: stop that", "answer: heard stop that"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	})
}
