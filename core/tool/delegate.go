package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"drover/core"
)

// Engine is what the delegation tools need of the registry; *core.Registry is one.
type Engine interface {
	StartAll(ctx context.Context, rank *core.Rank, ns []core.NewTask) ([]core.Task, error)
	StartedBy(parent, call string) (core.Task, bool, error)
	GetAgentResult(ctx context.Context, id string, w core.WaitFor) (core.AgentResult, error)
	SendMessage(core.Request) (core.Request, error)
	CancelRecursive(ctx context.Context, id, by string) (core.Receipt, error)
	Find(ref string) (core.Task, error)
	Task(id string) (core.Task, error)
	Origin(id string) (core.Origin, error)
	Tasks() []core.Task
	View(func(core.Reader) error) error
	Session() core.Session
	CompleteSession(id string, k core.Completion) error
	RefuseCompletion(id string, why error) error
	Todos() ([]core.Todo, error)
	SetTodos(id string, todos []core.Todo) error
}

// Policy of delegation. Nil fields allow everything and take a model, and a
// call's schema, as they are.
type Policy struct {
	// MaySpawn refuses what the parent's agent may not start.
	MaySpawn func(parent core.Agent, name string) error
	// Model chooses the model of a child. An error names those there are; note says, where it is not
	// empty, why another one is used than was asked for: in the reply and in
	// the timeline.
	Model func(Wish) (model, note string, err error)
	// Guard may lower a model that the call asked for to the session's, and then says why.
	Guard func(asked, session string) (use, why string)
	// Output chooses the schema that the child's result must fit.
	Output func(agent, call, session json.RawMessage) json.RawMessage
	// Schema refuses a schema for a result that is none, or that nobody should check.
	Schema func(json.RawMessage) error
	// Plan restricts an agent to what a session that only plans may do.
	Plan func(core.Agent) core.Agent
	// Off: agents start no others.
	Off bool
	// SyncNested: a subagent waits for its own subagents, even where it asks for the background.
	SyncNested bool
	// Show names those of the hidden tools that every agent has.
	Show []string
}

// Wish is what is wanted of a child's model, by whom.
type Wish struct {
	Agent    string // the child's
	Asked    string // by the call
	Declared string // by the agent's definition: a tier, a name of its dialect, provider/model
	Parent   string // what the parent runs on
}

func (p Policy) filled() Policy {
	if p.MaySpawn == nil {
		p.MaySpawn = func(core.Agent, string) error { return nil }
	}
	if p.Model == nil {
		p.Model = func(w Wish) (string, string, error) { return first(w.Asked, w.Declared, w.Parent), "", nil }
	}
	if p.Guard == nil {
		p.Guard = func(asked, _ string) (string, string) { return asked, "" }
	}
	if p.Schema == nil {
		p.Schema = func(json.RawMessage) error { return nil }
	}
	if p.Output == nil {
		p.Output = func(_, call, _ json.RawMessage) json.RawMessage { return call }
	}
	return p
}

// Delegation makes the tools that act on drover's own tasks.
func Delegation(e Engine, c core.Catalog, p Policy) []core.Tool {
	s := starter{e, c, p.filled()}
	starts := func(name string) def {
		d := steering(name)
		d.spec.Hidden = p.Off || name != "task" && !slices.Contains(p.Show, name)
		return d
	}
	return []core.Tool{
		taskTool{starts("task"), s},
		delegateTool{starts("delegate_to_agent"), s},
		subagentTool{starts("subagent"), s},
		spawnTool{starts("spawn_subagent"), s},
		readAgent{steering("read_agent"), e},
		writeAgent{steering("write_agent"), e},
		listAgents{steering("list_agents"), e},
		stopAgent{steering("stop_agent"), e},
		taskComplete{steering("task_complete"), e},
		todoWrite{steering("todo_write"), e},
		reportIntent{steering("report_intent")},
	}
}

// steering tools may be called again after a crash: each looks before it acts.
func steering(name string) def {
	d := define(name, core.Steers)
	d.spec.Again = name != "write_agent"
	return d
}

// within keeps a child's tools to those its parent has: a child never has more
// (registry case cop-run-057). Nil is every tool.
func within(parent, child []string) []string {
	switch {
	case parent == nil:
		return child
	case child == nil:
		return parent
	}
	out := []string{}
	for _, name := range child {
		if slices.Contains(parent, name) {
			out = append(out, name)
		}
	}
	return out
}

// waiting runs f while the call holds no slot.
func waiting[T any](env core.ToolEnv, a core.Activity, what string, f func() (T, error)) (T, error) {
	var none T
	if env.Waiting == nil {
		return f()
	}
	resume, err := env.Waiting(a, what)
	if err != nil {
		return none, err
	}
	v, err := f()
	if err != nil {
		return none, err
	}
	return v, resume()
}

func deref(r *core.ToolResult) core.ToolResult {
	if r == nil {
		return core.ToolResult{}
	}
	return *r
}

// refusal tells the model what it did wrong, with the code and the way out.
func refusal(err error) core.ToolResult {
	text := fmt.Sprintf("%s: %s", core.CodeOf(err), err.Error())
	if hint := core.HintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	return failed("%s", text)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" && v != "inherit" {
			return v
		}
	}
	return ""
}

// seconds as a duration, at most most; what is no number of seconds is 0.
func seconds(s float64, most time.Duration) time.Duration {
	switch {
	case !(s > 0):
		return 0
	case s >= most.Seconds():
		return most
	}
	return time.Duration(s * float64(time.Second))
}
