package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drover/agents"
	"drover/core"
	schemas "drover/core/schema"
	"drover/store"
)

// known are the bundled agents, and some of a test's own before them.
type known struct {
	*agents.Catalog
	own map[string]core.Agent
}

func (k known) Find(ctx context.Context, dir, name string) (core.Agent, error) {
	if a, ok := k.own[name]; ok {
		return a, nil
	}
	return k.Catalog.Find(ctx, dir, name)
}

// crew is a real registry on real SQLite in a bubble, with a script in the
// place of the loop: it says what a task's turn comes to.
type crew struct {
	t     *testing.T
	reg   *core.Registry
	cat   known
	p     Policy
	main  core.Task
	turn  func(t core.Task) (text string, took time.Duration, err error)
	calls atomic.Int64 // some call from several goroutines
	rank  *core.Rank
}

func newCrew(t *testing.T, o core.Options, own ...core.Agent) *crew {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{Solo: true})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	root, err := (&core.Client{Store: s}).Create(t.Context(), core.NewSession{Dir: "/", Prompt: "go", Model: "script/one", Agent: core.Agent{Name: "main"}})
	must(t, err)
	bundled, err := agents.Bundled()
	must(t, err)
	c := &crew{t: t, cat: known{bundled, map[string]core.Agent{}}, main: root, p: Policy{MaySpawn: agents.MaySpawn, Output: agents.OutputSchema, Schema: func(raw json.RawMessage) error { _, err := schemas.Compile(raw); return err }}}
	for _, a := range own {
		c.cat.own[a.Name] = a
	}
	c.turn = func(core.Task) (string, time.Duration, error) { return "answered", time.Second, nil }
	o.OnRunnable = func(id string) { go c.perform(id) }
	c.reg = core.NewRegistry(s, o)
	_, err = c.reg.Load(root.ID)
	must(t, err)
	synctest.Wait()
	return c
}

// perform is the turn of a child: main's is what the test does itself.
func (c *crew) perform(id string) {
	task, err := c.reg.Task(id)
	if err != nil || task.Kind == core.KindMain {
		return
	}
	text, took, err := c.turn(task)
	time.Sleep(took)
	if now, gone := c.reg.Task(id); gone != nil || now.Status != core.Running {
		return
	}
	if err != nil {
		err = c.reg.Fail(id, err)
	} else {
		_, err = c.reg.SetLatestResponse(id, text)
	}
	if err != nil {
		c.t.Error(err)
	}
}

// as calls a tool for a task; the call's ID is new.
func (c *crew) as(task, name, args string) core.ToolResult {
	c.t.Helper()
	return c.again(task, fmt.Sprintf("c%d", c.calls.Add(1)), name, args)
}

func (c *crew) again(task, call, name, args string) core.ToolResult {
	c.t.Helper()
	tool, ok := NewBox(Delegation(c.reg, c.cat, c.p)...).Get(name)
	if !ok {
		c.t.Fatalf("no tool %s", name)
	}
	env := core.ToolEnv{TaskInfo: core.TaskInfo{Task: task, Dir: "/"}, CallID: call, Rank: c.rank}
	r, err := tool.Run(c.t.Context(), env, json.RawMessage(args))
	if err != nil {
		c.t.Fatalf("%s %s: %v", name, args, err)
	}
	return r
}

// pass lets time go by in the bubble.
func (c *crew) pass(d time.Duration) { time.Sleep(d) }

func (c *crew) started() int { return len(c.reg.Tasks()) - 1 }

func (c *crew) named(name string) core.Task {
	c.t.Helper()
	t, err := c.reg.Find(name)
	must(c.t, err)
	return t
}

func (c *crew) spec(name string) (sp core.Spec) {
	c.t.Helper()
	must(c.t, c.reg.View(func(r core.Reader) (err error) { sp, err = r.Spec(c.named(name).ID); return err }))
	return sp
}

func (c *crew) events(k core.EventKind) (texts []string) {
	c.t.Helper()
	must(c.t, c.reg.View(func(r core.Reader) error {
		es, err := r.Events(core.EventFilter{Kinds: []core.EventKind{k}})
		for _, e := range es {
			texts = append(texts, e.Text)
		}
		return err
	}))
	return texts
}

func (c *crew) says(r core.ToolResult, failed bool, parts ...string) {
	c.t.Helper()
	for _, p := range parts {
		if !strings.Contains(r.Text, p) {
			c.t.Errorf("%q is not in\n%s", p, r.Text)
		}
	}
	if r.Failed != failed {
		c.t.Errorf("failed is %v:\n%s", r.Failed, r.Text)
	}
}

