package state

import (
	"fmt"
	"strings"
	"time"

	"drover/core"
)

// settle is how long an approval must have been on the screen before a key
// answers it: a key that was on its way must not allow what came up under it.
const settle = 500 * time.Millisecond

func (s *State) step(by int) []Effect {
	switch {
	case s.Agents.Open:
		s.Agents.move(by)
	case s.Inbox.Open:
		s.moveInbox(by)
	case s.Review.Open:
		s.Review.move(by)
	default:
		s.Tree.move(by)
	}
	return nil
}

func (s *State) openTask() []Effect {
	s.View.Pane, s.View.Full = PaneDetail, true
	return nil
}

func (s *State) toTree() []Effect {
	s.View.Pane, s.View.Full = PaneTree, false
	return nil
}

func (s *State) otherPane() []Effect {
	if s.View.Pane == PaneTree {
		s.View.Pane = PaneDetail
		return nil
	}
	return s.toTree()
}

func (s *State) back() []Effect {
	switch {
	case s.View.Pane == PaneDetail && s.Pages.Filter.Any() && s.View.Show.Events():
		s.filterEvents(func(f *EventFilter) { *f = EventFilter{} })
	case s.View.Pane == PaneDetail && s.Pages.Find != "":
		s.Pages.Find = ""
		return []Effect{Find{}}
	case s.View.Full:
		return s.toTree()
	case s.View.Show != ShowTranscript:
		return s.turnTo(ShowTranscript)
	case s.View.Pane == PaneDetail:
		return s.toTree()
	case s.Tree.Filter != "":
		s.Tree.Filter = ""
		s.Tree.rebuild()
	case s.Notice() != "":
		s.Agents.noticed = true
	default:
		s.say(s.Keyed("this is the top; {quit} leaves the screen, and agents go on"))
	}
	return nil
}

func (s *State) toNormal() []Effect {
	s.View.Mode = Normal
	return nil
}

func (s *State) help() []Effect {
	return s.read("help", s.helpLines())
}

// whyNotHelp: other pages have nothing to run.
func (s *State) whyNotHelp() string {
	switch {
	case s.View.Overlay.Title != "help":
		return "only the help is searched"
	case s.View.back != Normal:
		return "first put aside what you are typing"
	}
	return ""
}

// searchHelp goes from the help to the same keys as a list that can be searched and run.
func (s *State) searchHelp() []Effect {
	s.closeOverlay()
	return s.openPalette()
}

func (s *State) read(title string, lines []string) []Effect {
	if s.View.Mode != Reading {
		s.View.back = s.View.Mode
	}
	s.View.Mode, s.View.Overlay = Reading, Overlay{Title: title, Lines: lines}
	return []Effect{Scroll{Overlay: true, Move: ToTop}}
}

func (s *State) closeOverlay() []Effect {
	s.View.Mode = s.View.back
	return nil
}

func (s *State) quit() []Effect { return []Effect{Quit{}} }

func (s *State) ctrlC() []Effect {
	if s.View.leaving {
		var kept []Effect
		if s.View.Mode == Composing {
			kept = s.keepDraft()
		}
		return append(kept, Quit{})
	}
	s.View.leaving = true
	s.say(s.Keyed("{leave} again leaves the screen; agents go on"))
	return nil
}

func (s *State) toggleDone() []Effect {
	s.Tree.HideDone = !s.Tree.HideDone
	s.Tree.rebuild()
	s.say(map[bool]string{true: s.Keyed("finished tasks are hidden; {finished} shows them"), false: "finished tasks are shown"}[s.Tree.HideDone])
	return nil
}

func (s *State) nextSession() []Effect { return s.session(1) }
func (s *State) prevSession() []Effect { return s.session(-1) }

func (s *State) session(by int) []Effect {
	for i := s.Tree.at + by; i >= 0 && i < len(s.Tree.Rows); i += by {
		if r := s.Tree.Rows[i]; r.Up < 0 && r.Node.Head == "" {
			s.Tree.move(i - s.Tree.at)
			return nil
		}
	}
	s.say("there is no other session that way")
	return nil
}

// nextNeed goes round the inbox.
func (s *State) nextNeed() []Effect {
	in := s.Wants.Inbox
	next := 0
	for i, a := range in {
		if a.Task == s.Tree.Selected {
			next = i + 1
		}
	}
	s.Tree.goTo(in[next%len(in)].Task)
	s.View.Show = ShowTranscript
	return nil
}

func (s *State) startFilter() []Effect {
	s.View.Mode = Filtering
	s.Input.Line.Set(s.Tree.Filter)
	switch {
	case s.Agents.Open:
		s.Input.Line.Set(s.Agents.Filter)
	case s.Review.Open:
		s.Input.Line.Set(s.Review.Filter)
	}
	return nil
}

func (s *State) dropFilter() []Effect {
	s.View.Mode = Normal
	if s.Agents.Open {
		s.Agents.Filter = ""
		s.Agents.rebuild()
		return nil
	}
	if s.Review.Open {
		s.Review.Filter = ""
		s.rereview()
		return nil
	}
	s.Tree.Filter = ""
	s.Tree.rebuild()
	return nil
}

func (s *State) startCommand() []Effect {
	s.View.Mode, s.Input.Line, s.Input.recall = Commanding, Editor{}, 0
	return nil
}

func (s *State) allow() []Effect       { return s.approve(core.ScopeOnce) }
func (s *State) allowAlways() []Effect { return s.approve(core.ScopeAlways) }

func (s *State) approve(scope string) []Effect {
	a := s.Question()
	e := Approve{Task: a.Task, Approval: a.ID, Scope: scope}
	s.answer(e.Task, e.Approval)
	return []Effect{e}
}

