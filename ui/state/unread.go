package state

import "drover/core"

// markUnread notes that a session's main task has answered while the cursor was elsewhere.
func (s *State) markUnread(old *Task, t *core.TaskView) {
	if t.Kind != core.KindMain {
		return
	}
	answered := t.Status == core.Idle && (old.Status == core.Running || t.Turn > old.Turn)
	if answered && s.Home.unread == nil {
		s.Home.unread = map[string]bool{}
	}
	if answered || t.Status != core.Idle {
		put(s.Home.unread, t.ID, answered)
	}
}

// look takes the mark from what is under the cursor: its answer is on the screen.
func (s *State) look() { delete(s.Home.unread, s.Tree.Selected) }

// Unread reports whether the session has answered, and nobody has looked here since.
func (s *State) Unread(task string) bool { return s.Home.unread[task] }
