package state

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// Sort says by what the rows are ordered.
type Sort string

// What rows are ordered by, what comes first first.
const (
	SortActivity Sort = "activity" // sessions by their last activity, ended ones last; under them by creation
	SortNeeds    Sort = "needs"    // what needs you, then what is stuck, interrupted, running, to review, idle, ended
	SortAge      Sort = "age"      // the oldest first
	SortCost     Sort = "cost"     // the dearest first, with what is under it
	SortTokens   Sort = "tokens"   // likewise
	SortName     Sort = "name"
)

// Group says under which headings the rows stand.
type Group string

// What rows are grouped by.
const (
	GroupSession Group = "session" // trees, without headings
	GroupDir     Group = "dir"     // trees, under the directory they work in
	GroupAgent   Group = "agent"   // single tasks, under their agent
	GroupStatus  Group = "status"  // single tasks, under what they are doing
)

func sorts() []Sort { return []Sort{SortActivity, SortNeeds, SortAge, SortCost, SortTokens, SortName} }

func groups() []Group { return []Group{GroupSession, GroupDir, GroupAgent, GroupStatus} }

// Order is how the tree's rows are ordered. It is taken when the screen opens
// and when a key or command asks for it, and then it stands: what changes
// meanwhile moves no row, a new session comes on top and a new task after its
// siblings. Only under the heading of a status a task moves by itself, because
// the heading would lie; the cursor's row stays where it is on the screen.
type Order struct {
	Sort    Sort
	Reverse bool
	Group   Group
}

// flat reports whether tasks stand alone, without their trees.
func (o Order) flat() bool { return o.Group == GroupAgent || o.Group == GroupStatus }

// String says what is in force; "" for the usual order.
func (o Order) String() string {
	var parts []string
	if o.Sort != SortActivity || o.Reverse {
		parts = append(parts, "by "+o.sortName())
	}
	if o.Group != GroupSession {
		parts = append(parts, "per "+string(o.Group))
	}
	return strings.Join(parts, " · ")
}

func (o Order) sortName() string {
	if o.Reverse {
		return "-" + string(o.Sort)
	}
	return string(o.Sort)
}

// OrderAge is how long the order has stood.
func (t *Tree) OrderAge(now time.Time) time.Duration { return now.Sub(t.work.ordered) }

// sort takes the order anew.
func (t *Tree) sort() {
	t.work.ordered = t.work.home.Now
	if !t.loaded {
		slices.Reverse(t.roots) // of equals the youngest first
	}
	t.sortNodes(t.roots, t.compareTrees)
	for _, r := range t.roots {
		t.sortKids(r)
	}
	t.work.flat = nil
	if t.Order.flat() {
		for _, r := range t.roots {
			t.work.flat = append(t.work.flat, under(r, nil)...)
		}
		t.sortNodes(t.work.flat, t.compareTasks)
	}
}

func (t *Tree) sortNodes(nodes []*Node, compare func(a, b *Node) int) {
	if t.Order.Reverse {
		forward := compare
		compare = func(a, b *Node) int { return forward(b, a) }
	}
	stable(nodes, compare)
}

func (t *Tree) sortKids(n *Node) {
	if t.Order.Sort == SortActivity {
		stable(n.Kids, byCreation)
	} else {
		t.sortNodes(n.Kids, t.compareTrees)
	}
	for _, k := range n.Kids {
		t.sortKids(k)
	}
}

func under(n *Node, to []*Node) []*Node {
	to = append(to, n)
	for _, k := range n.Kids {
		to = under(k, to)
	}
	return to
}

// stable sorts, and is quick where there is nothing to sort.
func stable(nodes []*Node, compare func(a, b *Node) int) {
	if !slices.IsSortedFunc(nodes, compare) {
		slices.SortStableFunc(nodes, compare)
	}
}

// compareTrees compares tasks with what is under them.
func (t *Tree) compareTrees(a, b *Node) int {
	switch t.Order.Sort {
	case SortNeeds, SortCost, SortTokens:
		return t.compare(a, b, a.All(), b.All())
	}
	return t.compare(a, b, Counts{}, Counts{})
}

// compareTasks compares single tasks.
func (t *Tree) compareTasks(a, b *Node) int {
	switch t.Order.Sort {
	case SortNeeds, SortCost, SortTokens:
		return t.compare(a, b, a.Own(), b.Own())
	}
	return t.compare(a, b, Counts{}, Counts{})
}

func (t *Tree) compare(a, b *Node, ac, bc Counts) int {
	switch t.Order.Sort {
	case SortNeeds:
		if c := cmp.Compare(t.urgency(a, ac), t.urgency(b, bc)); c != 0 {
			return c
		}
	case SortAge:
		return byCreation(a, b)
	case SortCost:
		return cmp.Compare(bc.Cost, ac.Cost)
	case SortTokens:
		return cmp.Compare(bc.TokensIn+bc.TokensOut, ac.TokensIn+ac.TokensOut)
	case SortName:
		s := t.work.home
		return cmp.Compare(strings.ToLower(s.Title(a)), strings.ToLower(s.Title(b)))
	}
	if c := cmp.Compare(ended(a), ended(b)); c != 0 {
		return c
	}
	return t.active(b).Compare(t.active(a))
}

