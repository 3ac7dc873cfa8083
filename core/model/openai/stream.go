package openai

import (
	"encoding/json"

	"drover/core"
	"drover/core/model"
)

// chunk is one event of a stream, or a whole answer.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
}

type choice struct {
	Index   model.Number    `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"` // instead of delta, where the answer is not streamed
	Finish  string          `json:"finish_reason"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type delta struct {
	Content          json.RawMessage   `json:"content"` // a text, or a list of parts
	ReasoningContent json.RawMessage   `json:"reasoning_content"`
	Reasoning        json.RawMessage   `json:"reasoning"`
	Details          []json.RawMessage `json:"reasoning_details"`
	Refusal          string            `json:"refusal"`
	Calls            []call            `json:"tool_calls"`
	Only             *called           `json:"function_call"` // of servers that know one call only
}

type call struct {
	Index    *model.Number   `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function called          `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type called struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a text, or an object
}

type usage struct {
	Prompt     model.Number    `json:"prompt_tokens"`
	Completion model.Number    `json:"completion_tokens"`
	Total      model.Number    `json:"total_tokens"`
	CacheHit   model.Number    `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cost       json.RawMessage `json:"cost"`                    // OpenRouter, in US dollars
	Details    struct {
		Cached  model.Number `json:"cached_tokens"`
		Written model.Number `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
}

type decoder struct {
	p       *provider
	s       *model.Stream
	a       *model.Answer
	field   string // the name the server has for reasoning; think: it is in the text, between tags
	tags    tags
	details details
	finish  string
	refusal bool
	usage   *usage
	ended   bool
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
	} else if err = s.Each(d.a.More, d.event); err == nil {
		err = d.complete()
	}
	d.undecided()
	d.a.Flush()
	if err != nil {
		return core.ModelReply{}, err
	}
	short := d.finish == "length"
	if err := p.c.Check(d.a, short, d.refusal || d.finish == "content_filter"); err != nil {
		return core.ModelReply{}, err
	}
	r := d.a.Reply(names, short)
	r.Stop = d.finish
	r.Tokens = d.tokens(req.Model, sent, r)
	r.Opaque = d.opaque(req.Model, r)
	return r, nil
}

// complete is the fault of a stream that ended before the answer did. A server
// that says the stream is done without a reason may leave no call half written.
func (d *decoder) complete() error {
	if d.finish != "" {
		return nil
	}
	if !d.ended {
		return d.s.Cut()
	}
	for _, c := range d.a.Calls() {
		if raw := c.Args.String(); raw != "" && !json.Valid([]byte(raw)) {
			return d.s.Cut()
		}
	}
	return nil
}

func (d *decoder) event(name, data []byte) error {
	if text, reasoning, field, ok := quick(data); ok && (reasoning == "" || d.field == "" || d.field == field) {
		d.text(text)
		if reasoning != "" {
			d.field = field
			d.a.Reasoning(reasoning)
		}
		return nil
	}
	if model.IsDone(data) {
		d.ended = true
		return model.Done()
	}
	if model.Pulse(name, data) {
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return d.s.Garbage(data)
	}
	if !model.Empty(c.Error) || string(name) == "error" || c.Object == "error" {
		return d.p.c.Fault(model.ParseProblem(data))
	}
	return d.chunk(c)
}

func (d *decoder) chunk(c chunk) error {
	if c.Usage != nil {
		d.usage = c.Usage
	}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		if !model.Empty(ch.Error) {
			return d.p.c.Fault(model.ParseProblem([]byte(`{"error":` + string(ch.Error) + `}`)))
		}
		switch {
		case ch.Delta != nil: // beside which some repeat all that was said so far as message
			d.delta(ch.Delta)
		case ch.Message != nil:
			d.delta(ch.Message)
		}
		if ch.Usage != nil {
			d.usage = ch.Usage
		}
		if ch.Finish == "error" {
			return d.p.c.Fault(model.Problem{Message: "the server behind it failed in the middle of the answer"})
		}
		if ch.Finish != "" {
			d.finish = ch.Finish
			d.s.Ending()
		}
	}
	if d.finish != "" && c.Usage != nil {
		return model.Done()
	}
	return nil
}

func (d *decoder) delta(m *delta) {
	d.reasoning("reasoning_content", m.ReasoningContent)
	d.reasoning("reasoning", m.Reasoning)
	d.details.add(m.Details)
	d.content(m.Content)
	if m.Refusal != "" {
		d.refusal = true
		d.a.Text(m.Refusal)
	}
	for i := range m.Calls {
		d.call(&m.Calls[i], i == 0)
	}
	if m.Only != nil {
		d.call(&call{Index: new(model.Number), Function: *m.Only}, true)
	}
}

// reasoning takes the first of the two names that comes: some servers send both.
func (d *decoder) reasoning(field string, raw json.RawMessage) {
	if s, ok := model.TextOf(raw); ok && s != "" && (d.field == "" || d.field == field) {
		d.field = field
		d.a.Reasoning(s)
	}
}

// content takes a text, or a list of parts as Mistral's models send it.
func (d *decoder) content(raw json.RawMessage) {
	if s, ok := model.TextOf(raw); ok {
		d.text(s)
		return
	}
	var parts []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &parts) != nil {
		return
	}
	for _, p := range parts {
		d.text(p.Text)
		var thoughts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(p.Thinking, &thoughts) == nil {
			for _, t := range thoughts {
				d.a.Reasoning(t.Text)
			}
		}
	}
}

// quick reads the event that nearly all are: a piece of text or of reasoning and nothing else.
func quick(data []byte) (text, reasoning, field string, ok bool) {
	var choices []byte
	for m := model.MembersOf(data); ; {
		k, v, more := m.Next()
		if !more {
			break
		}
		switch string(k) {
		case "choices":
			choices = v
		case "usage", "error":
			if !model.Empty(v) {
				return "", "", "", false
			}
		}
	}
	one, single := model.OnlyElement(choices)
	if !single {
		return "", "", "", false
	}
	var piece []byte
	for m := model.MembersOf(one); ; {
		k, v, more := m.Next()
		if !more {
			break
		}
		switch string(k) {
		case "delta":
			piece = v
		case "logprobs":
		case "index":
			if string(v) != "0" {
				return "", "", "", false
			}
		default:
			if !model.Empty(v) {
				return "", "", "", false
			}
		}
	}
	for m := model.MembersOf(piece); ; {
		k, v, more := m.Next()
		if !more {
			return text, reasoning, field, ok
		}
		if string(k) == "role" || model.Empty(v) {
			continue
		}
		good := false
		switch string(k) {
		case "content":
			text, good = model.TextOf(v)
		case "reasoning_content", "reasoning":
			if reasoning != "" {
				return "", "", "", false
			}
			field = string(k)
			reasoning, good = model.TextOf(v)
		}
		if ok = good; !ok {
			return "", "", "", false
		}
	}
}
