package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// undoFor is how long u brings back what was archived; :unarchive always does.
const undoFor = 30 * time.Second

// slots is how many tasks can be pinned to a digit.
const slots = 9

// Notes are what the person has noted, shared with every other screen. A
// change shows at once; it is taken back if it could not be written.
type Notes struct {
	archived map[string]bool
	slots    [slots + 1]string // by digit; 0 is not used
	views    map[string]string
	drafts   map[string]string // by key, as they are in the registry
	muted    map[string]bool   // tasks that call nobody, nor does what is under them
	pending  map[string]string // by key, while they are being written
	undo     []string          // what was archived last
	undoAt   time.Time
}

// takeNotes takes over the notes as they are in the registry.
func (s *State) takeNotes(notes map[string]string) {
	n := &s.Notes
	n.archived, n.muted, n.views, n.slots = map[string]bool{}, map[string]bool{}, map[string]string{}, [slots + 1]string{}
	for key := range n.drafts {
		if _, mine := n.pending[key]; notes[key] == "" && !mine {
			s.takeDraft(key, "")
		}
	}
	for key, value := range notes {
		s.note(key, value)
	}
	for key, value := range n.pending {
		s.note(key, value)
	}
	s.Tree.work.stale = true
}

// note makes one note true here; "" takes it back.
func (s *State) note(key, value string) {
	n := &s.Notes
	switch {
	case strings.HasPrefix(key, core.NoteArchived):
		put(n.archived, key[len(core.NoteArchived):], value != "")
	case strings.HasPrefix(key, core.NoteMuted):
		if n.muted == nil {
			n.muted = map[string]bool{}
		}
		put(n.muted, key[len(core.NoteMuted):], value != "")
	case strings.HasPrefix(key, core.NoteDraft):
		if mine, writing := n.pending[key]; !writing || mine == value {
			s.takeDraft(key, value)
		}
	case strings.HasPrefix(key, core.NoteView):
		put(n.views, key[len(core.NoteView):], value)
	case strings.HasPrefix(key, core.NoteSlot):
		if d := key[len(core.NoteSlot):]; len(d) == 1 && d[0] >= '1' && d[0] <= '9' {
			n.slots[d[0]-'0'] = value
		}
	}
}

func put[V comparable](to map[string]V, key string, v V) {
	var none V
	if v == none {
		delete(to, key)
		return
	}
	to[key] = v
}

// noting makes a note true here, and asks for it to be written.
func (s *State) noting(key, value, old string) []Effect {
	s.note(key, value)
	s.Notes.pending[key] = value
	return []Effect{PutNote{Key: key, Value: value, Old: old}}
}

// noted takes over how writing notes came out.
func (s *State) noted(e Effect, err error) {
	switch e := e.(type) {
	case PutNote:
		delete(s.Notes.pending, e.Key)
		switch {
		case err == nil:
		case strings.HasPrefix(e.Key, core.NoteDraft): // it stays, on this screen alone
			put(s.Notes.drafts, e.Key, e.Old)
		default:
			s.note(e.Key, e.Old)
		}
	case Archive:
		for _, id := range e.Tasks {
			delete(s.Notes.pending, core.NoteArchived+id)
			if err != nil {
				put(s.Notes.archived, id, !e.On)
			}
		}
		if err != nil {
			s.Tree.rebuild()
		}
	}
}

// Archived reports whether the task is hidden with what is archived: itself or something above it.
func (s *State) Archived(n *Node) bool {
	for ; n != nil; n = n.Parent {
		if s.Notes.archived[n.Task.ID] {
			return true
		}
	}
	return false
}

func (s *State) whyNotArchive() string {
	return s.whyNone(func(s *State) string {
		if why := s.whyNoTask(); why != "" {
			return why
		}
		switch n := s.Selected(); {
		case s.Archived(n):
			return ""
		case n.Task.Status == core.Idle:
			return s.name(n.Task.ID) + " is idle" + s.Keyed("; {end} closes it, then it can be archived")
		case !canArchive(n):
			return s.name(n.Task.ID) + " is " + n.Task.State() + ": only what has ended can be archived"
		}
		return ""
	}, "archived", canArchive)
}

// archive hides what is chosen; on what is archived it brings that back.
func (s *State) archive() []Effect {
	if n := s.Selected(); len(s.Marks.on) == 0 && s.Archived(n) {
		return s.unarchive()
	}
	ids, kept := s.sift(canArchive)
	clear(s.Marks.on)
	s.Notes.undo, s.Notes.undoAt = ids, s.Now
	what := plural(len(ids), "task", "tasks")
	if len(ids) == 1 {
		what = s.name(ids[0])
	}
	effects := s.archiving(ids, true)
	s.say(keptBack("archived "+what, kept) + s.Keyed("; {undo-archive} brings it back; {archived} shows what is archived"))
	return effects
}

