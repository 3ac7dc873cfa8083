package core_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/store"
)

// The cases of ../shared/cases/registry-copilot.json that are about the
// registry itself. Those of other parts run where that part is tested.
var elsewhere = map[string]string{
	"cop-run-015": "the fields of a task: TestTaskOfALife",
	"cop-run-038": "a user's abort is a cancel of main: TestCancelSubtree (core/host)",
	"cop-run-057": "a child's tools: core/tool within",
	"cop-run-059": "the task tool's unknown agent: agents TestFind, core/tool",
	"cop-run-060": "the sync task tool: core/host TestPromote and TestRecoveryOfWaits",
	"cop-run-064": "hooks are not there yet",
	"cop-run-065": "MCP tasks are not there yet; Registry.SendMessage refuses by kind",
	"cop-run-066": "MCP tasks are not there yet",
	"cop-run-068": "a failed task_complete is no completion: core/host TestCompletionIsRefusedWhileWorkIsOpen",
	"cop-run-069": "shutdown: core/host, every test ends with its host; goleak in store",
	"cop-run-042": "remove: TestRemove", "cop-run-043": "remove: TestRemove", "cop-run-044": "remove: TestRemove", "cop-run-047": "remove: TestRemove",
}

type registryCase struct {
	ID    string `json:"id"`
	Given struct {
		Status    string          `json:"status"`
		Waiters   int             `json:"waiters"`
		Responses []string        `json:"responses"`
		Tree      json.RawMessage `json:"tree"`
		Reader    bool            `json:"reader_waiting"`
		Back      []string        `json:"background"`
		MaxDepth  int             `json:"max_depth"`
	} `json:"given"`
	When struct {
		Op        string `json:"op"`
		To        string `json:"to"`
		Result    string `json:"result"`
		SinceTurn int    `json:"since_turn"`
		ID        string `json:"id"`
	} `json:"when"`
	Expect json.RawMessage `json:"expect"`
}

