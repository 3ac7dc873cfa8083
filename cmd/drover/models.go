package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/core/model"
	"drover/core/model/offline"
)

// askWithin is how long all providers together may take to list their models.
const askWithin = 10 * time.Second

// providerJSON is a provider as `models --json` lists it.
type providerJSON struct {
	Provider string      `json:"provider"`
	Problem  string      `json:"problem"` // why it cannot be used, or ""
	Models   []modelJSON `json:"models"`
	unlisted bool        // the server is there: it may have models that can be named
}

// modelJSON is a model; prices are US dollars for a million tokens, null is not known.
type modelJSON struct {
	Model   string   `json:"model"`
	In      *float64 `json:"price_in"`
	Out     *float64 `json:"price_out"`
	Cached  *float64 `json:"price_cached"`
	Context *int64   `json:"context"`
	Tiers   []string `json:"tiers"`
	Default bool     `json:"default"`
}

func (a *app) modelsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "models", Short: "Which model providers can be reached, their models, prices and contexts", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Load(a.getenv)
			if err != nil {
				return err
			}
			known, err := openChoice(a.getenv, settings)
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(cmd.Context(), askWithin)
			defer stop()
			all := known.listed(ctx)
			if a.json {
				return a.emit(all)
			}
			return a.print(a.modelsText(all))
		},
	}
}

// listed asks every provider for its models.
func (c *choice) listed(ctx context.Context) []providerJSON {
	reach := c.List(ctx)
	usual, _, err := c.named(ctx, c.settings.Model)
	if err != nil {
		usual = "" // a setting that cannot be used marks nothing; doctor tells
	}
	all := []providerJSON{{Provider: offline.Name, Models: []modelJSON{c.row(model.Listed{Provider: offline.Name, Model: "rules", PriceKnown: true}, usual)}}}
	for _, r := range reach {
		p := providerJSON{Provider: r.Provider.Name, Models: []modelJSON{}}
		if r.Problem != nil {
			p.Problem = core.CleanLine(r.Problem.Error())
			if r.Provider.Key == nil && !r.Provider.Usable {
				p.Problem += ": " + core.HintOf(r.Problem)
			}
			if f, ok := model.FaultOf(r.Problem); ok && f.Class == model.ClassNotFound {
				p.unlisted = true
				p.Problem = "it answers, but lists no models: name one, as " + p.Provider + "/NAME (or is " + core.CleanLine(r.Provider.BaseURL) + " not its address?)"
			}
		}
		for _, l := range r.Models {
			p.Models = append(p.Models, c.row(l, usual))
		}
		all = append(all, p)
	}
	return all
}

func (c *choice) row(l model.Listed, usual string) modelJSON {
	full := l.Provider + "/" + l.Model
	m := modelJSON{Model: core.CleanLine(full), Tiers: []string{}, Default: full == usual}
	for _, tier := range config.Tiers {
		if own := c.settings.Tiers[tier]; own == full || own == "" && l.Tier == tier {
			m.Tiers = append(m.Tiers, tier)
		}
	}
	if l.PriceKnown {
		m.In, m.Out, m.Cached = &l.Price.In, &l.Price.Out, &l.Price.CacheRead
	}
	if n := max(c.contexts[full], 0); n > 0 {
		l.Context = n
	}
	if l.Context > 0 {
		m.Context = &l.Context
	}
	return m
}

func (a *app) modelsText(all []providerJSON) string {
	var b strings.Builder
	width := 0
	for _, p := range all {
		for _, m := range p.Models {
			width = max(width, len([]rune(m.Model)))
		}
	}
	width = min(width, 60)
	b.WriteString(a.paint.in(dim, pad("", width+6)+fmt.Sprintf("%9s %9s %9s %9s", "$/M in", "out", "cached", "context")) + "\n")
	for _, p := range all {
		if p.Problem != "" {
			mark := "✗ "
			if p.unlisted {
				mark = "○ "
			}
			b.WriteString(a.paint.in(dim, pad(p.Provider, 11)+mark+p.Problem) + "\n")
			continue
		}
		b.WriteString(a.paint.in(green, pad(p.Provider, 11)+"●") + " " + counted(len(p.Models), "model") + "\n")
		for _, m := range p.Models {
			marks := slices.Clone(m.Tiers)
			if m.Default {
				marks = append(marks, "default")
			}
			context := "?"
			if m.Context != nil {
				context = fmt.Sprintf("%dk", (*m.Context+500)/1000)
			}
			line := fmt.Sprintf("    %s  %9s %9s %9s %9s  %s", pad(m.Model, width), priceText(m.In), priceText(m.Out), priceText(m.Cached), context, strings.Join(marks, ", "))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// priceText is a price; one that is not known is no 0.
func priceText(p *float64) string {
	if p == nil {
		return "?"
	}
	return fmt.Sprintf("%.4g", *p)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
