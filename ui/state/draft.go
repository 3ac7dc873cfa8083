package state

import (
	"path/filepath"
	"strings"

	"drover/core"
)

// keepDraft keeps what stands in the composer, in the registry too.
func (s *State) keepDraft() []Effect {
	c := &s.Input.Compose
	text := c.String()
	if c.Blank() {
		text = ""
	}
	put(s.Input.drafts, c.key(), text)
	return s.noteDraft(c, text)
}

// noteDraft asks for a draft to be kept over the end of the screen, or "" to
// be forgotten: one to a task, or for a new session in this folder. What is
// too long for a note is kept on this screen alone.
func (s *State) noteDraft(c *Compose, text string) []Effect {
	key := core.NoteDraft + c.Target
	switch {
	case c.Kind == ToNew && c.Agent == "" && filepath.IsAbs(s.Config.Dir):
		key = s.newDraft()
	case c.Kind != ToTask || c.Target == "":
		return nil
	}
	if len(text) > core.MaxNote {
		text = ""
	}
	old := s.Notes.drafts[key]
	if text == old || len(key) > core.MaxNoteKey || core.CleanLine(key) != key {
		return nil
	}
	put(s.Notes.drafts, key, text)
	s.Notes.pending[key] = text
	return []Effect{PutNote{Key: key, Value: text, Old: old}}
}

func (s *State) newDraft() string { return core.NoteDraft + "new " + s.Config.Dir }

// takeDraft takes over a draft as it is in the registry. What this screen has
// and could not keep there stays.
func (s *State) takeDraft(key, text string) {
	at := strings.TrimPrefix(key, core.NoteDraft)
	switch {
	case key == s.newDraft():
		at = ""
	case strings.HasPrefix(at, "new "):
		return // of another folder
	}
	if old := s.Notes.drafts[key]; text != "" || s.Input.drafts[at] == old {
		put(s.Input.drafts, at, text)
	}
	put(s.Notes.drafts, key, text)
}
