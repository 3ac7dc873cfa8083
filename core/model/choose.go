package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"drover/core"
)

const (
	// patience is how long a local server may take to say that it is there.
	patience = 200 * time.Millisecond
	// farPatience is how long a server that somebody has configured may take to say what it has.
	farPatience = 2 * time.Second
)

// Default is the "provider/model" to use where nobody chose one: the balanced
// model of the first provider that has a key (the first it lists, where none is known as that), else the first model of a server without one that answers (of an address
// that is set, then of those on this machine), else "". why says so in a
// sentence's part. A provider with a key is asked only where it is at another
// address than its own, for it may have other models there.
func (r *Registry) Default(ctx context.Context) (full, why string) {
	var keyless []Provider
	for _, p := range r.o.Providers {
		if p.Key == nil {
			if p.Local || p.Usable {
				keyless = append(keyless, p)
			}
			continue
		}
		if p.Moved || p.Tiers == nil {
			r.tryAsk(ctx, p, farPatience) // where it does not say, it has the usual ones
		}
		if full, err := r.tier(p, "balanced"); err == nil {
			return full, p.KeyName + " is set"
		}
	}
	slices.SortStableFunc(keyless, func(a, b Provider) int { return rankOf(b) - rankOf(a) })
	answers := make([][]Listed, len(keyless))
	var wg sync.WaitGroup
	for i, p := range keyless {
		wg.Go(func() { answers[i] = r.tryAsk(ctx, p, patience) })
	}
	wg.Wait()
	for i, p := range keyless {
		if len(answers[i]) > 0 {
			return p.Name + "/" + answers[i][0].Model, p.Name + " answers at " + NewClient(r.options(p), p.Wire, "models").shown()
		}
	}
	return "", "no key is set (" + strings.Join(r.keyNames(), ", ") + "), and no local server answers"
}

// Forget forgets what servers without a key have said, so that they are asked
// again, where the model is of one of them or of none.
func (r *Registry) Forget(full string) bool {
	name, _, _ := strings.Cut(full, "/")
	if p, ok := r.provider(name); ok && p.Key != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.o.Providers {
		if p.Key == nil {
			delete(r.seen, p.Name)
		}
	}
	return true
}

// rankOf puts servers that somebody has configured first.
func rankOf(p Provider) int {
	if p.Usable {
		return 1
	}
	return 0
}

// tryAsk asks a provider for its models, once for good; nil where it does not say.
func (r *Registry) tryAsk(ctx context.Context, p Provider, within time.Duration) []Listed {
	r.mu.Lock()
	seen, asked := r.seen[p.Name]
	r.mu.Unlock()
	if asked {
		return seen
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	list, err := r.ask(ctx, p)
	if err != nil {
		return nil
	}
	return list
}

// Beside is the model of a tier for work beside another model: a person's own
// of the tier, else that of the other's provider. It is false where the
// provider is not known to have one: a server of somebody's own has what it has.
func (r *Registry) Beside(tier, other string) (full string, ok bool) {
	if full := r.o.Tiers[tier]; full != "" {
		return full, true
	}
	name, _, _ := strings.Cut(other, "/")
	if _, fixed := r.o.Fixed[name]; fixed {
		return other, true // it has one model, which is all there is of it
	}
	p, found := r.provider(name)
	own := p.Tiers[tier]
	if !found || own == "" {
		return other, false
	}
	if p.Moved {
		r.mu.Lock()
		has := slices.ContainsFunc(r.seen[name], func(l Listed) bool { return l.Model == own })
		r.mu.Unlock()
		if !has {
			return other, false
		}
	}
	return name + "/" + own, true
}

// Check refuses a model that its provider, asked now unless it was before, says
// it does not have. What is generally known of the provider at its own address,
// and what nobody answers for in time, passes.
func (r *Registry) Check(ctx context.Context, full string) error {
	name, own, _ := strings.Cut(full, "/")
	p, ok := r.provider(name)
	if !ok || !p.Usable && !p.Local {
		return nil // Resolve tells
	}
	if _, known := CardOf(full); known && !p.Moved {
		return nil
	}
	list := r.tryAsk(ctx, p, farPatience)
	if len(list) == 0 || slices.ContainsFunc(list, func(l Listed) bool { return same(l.Model, own) }) {
		return nil
	}
	var names []string
	for _, l := range list[:min(len(list), mostNamed)] {
		names = append(names, core.CleanLine(name+"/"+l.Model))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more (drover models)", more))
	}
	return &core.Error{
		Code: core.CodeInvalidInput, Message: fmt.Sprintf("%s has no model %q", name, core.Short(core.CleanLine(own), 60)),
		Hint: "it has " + strings.Join(names, ", "),
	}
}

// mostNamed is how many models a refusal names.
const mostNamed = 20

// same reports whether a name means the model that a provider lists: with or
// without a date, Ollama's ":latest", or a word such as "-latest" in a date's place.
func same(listed, own string) bool {
	plain := func(s string) string {
		return undated(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(s, "models/"), ":latest"), "-latest"))
	}
	return listed == own || plain(listed) == plain(own)
}
