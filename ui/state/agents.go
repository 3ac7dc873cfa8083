package state

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// Agent is one definition of the catalogue, as its file has it: untrusted text.
type Agent struct {
	Name, Display, Description string
	Dialect, Family            string
	Scope                      string // project, user, plugin, bundled
	Path                       string // its file; not absolute where there is none to open
	State                      string // available, shadowed, untrusted, disabled, problem
	Reason                     string // why it is not available
	ShadowedBy                 string // the file that has the name
	Model                      string
	Tools                      []string // nil: all
	ReadOnly, Background       bool
	PromptChars                int
	Limits                     Limits
	Problems                   []Problem
}

// Limits of one task of an agent; zero means the setting's.
type Limits struct{ MaxTurns, TimeoutMinutes int }

// Problem is something wrong in a definition's file.
type Problem struct {
	Severity string // error, warning
	Line     int    // 0: of the whole file
	Field    string
	Message  string
	Repair   string // what would put it right
}

// Command is a workflow command: /name in the composer.
type Command struct {
	Name, Description string
	Hint              string // what follows the name
	Path              string
	State             string // as an agent's
	Reason            string
}

// Catalogue is what there is at one moment.
type Catalogue struct {
	Agents   []Agent
	Commands []Command
	Err      error // what was read before stays
}

// AgentLook is how a definition is shown: one glyph and one word.
type AgentLook int

// The looks there are.
const (
	AgentAvailable AgentLook = iota
	AgentShadowed
	AgentUntrusted
	AgentDisabled
	AgentProblem
	agentLooks
)

// Glyph is one column wide, and none of a task's.
func (l AgentLook) Glyph() string { return [agentLooks]string{"◆", "◇", "?", "–", "×"}[l] }

// Word says the same; it is the engine's word for the state.
func (l AgentLook) Word() string {
	return [agentLooks]string{"available", "shadowed", "untrusted", "disabled", "problem"}[l]
}

func lookNamed(word string) AgentLook {
	for l := range agentLooks {
		if l.Word() == word {
			return l
		}
	}
	return AgentProblem // a state that is not known here cannot be run here
}

// Look is how the agent is shown.
func (a *Agent) Look() AgentLook { return lookNamed(a.State) }

// title is the agent's name, short and clean.
func (a *Agent) title() string { return core.Short(core.CleanLine(core.Short(a.Name, 400)), 60) }

// Agents is the catalogue, and the pane that shows it.
type Agents struct {
	Open     bool
	Rows     []int // of what the filter lets through
	Filter   string
	Err      string
	all      []Agent // by name; of one name in the order of the search
	hay      []string
	commands []Command
	selected string // a definition, never a position
	at       int
	loaded   bool
	asked    bool // the person wants to hear that it has been read
	noticed  bool // the person knows of what is not trusted
	counts   string
	waits    struct{ agents, commands int } // for the person's trust
}

// At is the row under the cursor.
func (a *Agents) At() int { return a.at }

// Row is the definition in a row.
func (a *Agents) Row(i int) *Agent { return &a.all[a.Rows[i]] }

// Len is how many definitions there are, shown or not.
func (a *Agents) Len() int { return len(a.all) }

// Loaded reports whether the catalogue has been read at all.
func (a *Agents) Loaded() bool { return a.loaded }

// Agent is the definition under the cursor, or nil.
func (s *State) Agent() *Agent {
	if s.Agents.at >= len(s.Agents.Rows) {
		return nil
	}
	return s.Agents.Row(s.Agents.at)
}

// Looks reports whether the catalogue is on the screen and has to be kept up to date.
func (s *State) Looks() bool {
	_, _, slash := s.slash()
	return s.Agents.Open || slash
}

