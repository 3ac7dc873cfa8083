package state

import "drover/core"

// Timeline returns the events that are to be shown of a session, oldest first,
// as the page and the person's filter say.
func (s *State) Timeline(session string) []*core.Event {
	f := s.Pages.Filter
	switch s.View.Show {
	case ShowCompletions:
		f.Group = "completions"
	case ShowTaskEvents:
		f.Task = s.Tree.Selected
	}
	l := s.Events.lists[session]
	out := make([]*core.Event, 0, len(l))
	for i := range l {
		if f.Passes(&l[i], s.labelOf(l[i].Task)) {
			out = append(out, &l[i])
		}
	}
	return out
}

func (s *State) labelOf(task string) string {
	if n := s.Tree.nodes[task]; n != nil {
		return core.CleanLine(n.Task.Label())
	}
	return ""
}
