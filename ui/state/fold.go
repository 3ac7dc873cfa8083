package state

import (
	"fmt"
	"strings"
)

// Parts reports whether there is something under the task, here or not yet.
func (n *Node) Parts() bool { return len(n.Kids) > 0 || n.rest != nil }

// folds reports whether something can be folded away under the row.
func folds(n *Node, r Row) bool {
	return n != nil && (n.Head != "" || n.Parts() && !r.Flat)
}

func (s *State) fold() []Effect {
	n, r := s.Tree.current()
	switch {
	case n == nil:
	case folds(n, r) && !n.Shut:
		n.Shut = true
		s.Tree.refold(n)
	case n.Parent != nil && !r.Flat:
		s.Tree.goTo(n.Parent.Task.ID)
	case n.Head == "":
		s.Tree.toHeading()
	}
	return nil
}

func (s *State) unfold() []Effect {
	n, r := s.Tree.current()
	switch {
	case !folds(n, r):
	case n.Shut:
		n.Shut = false
		s.Tree.refold(n)
	default:
		if i := s.Tree.at + 1; i < len(s.Tree.Rows) && (n.Head != "" || s.Tree.Rows[i].Node.Parent == n) {
			s.Tree.move(1)
		}
	}
	return nil
}

func (s *State) toggleFold() []Effect {
	if n, r := s.Tree.current(); folds(n, r) {
		n.Shut = !n.Shut
		s.Tree.refold(n)
	}
	return nil
}

// toHeading goes up to the heading of the group, where there is one.
func (t *Tree) toHeading() {
	for i := t.at; i >= 0; i-- {
		if t.Rows[i].Node.Head != "" {
			t.move(i - t.at)
			return
		}
	}
}

// Folded tells how many tasks are hidden under a folded row, and in words what
// of them matters, what needs a person first.
func Folded(n *Node) (many, what string) {
	if !n.Shut || n.Head == "" && !n.Parts() {
		return "", ""
	}
	all := n.Below().Live() + n.Below().Done
	if all == 0 { // not counted yet
		return "+…", ""
	}
	return fmt.Sprintf("+%d", all), tally(n.Below())
}

// tally says in words what of many tasks matters.
func tally(c Counts) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.Needs, map[bool]string{true: "needs you", false: "need you"}[c.Needs == 1])
	add(c.Running, "running")
	add(c.Interrupted, "interrupted")
	add(c.Failed, "failed")
	return strings.Join(parts, ", ")
}

// Tally says what of the tasks under a heading matters, and how many there are.
func (s *State) Tally(n *Node) string {
	c := n.Below()
	many := plural(c.Live()+c.Done, "task", "tasks")
	if s.Tree.Order.Group == GroupStatus { // the heading says what they do
		return many
	}
	return join(many, " · ", tally(c))
}
