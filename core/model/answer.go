package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"drover/core"
)

// Answer gathers an answer while it streams in, and passes on what is new
// each time that all that had arrived is used up: a reader that has fallen
// behind makes one piece of many.
type Answer struct {
	on              func(core.Delta)
	text, reasoning strings.Builder
	sentText        int
	sentReasoning   int
	calls           []*Call
}

// Call is a tool call while it streams in.
type Call struct {
	Key   string // what the wire calls it by within the answer
	ID    string
	Name  string
	Args  strings.Builder
	Extra json.RawMessage // what the provider wants back with it
}

// NewAnswer begins an answer whose pieces go to on.
func NewAnswer(on func(core.Delta)) *Answer { return &Answer{on: on} }

// Text adds to the text.
func (a *Answer) Text(s string) { a.text.WriteString(s) }

// Reasoning adds to the reasoning.
func (a *Answer) Reasoning(s string) { a.reasoning.WriteString(s) }

// ReasoningLen is how much reasoning there is, in bytes.
func (a *Answer) ReasoningLen() int { return a.reasoning.Len() }

// Flush passes on what is new.
func (a *Answer) Flush() {
	text, reasoning := a.text.String(), a.reasoning.String()
	d := core.Delta{Text: text[a.sentText:], Reasoning: reasoning[a.sentReasoning:]}
	if d == (core.Delta{}) {
		return
	}
	a.sentText, a.sentReasoning = len(text), len(reasoning)
	a.on(d)
}

// More passes on what is new, while there may be more of it.
func (a *Answer) More() error {
	a.Flush()
	size := a.text.Len() + a.reasoning.Len()
	for _, c := range a.calls {
		size += c.Args.Len()
	}
	if size > mostAnswer {
		return errEndless
	}
	return nil
}

// mostAnswer is how many bytes an answer may have: a model that goes on for ever would fill the memory.
const mostAnswer = 32 << 20

// Call returns the call of that key, new where there is none.
func (a *Answer) Call(key string) *Call {
	for _, c := range a.calls {
		if c.Key == key {
			return c
		}
	}
	c := &Call{Key: key}
	a.calls = append(a.calls, c)
	return c
}

// Calls are the calls so far.
func (a *Answer) Calls() []*Call { return a.calls }

// Empty reports whether the answer says and does nothing.
func (a *Answer) Empty() bool {
	return len(a.calls) == 0 && strings.TrimSpace(a.text.String()) == ""
}

// Reply is the whole answer. Each call gets an ID of its own where it has
// none; short says that the answer hit its limit of length, so that the last
// call may be half of one.
func (a *Answer) Reply(names *Names, short bool) core.ModelReply {
	a.Flush()
	r := core.ModelReply{Text: a.text.String(), Reasoning: a.reasoning.String()}
	used := map[string]bool{}
	for i, c := range a.calls {
		if c.ID == "" || used[c.ID] {
			c.ID = "call_" + strings.ToLower(rand.Text()[:20])
		}
		used[c.ID] = true
		raw := c.Args.String()
		args := Arguments(raw)
		if short && i == len(a.calls)-1 && strings.TrimSpace(raw) == "" {
			args = json.RawMessage(`""`) // nothing of its arguments came: no call without any
		}
		r.Calls = append(r.Calls, core.ToolCall{ID: c.ID, Name: names.From(c.Name), Args: args})
	}
	return r
}

// Arguments makes what a model wrote as arguments into JSON: an object as it
// is, one within a text unwrapped, nothing as an object without members. What
// cannot be read becomes a JSON text of it, which no tool takes for arguments.
func Arguments(raw string) json.RawMessage {
	b := bytes.TrimSpace([]byte(raw))
	if Empty(b) {
		return json.RawMessage("{}")
	}
	if json.Valid(b) {
		if inner, ok := TextOf(b); ok {
			if t := bytes.TrimSpace([]byte(inner)); len(t) > 0 && t[0] == '{' && json.Valid(t) {
				return t
			}
		}
		return b
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return json.RawMessage("{}") // a Go string always is one in JSON
	}
	return text
}

// object makes arguments into a JSON object, for providers that take nothing
// else in a history.
func object(args json.RawMessage) json.RawMessage {
	b := bytes.TrimSpace(args)
	if len(b) > 0 && b[0] == '{' && json.Valid(b) {
		return b
	}
	if Empty(b) {
		return json.RawMessage("{}")
	}
	text, ok := TextOf(b)
	if !ok {
		text = string(b)
	}
	out, err := json.Marshal(map[string]string{"not_json": text})
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}
