package coretest

import (
	"testing"
	"time"

	"drover/core"
)

// testUsage adds up by agent, model, day and session what several calls have
// used, with the unknown kept unknown; a task that is deleted takes its own with it.
func testUsage(t *testing.T, s core.Store) {
	usage := func(by string) []core.UsageSum {
		return read(t, s, func(r core.Reader) ([]core.UsageSum, error) { return r.Usage(by) })
	}
	for _, by := range append([]string{""}, core.UsageGroups...) {
		if got := usage(by); len(got) != 0 {
			t.Errorf("by %q of nothing: %+v", by, got)
		}
	}
	a, b, gone := task("a", "s"), task("b", "s"), task("gone", "s2")
	a.Agent, b.Agent, gone.Agent = "main", "explore", "explore"
	insertTasks(t, s, a, b, gone)
	monday := time.Date(2026, 11, 2, 23, 59, 59, 0, time.UTC)
	update(t, s, func(tx core.Tx) error {
		for _, u := range []struct {
			task, model string
			at          time.Time
			t           core.Tokens
		}{
			{"a", "p/dear", monday, core.Tokens{In: 10, Out: 1, Cached: 5, Cost: 0.5, CostKnown: true}},
			{"a", "p/dear", monday, core.Tokens{In: 10, Out: 1, Cost: 0.25, CostKnown: true}},
			{"a", "p/new", monday.Add(time.Second), core.Tokens{In: 100, Out: 10}},
			{"b", "p/dear", monday.Add(time.Second), core.Tokens{In: 1, Out: 2, CostKnown: true}},
			{"gone", "p/dear", monday, core.Tokens{In: 1, Out: 2, Cost: 9, CostKnown: true}},
		} {
			if err := tx.AddUsage(u.task, u.model, u.at, u.t); err != nil {
				return err
			}
		}
		return tx.DeleteTask("gone")
	})
	is := func(key string, tasks int, in, out, cached int64, cost float64, known bool) core.UsageSum {
		return core.UsageSum{Key: key, Tasks: tasks, Tokens: core.Tokens{In: in, Out: out, Cached: cached, Cost: cost, CostKnown: known}}
	}
	same(t, "total", usage(""), []core.UsageSum{is("", 2, 121, 14, 5, 0.75, false)})
	same(t, "by agent", usage(core.UsageByAgent), []core.UsageSum{is("main", 1, 120, 12, 5, 0.75, false), is("explore", 1, 1, 2, 0, 0, true)})
	same(t, "by model", usage(core.UsageByModel), []core.UsageSum{is("p/dear", 2, 21, 4, 5, 0.75, true), is("p/new", 1, 100, 10, 0, 0, false)})
	same(t, "by day", usage(core.UsageByDay), []core.UsageSum{is("2026-11-03", 2, 101, 12, 0, 0, false), is("2026-11-02", 1, 20, 2, 5, 0.75, true)})
	same(t, "by session", usage(core.UsageBySession), []core.UsageSum{is("s", 2, 121, 14, 5, 0.75, false)})
}
