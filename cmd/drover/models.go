package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/core/model/offline"
)

// askWithin is how long all providers together may take to list their models.
const askWithin = 10 * time.Second

// modelJSON is a provider as `models --json` lists it.
type modelJSON struct {
	Provider string   `json:"provider"`
	Problem  string   `json:"problem"` // why it cannot be used, or ""
	Models   []string `json:"models"`
}

func (a *app) modelsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "models", Short: "Which model providers can be reached, and their models", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Load(a.getenv)
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(cmd.Context(), askWithin)
			defer stop()
			all := []modelJSON{{Provider: offline.Name, Models: []string{offline.Name + "/rules"}}}
			known, err := openChoice(a.getenv, settings)
			if err != nil {
				return err
			}
			for _, r := range known.List(ctx) {
				m := modelJSON{Provider: r.Provider.Name, Models: []string{}}
				if r.Problem != nil {
					m.Problem = core.CleanLine(r.Problem.Error())
				}
				for _, l := range r.Models {
					m.Models = append(m.Models, core.CleanLine(r.Provider.Name+"/"+l.Model))
				}
				all = append(all, m)
			}
			if a.json {
				return a.emit(all)
			}
			var b strings.Builder
			for _, m := range all {
				if m.Problem != "" {
					b.WriteString(a.paint.in(dim, pad(m.Provider, 11)+"✗ "+m.Problem) + "\n")
					continue
				}
				b.WriteString(a.paint.in(green, pad(m.Provider, 11)+"●") + fmt.Sprintf(" %d models\n", len(m.Models)))
				for _, name := range m.Models {
					b.WriteString("    " + name + "\n")
				}
			}
			return a.print(b.String())
		},
	}
}