// SetCatalogue takes over what has been read.
func (s *State) SetCatalogue(c Catalogue) {
	a := &s.Agents
	asked := a.asked
	a.asked = false
	if c.Err != nil {
		a.Err = core.CleanLine(join(c.Err.Error(), " · ", core.HintOf(c.Err)))
		if asked {
			s.fail(a.Err)
		}
		return
	}
	a.Err, a.all, a.commands = "", slices.Clone(c.Agents), nil
	slices.SortStableFunc(a.all, func(x, y Agent) int {
		return cmp.Or(cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)), cmp.Compare(x.Name, y.Name))
	})
	a.hay = a.hay[:0]
	for i := range a.all {
		a.all[i].Description = core.Short(a.all[i].Description, maxPart)
		a.hay = append(a.hay, a.all[i].hay())
	}
	for _, x := range c.Commands { // one that cannot be typed cannot be sent
		if x.Name != "" && len(x.Name) < 200 && core.CleanLine(x.Name) == x.Name && !strings.ContainsAny(x.Name, " /") {
			a.commands = append(a.commands, x)
		}
	}
	slices.SortStableFunc(a.commands, func(x, y Command) int { return cmp.Compare(x.Name, y.Name) })
	a.count()
	a.rebuild()
	if !a.loaded && a.waits.agents+a.waits.commands == 0 { // what comes later is no news of the start
		a.noticed = true
	}
	a.loaded = true
	if text := s.Notice(); text != "" && s.View.Page < 4 { // no room for a banner
		s.say(text)
		a.noticed = true
	}
	if asked {
		s.say("read again: " + a.counts)
	}
	if s.View.Mode == Confirming {
		s.reconfirm()
	}
}

func (a *Agent) hay() string {
	parts := []string{a.Name, a.Display, core.Short(a.Description, 2000), a.Dialect, a.Family, a.Scope, a.Path, a.Look().Word(), a.Model}
	if len(a.Problems) > 0 {
		parts = append(parts, "problems")
	}
	return strings.ToLower(core.Clean(strings.Join(parts, "\n")))
}

func (a *Agent) id() string { return a.Scope + "\n" + a.Path + "\n" + a.Name }

// rebuild makes the rows anew and keeps the cursor on its definition, or where that was.
func (a *Agents) rebuild() {
	words := strings.Fields(strings.ToLower(a.Filter))
	a.Rows = a.Rows[:0]
	found := -1
	for i := range a.all {
		if !fits(a.hay[i], words) {
			continue
		}
		if id := a.all[i].id(); id == a.selected && (found < 0 || len(a.Rows) <= a.at) {
			found = len(a.Rows)
		}
		a.Rows = append(a.Rows, i)
	}
	if found >= 0 {
		a.at = found
	}
	a.move(0)
}

func (a *Agents) move(by int) {
	a.at = max(0, min(a.at+by, len(a.Rows)-1))
	if len(a.Rows) > 0 {
		a.selected = a.Row(a.at).id()
	}
}

// Counts sums the catalogue up: 12 available · 3 shadowed.
func (a *Agents) Counts() string { return a.counts }

// count sums up what has been read, once, so that drawing need not.
func (a *Agents) count() {
	var n [agentLooks]int
	flawed := 0
	for i := range a.all {
		look := a.all[i].Look()
		n[look]++
		if look != AgentProblem && len(a.all[i].Problems) > 0 {
			flawed++
		}
	}
	a.waits.agents, a.waits.commands = n[AgentUntrusted], 0
	for i := range a.commands {
		if lookNamed(a.commands[i].State) == AgentUntrusted {
			a.waits.commands++
		}
	}
	var parts []string
	for _, l := range []AgentLook{AgentAvailable, AgentProblem, AgentUntrusted, AgentDisabled, AgentShadowed} {
		if n[l] > 0 && l == AgentProblem {
			parts = append(parts, plural(n[l], "problem", "problems"))
		} else if n[l] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[l], l.Word()))
		}
	}
	if flawed > 0 {
		parts = append(parts, fmt.Sprintf("%d with warnings", flawed))
	}
	if a.counts = strings.Join(parts, " · "); a.counts == "" {
		a.counts = "none"
	}
}

// untrusted counts what waits for the person's trust.
func (s *State) untrusted() (agents, commands int) {
	return s.Agents.waits.agents, s.Agents.waits.commands
}

func brings(agents, commands int) string {
	switch {
	case commands == 0:
		return plural(agents, "agent", "agents")
	case agents == 0:
		return plural(commands, "command", "commands")
	}
	return plural(agents, "agent", "agents") + " and " + plural(commands, "command", "commands")
}

// Notice tells, until it has been dismissed, of what is not trusted; "" for nothing.
func (s *State) Notice() string {
	agents, commands := s.untrusted()
	if s.Agents.noticed || agents+commands == 0 {
		return ""
	}
	return "this folder brings " + brings(agents, commands) + " you have not trusted" + s.Keyed("; {agents} shows them; {trust} trusts")
}

// fits reports whether the text has every word, and none of those after "!".
func fits(hay string, words []string) bool {
	for _, w := range words {
		not, inverse := strings.CutPrefix(w, "!")
		if not != "" && strings.Contains(hay, not) == inverse {
			return false
		}
	}
	return true
}
