package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// What is found in all transcripts is listed with its words, cleaned, and opens at its place.
func TestSearchAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		found(f)
		d := drive(t, f, 80, 24, nil)
		d.keys(":search comp<Enter>")
		d.sees("comp · 2 places", "turn 2 · said", "called grep_files", "Totals are computed in [red]three[-] places", "3m ago")
		d.keys("j/<Esc>:search<Enter>")
		d.sees("2 places")
		d.keys("G<Esc>:search other<Enter>g<Enter>")
		if d.p.view.st.Tree.Selected != "dexpl" {
			t.Errorf("opened %q", d.p.view.st.Tree.Selected)
		}
		f.hits = nil
		d.keys(":search none<Enter><Enter>")
		d.sees("Nothing found")
		d.quit()
	})
}

// found is a morning in which words were found, some of them hostile.
func found(f *fake) {
	morning(f)
	at := time.Now().Add(-3 * time.Minute)
	text := "Totals are \x1b[31mcomputed\u202e in [red]three[-] places"
	snippet, marks := core.Snippet(text, []string{"comp"}, 160)
	f.hits = []core.Hit{
		{Task: "dexpl", Session: "bmain", Name: "explore-\x1b]2;api", Turn: 2, Kind: core.EntryAnswer, At: at, Snippet: snippet, Marks: marks},
		{Task: "cplan", Session: "bmain", Agent: "plan", Turn: 1, Kind: core.EntryCall, Tool: "grep_files", At: at, Snippet: "compute"},
	}
}