// unarchive brings back what hides the selected task.
func (s *State) unarchive() []Effect {
	var ids []string
	for n := s.Selected(); n != nil; n = n.Parent {
		if s.Notes.archived[n.Task.ID] {
			ids = append(ids, n.Task.ID)
		}
	}
	effects := s.archiving(ids, false)
	s.say("back in the tree")
	return effects
}

func (s *State) archiving(ids []string, on bool) []Effect {
	for _, id := range ids {
		s.Notes.pending[core.NoteArchived+id] = map[bool]string{true: "now"}[on]
		put(s.Notes.archived, id, on)
	}
	s.Tree.rebuild()
	return []Effect{Archive{Tasks: ids, On: on}}
}

func (s *State) whyNoUndo() string {
	switch {
	case len(s.Notes.undo) == 0:
		return "nothing was archived here lately; :unarchive brings older ones back"
	case s.Now.Sub(s.Notes.undoAt) > undoFor:
		return "that is more than 30 seconds ago; :unarchive still brings it back"
	}
	return ""
}

// undoArchive brings back what was archived last, with the cursor on it.
func (s *State) undoArchive() []Effect {
	ids := s.Notes.undo
	s.Notes.undo = nil
	effects := s.archiving(ids, false)
	s.Tree.goTo(ids[0])
	s.say(plural(len(ids), "task is", "tasks are") + " back in the tree")
	return effects
}

// cmdUnarchive takes a task's ID; without, what was archived last, or what is selected.
func (s *State) cmdUnarchive(to string) []Effect {
	switch {
	case to != "":
		if !s.Notes.archived[to] {
			s.fail(line(to) + " is not archived" + s.Keyed("; {archived} shows what is; :unarchive ID brings it back"))
			return nil
		}
		s.Notes.undo = []string{to}
	case len(s.Notes.undo) == 0:
		if n := s.Selected(); n != nil && s.Archived(n) {
			return s.unarchive()
		}
		s.fail(s.Keyed("nothing was archived here lately; {archived} shows what is; :unarchive ID brings it back"))
		return nil
	}
	return s.undoArchive()
}

func (s *State) archivedIDs(string) []string { return slices.Sorted(maps.Keys(s.Notes.archived)) }

func (s *State) toggleArchived() []Effect {
	s.Tree.ShowArchived = !s.Tree.ShowArchived
	s.Tree.rebuild()
	s.say(map[bool]string{true: s.Keyed("what is archived is shown; {archive-task} brings it back"), false: "what is archived is hidden"}[s.Tree.ShowArchived])
	return nil
}

// Slot is the digit the task is pinned to, or 0.
func (s *State) Slot(task string) int {
	for d := 1; d <= slots; d++ {
		if s.Notes.slots[d] == task && task != "" {
			return d
		}
	}
	return 0
}

// digit is the slot of the key that was pressed: its place among the binding's keys.
func (s *State) digit() int { return max(0, min(s.Input.nth, slots-1)) + 1 }

// pinFree pins the task to the lowest free digit, or takes it from its digit.
func (s *State) pinFree() []Effect {
	if d := s.Slot(s.Tree.Selected); d > 0 {
		return s.pinTo(d, "")
	}
	for d := 1; d <= slots; d++ {
		if s.Tree.nodes[s.Notes.slots[d]] == nil {
			return s.pinTo(d, s.Tree.Selected)
		}
	}
	s.fail(s.Keyed("all nine digits are taken; {pin-to-digit} and its like replace one"))
	return nil
}

func (s *State) pin() []Effect { return s.pinTo(s.digit(), s.Tree.Selected) }

func (s *State) pinTo(d int, task string) []Effect {
	var effects []Effect
	if old := s.Slot(task); old > 0 && old != d {
		effects = s.noting(fmt.Sprint(core.NoteSlot, old), "", task)
	}
	if task == "" {
		s.say(fmt.Sprintf("%s is not pinned any more", s.name(s.Notes.slots[d])))
	} else {
		s.say(fmt.Sprintf("%s is pinned to %d", s.name(task), d) + s.digitKey("jump", d, "goes to it"))
	}
	effects = append(effects, s.noting(fmt.Sprint(core.NoteSlot, d), task, s.Notes.slots[d])...)
	s.marksChanged()
	return effects
}

// digitKey names the key that a command has for the digit, and what it does.
func (s *State) digitKey(id string, d int, does string) string {
	for i := range s.keys {
		if s.keys[i].ID() == id && len(s.keys[i].Keys) >= d {
			return "; " + s.keys[i].Keys[d-1].Label() + " " + does
		}
	}
	return ""
}

// jump goes to the task that is pinned to the digit.
func (s *State) jump() []Effect {
	d := s.digit()
	if id := s.Notes.slots[d]; id == "" || !s.Tree.goTo(id) {
		s.fail(fmt.Sprintf("nothing is pinned to %d", d) + s.Keyed("; {pin} pins the selected task") + s.digitKey("pin-to-digit", d, "pins it here"))
	}
	return nil
}
