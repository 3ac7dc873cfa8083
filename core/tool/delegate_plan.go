package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

// order is one agent that a call asks for.
type order struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Prompt      string                     `json:"prompt"`
	AgentType   string                     `json:"agent_type"`
	Model       string                     `json:"model"`
	Mode        string                     `json:"mode"`
	Schema      json.RawMessage            `json:"schema"`
	Inputs      map[string]json.RawMessage `json:"inputs"`
	Isolated    bool                       `json:"isolated"`
}

// child is a task that a call has started, with what the caller must be told of it.
type child struct {
	core.Task
	notes []string
}

// starter checks orders and starts them: what all the tools that delegate have in common.
type starter struct {
	e Engine
	c core.Catalog
	p Policy
}

// lead is the task that delegates.
type lead struct {
	core.Task
	spec  core.Spec
	agent core.Agent
}

// start begins all orders, or none: every one is checked before the first
// starts. A call that was made before a crash finds what it has started.
func (s starter) start(ctx context.Context, env core.ToolEnv, orders []order, batch bool) ([]child, error) {
	ids := callIDs(env.CallID, len(orders), batch)
	if old, err := s.begun(env.Task, ids); err != nil || old != nil {
		env.Rank.Leave()
		return old, err
	}
	if s.p.Off {
		return nil, &core.Error{Code: core.CodeSubagentsDisabled, Message: "agents start no others here", Hint: "do the work yourself; a person allows it with subagents = true in the settings"}
	}
	by, err := s.lead(env.Task)
	if err != nil {
		return nil, err
	}
	plans := make([]core.NewTask, len(orders))
	notes := make([][]string, len(orders))
	var bad []string
	var why error
	for i, o := range orders {
		plans[i], notes[i], err = s.plan(ctx, env, by, o)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if bad = append(bad, itemText(i, o, err)); why == nil {
				why = err
			}
		}
		plans[i].CallID = ids[i]
	}
	switch {
	case why != nil && batch:
		return nil, &core.Error{Code: core.CodeOf(why), Message: "none of the tasks was started: " + strings.Join(bad, "; ")}
	case why != nil:
		return nil, why
	}
	tasks, err := s.e.StartAll(ctx, env.Rank, plans)
	if err != nil {
		return nil, err
	}
	out := make([]child, len(tasks))
	for i, t := range tasks {
		out[i] = child{t, notes[i]}
	}
	return out, nil
}

