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
	out := make([]Reach, len(r.o.Providers))
	var wg sync.WaitGroup
	for i, p := range r.o.Providers {
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
	var fault error
	for _, to := range c.urls {
		s, p, err := c.send(ctx, http.MethodGet, to, key, nil)
		if err != nil {
			if fault == nil {
				fault = err
			}
			if !p.routeMissing() {
				return nil, err
			}
			continue
		}
		defer s.Close()
		body, err := s.Whole()
		if err != nil {
			return nil, err
		}
		return c.models(s, body)
	}
	return nil, fault
}

type wireModel struct {
	ID      string `json:"id"`
	Context int64  `json:"context_length"`   // OpenRouter
	Max     int64  `json:"max_model_len"`    // vLLM
	Input   int64  `json:"max_input_tokens"` // Anthropic
	Pricing *struct {
		Prompt     string `json:"prompt"`
		Completion string `json:"completion"`
		Read       string `json:"input_cache_read"`
		Write      string `json:"input_cache_write"`
	} `json:"pricing"` // OpenRouter: US dollars for one token
}

func (c *Client) models(s *Stream, body []byte) ([]Listed, error) {
	var w struct {
		Data []wireModel `json:"data"`
	}
	if json.Unmarshal(body, &w) != nil && json.Unmarshal(body, &w.Data) != nil || body == nil {
		return nil, s.Garbage(body)
	}
	var out []Listed
	for _, m := range w.Data {
		if m.ID == "" {
			continue
		}
		l := Listed{Provider: c.o.Name, Model: strings.TrimPrefix(m.ID, "models/"), Context: max(m.Context, m.Max, m.Input)}
		if q := m.Pricing; q != nil {
			in, err1 := strconv.ParseFloat(q.Prompt, 64)
			answer, err2 := strconv.ParseFloat(q.Completion, 64)
			if l.PriceKnown = err1 == nil && err2 == nil && in >= 0 && answer >= 0; l.PriceKnown {
				l.Price = Price{In: in * 1e6, Out: answer * 1e6, CacheRead: million(q.Read), CacheWrite: million(q.Write)}
			}
		}
		out = append(out, l)
	}
	return out, nil
}

func million(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 {
		return 0
	}
	return v * 1e6
}
