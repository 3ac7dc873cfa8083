package state

import (
	"slices"
	"strings"
	"time"
)

// completion goes round what fits the word before the cursor.
type completion struct {
	head string
	fit  []string
	at   int
}

func (s *State) complete() []Effect {
	t := &s.Input.tab
	line := s.Input.Line.String()
	if line == "" {
		return s.openPalette()
	}
	if len(t.fit) == 0 {
		word, arg, hasArg := strings.Cut(line, " ")
		if word == "model" && hasArg && s.Now.Sub(s.models.at) > modelsFresh && s.models.line != line {
			s.models.line = line
			s.say("asking the providers which models they have")
			return []Effect{LoadModels{}}
		}
		options, prefix := []string(nil), word
		for _, c := range commands() {
			switch {
			case !hasArg:
				options = append(options, c.name)
			case c.name == word && c.args != nil:
				t.head, prefix, options = word+" ", arg, c.args(s, arg)
			}
		}
		t.fit = fitting(options, prefix)
		if len(t.fit) == 0 {
			s.say("nothing fits; :help lists the commands")
			return nil
		}
	}
	s.Input.Line.Set(t.head + t.fit[t.at%len(t.fit)])
	t.at++
	return nil
}

// fitting are the options that begin so; where none does, of names in parts
// those that hold it.
func fitting(options []string, word string) (fit []string) {
	for _, o := range options {
		if strings.HasPrefix(o, word) {
			fit = append(fit, o)
		}
	}
	if fit != nil {
		return fit
	}
	for _, o := range options {
		if strings.Contains(o, "/") && strings.Contains(o, word) {
			fit = append(fit, o)
		}
	}
	return fit
}

// Completions are what Tab goes round, and which of them is in the line now.
func (s *State) Completions() ([]string, int) {
	t := &s.Input.tab
	if len(t.fit) < 2 {
		return nil, 0
	}
	return t.fit, (t.at - 1) % len(t.fit)
}

// modelsFresh is for how long the providers are not asked again.
const modelsFresh = time.Minute

// models are what the providers have said they have.
type models struct {
	names []string
	at    time.Time // when they said so
	line  string    // the command that waits for it to be completed
}

func (s *State) modelNames(string) []string {
	return slices.Concat([]string{"fast", "balanced", "powerful"}, s.models.names)
}

// SetModels takes over what was asked for by LoadModels, and completes the
// command that has waited for it.
func (s *State) SetModels(names []string, err error) {
	line := s.models.line
	if s.models.line = ""; err != nil {
		s.Fail(err)
		return
	}
	s.models.names, s.models.at, s.Toast = names, s.Now, Toast{}
	if line != "" && s.View.Mode == Commanding && s.Input.Line.String() == line && len(s.Input.tab.fit) == 0 {
		s.complete()
	}
}
