package state

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"drover/core"
)

func split(text string, width int) (string, string) {
	r := []rune(text)
	n := min(width, len(r))
	return string(r[:n]), string(r[n:])
}

func cells(text string) int { return len([]rune(text)) }

// Up and down go by the rows that are seen, and keep the column.
func TestRowsOfTheComposer(t *testing.T) {
	e := &Editor{}
	e.Set("0123456789abcdefghij\nshort\n\nlast line of it")
	p := &Paper{Width: 8, Prefix: 3, Split: split, Cells: cells}
	// 01234 | 56789abc | defghij | short | (empty) | last lin | e of it
	for _, c := range []struct {
		pos, by, want int
		ok            bool
	}{
		{0, -1, 0, false},
		{4, 1, 12, true},   // column 7 with the prefix
		{12, -1, 4, true},  // and back
		{5, -1, 0, true},   // column 0 lies left of the text
		{9, 1, 17, true},   // 9 is column 4 of the second row
		{17, 1, 25, true},  // d, column 4 → "t" of short
		{20, 1, 26, true},  // beyond the end of a short line: its end
		{26, 1, 27, true},  // an empty line
		{27, 1, 28, true},  //
		{28, 1, 36, true},  //
		{43, 1, 43, false}, // the end
		{36, 1, 36, false},
	} {
		e.Pos = c.pos
		if ok := p.move(e, c.by); ok != c.ok || e.Pos != c.want {
			t.Errorf("from %d by %d: at %d (%v), want %d (%v)", c.pos, c.by, e.Pos, ok, c.want, c.ok)
		}
	}
}

func TestMessageToMany(t *testing.T) {
	s := registry()
	s.Tree.goTo("main1")
	press(s, "M")
	to, then := s.Prompt()
	if to != "to survey, plan, deep and 1 more" || then != "3 after this turn, 1 woken" {
		t.Errorf("%s · %s", to, then)
	}
	press(s, "<Tab>")
	if _, then = s.Prompt(); then != "3 after the current tool call, 1 woken" {
		t.Errorf("then %s", then)
	}
	press(s, "stop at noon")
	change(s, "run11", func(v *core.TaskView) { v.Status = core.Completed }) // meanwhile
	want := []Effect{}
	for _, id := range []string{"sync1", "deep1", "idle1"} {
		want = append(want, Send{Task: id, Text: "stop at noon", Delivery: core.Steer})
	}
	if e := press(s, "<Enter>"); !reflect.DeepEqual(e, want) {
		t.Errorf("sent %v", e)
	}
	if e := press(s, ":all go<Enter>"); len(e) != 3 || e[0] != (Send{Task: "sync1", Text: "go", Delivery: core.Queue}) {
		t.Errorf(":all did %v", e)
	}
	// One that is refused comes back as the draft of its task.
	s.Done(Send{Task: "idle1", Text: "go"}, core.Request{}, errors.New("no"))
	if s.Draft("idle1") != "go" {
		t.Errorf("draft %q", s.Draft("idle1"))
	}
}

func TestMentions(t *testing.T) {
	s := registry()
	s.SetCatalogue(Catalogue{Agents: []Agent{{Name: "cartographer", State: "available"}, {Name: "carter", State: "untrusted"}}})
	e := press(s, "mlook at @car")
	if len(e) != 1 || e[0] != (LoadFiles{Dir: "/shop"}) {
		t.Fatalf("asked for %v", e)
	}
	s.SetFiles("/else", []string{"car.txt"}, nil) // of another folder: late
	if got := s.Candidates(); len(got) != 1 || got[0].Name != "cartographer" {
		t.Fatalf("candidates %v", got)
	}
	s.SetFiles("/shop", []string{"docs/cart.md", "a b/car", "cart/total.go", "evil\x1b[2Jcar", "scar/x", "cart.go"}, nil)
	var names []string
	for _, c := range s.Candidates() {
		names = append(names, c.Sign+c.Name)
	}
	if got := strings.Join(names, " "); got != "@cartographer @cart.go @cart/total.go @docs/cart.md @a b/car @scar/x" {
		t.Errorf("candidates %s", got)
	}
	press(s, "<Tab><Tab>")
	if got := s.Input.Compose.String(); got != "look at @cart.go" {
		t.Errorf("text %q", got)
	}
	press(s, "<Tab><Tab><Tab><Tab><Tab>")
	if got := s.Input.Compose.String(); got != "look at @cartographer" {
		t.Errorf("it does not go round: %q", got)
	}
	press(s, " @docs<Tab>x")
	if got := s.Input.Compose.String(); got != "look at @cartographer @docs/cart.md x" {
		t.Errorf("text %q", got)
	}
	for text, want := range map[string]bool{"me@host": false, "@": true, "a @b c": false, "(@x": true, "@a/b": true} {
		s.Input.Compose.Set(text)
		if _, _, ok := s.mention(); ok != want {
			t.Errorf("%q: a mention %v", text, ok)
		}
	}
}

func TestUndoAndHistory(t *testing.T) {
	s := registry()
	s.SetHistory([]string{"first\x1b[2J", "second"})
	press(s, "ma draft of mine<Ctrl-U>")
	if s.Input.Compose.String() != "" {
		t.Fatal("not cleared")
	}
	press(s, "<Ctrl-Y>")
	if got := s.Input.Compose.String(); got != "a draft of mine" {
		t.Errorf("undone to %q", got)
	}
	press(s, "<Ctrl-P><Ctrl-P>")
	if got := s.Input.Compose.String(); got != "first" {
		t.Errorf("recalled %q", got)
	}
	press(s, "<Ctrl-N><Ctrl-N>")
	if got := s.Input.Compose.String(); got != "a draft of mine" {
		t.Errorf("and back to %q", got)
	}
	s.Paste("\n1\n2\n3")
	press(s, "<Ctrl-_>")
	if got := s.Input.Compose.String(); got != "a draft of mine" {
		t.Errorf("the paste is undone to %q", got)
	}
}

// A message of this screen: queued, delivered, read, and then no more.
func TestDeliveryIsTold(t *testing.T) {
	s := registry()
	r := core.Request{ID: 7, Task: "run11", Kind: core.ReqMessage, Text: "hi", State: core.ReqDelivered, Turn: 1}
	s.Done(Send{Task: "run11", Text: "hi"}, r, nil)
	if l := s.Sent("run11"); len(l) != 1 || l[0].Standing() != "r7 delivered in turn 1, not read yet" {
		t.Fatalf("sent %+v", l)
	}
	change(s, "run11", func(v *core.TaskView) { v.Steps++ })
	if l := s.Sent("run11"); len(l) != 1 || l[0].Standing() != "r7 read" {
		t.Fatalf("sent %+v", l)
	}
	pass(s, 10*time.Second)
	s.Tick()
	if l := s.Sent("run11"); len(l) != 0 {
		t.Errorf("still listed: %+v", l)
	}
}
