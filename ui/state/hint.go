package state

import (
	"regexp"
	"slices"
	"strings"
)

// Hint is a key and what it does, for a footer or a card.
type Hint struct {
	Key, Label string
	ID         string // of the command
	Press      Key    // the key itself
}

// HintOf is the first key of a command with a label of the caller's; its Key is "" where it has none.
func (s *State) HintOf(id, label string) Hint {
	for i := range s.keys {
		if b := &s.keys[i]; b.ID() == id && len(b.Keys) > 0 {
			return Hint{Key: b.Keys[0].Label(), Label: label, ID: id, Press: b.Keys[0]}
		}
	}
	return Hint{Label: label, ID: id}
}

// Press does what the hint says, unless its key means something else here and now.
func (s *State) Press(h Hint) []Effect {
	if s.Action(h.Press) != h.ID {
		return nil
	}
	return s.Key(h.Press)
}

// ways are the hints by which a person gets out of where they are, or finds help: a footer keeps them.
var ways = []string{"help", "quit", "back", "close", "no"}

// FitHints is what of the hints there is room for: those farthest back go first,
// the ways out and the help last. width says how many cells one takes, room how many there are.
func FitHints(hints []Hint, room int, width func(Hint) int) []Hint {
	total := 0
	for _, h := range hints {
		total += width(h)
	}
	for _, keep := range []bool{true, false} {
		for i := len(hints) - 1; i >= 0 && total > room; i-- {
			if keep && slices.Contains(ways, hints[i].Label) {
				continue
			}
			total -= width(hints[i])
			hints = slices.Delete(slices.Clone(hints), i, i+1)
		}
	}
	return hints
}

var named = regexp.MustCompile(`\{([a-z-]+)\}`)

// Keyed writes keys into a text that names commands: "; {help} shows all keys".
// What stands between two semicolons is left out where it names a command without a key.
// The text is drover's own: none of an agent, a file or a person belongs in it.
func (s *State) Keyed(text string) string { return keyed(s.keys, text) }

func keyed(table []Binding, text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	parts := strings.Split(text, "; ")
	parts = slices.DeleteFunc(parts, func(p string) bool {
		for _, m := range named.FindAllStringSubmatch(p, -1) {
			if keyIn(table, m[1]) == "" {
				return true
			}
		}
		return false
	})
	return named.ReplaceAllStringFunc(strings.Join(parts, "; "), func(m string) string { return keyIn(table, m[1:len(m)-1]) })
}

func keyIn(table []Binding, id string) string {
	for i := range table {
		if table[i].ID() == id && len(table[i].Keys) > 0 {
			return table[i].Keys[0].Label()
		}
	}
	return ""
}
