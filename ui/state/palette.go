package state

import (
	"cmp"
	"slices"
	"strings"
)

// Choice is one line of the command palette: something a person can do.
type Choice struct {
	Title string
	Key   string // its first key; "" where it has none
	Help  string
	Why   string // why it cannot be done now; "" when it can
	do    func(*State) []Effect
	score int
}

// Palette lists every action; what is typed narrows it down.
type Palette struct {
	Fit []Choice
	At  int
	all []Choice
}

func paletteKeys() []Binding {
	to := func(by int) func(*State) []Effect {
		return func(s *State) []Effect {
			p := &s.Home.Palette
			p.At = max(0, min(p.At+by, len(p.Fit)-1))
			return nil
		}
	}
	return []Binding{
		{keys("Ctrl-P"), OnTask, "palette", "everything that can be done, to search and run", "", nil, (*State).openPalette},
		{keys("Ctrl-P"), InAgents, "palette over agents", "everything that can be done, to search and run", "", nil, (*State).openPalette},
		{keys("Enter"), InPalette, "choose", "do it, or say why not", "do it", nil, (*State).choose},
		{keys("Down", "Ctrl-N"), InPalette, "choice down", "next action", "down", nil, to(1)},
		{keys("Up", "Ctrl-P"), InPalette, "choice up", "previous action", "up", nil, to(-1)},
		{keys("PgDn"), InPalette, "choices page down", "a page down", "", nil, to(10)},
		{keys("PgUp"), InPalette, "choices page up", "a page up", "", nil, to(-10)},
		{keys("Esc"), InPalette, "leave the palette", "back", "back", nil, (*State).toNormal},
	}
}

func (s *State) openPalette() []Effect {
	p := &s.Home.Palette
	p.all = s.choices()
	s.View.Mode, s.Input.Line = Picking, Editor{}
	s.pick()
	return nil
}

// elsewhere says why an action of another pane cannot be done here.
func (s *State) elsewhere(c Context) string {
	switch c {
	case InApproval:
		return "the selected task asks for nothing"
	case InFound:
		return s.Keyed("nothing has been searched for; {search} does")
	case InTree, InDetail:
		if !slices.Contains(s.paneContexts(), OnTask) {
			break
		}
		return "go to the " + string(c) + " first: " + s.KeyOf("other-pane")
	case OnTask:
		return "back to the tasks first"
	}
	return "it belongs to: " + string(c)
}

// choices are all actions of all panes and all commands, those that can be done here first.
func (s *State) choices() []Choice {
	var all []Choice
	here := s.paneContexts()
	for _, c := range contextOrder() {
		if typing(c) && c != Everywhere || c == InConfirm || c == InOverlay {
			continue
		}
		for i := range s.keys {
			b := &s.keys[i]
			if b.Context != c || b.Name == "palette" || b.Name == "palette over agents" {
				continue
			}
			x := Choice{Title: b.Name, Help: s.Keyed(b.Help), do: b.Do}
			if len(b.Keys) > 0 {
				x.Key = b.Keys[0].Label()
			}
			switch {
			case !slices.Contains(here, c):
				x.Why = s.elsewhere(c)
			case b.Why != nil:
				x.Why = b.Why(s)
			}
			all = append(all, x)
		}
	}
	for _, c := range commands() {
		if c.key == "" {
			all = append(all, Choice{Title: ":" + c.usage, Help: c.help, do: func(s *State) []Effect { return s.fromPalette(c) }})
		}
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(min(len(a.Why), 1), min(len(b.Why), 1)) })
	return all
}

// fromPalette runs a command, or begins its line where it can take words.
func (s *State) fromPalette(c command) []Effect {
	s.startCommand()
	s.Input.Line.Set(c.name)
	if c.usage == c.name {
		return s.runCommand()
	}
	s.Input.Line.Set(c.name + " ")
	return nil
}

// pick shows what fits what is typed, the best first.
func (s *State) pick() {
	p := &s.Home.Palette
	words := strings.Fields(strings.ToLower(s.Input.Line.String()))
	p.Fit, p.At = nil, 0
	for _, c := range p.all {
		c.score = 0
		for _, w := range words {
			n := max(2*fuzzy(strings.ToLower(c.Title), w), fuzzy(strings.ToLower(c.Help), w))
			if c.Key != "" && strings.EqualFold(c.Key, w) {
				n = max(n, 300)
			}
			if n == 0 {
				c.score = -1
				break
			}
			c.score += n
		}
		if c.score >= 0 {
			p.Fit = append(p.Fit, c)
		}
	}
	slices.SortStableFunc(p.Fit, func(a, b Choice) int { return cmp.Compare(b.score, a.score) })
}

// fuzzy rates how well the letters of want occur in text, in order: 0 is not at
// all. A whole word is best, then a beginning of one, then letters nearby.
func fuzzy(text, want string) int {
	if i := strings.Index(text, want); i >= 0 {
		n := 60
		if i == 0 || text[i-1] == ' ' || text[i-1] == ':' {
			n += 30
		}
		if end := i + len(want); n == 90 && (end == len(text) || text[end] == ' ') {
			n += 30
		}
		return n
	}
	at, gaps := -1, 0
	for _, r := range want {
		i := strings.IndexRune(text[at+1:], r)
		if i < 0 {
			return 0
		}
		if at >= 0 {
			gaps += i
		}
		at += i + 1
	}
	if gaps > 2*len(want) { // letters from all over the text: nobody meant that
		return 0
	}
	return max(1, 40-gaps*3)
}

func (s *State) choose() []Effect {
	p := &s.Home.Palette
	if p.At >= len(p.Fit) {
		s.fail("no action fits")
		return nil
	}
	c := p.Fit[p.At]
	if c.Why != "" {
		s.fail(c.Why)
		return nil
	}
	s.View.Mode = Normal
	return c.do(s)
}
