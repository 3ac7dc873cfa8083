package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

// usageJSON is what a group has used; a cost that is not known of every call is null.
type usageJSON struct {
	By     string   `json:"by"`
	Key    string   `json:"key"`
	Title  string   `json:"title"`
	Tasks  int      `json:"tasks"`
	In     int64    `json:"tokens_in"`
	Out    int64    `json:"tokens_out"`
	Cached int64    `json:"tokens_cached"`
	Cost   *float64 `json:"cost_usd"`
}

func ofUsage(by string, u core.UsageSum) usageJSON {
	j := usageJSON{By: by, Key: u.Key, Title: u.Title, Tasks: u.Tasks, In: u.In, Out: u.Out, Cached: u.Cached}
	if u.CostKnown {
		j.Cost = &u.Cost
	}
	return j
}

func (a *app) usageCmd() *cobra.Command {
	by := core.UsageByModel
	return flagged(&cobra.Command{
		Use: "usage", Short: "Tokens and cost of all sessions, added up", Args: takes(),
		RunE: a.do(func(ctx context.Context, c client, _ []string) error {
			groups, total, err := c.Usage(ctx, by)
			if err != nil {
				return err
			}
			if total.Tasks == 0 {
				total.CostKnown = true
			}
			if a.json {
				return a.emit(append(each(groups, func(u core.UsageSum) usageJSON { return ofUsage(by, u) }), ofUsage("total", total)))
			}
			return a.print(a.usageText(by, groups, total))
		}),
	}, func(c *cobra.Command) {
		c.Flags().StringVar(&by, "by", by, "`GROUP`: agent, model, day (UTC) or session")
		if err := c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(core.UsageGroups, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			c.Long = err.Error() // the flag stands above
		}
	})
}

func (a *app) usageText(by string, groups []core.UsageSum, total core.UsageSum) string {
	total.Key = "total"
	width := len(by)
	for _, u := range append(groups, total) {
		width = max(width, len([]rune(core.CleanLine(u.Key))))
	}
	width = min(width, 50)
	var b strings.Builder
	b.WriteString(a.paint.in(dim, pad(by, width)+fmt.Sprintf("  %7s %9s %9s %9s %10s", "tasks", "in", "out", "cached", "cost")) + "\n")
	for _, u := range append(groups, total) {
		line := fmt.Sprintf("%s  %7d %9s %9s %9s %10s  %s", pad(core.Short(core.CleanLine(u.Key), width), width), u.Tasks,
			state.Tokens(u.In), state.Tokens(u.Out), state.Tokens(u.Cached), costText(u.Tokens), core.CleanLine(u.Title))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// costText is a cost; where that of a part is not known, it is that much and more.
func costText(t core.Tokens) string {
	switch {
	case t.CostKnown:
		return fmt.Sprintf("$%.4f", t.Cost)
	case t.Cost > 0:
		return fmt.Sprintf("$%.4f + ?", t.Cost)
	}
	return "unknown"
}
