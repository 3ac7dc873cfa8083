package state

import (
	"slices"
	"strings"

	"drover/core"
)

// maxName is how far into a text its command's name is looked for.
const maxName = 200

// slash is the command's name as far as it is typed, and what follows it, where
// the composer's text may be a command. A path is none.
func (s *State) slash() (name, rest string, ok bool) {
	if s.View.Mode != Composing {
		return "", "", false
	}
	t := s.Input.Compose.Text
	if len(t) == 0 || t[0] != '/' {
		return "", "", false
	}
	head := string(t[1:min(len(t), maxName)])
	end := strings.IndexAny(head, " \n\t")
	if end < 0 {
		end = len(head)
	}
	name, rest = head[:end], head[end:]
	return name, rest, !strings.Contains(name, "/") && (name != "" || rest == "")
}

// Candidate is a command that what is being typed may become.
type Candidate struct {
	Sign             string // before the name: / or @
	Name, Hint, Text string
	Chosen           bool // it is in the text now
	Bad              bool // it cannot run; Text says why
}

// Candidates are the commands that fit, those that can run first; the one with
// its hint once its name is complete; none where the text is no command.
func (s *State) Candidates() []Candidate {
	name, rest, ok := s.slash()
	if !ok {
		return s.mentioned()
	}
	prefix, chosen := name, rest != ""
	if t := &s.Input.tab; len(t.fit) > 0 {
		prefix = t.head
	}
	var good, bad []Candidate
	for i := range s.Agents.commands {
		c := &s.Agents.commands[i]
		if !strings.HasPrefix(c.Name, prefix) || chosen && c.Name != name || lookNamed(c.State) == AgentShadowed {
			continue
		}
		x := Candidate{Sign: "/", Name: c.Name, Hint: line(c.Hint), Text: line(c.Description), Chosen: c.Name == name}
		if c.runs() {
			good = append(good, x)
			continue
		}
		x.Bad, x.Text = true, join(lookNamed(c.State).Word(), ": ", line(c.Reason))
		bad = append(bad, x)
	}
	return append(good, bad...)
}

// mentioned are the agents and files that fit the @word that is being typed.
func (s *State) mentioned() []Candidate {
	_, word, ok := s.mention()
	if !ok {
		return nil
	}
	chosen := word
	if t := &s.Input.tab; len(t.fit) > 0 {
		word = t.head
	}
	all := s.mentions(word)
	for i := range all {
		all[i].Chosen = all[i].Name == chosen
	}
	return all
}

func line(text string) string { return core.CleanLine(core.Short(text, 400)) }

func (c *Command) runs() bool { return c.State == "" || lookNamed(c.State) == AgentAvailable }

// completeName puts the next command that fits into the text.
func (s *State) completeName(name, rest string) {
	t := &s.Input.tab
	if len(t.fit) == 0 {
		t.head = name
		for i := range s.Agents.commands {
			if c := &s.Agents.commands[i]; c.runs() && strings.HasPrefix(c.Name, name) && !slices.Contains(t.fit, c.Name) {
				t.fit = append(t.fit, c.Name)
			}
		}
	}
	if len(t.fit) == 0 {
		switch {
		case !s.Agents.loaded:
			s.say("the commands are being read")
		default:
			s.fail("no command begins with /" + name)
		}
		return
	}
	next := t.fit[t.at%len(t.fit)]
	t.at++
	if len(t.fit) == 1 {
		*t = completion{}
		if rest == "" {
			next += " "
		}
	}
	e := &s.Input.Compose.Editor
	e.Text = slices.Concat([]rune("/"+next), e.Text[1+len([]rune(name)):])
	e.Pos = 1 + len([]rune(next))
}
