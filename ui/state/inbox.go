package state

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drover/core"
)

// Inbox is the pane of all tool calls that wait for an answer; its rows are
// Wants.Inbox. The cursor is an approval, never a position.
type Inbox struct {
	Open     bool
	Selected int64 // an approval's ID; 0: none
	at       int
}

func inboxKeys() []Binding {
	b := []Binding{
		{keys("a"), InInbox, "allow in inbox", "allow this one tool call", "allow", (*State).whyNotAnswer, (*State).allow},
		{keys("A"), InInbox, "allow always in inbox", "allow it, and add the rule that is shown to its session", "always", (*State).whyNotAlways, (*State).allowAlways},
		{keys("d"), InInbox, "deny in inbox", "deny it; asks for a reason, which the agent is told", "deny", (*State).whyNotAnswer, (*State).startDeny},
		{keys("="), InInbox, "allow identical", "allow it and every identical call that waits in this folder (asks first)", "", (*State).whyNotIdentical, (*State).allowIdentical},
		{keys("v", "l", "Right", " "), InInbox, "view call in inbox", "show the exact arguments in full", "view", (*State).whyNoInbox, (*State).viewApproval},
		{keys("Enter"), InInbox, "open asker", "go to the task that asks", "open", (*State).whyNoInbox, (*State).openAsker},
		{keys("m"), InInbox, "message asker", "write to the task that asks", "message", (*State).whyNoInbox, (*State).messageAsker},
	}
	return append(b, listKeys(InInbox, "call", (*State).closeInbox, "I")...)
}

// listKeys are what every list over the tasks has in common.
func listKeys(c Context, one string, closeIt func(*State) []Effect, again Key) []Binding {
	return []Binding{
		{keys("j", "Down", "n"), c, one + " down", "next " + one, "", nil, moves(1, false)},
		{keys("k", "Up", "p"), c, one + " up", "previous " + one, "", nil, moves(-1, false)},
		{keys("g", "Home"), c, "first " + one, "first " + one, "", nil, moves(-1<<30, false)},
		{keys("G", "End"), c, "last " + one, "last " + one, "", nil, moves(1<<30, false)},
		{keys("PgDn", "Ctrl-D"), c, one + "s page down", "a page down", "", nil, moves(1, true)},
		{keys("PgUp", "Ctrl-U"), c, one + "s page up", "a page up", "", nil, moves(-1, true)},
		{keys(":"), c, "command over " + one + "s", "type a command; {complete} completes it", "command", nil, (*State).startCommand},
		{keys("?"), c, "help over " + one + "s", "show all keys", "help", nil, (*State).help},
		{keys("Esc", "q", "h", "Left", again), c, "close " + one + "s", "back to the tasks", "back", nil, closeIt},
	}
}

// Listing reports whether a list stands in place of the tasks.
func (s *State) Listing() bool { return s.Agents.Open || s.Inbox.Open || s.Review.Open }

// closeLists shows the tasks again.
func (s *State) closeLists() {
	s.Agents.Open, s.Inbox.Open, s.Review.Open = false, false, false
	s.View.shown = 0 // a question that was hidden has only just come up
}

func (s *State) openInbox() []Effect {
	s.closeLists()
	s.Inbox.Open = true
	for i, a := range s.Wants.Inbox { // what the selected task asks, else the oldest
		if a.Task == s.Tree.Selected {
			s.Inbox.Selected, s.Inbox.at = a.ID, i
			break
		}
	}
	s.reinbox()
	return nil
}

func (s *State) closeInbox() []Effect {
	s.closeLists()
	return nil
}

// reinbox keeps the cursor on its call, or on the row where it stood. A call
// that comes under the cursor so has only just come up: see whyNotAnswer.
func (s *State) reinbox() {
	in := s.Wants.Inbox
	if i := slices.IndexFunc(in, func(a core.Approval) bool { return a.ID == s.Inbox.Selected }); i >= 0 {
		s.Inbox.at = i
		return
	}
	s.Inbox.at, s.Inbox.Selected = max(0, min(s.Inbox.at, len(in)-1)), 0
	if len(in) > 0 {
		s.Inbox.Selected = in[s.Inbox.at].ID
	}
}

func (s *State) moveInbox(by int) {
	in := s.Wants.Inbox
	if len(in) == 0 {
		return
	}
	s.Inbox.at = max(0, min(s.Inbox.at+by, len(in)-1))
	s.Inbox.Selected = in[s.Inbox.at].ID
}

// At is the row of the cursor.
func (i *Inbox) At() int { return i.at }

