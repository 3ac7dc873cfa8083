package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"drover/core"
)

// top is the first row that a transcript shows.
func top(t *testing.T, tr *Transcript) string {
	t.Helper()
	for line := range strings.Lines(drawn(t, tr, 76, 8)) {
		if strings.TrimSpace(line) != "" {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func TestFindInTranscript(t *testing.T) {
	at := func(tr *Transcript) *seek { return &seek{from: len(tr.items) - tr.begin()} }
	search := func(tr *Transcript, words string) *seek {
		k := at(tr)
		k.words = words
		tr.found = words
		return k
	}

	// No match, and nothing to look in: the place stays.
	tr := sampleTranscript()
	drawn(t, tr, 76, 8)
	before := top(t, tr)
	if k := search(tr, "zebra"); tr.Find(k, true) || tr.Find(k, false) || tr.wrapRound(k, true) || tr.wrapRound(k, false) {
		t.Error("zebra is found")
	}
	if got := top(t, tr); got != before || !tr.Following() {
		t.Errorf("a search in vain went to %q", got)
	}
	empty := &Transcript{}
	empty.Reset("x")
	if k := search(empty, "x"); empty.Find(k, true) || empty.wrapRound(k, false) {
		t.Error("something is found in nothing")
	}

	// Back from the end, each place once, then round to the last again; forward likewise.
	k := search(tr, "vat")
	var places []int
	for tr.Find(k, true) {
		places = append(places, len(tr.items)-k.from)
	}
	if len(places) < 3 {
		t.Fatalf("places %v", places)
	}
	for i := 1; i < len(places); i++ {
		if places[i] >= places[i-1] {
			t.Errorf("back went forward: %v", places)
		}
	}
	if !tr.wrapRound(k, true) || len(tr.items)-k.from != places[0] {
		t.Errorf("round from the top is %d, not %d", len(tr.items)-k.from, places[0])
	}
	if tr.Find(k, false) || !tr.wrapRound(k, false) || len(tr.items)-k.from != places[len(places)-1] {
		t.Errorf("round from the end is %d, not %d", len(tr.items)-k.from, places[len(places)-1])
	}
	// A single place is found again and again by going round.
	tr.Bottom()
	one := search(tr, "orders?")
	if !tr.Find(one, true) || tr.Find(one, true) || !tr.wrapRound(one, true) || !tr.wrapRound(one, false) {
		t.Error("a single place is not found again")
	}
}

// Words in the output of a call that is folded away come into sight.
func TestFindUnfolds(t *testing.T) {
	tr := sampleTranscript()
	drawn(t, tr, 76, 8)
	if strings.Contains(drawn(t, tr, 76, 60), "cart/vat.go:9") {
		t.Fatal("the output is not folded")
	}
	tr.found = "vat.go:9"
	k := &seek{words: "vat.go:9"}
	if !tr.Find(k, true) {
		t.Fatal("not found")
	}
	if got := drawn(t, tr, 76, 8); !strings.Contains(got, "cart/vat.go:9") {
		t.Errorf("found, and not to be seen:\n%s", got)
	}
	// What is in sight folds nothing open.
	tr = sampleTranscript()
	drawn(t, tr, 76, 8)
	if k := (&seek{words: "only in cart"}); !tr.Find(k, true) || tr.Expanded() {
		t.Error("a search in a message unfolds the tool calls")
	}
}

// What comes in meanwhile, at the end or before the beginning, moves no search.
func TestFindWhileItGrows(t *testing.T) {
	tr := sampleTranscript()
	drawn(t, tr, 76, 8)
	k := &seek{words: "total"}
	if !tr.Find(k, true) {
		t.Fatal("not found")
	}
	place := tr.items[len(tr.items)-k.from]
	tr.Append([]core.Entry{{Seq: 90, Turn: 3, Kind: core.EntryMessage, Sender: core.SenderUser, Text: "the total again"}, {Seq: 91, Turn: 3, Step: 1, Kind: core.EntryAnswer, Text: "no"}})
	tr.SetLive("the total grows")
	k.from = len(tr.items) - tr.begin() // as a person presses the key
	if tr.items[len(tr.items)-k.from] != place {
		t.Error("what has come has moved the place")
	}
	if tr.Following() {
		t.Error("what has come has taken the place away")
	}
	if !tr.Find(k, false) {
		t.Fatal("what has come is not found")
	}
	for tr.Find(k, false) {
	}
	if got := tr.items[len(tr.items)-k.from]; got.entry == nil || got.entry.Text != "the total again" {
		t.Errorf("the last place is %+v", got.entry)
	}
	at := tr.items[len(tr.items)-k.from]
	tr.Prepend([]core.Entry{{Seq: 0, Turn: 0, Kind: core.EntryMessage, Sender: core.SenderUser, Text: "first of all: totals"}})
	if tr.items[len(tr.items)-k.from] != at {
		t.Error("earlier entries have moved the place")
	}
	steps := 0
	for tr.Find(k, true) {
		steps++
	}
	if got := tr.items[len(tr.items)-k.from]; got.entry == nil || !strings.HasPrefix(got.entry.Text, "first of all") || steps < 2 {
		t.Errorf("after %d steps back at %+v", steps, got.entry)
	}
}

// The same by keys, on the whole screen.
func TestFindByKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		morning(f)
		d := drive(t, f, 120, 40, nil)
		d.keys(":go edit-cart<Enter><Tab>/zebra<Enter>")
		d.sees("nothing found: zebra")
		d.keys("/Discount<Enter>")
		d.sees("Discount()")
		d.keys("n")
		d.sees("from the other end")
		f.change(func() {
			f.say("eedit", core.Entry{Turn: 2, Kind: core.EntryAnswer, Text: "No Discount is given any more."})
		})
		d.settle()
		d.keys("n")
		d.sees("No Discount is given")
		d.keys("E")
		d.sees("npm test")
		d.quit()
	})
}
