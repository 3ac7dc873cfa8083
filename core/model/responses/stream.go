package responses

import (
	"encoding/json"
	"strconv"

	"drover/core"
	"drover/core/model"
)

// event is every event of a stream in one.
type event struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Item     json.RawMessage `json:"item"`
	Delta    string          `json:"delta"`
	Text     string          `json:"text"`
	Args     string          `json:"arguments"`
	Response *response       `json:"response"`
}

type response struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

type usage struct {
	In      model.Number `json:"input_tokens"`
	Out     model.Number `json:"output_tokens"`
	Details struct {
		Cached  model.Number `json:"cached_tokens"`
		Written model.Number `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
}

// output is one item of an answer.
type output struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Phase     string          `json:"phase"`
	Encrypted string          `json:"encrypted_content"`
	Summary   json.RawMessage `json:"summary"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// piece is one item of the answer as it grows.
type piece struct {
	output
	index int
	text  int // bytes
	call  *model.Call
	raw   json.RawMessage // of an item of reasoning that is complete
}

type decoder struct {
	p       *provider
	s       *model.Stream
	a       *model.Answer
	pieces  []*piece
	final   *response
	refusal bool
	spaced  bool // a summary has several paragraphs
}

func (p *provider) answer(s *model.Stream, req core.ModelRequest, sent int, names *model.Names, on func(core.Delta)) (core.ModelReply, error) {
	defer s.Close()
	d := &decoder{p: p, s: s, a: model.NewAnswer(on)}
	body, err := s.Whole()
	if err != nil {
		return core.ModelReply{}, err
	}
	if body != nil {
		err = d.whole(body)
	} else if err = s.Each(d.a.More, d.event); err == nil && d.final == nil {
		err = s.Cut()
	}
	d.a.Flush()
	if err != nil {
		return core.ModelReply{}, err
	}
	d.missed()
	short := d.final.Incomplete.Reason == "max_output_tokens"
	if err := p.c.Check(d.a, short, d.refusal || d.final.Incomplete.Reason == "content_filter"); err != nil {
		return core.ModelReply{}, err
	}
	r := d.a.Reply(names, short)
	r.Stop = d.final.Status
	if why := d.final.Incomplete.Reason; why != "" {
		r.Stop += ": " + why
	}
	var u model.Usage
	if n := d.final.Usage; n != nil {
		u = model.Usage{In: int64(n.In), Out: int64(n.Out), CacheRead: int64(n.Details.Cached), CacheWrite: int64(n.Details.Written)}
	}
	r.Tokens = p.c.Tokens(req.Model, u, sent, r)
	r.Opaque = model.Layout(p.by(), req.Model, d.parts())
	return r, nil
}

// event takes one event: a piece of text without decoding the rest of it.
func (d *decoder) event(name, data []byte) error {
	if i, text, ok := quick(data); ok {
		p := d.piece(i, "message")
		p.text += len(text)
		d.a.Text(text)
		return nil
	}
	if model.IsDone(data) {
		return model.Done()
	}
	if model.Pulse(name, data) {
		return nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return d.s.Garbage(data)
	}
	if e.Type == "" {
		e.Type = string(name)
	}
	switch e.Type {
	case "response.output_text.delta":
		p := d.piece(e.Index, "message")
		p.text += len(e.Delta)
		d.a.Text(e.Delta)
	case "response.refusal.delta":
		d.refusal = true
		p := d.piece(e.Index, "message")
		p.text += len(e.Delta)
		d.a.Text(e.Delta)
	case "response.reasoning_summary_part.added":
		d.spaced = true
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.reason(e.Delta)
	case "response.output_item.added", "response.output_item.done":
		return d.item(e.Index, e.Item, e.Type == "response.output_item.done")
	case "response.function_call_arguments.delta":
		if c := d.piece(e.Index, "function_call").call; c != nil {
			c.Args.WriteString(e.Delta)
		}
	case "response.function_call_arguments.done":
		if c := d.piece(e.Index, "function_call").call; c != nil && e.Args != "" {
			c.Args.Reset()
			c.Args.WriteString(e.Args)
		}
	case "response.completed", "response.incomplete":
		if e.Response == nil {
			return d.s.Garbage(data)
		}
		d.final = e.Response
		return model.Done()
	case "response.failed":
		if e.Response != nil && !model.Empty(e.Response.Error) {
			return d.p.c.Fault(model.ParseProblem([]byte(`{"error":` + string(e.Response.Error) + `}`)))
		}
		return d.p.c.Fault(model.Problem{Message: "the answer failed"})
	case "error":
		return d.p.c.Fault(model.ParseProblem(data))
	}
	return nil
}

// quick reads the event that nearly all are: a piece of text.
func quick(data []byte) (index int, text string, ok bool) {
	kind := false
	for m := model.MembersOf(data); ; {
		k, v, more := m.Next()
		if !more {
			return index, text, ok && kind
		}
		switch string(k) {
		case "type":
			if kind = string(v) == `"response.output_text.delta"`; !kind {
				return 0, "", false
			}
		case "output_index":
			var err error
			if index, err = strconv.Atoi(string(v)); err != nil {
				return 0, "", false
			}
		case "delta":
			text, ok = model.TextOf(v)
		}
	}
}

func (d *decoder) reason(s string) {
	if d.spaced && d.a.ReasoningLen() > 0 {
		d.a.Reasoning("\n\n")
	}
	d.spaced = false
	d.a.Reasoning(s)
}

// piece is the item of that index, begun now where its beginning was left out.
func (d *decoder) piece(i int, kind string) *piece {
	for _, p := range d.pieces {
		if p.index == i {
			return p
		}
	}
	p := &piece{index: i, output: output{Type: kind}}
	if kind == "function_call" {
		p.call = d.newCall()
	}
	d.pieces = append(d.pieces, p)
	return p
}

// newCall begins a call; which item it is, its piece knows.
func (d *decoder) newCall() *model.Call { return d.a.Call(strconv.Itoa(len(d.a.Calls()))) }

// item takes an item as it begins or as it is at its end.
func (d *decoder) item(i int, raw json.RawMessage, done bool) error {
	var o output
	if err := json.Unmarshal(raw, &o); err != nil {
		return d.s.Garbage(raw)
	}
	p := d.piece(i, o.Type)
	if p.ID != "" && o.ID != "" && p.ID != o.ID { // a server that gives all items one number: the newest has it
		p.index = -1
		p = d.piece(i, o.Type)
	}
	p.output = o
	switch o.Type {
	case "function_call":
		if p.call == nil {
			p.call = d.newCall()
		}
		p.call.ID, p.call.Name = o.CallID, o.Name
		if o.Arguments != "" {
			p.call.Args.Reset()
			p.call.Args.WriteString(o.Arguments)
		}
	case "message":
		if done && p.text == 0 { // its text was not streamed
			for _, c := range o.Content {
				d.refusal = d.refusal || c.Refusal != ""
				p.text += len(c.Text) + len(c.Refusal)
				d.a.Text(c.Text + c.Refusal)
			}
		}
	case "reasoning":
		if done {
			p.raw = kept(o)
		}
	}
	return nil
}

// kept is an item of reasoning as it is sent back: by its content, for the
// server keeps nothing. Without that it cannot be.
func kept(o output) json.RawMessage {
	if o.Encrypted == "" {
		return nil
	}
	summary := o.Summary
	if model.Empty(summary) {
		summary = json.RawMessage("[]")
	}
	b, err := model.Encode(map[string]any{"type": "reasoning", "summary": summary, "encrypted_content": o.Encrypted})
	if err != nil {
		return nil
	}
	return b
}

// missed takes what only the end of the stream told.
func (d *decoder) missed() {
	if len(d.pieces) > 0 {
		return
	}
	for i, raw := range d.final.Output {
		if d.item(i, raw, true) != nil {
			return
		}
	}
}

// whole takes an answer that was not streamed.
func (d *decoder) whole(body []byte) error {
	var r response
	if err := json.Unmarshal(body, &r); err != nil && body[0] != '[' {
		return d.s.Garbage(body)
	} else if err != nil || !model.Empty(r.Error) {
		return d.p.c.Fault(model.ParseProblem(body))
	}
	if r.Output == nil {
		return d.s.Garbage(body)
	}
	d.final = &r
	return nil
}

// parts is the order of the answer's items, with what must go back unchanged.
func (d *decoder) parts() []model.Part {
	var out []model.Part
	calls := 0
	for _, p := range d.pieces {
		switch {
		case p.call != nil:
			calls++
			out = append(out, model.CallPart(calls, p.call.ID))
		case p.text > 0:
			part := model.Part{Text: p.text}
			if p.Phase != "" {
				if b, err := model.Encode(beside{p.Phase}); err == nil {
					part.Raw = b
				}
			}
			out = append(out, part)
		case p.raw != nil:
			out = append(out, model.Part{Raw: p.raw})
		}
	}
	return out
}
