package state

import "drover/core"

func agentKeys() []Binding {
	return []Binding{
		{keys("Enter", "n"), InAgents, "lead", "start a new session led by the agent", "start", (*State).whyNotLead, (*State).lead},
		{keys("v", "l", "Right", " "), InAgents, "view agent", "all there is to say about it, to read", "view", (*State).whyNoAgent, (*State).viewAgent},
		{keys("e"), InAgents, "edit agent", "open its file in $VISUAL or $EDITOR", "edit", (*State).whyNotEdit, (*State).editAgent},
		{keys("T"), InAgents, "trust in agents", "trust the folder's agents and commands (asks first)", "trust", (*State).whyNotTrust, (*State).startTrust},
		{keys("r"), InAgents, "reload", "read all definitions again", "reload", nil, (*State).reload},
		{keys("/"), InAgents, "filter agents", "show only agents with these words; !word leaves out", "filter", (*State).whyNoAgents, (*State).startFilter},
		{keys("j", "Down"), InAgents, "agent down", "next agent", "", nil, moves(1, false)},
		{keys("k", "Up"), InAgents, "agent up", "previous agent", "", nil, moves(-1, false)},
		{keys("g", "Home"), InAgents, "first agent", "first agent", "", nil, moves(-1<<30, false)},
		{keys("G", "End"), InAgents, "last agent", "last agent", "", nil, moves(1<<30, false)},
		{keys("PgDn", "Ctrl-D"), InAgents, "agents page down", "a page down", "", nil, moves(1, true)},
		{keys("PgUp", "Ctrl-U"), InAgents, "agents page up", "a page up", "", nil, moves(-1, true)},
		{keys("!"), InAgents, "leave for the inbox", "go to the next task that needs you", "", (*State).whyNoInbox, (*State).leaveForNeed},
		{keys(":"), InAgents, "command over agents", "type a command; {complete} completes it", "command", nil, (*State).startCommand},
		{keys("?"), InAgents, "help over agents", "show all keys", "help", nil, (*State).help},
		{keys("Esc", "h", "Left"), InAgents, "leave agents", "drop the filter, or back to the tasks", "back", nil, (*State).leaveAgents},
		{keys("@", "q"), InAgents, "close agents", "back to the tasks", "", nil, (*State).closeAgents},
	}
}

func (s *State) openAgents() []Effect {
	s.closeLists()
	s.Agents.Open, s.Agents.noticed = true, true
	return nil
}

func (s *State) closeAgents() []Effect {
	s.closeLists()
	return nil
}

func (s *State) leaveAgents() []Effect {
	if s.Agents.Filter == "" {
		return s.closeAgents()
	}
	s.Agents.Filter = ""
	s.Agents.rebuild()
	return nil
}

func (s *State) leaveForNeed() []Effect {
	s.closeAgents()
	return s.nextNeed()
}

func (s *State) lead() []Effect {
	return s.open(Compose{Kind: ToNew, Agent: s.Agent().Name})
}

func (s *State) viewAgent() []Effect {
	a := s.Agent()
	var lines []string
	for _, p := range s.Parts(a) {
		lines = append(lines, p.Label)
		lines = append(lines, indent(p.Text)...)
	}
	return s.read(a.title()+" · "+a.Look().Word(), lines)
}

func (s *State) editAgent() []Effect { return []Effect{OpenFile{Path: s.Agent().Path}} }

func (s *State) reload() []Effect {
	s.Agents.asked = true
	return []Effect{Reload{}}
}

func (s *State) startTrust() []Effect {
	s.Agents.noticed = true
	s.View.Mode, s.View.Confirm = Confirming, Confirm{Trust: true}
	return nil
}

// Trusted takes over how the trust that was asked for came out.
func (s *State) Trusted(root string, err error) {
	if err != nil {
		s.Fail(err)
		return
	}
	s.say("trusted " + root + ": its agents and commands can run")
}

func (s *State) whyNoAgents() string {
	switch {
	case s.Agents.Len() > 0:
		return ""
	case s.Agents.Err != "":
		return "the agents could not be read: " + s.Agents.Err + s.Keyed("; {reload} tries again")
	case !s.Agents.loaded:
		return "the agents are being read"
	}
	return "there are no agents"
}

func (s *State) whyNoAgent() string {
	if why := s.whyNoAgents(); why != "" {
		return why
	}
	if s.Agent() == nil {
		return s.Keyed("no agent fits the filter; {leave-agents} drops it")
	}
	return ""
}

func (s *State) whyNotLead() string {
	if why := s.whyNoAgent(); why != "" {
		return why
	}
	if why := s.whyNot(s.Agent()); why != "" {
		return s.Agent().title() + ": " + why
	}
	return ""
}

func (s *State) whyNotEdit() string {
	if why := s.whyNoAgent(); why != "" {
		return why
	}
	if a := s.Agent(); a.file() == "" {
		return a.title() + " has no file: it is built in; a definition of yours with this name takes its place"
	}
	return ""
}

func (s *State) whyNotTrust() string {
	agents, commands := s.untrusted()
	switch {
	case agents+commands > 0:
		return ""
	case !s.Agents.loaded:
		return join("the agents have not been read yet", ": ", s.Agents.Err)
	}
	return "nothing in " + core.CleanLine(s.project()) + " waits for your trust"
}
