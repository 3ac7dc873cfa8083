package openai

import (
	"context"

	"drover/core"
	"drover/core/model"
)

// New makes a model provider of the options.
func New(o model.Options) core.Model {
	return &provider{c: model.NewClient(o, model.WireChat, "chat/completions")}
}

type provider struct {
	c       *model.Client
	learned model.Learned
	tools   model.ToolSets
}

// Stream implements core.Model.
func (p *provider) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	set := p.tools.Of(req.Tools)
	names := set.Names
	for {
		body, err := set.Encode(p.request(req, names), "", func(specs []core.ToolSpec) any { return tools(specs, names) })
		if err != nil {
			return core.ModelReply{}, err
		}
		s, err := p.c.Post(ctx, body)
		if err == nil {
			return p.answer(s, req, len(body), names, on)
		}
		if !p.learn(req.Model, err) {
			return core.ModelReply{}, err
		}
	}
}

// Things a server may turn out not to take, or to want.
const (
	noUsage     = "stream_options"
	noEffort    = "reasoning_effort"
	otherLimit  = "max_completion_tokens"
	noReasoning = "reasoning"
	noForce     = "tool_choice"
	noHeat      = "temperature"
	bridge      = "bridge" // an answer between a tool's result and the user
)

// learn reports whether the request was refused for something that it can do without.
func (p *provider) learn(name string, err error) bool {
	for _, l := range []struct {
		what  string
		words []string
	}{
		{noUsage, []string{"stream_options", "include_usage"}},
		{noEffort, []string{"reasoning_effort"}},
		{otherLimit, []string{"max_tokens", "max_completion_tokens"}},
		{bridge, []string{"after role 'tool'", "after role tool"}},
		{noForce, []string{"tool_choice"}},
		{noHeat, []string{"temperature"}},
		{noReasoning, []string{"reasoning_content", "reasoning_details", "'reasoning'", `"reasoning"`}},
	} {
		if model.Refused(err, l.words...) && p.learned.Set(name, l.what, 1) {
			return true
		}
	}
	return false
}
