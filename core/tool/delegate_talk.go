package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"drover/core"
)

type writeAgent struct {
	def
	e Engine
}

type writeArgs struct {
	AgentID  string   `json:"agent_id"`
	AgentIDs []string `json:"agent_ids"`
	Message  string   `json:"message"`
	Delivery string   `json:"delivery"`
}

func (t writeAgent) Subject(args json.RawMessage) string { return field(args, "agent_id") }

// Run sends to one or several; each recipient has an outcome of its own.
func (t writeAgent) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a writeArgs
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	to := a.AgentIDs
	if a.AgentID != "" {
		to = append([]string{a.AgentID}, to...)
	}
	if len(to) == 0 {
		return failed("write_agent: name a recipient in agent_id, or several in agent_ids"), nil
	}
	var lines []string
	sent := 0
	for _, ref := range to {
		line, err := t.send(env, ref, a)
		if err != nil {
			line = fmt.Sprintf("%s: not sent: %s", ref, refusal(err).Text)
		} else {
			sent++
		}
		lines = append(lines, line)
	}
	res := done(strings.Join(lines, "\n"))
	res.Failed = sent == 0
	return res, nil
}

func (t writeAgent) send(env core.ToolEnv, ref string, a writeArgs) (string, error) {
	task, err := t.e.Find(ref)
	if err != nil {
		return "", err
	}
	if task.ID == env.Task {
		return "", core.Errorf(core.CodeInvalidInput, "an agent does not write to itself")
	}
	delivery := core.Delivery(a.Delivery)
	if delivery == "" {
		delivery = core.Steer // between agents a message joins the turn that runs
	}
	q, err := t.e.SendMessage(core.Request{Task: task.ID, Text: a.Message, Delivery: delivery, Sender: env.Task})
	if err != nil {
		return "", err
	}
	what := "its next turn has begun"
	if task.Status == core.Running {
		what = "it will be read after the current tool call"
	}
	return fmt.Sprintf("%s (%s): sent as %s; %s", task.Label(), task.ID, core.RequestRef(q.ID), what), nil
}

type listAgents struct {
	def
	e Engine
}

func (t listAgents) Subject(json.RawMessage) string { return "" }

func (t listAgents) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		IncludeEnded bool `json:"include_ended"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	var b strings.Builder
	for _, o := range t.e.Tasks() {
		if o.ID == env.Task || o.Kind == core.KindMain || o.Status.Terminal() && !a.IncludeEnded {
			continue
		}
		what := string(o.Status)
		if o.Activity != core.ActNone {
			what += " (" + strings.TrimSpace(string(o.Activity)+" "+o.Detail) + ")"
		}
		relation := ""
		if o.Parent == env.Task {
			relation = ", started by you"
		}
		fmt.Fprintf(&b, "- %s: agent_id %s, %s, %s, turn %d, %d tool calls%s: %s\n", o.Label(), o.ID, o.Agent, what, o.Turn, o.ToolCalls, relation, core.CleanLine(o.Description))
	}
	if b.Len() == 0 {
		return done("no other agents"), nil
	}
	return done(b.String()), nil
}

type stopAgent struct {
	def
	e Engine
}

func (t stopAgent) Subject(args json.RawMessage) string { return field(args, "agent_id") }

// Run stops a descendant of the caller with everything under it: never an ancestor, a sibling or itself.
func (t stopAgent) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		AgentID string `json:"agent_id"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	task, err := t.e.Find(a.AgentID)
	if err != nil {
		return refusal(err), nil
	}
	mine := false
	for _, d := range core.Descendants(t.e.Tasks(), env.Task) {
		mine = mine || d.ID == task.ID
	}
	if !mine {
		return failed("%s (%s) is not one of yours: an agent stops only what it, or its agents, have started", task.Label(), task.ID), nil
	}
	rc, err := t.e.CancelRecursive(ctx, task.ID, env.Task)
	if err != nil {
		return refusal(err), nil
	}
	var names []string
	for _, s := range rc.Stopped {
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.ID))
	}
	text := "stopped: " + strings.Join(names, ", ")
	for _, s := range rc.NotStopped {
		text += fmt.Sprintf("\n%s (%s) is cancelled, but %s", s.Name, s.ID, s.Why)
	}
	return done(text), nil
}

type taskComplete struct {
	def
	e Engine
}

func (t taskComplete) Subject(args json.RawMessage) string { return field(args, "outcome") }

func (t taskComplete) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := struct {
		Outcome core.Outcome `json:"outcome"`
		Summary string       `json:"summary"`
		NotDone []string     `json:"not_done"`
	}{Outcome: core.OutcomeDone}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	err := t.e.CompleteSession(env.Task, core.Completion{Outcome: a.Outcome, Summary: a.Summary, NotDone: a.NotDone})
	if core.CodeOf(err) == core.CodeToolRefused {
		return refusal(err), t.e.RefuseCompletion(env.Task, errors.New(strings.TrimPrefix(err.Error(), "not complete: ")))
	}
	if err != nil {
		return core.ToolResult{}, err
	}
	return core.ToolResult{Text: valid(a.Summary), End: true}, nil
}

type reportIntent struct{ def }

func (t reportIntent) Subject(args json.RawMessage) string { return field(args, "intent") }

func (t reportIntent) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Intent string `json:"intent"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	if env.Intent != nil {
		if err := env.Intent(a.Intent); err != nil {
			return core.ToolResult{}, err
		}
	}
	return done("shown"), nil
}

type todoWrite struct {
	def
	e Engine
}

func (t todoWrite) Subject(json.RawMessage) string { return "" }

func (t todoWrite) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Todos []core.Todo `json:"todos"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	seen := map[string]bool{}
	for i, d := range a.Todos {
		if seen[d.ID] {
			return failed("todo_write: two todos have the id %q", d.ID), nil
		}
		seen[d.ID] = true
		if d.Status == "" {
			a.Todos[i].Status = "pending"
		}
	}
	if err := t.e.SetTodos(env.Task, a.Todos); err != nil {
		return core.ToolResult{}, err
	}
	var b strings.Builder
	for _, d := range a.Todos {
		fmt.Fprintf(&b, "- [%s] %s: %s\n", d.Status, d.ID, d.Title)
	}
	return done("todos are now:\n" + b.String()), nil
}
