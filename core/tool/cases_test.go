package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/agents"
	"drover/core"
)

// Operations of the executor cases that belong to another part.
var otherOps = map[string]string{
	"run_agent": "core/run", "finalize_result": "core/run", "collect_output": "core/run", "sanitize_text": "core/mask",
	"sanitize_prompt": "core: Clean", "resolve_tools": "agents and core/run: the sets of tools", "resolve_model": "agents: Resolve",
	"run_all": "core: slots, and TestBatch here for the order", "semaphore": "core: slots", "background_job": "core: the registry's waiters; core/host TestBackgroundChildAndFollowUp",
	"pending": "core/host TestRecovery…: rows in the place of a file", "start": "core/host TestRecovery…: what was interrupted goes on, and is not told as failed",
	"transition": "core: Next has other states than busy and waiting",
}

// Single cases that are not run here, with the reason.
var otherCases = map[string]string{
	"omp-run-059":    "IDs are short and random, and do not hold place or name; the results are told in the order of the list (TestBatch)",
	"devkit-run-007": "a task is no process: its depth is a field of its row, not of an environment",
	"devkit-run-015": "a failed model call is made again in core/model/retry, and a subagent never: its tools may have had an effect",
	"devkit-run-022": "limits: core/run",
	"devkit-run-024": "processes: core/sandbox, core/tool TestShell",
	"devkit-run-032": "a setting that cannot be used is an error with its line, and not silently the default: core/config",
	"smd-run-003":    "the tools are not made without a registry",
	"smd-run-020":    "a running agent takes messages: it reads them after the current tool call (DESIGN rule 5), as the second message of omp-run-098 is",
}

type delegationCase struct {
	ID    string `json:"id"`
	Given struct {
		Agents   []string                   `json:"agents"`
		Agent    json.RawMessage            `json:"agent"`
		Settings map[string]json.RawMessage `json:"settings"`
		Parent   *struct{ Agent, Spawns string }
		PTools   []string                   `json:"parent_tools"`
		Depth    int                        `json:"depth"`
		MaxDepth int                        `json:"max_depth"`
		Session  json.RawMessage            `json:"session_schema"`
		Types    map[string]json.RawMessage `json:"types"`
		Existing []string                   `json:"existing_files"`
		Codes    []core.Code                `json:"codes"`
		AtOnce   int                        `json:"messages_at_once"`
		Template string
		Inputs   map[string]json.RawMessage
		Outcome  struct{ Throws string }
	} `json:"given"`
	When struct {
		Op, Agent, Task, Type, Description, Input string
		Isolated                                  bool
		Depth                                     int `json:"child_depth"`
		Names                                     []string
		Tools                                     []string
		Schema                                    json.RawMessage
		Tasks                                     []struct{ ID, Name, Agent, Task string }
	} `json:"when"`
	Expect struct {
		OK        *bool
		Code      core.Code
		Error     json.RawMessage
		Started   *int
		HasTask   *bool           `json:"has_task_tool"`
		Schema    json.RawMessage `json:"schema_used"`
		IDs       []string
		Tools     []string
		Retryable []core.Code
		Text      json.RawMessage
		Result    json.RawMessage
	} `json:"expect"`
}

func (c delegationCase) fails() bool { return c.Expect.OK != nil && !*c.Expect.OK }

// TestDelegationCases runs the executor cases about delegation, and those of
// the registry's file that are about the task tool.
func TestDelegationCases(t *testing.T) {
	ran := 0
	for _, name := range []string{"executor-omp-xcsh", "executor-devkit-pi", "executor-subagent-md", "executor-gemini", "registry-copilot"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "cases", name+".json"))
		if err != nil {
			t.Skipf("the shared cases are not here: %v", err)
		}
		var file struct{ Cases []delegationCase }
		must(t, json.Unmarshal(text, &file))
		for _, c := range file.Cases {
			if name == "registry-copilot" && !slices.Contains([]string{"cop-run-057", "cop-run-059", "cop-run-060"}, c.ID) {
				continue // core: cases_test.go
			}
			t.Run(c.ID, func(t *testing.T) {
				why := otherCases[c.ID]
				if why == "" && otherOps[c.When.Op] != "" {
					why = "elsewhere: " + otherOps[c.When.Op]
				}
				if why != "" {
					t.Skip(why)
				}
				ran++
				bubble(t, func(t *testing.T) { runDelegationCase(t, c) })
			})
		}
	}
	if ran < 30 {
		t.Errorf("only %d cases were run", ran)
	}
}

