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

// came notes that a task is new.
func (t *Tree) came(n *Node) {
	switch {
	case !t.loaded:
		t.work.stale = true
	case t.Order.flat():
		n.hit = t.lets(n)
		t.work.moved = t.work.moved || n.hit
	default:
		t.work.grown[n.root()] = true
	}
}

// rehead keeps the sums of headings right after a change of n, which stood under
// that heading; a task that now belongs elsewhere, or is hidden or shown, moves.
func (t *Tree) rehead(n *Node, under string, old, own Counts) {
	if t.Order.Group == GroupSession || !t.loaded {
		return
	}
	counted := n
	if t.Order.flat() {
		was := n.hit
		if n.hit = t.lets(n); n.hit != was || n.hit && under != t.headOf(n) {
			t.work.moved = true
			return
		}
	} else {
		counted = n.root()
		under = t.headOf(counted)
	}
	if g := t.work.groups[under]; g != nil && (counted.hit || counted.show && !t.Order.flat()) {
		g.sum().plus(old, -1)
		g.sum().add(own)
	}
}

// regrow brings the rows up to date with what has changed in some sessions, and leaves all others.
func (t *Tree) regrow() {
	w := &t.work
	if len(w.grown) == 0 && !w.moved {
		return
	}
	all := w.moved || t.Order.Group != GroupSession
	q, archived := t.query(), t.archived()
	for r := range w.grown {
		was := r.show
		t.decide(r, q, archived)
		if !was && !r.show {
			delete(w.grown, r)
		}
		all = all || was != r.show
	}
	if len(w.grown) == 0 && !w.moved {
		return
	}
	if all || len(w.grown) > manyGrown {
		t.rows()
	} else {
		for r := range w.grown {
			if !t.respan(r) {
				t.rows()
				break
			}
		}
	}
	clear(w.grown)
	w.moved = false
	t.reselect()
}

// refold makes the rows anew after something was folded or unfolded.
func (t *Tree) refold(n *Node) {
	if t.Order.Group != GroupSession || !t.respan(n.root()) {
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
