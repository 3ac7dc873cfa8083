package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/mask"
)

// notHere are the executor cases that another test has, and those on what
// drover rightly does otherwise, with the reason.
var notHere = map[string]string{
	"gem-run-017":    "a task has complete_task where a schema or its tool list asks for it; a text answer ends it otherwise",
	"gem-run-034":    "no model router: a task's model is chosen once, when it starts (core/tool)",
	"gem-run-036":    "TestCompaction, the model fails",
	"omp-run-001":    "a hand-in without data is refused and asked for again: TestResults, missing argument",
	"omp-run-010":    "a hand-in is the only result there is: TestResults, fits",
	"omp-run-012":    "TestResults, JSON sent as a string",
	"omp-run-015":    "no separate tool that reports findings",
	"omp-run-016":    "no separate tool that reports findings",
	"omp-run-017":    "a result is JSON as it comes from the model: there is no value that cannot be written as such",
	"omp-run-020":    "what is salvaged is decided before a turn ends: TestResults, salvaged; a turn cut off by a person is not a success",
	"omp-run-021":    "TestResults, not salvaged",
	"omp-run-023":    "TestLimits: a stopped turn without a word has an empty response and its code",
	"omp-run-030":    "a task that is cancelled before its turn makes no model call: core/host TestCancelQueued and the property test",
	"omp-run-055":    "slots, not a number of parallel calls: core TestSlots",
	"omp-run-056":    "slots: core TestSlots; what was finished is kept in rows",
	"omp-run-057":    "one failed task does not stop its siblings in drover: each ends for itself (DESIGN 3)",
	"omp-run-061":    "notify: core/tool",
	"omp-run-063":    "TestLimits: a failed child is told to its parent",
	"omp-run-067":    "core TestCancelSubtree",
	"omp-run-069":    "rows are the delivery: nothing is in flight when a host leaves",
	"omp-run-081":    "TestResults, wrong, told with pointers; never fits is bad_result",
	"omp-run-083":    "TestRequestBudget",
	"omp-run-084":    "TestRequestBudget",
	"omp-run-085":    "TestRequestBudget; a stopped task is failed, not idle: limits stop a task with a code (DESIGN 6)",
	"omp-run-101":    "core TestSlots",
	"omp-run-087":    "TestLimits, the grace is over",
	"smd-run-010":    "notify: core/tool",
	"smd-run-026":    "no file of pending work: rows are",
	"smd-run-028":    "no file of pending work: rows are",
	"smd-run-029":    "no file of pending work: rows are",
	"smd-run-031":    "an interrupted task goes on where its rows end, it does not fail: recover_test.go",
	"devkit-run-007": "children are tasks in the host, not processes that read a depth",
	"devkit-run-009": "no LSP tools",
	"devkit-run-011": "a read-only agent's tools: agents",
	"devkit-run-015": "transient faults are tried again at the model call: core/model/retry",
	"devkit-run-022": "TestLimits, events reset the idle timeout",
	"devkit-run-024": "core/sandbox: term, then kill",
	"devkit-run-032": "a setting that cannot be used is an error that names it (core/config)",
}

// elsewhereOps are run by the harness of another package.
var elsewhereOps = map[string]string{
	"spawn": "core/tool", "spawn_batch": "core/tool", "spawn_ids": "core/tool", "allocate_ids": "core/tool", "child_tools": "core/tool",
	"resolve_tools": "agents, core/tool", "resolve_model": "cmd/drover", "render_template": "core/tool", "format_result": "core/tool",
	"error_payload": "core/tool", "effective_setting": "core/config", "cancel": "core/tool, core", "message": "core", "resume": "core/tool", "status": "core/tool",
	"list": "core/tool", "transition": "core: another state machine", "sanitize_prompt": "core TestClean", "background_job": "core", "semaphore": "core", "run_all": "core",
	"pending": "core", "start": "core",
}

type modelTurn struct {
	Text  string `json:"text"`
	Calls []struct {
		ID   string          `json:"id"`
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	} `json:"calls"`
	Throws string `json:"throws"`
	Hangs  bool   `json:"hangs_until_aborted"`
	Then   string `json:"then"`
	Stop   string `json:"stop_reason"`
}

type toolGives struct {
	Error     string  `json:"error"`
	Rejected  bool    `json:"rejected_by_user"`
	Cancelled bool    `json:"cancelled"`
	Hangs     bool    `json:"hangs_until_aborted"`
	WaitsFor  float64 `json:"waits_for_user_s"`
}