// answer takes a call out of the inbox: the same key must not answer the next call with it.
func (s *State) answer(task string, id int64) {
	var rest []core.Approval
	for _, a := range s.Wants.approvals[task] {
		if a.ID != id {
			rest = append(rest, a)
			continue
		}
		s.Wants.answered[id] = a
	}
	s.Wants.approvals[task] = rest
	s.inbox()
}

func (s *State) startDeny() []Effect {
	a := s.Question()
	s.View.Mode, s.Input.deny, s.Input.Line = Denying, *a, Editor{}
	return nil
}

func (s *State) denyNow() []Effect {
	s.View.Mode = Normal
	d := s.Input.deny
	s.answer(d.Task, d.ID)
	return []Effect{Deny{Task: d.Task, Approval: d.ID, Reason: strings.TrimSpace(s.Input.Line.String())}}
}

// Denial names the call that is being denied.
func (s *State) Denial() string { return Ask(&s.Input.deny) }

func (s *State) viewApproval() []Effect {
	a := s.Question()
	lines := []string{"who      " + s.Path(a.Task), "tool     " + core.CleanLine(a.Tool), "asked    " + Elapsed(s.Now.Sub(a.Created)) + " ago"}
	if rule := s.Rule(a); rule != "" {
		lines = append(lines, "always   "+rule)
	}
	if more := len(s.Wants.approvals[a.Task]) - 1; more > 0 {
		lines = append(lines, fmt.Sprintf("after it %s more", plural(more, "call", "calls")))
	}
	return s.read(core.ApprovalRef(a.ID)+": may it run?", append(append(lines, ""), s.View.Args...))
}

// maxPathTitle is how much of a session's title a path begins with.
const maxPathTitle = 40

// Path names a task by its session and its ancestors: Add coupons › plan › edit-cart.
func (s *State) Path(task string) string {
	return strings.Join(s.path(task), " › ")
}

func (s *State) path(task string) []string {
	var parts []string
	for n := s.Tree.nodes[task]; n != nil; n = n.Parent {
		parts = append([]string{core.Short(s.Title(n), maxPathTitle)}, parts...)
	}
	return parts
}

// How much of a path is told: all of it, its ends, or the task alone.
const (
	PathWhole = iota
	PathEnds
	PathLast
)

// Asker names a task by so much of its path.
func (s *State) Asker(task string, much int) string {
	parts := s.path(task)
	switch n := len(parts); {
	case n == 0:
		return ""
	case much == PathLast:
		return parts[n-1]
	case much == PathEnds && n > 2:
		return parts[0] + " › … › " + parts[n-1]
	}
	return strings.Join(parts, " › ")
}

func (s *State) selected() *Task { return &s.Selected().Task }

func (s *State) promote() []Effect { return []Effect{Promote{Task: s.Tree.Selected}} }
func (s *State) resume() []Effect  { return []Effect{Resume{Task: s.Tree.Selected}} }
func (s *State) end() []Effect {
	if len(s.Marks.on) > 0 {
		return s.endMany()
	}
	return []Effect{End{Task: s.Tree.Selected}}
}
func (s *State) copyAnswer() []Effect { return []Effect{CopyAnswer{Task: s.Tree.Selected}} }

func (s *State) autopilot() []Effect {
	t := s.selected()
	ses, _ := s.Tree.Session(t.ID)
	return []Effect{Autopilot{Task: t.Session, On: !ses.Autopilot}}
}

func (s *State) cancelTree() []Effect { return s.ask(core.ScopeTree) }
func (s *State) cancelOnly() []Effect { return s.ask(core.ScopeOnly) }

func (s *State) ask(scope string) []Effect {
	if len(s.Marks.on) > 0 {
		s.confirmMarked(scope)
		return nil
	}
	s.confirm(Confirm{Task: s.Tree.Selected, Scope: scope})
	return nil
}

func (s *State) confirm(c Confirm) { s.View.Mode, s.View.Confirm = Confirming, c }

// confirmText names exactly what will stop; "" when the task has ended meanwhile.
func (s *State) confirmText(task, scope string) string {
	n := s.Tree.nodes[task]
	if n == nil || n.Task.Status.Terminal() {
		return ""
	}
	under := live(n, nil)
	switch {
	case scope == core.ScopeOnly && len(n.Kids) > 0:
		return fmt.Sprintf("cancel only %s? %s under it go on", s.name(task), plural(len(under), "task", "tasks"))
	case len(under) == 0 || scope == core.ScopeOnly:
		return fmt.Sprintf("cancel %s?", s.name(task))
	}
	return fmt.Sprintf("cancel %s and %d under it: %s?", s.name(task), len(under), names(under, 12))
}

// live names the tasks under n that can still be stopped.
func live(n *Node, to []string) []string {
	for _, k := range n.Kids {
		if !k.Task.Status.Terminal() {
			to = append(to, core.Short(core.CleanLine(k.Task.Label()), 30))
		}
		to = live(k, to)
	}
	return to
}

func (s *State) yes() []Effect {
	c := s.View.Confirm
	if c.do != nil {
		if s.Now.Sub(c.changed) < settle {
			s.fail("the question has just changed: read it, then press again")
			return nil
		}
		s.View.Mode = Normal
		return c.do()
	}
	if c.Trust && s.Now.Sub(c.changed) < settle {
		s.fail("what the folder brings has just changed: read it, then press again")
		return nil
	}
	s.View.Mode = Normal
	if c.Trust {
		s.say("trusting " + s.project() + " …")
		return []Effect{Trust{}}
	}
	s.say("cancelling " + s.name(c.Task) + " …")
	return []Effect{Cancel{Task: c.Task, Scope: c.Scope}}
}
