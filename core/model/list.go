package model

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drover/core"
)

// Listed is one model that a provider says it has.
type Listed struct {
	Provider   string
	Model      string // the provider's own name
	Tier       string // fast, balanced, powerful or ""
	Context    int64  // tokens; 0: unknown
	Price      Price
	PriceKnown bool
}

// Reach is what one provider answers when it is asked for its models.
type Reach struct {
	Provider Provider
	Problem  error // why it cannot be used; nil: it can
	Models   []Listed
}

// List asks every provider at once for its models. A provider without a key is
// not asked. ctx should have a deadline.
func (r *Registry) List(ctx context.Context) []Reach {
	known := slices.DeleteFunc(slices.Clone(r.o.Providers), func(p Provider) bool { return p.Quiet && !p.Usable })
	out := make([]Reach, len(known))
	var wg sync.WaitGroup
	for i, p := range known {
		out[i].Provider = p
		if !p.Usable && !p.Local {
			out[i].Problem = &core.Error{Code: core.CodeInvalidInput, Message: "no key", Hint: "set " + p.KeyName}
			continue
		}
		wg.Go(func() { out[i].Models, out[i].Problem = r.ask(ctx, p) })
	}
	wg.Wait()
	return out
}

// ask asks a provider for its models, those of its tiers first.
func (r *Registry) ask(ctx context.Context, p Provider) ([]Listed, error) {
	list, err := NewClient(r.options(p), p.Wire, "models").Models(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		l := &list[i]
		for _, t := range tiers {
			if p.Tiers[t] == l.Model {
				l.Tier = t
			}
		}
		full := p.Name + "/" + l.Model
		if price, ok := r.o.Prices.Of(full); ok {
			l.Price, l.PriceKnown = price, true
		}
		if c, ok := CardOf(full); ok && l.Context == 0 {
			l.Context = c.Context
		}
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		return rank(b) - rank(a)
	})
	r.mu.Lock()
	r.seen[p.Name] = list
	r.mu.Unlock()
	return list, nil
}

// rank puts the models of tiers first and those that cannot talk last.
func rank(l Listed) int {
	name := strings.ToLower(l.Model)
	for _, s := range []string{"embed", "rerank", "whisper", "tts", "moderation", "dall-e", "image"} {
		if strings.Contains(name, s) {
			return -2
		}
	}
	return slices.Index(tiers, l.Tier)
}

// Models asks a server for its models. The client's path must be "models".
func (c *Client) Models(ctx context.Context) ([]Listed, error) {
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.ask(ctx, http.MethodGet, key, Body{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	body, err := s.Whole()
	if err != nil {
		return nil, err
	}
	return c.models(s, body)
}

// wireModel is what servers say of a model, in the words of several.
type wireModel struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Context Number `json:"context_length"`     // OpenRouter
	Max     Number `json:"max_model_len"`      // vLLM
	Input   Number `json:"max_input_tokens"`   // Anthropic
	Window  Number `json:"context_window"`     // Groq
	Most    Number `json:"max_context_length"` // Mistral
	Meta    struct {
		Trained Number `json:"n_ctx_train"`
	} `json:"meta"` // llama.cpp
	Pricing struct {
		Prompt     json.RawMessage `json:"prompt"`
		Completion json.RawMessage `json:"completion"`
		Read       json.RawMessage `json:"input_cache_read"`
		Write      json.RawMessage `json:"input_cache_write"`
	} `json:"pricing"` // OpenRouter: US dollars for one token
}

// models reads a list of models: OpenAI's, a bare one, or Ollama's own; of
// objects or of names. One that cannot be read is left out.
func (c *Client) models(s *Stream, body []byte) ([]Listed, error) {
	var w struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
		Error  json.RawMessage   `json:"error"`
	}
	if body == nil || json.Unmarshal(body, &w) != nil && json.Unmarshal(body, &w.Data) != nil {
		return nil, s.Garbage(body)
	}
	if !Empty(w.Error) {
		return nil, c.Fault(ParseProblem(body))
	}
	var out []Listed
	listed := map[string]bool{}
	for _, raw := range append(w.Data, w.Models...) {
		var m wireModel
		if name, ok := TextOf(raw); ok {
			m.ID = name
		} else if json.Unmarshal(raw, &m) != nil && m.ID == "" {
			continue
		}
		if m.ID == "" {
			m.ID = m.Name
		}
		if m.ID == "" || listed[m.ID] { // llama.cpp lists each twice
			continue
		}
		listed[m.ID] = true
		l := Listed{Provider: c.o.Name, Model: strings.TrimPrefix(m.ID, "models/"), Context: int64(max(m.Context, m.Max, m.Input, m.Window, m.Most, m.Meta.Trained))}
		if q := m.Pricing; amount(q.Prompt) && amount(q.Completion) {
			l.PriceKnown = true
			l.Price = Price{In: 1e6 * Amount(q.Prompt), Out: 1e6 * Amount(q.Completion), CacheRead: 1e6 * Amount(q.Read), CacheWrite: 1e6 * Amount(q.Write)}
		}
		out = append(out, l)
	}
	return out, nil
}

// amount reports whether a price is one: OpenRouter's own router says -1.
func amount(raw json.RawMessage) bool {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	return err == nil && v >= 0
}
