package model

import (
	"encoding/json"

	"drover/core"
)

// Part is one piece of an answer, in the order the provider gave them: one of
// its own that it wants back unchanged, a piece of the text, or a call.
type Part struct {
	Raw  json.RawMessage `json:"raw,omitempty"`  // the provider's own; of text and calls what it wants back beside them
	Text int             `json:"text,omitempty"` // how many bytes of the text
	Call int             `json:"call,omitempty"` // which call, the first is 1
	Own  bool            `json:"own,omitempty"`  // the call's ID is one that only this provider understands
}

type layout struct {
	By    string `json:"by"`
	Model string `json:"model"`
	Parts []Part `json:"parts"`
}

// Layout packs what a provider wants back of an answer into core's Opaque; nil
// where that is nothing. by names provider and wire format, for none other
// understands it.
func Layout(by, model string, parts []Part) json.RawMessage {
	own := false
	for _, p := range parts {
		own = own || len(p.Raw) > 0 || p.Own
	}
	if !own {
		return nil
	}
	b, err := json.Marshal(layout{by, model, parts})
	if err != nil {
		return nil // a part that is no JSON cannot be sent back either
	}
	return b
}

// CallPart is the part of the n-th call, the first is 1.
func CallPart(n int, id string) Part { return Part{Call: n, Own: odd(id, "_-")} }

// packedBy reports whether Layout packed the message for that provider.
func packedBy(m core.Message, by string) bool {
	var l layout
	return len(m.Opaque) > 0 && json.Unmarshal(m.Opaque, &l) == nil && l.By == by
}

// LayoutOf unpacks what Layout has packed, where the same provider and model
// did. Of another's answer, or where text and calls have changed since, it
// returns text and calls alone; the parts always cover both exactly.
func LayoutOf(m core.Message, by, model string) []Part {
	var l layout
	if len(m.Opaque) > 0 && json.Unmarshal(m.Opaque, &l) == nil && l.By == by && l.Model == model {
		if whole(l.Parts, m) {
			return l.Parts
		}
		var own []Part
		for _, p := range l.Parts {
			if p.Text == 0 && p.Call == 0 {
				own = append(own, p)
			}
		}
		return append(own, simple(m)...)
	}
	return simple(m)
}

// whole reports whether the parts cover the message's text and calls, in order.
func whole(parts []Part, m core.Message) bool {
	text, calls := 0, 0
	for _, p := range parts {
		if p.Text < 0 {
			return false
		}
		text += p.Text
		if p.Call > 0 {
			if calls++; p.Call != calls {
				return false
			}
		}
	}
	return text == len(m.Text) && calls == len(m.Calls)
}

func simple(m core.Message) []Part {
	var out []Part
	if m.Text != "" {
		out = append(out, Part{Text: len(m.Text)})
	}
	for i := range m.Calls {
		out = append(out, Part{Call: i + 1})
	}
	return out
}
