package state

import (
	"encoding/json"
	"slices"
	"strings"

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

// Taken is a reason for which tools were taken away, and which.
type Taken struct {
	Why   string
	Tools []string
}

// TakenAway says which tools of the selected task's definition it was not
// given, and why: the definition as it is now in the catalogue is compared
// with what the task was started with. It says nothing where the definition is
// not there any more.
func (s *State) TakenAway(in core.Inside) []Taken {
	n := s.Selected()
	a := Definition(in.Spec)
	i := slices.IndexFunc(s.Agents.all, func(x Agent) bool { return x.Name == a.Name && x.Path == a.Source })
	if n == nil || in.Spec.Tools == nil {
		return nil
	}
	var missing []string
	switch {
	case i >= 0 && s.Agents.all[i].Tools != nil:
		missing = without(s.Agents.all[i].Tools, in.Spec.Tools)
	case i >= 0:
		return []Taken{{Why: s.whyLess(in), Tools: []string{"all others: the definition has every tool"}}}
	}
	var out []Taken
	if in.Parent != nil && in.Parent.Tools != nil {
		if by := without(missing, in.Parent.Tools); len(by) > 0 {
			out = append(out, Taken{"its parent has not got them, and a child never has more", by})
			missing = without(missing, by)
		}
	}
	if len(missing) > 0 {
		out = append(out, Taken{s.whyLess(in), missing})
	}
	return out
}

func (s *State) whyLess(in core.Inside) string {
	ses, _ := s.Tree.Session(s.Tree.Selected)
	switch {
	case ses.Plan:
		return "the session only plans: nothing in it changes anything"
	case in.Parent != nil && in.Parent.Tools != nil:
		return "its parent has not got them, and a child never has more"
	}
	return "the definition was another when the task was started"
}

func without(all, some []string) []string {
	var out []string
	for _, t := range all {
		if !slices.Contains(some, t) {
			out = append(out, t)
		}
	}
	return out
}

// Spawns says in words which agents a task may start.
func Spawns(sp core.Spec) string {
	a := Definition(sp)
	has := sp.Tools == nil || slices.Contains(sp.Tools, "task")
	switch {
	case !has:
		return "none: it has not got the tool task"
	case a.Spawns == nil || slices.Contains(a.Spawns, "*"):
		return "any"
	case len(a.Spawns) == 0:
		return "none"
	}
	return strings.Join(a.Spawns, ", ")
}