// urgency is how soon a person should look at it, 0 at once.
func (t *Tree) urgency(n *Node, c Counts) int {
	switch {
	case c.Needs > 0:
		return 0
	case t.work.home.stalled(n):
		return 1
	case c.Interrupted > 0:
		return 2
	case c.Running > 0:
		return 3
	case n.Task.Status == core.Idle && n.Task.Outcome != "":
		return 4
	case c.Idle > 0:
		return 5
	}
	return 6
}

func ended(n *Node) int {
	if n.Task.Status.Terminal() {
		return 1
	}
	return 0
}

// active is when something happened last: in the session of a main task, else to the task.
func (t *Tree) active(n *Node) time.Time {
	if n.Parent == nil {
		return t.sessions[n.Task.Session].Updated
	}
	return n.Task.LastEvent.Time()
}

// group is a heading and what stands under it.
type group struct {
	head  *Node
	nodes []*Node
}

const headID = "group " // begins the ID of a heading: no task's ID has a blank

// common is what the tasks of a group have in common; "" where there are no groups.
func (t *Tree) common(n *Node) string {
	switch t.Order.Group {
	case GroupDir:
		return t.dirOf(n)
	case GroupAgent:
		return n.Task.Agent
	case GroupStatus:
		return n.Task.Look().Word()
	}
	return ""
}

// headOf is the ID of the heading under which the task stands; "" for none.
func (t *Tree) headOf(n *Node) string {
	switch t.Order.Group {
	case GroupSession:
		return ""
	case GroupStatus:
		return fmt.Sprintf("%sstatus %02d", headID, n.Task.Look())
	}
	return headID + string(t.Order.Group) + " " + t.common(n)
}

// dirOf is where the task's session works.
func (t *Tree) dirOf(n *Node) string {
	if d := t.sessions[n.Task.Session].Dir; d != "" {
		return d
	}
	return n.Task.Dir
}

// grouped puts what is shown under headings, these in an order that never changes.
func (t *Tree) grouped() []*group {
	by := map[string]*group{}
	add := func(n *Node, c Counts) {
		what := t.common(n)
		g := by[what]
		if g == nil {
			g = &group{head: t.heading(t.headOf(n), n)}
			by[what] = g
		}
		g.head.sum().add(c)
		g.nodes = append(g.nodes, n)
	}
	if t.Order.flat() {
		for _, n := range t.work.flat {
			if n.hit {
				add(n, n.Own())
			}
		}
	} else {
		for _, n := range t.roots {
			if n.show {
				add(n, n.All())
			}
		}
	}
	var all []*group
	for _, g := range by {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int { return cmp.Compare(a.head.Task.ID, b.head.Task.ID) })
	return all
}

// heading finds the heading, which remembers that it is folded, or makes it.
func (t *Tree) heading(id string, n *Node) *Node {
	h := t.work.groups[id]
	if h == nil {
		h = &Node{Task: t.work.shared.pack(&core.TaskView{ID: id})}
		t.work.groups[id] = h
	}
	h.below = nil
	if h.Head = line(t.common(n)); h.Head == "" {
		h.Head = "(none)"
	}
	return h
}

// reorder takes another order and says so.
func (s *State) reorder(o Order) []Effect {
	s.Tree.Order = o
	s.Tree.sort()
	s.Tree.rebuild()
	s.say(join("ordered by "+o.sortName(), ", grouped by ", string(o.Group)))
	return nil
}

// orderAnew takes the same order as things are now.
func (s *State) orderAnew() []Effect { return s.reorder(s.Tree.Order) }

func (s *State) nextSort() []Effect {
	o, all := s.Tree.Order, sorts()
	o.Sort, o.Reverse = all[(slices.Index(all, o.Sort)+1)%len(all)], false
	return s.reorder(o)
}

func (s *State) nextGroup() []Effect {
	o, all := s.Tree.Order, groups()
	o.Group = all[(slices.Index(all, o.Group)+1)%len(all)]
	return s.reorder(o)
}

func (s *State) cmdSort(by string) []Effect {
	o := s.Tree.Order
	if by != "" {
		name, reverse := strings.CutPrefix(by, "-")
		o.Sort, o.Reverse = Sort(name), reverse
	}
	if !slices.Contains(sorts(), o.Sort) {
		s.fail("sort by " + strings.Join(each(sorts()), ", ") + "; with - before it the other way round")
		return nil
	}
	return s.reorder(o)
}

func (s *State) cmdGroup(by string) []Effect {
	o := s.Tree.Order
	if by != "" {
		o.Group = Group(by)
	}
	if !slices.Contains(groups(), o.Group) {
		s.fail("group by " + strings.Join(each(groups()), ", "))
		return nil
	}
	return s.reorder(o)
}

func each[T ~string](of []T) []string {
	var l []string
	for _, x := range of {
		l = append(l, string(x))
	}
	return l
}
