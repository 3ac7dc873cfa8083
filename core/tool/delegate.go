package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// Engine is what the delegation tools need of the registry; *core.Registry is one.
type Engine interface {
	Start(core.NewTask) (core.Task, error)
	GetAgentResult(ctx context.Context, id string, w core.WaitFor) (core.AgentResult, error)
	SendMessage(core.Request) (core.Request, error)
	CancelRecursive(ctx context.Context, id, by string) (core.Receipt, error)
	Find(ref string) (core.Task, error)
	Tasks() []core.Task
	View(func(core.Reader) error) error
	Session() core.Session
	CompleteSession(id string, k core.Completion) error
	RefuseCompletion(id string, why error) error
	Todos() ([]core.Todo, error)
	SetTodos(id string, todos []core.Todo) error
}

// Policy of delegation. Nil fields allow everything and take a model as it is named.
type Policy struct {
	// MaySpawn refuses what the parent's agent may not start.
	MaySpawn func(parent core.Agent, name string) error
	// Model chooses the model of a child: asked is the call's wish, declared the
	// agent's (a tier, a name of its dialect, provider/model), parent is the parent's.
	Model func(asked, declared, parent string) (string, error)
	// Plan restricts an agent to what a session that only plans may do.
	Plan func(core.Agent) core.Agent
}

