package state

import (
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// Rebind gives a command other keys than the table does.
type Rebind struct {
	Command string   // its ID
	Keys    []string // as a person writes them; none: the command has no key
	Where   string   // file and line, for the error
}

// ID is the command's name in a keymap: "next in inbox" is next-in-inbox.
func (b *Binding) ID() string {
	return strings.ReplaceAll(strings.ReplaceAll(b.Name, ": ", "-"), " ", "-")
}

// contextSets are the contexts that can be in force at the same time.
func contextSets() [][]Context {
	sets := [][]Context{{InApproval, OnTask, InTree, Everywhere}, {InApproval, OnTask, InDetail, Everywhere}}
	for _, c := range contextOrder() {
		switch c {
		case OnTask, InApproval, InTree, InDetail, InAnyEditor, Everywhere:
		case InComposer, InCommand, InFilter, InDenial, InPalette:
			sets = append(sets, []Context{c, InAnyEditor, Everywhere})
		default:
			sets = append(sets, []Context{c, Everywhere})
		}
	}
	return sets
}

// typing reports whether letters are text there.
func typing(c Context) bool {
	switch c {
	case InComposer, InCommand, InFilter, InDenial, InPalette, InAnyEditor, Everywhere:
		return true
	}
	return false
}

// Keymap is the key table with a person's own keys. The error says what is
// wrong, where, and between which commands a key is in conflict; two commands
// that share a key by default may go on doing so.
func Keymap(own []Rebind) ([]Binding, error) {
	table := Bindings()
	where := map[int]string{} // index in the table → where its keys were set
	for _, r := range own {
		i := slices.IndexFunc(table, func(b Binding) bool { return b.ID() == r.Command })
		if i < 0 {
			return nil, keyFault(r.Where, "there is no command "+core.CleanLine(r.Command), nearestCommand(table, r.Command))
		}
		b := &table[i]
		if before := where[i]; before != "" {
			return nil, keyFault(r.Where, b.ID()+" has been given keys before, in "+before, "put its keys into one list")
		}
		where[i], b.Keys = r.Where, nil
		for _, text := range r.Keys {
			k, problem := ParseKey(text)
			if problem == "" {
				problem = misplaced(b, k)
			}
			if problem != "" {
				return nil, keyFault(r.Where, b.ID()+": "+problem, `keys are written as "x", "G", "Space", "Enter", "Ctrl-X", "Alt-x", "Shift-Tab", "F5"`)
			}
			b.Keys = append(b.Keys, k)
		}
		if b.Name == "leave" && len(b.Keys) == 0 {
			return nil, keyFault(r.Where, "leave needs a key: it is the way out that always works", `leave = "Ctrl-C"`)
		}
	}
	return table, conflicts(table, where)
}

func keyFault(where, message, hint string) error {
	return &core.Error{Code: core.CodeInvalidInput, Message: strings.TrimPrefix(where+": ", ": ") + message, Hint: hint}
}

func misplaced(b *Binding, k Key) string {
	if _, ok := k.Rune(); ok && typing(b.Context) {
		return fmt.Sprintf("%s types a character there; take one with Ctrl or Alt", k.Label())
	}
	return ""
}

// conflicts finds two commands in force together that a person gave the same key.
func conflicts(table []Binding, where map[int]string) error {
	if len(where) == 0 {
		return nil
	}
	given := Bindings()
	for _, set := range contextSets() {
		first := map[Key]int{}
		for i := range table {
			if !slices.Contains(set, table[i].Context) {
				continue
			}
			for _, k := range table[i].Keys {
				j, taken := first[k]
				if !taken {
					first[k] = i
					continue
				}
				if slices.Contains(given[i].Keys, k) && slices.Contains(given[j].Keys, k) {
					continue
				}
				at := where[i]
				if at == "" || !slices.Contains(given[j].Keys, k) && where[j] != "" && slices.Contains(given[i].Keys, k) {
					at = where[j]
				}
				return keyFault(at, fmt.Sprintf("the key %s is that of %s (%s) and of %s (%s)", k.Label(), table[j].ID(), table[j].Context, table[i].ID(), table[i].Context),
					"give one of them another key")
			}
		}
	}
	return nil
}

// nearestCommand names commands that were probably meant: the one that is a slip
// of the finger away, else those with one of its words.
func nearestCommand(table []Binding, id string) string {
	best, at := "", min(4, 1+len(id)/3) // as many letters apart is another word
	for i := range table {
		if d := core.Distance(id, table[i].ID()); d < at {
			best, at = table[i].ID(), d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	var like []string
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i := range table {
		for _, w := range words {
			if len(w) > 2 && strings.Contains(table[i].ID(), w) {
				like = append(like, table[i].ID())
				break
			}
		}
	}
	if len(like) > 0 {
		return "did you mean " + names(like, 6) + "?"
	}
	return "drover keys lists all commands"
}

// Rekey takes other keys over, at once, and so does every text that names one.
func (s *State) Rekey(table []Binding) {
	s.keys = table
	s.Pages.Version++
	if p := &s.Home.Palette; s.View.Mode == Picking {
		at := p.At
		p.all = s.choices()
		s.pick()
		p.At = at
	}
}

// Action is the ID of what the key would do now; "" for nothing, or for typing.
func (s *State) Action(k Key) string {
	if b := s.binding(k); b != nil {
		return b.ID()
	}
	return ""
}

// KeyOf is how the first key of a command is written for people; "" where it has none.
func (s *State) KeyOf(id string) string {
	return keyIn(s.keys, id)
}

// KeysTOML is the table as a keys.toml in which every command has its usual keys.
func KeysTOML() string {
	var b strings.Builder
	b.WriteString("# drover's keys. What stands here takes the place of the usual keys; [] takes them away.\n")
	table := Bindings()
	for _, c := range contextOrder() {
		fmt.Fprintf(&b, "\n# %s\n", c)
		for i := range table {
			if table[i].Context != c {
				continue
			}
			var quoted []string
			for _, k := range table[i].Keys {
				name := string(k)
				if k == " " {
					name = "Space"
				}
				quoted = append(quoted, fmt.Sprintf("%q", name))
			}
			fmt.Fprintf(&b, "%-40s # %s\n", table[i].ID()+" = ["+strings.Join(quoted, ", ")+"]", keyed(table, table[i].Help))
		}
	}
	return b.String()
}