func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

func TestBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(k core.Task) (string, time.Duration, error) {
			if k.Name == "slow" {
				return "slow is done", time.Minute, nil
			}
			if k.Name == "bad" {
				return "", time.Second, core.Errorf(core.CodeModel, "no such model")
			}
			return k.Name + " is done", time.Second, nil
		}
		args := `{"agent_type":"explore","context":"All of it is in Go.","tasks":[{"name":"slow","prompt":"a"},{"name":"bad","prompt":"b"},{"name":"third","prompt":"c","agent_type":"plan"}]}`
		r := c.again(c.main.ID, "x", "task", args)
		c.says(r, false, "## 1. slow\nslow is done", "## 2. bad\nSubagent 'bad' failed.", "code: model_error\nmessage: no such model", "## 3. third\nthird is done", "(1 of 3 did not succeed)")
		if strings.Index(r.Text, "## 1") > strings.Index(r.Text, "## 3") || c.started() != 3 || c.named("third").Agent != "plan" {
			t.Error("the order, or the agents")
		}
		if sp := c.spec("third"); sp.Prompt != "All of it is in Go.\n\n---\n\nc" {
			t.Errorf("prompt %q", sp.Prompt)
		}
		c.says(c.again(c.main.ID, "x", "task", args), false, "## 1. slow\nslow is done", "## 2. bad") // the same call after a crash
		if c.started() != 3 {
			t.Errorf("%d tasks after the same call again", c.started())
		}
		c.says(c.again(c.main.ID, "y", "task", strings.Replace(args, `"prompt":"a"`, `"mode":"background","prompt":"a"`, 1)), false, "## 1. slow-2\nslow-2 works in the background", "third-2 is done")
		c.says(c.as(c.main.ID, "task", `{"agent_type":"explore","mode":"background","tasks":[{"name":"one","prompt":"a"},{"name":"two","prompt":"b"}]}`), false, "## 1. one", "## 2. two", c.named("one").ID, c.named("two").ID)
		if n := c.named("one"); n.Status != core.Running || n.Mode != core.Background {
			t.Error("a background task was waited for")
		}
		time.Sleep(time.Hour)
	})
}

func TestBatchIsCheckedBeforeItStarts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{}, core.Agent{Name: "asks", Prompt: "Look at ${what}"})
		c.p.Model = func(w Wish) (string, string, error) {
			if w.Asked == "bad/model" {
				return "", "", &core.Error{Code: core.CodeInvalidInput, Message: `no model "bad/model"`, Hint: "there are: script/one"}
			}
			return w.Parent, "", nil
		}
		c.cat.own["lonely"] = core.Agent{Name: "lonely"}
		for _, x := range []struct{ args, want string }{
			{`[{"name":"a","prompt":"p"},{"name":"b","prompt":"p","agent_type":"ghost"},{"name":"c","prompt":"p","model":"bad/model"}]`, `tasks[1] (b): unknown agent "ghost"`},
			{`[{"name":"a","prompt":"p"},{"name":"b","prompt":"p","model":"bad/model"}]`, `tasks[1] (b): no model "bad/model" (there are: script/one)`},
			{`[{"name":"a","prompt":"p"},{"name":"","prompt":"p"},{"prompt":"p"}]`, "without a name: tasks[1], tasks[2]"},
			{`[{"name":"a","prompt":"p"},{"name":"a","prompt":"p"}]`, `tasks[0] and tasks[1] are both named "a"`},
			{`[{"name":"a","prompt":"p"},{"name":"b","prompt":" "}]`, "tasks[1] (b): the prompt is empty"},
			{`[{"name":"a","prompt":"p"},{"name":"b","prompt":"p","schema":{"type":"nonsense"}}]`, "tasks[1] (b): the output schema is no valid"},
			{`[{"name":"a","prompt":"p"},{"name":"b","prompt":"p","agent_type":"asks","inputs":{"that":1}}]`, "tasks[1] (b): Missing required input parameters: what. Available inputs: that"},
			{`[{"name":"a","prompt":"p","isolated":true}]`, `unknown field "tasks[0].isolated"`},
			{`[` + strings.Repeat(`{"name":"a","prompt":"p"},`, 64) + `{"name":"b","prompt":"p"}]`, "tasks has 65, the limit of one call is 64"},
		} {
			c.says(c.as(c.main.ID, "task", `{"agent_type":"explore","tasks":`+x.args+`}`), true, x.want)
		}
		c.says(c.as(c.main.ID, "task", `{"tasks":[{"name":"a","prompt":"p"}]}`), true, "tasks[0] (a) has no agent_type")
		c.says(c.as(c.main.ID, "task", `{"prompt":"p","tasks":[{"name":"a","prompt":"p"}]}`), true, "either one task")
		c.says(c.as(c.main.ID, "task", `{"prompt":"p","agent_type":"explore","isolated":true}`), true, "isolation is not offered")
		c.says(c.as(c.main.ID, "task", `{"agent_type":"explore"}`), true, "prompt is missing")
		if c.started() != 0 {
			t.Errorf("%d were started", c.started())
		}
	})
}

