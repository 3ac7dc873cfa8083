package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"drover/core"
)

// noResult is what a model reads of a call whose result was never written.
const noResult = "interrupted: this call has no result. It may have had an effect; look before you do it again."

// History is the messages of a request in the shape that all wire formats
// agree on: it begins and ends with what the model is told; nothing empty; who wrote a message, where it was not the person;
// the results of an answer's calls directly after it, one each, in its order;
// arguments that are objects; and IDs none of which comes twice, as the
// provider takes them.
func History(msgs []core.Message, ids IDs) []core.Message {
	h := history{out: make([]core.Message, 0, len(msgs)+1), used: make(map[string]bool, len(msgs)/2), ids: ids}
	for i, m := range msgs {
		switch m.Role {
		case core.RoleUser:
			if strings.TrimSpace(m.Text) != "" {
				h.out = append(h.out, core.Message{Role: core.RoleUser, Text: attributed(m)})
			}
		case core.RoleAssistant:
			h.answer(m, msgs[i+1:])
		case core.RoleTool:
			h.orphan(m, msgs[:i])
		}
	}
	if n := len(h.out); n == 0 || h.out[n-1].Role == core.RoleAssistant {
		h.out = append(h.out, core.Message{Role: core.RoleUser, Text: "(continue)"})
	}
	return h.out
}

// IDs says which IDs of calls a provider takes.
type IDs struct {
	Marks string // characters that they may have beside letters and digits
	Exact int    // they have so many letters and digits; 0: at most 40
	By    string // answers that this one packed (see Layout) keep the IDs it gave them
}

type history struct {
	out  []core.Message
	used map[string]bool
	ids  IDs
}

// attributed is a message's text with its sender, where that is not the person.
func attributed(m core.Message) string {
	if m.Sender == "" || m.Sender == core.SenderUser {
		return m.Text
	}
	return "[from " + core.CleanLine(m.Sender) + "] " + m.Text
}

func (h *history) answer(m core.Message, after []core.Message) {
	if strings.TrimSpace(m.Text) == "" {
		m.Text = ""
	}
	if m.Text == "" && len(m.Calls) == 0 {
		return
	}
	if end := slices.IndexFunc(after, func(r core.Message) bool { return r.Role == core.RoleAssistant }); end >= 0 {
		after = after[:end]
	}
	results := map[string]int{}
	for i, r := range after {
		if _, twice := results[r.CallID]; r.Role == core.RoleTool && !twice {
			results[r.CallID] = i
		}
	}
	if len(h.out) == 0 {
		h.out = append(h.out, core.Message{Role: core.RoleUser, Text: "(the beginning of the conversation is left out)"})
	}
	calls := make([]core.ToolCall, len(m.Calls))
	at := len(h.out)
	h.out = append(h.out, m)
	for i, c := range m.Calls {
		id := h.id(c.ID, m)
		calls[i] = core.ToolCall{ID: id, Name: c.Name, Args: object(c.Args)}
		r := core.Message{Role: core.RoleTool, Tool: c.Name, Failed: true, Text: noResult}
		if k, ok := results[c.ID]; ok {
			r = after[k]
		}
		r.CallID = id
		if strings.TrimSpace(r.Text) == "" {
			r.Text = "(no output)"
		}
		h.out = append(h.out, r)
	}
	h.out[at].Calls = calls
}

// orphan keeps, as a note, the result of a call that is not in the history any more.
func (h *history) orphan(m core.Message, before []core.Message) {
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Role != core.RoleAssistant {
			continue
		}
		for _, c := range before[i].Calls {
			if c.ID == m.CallID {
				return // it stands after its call already
			}
		}
		break
	}
	if strings.TrimSpace(m.Text) != "" {
		h.out = append(h.out, core.Message{Role: core.RoleUser, Text: "[result of an earlier call of " + core.CleanLine(m.Tool) + "] " + m.Text})
	}
}

// longestID is how long an ID may be: the least that a provider allows.
const longestID = 40

// id makes an ID that the provider takes and that was not used before: IDs of
// one provider go to another where a session changes its model.
func (h *history) id(id string, m core.Message) string {
	want := id
	switch n := h.ids.Exact; {
	case n > 0 && (len(id) != n || odd(id, "")), n == 0 && odd(id, h.ids.Marks) && (id == "" || !packedBy(m, h.ids.By)):
		want = h.made(id)
	}
	for n := id; h.used[want]; {
		n += "+"
		want = h.made(n)
	}
	h.used[want] = true
	return want
}

func (h *history) made(from string) string {
	if n := h.ids.Exact; n > 0 {
		return digest(from)[:min(n, 20)]
	}
	return "call_" + digest(from)
}

// odd reports whether an ID is none that every provider takes.
func odd(id, marks string) bool {
	return id == "" || len(id) > longestID || strings.ContainsFunc(id, func(r rune) bool { return !alnum(r) && !strings.ContainsRune(marks, r) })
}

func alnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:10])
}

// Names translates between the tools' names and names that every provider
// takes: letters, digits, _ and -, at most 64 of them.
type Names struct{ to, from map[string]string }

// NewNames makes a translation for the tools of a request.
func NewNames(tools []core.ToolSpec) *Names {
	n := &Names{to: map[string]string{}, from: map[string]string{}}
	for _, t := range tools {
		if plainName(t.Name) == t.Name {
			n.to[t.Name], n.from[t.Name] = t.Name, t.Name
		}
	}
	for _, t := range tools {
		if _, done := n.to[t.Name]; done {
			continue
		}
		wire := plainName(t.Name)
		if _, taken := n.from[wire]; taken {
			wire = wire[:min(len(wire), 50)] + "_" + digest(t.Name)[:8]
		}
		n.to[t.Name], n.from[wire] = wire, t.Name
	}
	return n
}

// To is the name on the wire.
func (n *Names) To(name string) string {
	if w, ok := n.to[name]; ok {
		return w
	}
	return plainName(name) // a tool of earlier, or one that never was
}

// From is the tool of a name on the wire.
func (n *Names) From(wire string) string {
	for _, with := range []string{"", "functions.", "default_api.", "default_api:"} { // as models call them that were taught so
		if t, ok := n.from[strings.TrimPrefix(wire, with)]; ok {
			return t
		}
	}
	return wire
}

func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if alnum(r) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "unnamed"
	}
	if len(s) > 64 {
		return s[:55] + "_" + digest(s)[:8]
	}
	return s
}
