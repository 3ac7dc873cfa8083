package anthropic

import (
	"encoding/json"
	"strings"

	"drover/core"
	"drover/core/model"
)

// request is all but the tools, see model.ToolSet.
type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	System    any       `json:"system,omitempty"` // blocks, or a text
	Messages  []message `json:"messages"`
	Thinking  *thinking `json:"thinking,omitempty"`
	Output    *output   `json:"output_config,omitempty"`
	Choice    *choice   `json:"tool_choice,omitempty"`
	Heat      *float64  `json:"temperature,omitempty"`
}

type choice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type output struct {
	Effort string `json:"effort"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cache          `json:"cache_control,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is one piece of content; Raw stands for the whole of it.
type block struct {
	Raw       json.RawMessage `json:"-"`
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
}

type cache struct {
	Type string `json:"type"`
}

// MarshalJSON writes Raw as it is.
func (b block) MarshalJSON() ([]byte, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	type plain block
	return model.Encode(plain(b))
}

const (
	longAnswer  = 64_000 // tokens; more than that is no answer but a mistake
	unknownMost = 16_384 // of a model that is not known
)

func (p *provider) request(req core.ModelRequest, names *model.Names) *request {
	r := &request{Model: req.Model, Stream: true, MaxTokens: p.maxTokens(req.Model)}
	if strings.TrimSpace(req.System) != "" {
		r.System = []block{{Type: "text", Text: req.System, Cache: p.mark(req.Model)}} // with the tools before it
		if p.learned.Get(req.Model, noList) > 0 {
			r.System = req.System
		}
	}
	if req.Force != "" && p.learned.Get(req.Model, noForce) == 0 {
		r.Choice = &choice{"tool", names.To(req.Force)}
	}
	plain := p.learned.Get(req.Model, noThinking) > 0 || r.Choice != nil || req.Effort == "off" // a model that must call a tool may not think
	r.Messages = p.messages(req, names, plain)
	if gen := generation(req.Model); !plain && gen >= 406 {
		r.Thinking = &thinking{Type: "adaptive"}
		if gen >= 407 { // from here on it is hidden unless asked for
			r.Thinking.Display = "summarized"
		}
		if e := efforts[req.Effort]; e != "" && p.learned.Get(req.Model, noEffort) == 0 {
			r.Output = &output{e}
		}
	} else if budget := budgets[efforts[req.Effort]]; !plain && gen >= 400 && budget > 0 {
		r.Thinking = &thinking{Type: "enabled", Budget: budget}
		r.fitThinking()
	}
	if r.Thinking == nil && p.learned.Get(req.Model, noHeat) == 0 { // a model that thinks takes none
		r.Heat = req.Temperature
	}
	return r
}

func tools(specs []core.ToolSpec, names *model.Names, mark *cache, plain bool) (out []tool) {
	for _, t := range specs {
		one := tool{Name: names.To(t.Name), Description: t.Description, Schema: model.Schema(t)}
		if plain {
			one.Schema = model.PlainSchema(one.Schema)
		}
		out = append(out, one)
	}
	out[len(out)-1].Cache = mark // alone too: other tasks have the same tools, and another system prompt
	return out
}

// efforts are drover's levels in the API's words, those that every model knows.
var efforts = map[string]string{"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "max", "max": "max"}

// budgets of models that want reasoning as a number of tokens.
var budgets = map[string]int{"low": 4096, "medium": 12_288, "high": 32_768, "max": 60_000}

// leastBudget is the smallest budget the API takes.
const leastBudget = 1024

// fitThinking keeps a budget below the limit of the whole answer.
func (r *request) fitThinking() {
	if r.Thinking == nil || r.Thinking.Budget == 0 {
		return
	}
	if r.Thinking.Budget = min(r.Thinking.Budget, r.MaxTokens/2); r.Thinking.Budget < leastBudget {
		r.Thinking = nil
	}
}

func (p *provider) maxTokens(name string) int {
	o := p.c.Options()
	most := o.MaxOutput
	if most <= 0 {
		most = unknownMost
		if card, ok := model.CardOf(o.Name + "/" + name); ok {
			most = int(min(card.Output, longAnswer))
		} else if generation(name) >= 400 {
			most = 32_000
		} else if strings.HasPrefix(name, "claude-3") {
			most = 4096
		}
	}
	if n := p.learned.Get(name, mostOutput); n > 0 {
		most = min(most, n)
	}
	return most
}

// mark says that all up to here is worth keeping; nil for a server that does not take it.
func (p *provider) mark(name string) *cache {
	if p.learned.Get(name, noCache) > 0 {
		return nil
	}
	return &cache{"ephemeral"}
}

// by marks what this provider wants back: another one's signatures are void here.
func (p *provider) by() string { return "anthropic:" + p.c.Options().Name }

// messages are the history in alternating roles.
func (p *provider) messages(req core.ModelRequest, names *model.Names, plain bool) []message {
	var out []message
	add := func(role string, blocks ...block) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			return
		}
		out = append(out, message{role, blocks})
	}
	ids := model.IDs{Marks: "_-", By: p.by()}
	if p.learned.Get(req.Model, ownIDs) > 0 {
		ids.By = ""
	}
	for _, m := range model.History(req.Messages, ids) {
		switch m.Role {
		case core.RoleUser:
			add("user", block{Type: "text", Text: m.Text})
		case core.RoleTool:
			add("user", block{Type: "tool_result", ToolUseID: m.CallID, Content: m.Text, IsError: m.Failed && p.learned.Get(req.Model, noFailed) == 0})
		case core.RoleAssistant:
			add("assistant", p.assistant(m, req.Model, names, plain)...)
		}
	}
	marked := 0
	for i := len(out) - 1; i >= 0 && marked < 2; i-- { // what is new, and what was new the last time
		if out[i].Role == "user" {
			out[i].Content[len(out[i].Content)-1].Cache = p.mark(req.Model)
			marked++
		}
	}
	return out
}

// assistant is an answer in the blocks it came in.
func (p *provider) assistant(m core.Message, name string, names *model.Names, plain bool) []block {
	if plain {
		m.Opaque = nil
	}
	var out []block
	at := 0
	for _, part := range model.LayoutOf(m, p.by(), name) {
		switch {
		case part.Text > 0:
			text := m.Text[at : at+part.Text]
			at += part.Text
			if strings.TrimSpace(text) != "" {
				out = append(out, block{Type: "text", Text: text})
			}
		case part.Call > 0:
			c := m.Calls[part.Call-1]
			out = append(out, block{Type: "tool_use", ID: c.ID, Name: names.To(c.Name), Input: c.Args})
		case len(part.Raw) > 0:
			out = append(out, block{Raw: part.Raw})
		}
	}
	return out
}
