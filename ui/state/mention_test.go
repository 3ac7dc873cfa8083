package state

import (
	"errors"
	"testing"
)

// TestMentionIsFuzzy: letters in order find a file after all that holds the
// word, and a name with blanks goes into the text in quotes.
func TestMentionIsFuzzy(t *testing.T) {
	s := registry()
	press(s, "mlook at @crttl")
	s.SetFiles(s.folder(), []string{"src/cart total.go", "src/Cart_Totals.go", "crt tl\n.go", `a"crttl`, "docs/cart.md"}, nil)
	press(s, "<Tab>")
	if got := s.Input.Compose.String(); got != `look at @"src/cart total.go"` {
		t.Errorf("text %q", got)
	}
	press(s, "<Tab>")
	if got := s.Input.Compose.String(); got != "look at @src/Cart_Totals.go" {
		t.Errorf("it does not go round: %q", got)
	}
	press(s, "<Tab> @docs<Tab>, @cart t<Tab>")
	if got := s.Input.Compose.String(); got != `look at @"src/cart total.go" @docs/cart.md , @cart t` {
		t.Errorf("text %q", got)
	}
	for text, want := range map[string]string{`see @"src/cart to`: "src/cart to", `@"src/cart total.go"`: "src/cart total.go", `@"a b" c`: "-", `@"a b" @c`: "c", "@a b": "-", "@a\nb": "-"} {
		s.Input.Compose.Set(text)
		word, ok := "-", false
		if _, w, is := s.mention(); is {
			word, ok = w, is
		}
		if word != want {
			t.Errorf("%q: a mention %v of %q", text, ok, word)
		}
	}
}

// TestEditorIsForgiven: once an editor has ended well, its failure before is not told any more.
func TestEditorIsForgiven(t *testing.T) {
	s := registry()
	press(s, "mmine")
	s.Edited("half", errors.New("the editor ended badly"))
	if s.Input.Compose.String() != "mine" || !s.Toast.Bad {
		t.Fatalf("%q, %+v", s.Input.Compose.String(), s.Toast)
	}
	s.Edited("whole", nil)
	if s.Input.Compose.String() != "whole" || s.Toast.Text != "" {
		t.Errorf("%q, %+v", s.Input.Compose.String(), s.Toast)
	}
}
