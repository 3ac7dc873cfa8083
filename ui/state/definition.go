package state

import (
	"encoding/json"

	"drover/core"
)

// Definition is the agent a task was started with, as far as it can be read back.
func Definition(sp core.Spec) core.Agent {
	var a core.Agent
	if json.Unmarshal(sp.Agent, &a) != nil {
		return core.Agent{}
	}
	return a
}

// SourceOf is the file the agent came from, or "bundled".
func SourceOf(sp core.Spec) string { return Definition(sp).Source }
