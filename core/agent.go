package core

import (
	"context"
	"encoding/json"
	"time"
)

// Agent is a definition: what a task of it is told, may use, and is limited by.
// The catalogue of package agents makes it from a file; Prompt and everything
// else in it is the author's, already mapped to drover's words.
type Agent struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"display_name,omitempty"`
	Description string          `json:"description"`
	Prompt      string          `json:"-"`
	Tools       []string        `json:"tools"` // drover's names, less the disallowed ones; nil means every tool
	Rules       []string        `json:"rules,omitempty"`
	Permissions []Permission    `json:"permissions,omitempty"`   // in order, the last that fits counts: what is denied is denied to everybody
	Append      bool            `json:"append_prompt,omitempty"` // Prompt comes after that of the task's parent
	Model       string          `json:"model,omitempty"`         // "", "inherit", a tier, or provider/model
	Effort      string          `json:"effort,omitempty"`        // one of Efforts; "": the setting's
	ReadOnly    bool            `json:"read_only,omitempty"`
	Background  bool            `json:"background,omitempty"` // runs in the background unless told otherwise
	Limits      AgentLimits     `json:"limits,omitzero"`
	Spawns      []string        `json:"spawns,omitzero"` // which agents its tasks may start: names, or "*"; nil: what its tools say
	Output      json.RawMessage `json:"output_schema,omitempty"`
	MCPServers  json.RawMessage `json:"mcp_servers,omitempty"` // as declared, by name
	Aliases     []string        `json:"aliases,omitempty"`
	Source      string          `json:"source"` // "bundled", or the file it came from
}

// After is the agent's prompt as a task has it that a task with that prompt has started.
func (a Agent) After(parent string) string {
	if !a.Append || parent == "" {
		return a.Prompt
	}
	return parent + "\n\n" + a.Prompt
}

// Efforts are how hard a model that reasons may be told to try, from not at all on.
var Efforts = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// AgentLimits of one task of an agent. Zero means the setting's; a negative
// timeout or budget means none.
type AgentLimits struct {
	MaxTurns    int           `json:"max_turns,omitempty"`       // model calls in one turn; then a grace turn
	Timeout     time.Duration `json:"timeout_ns,omitempty"`      // of one turn, without the time a person is asked
	IdleTimeout time.Duration `json:"idle_timeout_ns,omitempty"` // without an event (a finished answer, call or turn)
	Requests    int           `json:"requests,omitempty"`        // soft budget of model calls: notice, forced hand-in, hard stop
	Tokens      int64         `json:"tokens,omitempty"`          // of the task and everything under it
	Cost        float64       `json:"cost_usd,omitempty"`        // of the task and everything under it
	Temperature *float64      `json:"temperature,omitempty"`
}

// Catalog knows which agents exist, asked anew for each delegation.
type Catalog interface {
	// Find returns the agent of that exact name or alias; otherwise
	// CodeUnknownAgent with the names there are.
	Find(ctx context.Context, dir, name string) (Agent, error)
	// List returns all, by name.
	List(ctx context.Context, dir string) ([]Agent, error)
}
