package openai

import (
	"context"
	"fmt"

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
	return model.Learning(on,
		func() (model.Body, error) {
			plain := p.learned.Get(req.Model, fullSchema) > 0
			return set.Encode(p.request(req, names), fmt.Sprint(plain), func(specs []core.ToolSpec) any { return tools(specs, names, plain) })
		},
		func(body model.Body, on func(core.Delta)) (core.ModelReply, error) {
			s, err := p.c.Post(ctx, body)
			if err != nil {
				return core.ModelReply{}, err
			}
			return p.answer(s, req, body.Len(), names, on)
		},
		func(err error) bool { return p.learn(req.Model, err) })
}

// Things a server may turn out not to take, or to want.
const (
	noUsage     = "stream_options"
	noEffort    = "reasoning_effort"
	otherLimit  = "max_completion_tokens"
	noReasoning = "reasoning"
	noForce     = "tool_choice"
	noHeat      = "temperature"
	bridge      = "bridge"       // an answer between a tool's result and the user
	noSystem    = "system"       // the role of that name
	noNull      = "null"         // as the content of an answer that only calls
	textOrCalls = "but not both" // in one answer
	nineLetters = "nine"         // IDs of calls that have nine letters and digits
	ownIDs      = "ids"          // of calls, as another server gave them
	fullSchema  = "schema"       // more of JSON Schema than its plainest part
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
		{textOrCalls, []string{"but not both"}},
		{nineLetters, []string{"length of 9"}},
		{ownIDs, []string{"].id'", "tool_call_id", "tool call id"}},
		{noSystem, []string{"system role", "support 'system'", "role 'system'", "role: system", "developer instruction is not enabled"}},
		{noNull, []string{"content is required", "content: null", "content field is required", "'content' is a required", "must be a string", "valid string", "content cannot be null", "expected a string"}},
		{fullSchema, model.SchemaWords},
	} {
		if model.Refused(err, l.words...) && p.learned.Set(name, l.what, 1) {
			return true
		}
	}
	return false
}
