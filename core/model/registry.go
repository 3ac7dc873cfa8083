package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"drover/core"
)

// RegistryOptions of a Registry; Open is needed.
type RegistryOptions struct {
	Providers []Provider
	// Open makes models, by wire format.
	Open map[Wire]func(Options) core.Model
	// Wrap puts something around each provider's model, such as retry; nil: nothing.
	Wrap   func(provider string, m core.Model) core.Model
	Fixed  map[string]core.Model // providers that need nothing, such as offline
	Tiers  map[string]string     // "fast" and so on to "provider/model", instead of the default provider's
	Prices Prices
	HTTP   *http.Client
	// Tune changes the options of a provider before it is opened; nil: nothing.
	Tune func(*Options)
}

// Registry finds models by name. It is safe for concurrent use.
type Registry struct {
	o    RegistryOptions
	mu   sync.Mutex
	open map[string]core.Model
	seen map[string][]Listed // models of local providers, once they were asked
}

// NewRegistry makes a Registry.
func NewRegistry(o RegistryOptions) *Registry {
	if o.HTTP == nil {
		o.HTTP = NewHTTP()
	}
	return &Registry{o: o, open: map[string]core.Model{}, seen: map[string][]Listed{}}
}

// Resolve finds the model of "provider/model", of "provider/tier" or of a tier,
// and the provider's own name of it. It asks nobody.
func (r *Registry) Resolve(name string) (core.Model, string, error) {
	full, err := r.Full(name)
	if err != nil {
		return nil, "", err
	}
	provider, own, _ := strings.Cut(full, "/")
	if m, ok := r.o.Fixed[provider]; ok {
		return m, own, nil
	}
	p, ok := r.provider(provider)
	if !ok {
		return nil, "", r.unknown(provider)
	}
	if !p.Local && p.Key == nil && !p.Usable {
		return nil, "", &core.Error{Code: core.CodeInvalidInput, Message: "there is no key for " + p.Name, Hint: "set " + p.KeyName + ", or choose another model (drover models)"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.open[p.Name]; ok {
		return m, own, nil
	}
	open, ok := r.o.Open[p.Wire]
	if !ok {
		return nil, "", &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("the provider %s has an unknown wire format, %q", p.Name, p.Wire), Hint: "it is anthropic, chat or responses"}
	}
	m := open(r.options(p))
	if r.o.Wrap != nil {
		m = r.o.Wrap(p.Name, m)
	}
	r.open[p.Name] = m
	return m, own, nil
}

func (r *Registry) options(p Provider) Options {
	o := Options{
		Name: p.Name, BaseURL: p.BaseURL, Key: p.Key, KeyName: p.KeyName, Bearer: p.Bearer, Moved: p.Moved, Headers: p.Headers,
		HTTP: r.o.HTTP, Prices: r.o.Prices,
	}
	if r.o.Tune != nil {
		r.o.Tune(&o)
	}
	return o
}

func (r *Registry) provider(name string) (Provider, bool) {
	for _, p := range r.o.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

func (r *Registry) unknown(name string) error {
	var names []string
	for n := range r.o.Fixed {
		names = append(names, n)
	}
	for _, p := range r.o.Providers {
		names = append(names, p.Name)
	}
	return &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("no model provider %q", core.Short(core.CleanLine(name), 40)), Hint: "the providers are " + strings.Join(names, ", ")}
}

// Full is the "provider/model" of a name or tier.
func (r *Registry) Full(name string) (string, error) {
	provider, own, named := strings.Cut(name, "/")
	switch {
	case !named && Tier(name):
		if full := r.o.Tiers[name]; full != "" {
			return full, nil
		}
		p, ok := r.first()
		if !ok {
			return "", &core.Error{Code: core.CodeInvalidInput, Message: "no model provider is configured", Hint: "set " + strings.Join(r.keyNames(), ", ") + ", or use offline/rules"}
		}
		return r.tier(p, name)
	case !named || own == "":
		p, ok := r.provider(provider)
		if !ok {
			return "", &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("no model %q", core.Short(core.CleanLine(name), 60)), Hint: "name it as provider/model, or as fast, balanced or powerful (drover models lists them)"}
		}
		return r.tier(p, "balanced")
	case Tier(own):
		if p, ok := r.provider(provider); ok {
			return r.tier(p, own)
		}
	}
	return name, nil
}

// tier is a provider's model of a tier. Where it was asked and has none of that
// name, it is the first of those it has.
func (r *Registry) tier(p Provider, tier string) (string, error) {
	r.mu.Lock()
	seen := r.seen[p.Name]
	r.mu.Unlock()
	own := p.Tiers[tier]
	if own == "" && len(seen) == 0 {
		return "", &core.Error{Code: core.CodeInvalidInput, Message: "no model of " + p.Name + " is known as " + tier, Hint: "name one as " + p.Name + "/model (drover models lists them)"}
	}
	if len(seen) > 0 && !slices.ContainsFunc(seen, func(l Listed) bool { return l.Model == own }) {
		own = seen[0].Model
	}
	return p.Name + "/" + own, nil
}

// first is the provider that is used where nobody chose one.
func (r *Registry) first() (Provider, bool) {
	for _, p := range r.o.Providers {
		r.mu.Lock()
		asked := len(r.seen[p.Name]) > 0
		r.mu.Unlock()
		if p.Usable && !p.Local || asked {
			return p, true
		}
	}
	return Provider{}, false
}

func (r *Registry) keyNames() []string {
	var out []string
	for _, p := range r.o.Providers {
		if !p.Local && !p.Quiet && p.KeyName != "" {
			out = append(out, p.KeyName)
		}
	}
	return out
}
