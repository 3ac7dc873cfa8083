package state

import (
	"strings"
	"testing"

	"drover/core"
)

func TestEveryCommandHasItsOwnID(t *testing.T) {
	seen := map[string]string{}
	for _, b := range Bindings() {
		id := b.ID()
		if seen[id] != "" {
			t.Errorf("%q and %q are both %s in a keymap", seen[id], b.Name, id)
		}
		seen[id] = b.Name
		for _, k := range b.Keys {
			if got, problem := ParseKey(string(k)); k != " " && (problem != "" || got != k) {
				t.Errorf("%s: the key %q reads as %q: %s", id, k, got, problem)
			}
		}
	}
}

// TestUsualKeysDoNotHideEachOther: what the table says must be what happens.
func TestUsualKeysDoNotHideEachOther(t *testing.T) {
	table := Bindings()
	for _, set := range contextSets() {
		first := map[Key]string{}
		for _, c := range set {
			for i := range table {
				if table[i].Context != c {
					continue
				}
				for _, k := range table[i].Keys {
					other, taken := first[k]
					lies := c == InAnyEditor || c == Everywhere // a pane may use their keys otherwise
					if taken && !lies && !strings.HasPrefix(string(set[0]), "when") {
						t.Errorf("%s of %s is hidden by %s", k, table[i].ID(), other)
					}
					if !taken {
						first[k] = table[i].ID()
					}
				}
			}
		}
	}
}