func runDelegationCase(t *testing.T, c delegationCase) {
	switch c.When.Op {
	case "spawn":
		spawnCase(t, c)
	case "spawn_batch":
		batchCase(t, c)
	case "allocate_ids":
		namesCase(t, c)
	case "child_tools":
		toolsCase(t, c)
	case "cancel":
		stopCase(t)
	case "message", "resume":
		messageAgentCase(t, max(1, c.Given.AtOnce))
	case "status":
		k := newCrew(t, core.Options{})
		k.says(k.as(k.main.ID, "read_agent", `{"agent_id":"id-9"}`), false, "not_found")
	case "list":
		k := newCrew(t, core.Options{})
		k.says(k.as(k.main.ID, "list_agents", `{}`), false, "no other agents")
	case "error_payload":
		payloadCase(t, c)
	case "format_result":
		k := newCrew(t, core.Options{}, core.Agent{Name: "scout"})
		k.turn = func(core.Task) (string, time.Duration, error) {
			return "", 0, core.Errorf(core.CodeModel, "%s", c.Given.Outcome.Throws)
		}
		k.says(k.as(k.main.ID, "task", `{"agent_type":"scout","prompt":"p"}`), true, "Subagent 'scout' failed", c.Given.Outcome.Throws)
	case "render_template":
		got, err := render(c.Given.Template, c.Given.Inputs)
		var want string
		if (err != nil) != c.fails() || err == nil && (json.Unmarshal(c.Expect.Text, &want) != nil || got != want) {
			t.Errorf("%q, %v", got, err)
		}
		if err != nil {
			contains(t, err.Error(), c.Expect.Error)
		}
	default:
		t.Fatalf("no runner for %q: list it with its reason", c.When.Op)
	}
}

