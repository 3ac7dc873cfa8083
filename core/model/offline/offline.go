package offline

import (
	"context"

	"drover/core"
)

// Name is the provider's part of "provider/model": the model is "offline/rules".
const Name = "offline"

const defaultPace = 240 // characters per second

// Options of the model. The zero value is good.
type Options struct {
	// Pace is how many characters per second a paced answer arrives at (only
	// where the request's Task.Pace is set); 0 means 240. A long answer goes
	// faster, so that none takes much more than eight seconds.
	Pace int
}

// New makes the model. It is safe for use by many goroutines at once.
func New(o Options) core.Model {
	if o.Pace <= 0 {
		o.Pace = defaultPace
	}
	return &model{pace: o.Pace, say: loadPhrases()}
}

type model struct {
	pace int
	say  phrases
}

// Stream answers req. It fails only when ctx ends, with its cause, or when the
// prompt asks for a failure (CodeModel).
func (m *model) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	if err := context.Cause(ctx); err != nil {
		return core.ModelReply{}, err
	}
	p := decide(m.say, req)
	if p.err != nil {
		return core.ModelReply{}, p.err
	}
	if err := m.emit(ctx, p, req.Task.Pace, on); err != nil {
		return core.ModelReply{}, err
	}
	return reply(req, p), nil
}

// reply is the plan in core's words. IDs of calls are unique in the transcript.
func reply(req core.ModelRequest, p plan) core.ModelReply {
	r := core.ModelReply{Text: p.text, Stop: "end_turn"}
	n := nextCallNumber(req.Messages)
	out := int64(len(p.text))
	for i, c := range p.calls {
		tc := core.ToolCall{ID: callID(n, i+1), Name: c.name, Args: c.raw()}
		out += int64(len(tc.Name) + len(tc.Args))
		r.Calls = append(r.Calls, tc)
		r.Stop = "tool_use"
	}
	r.Tokens = core.Tokens{In: size(req) / bytesPerToken, Out: (out + bytesPerToken - 1) / bytesPerToken, CostKnown: true}
	return r
}

const bytesPerToken = 4 // an estimate, as good as any for text and code

func size(req core.ModelRequest) int64 {
	n := len(req.System)
	for i := range req.Messages {
		m := &req.Messages[i]
		n += len(m.Text) + len(m.Reasoning)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Args)
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return int64(n)
}
