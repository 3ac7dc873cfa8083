package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/core/model"
	"drover/core/model/anthropic"
	"drover/core/model/offline"
	"drover/core/model/openai"
	"drover/core/model/responses"
	"drover/core/model/retry"
)

// askWithin is how long all providers together may take to list their models.
const askWithin = 10 * time.Second

// providers are the offline model and those whose key or address the environment
// names. Transient faults are tried again, before anything of an answer has arrived.
func providers(s config.Settings) *model.Registry {
	return model.NewRegistry(model.RegistryOptions{
		Providers: model.Detect(os.Getenv), Prices: model.DefaultPrices(),
		Open:  map[model.Wire]func(model.Options) core.Model{model.WireAnthropic: anthropic.New, model.WireChat: openai.New, model.WireResponses: responses.New},
		Wrap:  func(_ string, m core.Model) core.Model { return retry.New(m, retry.Options{}) },
		Fixed: map[string]core.Model{offline.Name: offline.New(offline.Options{Pace: s.OfflinePace})},
	})
}

// models finds a model by "provider/model".
func models(s config.Settings) func(string) (core.Model, string, error) {
	known := providers(s)
	return func(name string) (core.Model, string, error) {
		if !strings.Contains(name, "/") { // a tier is the session's model: the caller's part
			return nil, "", &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("no model %q", core.Short(core.CleanLine(name), 60)), Hint: "name it as provider/model, such as offline/rules"}
		}
		return known.Resolve(name)
	}
}

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
			for _, r := range providers(settings).List(ctx) {
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
