package anthropic

import (
	"encoding/json"
	"strconv"
	"strings"

	"drover/core"
	"drover/core/model"
)

// event is every event of a stream in one.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *whole          `json:"message"`
	Block   *content        `json:"content_block"`
	Delta   *delta          `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// whole is a message that is not streamed, or the beginning of one that is.
type whole struct {
	Type    string          `json:"type"`
	Content []content       `json:"content"`
	Stop    string          `json:"stop_reason"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
}

type delta struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	JSON      string `json:"partial_json"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Stop      string `json:"stop_reason"`
}

type usage struct {
	In         *model.Number `json:"input_tokens"`
	Out        *model.Number `json:"output_tokens"`
	CacheRead  *model.Number `json:"cache_read_input_tokens"`
	CacheWrite *model.Number `json:"cache_creation_input_tokens"`
}

// piece is one block of the answer as it grows.
type piece struct {
	content
	text     int  // bytes
	begun    bool // its beginning has come
	call     *model.Call
	thinking strings.Builder
}

type decoder struct {
	p      *provider
	s      *model.Stream
	a      *model.Answer
	pieces []*piece
	index  map[int]*piece
	stop   string
	plain  usage // In without the cache's share, as the wire has it
	ended  bool
}

func (p *provider) answer(s *model.Stream, req core.ModelRequest, sent int, names *model.Names, on func(core.Delta)) (core.ModelReply, error) {
	defer s.Close()
	d := &decoder{p: p, s: s, a: model.NewAnswer(on), index: map[int]*piece{}}
	body, err := s.Whole()
	if err != nil {
		return core.ModelReply{}, err
	}
	if body != nil {
		err = d.whole(body)
	} else if err = s.Each(d.a.More, d.event); err == nil && !d.ended && d.stop == "" {
		err = s.Cut()
	}
	d.a.Flush()
	if err != nil {
		return core.ModelReply{}, err
	}
	short := d.stop == "max_tokens"
	if d.stop == "model_context_window_exceeded" {
		return core.ModelReply{}, p.c.Unfinished(model.ClassContextTooLong, "the answer did not fit into the model's context", "compact the conversation, or choose a model with a larger context (drover models)")
	}
	if err := p.c.Check(d.a, short, d.stop == "refusal"); err != nil {
		return core.ModelReply{}, err
	}
	d.lateInput()
	r := d.a.Reply(names, short)
	r.Stop = d.stop
	r.Tokens = p.c.Tokens(req.Model, d.plain.sum(), sent, r)
	r.Opaque = model.Layout(p.by(), req.Model, d.parts())
	return r, nil
}

// event takes one event: a piece of text without decoding the rest of it.
func (d *decoder) event(name, data []byte) error {
	if i, text, ok := quick(data); ok {
		p := d.piece(i, "text")
		p.text += len(text)
		d.a.Text(text)
		return nil
	}
	if model.Pulse(name, data) {
		return nil
	}
	if model.IsDone(data) { // of servers that speak Chat Completions too
		d.ended = true
		return model.Done()
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return d.s.Garbage(data)
	}
	if e.Type == "" {
		e.Type = string(name)
	}
	if !model.Empty(e.Error) {
		e.Type = "error"
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.plain.add(e.Message.Usage)
		}
	case "content_block_start":
		if e.Block != nil {
			d.begin(e.Index, *e.Block)
		}
	case "content_block_delta":
		if e.Delta != nil {
			d.delta(e.Index, *e.Delta)
		}
	case "message_delta":
		if e.Delta != nil && e.Delta.Stop != "" {
			d.stop = e.Delta.Stop
			d.s.Ending()
		}
		d.plain.add(e.Usage)
	case "message_stop":
		d.ended = true
		return model.Done()
	case "error":
		return d.p.c.Fault(model.ParseProblem(data))
	}
	return nil // a ping, or something that newer servers send
}

// quick reads the event that nearly all are: a piece of text.
func quick(data []byte) (index int, text string, ok bool) {
	m := model.MembersOf(data)
	var piece []byte
	for {
		k, v, more := m.Next()
		if !more {
			break
		}
		switch string(k) {
		case "type":
			if string(v) != `"content_block_delta"` {
				return 0, "", false
			}
		case "index":
			var err error
			if index, err = strconv.Atoi(string(v)); err != nil {
				return 0, "", false
			}
		case "delta":
			piece = v
		}
	}
	d := model.MembersOf(piece)
	kind := false
	for {
		k, v, more := d.Next()
		if !more {
			return index, text, ok && kind
		}
		switch string(k) {
		case "type":
			kind = string(v) == `"text_delta"`
		case "text":
			text, ok = model.TextOf(v)
		}
	}
}

// piece is the block of that index, begun now where its beginning was left out.
func (d *decoder) piece(i int, kind string) *piece {
	p := d.index[i]
	if p == nil {
		p = &piece{content: content{Type: kind}}
		d.index[i] = p
		d.pieces = append(d.pieces, p)
	}
	return p
}

func (d *decoder) begin(i int, c content) {
	if p := d.index[i]; p != nil && p.begun { // a server that gives all blocks one number, or none
		delete(d.index, i)
	}
	p := d.piece(i, c.Type)
	p.content, p.begun = c, true
	switch c.Type {
	case "text":
		p.text += len(c.Text)
		d.a.Text(c.Text)
	case "thinking":
		p.thinking.WriteString(c.Thinking)
		d.a.Reasoning(c.Thinking)
	case "tool_use":
		p.call = d.a.Call(strconv.Itoa(len(d.pieces)))
		p.call.ID, p.call.Name = c.ID, c.Name
	}
}

func (d *decoder) delta(i int, e delta) {
	switch e.Type {
	case "text_delta":
		p := d.piece(i, "text")
		p.text += len(e.Text)
		d.a.Text(e.Text)
	case "thinking_delta":
		p := d.piece(i, "thinking")
		p.thinking.WriteString(e.Thinking)
		d.a.Reasoning(e.Thinking)
	case "signature_delta":
		d.piece(i, "thinking").Signature += e.Signature
	case "input_json_delta":
		if p := d.piece(i, "tool_use"); p.call != nil {
			p.call.Args.WriteString(e.JSON)
		}
	}
}

// whole takes a message that was not streamed.
func (d *decoder) whole(body []byte) error {
	var w whole
	if err := json.Unmarshal(body, &w); err != nil || w.Type != "message" && w.Content == nil {
		if w.Type == "error" || !model.Empty(w.Error) {
			return d.p.c.Fault(model.ParseProblem(body))
		}
		return d.s.Garbage(body)
	}
	for i, c := range w.Content {
		d.begin(i, c)
	}
	d.stop = w.Stop
	d.plain.add(w.Usage)
	return nil
}

// lateInput gives calls the arguments that came with their beginning, where none followed.
func (d *decoder) lateInput() {
	for _, p := range d.pieces {
		if p.call != nil && p.call.Args.Len() == 0 && !model.Empty(p.Input) {
			p.call.Args.Write(p.Input)
		}
	}
}

// parts is the order of the answer's blocks, with what must go back unchanged.
func (d *decoder) parts() []model.Part {
	var out []model.Part
	calls := 0
	for _, p := range d.pieces {
		switch p.Type {
		case "text":
			if p.text > 0 {
				out = append(out, model.Part{Text: p.text})
			}
		case "tool_use":
			if p.call != nil {
				calls++
				out = append(out, model.CallPart(calls, p.call.ID))
			}
		case "thinking":
			raw := map[string]string{"type": "thinking", "thinking": p.thinking.String(), "signature": p.Signature}
			if b, err := model.Encode(raw); err == nil {
				out = append(out, model.Part{Raw: b})
			}
		case "redacted_thinking":
			if b, err := model.Encode(map[string]string{"type": p.Type, "data": p.Data}); err == nil {
				out = append(out, model.Part{Raw: b})
			}
		}
	}
	return out
}

// add takes over what is said. Counts grow; some servers say 0 where they mean "as before".
func (u *usage) add(n *usage) {
	if n == nil {
		return
	}
	for _, f := range []struct{ to, from **model.Number }{{&u.In, &n.In}, {&u.Out, &n.Out}, {&u.CacheRead, &n.CacheRead}, {&u.CacheWrite, &n.CacheWrite}} {
		if *f.from != nil && (*f.to == nil || **f.from > **f.to) {
			*f.to = *f.from
		}
	}
}

func (u *usage) sum() model.Usage {
	n := func(p *model.Number) int64 {
		if p == nil {
			return 0
		}
		return int64(*p)
	}
	return model.Usage{In: n(u.In) + n(u.CacheRead) + n(u.CacheWrite), Out: n(u.Out), CacheRead: n(u.CacheRead), CacheWrite: n(u.CacheWrite)}
}