// Delegation makes the tools that act on drover's own tasks.
func Delegation(e Engine, c core.Catalog, p Policy) []core.Tool {
	if p.MaySpawn == nil {
		p.MaySpawn = func(core.Agent, string) error { return nil }
	}
	if p.Model == nil {
		p.Model = func(asked, declared, parent string) (string, error) { return first(asked, declared, parent), nil }
	}
	return []core.Tool{
		taskTool{steering("task"), e, c, p},
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

type taskTool struct {
	def
	e Engine
	c core.Catalog
	p Policy
}

type taskArgs struct {
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	AgentType   string `json:"agent_type"`
	Name        string `json:"name"`
	Mode        string `json:"mode"`
	Model       string `json:"model"`
}

func (t taskTool) Subject(args json.RawMessage) string {
	return strings.TrimSpace(field(args, "agent_type") + " " + field(args, "name"))
}

func (t taskTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a taskArgs
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	agent, err := t.c.Find(ctx, env.Dir, a.AgentType)
	if err != nil {
		return refusal(err), nil
	}
	parent, err := t.e.Find(env.Task)
	if err != nil {
		return core.ToolResult{}, err
	}
	var sp core.Spec
	if err := t.e.View(func(r core.Reader) (err error) { sp, err = r.Spec(parent.ID); return err }); err != nil {
		return core.ToolResult{}, err
	}
	model, err := t.allowed(sp, parent, agent, a.Model)
	if err != nil {
		return refusal(err), nil
	}
	if t.p.Plan != nil && t.e.Session().Plan {
		agent = t.p.Plan(agent)
	}
	agent.Tools = within(sp.Tools, agent.Tools)
	mode := core.Mode(a.Mode)
	if mode == "" && agent.Background {
		mode = core.Background
	}
	if mode == "" {
		mode = core.Sync
	}
	child, err := t.e.Start(core.NewTask{
		Parent: env.Task, Kind: core.KindAgent, Agent: agent, Name: a.Name, Description: a.Description, Prompt: a.Prompt,
		Mode: mode, Model: model, CallID: env.CallID,
	})
	if err != nil {
		return refusal(err), nil
	}
	if child.Mode == core.Background {
		return done(startedText(child)), nil
	}
	return t.sync(ctx, env, child)
}

// sync waits for the child's first answer, its end, or its promotion.
func (t taskTool) sync(ctx context.Context, env core.ToolEnv, child core.Task) (core.ToolResult, error) {
	res, err := waiting(env, child.Label(), func() (core.AgentResult, error) {
		return t.e.GetAgentResult(ctx, child.ID, core.WaitFor{Timeout: -1, Reader: env.Task})
	})
	if err != nil {
		return core.ToolResult{}, err
	}
	switch {
	case res.Why == core.WhyPromoted:
		return done(fmt.Sprintf("%s was moved to the background and goes on there (%d tool calls so far).\n%s", child.Label(), res.Task.ToolCalls, startedText(child))), nil
	case res.Why == core.WhyTurn && len(res.Turns) > 0:
		return done(fmt.Sprintf("%s\n\n(agent_id: %s; it is idle and takes follow-ups through write_agent)", res.Turns[0].Response, child.ID)), nil
	}
	return endedText(res.Task), nil
}

// allowed says whether the parent may start the agent, and on which model it runs.
func (t taskTool) allowed(sp core.Spec, parent core.Task, agent core.Agent, asked string) (model string, err error) {
	var lead core.Agent
	if len(sp.Agent) > 0 {
		if err := json.Unmarshal(sp.Agent, &lead); err != nil {
			return "", err
		}
	}
	if err := t.p.MaySpawn(lead, agent.Name); err != nil {
		return "", err
	}
	return t.p.Model(asked, agent.Model, parent.Model)
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

func startedText(t core.Task) string {
	return fmt.Sprintf("%s works in the background.\nagent_id: %s\nA notice will tell you when it answers: go on with other work, and do not poll.", t.Label(), t.ID)
}

func endedText(t core.Task) core.ToolResult {
	switch t.Status {
	case core.Cancelled:
		return failed("%s (%s) was %s", t.Label(), t.ID, t.Error)
	case core.Failed:
		return failed("%s (%s) failed (%s): %s", t.Label(), t.ID, t.ErrorCode, t.Error)
	}
	return done(fmt.Sprintf("%s (%s) is %s", t.Label(), t.ID, t.Status))
}

// waiting runs f while the call holds no slot.
func waiting[T any](env core.ToolEnv, what string, f func() (T, error)) (T, error) {
	var none T
	if env.Waiting == nil {
		return f()
	}
	resume, err := env.Waiting(core.ActChildren, what)
	if err != nil {
		return none, err
	}
	v, err := f()
	if err != nil {
		return none, err
	}
	return v, resume()
}

type readAgent struct {
	def
	e Engine
}

type readArgs struct {
	AgentID   string  `json:"agent_id"`
	Wait      bool    `json:"wait"`
	Timeout   float64 `json:"timeout"`
	SinceTurn int     `json:"since_turn"`
}

func (t readAgent) Subject(args json.RawMessage) string { return field(args, "agent_id") }

func (t readAgent) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := readArgs{Timeout: 30}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	task, err := t.e.Find(a.AgentID)
	if err != nil {
		return refusal(err), nil
	}
	w := core.WaitFor{Since: a.SinceTurn, Reader: env.Task}
	if a.Wait {
		w.Timeout = time.Duration(a.Timeout * float64(time.Second))
	}
	read := func() (core.AgentResult, error) { return t.e.GetAgentResult(ctx, task.ID, w) }
	var res core.AgentResult
	if a.Wait {
		res, err = waiting(env, task.Label(), read)
	} else {
		res, err = read()
	}
	if err != nil {
		return core.ToolResult{}, err
	}
	return done(resultText(res)), nil
}

func resultText(res core.AgentResult) string {
	t := res.Task
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s) is %s, turn %d, %d tool calls.", t.Label(), t.ID, t.Agent, t.Status, t.Turn, t.ToolCalls)
	if t.Error != "" {
		fmt.Fprintf(&b, " %s: %s", t.ErrorCode, t.Error)
	}
	if res.Why == core.WhyTimeout {
		b.WriteString(" The wait ran out; a notice will come when it answers.")
	}
	for _, turn := range res.Turns {
		fmt.Fprintf(&b, "\n\n## turn %d", turn.N)
		if turn.N > 1 {
			fmt.Fprintf(&b, " (%s: %s)", turn.Sender, core.Short(core.CleanLine(turn.Prompt), 200))
		}
		b.WriteString("\n" + turn.Response)
	}
	return b.String()
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
