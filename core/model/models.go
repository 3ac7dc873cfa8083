package model

import (
	"strings"
	"sync"
)

// Card is what is known of a model before it is asked.
type Card struct {
	Model   string // "provider/model"
	Context int64  // tokens of prompt and answer together
	Output  int64  // tokens an answer may have
	Price   Price
}

// Cards are the current models of the three large providers, with the list
// prices they published for ordinary calls in November 2026. Everything else
// has no known price until the settings name one; local servers cost nothing.
func Cards() []Card {
	const (
		k = 1000
		m = 1000 * k
	)
	// A prompt of OpenAI's above 272,000 tokens costs twice as much, its answer half as much again.
	gpt := func(in, cached, write, out float64) Price {
		return Price{In: in, CacheRead: cached, CacheWrite: write, Out: out, Over: 272 * k, LongIn: 2, LongOut: 1.5}
	}
	return []Card{
		{"anthropic/claude-opus-5-5", m, 128 * k, Price{In: 4, CacheRead: 0.20, CacheWrite: 5, Out: 20}},
		{"anthropic/claude-sonnet-5-5", m, 128 * k, Price{In: 2, CacheRead: 0.10, CacheWrite: 2.50, Out: 10}},
		{"anthropic/claude-haiku-5-5", m, 128 * k, Price{In: 0.10, CacheRead: 0.01, CacheWrite: 0.125, Out: 0.50, Over: 100 * k, LongIn: 5, LongOut: 5}},
		{"anthropic/claude-opus-5", m, 128 * k, Price{In: 5, CacheRead: 0.50, CacheWrite: 6.25, Out: 25}},
		{"anthropic/claude-sonnet-4-6", m, 64 * k, Price{In: 3, CacheRead: 0.30, CacheWrite: 3.75, Out: 15}},
		{"anthropic/claude-haiku-4-5", 200 * k, 64 * k, Price{In: 1, CacheRead: 0.10, CacheWrite: 1.25, Out: 5}},

		{"openai/gpt-6.1-sol", 1050 * k, 128 * k, gpt(2, 0.10, 2.50, 10)},
		{"openai/gpt-6.1-terra", 1050 * k, 128 * k, gpt(1, 0.05, 1.25, 5)},
		{"openai/gpt-6-sol", 1050 * k, 128 * k, gpt(2, 0.20, 2.50, 10)},
		{"openai/gpt-6-luna", 1050 * k, 128 * k, gpt(0.10, 0.01, 0.125, 0.50)},

		{"gemini/gemini-3.1-pro-preview", 1048576, 65536, Price{In: 2, CacheRead: 0.20, Out: 12, Over: 200 * k, LongIn: 2, LongOut: 1.5}},
		{"gemini/gemini-3.8-flash", 1048576, 65536, Price{In: 0.75, CacheRead: 0.075, Out: 3.75}}, // twice that from 2027
		{"gemini/gemini-3.5-flash-lite", 1048576, 65536, Price{In: 0.30, CacheRead: 0.03, Out: 2.50}},
	}
}

// DefaultPrices are the prices of Cards, and of servers on one's own machine.
func DefaultPrices() Prices {
	p := Prices{"offline/*": {}, "ollama/*": {}, "vllm/*": {}, "lmstudio/*": {}}
	for _, c := range Cards() {
		p[c.Model] = c.Price
	}
	return p
}

// CardOf finds what is known of "provider/model".
func CardOf(model string) (Card, bool) {
	model = strings.Replace(model, "gemini/models/", "gemini/", 1)
	of := cardsByName()
	c, ok := of[model]
	if !ok {
		c, ok = of[undated(model)]
	}
	return c, ok
}

var cardsByName = sync.OnceValue(func() map[string]Card {
	of := map[string]Card{}
	for _, c := range Cards() {
		of[c.Model] = c
	}
	return of
})