func TestModeModelAndTemplate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{}, core.Agent{Name: "asks", Prompt: "Look at ${what}, ${n} times; ${what}"}, core.Agent{Name: "shell-like", Prompt: "echo ${HOME}"}, core.Agent{Name: "slowly", Background: true})
		c.p.SyncNested = true
		c.p.Guard = func(asked, session string) (string, string) {
			if asked == "script/dear" {
				return session, "script/dear costs more than the session's model: it runs on " + session
			}
			return asked, ""
		}
		c.says(c.as(c.main.ID, "task", `{"agent_type":"asks","name":"k","prompt":"p","model":"script/dear","inputs":{"what":"${n} and $1","n":3}}`), false, "answered", "(note: script/dear costs more than the session's model: it runs on script/one)")
		if k := c.named("k"); k.Model != "script/one" {
			t.Errorf("runs on %s", k.Model)
		}
		if sp := c.spec("k"); sp.System != "Look at ${n} and $1, 3 times; ${n} and $1" {
			t.Errorf("system prompt %q", sp.System)
		}
		if e := c.events(core.EvModel); len(e) != 1 || !strings.Contains(e[0], "k: script/dear costs more") {
			t.Errorf("events %q", e)
		}
		c.as(c.main.ID, "task", `{"agent_type":"shell-like","name":"s","prompt":"p"}`)
		if sp := c.spec("s"); sp.System != "echo ${HOME}" {
			t.Errorf("without inputs a prompt stays as it is: %q", sp.System)
		}
		c.says(c.as(c.main.ID, "task", `{"agent_type":"slowly","name":"b","prompt":"p"}`), false, "works in the background")
		r := c.as(c.named("k").ID, "task", `{"agent_type":"explore","name":"nested","prompt":"p","mode":"background"}`)
		c.says(r, false, "answered", "nested_background = false")
		if c.named("nested").Mode != core.Sync {
			t.Error("it runs in the background")
		}
		c.p.SyncNested = false
		c.says(c.as(c.named("k").ID, "task", `{"agent_type":"explore","name":"deep","prompt":"p","mode":"background"}`), false, "deep works in the background")
		time.Sleep(time.Hour)
	})
}

func TestACallsIDUsedAgainIsAnotherCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		step := func() {
			must(t, c.reg.Append(c.main.ID, core.Step{NewStep: true, Entries: []core.Entry{{Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "call_0", Name: "task"}}}}}))
			time.Sleep(time.Second)
		}
		const args = `{"agent_type":"explore","prompt":"p"}`
		step()
		c.again(c.main.ID, "call_0", "task", args)
		c.again(c.main.ID, "call_0", "task", args)
		if c.started() != 1 {
			t.Errorf("%d tasks of one call", c.started())
		}
		step()
		c.again(c.main.ID, "call_0", "task", args)
		if c.started() != 2 {
			t.Errorf("%d tasks of two calls with one ID", c.started())
		}
	})
}

// A call lets the next one of its step begin once it has begun, also where that
// was before a crash: it does not keep it waiting until its child is done.
func TestTheNextCallBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(core.Task) (string, time.Duration, error) { return "done", time.Minute, nil }
		must(t, c.reg.Append(c.main.ID, core.Step{NewStep: true, Entries: []core.Entry{{Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "x", Name: "task"}}}}}))
		time.Sleep(time.Second)
		began := make(chan time.Duration, 2)
		for i := range 2 {
			var calls core.Sequence
			c.rank = calls.Next()
			next, from := calls.Next(), time.Now()
			go func() {
				_, err := c.reg.StartAll(t.Context(), next, []core.NewTask{{Parent: c.main.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "x"}, Prompt: "p", CallID: fmt.Sprint("next", i)}})
				began <- time.Since(from)
				if err != nil {
					t.Error(err)
				}
			}()
			c.again(c.main.ID, "x", "task", `{"agent_type":"explore","prompt":"p","mode":"sync"}`)
			if took := <-began; took != 0 {
				t.Errorf("call %d: the next one began after %v", i, took)
			}
		}
		c.pass(time.Hour)
		if c.started() != 3 {
			t.Errorf("%d tasks of three calls", c.started())
		}
	})
}

func TestReadingConsumesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(k core.Task) (string, time.Duration, error) {
			if k.Name == "bad" {
				return "", time.Second, core.Errorf(core.CodeIdleTimeout, "nothing came for 3m")
			}
			return fmt.Sprintf("turn %d", k.Turn), time.Minute, nil
		}
		c.as(c.main.ID, "task", `{"agent_type":"explore","name":"kid","prompt":"p","mode":"background"}`)
		c.as(c.main.ID, "task", `{"agent_type":"explore","name":"bad","prompt":"p","mode":"background"}`)
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"kid"}`), false, "is running (queued)", "do not poll")
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"kid","wait":true,"timeout":5}`), false, "The wait of 5s ran out, which is no error")
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"kid","wait":true,"timeout":1e300}`), false, "is idle", "## turn 1\nturn 1")
		for range 3 {
			c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"bad"}`), false, "Subagent 'bad' failed", "code: idle_timeout", "nothing came for 3m", "remedy: ")
		}
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"kid","since_turn":7}`), false, "There is no turn after 7 yet: the last is 1")
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"nobody\u001b[31m"}`), false, "status: not_found")
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"kid","since_turn":-1}`), true, "since_turn must be at least 0")
		c.says(c.as(c.main.ID, "read_agent", `{"agent_id":"`+c.main.ID+`","wait":true}`), true, "does not wait for itself")
		start := time.Now()
		c.turn = func(core.Task) (string, time.Duration, error) { return "late", time.Hour, nil }
		c.as(c.main.ID, "write_agent", `{"agent_id":"kid","message":"more"}`)
		c.as(c.main.ID, "read_agent", `{"agent_id":"kid","since_turn":5,"wait":true,"timeout":99999}`)
		if got := time.Since(start); got != longestWait {
			t.Errorf("waited %s, the cap is %s", got, longestWait)
		}
		time.Sleep(time.Hour)
	})
}

func TestWriteAgent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.says(c.as(c.main.ID, "write_agent", `{"scope":"children","message":"hi"}`), false, "nobody was written to: there are no children")
		for _, n := range []string{"a", "b", "gone"} {
			c.as(c.main.ID, "task", `{"agent_type":"explore","name":"`+n+`","prompt":"p"}`)
		}
		_, err := c.reg.CancelRecursive(t.Context(), c.named("gone").ID, core.SenderUser)
		must(t, err)
		for args, want := range map[string]string{
			`{"message":"x"}`: "exactly one of", `{"message":"x","agent_id":"a","scope":"children"}`: "exactly one of", `{"message":"x","agent_ids":[]}`: "1 to 16",
			`{"message":"x","agent_ids":["a","a"]}`: `names "a" twice`, `{"message":"","agent_id":"a"}`: "message is empty", `{"message":"x","scope":"parents"}`: "scope must be one of",
			`{"message":"x","agent_ids":["` + strings.Join(slices.Repeat([]string{"a"}, 17), `","`) + `"]}`: "it has 17", `{"message":"x","agent_id":"` + c.main.ID + `"}`: "does not write to itself",
		} {
			c.says(c.as(c.main.ID, "write_agent", args), true, want)
		}
		r := c.as(c.main.ID, "write_agent", `{"message":"x","agent_ids":["a","`+c.named("a").ID+`","gone","nobody"]}`)
		c.says(r, false, "a ("+c.named("a").ID+"): sent as r", "it is named twice", "gone: not sent: ended", "nobody: not sent: not_found")
		time.Sleep(time.Minute)
		c.says(c.as(c.named("a").ID, "write_agent", `{"message":"hello","scope":"siblings"}`), false, "b (")
		must(t, c.reg.View(func(rd core.Reader) error {
			turns, err := rd.Turns(c.named("b").ID, 1)
			if len(turns) != 1 || turns[0].Sender != c.named("a").ID {
				t.Errorf("who wrote it: %+v", turns)
			}
			return err
		}))
		if n := c.named("a").Turn; n != 2 {
			t.Errorf("a is in turn %d: it wrote to itself, or heard twice", n)
		}
		time.Sleep(time.Minute)
	})
}

func TestListAndStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(k core.Task) (string, time.Duration, error) {
			if k.Name == "bad" {
				return "", 0, core.Errorf(core.CodeMaxTurns, "after 3 model calls")
			}
			return "ok", time.Hour, nil
		}
		c.says(c.as(c.main.ID, "list_agents", `{}`), false, "no other agents")
		c.as(c.main.ID, "task", `{"agent_type":"general-purpose","name":"kid","description":"look\u001b[31m at\nit","prompt":"p","mode":"background"}`)
		c.as(c.main.ID, "task", `{"agent_type":"explore","name":"sib","prompt":"p","mode":"background"}`)
		c.as(c.main.ID, "task", `{"agent_type":"explore","name":"bad","prompt":"p"}`)
		c.as(c.named("kid").ID, "task", `{"agent_type":"general-purpose","name":"grand","prompt":"p","mode":"background"}`)
		time.Sleep(90 * time.Second)
		r := c.as(c.main.ID, "list_agents", `{}`)
		c.says(r, false, "- kid: agent_id "+c.named("kid").ID+", general-purpose, running (queued), turn 1, 0 tool calls, 1m30s, your child, model script/one: look at it", "under your child, started by "+c.named("kid").ID, "1 more have ended")
		if strings.Contains(r.Text, "\x1b") || strings.Contains(r.Text, "bad") {
			t.Errorf("%q", r.Text)
		}
		c.says(c.as(c.main.ID, "list_agents", `{"include_completed":true,"scope":"children"}`), false, "- bad: ", "[max_turns: after 3 model calls]")
		r = c.as(c.named("kid").ID, "list_agents", `{"scope":"siblings","include_ended":true}`)
		if c.says(r, false, "sib", "your sibling"); strings.Contains(r.Text, "- kid") || strings.Contains(r.Text, "grand") {
			t.Error(r.Text)
		}
		c.says(c.as(c.named("kid").ID, "stop_agent", `{"agent_id":"sib"}`), true, "not one of yours")
		c.says(c.as(c.main.ID, "stop_agent", `{"agent_id":"nobody"}`), true, "not_found")
		c.says(c.as(c.main.ID, "stop_agent", `{"agent_id":"bad"}`), true, "has ended already", "code: max_turns")
		c.says(c.again(c.main.ID, "s", "stop_agent", `{"agent_id":"kid"}`), false, "stopped: kid (", "grand (")
		c.says(c.again(c.main.ID, "s", "stop_agent", `{"agent_id":"kid"}`), false, "has ended already") // the same call after a crash
		time.Sleep(time.Hour)
	})
}

func TestFormsOfOtherPrograms(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{MaxDepth: 1}, core.Agent{Name: "asks", Prompt: "About ${topic}"})
		box := NewBox(Delegation(c.reg, c.cat, c.p)...)
		for _, n := range []string{"subagent", "delegate_to_agent", "spawn_subagent"} {
			if own, ok := Canonical(strings.ToUpper(n)); !ok || own != n || slices.Contains(box.Names(), n) || len(box.Specs([]string{n})) != 1 {
				t.Errorf("%s is swallowed by an alias, or shown to all", n)
			}
		}
		shown := c.p
		shown.Show = []string{"subagent"}
		if names := NewBox(Delegation(c.reg, c.cat, shown)...).Names(); !slices.Contains(names, "subagent") || slices.Contains(names, "spawn_subagent") {
			t.Errorf("shown: %v", names)
		}
		c.turn = func(k core.Task) (string, time.Duration, error) {
			sp := c.spec(k.ID)
			switch sp.Prompt {
			case "hang":
				return "", time.Hour, core.Errorf(core.CodeIdleTimeout, "silent for 3m")
			case "break":
				return "", 0, core.Errorf(core.CodeModel, "the provider said no")
			}
			return "about " + sp.Prompt, 0, nil
		}
		type details struct {
			Content []struct{ Text string }
			Details struct {
				Mode, RunID string
				Results     []struct {
					Agent, Task, Output, Error string
					ExitCode                   int
				}
				Error *subagentError
			}
		}
		run := func(args string) (d details) {
			t.Helper()
			must(t, json.Unmarshal([]byte(c.as(c.main.ID, "subagent", args).Text), &d))
			return d
		}
		if d := run(`{"agent":"explore","task":"x"}`); d.Details.Mode != "single" || d.Details.RunID == "" || d.Details.Error != nil || d.Details.Results[0].Output != "about x" || d.Details.Results[0].ExitCode != 0 {
			t.Errorf("%+v", d)
		}
		if e := run(`{"agent":"explore","task":"hang"}`).Details.Error; e == nil || e.Code != core.CodeSubagentTimeout || e.TimeoutReason != "idle" || e.Reason != core.CodeIdleTimeout || !e.Retryable {
			t.Errorf("%+v", e)
		}
		if d := run(`{"agent":"explore","task":"break"}`); d.Details.Error.Code != core.CodeSubagentFailed || d.Details.Results[0].ExitCode == 0 || !strings.Contains(d.Content[0].Text, "the provider said no") {
			t.Errorf("%+v", d)
		}
		c.as(c.main.ID, "task", `{"agent_type":"general-purpose","name":"leaf","prompt":"x"}`)
		c.says(c.as(c.named("leaf").ID, "subagent", `{"agent":"explore","task":"x"}`), true, "SUBAGENT_DEPTH_EXCEEDED")
		c.says(c.as(c.main.ID, "subagent", `{"agent":"explore"}`), true, "INVALID_INPUT", "Missing required parameter: task")
		c.says(c.as(c.main.ID, "subagent", `not json`), true, "INVALID_INPUT")
		c.says(c.as(c.main.ID, "delegate_to_agent", `{"agent_name":"asks","topic":"Go","depth":2}`), false, "about depth: 2\ntopic: Go")
		if sp := c.spec("asks"); sp.System != "About Go" {
			t.Errorf("system prompt %q", sp.System)
		}
		c.says(c.as(c.main.ID, "delegate_to_agent", `{"agent_name":"explore","inputs":{"query":"where"}}`), false, "about where")
		c.says(c.as(c.main.ID, "delegate_to_agent", `{"agent_name":"asks","query":"x"}`), true, "Missing required input parameters: topic. Available inputs: query")
		c.says(c.as(c.main.ID, "delegate_to_agent", `{"agent_name":"asks"}`), true, "there are no inputs")
		c.says(c.as(c.main.ID, "spawn_subagent", `{"description":"d","input":"q"}`), false, `"status":"spawned"`, `"type":"general"`)
		c.p.Off = true
		for _, x := range []string{`task {"agent_type":"explore","prompt":"p"}`, `subagent {"agent":"explore","task":"p"}`, `spawn_subagent {"description":"d","input":"p"}`, `delegate_to_agent {"agent_name":"explore","query":"p"}`} {
			name, args, _ := strings.Cut(x, " ")
			c.says(c.as(c.main.ID, name, args), true, "SUBAGENTS_DISABLED")
		}
		time.Sleep(time.Hour)
	})
}

func TestAnswersAsAParentReadsThem(t *testing.T) {
	for _, x := range []struct {
		turn core.Turn
		want string
	}{
		{core.Turn{Response: "plain"}, "plain"},
		{core.Turn{Response: "{\n \"a\": 1\n}", Handed: core.Handed{Result: json.RawMessage(`{"a":1}`)}}, `{"a":1}`},
		{core.Turn{Response: "see it", Handed: core.Handed{Result: json.RawMessage(`{"a": 1}`)}}, "see it\n\n{\"a\":1}"},
		{core.Turn{Response: "so fa", Handed: core.Handed{Partial: true, Code: core.CodeMaxTurns, Full: "/s/x.txt"}}, "(partial: the turn was stopped, max_turns: a turn made as many model calls as it may. This is what there was by then.)\n\nso fa\n\n(cut; the whole text is in /s/x.txt, which read_file opens)"},
	} {
		if got := turnText(x.turn); got != x.want {
			t.Errorf("got %q\nwant %q", got, x.want)
		}
	}
	text, bad := endedText(core.Task{ID: "b1", Name: "scout", State: core.State{Status: core.Failed}, Ending: core.Ending{ErrorCode: core.CodeTimeout, Error: "after 15m"}}, []core.Turn{{Response: "half", Handed: core.Handed{Partial: true, Code: core.CodeTimeout}}})
	for _, p := range []string{"Subagent 'scout' failed.", "code: timeout", "message: after 15m", "(trying again may help)", "What it had by then:", "half"} {
		if !strings.Contains(text, p) || !bad {
			t.Errorf("%q is not in %q", p, text)
		}
	}
}
