package openai

import (
	"encoding/json"
	"regexp"
	"strings"

	"drover/core"
	"drover/core/model"
)

// request is all but the tools, see model.ToolSet.
type request struct {
	Model     string         `json:"model"`
	Messages  []message      `json:"messages"`
	Stream    bool           `json:"stream"`
	Options   *streamOptions `json:"stream_options,omitempty"`
	Effort    string         `json:"reasoning_effort,omitempty"`
	MaxTokens int            `json:"max_tokens,omitempty"`
	MaxOutput int            `json:"max_completion_tokens,omitempty"`
	Choice    *forced        `json:"tool_choice,omitempty"`
	Heat      *float64       `json:"temperature,omitempty"`
}

type forced struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type streamOptions struct {
	Usage bool `json:"include_usage"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type message struct {
	Role             string          `json:"role"`
	Content          *string         `json:"content"`
	Calls            []sentCall      `json:"tool_calls,omitempty"`
	CallID           string          `json:"tool_call_id,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	Reasoning        string          `json:"reasoning,omitempty"`
	Details          json.RawMessage `json:"reasoning_details,omitempty"`
}

type sentCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function sentFunction    `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type sentFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// reasons matches the models of OpenAI that know a limit of length by its newer name only.
var reasons = regexp.MustCompile(`^(o\d|gpt-([5-9]|\d\d))`)

func (p *provider) request(req core.ModelRequest, names *model.Names) *request {
	o := p.c.Options()
	knows := func(what string) bool { return p.learned.Get(req.Model, what) == 0 }
	r := &request{Model: req.Model, Stream: true, Messages: p.messages(req, names)}
	if knows(noUsage) {
		r.Options = &streamOptions{true}
	}
	if knows(noEffort) {
		r.Effort = model.EffortWord(o.BaseURL, req.Effort)
	}
	if req.Force != "" && knows(noForce) {
		r.Choice = &forced{Type: "function"}
		r.Choice.Function.Name = names.To(req.Force)
	}
	if knows(noHeat) {
		r.Heat = req.Temperature
	}
	if o.MaxOutput > 0 {
		if reasons.MatchString(req.Model) == knows(otherLimit) {
			r.MaxOutput = o.MaxOutput
		} else {
			r.MaxTokens = o.MaxOutput
		}
	}
	return r
}

func tools(specs []core.ToolSpec, names *model.Names, plain bool) (out []tool) {
	for _, t := range specs {
		schema := model.Schema(t)
		if plain {
			schema = model.PlainSchema(schema)
		}
		out = append(out, tool{"function", function{names.To(t.Name), t.Description, schema}})
	}
	return out
}

// by marks what this server wants back.
func (p *provider) by() string { return "chat:" + p.c.Options().Name }

func (p *provider) messages(req core.ModelRequest, names *model.Names) []message {
	out := make([]message, 0, len(req.Messages)+2)
	role := "system"
	if p.learned.Get(req.Model, noSystem) > 0 {
		role = "user"
	}
	if strings.TrimSpace(req.System) != "" {
		out = append(out, message{Role: role, Content: &req.System})
	}
	ids := model.IDs{Marks: "_-.:", By: p.by()}
	if p.learned.Get(req.Model, ownIDs) > 0 {
		ids.By = ""
	}
	if p.learned.Get(req.Model, nineLetters) > 0 {
		ids.Exact = 9
	}
	history := model.History(req.Messages, ids)
	loop := 0 // where the steps of this turn begin: reasoning of earlier turns is not wanted back
	for i, m := range history {
		if m.Role == core.RoleUser {
			loop = i
		}
	}
	for i, m := range history {
		switch m.Role {
		case core.RoleUser:
			n := len(out) - 1
			if n >= 0 && out[n].Role == "user" { // some servers want roles to alternate
				out[n].Content = new(*out[n].Content + "\n\n" + m.Text)
				continue
			}
			if n >= 0 && out[n].Role == "tool" && p.learned.Get(req.Model, bridge) > 0 {
				out = append(out, message{Role: "assistant", Content: new("Understood.")})
			}
			out = append(out, message{Role: "user", Content: &history[i].Text})
		case core.RoleTool:
			text := m.Text
			if m.Failed {
				text = "[failed] " + text
			}
			out = append(out, message{Role: "tool", CallID: m.CallID, Content: &text})
		case core.RoleAssistant:
			out = append(out, p.assistant(m, req.Model, names, i > loop))
		}
	}
	return out
}

// kept is what a server wants back of an answer beside text and calls.
type kept struct {
	Field   string          `json:"field,omitempty"` // the name it has for reasoning
	Details json.RawMessage `json:"details,omitempty"`
}

func (p *provider) assistant(m core.Message, name string, names *model.Names, inLoop bool) message {
	out := message{Role: "assistant"}
	switch {
	case m.Text != "" && (len(m.Calls) == 0 || p.learned.Get(name, textOrCalls) == 0):
		out.Content = &m.Text
	case p.learned.Get(name, noNull) > 0:
		out.Content = new("")
	}
	for _, part := range model.LayoutOf(m, p.by(), name) {
		switch {
		case part.Call > 0:
			c := m.Calls[part.Call-1]
			extra := part.Raw
			if len(extra) == 0 && part.Call == 1 && p.google() {
				extra = unsigned
			}
			out.Calls = append(out.Calls, sentCall{c.ID, "function", sentFunction{names.To(c.Name), string(c.Args)}, extra})
		case part.Text == 0 && len(part.Raw) > 0:
			var k kept
			if json.Unmarshal(part.Raw, &k) != nil || p.learned.Get(name, noReasoning) > 0 {
				continue
			}
			out.Details = k.Details
			switch {
			case !inLoop || len(k.Details) > 0:
			case k.Field == tagField:
				out.Content = new(tagOpen + m.Reasoning + tagClose + "\n\n" + m.Text)
			case k.Field == "reasoning":
				out.Reasoning = m.Reasoning
			case k.Field == "reasoning_content":
				out.ReasoningContent = m.Reasoning
			}
		}
	}
	return out
}

// unsigned tells Gemini that a call was another model's and has no signature.
var unsigned = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

func (p *provider) google() bool {
	o := p.c.Options()
	return o.Name == "gemini" || strings.Contains(o.BaseURL, "googleapis.com")
}
