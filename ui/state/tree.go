package state

import (
	"cmp"
	"slices"
	"strings"

	"drover/core"
)

// Node is a task in its tree.
type Node struct {
	Task   core.TaskView
	Parent *Node
	Kids   []*Node // in order of creation
	Shut   bool    // its children are folded away
	Below  Counts  // of everything under it, itself not
	hay    string  // what the filter searches
	hit    bool    // the filter or the hiding of finished tasks lets it through
	show   bool    // it, or something under it, is shown
}

// Counts sums up tasks.
type Counts struct {
	Running, Needs, Idle, Interrupted, Done int // Done: completed, failed or cancelled
	TokensIn, TokensOut                     int64
	Cost                                    float64
	Unpriced                                bool // a price was unknown: Cost is too low
}

// Live is how many can still do something.
func (c Counts) Live() int { return c.Running + c.Needs + c.Idle + c.Interrupted }

func (c *Counts) add(o Counts) {
	c.Running += o.Running
	c.Needs += o.Needs
	c.Idle += o.Idle
	c.Interrupted += o.Interrupted
	c.Done += o.Done
	c.TokensIn += o.TokensIn
	c.TokensOut += o.TokensOut
	c.Cost += o.Cost
	c.Unpriced = c.Unpriced || o.Unpriced
}

func (c *Counts) count(t *core.TaskView) {
	switch LookOf(t) {
	case LookNeeds:
		c.Needs++
	case LookIdle:
		c.Idle++
	case LookInterrupted:
		c.Interrupted++
	case LookCompleted, LookFailed, LookCancelled:
		c.Done++
	default:
		c.Running++
	}
	c.TokensIn += t.TokensIn
	c.TokensOut += t.TokensOut
	if t.Cost != nil {
		c.Cost += *t.Cost
	} else {
		c.Unpriced = true
	}
}

// Row is a visible line of the tree.
type Row struct {
	Node *Node
	Up   int  // index of the parent's row, -1 for a session
	Last bool // no sibling is shown below it
}

