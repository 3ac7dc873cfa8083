package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"drover/agents"
	"drover/core"
)

// agentJSON is an agent as `agents --json` lists it.
type agentJSON struct {
	core.Agent
	Prompt string `json:"prompt"`
}

func (a *app) agentsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "agents", Short: "Which agents there are", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			catalog, err := agents.Bundled()
			if err != nil {
				return err
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			all, err := catalog.List(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(each(all, func(g core.Agent) agentJSON { return agentJSON{g, g.Prompt} }))
			}
			var b strings.Builder
			for _, g := range all {
				tools := "every tool"
				if g.Tools != nil {
					tools = strings.Join(g.Tools, ", ")
				}
				fmt.Fprintf(&b, "%s  %s\n", a.paint.in(bold, pad(core.CleanLine(g.Name), 12)), fit(core.CleanLine(g.Description), max(0, a.paint.width-14)))
				fmt.Fprintf(&b, "%s  %s · %s\n", strings.Repeat(" ", 12), core.CleanLine(g.Source), fit(core.CleanLine(tools), max(0, a.paint.width-30)))
			}
			return a.print(b.String())
		},
	}
}
