package agents

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

//go:embed plan-mode.md
var planMode string

//go:embed delegation.md
var delegationPolicy string

// BlockedEnv is the variable that tells a process which agent it may not start
// again: the one that it runs for.
const BlockedEnv = "DROVER_BLOCKED_AGENT"

// Spawns says which agents a task of this one may start: all of them, or those
// named. Without a word about it the tools decide: who has task, or a form of it, may start any.
func Spawns(a core.Agent) (names []string, all bool) {
	switch {
	case a.Spawns == nil:
		return nil, a.Tools == nil || startsAgents(a.Tools)
	case slices.Contains(a.Spawns, "*"):
		return nil, true
	}
	return a.Spawns, false
}

// MaySpawn says whether a task of the agent may start one of that name, which
// is an agent's own name and not an alias.
func MaySpawn(a core.Agent, name string) error {
	names, all := Spawns(a)
	if all || slices.Contains(names, name) {
		return nil
	}
	allowed := "none"
	if len(names) > 0 {
		allowed = some(slices.Clone(names))
	}
	return &core.Error{
		Code: core.CodeDenied, Message: fmt.Sprintf("%s may not start %q", core.Short(a.Name, 60), core.Short(core.CleanLine(name), 60)),
		Hint: "allowed: " + allowed,
	}
}

// Recursion refuses to start the agent that blocked names, the value of BlockedEnv.
func Recursion(blocked, name string) error {
	if blocked == "" || blocked != name {
		return nil
	}
	return &core.Error{
		Code: core.CodeDenied, Message: fmt.Sprintf("%q may not start itself", core.Short(core.CleanLine(name), 60)),
		Hint: "do the work in this task, or choose another agent",
	}
}

// OutputSchema is the schema that a task's answer must fit: the agent's, else
// the call's, else the session's. JSON null is none.
func OutputSchema(agent, call, session json.RawMessage) json.RawMessage {
	for _, s := range []json.RawMessage{agent, call, session} {
		if text := strings.TrimSpace(string(s)); text != "" && text != "null" {
			return s
		}
	}
	return nil
}

// PlanMode is the agent as it may run while the session only plans: with tools
// that change nothing, starting nobody, and told so. Run the agent that this
// returns; the one that was given has all its tools.
func PlanMode(a core.Agent) core.Agent {
	from := a.Tools
	if from == nil {
		from = toolNames(&Options{})
	}
	tools := []string{}
	for _, n := range from {
		if readsOnly(n) && n != "task_complete" {
			tools = append(tools, n)
		}
	}
	a.Tools, a.Spawns, a.Rules, a.ReadOnly = tools, []string{}, nil, true
	a.Prompt = strings.TrimSpace(planMode) + "\n\n" + a.Prompt
	return a
}

// DelegationPolicy is what a model that may start agents is told of them:
// when to, and whom there is. It is "" where there is nobody to start.
func DelegationPolicy(s Snapshot, parent core.Agent) string {
	var list strings.Builder
	for _, d := range s.Offered() {
		if MaySpawn(parent, d.Name) != nil {
			continue
		}
		fmt.Fprintf(&list, "- `%s`: %s\n", core.CleanLine(d.Name), core.Short(core.CleanLine(d.Description), 300))
	}
	if list.Len() == 0 {
		return ""
	}
	return strings.TrimSpace(delegationPolicy) + "\n\n" + list.String()
}
