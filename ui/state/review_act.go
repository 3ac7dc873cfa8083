package state

import (
	"slices"

	"drover/core"
)

func (s *State) openReview() []Effect {
	s.closeLists()
	s.Review.Open = true
	return nil
}

func (s *State) openReviewed() []Effect {
	session := s.Review.all[s.Review.Selected].Session
	if s.Tree.nodes[session] == nil {
		s.fail("the session " + session + " is not there any more")
		return nil
	}
	s.closeLists()
	s.Tree.goTo(session)
	s.View.Show = ShowTranscript
	return s.openTask()
}

func (s *State) followUp() []Effect {
	return s.open(Compose{Target: s.Review.all[s.Review.Selected].Session, Delivery: core.Queue})
}

func (s *State) viewReview() []Effect {
	var lines []string
	for _, p := range s.LedParts(s.Led()) {
		lines = append(lines, p.Label)
		lines = append(lines, indent(p.Text)...)
	}
	return s.read("completion", lines)
}

func (s *State) toggleReviewed() []Effect {
	s.Review.All = !s.Review.All
	s.rereview()
	s.say(map[bool]string{true: "all completions are shown", false: "only those to review are shown"}[s.Review.All])
	return nil
}

// reviewAll asks first; what is declared meanwhile is not among them.
func (s *State) reviewAll() []Effect {
	ids := slices.Clone(s.Review.Rows)
	ids = slices.DeleteFunc(ids, func(id string) bool {
		r := s.Review.all[id]
		return !r.Open(s.Now, s.changed(r.Session))
	})
	if len(ids) == 0 {
		s.say("nothing is to review")
		return nil
	}
	var titles []string
	for _, id := range ids {
		titles = append(titles, core.Short(s.SessionTitle(s.Review.all[id].Session), 40))
	}
	s.confirm(Confirm{
		Title: "reviewed?", Yes: "yes, all of them",
		text: func() string {
			return "mark " + plural(len(ids), "completion", "completions") + " as reviewed: " + names(titles, 8) + "?"
		},
		do: func() []Effect { return s.markReviews(core.ReviewMark{State: core.ReviewReviewed}, ids...) },
	})
	return nil
}

// cmdReview opens the pane, or marks the completion under the cursor.
func (s *State) cmdReview(arg string) []Effect {
	if arg == "" {
		return s.openReview()
	}
	if !s.Review.Open {
		s.openReview()
	}
	if why := s.whyNoReview(); why != "" {
		s.fail(why)
		return nil
	}
	switch arg {
	case "done":
		return marks(core.ReviewReviewed)(s)
	case "archive":
		return marks(core.ReviewArchived)(s)
	case "open":
		return marks(core.ReviewOpen)(s)
	case "all":
		return s.reviewAll()
	}
	return snoozes(arg)(s)
}

func (s *State) cmdInbox(string) []Effect { return s.openInbox() }

func (s *State) whyNoReview() string {
	switch {
	case s.Review.Selected != "":
		return ""
	case s.Review.Filter != "" && s.Review.Len() > 0:
		return s.Keyed("no completion fits the filter; {close-completions} drops it")
	case s.Review.Len() > 0:
		return s.Keyed("nothing is to review; {open-or-all} shows all completions")
	}
	return "nothing has been declared complete yet"
}

func (s *State) whyNotFollowUp() string {
	if why := s.whyNoReview(); why != "" {
		return why
	}
	session := s.Review.all[s.Review.Selected].Session
	n := s.Tree.nodes[session]
	switch {
	case n == nil:
		return "the session " + session + " is not there any more"
	case n.Task.Status.Terminal():
		return s.name(session) + " is " + n.Task.State() + ": an ended task takes no message" + s.Keyed("; {new-session} in the tasks starts a session")
	}
	return ""
}