// Tree is the registry's tasks and what is visible of them.
type Tree struct {
	Rows     []Row
	Selected string // a task's ID, never a position: the cursor follows its row
	Filter   string
	HideDone bool
	Total    Counts // of sessions that are not over
	Review   int    // completions that nobody has reviewed
	roots    []*Node
	nodes    map[string]*Node
	sessions map[string]core.Session
	at       int    // row of Selected
	want     string // select this task as soon as it is there
	loaded   bool
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

// Len is how many tasks there are, shown or not.
func (t *Tree) Len() int { return len(t.nodes) }

// put takes a task over unless a newer revision of it is known.
func (t *Tree) put(v core.TaskView) {
	n := t.nodes[v.ID]
	if n != nil {
		if v.Rev >= n.Task.Rev {
			n.Task, n.hay = v, ""
		}
		return
	}
	n = &Node{Task: v}
	t.nodes[v.ID] = n
	if p := t.nodes[v.Parent]; p != nil && v.Parent != "" {
		n.Parent = p
		p.Kids = append(p.Kids, n)
		slices.SortStableFunc(p.Kids, byCreation)
		return
	}
	n.Shut = v.Status.Terminal()
	t.roots = slices.Insert(t.roots, 0, n) // a new session comes on top; no other row changes its order
}

func byCreation(a, b *Node) int {
	if a.Task.Created == nil || b.Task.Created == nil {
		return 0
	}
	return a.Task.Created.Compare(*b.Task.Created)
}

// Sort puts the sessions that were active last on top. It happens at the start and when asked for.
func (t *Tree) sort() {
	slices.SortStableFunc(t.roots, func(a, b *Node) int {
		if c := cmp.Compare(ended(a), ended(b)); c != 0 {
			return c
		}
		return t.sessions[b.Task.Session].Updated.Compare(t.sessions[a.Task.Session].Updated)
	})
}

func ended(n *Node) int {
	if n.Task.Status.Terminal() {
		return 1
	}
	return 0
}

// rebuild makes the rows anew and keeps the selection on its task, or on what stands nearest to it.
func (t *Tree) rebuild() {
	words := strings.Fields(strings.ToLower(t.Filter))
	t.Total = Counts{}
	for _, r := range t.roots {
		t.measure(r, words)
		if !r.Task.Status.Terminal() {
			t.Total.add(r.Below)
			t.Total.count(&r.Task)
		}
	}
	t.Rows = t.Rows[:0]
	t.flatten(t.roots, -1, len(words) > 0)
	t.reselect()
}

// measure counts what is under n and decides what is shown of it.
func (t *Tree) measure(n *Node, words []string) {
	n.Below = Counts{}
	n.hit = (!t.HideDone || !n.Task.Status.Terminal()) && (len(words) == 0 || n.matches(words, t.sessions))
	n.show = n.hit
	for _, k := range n.Kids {
		t.measure(k, words)
		n.Below.add(k.Below)
		n.Below.count(&k.Task)
		n.show = n.show || k.show
	}
}

func (n *Node) matches(words []string, sessions map[string]core.Session) bool {
	if n.hay == "" {
		v := &n.Task
		parts := []string{v.ID, v.Name, v.Agent, v.Description, v.State(), v.Intent, string(v.Activity), v.Detail, string(v.Kind)}
		if v.NeedsApproval {
			parts = append(parts, "needs you")
		}
		if n.Parent == nil {
			parts = append(parts, sessions[v.Session].Title, v.Dir)
		}
		n.hay = strings.ToLower(strings.Join(parts, "\n"))
	}
	return fits(n.hay, words)
}

// fits reports whether the text has every word, and none of those after "!".
func fits(hay string, words []string) bool {
	for _, w := range words {
		not, inverse := strings.CutPrefix(w, "!")
		if not != "" && strings.Contains(hay, not) == inverse {
			return false
		}
	}
	return true
}

func (t *Tree) flatten(nodes []*Node, up int, open bool) {
	last := -1
	for i, n := range nodes {
		if n.show {
			last = i
		}
	}
	for i, n := range nodes {
		if !n.show {
			continue
		}
		t.Rows = append(t.Rows, Row{Node: n, Up: up, Last: i == last})
		if !n.Shut || open { // a filter shows what it finds, folded or not
			t.flatten(n.Kids, len(t.Rows)-1, open)
		}
	}
}

func (t *Tree) reselect() {
	if t.want != "" && t.nodes[t.want] != nil {
		t.Selected, t.want = t.want, ""
		t.reveal(t.Selected)
	}
	for n := t.nodes[t.Selected]; n != nil; n = n.Parent {
		if i := t.index(n.Task.ID); i >= 0 {
			t.Selected, t.at = n.Task.ID, i
			return
		}
	}
	t.at = max(0, min(t.at, len(t.Rows)-1))
	t.Selected = ""
	if len(t.Rows) > 0 {
		t.Selected = t.Rows[t.at].Node.Task.ID
	}
}

func (t *Tree) index(id string) int {
	if t.at < len(t.Rows) && t.Rows[t.at].Node.Task.ID == id {
		return t.at
	}
	return slices.IndexFunc(t.Rows, func(r Row) bool { return r.Node.Task.ID == id })
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
	}
	for p := n.Parent; p != nil; p = p.Parent {
		p.Shut = false
	}
	words := strings.Fields(strings.ToLower(t.Filter))
	for _, r := range t.roots {
		t.measure(r, words)
	}
	t.Rows = t.Rows[:0]
	t.flatten(t.roots, -1, len(words) > 0)
}

// goTo selects the task, wherever it is hidden.
func (t *Tree) goTo(id string) bool {
	if t.nodes[id] == nil {
		return false
	}
	t.want = id
	t.rebuild()
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
