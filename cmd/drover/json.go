package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"drover/core"
)

// emit writes one JSON value, indented.
func (a *app) emit(v any) error {
	b, err := encode(v, "  ")
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

// emitLine writes one JSON value on a line of its own.
func (a *app) emitLine(v any) error {
	b, err := encode(v, "")
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return escapeControls(b.Bytes()), nil
}

// escapeControls writes what encoding/json leaves bare (DEL, C1 controls, bidi
// and other invisible characters) as \u escapes: the value stays the same, and
// a terminal that shows the JSON stays whole.
func escapeControls(in []byte) []byte {
	if !bytes.ContainsFunc(in, hidden) {
		return in
	}
	out := make([]byte, 0, len(in)+64)
	for len(in) > 0 {
		r, n := utf8.DecodeRune(in)
		switch {
		case !hidden(r):
			out = append(out, in[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		in = in[n:]
	}
	return out
}

func hidden(r rune) bool {
	return r >= 0x7f && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r >= 0xe0000 && r < 0xe1000)
}

// when is a time as JSON has it: RFC 3339 in UTC, null where not yet.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// raw passes JSON through; what a model wrote that is none becomes a string.
func raw(b json.RawMessage) any {
	switch {
	case len(b) == 0:
		return nil
	case json.Valid(b):
		return b
	}
	return string(b)
}

type requestJSON struct {
	ID        string            `json:"id"`
	Session   string            `json:"session"`
	Task      string            `json:"task"`
	Kind      core.RequestKind  `json:"kind"`
	State     core.RequestState `json:"state"`
	Delivery  core.Delivery     `json:"delivery"`
	Scope     string            `json:"scope"`
	Ref       string            `json:"ref"`
	Sender    string            `json:"sender"`
	Text      string            `json:"text"`
	Outcome   any               `json:"outcome"` // the reason of a refusal; the receipt of a cancel
	Turn      int               `json:"turn"`
	Created   *time.Time        `json:"created"`
	Delivered *time.Time        `json:"delivered"`
	Done      *time.Time        `json:"done"`
}

func ofRequest(r core.Request) requestJSON {
	j := requestJSON{core.RequestRef(r.ID), r.Session, r.Task, r.Kind, r.State, r.Delivery, r.Scope, r.Ref, r.Sender,
		r.Text, r.Outcome, r.Turn, when(r.Created), when(r.Delivered), when(r.Done)}
	if r.Kind == core.ReqCancel && json.Valid([]byte(r.Outcome)) {
		j.Outcome = json.RawMessage(r.Outcome)
	}
	return j
}

type approvalJSON struct {
	ID      string             `json:"id"`
	Session string             `json:"session"`
	Task    string             `json:"task"`
	Tool    string             `json:"tool"`
	Subject string             `json:"subject"`
	Args    any                `json:"args"`
	State   core.ApprovalState `json:"state"`
	Scope   string             `json:"scope"`
	Reason  string             `json:"reason"`
	By      string             `json:"by"`
	Created *time.Time         `json:"created"`
	Decided *time.Time         `json:"decided"`
}

func ofApproval(p core.Approval) approvalJSON {
	return approvalJSON{core.ApprovalRef(p.ID), p.Session, p.Task, p.Tool, p.Subject, raw(p.Args), p.State, p.Scope, p.Reason, p.By,
		when(p.Created), when(p.Decided)}
}

type eventJSON struct {
	Seq     int64          `json:"seq"`
	At      *time.Time     `json:"at"`
	Session string         `json:"session"`
	Task    string         `json:"task"`
	Kind    core.EventKind `json:"kind"`
	Text    string         `json:"text"`
	Ref     string         `json:"ref"`
}

func ofEvent(e core.Event) eventJSON {
	return eventJSON{e.Seq, when(e.At), e.Session, e.Task, e.Kind, e.Text, e.Ref}
}

type callJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args any    `json:"args"`
}

type entryJSON struct {
	Task      string         `json:"task"`
	Seq       int64          `json:"seq"`
	Turn      int            `json:"turn"`
	Step      int            `json:"step"`
	Kind      core.EntryKind `json:"kind"`
	At        *time.Time     `json:"at"`
	Sender    string         `json:"sender"`
	Delivery  core.Delivery  `json:"delivery"`
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning"`
	Calls     []callJSON     `json:"calls"`
	CallID    string         `json:"call_id"`
	Tool      string         `json:"tool"`
	Failed    bool           `json:"failed"`
	TookMS    int64          `json:"took_ms"`
	Full      string         `json:"full"`
	TokensIn  int64          `json:"tokens_in"`
	TokensOut int64          `json:"tokens_out"`
}

func ofEntry(e core.Entry) entryJSON {
	return entryJSON{e.Task, e.Seq, e.Turn, e.Step, e.Kind, when(e.At), e.Sender, e.Delivery, e.Text, e.Reasoning,
		each(e.Calls, func(c core.ToolCall) callJSON { return callJSON{c.ID, c.Name, raw(c.Args)} }),
		e.CallID, e.Tool, e.Failed, e.Took.Milliseconds(), e.Full, e.Tokens.In, e.Tokens.Out}
}

type turnJSON struct {
	N         int        `json:"n"`
	Sender    string     `json:"sender"`
	Prompt    string     `json:"prompt"`
	Response  string     `json:"response"`
	Started   *time.Time `json:"started"`
	Ended     *time.Time `json:"ended"`
	ToolCalls int        `json:"tool_calls"`
	Result    any        `json:"result"`      // what was handed in, or null
	Full      string     `json:"output_path"` // of the whole response, where it was cut
	Partial   bool       `json:"partial"`     // it was stopped: the response is what there was
	Code      core.Code  `json:"code"`        // why it was stopped or cut
}

func ofTurn(t core.Turn) turnJSON {
	return turnJSON{t.N, t.Sender, t.Prompt, t.Response, when(t.Started), when(t.Ended), t.ToolCalls,
		raw(t.Result), t.Full, t.Partial, t.Code}
}

// detailJSON is a task object with what surrounds the task.
type detailJSON struct {
	core.TaskView
	Why       string          `json:"why"` // the state it is in, in plain words
	Prompt    string          `json:"prompt"`
	System    string          `json:"system"`
	Tools     []string        `json:"tools"` // null: every tool
	Output    any             `json:"output"`
	Turns     []turnJSON      `json:"turns"`
	Requests  []requestJSON   `json:"requests"`
	Approvals []approvalJSON  `json:"approvals"`
	Children  []core.TaskView `json:"children"`
}

func ofDetail(d core.Detail, now time.Time) detailJSON {
	return detailJSON{d.Task, d.Why(now), d.Spec.Prompt, d.Spec.System, d.Spec.Tools, raw(d.Spec.Output),
		each(d.Turns, ofTurn), each(d.Requests, ofRequest), each(d.Approvals, ofApproval), list(d.Children)}
}

// each converts a list; an empty one stays [] in JSON.
func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, x := range in {
		out = append(out, f(x))
	}
	return out
}

func list[A any](in []A) []A {
	if in == nil {
		return []A{}
	}
	return in
}
