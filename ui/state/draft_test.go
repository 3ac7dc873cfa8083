package state

import (
	"errors"
	"strings"
	"testing"

	"drover/core"
)

// notesOf keeps what the effects leave in the registry.
func notesOf(into map[string]string, effects []Effect) {
	for _, e := range effects {
		if n, ok := e.(PutNote); ok {
			put(into, n.Key, n.Value)
		}
	}
}

// TestDraftsOutliveTheScreen: put aside, or left with Ctrl-C; once sent they
// are gone, here and on another screen.
func TestDraftsOutliveTheScreen(t *testing.T) {
	kept := map[string]string{}
	s := registry()
	s.Tree.goTo("idle1")
	notesOf(kept, press(s, "mhalf a thought<Esc>nfor a session<Ctrl-C>"))
	e := press(s, "<Ctrl-C>")
	if e[len(e)-1] != (Quit{}) {
		t.Fatalf("got %v", e)
	}
	notesOf(kept, e)
	again := registry()
	again.Apply(core.Update{Notes: kept})
	again.Tree.goTo("idle1")
	if got := again.Draft("idle1"); got != "half a thought" {
		t.Fatalf("%q of %v", got, kept)
	}
	press(again, "n")
	if got := again.Input.Compose.String(); got != "for a session" {
		t.Errorf("new session %q", got)
	}
	elsewhere := registry()
	elsewhere.Config.Dir = "/elsewhere"
	elsewhere.Apply(core.Update{Notes: kept})
	press(elsewhere, "n")
	if got := elsewhere.Input.Compose.String(); got != "" {
		t.Errorf("in another folder %q", got)
	}
	notesOf(kept, press(again, "<Ctrl-U><Left>"))
	notesOf(kept, press(again, "m<Enter>"))
	if len(kept) != 0 {
		t.Errorf("still kept: %v", kept)
	}
	elsewhere.Apply(core.Update{Notes: map[string]string{"slot 1": "idle1"}})
	if got := elsewhere.Draft("idle1"); got != "" {
		t.Errorf("it was sent, and is on another screen: %q", got)
	}
}

// TestADraftThatIsNotKept stays on this screen: too long, or the registry does not take it.
func TestADraftThatIsNotKept(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	press(s, "m")
	long := strings.Repeat("x", core.MaxNote+1)
	s.Paste(long)
	if e := press(s, "<Esc>"); len(e) != 0 {
		t.Errorf("asked for %v", e)
	}
	s.Tree.goTo("run11")
	e := press(s, "mshort<Esc>")
	s.Done(e[0], core.Request{}, errors.New("the disk is full"))
	s.Apply(core.Update{Notes: map[string]string{"slot 1": "idle1"}})
	if s.Draft("idle1") != long || s.Draft("run11") != "short" {
		t.Errorf("lost: %d characters, %q", len(s.Draft("idle1")), s.Draft("run11"))
	}
}
