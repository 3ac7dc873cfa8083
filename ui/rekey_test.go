package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"drover/ui/state"
)

// foreign gives every command keys that no other has and no text holds.
func foreign() []state.Binding {
	table, next := state.Bindings(), rune(0x1401) // syllables, one cell wide
	for i := range table {
		for j := range table[i].Keys {
			table[i].Keys[j] = state.Key(string(next))
			next++
		}
	}
	return table
}

// usual are the keys as they are written by default, but those that are words or signs of a text anyway.
func usual() map[string]bool {
	out := map[string]bool{}
	for _, b := range state.Bindings() {
		for _, k := range b.Keys {
			if r, _ := utf8.DecodeRuneInString(k.Label()); unicode.IsLetter(r) && k != "a" && k != "I" {
				out[k.Label()] = true
			}
		}
	}
	return out
}

// stale are the words of a line that are keys as they were.
func stale(line string, old map[string]bool) []string {
	var out []string
	words := strings.Fields(line)
	for i, w := range words {
		w = strings.Trim(w, ".,;:()")
		after := ""
		if i+1 < len(words) {
			after = words[i+1]
		}
		switch {
		case w == "s" && i > 0 && strings.ContainsAny(words[i-1], "0123456789"): // seconds
		case old[w]:
			out = append(out, w)
		case strings.ContainsAny(w, "!?/@aI<>=") && len(w) == 1 && slices.Contains(signsDo, strings.TrimRight(after, ".,;")):
			out = append(out, w+" "+after)
		}
	}
	return out
}

// signsDo are what stands behind a key that is also an article or a sign.
var signsDo = []string{"allow", "allows", "shows", "help", "filter", "search", "goes", "searches", "adds", "agents", "<", ">"}

// With a keymap of one's own no pane names a key that it does not have: not in
// a footer, a card, a question, a list or a title, nor in what says why an
// action cannot be done.
func TestNoStaleKeyIsShown(t *testing.T) {
	old := usual()
	ours := regexp.MustCompile(`^ *(●|○|✓|◌|▸|▾)`)
	for _, s := range slices.Concat(scenes, asScenes()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				if s.setup != nil {
					s.setup(f)
				}
				d := drive(t, f, 120, 40, nil)
				d.wait(2 * time.Second)
				for part := range strings.SplitSeq(s.keys, "|") {
					d.keys(part)
				}
				d.wait(20 * time.Second) // what was said before is gone
				asIs := d.text()
				d.p.report(t.Context(), func(v *view) {
					v.st.Rekey(foreign())
					v.st.Toast = state.Toast{}
				})
				d.settle()
				text := d.text()
				if strings.HasPrefix(s.name, "help") || strings.HasSuffix(s.name, "-view") { // a page keeps the text with which it was opened
					lines := strings.Split(text, "\n")
					text = lines[len(lines)-2]
				}
				for _, line := range strings.Split(text, "\n") {
					if bad := stale(line, old); len(bad) > 0 && !ours.MatchString(line) && !given(line) {
						t.Errorf("%s: the line names %q:\n%s\nbefore:\n%s", s.name, bad, line, asIs)
					}
				}
				d.p.report(t.Context(), func(v *view) {
					if v.st.View.Mode != state.Normal || v.st.Listing() {
						return
					}
					v.do(v.st.Press(v.st.HintOf("palette", "")))
					if len(v.st.Home.Palette.Fit) < 50 {
						t.Errorf("%s: the palette has %d actions", s.name, len(v.st.Home.Palette.Fit))
					}
					for _, c := range v.st.Home.Palette.Fit {
						if bad := stale(c.Why+" . "+c.Help+" . "+c.Key, old); len(bad) > 0 {
							t.Errorf("%s: %+v names %q", s.name, c, bad)
						}
					}
				})
				d.settle()
				d.quit()
			})
		})
	}
}

// given reports whether the line has words of the scene that look like a key.
func given(line string) bool {
	return slices.ContainsFunc([]string{"{\"", "type Coupon", "z parked", "> allow", " z main  parked", " Z main  goes on"}, func(s string) bool { return strings.Contains(line, s) })
}

// Every command that a text names by its ID exists.
func TestKeyedNamesExist(t *testing.T) {
	ids := map[string]bool{}
	for _, b := range state.Bindings() {
		ids[b.ID()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("state/*.go")
	if err != nil {
		t.Fatal(err)
	}
	text, name, n := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`), regexp.MustCompile(`\{([a-z][a-z-]*)\}`), 0
	for _, f := range append(files, more...) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			for _, m := range name.FindAllStringSubmatch(strings.Join(text.FindAllString(line, -1), " "), -1) {
				if n++; !ids[m[1]] {
					t.Errorf("%s: %s names %s, which is no command", f, line, m[1])
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d names were found", n)
	}
}
