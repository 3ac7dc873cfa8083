package core

import "encoding/json"

// Result is what a turn of a task came to: the object of `drover result
// --json` (subagents-reference, "Result schema and output collection").
type Result struct {
	ID         string          `json:"id"`
	Session    string          `json:"session"`
	Agent      string          `json:"agent"`
	Name       string          `json:"name"`
	Status     Status          `json:"status"`
	Turn       int             `json:"turn"`
	ExitCode   int             `json:"exit_code"` // as a command would end: 0 done, 1 failed, 3 blocked or needs input, 4 at a limit, 130 cancelled
	Output     string          `json:"output"`    // the answer, cut where truncated
	OutputPath string          `json:"output_path"`
	Result     json.RawMessage `json:"result"` // what was handed in, fitting its schema; null where none was asked for
	Truncated  bool            `json:"truncated"`
	Partial    bool            `json:"partial"` // it was stopped: the output is what there was by then
	ErrorCode  Code            `json:"error_code"`
	Error      string          `json:"error"`
	Usage      ResultUsage     `json:"usage"`
	ElapsedMS  int64           `json:"elapsed_ms"`
}

// ResultUsage is what the task has used in all its turns.
type ResultUsage struct {
	Steps     int      `json:"steps"`
	ToolCalls int      `json:"tool_calls"`
	TokensIn  int64    `json:"tokens_in"`
	TokensOut int64    `json:"tokens_out"`
	Cost      *float64 `json:"cost_usd"` // null where a price is unknown
}

// ResultOf is the result of turn n of a task, of the last one where n is 0.
func (d *Detail) ResultOf(n int) (Result, error) {
	t := &d.Task
	r := Result{
		ID: t.ID, Session: t.Session, Agent: t.Agent, Name: t.Name, Status: t.Status, ErrorCode: t.ErrorCode, Error: t.Error,
		ExitCode: taskExit(*t), ElapsedMS: t.ElapsedMS,
		Usage: ResultUsage{Steps: t.Steps, ToolCalls: t.ToolCalls, TokensIn: t.TokensIn, TokensOut: t.TokensOut, Cost: t.Cost},
	}
	for i := len(d.Turns) - 1; i >= 0; i-- {
		turn := &d.Turns[i]
		if n != 0 && turn.N != n || n == 0 && turn.Ended.IsZero() {
			continue
		}
		r.Turn, r.Output, r.OutputPath, r.Result, r.Partial = turn.N, turn.Response, turn.Full, turn.Result, turn.Partial
		r.Truncated = turn.Full != "" || turn.Code == CodeOutputTruncated
		if r.ErrorCode == "" {
			r.ErrorCode = turn.Code
		}
		return r, nil
	}
	if n != 0 {
		return r, Errorf(CodeNotFound, "%s has no turn %d", t.ID, n)
	}
	return r, nil
}
