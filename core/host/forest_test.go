package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/run"
)

// forest is a model whose agents start others at random, work, ask, fail, hang
// and answer, to six levels and two hundred tasks.
type forest struct {
	mu    sync.Mutex
	rnd   *rand.Rand
	tasks int
	calls int
}

func (f *forest) n(n int) int { return f.rnd.IntN(n) }

func (f *forest) answer(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
	f.mu.Lock()
	f.calls++
	id := f.calls
	depth, many := req.Task.Depth, f.tasks >= 200
	what := f.n(12)
	var out []core.ToolCall
	for range 1 + f.n(3) {
		switch {
		case what < 5 && depth < 6 && !many:
			f.tasks++
			mode := []string{"sync", "background"}[f.n(2)]
			out = append(out, call(fmt.Sprint("c", id, "-", len(out)), "task", fmt.Sprintf(`{"agent_type":"general-purpose","name":"t","description":"d","prompt":"work","mode":%q}`, mode)))
		case what < 8:
			out = append(out, call(fmt.Sprint("c", id, "-", len(out)), "probe", fmt.Sprintf(`{"seconds":%d}`, f.n(40))))
		case what == 8:
			out = append(out, call(fmt.Sprint("c", id, "-", len(out)), "danger", `{"seconds":1}`))
		}
	}
	wait := time.Duration(f.n(3000)) * time.Millisecond
	hangs, fails := f.n(60) == 0 && depth > 0, f.n(50) == 0 // main has no clock of its own
	f.mu.Unlock()
	if hangs {
		return hang(ctx, req)
	}
	select {
	case <-ctx.Done():
		return core.ModelReply{}, ctx.Err()
	case <-time.After(wait):
	}
	if fails {
		return core.ModelReply{}, core.Errorf(core.CodeModel, "the provider has a bad day")
	}
	return core.ModelReply{Text: fmt.Sprint("said ", id), Calls: out, Tokens: core.Tokens{Out: 10, CostKnown: true}}, nil
}

// TestForest: whatever the agents, the person, the limits, the hooks and the
// death of hosts do: no message is lost, no task is left running, no slot is
// held, nothing that has ended comes back, and no child outlives a cancelled parent.
func TestForest(t *testing.T) {
	seeds := 3
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { walk(t, uint64(seed)) })
		})
	}
}

func walk(t *testing.T, seed uint64) {
	f := &forest{rnd: rand.New(rand.NewPCG(seed, 7))}
	w := newWorld(t, f.answer)
	defer w.close()
	w.opts.Slots = core.NewSlots(4)
	w.limits = run.Limits{MaxTurns: 12, Timeout: 4 * time.Minute, Idle: time.Minute}
	vetoes := rand.New(rand.NewPCG(seed, 9))
	var mu sync.Mutex
	w.hooks = fakeHooks(func(e core.HookEvent) (core.HookOutcome, error) {
		mu.Lock()
		defer mu.Unlock()
		return core.HookOutcome{Block: e.Point == core.HookSubagentStop && vetoes.IntN(6) == 0, Reason: "not yet"}, nil
	})
	w.start(core.NewSession{Prompt: "go", Autopilot: seed%2 == 0})
	ended := map[string]core.Status{}
	person := rand.New(rand.NewPCG(seed, 11))
	for range 60 {
		w.pass(time.Duration(person.IntN(20000)) * time.Millisecond)
		w.act(person)
		w.final(ended)
	}
	for range 400 { // nobody does anything more, but answers questions
		w.pass(time.Minute)
		w.decideAll(person)
		w.final(ended)
		if w.host.Registry().Idle() {
			break
		}
	}
	w.rest(t)
}

