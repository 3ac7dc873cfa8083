package state

import (
	"cmp"
	"slices"
	"time"

	"drover/core"
)

// Node is a task in its tree, or the heading of a group of them.
type Node struct {
	Parent *Node
	Kids   []*Node
	Head   string  // of a heading: what its tasks have in common; its Task has an ID only
	Shut   bool    // its children are folded away
	below  *Counts // of everything under it, itself not; nil: nothing is
	rest   *Counts // of a main task: what of Below is not here as tasks (see parts.go); nil: all is
	hit    bool    // filter, archive and the hiding of finished tasks let it through
	show   bool    // it, or something under it, is shown
	Task   Task    // last: what walks over all tasks reads what stands before it
}

// Context reports whether it is shown only because of what is under it.
func (n *Node) Context() bool { return n.Head == "" && !n.hit }

// Row is a visible line of the tree.
type Row struct {
	Node *Node
	Up   int  // index of the parent's row, -1 for a session, a heading and in a flat group
	Last bool // no sibling is shown below it
	Flat bool // it stands in a group of single tasks, without its tree
}

// Tree is the registry's tasks and what is visible of them.
type Tree struct {
	Rows         []Row
	Selected     string // a task's ID, never a position: the cursor follows its row
	Filter       string
	HideDone     bool
	ShowArchived bool
	Order        Order
	Total        Counts // of sessions that are not over
	Review       int    // completions that nobody has reviewed
	Stalled      int    // running tasks of which nothing has been heard for too long
	roots        []*Node
	nodes        map[string]*Node
	sessions     map[string]core.Session
	at           int    // row of Selected
	want         string // select this task as soon as it is there
	loaded       bool
	parts        parts
	work         treework
}

// treework is what the tree keeps to answer fast.
type treework struct {
	home    *State
	query   Query
	text    string           // that query was made from
	stale   bool             // something has changed that all rows follow from
	moved   bool             // all rows have to be made anew, but what is shown has been decided
	grown   map[*Node]bool   // sessions with news: what is shown of them has to be decided, and their rows made anew
	busy    map[string]*Node // what runs: candidates for a stall
	groups  map[string]*Node // headings by ID
	flat    []*Node          // all tasks in the order of the flat groups
	ordered time.Time        // when the order was taken
	shared  *shared
}

// Node returns the task's node, or nil.
func (t *Tree) Node(id string) *Node { return t.nodes[id] }

// At is the row of the selected task, 0 where there is none.
func (t *Tree) At() int { return t.at }

// Session returns the session a task belongs to.
func (t *Tree) Session(id string) (core.Session, bool) {
	n := t.nodes[id]
	if n == nil {
		return core.Session{}, false
	}
	s, ok := t.sessions[n.Task.Session]
	return s, ok
}

// SessionOf returns a session by its own ID.
func (t *Tree) SessionOf(id string) (core.Session, bool) {
	s, ok := t.sessions[id]
	return s, ok
}

// Len is how many tasks there are, shown or not.
func (t *Tree) Len() int { return len(t.nodes) }

// put takes a task over unless a newer revision of it is known.
func (t *Tree) put(v core.TaskView) {
	n := t.nodes[v.ID]
	if n == nil {
		t.plant(v)
		return
	}
	if v.Rev < n.Task.Rev {
		return
	}
	old, over, under := n.Own(), n.Task.Status.Terminal(), t.headOf(n)
	n.Task = t.work.shared.pack(&v)
	t.watch(n)
	own := n.Own()
	for p := n.Parent; p != nil; p = p.Parent {
		p.sum().plus(old, -1)
		p.sum().add(own)
	}
	t.rehead(n, under, old, own)
	if !t.Order.flat() && (t.filtered() || t.HideDone && over != v.Status.Terminal()) {
		t.work.grown[n.root()] = true
	}
}

// plant adds a task that was not known: a new session on top, a child after its
// siblings. No other row changes its place.
func (t *Tree) plant(v core.TaskView) {
	n := &Node{Task: t.work.shared.pack(&v)}
	t.nodes[v.ID] = n
	t.watch(n)
	if t.loaded && t.Order.flat() {
		t.work.flat = append(t.work.flat, n)
	}
	if p := t.nodes[v.Parent]; p != nil && v.Parent != "" && p != n {
		n.Parent = p
		p.Kids = append(p.Kids, n)
		if last := len(p.Kids) - 2; last >= 0 && t.Order.Sort == SortActivity && byCreation(p.Kids[last], n) > 0 {
			slices.SortStableFunc(p.Kids, byCreation)
		}
		own := n.Own()
		for ; p != nil; p = p.Parent {
			p.sum().add(own)
		}
		t.came(n)
		return
	}
	n.Shut = v.Status.Terminal()
	if !t.loaded {
		t.roots = append(t.roots, n)
		return
	}
	t.roots = slices.Insert(t.roots, 0, n)
	t.came(n)
}

// watch keeps the list of what runs.
func (t *Tree) watch(n *Node) {
	if n.Task.Look() == LookRunning {
		t.work.busy[n.Task.ID] = n
		return
	}
	delete(t.work.busy, n.Task.ID)
}

func byCreation(a, b *Node) int {
	if a.Task.Created == 0 || b.Task.Created == 0 {
		return 0
	}
	return cmp.Compare(a.Task.Created, b.Task.Created)
}

// query is the filter as it is understood.
func (t *Tree) query() *Query {
	if t.work.text != t.Filter {
		t.work.query, t.work.text = ParseQuery(t.Filter), t.Filter
	}
	return &t.work.query
}

