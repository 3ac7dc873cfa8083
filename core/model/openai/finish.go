package openai

import (
	"encoding/json"

	"drover/core"
	"drover/core/model"
)

// whole takes an answer that was not streamed.
func (d *decoder) whole(body []byte) error {
	var c chunk
	err := json.Unmarshal(body, &c)
	switch {
	case err != nil && body[0] != '[':
		return d.s.Garbage(body)
	case err != nil || !model.Empty(c.Error) || c.Object == "error":
		return d.p.c.Fault(model.ParseProblem(body))
	case len(c.Choices) == 0:
		if p := model.ParseProblem(body); p.Message != "" {
			return d.p.c.Fault(p)
		}
		return d.s.Garbage(body)
	}
	if err := d.chunk(c); err != nil && err != model.Done() {
		return err
	}
	if d.finish == "" && c.Choices[0].Message == nil { // the first of a stream that was cut
		return d.s.Cut()
	}
	return nil
}

// tokens is what was used. Some servers count reasoning in the total only.
func (d *decoder) tokens(name string, sent int, r core.ModelReply) core.Tokens {
	u := d.usage
	if u == nil {
		return d.p.c.Tokens(name, model.Usage{}, sent, r)
	}
	t := d.p.c.Tokens(name, model.Usage{
		In: int64(u.Prompt), Out: int64(max(u.Completion, u.Total-u.Prompt)),
		CacheRead: int64(max(u.Details.Cached, u.CacheHit)), CacheWrite: int64(u.Details.Written),
	}, sent, r)
	if !t.CostKnown && !model.Empty(u.Cost) {
		t.Cost, t.CostKnown = model.Amount(u.Cost), true
	}
	return t
}

// opaque is what the server wants back with the answer.
func (d *decoder) opaque(name string, r core.ModelReply) json.RawMessage {
	var parts []model.Part
	if k := (kept{d.field, d.details.raw()}); (k.Field != "" || k.Details != nil) && len(r.Calls) > 0 {
		if b, err := model.Encode(k); err == nil {
			parts = append(parts, model.Part{Raw: b})
		}
	}
	if r.Text != "" {
		parts = append(parts, model.Part{Text: len(r.Text)})
	}
	for i, c := range d.a.Calls() {
		part := model.CallPart(i+1, c.ID)
		part.Raw = c.Extra
		parts = append(parts, part)
	}
	return model.Layout(d.p.by(), name, parts)
}

// details puts together reasoning that comes in typed pieces (OpenRouter), for
// the server wants the pieces of one kind back as one.
type details struct {
	list []map[string]any
}

func (d *details) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		var p map[string]any
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		var last map[string]any
		if n := len(d.list); n > 0 {
			last = d.list[n-1]
		}
		if last == nil || last["type"] != p["type"] || last["index"] != p["index"] {
			d.list = append(d.list, p)
			continue
		}
		for k, v := range p {
			old, both := last[k].(string)
			s, text := v.(string)
			switch {
			case both && text && (k == "text" || k == "summary" || k == "data" || k == "signature"):
				last[k] = old + s
			case v != nil:
				last[k] = v
			}
		}
	}
}

func (d *details) raw() json.RawMessage {
	if len(d.list) == 0 {
		return nil
	}
	b, err := model.Encode(d.list)
	if err != nil {
		return nil
	}
	return b
}
