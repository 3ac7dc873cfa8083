package state

import "drover/core"

// Muted reports whether the task calls nobody: it, or one above it, was muted.
func (s *State) Muted(task string) bool {
	for n := s.Tree.nodes[task]; n != nil; n = n.Parent {
		if s.Notes.muted[n.Task.ID] {
			return true
		}
	}
	return false
}

// cmdMute turns notices of the task, and of all under it, off or on again. What
// needs a person is in the inbox and in the header all the same.
func (s *State) cmdMute(string) []Effect {
	if why := s.whyNoTask(); why != "" {
		s.fail(why)
		return nil
	}
	id := s.selected().ID
	if s.Notes.muted[id] {
		s.say(s.name(id) + " may call you again")
		return s.noting(core.NoteMuted+id, "", "on")
	}
	if s.Muted(id) {
		s.fail("what is above " + s.name(id) + " is muted: go there, then :mute")
		return nil
	}
	s.say(s.name(id) + " is muted, with all under it: no notices; :mute again lets them come")
	return s.noting(core.NoteMuted+id, "on", "")
}
