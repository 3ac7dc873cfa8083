package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"drover/core"
)

// Scope says whose a definition is.
type Scope string

// The scopes. A project's definitions need trust, the others run at once.
const (
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
	ScopePlugin  Scope = "plugin"
	ScopeBundled Scope = "bundled"
)

// State says whether a definition can be used.
type State string

// The states. Only an available definition is found by its name.
const (
	Available State = "available"
	Shadowed  State = "shadowed"  // an earlier one has its name
	Untrusted State = "untrusted" // of a folder, or with a content, that the person has not trusted
	Disabled  State = "disabled"  // by the settings or by the file itself
	Faulty    State = "problem"   // it cannot be loaded; Problems says why
)

// Origin is where a definition came from.
type Origin struct {
	Dialect string // of the text: drover, claude, copilot, gemini, codex, opencode, pi, xcsh, subagent, cursor, factory, kiro, kilo, junie
	Family  string // of the directory: ".claude", "plugin", "bundled" …
	Scope   Scope
	Path    string // the file; "bundled/explore.md" for an embedded one
	Root    string // the folder whose trust counts, in project scope
	Hash    string // sha256 of the file's content, in hex
}

// Definition is what one file says about one agent. Agent holds it in drover's
// words. Definitions are shared between snapshots: read them, do not change them.
type Definition struct {
	core.Agent
	Origin
	State      State
	Reason     string // why it is not available
	ShadowedBy string // the path of what has its name

	Declared   Declared
	Remote     *Remote // set where the agent runs elsewhere (A2A)
	NotOffered bool    // a person may start it, a model is not told of it
	LeadOnly   bool    // it leads sessions and is no subagent
	Kept       map[string]any
	Problems   []Problem

	off  string   // why the file itself disables it
	refs []string // other files this one was made from
}

// Declared is what the author wrote, in the author's words. A nil list was not written.
type Declared struct {
	Tools      []string
	Disallowed []string
	Models     []string // in order of preference
}

// Remote is an agent that another server runs.
type Remote struct {
	CardURL  string
	CardJSON string
	Auth     map[string]any // as written; a $NAME in it is resolved when a request is made
}

// Severity of a problem.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the definition cannot be loaded
	Warning Severity = "warning" // it is loaded, after a repair or with something lost
	Info    Severity = "info"    // it is loaded; something in it has no effect in drover
)

// Problem is one fault in a file. Line and Column count from 1; 0 is unknown.
type Problem struct {
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Field    string   `json:"field"`
	Message  string   `json:"message"`
	Repair   string   `json:"repair"` // what was done about it, or is to be done
}

// flat is a Definition as JSON, one object a definition.
type flat struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"display_name"`
	Description string          `json:"description"`
	Dialect     string          `json:"dialect"`
	Family      string          `json:"family"`
	Scope       Scope           `json:"scope"`
	Path        string          `json:"path"`
	State       State           `json:"state"`
	Reason      string          `json:"reason"`
	ShadowedBy  string          `json:"shadowed_by"`
	Tools       []string        `json:"tools"`
	Declared    []string        `json:"tools_declared"`
	Disallowed  []string        `json:"disallowed_tools"`
	Model       string          `json:"model"`
	Spawns      []string        `json:"spawns"`
	MaxTurns    *int            `json:"max_turns"`
	Timeout     *float64        `json:"timeout_minutes"`
	Temperature *float64        `json:"temperature"`
	ReadOnly    bool            `json:"read_only"`
	Background  bool            `json:"background"`
	Output      json.RawMessage `json:"output_schema"`
	MCPServers  json.RawMessage `json:"mcp_servers"`
	PromptChars int             `json:"prompt_chars"`
	Problems    []Problem       `json:"problems"`
}

// MarshalJSON gives the flat object that `drover agents --json` prints. tools
// null means all; tools_declared and model are as the author wrote them.
func (d Definition) MarshalJSON() ([]byte, error) {
	f := flat{
		Name: d.Name, DisplayName: d.DisplayName, Description: d.Description, Dialect: d.Dialect, Family: d.Family, Scope: d.Scope,
		Path: d.Path, State: d.State, Reason: d.Reason, ShadowedBy: d.ShadowedBy, Tools: d.Tools, Declared: d.Declared.Tools,
		Disallowed: d.Declared.Disallowed, Model: d.model(), Spawns: d.Spawns, Temperature: d.Limits.Temperature, ReadOnly: d.ReadOnly,
		Background: d.Background, Output: d.Output, MCPServers: d.MCPServers, PromptChars: len([]rune(d.Prompt)), Problems: d.Problems,
	}
	if d.Limits.MaxTurns > 0 {
		f.MaxTurns = &d.Limits.MaxTurns
	}
	if d.Limits.Timeout > 0 {
		m := d.Limits.Timeout.Minutes()
		f.Timeout = &m
	}
	if f.Problems == nil {
		f.Problems = []Problem{}
	}
	return json.Marshal(f)
}

// model is the model as declared, unless it was dropped.
func (d Definition) model() string {
	if d.Model == "" {
		return ""
	}
	return strings.Join(d.Declared.Models, ", ")
}

// fault returns the first error, or nil.
func (d *Definition) fault() *Problem {
	for i := range d.Problems {
		if d.Problems[i].Severity == Error {
			return &d.Problems[i]
		}
	}
	return nil
}

func (d *Definition) hasAlias(name string) bool { return slices.Contains(d.Aliases, name) }