// contains demands the words of expect.error.contains; only what the case's own words claim to be drover's is asked for.
func contains(t *testing.T, got string, raw json.RawMessage) {
	t.Helper()
	var want struct{ Contains, MustName []string }
	must(t, json.Unmarshal(raw, &want))
	for _, w := range append(want.Contains, want.MustName...) {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in %q", w, got)
		}
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// spawnCase is one delegation: in the form of the case's own program, which its fields show.
func spawnCase(t *testing.T, c delegationCase) {
	k := caseCrew(t, c)
	by := k.main.ID
	if p := c.Given.Parent; p != nil {
		lead := core.Agent{Name: p.Agent, Spawns: []string{}}
		if p.Spawns != "" {
			lead.Spawns = strings.Split(p.Spawns, ",")
		}
		k.cat.own["lead"] = lead
		k.as(by, "task", `{"agent_type":"lead","name":"lead","prompt":"p"}`)
		by = k.named("lead").ID
		k.p.MaySpawn = func(parent core.Agent, name string) error { // as cmd wires it, in a process of that agent
			if err := agents.Recursion(p.Agent, name); err != nil {
				return err
			}
			return agents.MaySpawn(parent, name)
		}
	}
	for range c.Given.Depth {
		k.as(by, "task", `{"agent_type":"general-purpose","name":"level","prompt":"p"}`)
		by = k.named("level").ID
	}
	before := k.started()
	var r core.ToolResult
	switch {
	case strings.HasPrefix(c.ID, "smd"):
		args := map[string]string{"description": c.When.Description, "input": c.When.Input}
		if c.When.Type != "" {
			args["type"] = c.When.Type
		}
		r = k.as(by, "spawn_subagent", object(t, args))
	case strings.HasPrefix(c.ID, "devkit"):
		r = k.as(by, "subagent", object(t, map[string]string{"agent": c.When.Agent, "task": c.When.Task}))
	default:
		r = k.as(by, "task", orderArgs(t, c))
	}
	started := k.started() - before
	if r.Failed != c.fails() || c.fails() && started != 0 || !c.fails() && started == 0 {
		t.Fatalf("failed %v, %d started:\n%s", r.Failed, started, r.Text)
	}
	spawned(t, k, c, r)
	k.pass(time.Hour)
}

// spawned looks at what the case expects beside success or failure.
func spawned(t *testing.T, k *crew, c delegationCase, r core.ToolResult) {
	words := map[string][]string{ // drover's words where it does not claim those of the original
		"omp-run-037": {"without a name: tasks[1]"}, "omp-run-038": {"isolat"}, "omp-run-043": {"explore", "allowed: none"}, "omp-run-044": {"reviewer", "may not start itself"},
		"omp-run-082": {"output schema"}, "devkit-run-004": {"Missing required parameter: agent"}, "devkit-run-006": {"ghost", "Available agents:", "explore"}, "cop-run-059": {"ghost"},
	}
	if c.fails() && words[c.ID] == nil {
		t.Errorf("what must %s say? %s", c.ID, r.Text)
	}
	k.says(r, c.fails(), words[c.ID]...)
	if c.Expect.Code != "" && !strings.Contains(r.Text, string(c.Expect.Code)) {
		t.Errorf("code %s is not in %s", c.Expect.Code, r.Text)
	}
	if c.Expect.Schema != nil && string(k.spec("a").Output) != string(compact(c.Expect.Schema)) {
		t.Errorf("schema %s", k.spec("a").Output)
	}
	if c.Expect.Result != nil {
		var want struct{ Status, Type, Description string }
		must(t, json.Unmarshal(c.Expect.Result, &want))
		var got struct{ Status, Type, Description, SubagentID string }
		must(t, json.Unmarshal([]byte(r.Text), &got))
		if got.Type != want.Type || want.Status != "" && got.Status != want.Status || want.Description != "" && got.Description != want.Description || k.named(got.SubagentID).ID == "" {
			t.Errorf("%+v", got)
		}
	}
	if c.ID == "cop-run-060" {
		k.says(r, false, "answered")
	}
}

// caseCrew has the agents that the case names, those of its program included.
func caseCrew(t *testing.T, c delegationCase) *crew {
	k := newCrew(t, core.Options{MaxDepth: c.Given.MaxDepth})
	for _, n := range c.Given.Agents {
		k.cat.own[n] = core.Agent{Name: n}
	}
	if len(c.Given.Agent) > 0 {
		var a struct {
			Name   string
			Tools  []string
			Output json.RawMessage
		}
		must(t, json.Unmarshal(c.Given.Agent, &a))
		k.cat.own[a.Name] = core.Agent{Name: a.Name, Tools: a.Tools, Output: json.RawMessage(compact(a.Output))}
	}
	return k
}

func object(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

func orderArgs(t *testing.T, c delegationCase) string {
	args := map[string]any{"agent_type": first(c.When.Agent, "a")}
	if c.Given.Session != nil {
		args["schema"] = c.Given.Session // the call's yields to the agent's as the session's does
	}
	if c.When.Schema != nil {
		args["schema"] = c.When.Schema
	}
	if c.When.Isolated {
		args["isolated"] = true
	}
	if len(c.When.Tasks) == 0 {
		args["prompt"] = first(c.When.Task, "p")
		return object(t, args)
	}
	var tasks []any
	for _, o := range c.When.Tasks {
		tasks = append(tasks, map[string]any{"name": o.ID, "prompt": "p"})
	}
	args["tasks"] = tasks
	return object(t, args)
}

func batchCase(t *testing.T, c delegationCase) {
	k := caseCrew(t, c)
	var tasks []any
	for _, o := range c.When.Tasks {
		tasks = append(tasks, map[string]any{"name": o.Name, "agent_type": o.Agent, "prompt": o.Task})
	}
	k.says(k.as(k.main.ID, "task", object(t, map[string]any{"context": "c", "tasks": tasks})), true, "Two", `unknown agent "nobody"`)
	if k.started() != *c.Expect.Started {
		t.Errorf("%d started", k.started())
	}
}

// namesCase: drover's names, which address tasks, are those that the case's program makes IDs of.
func namesCase(t *testing.T, c delegationCase) {
	k := newCrew(t, core.Options{})
	start := func(name string) string {
		task, err := k.reg.StartAll(t.Context(), nil, []core.NewTask{{Parent: k.main.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "x"}, Name: name, Prompt: "p", Mode: core.Background}})
		must(t, err)
		return task[0].Name
	}
	for _, f := range c.Given.Existing {
		start(strings.TrimSuffix(f, filepath.Ext(f)))
	}
	var got []string
	for _, n := range c.When.Names {
		got = append(got, start(n))
	}
	if !slices.Equal(got, c.Expect.IDs) {
		t.Errorf("names %v, want %v", got, c.Expect.IDs)
	}
	k.pass(time.Hour)
}

func toolsCase(t *testing.T, c delegationCase) {
	switch {
	case c.Expect.HasTask != nil:
		t.Skip("the runner takes the tools away: core/host, TestDepth")
	case c.ID == "omp-run-103":
		k := caseCrew(t, c)
		for _, n := range agents.PlanMode(k.cat.own["scout"]).Tools {
			if tool, ok := NewBox(slices.Concat(Builtin(), Delegation(k.reg, k.cat, k.p))...).Get(n); ok && (tool.Spec().Effect == core.Writes || tool.Spec().Effect == core.Runs || core.StartsAgents(n)) {
				t.Errorf("a plan has %s", n)
			}
		}
	case c.ID == "cop-run-057":
		if got := within([]string{"read_file", "grep_files"}, []string{"read_file", "edit_file"}); !slices.Equal(got, []string{"read_file"}) {
			t.Errorf("tools %v", got)
		}
	default: // the set of the type is what the task is started with
		k := newCrew(t, core.Options{})
		for name, tools := range c.Given.Types {
			var names []string
			must(t, json.Unmarshal(tools, &names))
			k.cat.own[name] = core.Agent{Name: name, Tools: names}
			k.as(k.main.ID, "task", `{"agent_type":`+quote(name)+`,"prompt":"p"}`)
			if got := k.spec(name).Tools; !slices.Equal(got, c.Expect.Tools) {
				t.Errorf("tools %v", got)
			}
		}
	}
}

// stopCase: A stops B, which it has started, and not C.
func stopCase(t *testing.T) {
	k := newCrew(t, core.Options{})
	k.turn = func(core.Task) (string, time.Duration, error) { return "ok", time.Hour, nil }
	start := func(by, name string) string {
		k.as(by, "task", `{"agent_type":"general-purpose","mode":"background","prompt":"p","name":`+quote(name)+`}`)
		return k.named(name).ID
	}
	a := start(k.main.ID, "A")
	b := start(a, "B")
	c := start(k.main.ID, "C")
	k.says(k.as(a, "stop_agent", `{"agent_id":`+quote(b)+`}`), false, "stopped: B ("+b+")")
	k.says(k.as(a, "stop_agent", `{"agent_id":`+quote(c)+`}`), true, "not one of yours")
	k.says(k.as(a, "stop_agent", `{"agent_id":`+quote(a)+`}`), true, "not one of yours")
	if k.named("B").Status != core.Cancelled || k.named("C").Status != core.Running || k.named("A").Status != core.Running {
		t.Error("who was stopped")
	}
	k.pass(2 * time.Hour)
}

// messageAgentCase: an idle agent is woken once, under its ID and with its history.
func messageAgentCase(t *testing.T, n int) {
	k := newCrew(t, core.Options{})
	k.as(k.main.ID, "task", `{"agent_type":"explore","name":"kid","prompt":"p"}`)
	was := k.named("kid")
	k.turn = func(core.Task) (string, time.Duration, error) { return "more", time.Hour, nil }
	for range n {
		k.says(k.as(k.main.ID, "write_agent", `{"agent_id":"kid","message":"go on"}`), false, was.ID)
	}
	now := k.named("kid")
	if was.Status != core.Idle || now.Status != core.Running || now.ID != was.ID || now.Turn != 2 {
		t.Errorf("was %s, is %s, turn %d", was.Status, now.Status, now.Turn)
	}
	k.pass(90 * time.Minute)
	k.says(k.as(k.main.ID, "read_agent", `{"agent_id":"kid"}`), false, "## turn 1\nanswered", "## turn 2")
	k.pass(2 * time.Hour)
}

func payloadCase(t *testing.T, c delegationCase) {
	for _, code := range c.Given.Codes {
		e := payload(code, "m")
		if e.Code != code || e.Message == "" || e.Remediation == "" || e.Retryable != slices.Contains(c.Expect.Retryable, code) {
			t.Errorf("%+v", e)
		}
	}
}
