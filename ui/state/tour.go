package state

import (
	"drover/core"
)

// tourModel is what the tour runs on: no key, no network, no cost.
const tourModel = "offline/rules"

// tourPrompt starts a child that works for as long as the tour takes.
const tourPrompt = "demo slow 90"

// Tour is a minute's walk through the screen: one thing to do at a time.
type Tour struct {
	On    bool
	begun bool   // its session is on the screen
	from  string // what was selected before
	step  int
	seen  tourSeen
}

// tourSeen is how things were when the step began.
type tourSeen struct {
	selected string
	show     Show
	sent     int
	asked    bool
}

// A stop is one step: what to do, and how the tour knows that it is done.
type stop struct {
	text func(*State) string
	done func(*State) bool
}

func stops() []stop {
	say := func(text string) func(*State) string {
		return func(s *State) string { return s.Keyed(text) }
	}
	return []stop{
		{say("a session has started on the offline model. Move to another row with {down}"),
			func(s *State) bool { return len(s.Tree.Rows) > 1 && s.Tree.Selected != s.Home.Tour.seen.selected }},
		{say("the right side shows what the row's agent says. Go there with {other-pane}, to read and scroll"),
			func(s *State) bool { return s.View.Pane == PaneDetail }},
		{say("back to the tree with {back}"),
			func(s *State) bool { return s.View.Pane == PaneTree }},
		{say("{message} writes to the agent: a few words, then {send}"),
			func(s *State) bool { return len(s.Input.sent) > s.Home.Tour.seen.sent }},
		{say("what has happened, in order: {timeline}"),
			func(s *State) bool { return s.View.Show != s.Home.Tour.seen.show }},
		{say("{new-session} starts a session. One that asks first: demo approval, then {send}"),
			func(s *State) bool { return len(s.Wants.Inbox) > 0 }},
		{say("it needs you: {next-in-inbox} goes there, {allow} allows, {deny} denies"),
			func(s *State) bool { return s.Home.Tour.seen.asked && len(s.Wants.Inbox) == 0 }},
		{say("everything that can be done here: {palette}"),
			func(s *State) bool { return s.View.Mode == Picking }},
	}
}

func (s *State) cmdTour(arg string) []Effect {
	switch {
	case arg == "end" && s.Home.Tour.On:
		s.Home.Tour = Tour{}
		s.say("the tour is over; :tour begins it again")
		return nil
	case arg != "":
		s.fail("tour takes nothing or: end")
		return nil
	case s.Home.Tour.On:
		s.say("the tour goes on; :tour end ends it")
		return nil
	}
	s.Home.Tour = Tour{On: true, from: s.Tree.Selected}
	return []Effect{NewSession{Prompt: tourPrompt, Model: tourModel}}
}

func (s *State) tourSees() tourSeen {
	return tourSeen{selected: s.Tree.Selected, show: s.View.Show, sent: len(s.Input.sent), asked: len(s.Wants.Inbox) > 0}
}

// advance goes to the next step once the person has done this one.
func (s *State) advance() {
	t := &s.Home.Tour
	if !t.On {
		return
	}
	all := stops()
	if !t.begun { // the session is on its way
		t.begun, t.seen = s.Tree.Selected != t.from, s.tourSees()
		return
	}
	t.seen.asked = t.seen.asked || len(s.Wants.Inbox) > 0
	if !all[t.step].done(s) {
		return
	}
	t.step++
	t.seen = s.tourSees()
	if t.step == len(all) {
		*t = Tour{}
		s.say("that was the tour: " + s.KeyOf("help") + " shows all keys. Agents go on when you leave the screen")
	}
}

// TourHint is what the tour asks for now, and which step of how many it is; "" without a tour.
func (s *State) TourHint() (text string, step, of int) {
	t := &s.Home.Tour
	if !t.On {
		return "", 0, 0
	}
	all := stops()
	return core.CleanLine(all[t.step].text(s)), t.step + 1, len(all)
}
