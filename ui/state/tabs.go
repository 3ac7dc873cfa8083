package state

import (
	"slices"
	"strings"
)

// Tab is one page of the detail pane.
type Tab struct {
	Name string
	Show Show
}

// taskTabs are the pages about the selected task, sessionTabs those about its session.
func taskTabs() []Tab {
	return []Tab{{"transcript", ShowTranscript}, {"turns", ShowTurns}, {"timeline", ShowTaskEvents}, {"definition", ShowDefinition}, {"files", ShowFiles}}
}

func sessionTabs() []Tab {
	return []Tab{{"timeline", ShowTimeline}, {"completions", ShowCompletions}, {"waterfall", ShowWaterfall}}
}

// Tabs are the pages beside the one that is shown, and which of them it is.
func (s *State) Tabs() (tabs []Tab, at int) {
	tabs = taskTabs()
	if s.View.Show.OfSession() {
		tabs = sessionTabs()
	}
	return tabs, slices.IndexFunc(tabs, func(t Tab) bool { return t.Show == s.View.Show })
}

// OfSession reports whether the page is about the whole session.
func (w Show) OfSession() bool {
	return w == ShowTimeline || w == ShowCompletions || w == ShowWaterfall
}

// Events reports whether the page is a list of events.
func (w Show) Events() bool { return w == ShowTimeline || w == ShowCompletions || w == ShowTaskEvents }

func (s *State) nextTab() []Effect { return s.tab(1) }
func (s *State) prevTab() []Effect { return s.tab(-1) }

func (s *State) tab(by int) []Effect {
	tabs, at := s.Tabs()
	return s.turnTo(tabs[(at+by+len(tabs))%len(tabs)].Show)
}

// turnTo turns to a page. A list of events begins at its end.
func (s *State) turnTo(w Show) []Effect {
	s.View.Show = w
	s.Pages.Version++
	if w.Events() {
		return []Effect{Scroll{Move: ToBottom}}
	}
	return nil
}

// timeline goes round the pages of the session, and back to the transcript.
func (s *State) timeline() []Effect {
	tabs := sessionTabs()
	i := slices.IndexFunc(tabs, func(t Tab) bool { return t.Show == s.View.Show })
	if i == len(tabs)-1 {
		return s.turnTo(ShowTranscript)
	}
	return s.turnTo(tabs[i+1].Show)
}

func (s *State) cmdTab(name string) []Effect {
	for _, t := range append(taskTabs(), sessionTabs()...) {
		if name != "" && strings.HasPrefix(t.Name, name) {
			return show(t.Show)(s, "")
		}
	}
	s.fail("tabs: " + strings.Join(tabNames(s, ""), ", "))
	return nil
}

func tabNames(*State, string) []string {
	var names []string
	for _, t := range append(taskTabs(), sessionTabs()[1:]...) {
		names = append(names, t.Name)
	}
	return names
}

// startSearch asks for words: of the transcript and other texts to find them
// in, of a timeline to show only what has them.
func (s *State) startSearch() []Effect {
	s.View.Mode = Searching
	s.Input.Line.Set("")
	if s.View.Show.Events() {
		s.Input.Line.Set(s.Pages.Filter.Words)
	}
	return nil
}

func (s *State) search() []Effect {
	s.View.Mode = Normal
	words := strings.TrimSpace(s.Input.Line.String())
	if s.View.Show.Events() {
		s.filterEvents(func(f *EventFilter) { f.Words = words })
		return nil
	}
	s.Pages.Find = words
	if words == "" {
		return nil
	}
	return []Effect{Find{Words: words, Back: s.View.Show == ShowTranscript}}
}

func (s *State) leaveSearch() []Effect {
	s.View.Mode = Normal
	if s.View.Show.Events() {
		s.filterEvents(func(f *EventFilter) { f.Words = "" })
	}
	return nil
}

// searching follows what is typed, where that costs nothing.
func (s *State) searching() {
	if s.View.Mode == Searching && s.View.Show.Events() {
		s.filterEvents(func(f *EventFilter) { f.Words = strings.TrimSpace(s.Input.Line.String()) })
	}
}

func (s *State) filterEvents(do func(*EventFilter)) {
	do(&s.Pages.Filter)
	s.Pages.Version++
}

// Searched is what the line of a search is for.
func (s *State) Searched() string {
	if s.View.Show.Events() {
		return "only events with: "
	}
	return "find: "
}

func (s *State) findNext() []Effect { return []Effect{Find{Words: s.Pages.Find}} }
func (s *State) findPrev() []Effect { return []Effect{Find{Words: s.Pages.Find, Back: true}} }
func (s *State) findError() []Effect {
	if s.View.Show != ShowTranscript {
		s.fail(s.Keyed("errors are looked for in the transcript; {previous-tab} and {next-tab} turn the pages"))
		return nil
	}
	return []Effect{Find{Error: true, Back: true}}
}

func (s *State) cmdFind(words string) []Effect {
	s.Pages.Find = words
	if words == "" {
		return nil
	}
	if s.View.Show.Events() || s.View.Show == ShowWaterfall {
		s.turnTo(ShowTranscript)
	}
	return []Effect{Find{Words: words, Back: s.View.Show == ShowTranscript}}
}

func (s *State) nextKind() []Effect { return s.group(1) }
func (s *State) prevKind() []Effect { return s.group(-1) }

// group goes round the kinds of events; the first is all of them.
func (s *State) group(by int) []Effect {
	names := append([]string{""}, GroupNames()...)
	i := max(0, slices.Index(names, s.Pages.Filter.Group))
	return s.cmdKind(names[(i+by+len(names))%len(names)])
}

func (s *State) cmdKind(name string) []Effect {
	g, ok := GroupOf(name)
	if name != "" && name != "all" && !ok {
		s.fail("kinds: all, " + strings.Join(GroupNames(), ", "))
		return nil
	}
	s.filterEvents(func(f *EventFilter) { f.Group = g.Name })
	switch {
	case ok:
		s.say(g.Name + ": " + g.Help)
	default:
		s.say("all kinds of events")
	}
	if !s.View.Show.Events() {
		return show(ShowTimeline)(s, "")
	}
	return nil
}
