package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"drover/core"
)

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
