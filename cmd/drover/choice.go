package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"drover/agents"
	"drover/core"
	"drover/core/config"
	"drover/core/model"
	"drover/core/model/anthropic"
	"drover/core/model/offline"
	"drover/core/model/openai"
	"drover/core/model/responses"
	"drover/core/model/retry"
	"drover/core/tool"
)

// choice knows which models there are, what a name of one means here, and
// which one is used where nobody named any.
type choice struct {
	*model.Registry
	prices   model.Prices
	contexts map[string]int64 // tokens, of models a person has said it of
	settings config.Settings
	mu       sync.Mutex
	found    string // what auto came to; "": it was not asked for yet
	why      string
	foundAt  time.Time
}

// openChoice knows the offline model and the providers whose key or address
// the environment names. Transient faults are tried again, before anything of
// an answer has arrived.
func openChoice(getenv func(string) string, s config.Settings) (*choice, error) {
	own, err := config.LoadPrices(getenv)
	if err != nil {
		return nil, err
	}
	c := &choice{settings: s, prices: model.DefaultPrices(), contexts: map[string]int64{}}
	for _, p := range own {
		c.prices[p.Model] = model.Price{In: p.In, Out: p.Out, CacheRead: p.Cached, CacheWrite: p.Write, Over: p.Over, LongIn: p.LongIn, LongOut: p.LongOut}
		c.contexts[p.Model] = p.Context
	}
	c.Registry = model.NewRegistry(model.RegistryOptions{
		Providers: model.Detect(getenv, keyCommand, ownProviders(s)...), Prices: c.prices, Tiers: s.Tiers,
		Open:  map[model.Wire]func(model.Options) core.Model{model.WireAnthropic: anthropic.New, model.WireChat: openai.New, model.WireResponses: responses.New},
		Wrap:  func(_ string, m core.Model) core.Model { return retry.New(m, retry.Options{}) },
		Fixed: map[string]core.Model{offline.Name: offline.New(offline.Options{Pace: s.OfflinePace})},
		Tune:  func(o *model.Options) { o.Headers, o.First = s.Headers[o.Name], s.AnswerWait },
	})
	return c, nil
}

// ownProviders are those of the settings.
func ownProviders(s config.Settings) (own []model.Provider) {
	for _, p := range s.Providers {
		own = append(own, model.Provider{Name: p.Name, BaseURL: p.URL, KeyName: p.Key, Wire: model.Wire(p.Format)})
	}
	return own
}

// window is how many tokens a model takes at once; 0: not known.
func (c *choice) window(name string) int64 {
	if n := c.contexts[name]; n > 0 {
		return n
	}
	card, _ := model.CardOf(name)
	return card.Context
}

// offlineModel is what a session runs on where nothing else can be reached.
const offlineModel = offline.Name + "/rules"

// lookAgain is after how long it is worth looking whether a server without a
// key has come or gone: a screen stays open for days.
const lookAgain = 30 * time.Second

// auto is the model of a machine on which none was chosen, and why it is this
// one. One behind a key is found once.
func (c *choice) auto(ctx context.Context) (full, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == "" || time.Since(c.foundAt) > lookAgain && c.Forget(c.found) {
		if c.found, c.why = c.Default(ctx); c.found == "" {
			c.found = offlineModel
		}
		c.foundAt = time.Now()
	}
	return c.found, c.why
}

// named is the "provider/model" of what a person wrote, and a sentence about
// it where it was found and not named.
func (c *choice) named(ctx context.Context, name string) (full, note string, err error) {
	tier, isTier := agents.Tier(name)
	switch {
	case name == config.Auto:
		found, why := c.auto(ctx)
		return found, fmt.Sprintf("model %s: %s", core.CleanLine(found), core.CleanLine(why)), nil
	case isTier && tier != agents.Inherit && c.settings.Tiers[tier] == "":
		found, why := c.auto(ctx)
		if full, ok := c.Beside(tier, found); ok {
			found = full
		} else {
			why += "; none of its models is known as " + tier
		}
		return found, fmt.Sprintf("model %s: %s", core.CleanLine(found), core.CleanLine(why)), nil
	case isTier && tier != agents.Inherit:
		name = tier
	}
	if full, err = c.Full(name); err == nil {
		_, _, err = c.Resolve(full)
	}
	return full, "", err
}

