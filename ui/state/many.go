package state

import (
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// startMany opens a composer to the marked tasks, else to all that live under the selected one.
func (s *State) startMany() []Effect {
	return s.open(Compose{Kind: ToMany, Targets: s.many(), Delivery: core.Queue})
}

// many are those that a message to many would go to now.
func (s *State) many() []string {
	if ids := s.reachable(s.MarkedTasks()); len(ids) > 0 {
		return ids
	}
	return s.reachable(s.below(s.Tree.Selected))
}

// below are the IDs of all tasks under the task, parents first.
func (s *State) below(task string) (ids []string) {
	if n := s.Tree.nodes[task]; n != nil {
		for _, k := range n.Kids {
			ids = append(append(ids, k.Task.ID), s.below(k.Task.ID)...)
		}
	}
	return ids
}

// reachable are those of the tasks that take a message.
func (s *State) reachable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		n := s.Tree.nodes[id]
		return n == nil || n.Task.Status.Terminal()
	})
}

func (s *State) whyNotMany() string {
	switch {
	case len(s.many()) > 0:
		return ""
	case len(s.MarkedTasks()) > 0:
		return "none of the marked tasks takes a message: all have ended"
	}
	if why := s.whyNoTask(); why != "" {
		return why
	}
	return "nothing under " + s.name(s.Tree.Selected) + " takes a message" + s.Keyed("; {message} writes to itself")
}

// cmdAll sends the text to all under the selected task, or opens a composer to them.
func (s *State) cmdAll(text string) []Effect {
	ids := s.reachable(s.below(s.Tree.Selected))
	if len(ids) == 0 {
		s.fail("nothing under the selected task takes a message")
		return nil
	}
	if text == "" {
		return s.open(Compose{Kind: ToMany, Targets: ids, Delivery: core.Queue})
	}
	s.Input.sent = remember(s.Input.sent, text)
	return s.sendTo(ids, text, core.Queue)
}

func (s *State) sendTo(ids []string, text string, d core.Delivery) (effects []Effect) {
	for _, id := range ids {
		effects = append(effects, Send{Task: id, Text: text, Delivery: d})
	}
	s.say("sent to " + s.namesOf(ids, 4))
	return effects
}

func (s *State) namesOf(ids []string, limit int) string {
	var l []string
	for _, id := range ids {
		l = append(l, s.label(id))
	}
	return names(l, limit)
}

func (s *State) label(id string) string {
	if n := s.Tree.nodes[id]; n != nil {
		return core.Short(core.CleanLine(n.Task.Label()), 30)
	}
	return id
}

// consequences sums up what the message does to each of them.
func (s *State) consequences(ids []string, d core.Delivery) string {
	var words []string
	count := map[string]int{}
	for _, id := range ids {
		what := "have ended: they get nothing"
		if n := s.Tree.nodes[id]; n != nil && !n.Task.Status.Terminal() {
			what = s.Consequence(id, d)
			if n.Task.Status == core.Idle {
				what = "woken"
			}
		}
		if count[what]++; count[what] == 1 {
			words = append(words, what)
		}
	}
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", count[w], w)
	}
	return strings.Join(words, ", ")
}
