package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drover/core"
)

// view is what a saved view keeps.
type view struct {
	Filter       string `json:"filter,omitempty"`
	Sort         Sort   `json:"sort,omitempty"`
	Reverse      bool   `json:"reverse,omitempty"`
	Group        Group  `json:"group,omitempty"`
	HideDone     bool   `json:"hide_finished,omitempty"`
	ShowArchived bool   `json:"show_archived,omitempty"`
}

const maxViewName = 40

// cmdView goes to a saved view, saves what is on the screen as one, or removes one.
func (s *State) cmdView(arg string) []Effect {
	word, name, _ := strings.Cut(arg, " ")
	name = strings.TrimSpace(name)
	switch {
	case arg == "":
		return s.read("saved views", s.viewLines())
	case word == "save" || word == "rm":
		if name == "" || strings.ContainsAny(name, " \t") || core.CleanLine(name) != name || len([]rune(name)) > maxViewName {
			s.fail(fmt.Sprintf("a view is named by one word of at most %d letters: :view %s NAME", maxViewName, word))
			return nil
		}
		if word == "rm" {
			return s.removeView(name)
		}
		return s.saveView(name)
	case arg == "all":
		return s.show(view{})
	}
	text, ok := s.Notes.views[arg]
	if !ok {
		s.fail("no view " + line(arg) + "; :view lists them, :view save NAME makes one")
		return nil
	}
	var v view
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		s.fail("the view " + line(arg) + " cannot be read: " + err.Error() + "; :view rm removes it")
		return nil
	}
	return s.show(v)
}

func (s *State) show(v view) []Effect {
	o := Order{Sort: v.Sort, Reverse: v.Reverse, Group: v.Group}
	if !slices.Contains(sorts(), o.Sort) {
		o.Sort = SortActivity
	}
	if !slices.Contains(groups(), o.Group) {
		o.Group = GroupSession
	}
	t := &s.Tree
	t.Filter, t.HideDone, t.ShowArchived = core.CleanLine(v.Filter), v.HideDone, v.ShowArchived
	return s.reorder(o)
}

func (s *State) saveView(name string) []Effect {
	if slices.Contains([]string{"save", "rm", "all"}, name) {
		s.fail("a view cannot be called " + name)
		return nil
	}
	t := &s.Tree
	text, err := json.Marshal(view{t.Filter, t.Order.Sort, t.Order.Reverse, t.Order.Group, t.HideDone, t.ShowArchived})
	if err != nil {
		s.Fail(err)
		return nil
	}
	s.say("saved: :view " + name + " comes back to this filter and order")
	return s.noting(core.NoteView+name, string(text), s.Notes.views[name])
}

func (s *State) removeView(name string) []Effect {
	old, ok := s.Notes.views[name]
	if !ok {
		s.fail("no view " + name)
		return nil
	}
	s.say("the view " + name + " is removed")
	return s.noting(core.NoteView+name, "", old)
}

// Views are the names of the saved views.
func (s *State) Views() []string { return slices.Sorted(maps.Keys(s.Notes.views)) }

// viewLines lists the saved views with what they show.
func (s *State) viewLines() []string {
	var lines []string
	for _, name := range s.Views() {
		var v view
		if json.Unmarshal([]byte(s.Notes.views[name]), &v) != nil {
			continue
		}
		what := Order{v.Sort, v.Reverse, v.Group}.String()
		if v.Filter != "" {
			what = join("/"+core.CleanLine(v.Filter), " · ", what)
		}
		lines = append(lines, fmt.Sprintf("  %-18s %s", core.CleanLine(name), what))
	}
	if len(lines) == 0 {
		lines = []string{"  none yet"}
	}
	return append(lines, "", "  :view NAME          goes to it; :view all to the whole tree", "  :view save NAME     keeps filter, order and groups as they are now", "  :view rm NAME       removes it")
}

// viewNames is what may follow :view.
func (s *State) viewNames(word string) []string {
	if rest, ok := strings.CutPrefix(word, "rm "); ok {
		var l []string
		for _, n := range s.Views() {
			if strings.HasPrefix(n, rest) {
				l = append(l, "rm "+n)
			}
		}
		return l
	}
	return append(append(s.Views(), "all"), "save ", "rm ")
}
