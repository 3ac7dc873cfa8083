package state

import (
	"fmt"
	"slices"

	"drover/core"
)

// Marks are the tasks that the next key acts on all together.
type Marks struct {
	on      map[string]bool
	last    string            // where a range begins
	batches map[Effect]*batch // what acts on many and is not settled yet
}

// MarkedTasks are the IDs of the marked tasks, in the order of the tree.
func (s *State) MarkedTasks() []string {
	if len(s.Marks.on) == 0 {
		return nil
	}
	var ids []string
	for _, r := range s.Tree.roots {
		for _, n := range under(r, nil) {
			if s.Marks.on[n.Task.ID] {
				ids = append(ids, n.Task.ID)
			}
		}
	}
	return ids
}

// IsMarked reports whether the task is marked.
func (s *State) IsMarked(task string) bool { return s.Marks.on[task] }

// Marking is how many tasks are marked.
func (s *State) Marking() int { return len(s.Marks.on) }

// markTask marks the task or takes its mark away, and goes on to the next row.
func (s *State) markTask() []Effect {
	id := s.Tree.Selected
	if s.Marks.on[id] {
		delete(s.Marks.on, id)
	} else {
		s.Marks.on[id] = true
	}
	s.Marks.last = id
	s.marksChanged()
	s.Tree.move(1)
	return nil
}

// markRange marks every row from the last mark to the cursor.
func (s *State) markRange() []Effect {
	from := s.Tree.at
	if n := s.Tree.nodes[s.Marks.last]; n != nil && s.Tree.index(n) >= 0 {
		from = s.Tree.index(n)
	}
	for i := min(from, s.Tree.at); i <= max(from, s.Tree.at); i++ {
		if n := s.Tree.Rows[i].Node; n.Head == "" {
			s.Marks.on[n.Task.ID] = true
		}
	}
	s.Marks.last = s.Tree.Selected
	s.marksChanged()
	s.say(plural(len(s.Marks.on), "task is marked", "tasks are marked") + s.Keyed("; {cancel} cancels; {end} closes; {archive-task} archives all of them"))
	return nil
}

func (s *State) clearMarks() []Effect {
	clear(s.Marks.on)
	s.marksChanged()
	s.say("nothing is marked now")
	return nil
}

func (s *State) marksChanged() {
	if s.Tree.query().asks("is", "marked") {
		s.Tree.rebuild()
	}
}

func (s *State) whyNoMarks() string {
	if len(s.Marks.on) == 0 {
		return s.Keyed("nothing is marked; {mark} marks the task under the cursor")
	}
	return ""
}

// chosen are the marked tasks, or the selected one where none is marked.
func (s *State) chosen() []*Node {
	var nodes []*Node
	for _, id := range s.MarkedTasks() {
		nodes = append(nodes, s.Tree.nodes[id])
	}
	if n := s.Selected(); len(nodes) == 0 && n != nil {
		return []*Node{n}
	}
	return nodes
}

// whyNone says why an action on the chosen tasks cannot act: the reason of a
// single one, or that it fits none of the marked.
func (s *State) whyNone(single func(*State) string, verb string, can func(*Node) bool) string {
	if len(s.Marks.on) == 0 {
		return single(s)
	}
	if !slices.ContainsFunc(s.chosen(), can) {
		return fmt.Sprintf("none of the %d marked can be %s; \\ clears the marks", len(s.Marks.on), verb)
	}
	return ""
}

// sift leaves those of the marked for which it can be done; of the others it says how they are.
func (s *State) sift(can func(*Node) bool) (ids, kept []string) {
	for _, n := range s.chosen() {
		if can(n) {
			ids = append(ids, n.Task.ID)
		} else {
			kept = append(kept, standing(n))
		}
	}
	return ids, kept
}

// standing says in words why a task is left as it is.
func standing(n *Node) string {
	switch below := n.Below(); {
	case n.Task.Status == core.Running && !n.Task.Interrupted:
		return "still running"
	case n.Task.Status == core.Idle && below.Running+below.Needs+below.Interrupted > 0:
		return "something under it is still running"
	}
	return n.Task.State()
}

func canCancel(n *Node) bool { return !n.Task.Status.Terminal() }

func canEnd(n *Node) bool {
	return n.Task.Status == core.Idle && n.Below().Running+n.Below().Needs+n.Below().Interrupted == 0
}

func canArchive(n *Node) bool { return n.Task.Status.Terminal() }

// cancelling are the marked tasks that a cancel of that scope has to name: not
// those that stop with another one.
func (s *State) cancelling(scope string) []string {
	ids, _ := s.sift(canCancel)
	if scope == core.ScopeOnly {
		return ids
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		for p := s.Tree.nodes[id].Parent; p != nil; p = p.Parent {
			if s.Marks.on[p.Task.ID] && canCancel(p) {
				return true
			}
		}
		return false
	})
}

// confirmMarked asks before the marked tasks are cancelled.
func (s *State) confirmMarked(scope string) {
	tasks := s.cancelling(scope)
	s.confirm(Confirm{
		text: func() string { return s.stopText(tasks, scope) },
		do:   func() []Effect { return s.cancelMany(tasks, scope) },
		gone: "nothing to cancel: all that was marked has ended",
	})
}

// stopText names all that will stop; "" when nothing of it is left.
func (s *State) stopText(tasks []string, scope string) string {
	var stop []string
	sessions := map[string]bool{}
	for _, id := range tasks {
		if n := s.Tree.nodes[id]; n != nil {
			sessions[n.Task.Session] = true
		}
	}
	for _, id := range tasks {
		n := s.Tree.nodes[id]
		if n == nil || !canCancel(n) {
			continue
		}
		if len(sessions) > 1 { // two of them may have the same name
			stop = append(stop, s.Asker(id, PathEnds))
		} else {
			stop = append(stop, s.name(id))
		}
		if scope == core.ScopeTree {
			stop = live(n, stop)
		}
	}
	if len(stop) == 0 {
		return ""
	}
	verb := map[string]string{core.ScopeTree: "cancel ", core.ScopeOnly: "cancel only "}[scope]
	return verb + plural(len(stop), "task", "tasks") + ": " + names(stop, 1000) + "?"
}

func (s *State) cancelMany(tasks []string, scope string) []Effect {
	var effects []Effect
	for _, id := range tasks {
		if n := s.Tree.nodes[id]; n != nil && canCancel(n) {
			effects = append(effects, Cancel{Task: id, Scope: scope})
		}
	}
	clear(s.Marks.on)
	s.begin("stopped", [2]string{"task", "tasks"}, effects, nil)
	s.say("cancelling " + plural(len(effects), "task", "tasks") + " …")
	return effects
}

// endMany closes the marked tasks that are idle.
func (s *State) endMany() []Effect {
	ids, kept := s.sift(canEnd)
	var effects []Effect
	for _, id := range ids {
		effects = append(effects, End{Task: id})
	}
	clear(s.Marks.on)
	s.begin("closed", [2]string{"task", "tasks"}, effects, kept)
	s.say(keptBack("closing "+plural(len(ids), "task", "tasks"), kept))
	return effects
}
