package core

import (
	"context"
	"slices"
)

// Ways to add up what was used.
const (
	UsageByAgent   = "agent"
	UsageByModel   = "model"
	UsageByDay     = "day" // in UTC, as 2006-01-02
	UsageBySession = "session"
)

// UsageGroups are all of them.
var UsageGroups = []string{UsageByAgent, UsageByModel, UsageByDay, UsageBySession}

// UsageSum is what a group of tasks has used.
type UsageSum struct {
	Key    string
	Title  string // of a session; else ""
	Tasks  int    // how many have a part in it
	Tokens        // Cost is of the calls whose cost is known; CostKnown: of all of them
}

// Usage adds up what all tasks have used, by one of UsageGroups: days and
// sessions newest first, the others dearest first. total is of everything.
func (c *Client) Usage(ctx context.Context, by string) (groups []UsageSum, total UsageSum, err error) {
	if !slices.Contains(UsageGroups, by) {
		return nil, total, Errorf(CodeInvalidInput, "usage is by agent, model, day or session, not by %s", quote(Short(CleanLine(by), 40)))
	}
	err = c.Store.View(ctx, func(r Reader) error {
		if groups, err = r.Usage(by); err != nil {
			return err
		}
		all, err := r.Usage("")
		if len(all) > 0 {
			total = all[0]
		}
		return err
	})
	return groups, total, err
}