func TestParseKey(t *testing.T) {
	for text, want := range map[string]Key{
		"x": "x", "X": "X", "space": " ", "Space": " ", " ": " ", "ctrl+d": "Ctrl-D", "C-d": "Ctrl-D", "<Alt-Enter>": "Alt-Enter", "M-x": "Alt-x",
		"shift-tab": "Shift-Tab", "F12": "F12", "pagedown": "PgDn", "ctrl-space": "Ctrl-Space", `Ctrl-\`: `Ctrl-\`, "-": "-", "Ctrl-Alt-Up": "Ctrl-Alt-Up",
		"Shift-a": "A", "<": "<", "é": "é", "alt+shift+right": "Alt-Shift-Right",
	} {
		if got, problem := ParseKey(text); got != want {
			t.Errorf("%q is %q, want %q (%s)", text, got, want, problem)
		}
	}
	for text, say := range map[string]string{
		"": "no key", "Ctrl-I": "write Tab", "C-m": "write Enter", "hyper-x": "no key", "Ctrl-1": "do not send", "Shift-1": "that it types", "F13": "no key", "ab": "no key", "\x1b": "no key",
	} {
		if got, problem := ParseKey(text); !strings.Contains(problem, say) {
			t.Errorf("%q is %q: %q, want %q", text, got, problem, say)
		}
	}
}

func TestKeymap(t *testing.T) {
	table, err := Keymap([]Rebind{{"message", []string{"B", "Ctrl-O"}, "k:1"}, {"steer", nil, "k:2"}, {"quit", []string{"s"}, "k:3"}})
	if err != nil {
		t.Fatal(err)
	}
	s := registry()
	s.Rekey(table)
	for k, want := range map[Key]string{"B": "message", "Ctrl-O": "message", "m": "", "s": "quit", "q": ""} {
		if got := s.Action(k); got != want {
			t.Errorf("%s does %q, want %q", k, got, want)
		}
	}
	if e := s.Key("s"); len(e) != 1 || e[0] != (Quit{}) {
		t.Errorf("s: %v", e)
	}
	if e := press(s, ":send hello<Enter>"); len(e) != 1 { // a command does not depend on the key of its action
		t.Errorf(":send: %v", e)
	}
	if help := strings.Join(s.helpLines(), "\n"); !strings.Contains(help, "  B Ctrl-O ") || strings.Contains(help, "write to the task; it arrives after the current tool call") {
		t.Error("help does not show the live keys")
	}
	if f := s.Footer(); !strings.Contains(strings.ToLower(f[0].Key+f[1].Key+f[2].Key), "b") {
		t.Errorf("footer %v", f)
	}
}

func TestKeymapFaults(t *testing.T) {
	for name, c := range map[string]struct {
		own  []Rebind
		want []string
	}{
		"unknown command": {[]Rebind{{"cancle-tree", []string{"x"}, "keys.toml:3"}}, []string{"keys.toml:3", "no command cancle-tree"}},
		"near":            {[]Rebind{{"next-inbox", []string{"x"}, "keys.toml:3"}}, []string{"keys.toml:3", "next-in-inbox"}},
		"unknown key":     {[]Rebind{{"cancel", []string{"Hyper-x"}, "keys.toml:4"}}, []string{"keys.toml:4", "cancel", "no key Hyper-x"}},
		"conflict":        {[]Rebind{{"cancel", []string{"m"}, "keys.toml:5"}}, []string{"keys.toml:5", "m", "message", "cancel"}},
		"with a pane":     {[]Rebind{{"cancel", []string{"j"}, "keys.toml:6"}}, []string{"keys.toml:6", "j", "cancel", "down", "task tree"}},
		"with everywhere": {[]Rebind{{"cancel", []string{"Ctrl-C"}, "keys.toml:7"}}, []string{"Ctrl-C", "cancel", "leave"}},
		"two of a person": {[]Rebind{{"cancel", []string{"F5"}, "keys.toml:8"}, {"end", []string{"F5"}, "keys.toml:9"}}, []string{"keys.toml:9", "cancel", "end"}},
		"types":           {[]Rebind{{"send", []string{"s"}, "keys.toml:9"}}, []string{"keys.toml:9", "types a character"}},
		"no way out":      {[]Rebind{{"leave", nil, "keys.toml:9"}}, []string{"leave needs a key"}},
		"twice":           {[]Rebind{{"end", []string{"F5"}, "a:1"}, {"end", []string{"F6"}, "a:2"}}, []string{"a:2", "a:1"}},
		"hostile":         {[]Rebind{{"\x1b[31mx", []string{"F5"}, "a:1"}}, []string{"no command"}},
	} {
		_, err := Keymap(c.own)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		text := err.Error() + " " + core.HintOf(err)
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q lacks %q", name, text, w)
			}
		}
		if strings.ContainsRune(text, 0x1b) {
			t.Errorf("%s: an escape in %q", name, text)
		}
	}
}

func TestPalette(t *testing.T) {
	s := registry()
	press(s, "<Ctrl-P>")
	if s.View.Mode != Picking || len(s.Home.Palette.Fit) < len(taskKeys()) {
		t.Fatalf("mode %v, %d actions", s.View.Mode, len(s.Home.Palette.Fit))
	}
	press(s, "copy")
	if c := s.Home.Palette.Fit[0]; c.Title != "copy" || c.Key != "y" {
		t.Errorf("first is %+v", c)
	}
	if e := press(s, "<Enter>"); len(e) != 1 || s.View.Mode != Normal {
		t.Errorf("Enter: %v, mode %v", e, s.View.Mode)
	}
	press(s, ":<Tab>allow")
	if c := s.Home.Palette.Fit[0]; s.View.Mode != Picking || c.Why == "" {
		t.Errorf("allow can be done: %+v", c)
	}
	if e := press(s, "<Enter>"); len(e) != 0 || s.View.Mode != Picking || !strings.Contains(s.Toast.Text, "asks for nothing") {
		t.Errorf("Enter on what cannot be done: %v %q", e, s.Toast.Text)
	}
	press(s, "<Esc><Ctrl-P>filter wor")
	for _, c := range s.Home.Palette.Fit {
		if strings.HasPrefix(c.Title, ":filter") {
			return
		}
	}
	t.Errorf("no :filter in %+v", s.Home.Palette.Fit)
}

// TestPaletteRunsEverything: no action in any pane panics from the palette.
func TestPaletteRunsEverything(t *testing.T) {
	for _, before := range []string{"", "<Tab>", "@"} {
		s := registry()
		press(s, before+"<Ctrl-P>")
		for i := range s.Home.Palette.all {
			s := registry()
			press(s, before+"<Ctrl-P>")
			s.Home.Palette.At = i
			s.Key("Enter")
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, k := range []string{"x", "Ctrl-D", "<Alt-Enter>", "c-", "-", "++", "Ctrl-Ctrl-x", "\x00"} {
		f.Add(k)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, problem := ParseKey(text)
		if (k == "") == (problem == "") {
			t.Errorf("%q: key %q, problem %q", text, k, problem)
		}
		if again, _ := ParseKey(string(k)); problem == "" && again != k {
			t.Errorf("%q reads as %q, which reads as %q", text, k, again)
		}
	})
}
