package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drover/agents"
	"drover/core"
	"drover/core/host"
	"drover/core/run"
	"drover/core/schema"
	"drover/core/tool"
	"drover/store"
)

// world is a whole engine on a fake clock: real SQLite, real registry, host
// and loop; only the model is a script.
type world struct {
	t      *testing.T
	ctx    context.Context
	store  core.Store
	client *core.Client
	host   *host.Host
	model  func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error)
	root   core.Task
	done   sync.WaitGroup
	stop   context.CancelFunc
	ended  chan error
	opts   core.Options
	limits run.Limits
	more   []core.Tool
	hooks  core.Hooks
	window func(string) int64
	mu     sync.Mutex
	seen   []core.ModelRequest
	kill   func() // the host goes, as rows see it: in the middle of everything
}

func (w *world) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	w.mu.Lock()
	w.seen = append(w.seen, req)
	w.mu.Unlock()
	r, err := w.model(ctx, req)
	if err == nil && r.Text != "" {
		on(core.Delta{Text: r.Text})
	}
	return r, err
}

// probe is a tool that waits, fails or asks as its arguments say.
type probe struct{ effect core.Effect }

func (p probe) Spec() core.ToolSpec {
	name := "probe"
	if p.effect == core.Runs {
		name = "danger"
	}
	return core.ToolSpec{Name: name, Effect: p.effect, Schema: json.RawMessage(`{"type":"object"}`)}
}
func (probe) Subject(a json.RawMessage) string { return string(a) }
func (probe) Run(ctx context.Context, _ core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Seconds int    `json:"seconds"`
		Fail    string `json:"fail"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return core.ToolResult{}, err
	}
	select {
	case <-ctx.Done():
		return core.ToolResult{}, context.Cause(ctx)
	case <-time.After(time.Duration(a.Seconds) * time.Second):
	}
	if a.Fail != "" {
		return core.ToolResult{Text: a.Fail, Failed: true}, nil
	}
	return core.ToolResult{Text: "probed"}, nil
}

func newWorld(t *testing.T, model func(context.Context, core.ModelRequest) (core.ModelReply, error)) *world {
	t.Helper()
	w := &world{t: t, model: model, limits: run.Limits{MaxTurns: 50}, ended: make(chan error, 1)}
	w.ctx, w.stop = context.WithCancel(context.Background())
	s, err := store.Open(w.ctx, t.TempDir(), store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	w.opts = core.Options{NewID: func() string { n++; return fmt.Sprintf("t%04d", n) }, Allowed: tool.Allowed, RuleFor: tool.RuleFor}
	w.store = s
	w.client = &core.Client{Store: s}
	return w
}

func compile(raw json.RawMessage) (func(json.RawMessage) []string, error) {
	return schema.Compile(raw)
}

// start creates the session and hosts it.
func (w *world) start(n core.NewSession) {
	w.t.Helper()
	cat, err := agents.Bundled()
	if err != nil {
		w.t.Fatal(err)
	}
	if n.Agent.Name == "" {
		if n.Agent, err = cat.Find(w.ctx, "", agents.Main); err != nil {
			w.t.Fatal(err)
		}
	}
	n.Dir, n.Model = w.t.TempDir(), "script/one"
	if n.MaxContinues == 0 {
		n.MaxContinues = 5
	}
	if w.root, err = w.client.Create(w.ctx, n); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.kill() })
	w.serve()
}

func (w *world) serve() {
	cat, err := agents.Bundled()
	if err != nil {
		w.t.Fatal(err)
	}
	w.host = host.New(host.Options{
		Store: w.store, Session: w.root.ID, Registry: w.opts, IdleExit: time.Hour, Hooks: w.hooks,
		Runner: func(r *core.Registry) core.Runner {
			sleep, _ := tool.NewBox(tool.Builtin()...).Get("sleep")
			tools := append(slices.Concat(tool.Delegation(r, cat, tool.Policy{}), tool.Record(r)), sleep, probe{core.Reads}, probe{core.Runs}, pen{})
			tools = append(tools, w.more...)
			return run.New(run.Options{
				Registry: r, Tools: tool.NewBox(tools...), Scratch: w.t.TempDir(), Limits: w.limits, Schema: compile, Hooks: w.hooks, Window: w.window, Denied: tool.Denied, Effort: "high", MaxDepth: w.opts.MaxDepth,
				Model: func(string) (core.Model, string, error) { return w, "one", nil },
			})
		},
		Autopilot: func(s core.Session, main core.Task, turns []core.Turn) (string, core.Code, string) {
			d := run.Autopilot(s, main, main.Outcome != "", turns)
			if d.Continue {
				return run.Reminder(), "", ""
			}
			return "", d.Stop, d.Why
		},
	})
	ctx, kill := context.WithCancel(w.ctx)
	w.kill = func() { kill(); w.done.Wait() }
	w.ended = make(chan error, 1)
	w.done.Go(func() { w.ended <- w.host.Run(ctx) })
}

func (w *world) close() {
	w.t.Helper()
	w.stop()
	w.done.Wait()
	select {
	case err := <-w.ended:
		if err != nil && !errors.Is(err, context.Canceled) {
			w.t.Errorf("host: %v", err)
		}
	default:
	}
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// settle lets what is to be done be done; a host looks for requests every few milliseconds.
func (w *world) settle() { w.pass(5 * time.Millisecond) }

func (w *world) pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func (w *world) send(ref, text string, d core.Delivery) core.Request {
	w.t.Helper()
	q, err := w.client.Submit(w.ctx, core.Request{Task: w.id(ref), Kind: core.ReqMessage, Text: text, Delivery: d})
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle()
	return q
}

func (w *world) ask(q core.Request) core.Request {
	w.t.Helper()
	q.Task = w.id(q.Task)
	q, err := w.client.Submit(w.ctx, q)
	if err != nil {
		w.t.Fatal(err)
	}
	q, err = w.client.Await(w.ctx, q.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	return q
}

// id of a task by its name.
func (w *world) id(name string) string {
	w.t.Helper()
	for _, v := range w.tree() {
		if v.Name == name || v.ID == name {
			return v.ID
		}
	}
	w.t.Fatalf("no task %q", name)
	return ""
}

func (w *world) tree() []core.TaskView {
	w.t.Helper()
	vs, err := w.client.Tree(w.ctx, w.root.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return vs
}

// show is the tree as one line a task.
func (w *world) show() string {
	var b strings.Builder
	for _, v := range w.tree() {
		fmt.Fprintf(&b, "%s%s %s turn %d", strings.Repeat("  ", v.Depth), v.Name, v.Status, v.Turn)
		if v.Activity != "" {
			fmt.Fprintf(&b, " %s", strings.TrimSpace(string(v.Activity)+" "+v.Detail))
		}
		if v.ErrorCode != "" {
			fmt.Fprintf(&b, " [%s]", v.ErrorCode)
		}
		if v.Outcome != "" {
			fmt.Fprintf(&b, " <%s>", v.Outcome)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (w *world) want(what, want string) {
	w.t.Helper()
	want = strings.ReplaceAll(strings.TrimLeft(want, "\n"), "\t", "")
	if got := w.show(); got != want {
		w.t.Errorf("%s\n--- got\n%s--- want\n%s", what, got, want)
	}
}

// timeline is the notable events, one a line.
func (w *world) timeline() string {
	w.t.Helper()
	es, err := w.client.Events(w.ctx, core.EventFilter{Session: w.root.ID, Notable: true})
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range es {
		fmt.Fprintf(&b, "%s %s\n", e.Kind, e.Text)
	}
	return b.String()
}

func (w *world) transcript(ref string) string {
	w.t.Helper()
	es, err := w.client.Entries(w.ctx, w.id(ref), 0, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range es {
		fmt.Fprintf(&b, "%d.%d %s", e.Turn, e.Step, e.Kind)
		if e.Sender != "" {
			fmt.Fprintf(&b, " from %s", e.Sender)
		}
		if e.Tool != "" {
			fmt.Fprintf(&b, " %s", e.Tool)
		}
		if e.Failed {
			b.WriteString(" failed")
		}
		fmt.Fprintf(&b, ": %s\n", core.Short(core.CleanLine(e.Text), 90))
	}
	return b.String()
}

// last is the newest message of a request.
func last(req core.ModelRequest) core.Message { return req.Messages[len(req.Messages)-1] }

func text(s string) (core.ModelReply, error) { return core.ModelReply{Text: s}, nil }

func call(id, name, args string) core.ToolCall {
	return core.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}

func calls(cs ...core.ToolCall) (core.ModelReply, error) { return core.ModelReply{Calls: cs}, nil }
