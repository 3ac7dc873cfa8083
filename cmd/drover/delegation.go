package main

import (
	"encoding/json"
	"fmt"

	"drover/agents"
	"drover/core"
	"drover/core/model"
	"drover/core/schema"
	"drover/core/tool"
)

// delegation is what agents may start here, and on which terms.
func (e *engine) delegation() tool.Policy {
	return tool.Policy{
		MaySpawn: maySpawn(e.getenv), Model: e.choice.child, Guard: costGuard(e.choice.prices), Output: agents.OutputSchema, Schema: checkSchema, Plan: agents.PlanMode,
		Off: !e.settings.Subagents || e.settings.MaxDepth == 0, SyncNested: !e.settings.NestedBackground, Show: e.settings.DelegationTools,
	}
}

func checkSchema(raw json.RawMessage) error {
	_, err := schema.Compile(raw)
	return err
}

// costGuard keeps a call from choosing a model that costs more than the
// session's, as far as prices are known: a subagent then runs on the session's.
func costGuard(prices model.Prices) func(asked, session string) (use, why string) {
	return func(asked, session string) (string, string) {
		if !prices.Dearer(asked, session) {
			return asked, ""
		}
		return session, fmt.Sprintf("%s costs more than the session's model: it runs on %s", core.CleanLine(asked), core.CleanLine(session))
	}
}
