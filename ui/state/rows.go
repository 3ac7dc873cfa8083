package state

import "slices"

// manyGrown is from how many sessions on it is quicker to make all rows anew.
const manyGrown = 20

// reflow makes the rows from what is shown and what is folded.
func (t *Tree) reflow() {
	t.rows()
	t.reselect()
}

func (t *Tree) rows() {
	t.Rows = t.Rows[:0]
	open := t.filtered() // a filter shows what it finds, folded or not
	if t.Order.Group == GroupSession {
		t.Rows = flatten(t.Rows, 0, t.roots, -1, open)
		return
	}
	for _, g := range t.grouped() {
		t.Rows = append(t.Rows, Row{Node: g.head, Up: -1})
		switch {
		case g.head.Shut && !open:
		case t.Order.flat():
			for i, n := range g.nodes {
				t.Rows = append(t.Rows, Row{Node: n, Up: -1, Last: i == len(g.nodes)-1, Flat: true})
			}
		default:
			t.Rows = flatten(t.Rows, 0, g.nodes, -1, open)
		}
	}
}

// flatten appends the rows of the nodes; to begins at row base of the tree.
func flatten(to []Row, base int, nodes []*Node, up int, open bool) []Row {
	last := -1
	for i := len(nodes) - 1; i >= 0 && last < 0; i-- {
		if nodes[i].show {
			last = i
		}
	}
	for i, n := range nodes {
		if !n.show {
			continue
		}
		to = append(to, Row{Node: n, Up: up, Last: i == last})
		if !n.Shut || open {
			to = flatten(to, base, n.Kids, base+len(to)-1, open)
		}
	}
	return to
}

// show decides whether a task that has just come is shown, and that its
// session's rows have to be made anew.
func (t *Tree) show(n *Node) {
	if !t.loaded || t.filtered() || t.Order.Group != GroupSession {
		t.work.stale = true
		return
	}
	s := t.work.home
	n.hit = (t.ShowArchived || !s.Archived(n)) && (!t.HideDone || !n.Task.Status.Terminal())
	n.show = n.hit
	root := n
	for ; root.Parent != nil; root = root.Parent {
		root.Parent.show = root.Parent.show || n.show
	}
	t.work.grown[root] = true
}

// regrow makes the rows of the sessions anew that have new tasks.
func (t *Tree) regrow() {
	if len(t.work.grown) == 0 {
		return
	}
	if len(t.work.grown) > manyGrown {
		t.rows()
	} else {
		for _, r := range t.roots { // in their order: a session that is new has its row above those that were there
			if t.work.grown[r] && !t.respan(r) {
				t.rows()
				break
			}
		}
	}
	clear(t.work.grown)
	t.reselect()
}

// refold makes the rows anew after something was folded or unfolded.
func (t *Tree) refold(n *Node) {
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	if t.Order.Group != GroupSession || !t.respan(root) {
		t.rows()
	}
	t.reselect()
}

// respan makes the rows of one session anew and leaves all others; false where it has none yet.
func (t *Tree) respan(root *Node) bool {
	from := t.index(root)
	if from < 0 || !root.show {
		return false
	}
	to := from + 1
	for to < len(t.Rows) && t.Rows[to].Up >= 0 {
		to++
	}
	span := flatten(nil, from, []*Node{root}, -1, t.filtered())
	span[0].Last = t.Rows[from].Last
	moved := len(span) - (to - from)
	t.Rows = slices.Replace(t.Rows, from, to, span...)
	if moved == 0 {
		return true
	}
	for i := from + len(span); i < len(t.Rows); i++ {
		if t.Rows[i].Up >= 0 {
			t.Rows[i].Up += moved
		}
	}
	return true
}
