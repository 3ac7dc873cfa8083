package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

// The forms in which other programs delegate, over the same engine. They are
// hidden unless an agent's list or the setting delegation_tools names them.

// delegateTool is agent-system's union: agent_name chooses the agent, the
// other fields are its inputs.
type delegateTool struct {
	def
	s starter
}

func (t delegateTool) Subject(args json.RawMessage) string { return field(args, "agent_name") }

func (t delegateTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		AgentName string `json:"agent_name"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	inputs, err := inputsOf(args)
	if err != nil {
		return refusal(err), nil
	}
	o := order{AgentType: a.AgentName, Inputs: inputs, Prompt: inputPrompt(inputs)}
	c, res, err := t.s.one(ctx, env, o)
	if err != nil {
		return told(err)
	}
	text, bad := childText(c, res)
	return core.ToolResult{Text: valid(text), Failed: bad}, nil
}

// inputsOf are all fields but the agent's name; those of an object "inputs" count as fields.
func inputsOf(args json.RawMessage) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(args, &all); err != nil {
		return nil, core.Errorf(core.CodeInvalidInput, "the arguments must be an object")
	}
	delete(all, "agent_name")
	if raw, ok := all["inputs"]; ok && kindOf(raw) == "object" {
		var more map[string]json.RawMessage
		if err := json.Unmarshal(raw, &more); err != nil {
			return nil, core.Errorf(core.CodeInvalidInput, "inputs must be an object")
		}
		delete(all, "inputs")
		for k, v := range more {
			all[k] = v
		}
	}
	if len(all) == 0 {
		return nil, core.Errorf(core.CodeInvalidInput, "there are no inputs: say in query what the agent should do")
	}
	return all, nil
}

// inputPrompt is the first message to an agent that is given inputs: the one
// of them that is a prompt in itself, else all by name.
func inputPrompt(inputs map[string]json.RawMessage) string {
	if len(inputs) == 1 {
		for _, v := range inputs {
			return plainInput(v)
		}
	}
	var b strings.Builder
	for _, k := range sortedKeys(inputs) {
		fmt.Fprintf(&b, "%s: %s\n", core.CleanLine(k), plainInput(inputs[k]))
	}
	return strings.TrimSpace(b.String())
}

// subagentTool is the tool of subagents-reference: one agent, in the
// foreground, with its result as JSON.
type subagentTool struct {
	def
	s starter
}

func (t subagentTool) Subject(args json.RawMessage) string { return field(args, "agent") }

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type subagentUsage struct {
	Input     int64    `json:"input"`
	Output    int64    `json:"output"`
	CacheRead int64    `json:"cacheRead"`
	Cost      *float64 `json:"cost"` // null where a price is not known
	Turns     int      `json:"turns"`
	ToolCalls int      `json:"toolCalls"`
}

type subagentRun struct {
	Agent      string          `json:"agent"`
	Task       string          `json:"task"`
	ExitCode   int             `json:"exitCode"`
	Usage      subagentUsage   `json:"usage"`
	Error      string          `json:"error,omitempty"`
	Output     string          `json:"output,omitempty"`
	Result     json.RawMessage `json:"result,omitempty"`
	OutputPath string          `json:"outputPath,omitempty"`
}

// subagentError is the payload of an error (case devkit-run-033).
type subagentError struct {
	Code          core.Code `json:"code"`
	Message       string    `json:"message"`
	Retryable     bool      `json:"retryable"`
	Remediation   string    `json:"remediation"`
	Reason        core.Code `json:"reason,omitempty"` // drover's own code, where it says more
	TimeoutReason string    `json:"timeoutReason,omitempty"`
}

type subagentDetails struct {
	Mode    string         `json:"mode"`
	RunID   string         `json:"runId,omitempty"`
	Results []subagentRun  `json:"results"`
	Error   *subagentError `json:"error,omitempty"`
}

type subagentReply struct {
	Content []textBlock     `json:"content"`
	Details subagentDetails `json:"details"`
}

func (r subagentReply) result() core.ToolResult {
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return failed("the result cannot be written as JSON: %v", err)
	}
	bad := r.Details.Error != nil && r.Details.Error.Code != core.CodeOutputTruncated
	return core.ToolResult{Text: valid(string(out)), Failed: bad}
}

func (t subagentTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	for _, name := range []string{"agent", "task"} {
		if strings.TrimSpace(field(args, name)) == "" {
			return subagentRefused(core.Errorf(core.CodeInvalidInput, "Missing required parameter: %s", name)), nil
		}
	}
	var a struct {
		Agent string `json:"agent"`
		Task  string `json:"task"`
	}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	c, res, err := t.s.one(ctx, env, order{AgentType: a.Agent, Prompt: a.Task, Mode: string(core.Sync)})
	if err != nil {
		if r, fault := told(err); fault != nil {
			return r, fault
		}
		return subagentRefused(err), nil
	}
	return subagentDone(c, res, a.Task).result(), nil
}

func subagentRefused(err error) core.ToolResult {
	e := payload(core.CodeOf(err), err.Error())
	text := e.Message
	if hint := core.HintOf(err); hint != "" {
		text += ". " + strings.ToUpper(hint[:1]) + hint[1:]
		if names, ok := strings.CutPrefix(hint, "there are: "); ok {
			text = e.Message + ". Available agents: " + names
		}
		e.Message = text
	}
	return subagentReply{[]textBlock{{"text", text}}, subagentDetails{Mode: "single", Results: []subagentRun{}, Error: &e}}.result()
}

func payload(code core.Code, message string) subagentError {
	_, remedy, again := core.Describe(code)
	return subagentError{Code: code, Message: core.Clean(message), Retryable: again, Remediation: remedy}
}

// subagentDone is the result of a task that was started.
func subagentDone(c child, res core.AgentResult, task string) subagentReply {
	t := res.Task
	text, bad := childText(c, res)
	run := subagentRun{Agent: t.Agent, Task: task, Usage: subagentUsage{
		Input: t.TokensIn, Output: t.TokensOut, CacheRead: t.TokensCached, Turns: t.Turn, ToolCalls: t.ToolCalls,
	}}
	if t.CostKnown {
		run.Usage.Cost = &t.Cost
	}
	d := subagentDetails{Mode: "single", RunID: t.ID}
	code := t.ErrorCode
	if n := len(res.Turns); n > 0 {
		turn := res.Turns[n-1]
		run.Output, run.Result, run.OutputPath = turn.Response, turn.Result, turn.Full
		if code == "" && (bad || turn.Full != "") {
			code = turn.Code
		}
	}
	switch {
	case t.Status == core.Cancelled:
		run.ExitCode, code = core.ExitCancelled, core.CodeCancelled
	case bad:
		run.ExitCode = core.ExitFailed
	}
	if run.ExitCode != 0 {
		e := payload(endCode(code), first(t.Error, text))
		e.Reason, e.TimeoutReason = code, timeoutReason(code)
		run.Error, d.Error = e.Message, &e
	} else if run.OutputPath != "" {
		e := payload(core.CodeOutputTruncated, "the output was cut; all of it is in "+run.OutputPath)
		d.Error = &e
	}
	d.Results = []subagentRun{run}
	return subagentReply{[]textBlock{{"text", text}}, d}
}

// endCode is the code of subagents-reference for one a task ended with.
func endCode(c core.Code) core.Code {
	switch c {
	case core.CodeTimeout, core.CodeIdleTimeout, core.CodeSubagentTimeout:
		return core.CodeSubagentTimeout
	}
	return core.CodeSubagentFailed
}

func timeoutReason(c core.Code) string {
	return map[core.Code]string{core.CodeTimeout: "hard", core.CodeIdleTimeout: "idle"}[c]
}

// spawnTool is the tool of task-types: it returns at once, and a notice brings the answer.
type spawnTool struct {
	def
	s starter
}

func (t spawnTool) Subject(args json.RawMessage) string {
	return strings.TrimSpace(field(args, "type") + " " + field(args, "description"))
}

func (t spawnTool) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := struct {
		Type        string `json:"type"`
		Description string `json:"description"`
		Input       string `json:"input"`
	}{}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	if a.Type == "" {
		a.Type = "general"
	}
	c, res, err := t.s.one(ctx, env, order{AgentType: a.Type, Prompt: a.Input, Description: a.Description, Mode: string(core.Background)})
	if err != nil {
		return told(err)
	}
	reply := struct {
		Status      string   `json:"status"`
		SubagentID  string   `json:"subagentId"`
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Output      string   `json:"output,omitempty"`
		Notes       []string `json:"notes,omitempty"`
	}{"spawned", c.ID, a.Type, a.Description, "", c.notes}
	bad := false
	if res.Why != core.WhyStatus {
		reply.Status = string(res.Task.Status)
		c.notes = nil
		reply.Output, bad = childText(c, res)
	}
	out, err := json.Marshal(reply)
	if err != nil {
		return core.ToolResult{}, err
	}
	return core.ToolResult{Text: valid(string(out)), Failed: bad}, nil
}
