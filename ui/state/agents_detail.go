package state

import (
	"fmt"
	"path/filepath"
	"strings"

	"drover/core"
)

// maxPart bounds one text of a definition on the screen, in characters.
const maxPart = 8000

// Part is a line, or several, about a definition: what it is called, and what it says.
type Part struct {
	Label, Text string
	Bad         bool
}

// Parts are what there is to say about an agent.
func (s *State) Parts(a *Agent) []Part {
	var ps []Part
	add := func(label, text string) {
		if text = clean(text); text != "" {
			ps = append(ps, Part{Label: label, Text: text})
		}
	}
	if why := s.whyNot(a); why != "" {
		ps = append(ps, Part{Label: a.Look().Word(), Text: why, Bad: a.Look() == AgentProblem})
	}
	if a.Display != a.Name {
		add("called", a.Display)
	}
	add("purpose", a.Description)
	for _, p := range a.Problems {
		ps = append(ps, p.part())
	}
	add("source", a.Path)
	add("from", strings.Join(words(a.Scope, a.Family, a.Dialect), " · "))
	add("shadowed by", a.ShadowedBy)
	for i := range s.Agents.all {
		if o := &s.Agents.all[i]; o.Name == a.Name && o.Look() == AgentShadowed && o.ShadowedBy == a.Path && o.id() != a.id() {
			add("shadows", o.Path)
		}
	}
	if a.Look() == AgentProblem { // the rest was not read
		return ps
	}
	add("tools", a.tools())
	if a.Model == "" {
		add("model", "that of its caller, or the setting's")
	} else {
		add("model", a.Model)
	}
	add("limits", a.Limits.words())
	if a.Background {
		add("runs", "in the background")
	}
	if a.PromptChars > 0 {
		add("prompt", plural(a.PromptChars, "character", "characters"))
	}
	return ps
}

// file is the path of a definition that a person can open; "" for one that is built in.
func (a *Agent) file() string {
	if a.Scope == "bundled" || !filepath.IsAbs(a.Path) {
		return ""
	}
	return a.Path
}

// clean is untrusted text made fit to be shown.
func clean(text string) string {
	return strings.TrimSpace(core.Clean(core.Short(text, maxPart)))
}

func words(parts ...string) []string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, core.CleanLine(core.Short(p, 200)))
		}
	}
	return some
}

func (a *Agent) tools() string {
	text := "all"
	switch {
	case a.Tools != nil && len(a.Tools) == 0:
		text = "none"
	case a.Tools != nil:
		text = strings.Join(words(a.Tools...), ", ")
	}
	if a.ReadOnly {
		text += " · read-only"
	}
	return text
}

func (l Limits) words() string {
	var parts []string
	if l.MaxTurns > 0 {
		parts = append(parts, plural(l.MaxTurns, "model call", "model calls")+" a turn")
	}
	if l.TimeoutMinutes > 0 {
		parts = append(parts, plural(l.TimeoutMinutes, "minute", "minutes"))
	}
	return strings.Join(parts, " · ")
}

func (p *Problem) part() Part {
	var at []string
	if p.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", p.Line))
	}
	text := join(strings.Join(append(at, words(p.Field)...), " · "), ": ", clean(p.Message))
	if len(at) == 0 && p.Field == "" {
		text = clean(p.Message)
	}
	if r := clean(p.Repair); r != "" {
		text += "\nrepair: " + r
	}
	label := core.CleanLine(core.Short(p.Severity, 20))
	if label == "" {
		label = "problem"
	}
	return Part{Label: label, Text: text, Bad: label != "warning"}
}

// whyNot says why the agent cannot lead a session, and the way out; "" when it can.
func (s *State) whyNot(a *Agent) string {
	reason := core.Short(clean(a.Reason), 300)
	switch a.Look() {
	case AgentShadowed:
		why := join("the name means "+core.CleanLine(core.Short(a.ShadowedBy, 300)), ": ", reason)
		if a.file() == "" {
			return why
		}
		return why + s.Keyed("; another name in this file gives you both; {edit-agent} opens it")
	case AgentUntrusted:
		return join("it comes with a folder you have not trusted", ": ", reason) + s.Keyed("; {trust-in-agents} trusts it")
	case AgentDisabled:
		return join("it is disabled", ": ", reason) + s.Keyed("; the settings or its file enable it; {edit-agent} opens it")
	case AgentProblem:
		if reason == "" && len(a.Problems) > 0 {
			reason = core.Short(core.CleanLine(core.Short(a.Problems[0].Message, 400)), 200)
		}
		return join("it cannot be loaded", ": ", reason) + s.Keyed("; {view-agent} shows all that is wrong; {edit-agent} opens its file")
	}
	return ""
}

// sources are the folders that the untrusted definitions lie in, seen from the project.
func (s *State) sources() []string {
	var dirs []string
	seen := map[string]bool{}
	add := func(path, state string) {
		if lookNamed(state) != AgentUntrusted || !filepath.IsAbs(path) {
			return
		}
		dir := filepath.Dir(path)
		if rel, err := filepath.Rel(s.project(), dir); err == nil && filepath.IsLocal(rel) {
			dir = rel
		}
		if dir = core.CleanLine(core.Short(dir, 80)); !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	for i := range s.Agents.all {
		add(s.Agents.all[i].Path, s.Agents.all[i].State)
	}
	for i := range s.Agents.commands {
		add(s.Agents.commands[i].Path, s.Agents.commands[i].State)
	}
	return dirs
}

func (s *State) project() string {
	if s.Config.Project != "" {
		return s.Config.Project
	}
	return s.Config.Dir
}

// trustText asks for trust, naming what it is for; "" when nothing waits for it.
func (s *State) trustText() string {
	agents, commands := s.untrusted()
	if agents+commands == 0 {
		return ""
	}
	text := "trust " + core.CleanLine(s.project()) + "? It brings " + brings(agents, commands)
	if dirs := s.sources(); len(dirs) > 0 {
		text += " in " + names(dirs, 4)
	}
	var who []string
	for i := range s.Agents.all {
		if a := &s.Agents.all[i]; a.Look() == AgentUntrusted {
			who = append(who, core.Short(a.title(), 30))
		}
	}
	if len(who) > 0 {
		text += " (" + names(who, 8) + ")"
	}
	return text + ". Trusted, they can run tools on this machine as you, and its hooks (drover hooks) run too."
}