// session is the model of a new session: what was asked for, else what the
// settings say of its main agent, else what the agent's file names where this
// machine has it, else the setting.
func (c *choice) session(ctx context.Context, asked string, agent core.Agent) (full, note string, err error) {
	if asked = first(asked, c.settings.AgentModels[agent.Name]); asked != "" {
		return c.named(ctx, asked)
	}
	if strings.Contains(agent.Model, "/") {
		if full, _, err := c.named(ctx, agent.Model); err == nil {
			return full, "", nil
		}
	}
	full, note, err = c.named(ctx, c.settings.Model)
	if err != nil || agent.Model == "" {
		return full, note, err
	}
	if own, _, err := c.wish(agent.Model, full); err == nil && own != full {
		return own, "", nil
	}
	return full, note, nil
}

// child chooses the model of a subagent, and says in a note why it is another
// one than was asked for. The call's wish must exist, and so must what the
// settings say of the agent; what an agent's file names is used where this
// machine has it, else the parent's is (a file made for another program must
// not keep its agent from running).
func (c *choice) child(w tool.Wish) (full, note string, err error) {
	if w.Asked != "" {
		return c.wish(w.Asked, w.Parent)
	}
	if own := c.settings.AgentModels[w.Agent]; own != "" {
		full, note, err := c.wish(own, w.Parent)
		if err != nil {
			return "", "", &core.Error{Code: core.CodeOf(err), Message: fmt.Sprintf("the settings give %s a model it cannot have: %v", core.CleanLine(w.Agent), err), Hint: core.HintOf(err), Err: err}
		}
		return full, note, nil
	}
	if w.Declared != "" {
		if full, _, err := c.wish(w.Declared, w.Parent); err == nil {
			return full, "", nil
		}
	}
	return w.Parent, "", nil
}

// switched is the model of the name that a person switches a session to.
func (c *choice) switched(name, now string) (string, error) {
	if name == config.Auto {
		full, _ := c.auto(context.Background())
		return full, nil
	}
	full, note, err := c.wish(name, now)
	if err == nil && note != "" {
		tier, _ := agents.Tier(name)
		err = &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("no model beside %s is known as %s", core.CleanLine(now), tier), Hint: "name it as provider/model (drover models lists them), or set it under [tiers]"}
	}
	return full, err
}

// wish is the "provider/model" of a name beside the model of a parent: a tier
// is that of the parent's provider, and a name without one a model of it.
func (c *choice) wish(name, parent string) (full, note string, err error) {
	if tier, ok := agents.Tier(name); ok {
		if tier == agents.Inherit {
			return parent, "", nil
		}
		full, ok := c.Beside(tier, parent)
		if !ok {
			return parent, fmt.Sprintf("no model beside %s is known as %s: it runs on that", core.CleanLine(parent), tier), nil
		}
		name = full
	}
	if !strings.Contains(name, "/") {
		provider, _, _ := strings.Cut(parent, "/")
		name = provider + "/" + name
	}
	if name == parent {
		return parent, "", nil
	}
	if _, _, err := c.Resolve(name); err != nil {
		return "", "", err
	}
	if provider, own, _ := strings.Cut(name, "/"); provider == offline.Name && name != offlineModel {
		return "", "", &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("no model %q", core.Short(core.CleanLine(own), 60)), Hint: "the one without a provider is " + offlineModel}
	}
	return name, "", c.Check(context.Background(), name) // which waits no longer than it says
}
