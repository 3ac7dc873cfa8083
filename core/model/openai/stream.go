package openai

import (
	"encoding/json"
	"strconv"

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
}

type call struct {
	Index    *model.Number   `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a text, or an object
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
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
	field   string // the name the server has for reasoning
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
	} else if err = s.Each(d.a.Flush, d.event); err == nil {
		err = d.complete()
	}
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
		d.a.Text(text)
		if reasoning != "" {
			d.field = field
			d.a.Reasoning(reasoning)
		}
		return nil
	}
	if string(data) == "[DONE]" {
		d.ended = true
		return model.Done()
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
		for _, piece := range []*delta{ch.Delta, ch.Message} {
			if piece != nil {
				d.delta(piece)
			}
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
		d.call(&m.Calls[i])
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
		d.a.Text(s)
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
		d.a.Text(p.Text)
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

// call takes a piece of a tool call. Servers number them, name them, both or
// neither; all of a call may come at once, and all calls under one number.
func (d *decoder) call(c *call) {
	id, ok := model.TextOf(c.ID)
	if !ok && !model.Empty(c.ID) {
		id = string(c.ID) // a number
	}
	to := d.target(c.Index, id, c.Function.Name)
	if id != "" {
		to.ID = id
	}
	if n := c.Function.Name; n != "" && n != to.Name {
		to.Name += n
	}
	if !model.Empty(c.Extra) {
		to.Extra = c.Extra
	}
	if s, ok := model.TextOf(c.Function.Arguments); ok {
		to.Args.WriteString(s)
	} else if raw := c.Function.Arguments; len(raw) > 0 && raw[0] == '{' {
		to.Args.Write(raw)
	}
}

// target finds the call that a piece belongs to, or begins one.
func (d *decoder) target(index *model.Number, id, name string) *model.Call {
	calls := d.a.Calls()
	fresh := func() *model.Call { return d.a.Call("#" + strconv.Itoa(len(calls))) }
	var at *model.Call
	if index != nil {
		prefix := strconv.Itoa(int(*index))
		for _, c := range calls { // the last of that number
			if c.Key == prefix || len(c.Key) > len(prefix) && c.Key[:len(prefix)+1] == prefix+"/" {
				at = c
			}
		}
		if at == nil {
			return d.a.Call(prefix)
		}
		fresh = func() *model.Call { return d.a.Call(prefix + "/" + strconv.Itoa(len(calls))) }
	} else {
		for _, c := range calls {
			if id != "" && c.ID == id {
				return c
			}
		}
		if len(calls) == 0 || id != "" {
			return fresh()
		}
		at = calls[len(calls)-1]
	}
	switch {
	case id != "" && at.ID != "" && id != at.ID:
		return fresh()
	case id == "" && name != "" && at.Name != "" && json.Valid([]byte(at.Args.String())):
		return fresh()
	}
	return at
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
