package responses

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
	"drover/core/model"
)

// New makes a model provider of the options.
func New(o model.Options) core.Model {
	return &provider{c: model.NewClient(o, model.WireResponses, "responses")}
}

type provider struct {
	c       *model.Client
	learned model.Learned
	tools   model.ToolSets
}

// Things a model may turn out not to take.
const (
	noEncrypted = "encrypted_content"
	noReasoning = "reasoning"
	noCacheKey  = "prompt_cache_key"
	noForce     = "tool_choice"
	noHeat      = "temperature"
	noStore     = "store"
	noStrict    = "strict"
	ownIDs      = "ids"    // of calls, as another server gave them
	fullSchema  = "schema" // more of JSON Schema than its plainest part
)

// Stream implements core.Model.
func (p *provider) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	set := p.tools.Of(req.Tools)
	names := set.Names
	return model.Learning(on,
		func() (model.Body, error) {
			plain, lax := p.learned.Get(req.Model, fullSchema) > 0, p.learned.Get(req.Model, noStrict) > 0
			return set.Encode(p.request(req, names), fmt.Sprint(plain, lax), func(specs []core.ToolSpec) any { return tools(specs, names, plain, lax) })
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

// learn reports whether the request was refused for something that it can do without.
func (p *provider) learn(name string, err error) bool {
	for _, l := range []struct {
		what  string
		words []string
	}{
		{noCacheKey, []string{"prompt_cache_key"}},
		{noForce, []string{"tool_choice"}},
		{noHeat, []string{"temperature"}},
		{noEncrypted, []string{"encrypted"}},
		{noReasoning, []string{"reasoning"}},
		{noStore, []string{"'store'", `"store"`, "store:", "parameter: store", "store is not"}},
		{noStrict, []string{"strict"}},
		{ownIDs, []string{"call_id"}},
		{fullSchema, model.SchemaWords},
	} {
		if model.Refused(err, l.words...) && p.learned.Set(name, l.what, 1) {
			return true
		}
	}
	return false
}

// request is all but the tools, see model.ToolSet.
type request struct {
	Model        string     `json:"model"`
	Instructions string     `json:"instructions,omitempty"`
	Input        []item     `json:"input"`
	Stream       bool       `json:"stream"`
	Store        *bool      `json:"store,omitempty"`
	Include      []string   `json:"include,omitempty"`
	Reasoning    *reasoning `json:"reasoning,omitempty"`
	MaxOutput    int        `json:"max_output_tokens,omitempty"`
	CacheKey     string     `json:"prompt_cache_key,omitempty"`
	Choice       *choice    `json:"tool_choice,omitempty"`
	Heat         *float64   `json:"temperature,omitempty"`
}

type choice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict,omitempty"`
}

// item is one piece of the input; Raw stands for the whole of it.
type item struct {
	Raw       json.RawMessage `json:"-"`
	Type      string          `json:"type"`
	Role      string          `json:"role,omitempty"`
	Content   string          `json:"content,omitempty"`
	Phase     string          `json:"phase,omitempty"`
	CallID    string          `json:"call_id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments string          `json:"arguments,omitempty"`
	Output    string          `json:"output,omitempty"`
}

// MarshalJSON writes Raw as it is.
func (i item) MarshalJSON() ([]byte, error) {
	if i.Raw != nil {
		return i.Raw, nil
	}
	type plain item
	return model.Encode(plain(i))
}

func tools(specs []core.ToolSpec, names *model.Names, plain, lax bool) (out []tool) {
	for _, t := range specs {
		one := tool{"function", names.To(t.Name), t.Description, model.Schema(t), nil}
		if !lax {
			one.Strict = new(bool)
		}
		if plain {
			one.Parameters = model.PlainSchema(one.Parameters)
		}
		out = append(out, one)
	}
	return out
}

func (p *provider) request(req core.ModelRequest, names *model.Names) *request {
	o := p.c.Options()
	knows := func(what string) bool { return p.learned.Get(req.Model, what) == 0 }
	r := &request{Model: req.Model, Instructions: req.System, Stream: true, MaxOutput: o.MaxOutput}
	if knows(noStore) {
		r.Store = new(bool)
	}
	if knows(noEncrypted) {
		r.Include = []string{"reasoning.encrypted_content"}
	}
	if e := model.EffortWord(o.BaseURL, req.Effort); e != "" && knows(noReasoning) {
		r.Reasoning = &reasoning{Effort: e, Summary: "auto"}
	}
	if knows(noCacheKey) && strings.Contains(o.BaseURL, "api.openai.com") {
		r.CacheKey = req.Task.Task // its steps share a prompt, so they should meet the same cache
	}
	if req.Force != "" && knows(noForce) {
		r.Choice = &choice{"function", names.To(req.Force)}
	}
	if knows(noHeat) {
		r.Heat = req.Temperature
	}
	ids := model.IDs{Marks: "_-", By: p.by()}
	if !knows(ownIDs) {
		ids.By = ""
	}
	for _, m := range model.History(req.Messages, ids) {
		switch m.Role {
		case core.RoleUser:
			r.Input = append(r.Input, item{Type: "message", Role: "user", Content: m.Text})
		case core.RoleTool:
			text := m.Text
			if m.Failed {
				text = "[failed] " + text
			}
			r.Input = append(r.Input, item{Type: "function_call_output", CallID: m.CallID, Output: text})
		case core.RoleAssistant:
			r.Input = append(r.Input, p.assistant(m, req.Model, names, knows(noEncrypted))...)
		}
	}
	return r
}

// by marks what this provider wants back: another one cannot read it.
func (p *provider) by() string { return "responses:" + p.c.Options().Name }

// beside is what goes back beside a piece of text.
type beside struct {
	Phase string `json:"phase,omitempty"`
}

// assistant is an answer in the items it came in.
func (p *provider) assistant(m core.Message, name string, names *model.Names, own bool) []item {
	if !own {
		m.Opaque = nil
	}
	var out []item
	at := 0
	for _, part := range model.LayoutOf(m, p.by(), name) {
		switch {
		case part.Text > 0:
			var b beside
			if len(part.Raw) > 0 && json.Unmarshal(part.Raw, &b) != nil {
				b = beside{}
			}
			text := m.Text[at : at+part.Text]
			at += part.Text
			if strings.TrimSpace(text) != "" {
				out = append(out, item{Type: "message", Role: "assistant", Content: text, Phase: b.Phase})
			}
		case part.Call > 0:
			c := m.Calls[part.Call-1]
			out = append(out, item{Type: "function_call", CallID: c.ID, Name: names.To(c.Name), Arguments: string(c.Args)})
		case len(part.Raw) > 0:
			out = append(out, item{Raw: part.Raw})
		}
	}
	return out
}