// itemText says what is wrong with one task of a batch, by its place and name.
func itemText(i int, o order, err error) string {
	text := fmt.Sprintf("tasks[%d]", i)
	if o.Name != "" {
		text += " (" + core.Short(core.CleanLine(o.Name), 40) + ")"
	}
	text += ": " + err.Error()
	if hint := core.HintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// callIDs are what the tasks of a call are found again by.
func callIDs(call string, n int, batch bool) []string {
	ids := make([]string, n)
	for i := range ids {
		if ids[i] = call; batch && call != "" {
			ids[i] = fmt.Sprintf("%s#%d", call, i+1)
		}
	}
	return ids
}

// begun are the tasks that this very call has started before a crash: all, or none.
func (s starter) begun(parent string, calls []string) ([]child, error) {
	var out []child
	for _, id := range calls {
		t, ok, err := s.e.StartedBy(parent, id)
		if err != nil || !ok {
			return nil, err
		}
		out = append(out, child{Task: t})
	}
	return out, nil
}

func (s starter) lead(id string) (lead, error) {
	t, err := s.e.Task(id)
	if err != nil {
		return lead{}, err
	}
	o, err := s.e.Origin(id)
	return lead{t, o.Spec, o.Agent}, err
}

// plan checks one order: agent, spawn policy, model, schema, inputs, mode.
func (s starter) plan(ctx context.Context, env core.ToolEnv, by lead, o order) (n core.NewTask, notes []string, err error) {
	if o.Isolated {
		return n, nil, &core.Error{Code: core.CodeInvalidInput, Message: "isolation is not offered: every task of a session works in the same directory", Hint: "leave isolated out"}
	}
	if strings.TrimSpace(o.Prompt) == "" {
		return n, nil, core.Errorf(core.CodeInvalidInput, "the prompt is empty")
	}
	agent, err := s.c.Find(ctx, env.Dir, o.AgentType)
	if err != nil {
		return n, nil, err
	}
	if err := s.p.MaySpawn(by.agent, agent.Name); err != nil {
		return n, nil, err
	}
	if o.Inputs != nil {
		if agent.Prompt, err = render(agent.Prompt, o.Inputs); err != nil {
			return n, nil, err
		}
	}
	output := s.p.Output(agent.Output, o.Schema, s.e.Session().Output)
	if given(output) {
		if err := s.p.Schema(output); err != nil {
			return n, nil, err
		}
	}
	model, note, err := s.model(Wish{Agent: agent.Name, Asked: o.Model, Declared: agent.Model, Parent: by.Model})
	if err != nil {
		return n, nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	mode := s.mode(o, agent, by, &notes)
	if s.p.Plan != nil && s.e.Session().Plan {
		agent = s.p.Plan(agent)
	}
	agent.Tools = within(by.spec.Tools, agent.Tools)
	return core.NewTask{
		Parent: by.ID, Kind: core.KindAgent, Agent: agent, Name: o.Name, Description: first(o.Description, about(o.Prompt)), Prompt: o.Prompt,
		Mode: mode, Model: model, Output: output, Note: note,
	}, notes, nil
}

// about is a description where the call gives none.
func about(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return core.Short(core.CleanLine(line), 60)
}

// model chooses the child's model, and keeps a call from choosing a dearer one than the session's.
func (s starter) model(w Wish) (model, note string, err error) {
	model, note, err = s.p.Model(w)
	if err != nil || w.Asked == "" {
		return model, note, err
	}
	if use, why := s.p.Guard(model, s.e.Session().Model); why != "" {
		return use, why, nil
	}
	return model, note, nil
}

func (s starter) mode(o order, a core.Agent, by lead, notes *[]string) core.Mode {
	mode := core.Mode(o.Mode)
	switch {
	case mode == "" && a.Background:
		mode = core.Background
	case mode == "":
		mode = core.Sync
	}
	if mode == core.Background && by.Depth > 0 && s.p.SyncNested {
		*notes = append(*notes, "it ran in sync mode: inside a subagent the background is switched off (nested_background = false in the settings)")
		return core.Sync
	}
	return mode
}

// await waits for the child's first answer, its end, or its promotion. One
// that works in the background is not waited for.
func (s starter) await(ctx context.Context, env core.ToolEnv, c child) (core.AgentResult, error) {
	if c.Mode == core.Background {
		return core.AgentResult{Task: c.Task, Why: core.WhyStatus}, nil
	}
	return s.e.GetAgentResult(ctx, c.ID, core.WaitFor{Timeout: -1, Reader: env.Task, Sync: true})
}

// one starts a single order and waits for it as its mode says.
func (s starter) one(ctx context.Context, env core.ToolEnv, o order) (child, core.AgentResult, error) {
	kids, err := s.start(ctx, env, []order{o}, false)
	if err != nil {
		return child{}, core.AgentResult{}, err
	}
	c := kids[0]
	if c.Mode == core.Background {
		res, err := s.await(ctx, env, c)
		return c, res, err
	}
	res, err := waiting(env, core.ActChildren, c.Label(), func() (core.AgentResult, error) { return s.await(ctx, env, c) })
	if err != nil {
		return c, res, broken{err}
	}
	return c, res, nil
}

// broken marks an error that is no refusal: the wait itself ended.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// told is what a refused or broken call returns: the model reads a refusal, a
// fault of drover or the end of the turn is an error.
func told(err error) (core.ToolResult, error) {
	if b, ok := err.(broken); ok {
		return core.ToolResult{}, b.error
	}
	if core.CodeOf(err) == core.CodeInternal {
		return core.ToolResult{}, err
	}
	return refusal(err), nil
}

// given reports whether the JSON says anything.
func given(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) > 0 && string(v) != "null"
}
