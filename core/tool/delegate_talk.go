package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// maxRecipients of one message.
const maxRecipients = 16

type writeAgent struct {
	def
	e Engine
}

type writeArgs struct {
	AgentID  string   `json:"agent_id"`
	AgentIDs []string `json:"agent_ids"`
	Scope    string   `json:"scope"`
	Message  string   `json:"message"`
	Delivery string   `json:"delivery"`
}

func (t writeAgent) Subject(args json.RawMessage) string {
	if id := field(args, "agent_id"); id != "" {
		return id
	}
	return field(args, "scope")
}

// Run sends to one or several; each recipient has an outcome of its own.
func (t writeAgent) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a writeArgs
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	to, err := t.recipients(env, a)
	if err != nil {
		return told(err)
	}
	if len(to) == 0 {
		return done(fmt.Sprintf("nobody was written to: there are no %s that take messages", a.Scope)), nil
	}
	var lines []string
	sent := 0
	seen := map[string]bool{}
	for _, ref := range to {
		line, err := t.send(env, ref, a, seen)
		if err != nil {
			line = fmt.Sprintf("%s: not sent: %s", core.Short(core.CleanLine(ref), 60), refusal(err).Text)
		} else {
			sent++
		}
		lines = append(lines, line)
	}
	res := done(strings.Join(lines, "\n"))
	res.Failed = sent == 0
	return res, nil
}

