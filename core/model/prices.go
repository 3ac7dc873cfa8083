package model

import (
	"strings"

	"drover/core"
)

// Price is US dollars for a million tokens. Some providers charge more for a
// long prompt: above Over tokens of it, everything of the input costs LongIn
// times as much and the output LongOut times; Over 0 means they do not.
type Price struct {
	In, Out, CacheRead, CacheWrite float64
	Over                           int64
	LongIn, LongOut                float64
}

// Prices of models, by "provider/model", or by "provider/*" for all the others of it.
type Prices map[string]Price

// Usage is what one call has used. In is the whole prompt, with what was read
// from and written to a cache; Out is the whole answer, with its reasoning.
type Usage struct {
	In, Out, CacheRead, CacheWrite int64
}

// Of finds a model's price. A dated name, as in "claude-x-20261001" or
// "gpt-x-2026-10-01", has the price of the undated one.
func (p Prices) Of(model string) (Price, bool) {
	if v, ok := p[model]; ok {
		return v, true
	}
	if v, ok := p[undated(model)]; ok {
		return v, true
	}
	provider, name, _ := strings.Cut(model, "/")
	if v, ok := p[provider+"/*"]; ok && !strings.HasSuffix(name, "cloud") { // Ollama's models in the cloud are no local ones
		return v, true
	}
	return Price{}, false
}

// Cost is what a call of "provider/model" has cost in US dollars. Without a
// known price it is false. What was written to a cache is not in core.Tokens,
// and is counted as plain input: Tokens of a Usage is exact.
func (p Prices) Cost(t core.Tokens, model string) (float64, bool) {
	price, ok := p.Of(model)
	return price.cost(Usage{In: t.In, Out: t.Out, CacheRead: t.Cached}), ok
}

// Tokens is a usage in core's shape, with its cost where the price is known.
func (p Prices) Tokens(u Usage, model string) core.Tokens {
	t := core.Tokens{In: u.In, Out: u.Out, Cached: u.CacheRead}
	if u == (Usage{}) {
		return t // the provider did not say
	}
	if price, ok := p.Of(model); ok {
		t.Cost, t.CostKnown = price.cost(u), true
	}
	return t
}

func (p Price) cost(u Usage) float64 {
	in, out := 1.0, 1.0
	if p.Over > 0 && u.In > p.Over {
		in, out = p.LongIn, p.LongOut
	}
	write := p.CacheWrite
	if write == 0 {
		write = p.In
	}
	fresh := max(0, u.In-u.CacheRead-u.CacheWrite)
	return (in*(float64(fresh)*p.In+float64(u.CacheRead)*p.CacheRead+float64(u.CacheWrite)*write) + out*float64(u.Out)*p.Out) / 1e6
}

// Dearer reports whether model a costs more than b, by the output price and
// then the input price; false where a price is unknown.
func (p Prices) Dearer(a, b string) bool {
	x, okx := p.Of(a)
	y, oky := p.Of(b)
	if !okx || !oky {
		return false
	}
	return x.Out > y.Out || x.Out == y.Out && x.In > y.In
}

// undated is a model's name without the date at its end.
func undated(model string) string {
	i := len(model)
	digits := 0
	for i > 0 && (model[i-1] >= '0' && model[i-1] <= '9' || model[i-1] == '-') {
		if i--; model[i] != '-' {
			digits++
		}
		if digits == 8 {
			break
		}
	}
	if digits < 8 || i == 0 || model[i-1] != '-' {
		return model
	}
	return model[:i-1]
}