type execCase struct {
	ID    string `json:"id"`
	Given struct {
		Agent struct {
			Name   string `json:"name"`
			Output struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"output"`
			MaxTurns int     `json:"max_turns"`
			Timeout  float64 `json:"timeout_minutes"`
		} `json:"agent"`
		Schema  json.RawMessage `json:"output_schema"`
		Turns   []modelTurn     `json:"model_turns"`
		Results json.RawMessage `json:"tool_results"`
		Clock   []struct {
			Advance int `json:"advance_s"`
		} `json:"clock"`
		Hints []struct {
			After  int    `json:"after_turn"`
			Before bool   `json:"before_start"`
			Text   string `json:"text"`
		} `json:"user_hints"`
		Text        string          `json:"text"`
		TextPattern string          `json:"text_pattern"`
		Raw         *string         `json:"raw_output"`
		Lines       int             `json:"output_lines"`
		Events      json.RawMessage `json:"events"`
	} `json:"given"`
	When struct {
		Op string `json:"op"`
	} `json:"when"`
	Expect struct {
		Reason     string          `json:"reason"`
		Result     json.RawMessage `json:"result"`
		OutputJSON json.RawMessage `json:"output_json"`
		Calls      int             `json:"model_calls"`
		Errors     []struct {
			Call     string   `json:"call"`
			Contains []string `json:"contains"`
		} `json:"errors_to_model"`
		Messages []struct {
			Turn        any      `json:"turn"`
			Contains    []string `json:"contains"`
			NotContains []string `json:"not_contains"`
		} `json:"messages_to_model"`
		Text struct {
			Contains    []string `json:"contains"`
			NotContains []string `json:"not_contains"`
		} `json:"text"`
		Unchanged bool `json:"unchanged"`
		Frames    int  `json:"frames_kept_at_most"`
	} `json:"expect"`
}

func TestExecutorCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "cases", "executor-*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("the shared cases are not here: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var all struct {
			Cases []json.RawMessage `json:"cases"`
		}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		for _, raw := range all.Cases {
			var head struct {
				ID   string `json:"id"`
				When struct {
					Op string `json:"op"`
				} `json:"when"`
			}
			if err := json.Unmarshal(raw, &head); err != nil {
				t.Fatal(err)
			}
			t.Run(head.ID, func(t *testing.T) {
				if why := notHere[head.ID]; why != "" {
					t.Skip(why)
				}
				if where := elsewhereOps[head.When.Op]; where != "" {
					t.Skip(head.When.Op + " is tested in " + where)
				}
				var c execCase
				if err := json.Unmarshal(raw, &c); err != nil {
					t.Fatal(err)
				}
				c.run(t)
			})
		}
	}
}

func (c *execCase) run(t *testing.T) {
	switch c.When.Op {
	case "run_agent":
		synctest.Test(t, c.agent)
	case "finalize_result", "collect_output":
		synctest.Test(t, c.output)
	case "sanitize_text":
		c.sanitise(t)
	default:
		t.Fatalf("no way to run %q", c.When.Op)
	}
}

// caseTool gives what the case says for each call.
type caseTool struct {
	name   string
	effect core.Effect
	gives  map[string]toolGives
	w      **world
}

func (p caseTool) Spec() core.ToolSpec {
	return core.ToolSpec{Name: p.name, Effect: p.effect, Schema: json.RawMessage(`{"type":"object"}`)}
}
func (caseTool) Subject(json.RawMessage) string { return "." }
func (p caseTool) Run(ctx context.Context, env core.ToolEnv, _ json.RawMessage) (core.ToolResult, error) {
	g := p.gives[env.CallID]
	switch {
	case g.Error != "":
		return core.ToolResult{Text: g.Error, Failed: true}, nil
	case g.Cancelled:
		w := *p.w
		if _, err := w.client.Submit(w.ctx, core.Request{Task: env.Task, Kind: core.ReqCancel}); err != nil {
			return core.ToolResult{}, err
		}
		<-ctx.Done()
		return core.ToolResult{}, context.Cause(ctx)
	case g.Hangs:
		<-ctx.Done()
		return core.ToolResult{}, context.Cause(ctx)
	}
	return core.ToolResult{Text: "tool result of " + env.CallID}, nil
}

// agent runs a whole agent.
func (c *execCase) agent(t *testing.T) {
	gives := map[string]toolGives{}
	_ = json.Unmarshal(c.Given.Results, &gives) // in one case a list that only says what the schema says
	effect := core.Reads
	for _, g := range gives {
		if g.Rejected || g.WaitsFor > 0 {
			effect = core.Runs
		}
	}
	schema := c.Given.Agent.Output.Schema
	if len(schema) == 0 {
		schema = c.Given.Schema
	}
	if len(schema) == 0 && slices.ContainsFunc(c.Given.Turns, func(m modelTurn) bool { return len(m.Calls) > 0 && m.Calls[0].Tool == "submit_result" }) {
		schema = okSchema // omp-run-027 says so by its result
	}
	var w *world
	var script script
	for i, m := range c.Given.Turns {
		script = append(script, func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
			for _, h := range c.Given.Hints {
				if h.After == i+1 {
					if _, err := w.client.Submit(w.ctx, core.Request{Task: req.Task.Task, Kind: core.ReqMessage, Text: h.Text, Delivery: core.Steer}); err != nil {
						return core.ModelReply{}, err
					}
				}
			}
			if m.Then == "user_abort" {
				if _, err := w.client.Submit(w.ctx, core.Request{Task: req.Task.Task, Kind: core.ReqCancel}); err != nil {
					return core.ModelReply{}, err
				}
			}
			if m.Hangs || m.Then == "user_abort" {
				return hang(ctx, core.ModelRequest{})
			}
			if m.Throws != "" {
				return core.ModelReply{}, fmt.Errorf("%s", m.Throws)
			}
			r := core.ModelReply{Text: m.Text, Stop: m.Stop}
			for n, k := range m.Calls {
				args := strings.ReplaceAll(string(k.Args), `"finalResult"`, `"result"`)
				id := k.ID
				if id == "" {
					id = fmt.Sprint("call", i, n)
				}
				r.Calls = append(r.Calls, core.ToolCall{ID: id, Name: k.Tool, Args: json.RawMessage(args)})
			}
			return r, nil
		})
	}
	a := core.Agent{Name: "kid", Output: schema, Tools: []string{"list_directory"}}
	a.Limits.MaxTurns = c.Given.Agent.MaxTurns
	a.Limits.Timeout = time.Duration(c.Given.Agent.Timeout * float64(time.Minute))
	child(t, func(o *world) {
		w = o
		o.more = []core.Tool{caseTool{"list_directory", effect, gives, &w}}
	}, a, script...)
	defer w.close()
	w.pass(time.Second)
	for _, g := range gives {
		if g.Rejected || g.WaitsFor > 0 {
			w.pass(time.Duration(g.WaitsFor) * time.Second)
			w.decide(!g.Rejected)
		}
	}
	for _, s := range c.Given.Clock {
		w.pass(time.Duration(s.Advance) * time.Second)
	}
	w.pass(2 * time.Second)
	c.check(t, w)
}

// decide answers the one open question.
func (w *world) decide(allow bool) {
	w.t.Helper()
	as, err := w.client.Approvals(w.ctx, core.ApprovalFilter{States: []core.ApprovalState{core.AppPending}})
	if err != nil || len(as) != 1 {
		w.t.Fatal(as, err)
	}
	kind := core.ReqDeny
	if allow {
		kind = core.ReqApprove
	}
	w.ask(core.Request{Task: "kid", Kind: kind, Ref: core.ApprovalRef(as[0].ID)})
	synctest.Wait()
}

func (c *execCase) check(t *testing.T, w *world) {
	v, n := w.view("kid"), w.turn("kid")
	reason := map[string]string{"": "GOAL", string(core.CodeCancelled): "ABORTED", string(core.CodeMaxTurns): "MAX_TURNS", string(core.CodeTimeout): "TIMEOUT", string(core.CodeModel): "ERROR"}[string(v.ErrorCode)]
	if c.Expect.Reason != "" && (reason != c.Expect.Reason || (reason == "GOAL") != (v.Status == core.Idle)) {
		t.Errorf("reason %s (%s [%s] %s), want %s\n%s", reason, v.Status, v.ErrorCode, v.Error, c.Expect.Reason, w.transcript("kid"))
	}
	if got := len(w.kidRequests()); c.Expect.Calls > 0 && got != c.Expect.Calls {
		t.Errorf("%d model calls, want %d\n%s", got, c.Expect.Calls, w.transcript("kid"))
	}
	c.checkResult(t, v, n)
	es, err := w.client.Entries(w.ctx, v.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range c.Expect.Errors {
		if c.Expect.Reason == "ABORTED" {
			continue // a cancelled agent reads nothing any more
		}
		i := slices.IndexFunc(es, func(e core.Entry) bool {
			return e.Kind == core.EntryResult && e.Failed && (e.CallID == want.Call || strings.HasPrefix(e.CallID, "call"))
		})
		if i < 0 {
			t.Fatalf("no error for call %s\n%s", want.Call, w.transcript("kid"))
		}
		for _, s := range want.Contains {
			if !strings.Contains(es[i].Text, strings.ReplaceAll(s, "finalResult", "result")) {
				t.Errorf("the error for call %s is %q, want %q in it", want.Call, es[i].Text, s)
			}
		}
	}
	for _, m := range c.Expect.Messages {
		for i, r := range w.kidRequests() {
			all := ""
			for _, o := range r.Messages {
				all += o.Text + "\n"
			}
			if turn, ok := m.Turn.(float64); ok && int(turn) != i+1 {
				continue
			}
			for _, s := range m.Contains {
				if !strings.Contains(all, s) {
					t.Errorf("request %d lacks %q", i+1, s)
				}
			}
			for _, s := range m.NotContains {
				if strings.Contains(all, s) {
					t.Errorf("request %d has %q", i+1, s)
				}
			}
		}
	}
}

func (c *execCase) checkResult(t *testing.T, v core.TaskView, n core.Turn) {
	t.Helper()
	var s string
	var o struct {
		Contains []string `json:"contains"`
	}
	switch {
	case len(c.Expect.Result) == 0:
	case json.Unmarshal(c.Expect.Result, &s) == nil:
		if n.Response != s {
			t.Errorf("result %q, want %q", n.Response, s)
		}
	case json.Unmarshal(c.Expect.Result, &o) == nil:
		for _, want := range o.Contains {
			if !strings.Contains(n.Response+"\n"+v.Error, want) {
				t.Errorf("result %q and error %q, want %q", n.Response, v.Error, want)
			}
		}
	}
	if len(c.Expect.OutputJSON) > 0 {
		var got, want any
		if json.Unmarshal(n.Result, &got) != nil || json.Unmarshal(c.Expect.OutputJSON, &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("result %s, want %s", n.Result, c.Expect.OutputJSON)
		}
	}
}

// output runs the cases on what is made of the words of an agent.
func (c *execCase) output(t *testing.T) {
	var replies script
	switch {
	case c.Given.Lines > 0:
		replies = script{say(strings.Repeat("a line\n", c.Given.Lines))}
	case c.Given.Raw != nil:
		replies = script{say(*c.Given.Raw), say(""), say(""), say("")}
	default:
		var events []struct {
			End  string `json:"turn_end"`
			Stop string `json:"stop_reason"`
		}
		if err := json.Unmarshal(c.Given.Events, &events); err != nil {
			t.Fatal(err)
		}
		for i, e := range events {
			r := core.ModelReply{Text: e.End, Stop: e.Stop}
			if i < len(events)-1 {
				r.Calls = []core.ToolCall{call(fmt.Sprint(i), "probe", "{}")}
			}
			replies = append(replies, func(context.Context, core.ModelRequest) (core.ModelReply, error) { return r, nil })
		}
		for len(events) == 1 && len(replies) < 4 {
			replies = append(replies, replies[0])
		}
	}
	a := core.Agent{Name: "kid"}
	if len(c.Given.Schema) > 0 && string(c.Given.Schema) != "null" {
		a.Output = c.Given.Schema
	}
	w := child(t, func(*world) {}, a, replies...)
	defer w.close()
	w.pass(time.Second)
	v, n := w.view("kid"), w.turn("kid")
	switch c.ID {
	case "devkit-run-025":
		if n.Response != "the answer" {
			t.Errorf("the last words are the answer, not %q", n.Response)
		}
	case "devkit-run-026":
		if v.ErrorCode != core.CodeNoResult || !strings.Contains(v.Error, "no final answer") || !strings.Contains(v.Error, "length") {
			t.Errorf("[%s] %s", v.ErrorCode, v.Error)
		}
	case "devkit-run-029":
		if n.Code != core.CodeOutputTruncated || v.Status != core.Idle || !strings.Contains(n.Response, "TRUNCATED") || !strings.Contains(n.Response, "5000") {
			t.Errorf("[%s] %s", n.Code, v.Status)
		}
	case "omp-run-003", "omp-run-004": // it is told that nothing was handed in, and what there was is kept
		if v.ErrorCode != core.CodeNoResult || !strings.Contains(v.Error, "without handing in") || n.Response != *c.Given.Raw {
			t.Errorf("[%s] %s, kept %q", v.ErrorCode, v.Error, n.Response)
		}
	default:
		t.Fatalf("the case is not decided: run it, or say in notHere why not")
	}
}

func (c *execCase) sanitise(t *testing.T) {
	in := c.Given.Text
	switch c.Given.TextPattern {
	case "":
	case "-----BEGIN + 50000 spaces + A":
		in = "-----BEGIN" + strings.Repeat(" ", 50000) + "A"
	default:
		t.Skip("stack frames are kept: a model and a person read them, and answers are bounded as a whole")
	}
	out := mask.New(nil, "/home/ada").Text(in)
	if c.Expect.Unchanged && out != in {
		t.Error("changed")
	}
	for _, s := range c.Expect.Text.Contains {
		if !strings.Contains(out, strings.Trim(s, "[]")) {
			t.Errorf("%q lacks %q", out, s)
		}
	}
	for _, s := range c.Expect.Text.NotContains {
		if strings.Contains(out, s) {
			t.Errorf("%q has %q", out, s)
		}
	}
}