// act is one thing a person, or a machine, may do.
func (w *world) act(r *rand.Rand) {
	w.t.Helper()
	tasks := w.tree()
	v := tasks[r.IntN(len(tasks))]
	q := core.Request{Task: v.ID}
	switch r.IntN(12) {
	case 0, 1, 2:
		q.Kind, q.Text, q.Delivery = core.ReqMessage, "a word", []core.Delivery{core.Queue, core.Steer, core.Interrupt}[r.IntN(3)]
	case 3:
		if v.Parent == "" {
			return
		}
		q.Kind, q.Scope = core.ReqCancel, core.ScopeTree
	case 4:
		if v.Parent == "" {
			return
		}
		q.Kind, q.Scope = core.ReqCancel, core.ScopeOnly
	case 5, 6:
		q.Kind = core.ReqPromote
	case 7:
		w.kill() // the host is gone in the middle of everything
		w.serve()
		synctest.Wait()
		return
	case 8:
		w.opts.Slots.Resize(1 + r.IntN(8))
		return
	default:
		w.decideAll(r)
		return
	}
	sent, err := w.client.Submit(w.ctx, q)
	if err != nil && core.CodeOf(err) == core.CodeInternal {
		w.t.Fatal(err)
	}
	synctest.Wait()
	if err == nil && q.Kind == core.ReqCancel && q.Scope == core.ScopeTree {
		w.pass(time.Second)
		if sent, err = w.client.Await(w.ctx, sent.ID); err == nil && sent.State == core.ReqDone {
			w.underCancelled(v.ID)
		}
	}
}

// underCancelled: nothing under a cancelled subtree runs.
func (w *world) underCancelled(id string) {
	w.t.Helper()
	d, err := w.client.Show(w.ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.Task.Status != core.Cancelled {
		return // it had ended before
	}
	for _, c := range d.Children {
		if c.Status == core.Running {
			w.t.Fatalf("%s runs under the cancelled %s", c.ID, id)
		}
	}
}

func (w *world) decideAll(r *rand.Rand) {
	w.t.Helper()
	as, err := w.client.Approvals(w.ctx, core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, a := range as {
		kind := []core.RequestKind{core.ReqApprove, core.ReqDeny}[r.IntN(2)]
		if _, err := w.client.Submit(w.ctx, core.Request{Task: a.Task, Kind: kind, Ref: core.ApprovalRef(a.ID)}); err != nil && core.CodeOf(err) == core.CodeInternal {
			w.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// final: what has ended stays as it ended.
func (w *world) final(ended map[string]core.Status) {
	w.t.Helper()
	for _, v := range w.tree() {
		if was, ok := ended[v.ID]; ok && was != v.Status {
			w.t.Fatalf("%s was %s and is %s", v.ID, was, v.Status)
		}
		if v.Status.Terminal() {
			ended[v.ID] = v.Status
		}
	}
}

// rest: the session is at rest, and nothing was lost on the way.
func (w *world) rest(t *testing.T) {
	tasks := w.tree()
	for _, v := range tasks {
		if v.Status == core.Running {
			t.Errorf("%s (%s) is left running: %s %s", v.Name, v.ID, v.Activity, v.Detail)
		}
	}
	if used, _, waiting := w.opts.Slots.Counts(); used != 0 || waiting != 0 {
		t.Errorf("%d slots are held, %d wait", used, waiting)
	}
	reqs, err := w.client.Requests(w.ctx, core.RequestFilter{Session: w.root.ID})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range reqs {
		switch {
		case q.State == core.ReqDone, q.State == core.ReqWithdrawn, q.State == core.ReqRefused && q.Outcome != "":
		case q.State == core.ReqQueued && q.Kind == core.ReqNotice && q.Delivery == core.Quiet:
		default:
			t.Errorf("%s to %s is %s %q after all", q.Kind, q.Task, q.State, q.Outcome)
		}
		if q.Kind == core.ReqMessage && q.State == core.ReqDone && q.Outcome == "" && !w.has(q) {
			t.Errorf("the message r%d to %s is not in its transcript", q.ID, q.Task)
		}
	}
	as, err := w.client.Approvals(w.ctx, core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
	if err != nil || len(as) > 0 {
		t.Errorf("%d questions are open, %v", len(as), err)
	}
	if t.Failed() {
		t.Logf("%d tasks\n%s", len(tasks), core.Short(w.show(), 4000))
	}
}

func (w *world) has(q core.Request) bool {
	es, err := w.client.Entries(w.ctx, q.Task, 0, 0)
	return err == nil && slices.ContainsFunc(es, func(e core.Entry) bool {
		return e.Kind == core.EntryMessage && e.Sender == q.Sender && strings.Contains(e.Text, q.Text)
	})
}
