package state

import (
	"slices"
	"strings"
	"unicode/utf8"

	"drover/core"
)

// fits reports whether the task fits every term.
func (q *Query) fits(s *State, n *Node) bool {
	for i := range q.Terms {
		if t := &q.Terms[i]; t.fits(s, n) == t.Not {
			return false
		}
	}
	return true
}

// asks reports whether the query has a term of this field with this value that must hold.
func (q *Query) asks(field, value string) bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == field && !t.Not && slices.Contains(t.Values, value) })
}

// within reports whether only what fits the other query can fit this one: the
// same terms, and of the last one, which is being typed, more letters.
func (q *Query) within(o *Query) bool {
	last := len(q.Terms) - 1
	if last < 0 || len(o.Terms) != len(q.Terms) {
		return false
	}
	a, b := &q.Terms[last], &o.Terms[last]
	return slices.EqualFunc(q.Terms[:last], o.Terms[:last], same) && a.Field == b.Field && !a.Not && !b.Not &&
		(a.Field == "" && strings.Contains(a.Values[0], b.Values[0]) || a.Field == "~" && strings.HasPrefix(a.Values[0], b.Values[0]))
}

func same(a, b Term) bool {
	return a.Not == b.Not && a.Field == b.Field && a.Op == b.Op && a.Number == b.Number && slices.Equal(a.Values, b.Values)
}

// timed reports whether the answer changes as time goes by.
func (q *Query) timed() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == "age" || t.Field == "quiet" }) ||
		q.asks("is", "stuck") || q.asks("status", "stalled")
}

func (t *Term) fits(s *State, n *Node) bool {
	if t.Op != "" {
		have, known := amount(s, n, t.Field)
		return known && compare(have, t.Op, t.Number)
	}
	return slices.ContainsFunc(t.Values, func(v string) bool { return is(s, n, t.Field, v) })
}

func is(s *State, n *Node, field, v string) bool {
	t := &n.Task
	switch field {
	case "":
		return n.says(s, v)
	case "~":
		return inOrder(strings.ToLower(s.Title(n)), v)
	case "status":
		return inStatus(s, n, v)
	case "is", "needs":
		return isSo(s, n, v)
	case "outcome":
		return string(t.Outcome) == v
	case "kind":
		return string(t.Kind) == v
	}
	return strings.Contains(strings.ToLower(textOf(s, n, field)), v)
}

// textOf is the task's text that a field of free text is about.
func textOf(s *State, n *Node, field string) string {
	t := &n.Task
	switch field {
	case "agent":
		return t.Agent
	case "model":
		return t.Model
	case "dir":
		return s.Tree.dirOf(n)
	case "session":
		return t.Session + "\n" + s.Tree.sessions[t.Session].Title
	case "name":
		return t.Name + "\n" + s.Title(n)
	}
	return ""
}

func inStatus(s *State, n *Node, v string) bool {
	look := n.Task.Look()
	switch v {
	case "needs":
		return look == LookNeeds
	case "stalled":
		return s.stalled(n)
	case "live":
		return !n.Task.Status.Terminal()
	case "ended":
		return n.Task.Status.Terminal()
	case "running":
		return n.Task.State() == string(core.Running)
	}
	return look.Word() == v
}

func isSo(s *State, n *Node, v string) bool {
	t := &n.Task
	switch v {
	case "stuck":
		return s.stalled(n)
	case "mine":
		return s.Config.Dir != "" && s.Tree.dirOf(n) == s.Config.Dir
	case "needs", "me", "you":
		return t.Look() == LookNeeds
	case "marked":
		return s.Marks.on[t.ID]
	case "pinned":
		return s.Slot(t.ID) > 0
	case "archived":
		return s.Archived(n)
	case "live":
		return !t.Status.Terminal()
	case "ended":
		return t.Status.Terminal()
	case "autopilot":
		return s.Tree.sessions[t.Session].Autopilot
	case "background":
		return t.Mode == core.Background && n.Parent != nil
	}
	return false
}

// amount is the task's number that a field is about; false where it is not known.
func amount(s *State, n *Node, field string) (float64, bool) {
	t := &n.Task
	switch field {
	case "cost":
		return t.Cost, t.Priced
	case "tokens":
		return float64(t.TokensIn + t.TokensOut), true
	case "turn":
		return float64(t.Turn), true
	case "age":
		return since(s, t.Created)
	case "quiet":
		return since(s, t.LastEvent)
	}
	return 0, false
}

func since(s *State, at At) (float64, bool) {
	return max(0, s.Now.Sub(at.Time()).Seconds()), at != 0
}

func compare(have float64, op string, want float64) bool {
	switch op {
	case "<":
		return have < want
	case "<=":
		return have <= want
	case "=":
		return have == want
	case ">":
		return have > want
	}
	return have >= want
}

// inOrder reports whether the letters stand in the text in this order.
func inOrder(text, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		_, width := utf8.DecodeRuneInString(text[i:])
		text = text[i+width:]
	}
	return true
}

// says reports whether the word, lower case, stands in what the row is about.
func (n *Node) says(s *State, word string) bool {
	t := &n.Task
	if holds(t.Name, word) || holds(t.Description, word) || holds(t.Agent, word) || holds(t.ID, word) || holds(t.State(), word) ||
		holds(t.Intent, word) || holds(string(t.Activity), word) || holds(t.Detail, word) || holds(string(t.Kind), word) {
		return true
	}
	if t.NeedsApproval && holds("needs you", word) {
		return true
	}
	return n.Parent == nil && (holds(s.Tree.sessions[t.Session].Title, word) || holds(t.Dir, word))
}

// holds is strings.Contains(strings.ToLower(text), word), without making a text for plain ones.
func holds(text, word string) bool {
	if len(word) == 0 {
		return true
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), word)
		}
	}
	first := word[0]
	for i := 0; i+len(word) <= len(text); i++ {
		if lower(text[i]) != first {
			continue
		}
		k := 1
		for k < len(word) && lower(text[i+k]) == word[k] {
			k++
		}
		if k == len(word) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