// filtered reports whether a filter is in force.
func (t *Tree) filtered() bool { return len(t.query().Terms) > 0 }

// FilterError names what of the filter is not understood; "" if all is.
func (t *Tree) FilterError() string { return t.query().Err }

// rebuild makes the rows anew and keeps the selection on its task, or on what stands nearest to it.
func (t *Tree) rebuild() {
	t.total()
	t.decideAll()
	t.reflow()
	t.work.stale, t.work.moved = false, false
	clear(t.work.grown)
}

// total sums up the sessions that are not over.
func (t *Tree) total() {
	t.Total = Counts{}
	for _, r := range t.roots {
		if !r.Task.Status.Terminal() {
			t.Total.add(r.Below())
			t.Total.count(&r.Task)
		}
	}
}

// decideAll decides what is shown.
func (t *Tree) decideAll() {
	q, archived := t.query(), t.archived()
	for _, r := range t.roots {
		t.decide(r, q, archived)
	}
}

// archived reports whether archived tasks are shown.
func (t *Tree) archived() bool { return t.ShowArchived || t.query().asks("is", "archived") }

// refilter takes another filter over, as it is typed.
func (t *Tree) refilter(text string) {
	old := *t.query()
	t.Filter = text
	if !t.query().within(&old) || t.query().timed() || t.work.stale {
		t.rebuild()
		return
	}
	for _, r := range t.roots {
		t.narrow(r, t.query())
	}
	t.reflow()
}

// narrow drops what is shown of n, and what is under it, and does not fit any more.
func (t *Tree) narrow(n *Node, q *Query) {
	if !n.show {
		return
	}
	n.hit = n.hit && q.fits(t.work.home, n)
	n.show = n.hit
	for _, k := range n.Kids {
		t.narrow(k, q)
		n.show = n.show || k.show
	}
}

// lets reports whether filter, archive and the hiding of finished tasks let a single task through.
func (t *Tree) lets(n *Node) bool {
	return (t.archived() || !t.work.home.Archived(n)) && (!t.HideDone || !n.Task.Status.Terminal()) && t.query().fits(t.work.home, n)
}

// decide decides what is shown of n and what is under it; an archived task hides all under it.
func (t *Tree) decide(n *Node, q *Query, archived bool) {
	if !archived && t.work.home.Notes.archived[n.Task.ID] {
		hide(n)
		return
	}
	n.hit = (!t.HideDone || !n.Task.Status.Terminal()) && q.fits(t.work.home, n)
	n.show = n.hit
	for _, k := range n.Kids {
		t.decide(k, q, archived)
		n.show = n.show || k.show
	}
	n.show = n.show || n.rest != nil && n.rest.Live() > 0 && !t.filtered()
}

func hide(n *Node) {
	n.hit, n.show = false, false
	for _, k := range n.Kids {
		hide(k)
	}
}

// root is the main task above.
func (n *Node) root() *Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

func (t *Tree) reselect() {
	if t.want != "" && t.nodes[t.want] != nil {
		t.Selected, t.want = t.want, ""
		t.reveal(t.Selected)
	}
	for n := t.any(t.Selected); n != nil; n = n.Parent {
		if i := t.index(n); i >= 0 {
			t.Selected, t.at = n.Task.ID, i
			return
		}
		if t.Order.flat() {
			break
		}
	}
	t.at = max(0, min(t.at, len(t.Rows)-1))
	t.Selected = ""
	if len(t.Rows) > 0 {
		t.Selected = t.Rows[t.at].Node.Task.ID
	}
}

// any is the node of a task or of a heading.
func (t *Tree) any(id string) *Node {
	if n := t.nodes[id]; n != nil {
		return n
	}
	return t.work.groups[id]
}

// current is the node of the row under the cursor, of a heading too.
func (t *Tree) current() (*Node, Row) {
	if t.at >= len(t.Rows) || t.Rows[t.at].Node.Task.ID != t.Selected {
		return nil, Row{}
	}
	return t.Rows[t.at].Node, t.Rows[t.at]
}

func (t *Tree) index(n *Node) int {
	if t.at < len(t.Rows) && t.Rows[t.at].Node == n {
		return t.at
	}
	return slices.IndexFunc(t.Rows, func(r Row) bool { return r.Node == n })
}

// reveal unfolds what hides the task, and takes away a filter that does.
func (t *Tree) reveal(id string) {
	n := t.nodes[id]
	if n == nil {
		return
	}
	if !n.hit && t.loaded {
		t.Filter = ""
		t.HideDone = t.HideDone && !n.Task.Status.Terminal()
		t.ShowArchived = t.ShowArchived || t.work.home.Archived(n)
	}
	for p := n.Parent; p != nil; p = p.Parent {
		p.Shut = false
	}
	if g := t.work.groups[t.headOf(n)]; g != nil {
		g.Shut = false
	}
	t.decideAll()
	t.rows()
}

// goTo selects the task, wherever it is hidden.
func (t *Tree) goTo(id string) bool {
	n := t.nodes[id]
	if n == nil {
		return false
	}
	if i := t.index(n); i >= 0 {
		t.at, t.Selected = i, id
		return true
	}
	t.want = id
	t.reflow()
	return true
}

// move selects the row that many rows further.
func (t *Tree) move(by int) {
	if len(t.Rows) == 0 {
		return
	}
	t.at = max(0, min(t.at+by, len(t.Rows)-1))
	t.Selected = t.Rows[t.at].Node.Task.ID
}
