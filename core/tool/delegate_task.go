package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// maxBatch is how many tasks one call may start.
const maxBatch = 64

type taskTool struct {
	def
	s starter
}

type taskArgs struct {
	order
	Context string  `json:"context"`
	Tasks   []order `json:"tasks"`
}

func (t taskTool) Subject(args json.RawMessage) string {
	var a struct { // read once: a step may start many
		AgentType string `json:"agent_type"`
		Name      string `json:"name"`
		Tasks     []struct {
			Name string `json:"name"`
		} `json:"tasks"`
	}
	if json.Unmarshal(args, &a) != nil { // something in it is no text: what is one is shown
		return strings.TrimSpace(field(args, "agent_type") + " " + field(args, "name"))
	}
	if len(a.Tasks) > 0 {
		names := make([]string, len(a.Tasks))
		for i, o := range a.Tasks {
			names[i] = o.Name
		}
		return fmt.Sprintf("%d tasks: %s", len(names), strings.Join(names, ", "))
	}
	return strings.TrimSpace(a.AgentType + " " + a.Name)
}

func (t taskTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a taskArgs
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	orders, err := a.orders()
	if err != nil {
		return refusal(err), nil
	}
	if len(a.Tasks) > 0 {
		return t.batch(ctx, env, orders)
	}
	c, res, err := t.s.one(ctx, env, orders[0])
	if err != nil {
		return told(err)
	}
	text, bad := childText(c, res)
	return core.ToolResult{Text: valid(text), Failed: bad}, nil
}

// orders are what the call asks for: the one of its own fields, or those of
// the list, which take agent_type, model, mode and schema of the call where they have none.
func (a taskArgs) orders() ([]order, error) {
	if len(a.Tasks) == 0 {
		for _, f := range []struct{ name, value string }{{"prompt", a.Prompt}, {"agent_type", a.AgentType}} {
			if strings.TrimSpace(f.value) == "" {
				return nil, core.Errorf(core.CodeInvalidInput, "%s is missing; or give several tasks in tasks", f.name)
			}
		}
		a.Description = first(a.Description, about(a.Prompt))
		a.Prompt = withContext(a.Context, a.Prompt)
		return []order{a.order}, nil
	}
	if a.Prompt != "" || a.Name != "" {
		return nil, core.Errorf(core.CodeInvalidInput, "give either one task (prompt, name) or several (tasks), not both; what all of them must know goes into context")
	}
	if len(a.Tasks) > maxBatch {
		return nil, core.Errorf(core.CodeInvalidInput, "tasks has %d, the limit of one call is %d", len(a.Tasks), maxBatch)
	}
	if err := distinct(a.Tasks); err != nil {
		return nil, err
	}
	out := slices.Clone(a.Tasks)
	for i := range out {
		o := &out[i]
		o.AgentType, o.Model, o.Mode = first(o.AgentType, a.AgentType), first(o.Model, a.Model), first(o.Mode, a.Mode)
		if !given(o.Schema) {
			o.Schema = a.Schema
		}
		o.Isolated = o.Isolated || a.Isolated
		if strings.TrimSpace(o.AgentType) == "" {
			return nil, core.Errorf(core.CodeInvalidInput, "tasks[%d] (%s) has no agent_type; nothing was started", i, core.Short(core.CleanLine(o.Name), 40))
		}
		if strings.TrimSpace(o.Prompt) != "" {
			o.Description = first(o.Description, about(o.Prompt))
			o.Prompt = withContext(a.Context, o.Prompt)
		}
	}
	return out, nil
}

// distinct demands that each task of a batch has a name of its own: its result is told by it.
func distinct(tasks []order) error {
	var without []string
	seen := map[string]int{}
	for i, o := range tasks {
		name := core.Short(core.CleanLine(o.Name), 40)
		if name == "" {
			without = append(without, fmt.Sprintf("tasks[%d]", i))
			continue
		}
		if j, twice := seen[name]; twice {
			return core.Errorf(core.CodeInvalidInput, "tasks[%d] and tasks[%d] are both named %q; nothing was started", j, i, name)
		}
		seen[name] = i
	}
	if len(without) > 0 {
		return core.Errorf(core.CodeInvalidInput, "without a name: %s; nothing was started", strings.Join(without, ", "))
	}
	return nil
}

func withContext(context, prompt string) string {
	if strings.TrimSpace(context) == "" {
		return prompt
	}
	return strings.TrimSpace(context) + "\n\n---\n\n" + prompt
}

// batch starts all, and waits for those that are in sync mode. What one of
// them came to does not keep the others from being told.
func (t taskTool) batch(ctx context.Context, env core.ToolEnv, orders []order) (core.ToolResult, error) {
	kids, err := t.s.start(ctx, env, orders, true)
	if err != nil {
		return told(err)
	}
	all := func() ([]core.AgentResult, error) {
		out := make([]core.AgentResult, len(kids))
		for i, c := range kids {
			var err error
			if out[i], err = t.s.await(ctx, env, c); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	var results []core.AgentResult
	if slices.ContainsFunc(kids, func(c child) bool { return c.Mode == core.Sync }) {
		results, err = waiting(env, core.ActChildren, fmt.Sprintf("%d tasks", len(kids)), all)
	} else {
		results, err = all()
	}
	if err != nil {
		return core.ToolResult{}, err
	}
	var b strings.Builder
	failures := 0
	for i, c := range kids {
		text, bad := childText(c, results[i])
		if bad {
			failures++
		}
		fmt.Fprintf(&b, "## %d. %s\n%s\n\n", i+1, c.Label(), strings.TrimSpace(text))
	}
	if failures > 0 {
		fmt.Fprintf(&b, "(%d of %d did not succeed)", failures, len(kids))
	}
	return core.ToolResult{Text: valid(strings.TrimSpace(b.String())), Failed: failures == len(kids)}, nil
}