// Question is the tool call that the keys answer now, or nil.
func (s *State) Question() *core.Approval {
	if !s.Inbox.Open {
		a, _ := s.Approval()
		return a
	}
	if in := s.Wants.Inbox; s.Inbox.at < len(in) && in[s.Inbox.at].ID == s.Inbox.Selected {
		return &in[s.Inbox.at]
	}
	return nil
}

// Rule is what "always" would add to the session of the call; "" where no safe rule can be made.
func (s *State) Rule(a *core.Approval) string {
	if s.Config.RuleFor == nil {
		return ""
	}
	return core.CleanLine(s.Config.RuleFor(a.Tool, a.Subject))
}

func (s *State) whyNotAlways() string {
	if why := s.whyNotAnswer(); why != "" {
		return why
	}
	if s.Config.RuleFor != nil && s.Rule(s.Question()) == "" {
		return "no safe rule can be made of this call" + s.Keyed("; {"+s.near("allow")+"} allows it once")
	}
	return ""
}

// near is the command of that name that answers here: the inbox has its own.
func (s *State) near(command string) string {
	if s.Inbox.Open {
		return command + "-in-inbox"
	}
	return command
}

// identical are the pending calls that would do just the same in the same folder, itself among them.
func (s *State) identical(a *core.Approval) (ids []int64, who []string) {
	for _, b := range s.Wants.Inbox {
		if b.Tool == a.Tool && b.Subject == a.Subject && bytes.Equal(b.Args, a.Args) && s.dir(b.Task) == s.dir(a.Task) {
			ids, who = append(ids, b.ID), append(who, core.Short(s.Path(b.Task), 60))
		}
	}
	return ids, who
}

func (s *State) dir(task string) string {
	if n := s.Tree.nodes[task]; n != nil {
		return n.Task.Dir
	}
	return ""
}

func (s *State) whyNotIdentical() string {
	if why := s.whyNotAnswer(); why != "" {
		return why
	}
	if ids, _ := s.identical(s.Question()); len(ids) < 2 {
		return s.Keyed("no other call is identical to this one; {allow-in-inbox} allows it")
	}
	return ""
}

// allowIdentical asks first; what comes in meanwhile is not among them.
func (s *State) allowIdentical() []Effect {
	a := *s.Question()
	ids, _ := s.identical(&a)
	still := func() (l []core.Approval, who []string) {
		for _, b := range s.Wants.Inbox {
			if slices.Contains(ids, b.ID) {
				l, who = append(l, b), append(who, core.Short(s.Path(b.Task), 60))
			}
		}
		return l, who
	}
	s.confirm(Confirm{
		Title: "allow?", Yes: "yes, allow them", gone: "none of them waits any more",
		text: func() string {
			l, who := still()
			if len(l) == 0 {
				return ""
			}
			return fmt.Sprintf("allow %s of %s? Asked by %s", plural(len(l), "call", "identical calls"), core.Short(Ask(&a), 300), names(who, 8))
		},
		do: func() (effects []Effect) {
			l, _ := still()
			for _, b := range l {
				s.answer(b.Task, b.ID)
				effects = append(effects, Approve{Task: b.Task, Approval: b.ID, Scope: core.ScopeOnce})
			}
			s.begin("allowed", [2]string{"call", "calls"}, effects, nil)
			return effects
		},
	})
	return nil
}

func (s *State) openAsker() []Effect {
	task := s.Question().Task
	s.closeLists()
	s.Tree.goTo(task)
	s.View.Show = ShowTranscript
	return nil
}

func (s *State) messageAsker() []Effect {
	return s.open(Compose{Target: s.Question().Task, Delivery: core.Queue})
}

// AskParts says all there is about the call that waits, as labelled texts.
func (s *State) AskParts(a *core.Approval) []Part {
	parts := []Part{{Label: "asks", Text: s.Path(a.Task)}}
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, Part{Label: label, Text: text})
		}
	}
	add("may it run", core.CleanLine(a.Tool))
	args := s.View.Args
	if a.ID != s.View.shown {
		args = Arguments(a)
	}
	add("exactly", strings.Join(args, "\n"))
	adds := cmp.Or(s.Keyed("{allow-always-in-inbox} adds"), "always")
	if rule := s.Rule(a); rule != "" {
		add(adds, rule)
	} else if s.Config.RuleFor != nil {
		add(adds, "nothing: no safe rule can be made of this call")
	}
	if ids, _ := s.identical(a); len(ids) > 1 {
		add("identical", plural(len(ids)-1, "more call", "more calls")+s.Keyed("; {allow-identical} allows all of them"))
	}
	add("since", Elapsed(s.Now.Sub(a.Created)))
	add("session", s.SessionTitle(a.Session))
	add("folder", core.CleanLine(s.dir(a.Task)))
	return parts
}
