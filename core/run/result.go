package run

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

//go:embed result.md
var resultText string

// ResultTool hands in a task's result; the other names are those that other
// programs' agent files use for it (agent-system; agent-and-task-orchestration).
const ResultTool = "complete_task"

var resultNames = []string{ResultTool, "submit_result", "yield"}

// How often an agent is helped before its turn fails.
const (
	mostReminders = 3 // that a result is missing
	mostEmpty     = 2 // that the answer is empty
	mostRefusals  = 5 // of results that do not fit
)

// result is the hand-in of one turn.
type result struct {
	schema  func(json.RawMessage) []string // lists what is wrong; nil: anything fits
	raw     json.RawMessage
	given   json.RawMessage // the last one that was handed in, fitting or not
	handed  json.RawMessage // accepted
	failed  string          // the agent says that it cannot
	done    bool
	refused int
}

// wantsResult reports whether the task has a result tool: its schema or its
// definition asks for one.
func wantsResult(sp core.Spec) bool {
	if len(sp.Output) > 0 && string(sp.Output) != "null" {
		return true
	}
	return slices.ContainsFunc(sp.Tools, func(n string) bool { return slices.Contains(resultNames, n) })
}

// newResult compiles the schema, where there is one.
func (o *Options) newResult(raw json.RawMessage) (*result, error) {
	r := &result{raw: raw}
	if len(raw) == 0 || string(raw) == "null" {
		return r, nil
	}
	if o.Schema == nil {
		return nil, &core.Error{Code: core.CodeInternal, Message: "this engine was made without a checker of schemas"}
	}
	var err error
	r.schema, err = o.Schema(raw)
	return r, err
}

// spec is the result tool as the model sees it. Definitions that the schema
// refers to move to the top, where their references look for them.
func (r *result) spec() (core.ToolSpec, error) {
	var inner any = map[string]any{"description": "the whole result"}
	top := map[string]any{"type": "object", "required": []string{"result"}, "additionalProperties": false}
	if r.schema != nil {
		var m map[string]any
		if json.Unmarshal(r.raw, &m) == nil {
			for _, defs := range []string{"$defs", "definitions"} {
				if d, ok := m[defs]; ok {
					top[defs] = d
					delete(m, defs)
				}
			}
			delete(m, "$schema")
			delete(m, "$id")
			inner = m
		} else {
			inner = json.RawMessage(r.raw) // true or false
		}
		top["required"] = []string{}
	}
	top["properties"] = map[string]any{
		"result": inner,
		"status": map[string]any{"type": "string", "enum": []string{"success", "aborted"}},
		"error":  map[string]any{"type": "string", "description": "with status aborted: why it cannot be done"},
	}
	schema, err := json.Marshal(top)
	return core.ToolSpec{Name: ResultTool, Description: strings.TrimSpace(resultText), Schema: schema, Effect: core.Steers, Again: true}, err
}