func TestRegistryCases(t *testing.T) {
	path := filepath.Join("..", "..", "shared", "cases", "registry-copilot.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the shared cases are not here: %v", err)
	}
	var file struct {
		Cases []registryCase `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			if why := elsewhere[c.ID]; why != "" {
				t.Skip(why)
			}
			synctest.Test(t, func(t *testing.T) { runCase(t, c) })
		})
	}
}

func runCase(t *testing.T, c registryCase) {
	b := newBench(t, core.Options{MaxDepth: c.Given.MaxDepth})
	switch c.When.Op {
	case "transition":
		transitionCase(t, c)
	case "complete", "cancel":
		if c.Given.Tree != nil {
			treeCase(t, b)
		} else {
			waiterCase(t, b, c)
		}
	case "read_result":
		readCase(t, b, c)
	case "wait_for_message", "send_message", "start_background":
		messageCase(t, b, c)
	case "spawn":
		depthCase(t, b, c.Given.MaxDepth)
	case "is_session_idle":
		kid := b.start(b.main, core.Background)
		if c.Given.Back[0] != "running" {
			b.answer(kid, "done")
		}
		for b.status(b.main) == core.Running { // once more for the news of the child
			b.answer(b.main, "done")
		}
		if got := b.reg.Idle(); got != (c.Given.Back[0] != "running") {
			t.Errorf("session.idle is %v with a child %s", got, c.Given.Back[0])
		}
	default:
		t.Fatalf("no runner for %q: list it with its reason", c.When.Op)
	}
}

// bench is a registry with a running main task, in a bubble.
type bench struct {
	t    *testing.T
	ctx  context.Context
	reg  *core.Registry
	main string
}

func newBench(t *testing.T, o core.Options) *bench {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	root, err := (&core.Client{Store: s}).Create(t.Context(), core.NewSession{Dir: "/", Prompt: "go", Agent: core.Agent{Name: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, ctx: t.Context(), reg: core.NewRegistry(s, o), main: root.ID}
	if _, err := b.reg.Load(root.ID); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) start(parent string, mode core.Mode) string {
	b.t.Helper()
	t, err := b.reg.Start(core.NewTask{Parent: parent, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", Mode: mode})
	if err != nil {
		b.t.Fatal(err)
	}
	return t.ID
}

func (b *bench) answer(id, text string) {
	b.t.Helper()
	if _, err := b.reg.SetLatestResponse(id, text); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) status(id string) core.Status {
	b.t.Helper()
	t, err := b.reg.Task(id)
	if err != nil {
		b.t.Fatal(err)
	}
	return t.Status
}

func transitionCase(t *testing.T, c registryCase) {
	op := map[string]core.Op{"failed": core.OpFail, "cancelled": core.OpCancel, "running": core.OpMessage, "completed": core.OpComplete}[c.When.To]
	next, err := core.Next(core.Status(c.Given.Status), op)
	var want struct{ OK bool }
	if jerr := json.Unmarshal(c.Expect, &want); jerr != nil {
		t.Fatal(jerr)
	}
	if (err == nil) != want.OK || err == nil && string(next) != c.When.To {
		t.Errorf("Next(%s, %s) = %s, %v", c.Given.Status, op, next, err)
	}
}

// waiterCase: every waiter wakes at the end, and a message waiter ends with its task.
func waiterCase(t *testing.T, b *bench, c registryCase) {
	kid := b.start(b.main, core.Background)
	if c.Given.Status == "idle" {
		b.answer(kid, "first")
	}
	type got struct {
		res core.AgentResult
		err error
	}
	results := make(chan got, c.Given.Waiters+1)
	waiters := max(c.Given.Waiters, 1)
	for range waiters {
		w := core.WaitFor{Since: 1, Timeout: -1}
		if c.Given.Reader {
			w.Reader = b.main
		}
		go func() {
			res, err := b.reg.GetAgentResult(b.ctx, kid, w)
			results <- got{res, err}
		}()
	}
	synctest.Wait()
	want := core.Completed
	if c.When.Op == "cancel" {
		want = core.Cancelled
		if _, err := b.reg.CancelRecursive(b.ctx, kid, core.SenderUser); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := b.reg.Complete(kid, core.SenderUser); err != nil {
			t.Fatal(err)
		}
	}
	for range waiters {
		if g := <-results; g.err != nil || g.res.Why != core.WhyEnded || g.res.Task.Status != want {
			t.Errorf("a waiter got %+v, %v", g.res, g.err)
		}
	}
	reqs, err := b.reg.Inbox()
	if err != nil {
		t.Fatal(err)
	}
	if c.Given.Reader && len(reqs) > 0 {
		t.Errorf("a reader that waits gets no notice besides: %+v", reqs)
	}
}

func treeCase(t *testing.T, b *bench) {
	a := b.start(b.main, core.Background)
	bb := b.start(a, core.Background)
	cc, d := b.start(bb, core.Background), b.start(a, core.Background)
	e := b.start(b.main, core.Background)
	rc, err := b.reg.CancelRecursive(b.ctx, a, core.SenderUser)
	if err != nil {
		t.Fatal(err)
	}
	var stopped []string
	for _, s := range rc.Stopped {
		stopped = append(stopped, s.ID)
	}
	if want := []string{a, bb, cc, d}; !slices.Equal(stopped, want) {
		t.Errorf("stopped %v, want %v", stopped, want)
	}
	if b.status(e) != core.Running {
		t.Errorf("a task beside the tree is %s", b.status(e))
	}
}

func readCase(t *testing.T, b *bench, c registryCase) {
	kid := b.start(b.main, core.Background)
	if c.Given.Status == "running" {
		began := time.Now()
		res, err := b.reg.GetAgentResult(b.ctx, kid, core.WaitFor{Timeout: 50 * time.Millisecond})
		if err != nil || res.Why != core.WhyTimeout || res.Task.Status != core.Running || len(res.Turns) != 0 {
			t.Errorf("a wait that runs out is no failure: %+v %v", res, err)
		}
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		return
	}
	for i, text := range c.Given.Responses {
		if i > 0 {
			if _, err := b.reg.SendMessage(core.Request{Task: kid, Text: "more", Sender: b.main}); err != nil {
				t.Fatal(err)
			}
		}
		b.answer(kid, text)
	}
	for range 2 { // reading uses nothing up
		res, err := b.reg.GetAgentResult(b.ctx, kid, core.WaitFor{Since: c.When.SinceTurn})
		if err != nil || len(res.Turns) != 2 || res.Turns[0].Response != "two" || res.Turns[1].Response != "three" {
			t.Errorf("turns since %d: %+v %v", c.When.SinceTurn, res.Turns, err)
		}
	}
}

func messageCase(t *testing.T, b *bench, c registryCase) {
	kid := b.start(b.main, core.Background)
	ctx, w, err := b.reg.Begin(b.ctx, kid)
	if err != nil {
		t.Fatal(err)
	}
	switch c.Given.Status {
	case "running":
		if _, err := w.Finish(ctx, core.Answer{Text: "one"}, nil); err != nil || b.status(kid) != core.Idle {
			t.Errorf("%s %v", b.status(kid), err)
		}
	case "idle":
		prompt := make(chan string, 1)
		w.Abandon()
		go func() {
			next, err := b.reg.WaitForMessage(b.ctx, kid, "one")
			if err != nil {
				t.Error(err)
			}
			prompt <- next
		}()
		synctest.Wait()
		if _, err := b.reg.SendMessage(core.Request{Task: kid, Text: "next", Sender: b.main}); err != nil {
			t.Fatal(err)
		}
		if got := <-prompt; got != "next" || b.status(kid) != core.Running {
			t.Errorf("prompt %q, %s", got, b.status(kid))
		}
	case "completed", "cancelled":
		if _, err := w.Finish(ctx, core.Answer{Text: "one"}, nil); err != nil {
			t.Fatal(err)
		}
		if c.Given.Status == "completed" {
			err = b.reg.Complete(kid, core.SenderUser)
		} else {
			_, err = b.reg.Cancel(b.ctx, kid, core.SenderUser)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.reg.SendMessage(core.Request{Task: kid, Text: "x", Sender: b.main}); core.CodeOf(err) != core.CodeEnded {
			t.Errorf("a message to an ended task: %v", err)
		}
	default: // limits/concurrency: an idle agent holds no slot
		if _, err := w.Finish(ctx, core.Answer{Text: "one"}, nil); err != nil {
			t.Fatal(err)
		}
		b.start(b.main, core.Background)
	}
}

func depthCase(t *testing.T, b *bench, depth int) {
	parent := b.main
	for range depth {
		parent = b.start(parent, core.Sync)
	}
	_, err := b.reg.Start(core.NewTask{Parent: parent, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p"})
	if core.CodeOf(err) != core.CodeDepthExceeded {
		t.Errorf("below the cap: %v", err)
	}
}

func TestTaskOfALife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, core.Options{})
		kid := b.start(b.main, core.Sync)
		ctx, w, err := b.reg.Begin(b.ctx, kid)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if _, err := w.Finish(ctx, core.Answer{Text: "done"}, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // idle time does not count
		if err := b.reg.Complete(kid, core.SenderUser); err != nil {
			t.Fatal(err)
		}
		got, err := b.reg.Task(kid)
		if err != nil {
			t.Fatal(err)
		}
		if got.Elapsed(time.Now()) != 3*time.Second || got.Started.IsZero() || got.Ended.Sub(got.Created) != time.Hour+3*time.Second || got.Mode != core.Sync || got.EndedBy != core.SenderUser {
			t.Errorf("%+v", got)
		}
	})
}

func TestRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, core.Options{})
		kid := b.start(b.main, core.Background)
		if err := b.reg.Remove(kid); core.CodeOf(err) != core.CodeWrongStatus {
			t.Errorf("a running task is not removed: %v", err)
		}
		b.answer(kid, "done")
		if err := b.reg.Remove(kid); err == nil {
			t.Error("an idle task is not removed")
		}
		if err := b.reg.Complete(kid, core.SenderUser); err != nil {
			t.Fatal(err)
		}
		if err := b.reg.Remove(kid); err != nil {
			t.Error(err)
		}
		if err := b.reg.Remove(kid); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("what is not there is not removed: %v", err)
		}
	})
}

func TestWaitForAgentsAndRegister(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, core.Options{})
		kid := b.start(b.main, core.Background)
		shell, err := b.reg.Register(core.NewTask{Parent: b.main, Kind: core.KindShell, Agent: core.Agent{Name: "shell"}, Prompt: "make", Mode: core.Background})
		if err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- b.reg.WaitForAgents(b.ctx, b.main) }()
		synctest.Wait()
		b.answer(kid, "done")
		synctest.Wait()
		select {
		case <-over:
			t.Fatal("the shell still runs")
		default:
		}
		if err := b.reg.Fail(shell.ID, core.Errorf(core.CodeSubagentFailed, "exit 2")); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