// recipients are named in exactly one of three ways.
func (t writeAgent) recipients(env core.ToolEnv, a writeArgs) ([]string, error) {
	ways := 0
	for _, is := range []bool{a.AgentID != "", a.AgentIDs != nil, a.Scope != ""} {
		if is {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, core.Errorf(core.CodeInvalidInput, "name the recipients in exactly one of agent_id, agent_ids and scope")
	case a.AgentID != "":
		return []string{a.AgentID}, nil
	case a.Scope != "":
		var ids []string
		for _, o := range scoped(t.e.Tasks(), env.Task, a.Scope) {
			if !o.Status.Terminal() && takesMessages(o) {
				ids = append(ids, o.ID)
			}
		}
		return ids, nil
	case len(a.AgentIDs) == 0 || len(a.AgentIDs) > maxRecipients:
		return nil, core.Errorf(core.CodeInvalidInput, "agent_ids takes 1 to %d recipients, it has %d", maxRecipients, len(a.AgentIDs))
	}
	for i, id := range a.AgentIDs {
		if slices.Contains(a.AgentIDs[:i], id) {
			return nil, core.Errorf(core.CodeInvalidInput, "agent_ids names %q twice; nothing was sent", core.Short(core.CleanLine(id), 60))
		}
	}
	return a.AgentIDs, nil
}

func takesMessages(t core.Task) bool { return t.Kind != core.KindShell && t.Kind != core.KindMCP }

func (t writeAgent) send(env core.ToolEnv, ref string, a writeArgs, seen map[string]bool) (string, error) {
	task, err := t.e.Find(ref)
	switch {
	case err != nil:
		return "", err
	case task.ID == env.Task:
		return "", core.Errorf(core.CodeInvalidInput, "an agent does not write to itself")
	case seen[task.ID]:
		return "", core.Errorf(core.CodeInvalidInput, "it is named twice, and has the message already")
	}
	delivery := core.Delivery(a.Delivery)
	if delivery == "" {
		delivery = core.Steer // between agents a message joins the turn that runs
	}
	q, err := t.e.SendMessage(core.Request{Task: task.ID, Text: a.Message, Delivery: delivery, Sender: env.Task})
	if err != nil {
		return "", err
	}
	seen[task.ID] = true
	what := "its next turn has begun"
	if task.Status == core.Running {
		what = map[core.Delivery]string{
			core.Steer: "it will be read after the current tool call", core.Queue: "it will be read after this turn", core.Interrupt: "its turn is cut short for it",
		}[delivery]
	}
	return fmt.Sprintf("%s (%s): sent as %s; %s", task.Label(), task.ID, core.RequestRef(q.ID), what), nil
}

// scoped are the tasks of a scope as seen from one of them, which is never among them.
func scoped(all []core.Task, me, scope string) []core.Task {
	i := slices.IndexFunc(all, func(t core.Task) bool { return t.ID == me })
	if i < 0 {
		return nil
	}
	self := all[i]
	var out []core.Task
	for _, o := range all {
		switch {
		case o.ID == me:
		case scope == "children" && o.Parent == me,
			scope == "siblings" && o.Parent == self.Parent && self.Parent != "",
			scope == "all" && o.Kind != core.KindMain:
			out = append(out, o)
		}
	}
	return out
}

type listAgents struct {
	def
	e Engine
}

func (t listAgents) Subject(args json.RawMessage) string { return field(args, "scope") }

func (t listAgents) Run(_ context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := struct {
		Ended     bool   `json:"include_ended"`
		Completed bool   `json:"include_completed"` // other programs' word for it
		Scope     string `json:"scope"`
	}{}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	if a.Scope == "" {
		a.Scope = "all"
	}
	all := t.e.Tasks()
	var b strings.Builder
	ended := 0
	for _, o := range scoped(all, env.Task, a.Scope) {
		if o.Status.Terminal() && !a.Ended && !a.Completed {
			ended++
			continue
		}
		b.WriteString(listRow(o, relation(all, env.Task, o)))
	}
	if ended > 0 {
		fmt.Fprintf(&b, "(%d more have ended: include_ended shows them)\n", ended)
	}
	if b.Len() == 0 {
		return done("no other agents"), nil
	}
	return done(b.String()), nil
}

// listRow is a task in a line: every part of it that an agent wrote is cleaned.
func listRow(o core.Task, relation string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s: agent_id %s, %s, %s, turn %d, %d tool calls, %s", core.CleanLine(o.Label()), o.ID, o.Agent, stateText(o), o.Turn, o.ToolCalls, elapsed(o))
	if relation != "" {
		b.WriteString(", " + relation)
	}
	if o.Model != "" {
		b.WriteString(", model " + core.CleanLine(o.Model))
	}
	if o.Mode == core.Sync && o.Status == core.Running {
		b.WriteString(", waited for")
	}
	if d := core.CleanLine(o.Description); d != "" {
		b.WriteString(": " + core.Short(d, 120))
	}
	if o.ErrorCode != "" || o.Error != "" {
		fmt.Fprintf(&b, " [%s: %s]", first(string(o.ErrorCode), "ended"), core.Short(core.CleanLine(o.Error), 200))
	}
	return b.String() + "\n"
}

// relation says what o is to the task that asks.
func relation(all []core.Task, me string, o core.Task) string {
	parents := map[string]string{}
	for _, t := range all {
		parents[t.ID] = t.Parent
	}
	switch {
	case o.Parent == me:
		return "your child"
	case o.ID == parents[me]:
		return "your parent"
	case o.Parent == parents[me]:
		return "your sibling"
	}
	for id := o.Parent; id != ""; id = parents[id] {
		if id == me {
			return "under your child, started by " + o.Parent
		}
	}
	for id := parents[me]; id != ""; id = parents[id] {
		if id == o.ID {
			return "above you"
		}
	}
	return "started by " + o.Parent
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
		return told(err)
	}
	mine := false
	for _, d := range core.Descendants(t.e.Tasks(), env.Task) {
		mine = mine || d.ID == task.ID
	}
	if !mine {
		return failed("%s (%s) is not one of yours: an agent stops only what it, or its agents, have started", task.Label(), task.ID), nil
	}
	if task.Status.Terminal() {
		text, _ := endedText(task, nil)
		res := done("nothing was stopped, it has ended already: " + text)
		res.Failed = task.EndedBy != env.Task // stopped by this very call, before a crash
		return res, nil
	}
	rc, err := t.e.CancelRecursive(ctx, task.ID, env.Task)
	if err != nil {
		return told(err)
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