// hand takes what the model hands in; problem is what is wrong with it.
func (r *result) hand(args json.RawMessage) (problem string) {
	if r.done {
		return "the result has been handed in already"
	}
	var a struct {
		Result json.RawMessage `json:"result"`
		Data   json.RawMessage `json:"data"`
		Status string          `json:"status"`
		Error  string          `json:"error"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		r.refused++
		return "the arguments are no JSON object: " + err.Error()
	}
	if a.Status == "aborted" || a.Error != "" && a.Result == nil && a.Data == nil {
		r.failed, r.done = core.Short(core.Clean(a.Error), 4000), true
		if r.failed == "" {
			r.failed = "the agent gave no reason"
		}
		return ""
	}
	value := a.Result
	if value == nil {
		value = a.Data
	}
	if value == nil || string(value) == "null" && r.schema == nil {
		r.refused++
		return "Missing required argument 'result' for completion."
	}
	r.given = value
	fitting, problem := r.fit(value)
	if problem != "" {
		r.refused++
		return "Output validation failed:\n" + problem
	}
	r.handed, r.done = fitting, true
	return ""
}

// fit checks a value; JSON that was sent as a string is unwrapped where the
// schema wants no string.
func (r *result) fit(value json.RawMessage) (json.RawMessage, string) {
	problem := r.check(value)
	var s string
	if json.Unmarshal(value, &s) != nil {
		return value, problem
	}
	inner := json.RawMessage(strings.TrimSpace(s))
	structured := len(inner) > 0 && (inner[0] == '{' || inner[0] == '[') && json.Valid(inner)
	switch {
	case problem == "" && (r.schema != nil || !structured):
		return value, ""
	case structured && r.check(inner) == "":
		return inner, ""
	}
	return value, problem
}

// check lists everything that is wrong, each with its JSON pointer; "" is none.
func (r *result) check(value json.RawMessage) string {
	if r.schema == nil {
		return ""
	}
	faults := r.schema(value)
	const most = 30
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most], fmt.Sprintf("and %d more", more))
	}
	if len(faults) == 0 {
		return ""
	}
	return "- " + strings.Join(faults, "\n- ")
}

// salvage finds a fitting result in what an agent said instead of handing it
// in: the whole text, or one fenced block of it, is JSON that fits the schema.
func (r *result) salvage(texts []string) bool {
	if r.schema == nil {
		return false
	}
	for _, text := range slices.Backward(texts) {
		for _, part := range append([]string{text}, fenced(text)...) {
			part = strings.TrimSpace(part)
			if !json.Valid([]byte(part)) {
				continue
			}
			if r.check(json.RawMessage(part)) == "" {
				r.handed, r.done = json.RawMessage(part), true
				return true
			}
		}
	}
	return false
}

// fenced are the insides of a text's code blocks.
func fenced(text string) (out []string) {
	parts := strings.Split(text, "```")
	for i := 1; i < len(parts); i += 2 {
		_, body, ok := strings.Cut(parts[i], "\n")
		if ok {
			out = append(out, body)
		}
	}
	return out
}

// handedBefore takes up a hand-in that was accepted by a host that died: the
// rows end with its result.
func (u *turn) handedBefore() bool {
	if u.result == nil {
		return false
	}
	accepted := map[string]bool{}
	for i := len(u.entries) - 1; i >= 0; i-- {
		switch e := u.entries[i]; e.Kind {
		case core.EntryResult:
			accepted[e.CallID] = isResult(e.Tool) && !e.Failed
		case core.EntryAnswer:
			for _, c := range e.Calls {
				if accepted[c.ID] && e.Turn == u.t.Turn && u.result.hand(c.Args) == "" {
					return true
				}
			}
			return false
		case core.EntryMessage, core.EntryNotice, core.EntrySummary:
			return false
		}
	}
	return false
}

// text is the accepted result as people and a parent read it.
func (r *result) text() string {
	var s string
	if json.Unmarshal(r.handed, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Indent(&b, r.handed, "", "  ") != nil {
		return string(r.handed)
	}
	return b.String()
}

// resultTool is the result tool of one turn, for the loop.
type resultTool struct {
	u    *turn
	spec core.ToolSpec
}

func (t resultTool) Spec() core.ToolSpec            { return t.spec }
func (t resultTool) Subject(json.RawMessage) string { return "" }

func (t resultTool) Run(_ context.Context, _ core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	t.u.handing.Lock()
	defer t.u.handing.Unlock()
	r := t.u.result
	if problem := r.hand(args); problem != "" {
		return core.ToolResult{Text: problem, Failed: true}, t.u.o.Registry.Note(t.u.t.ID, core.EvResult, "result refused: "+problem, "")
	}
	if r.failed != "" {
		return core.ToolResult{Text: "noted", End: true}, nil
	}
	return core.ToolResult{Text: r.text(), End: true}, t.u.o.Registry.Note(t.u.t.ID, core.EvResult, t.u.t.Label()+" handed in its result", "")
}
