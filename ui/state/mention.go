package state

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"drover/core"
)

// Files of a folder are read anew after filesFor, and shown up to maxMentions at a time.
const (
	filesFor    = 30 * time.Second
	maxMentions = 50
)

// files are those of one folder, as far as they have been read.
type files struct {
	dir   string
	names []string
	lower []string // the same, in small letters
	asked time.Time
	err   string
}

// mention is the @word that the cursor stands in or behind: from is where its
// @ is, word what follows up to the cursor, without the quotes that hold a name
// with blanks together. An @ inside a word is none.
func (s *State) mention() (from int, word string, ok bool) {
	if s.View.Mode != Composing {
		return 0, "", false
	}
	e := &s.Input.Compose.Editor
	blank := false
	for i := e.Pos - 1; i >= 0 && e.Pos-i <= maxName; i-- {
		switch r := e.Text[i]; {
		case r == '\n':
			return 0, "", false
		case unicode.IsSpace(r):
			blank = true
		case r == '@' && (i == 0 || unicode.IsSpace(e.Text[i-1]) || strings.ContainsRune(`("'`, e.Text[i-1])):
			word := string(e.Text[i+1 : e.Pos])
			name, quoted := strings.CutPrefix(word, `"`)
			if quoted {
				name = strings.TrimSuffix(name, `"`)
			}
			return i, name, (quoted || !blank) && !(quoted && strings.Contains(name, `"`))
		}
	}
	return 0, "", false
}

// quoted is a name as it stands in a text: in quotes where it has blanks.
func quoted(name string) string {
	if strings.ContainsRune(name, ' ') {
		return `"` + name + `"`
	}
	return name
}

// folder is where the text's reader works.
func (s *State) folder() string {
	if c := &s.Input.Compose; c.Kind != ToNew {
		task := c.Target
		if c.Kind == ToMany {
			task = c.Targets[0]
		}
		if d := s.dir(task); d != "" {
			return d
		}
	}
	return s.Config.Dir
}

// loadFiles asks for the folder's files where an @word is being typed.
func (s *State) loadFiles() []Effect {
	f := &s.Input.files
	if _, _, ok := s.mention(); !ok || f.dir == s.folder() && s.Now.Sub(f.asked) < filesFor {
		return nil
	}
	if f.dir != s.folder() {
		*f = files{dir: s.folder()}
	}
	f.asked = s.Now
	return []Effect{LoadFiles{Dir: f.dir}}
}

// SetFiles takes over what was asked for by LoadFiles.
func (s *State) SetFiles(dir string, names []string, err error) {
	f := &s.Input.files
	if f.dir != dir {
		return
	}
	f.err = ""
	if err != nil {
		f.err = core.CleanLine(err.Error())
		return
	}
	f.names = slices.DeleteFunc(names, func(n string) bool {
		return n == "" || core.Clean(n) != n || strings.ContainsFunc(n, func(r rune) bool { return r == '"' || r != ' ' && unicode.IsSpace(r) })
	})
	f.lower = make([]string, len(f.names))
	for i, n := range f.names {
		f.lower[i] = strings.ToLower(n)
	}
}

// mentions are the agents and files that fit the word: those that begin with
// it first, then files whose name does, then those that hold it, then those
// that have its letters in this order.
func (s *State) mentions(word string) []Candidate {
	var out []Candidate
	low := strings.ToLower(word)
	for i := range s.Agents.all {
		if a := &s.Agents.all[i]; a.Look() == AgentAvailable && strings.HasPrefix(strings.ToLower(a.Name), low) && core.CleanLine(a.Name) == a.Name {
			out = append(out, Candidate{Sign: "@", Name: a.Name, Hint: "agent", Text: line(a.Description)})
		}
	}
	var ranked [5][]string
	for i, n := range s.Input.files.names {
		switch full := s.Input.files.lower[i]; {
		case strings.HasPrefix(full, low):
			ranked[0] = append(ranked[0], n)
		case strings.HasPrefix(path.Base(full), low):
			ranked[1] = append(ranked[1], n)
		case strings.Contains(full, low):
			ranked[2] = append(ranked[2], n)
		case inOrder(path.Base(full), low):
			ranked[3] = append(ranked[3], n)
		case inOrder(full, low):
			ranked[4] = append(ranked[4], n)
		}
	}
	slices.SortStableFunc(ranked[0], func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	for _, n := range slices.Concat(ranked[:]...) {
		if len(out) >= maxMentions {
			break
		}
		out = append(out, Candidate{Sign: "@", Name: n, Hint: "file"})
	}
	return out
}

// completeMention puts the next agent or file that fits into the text.
func (s *State) completeMention(from int, word string) {
	t := &s.Input.tab
	if len(t.fit) == 0 {
		t.head = word
		for _, c := range s.mentions(word) {
			t.fit = append(t.fit, quoted(c.Name))
		}
	}
	if len(t.fit) == 0 {
		switch f := &s.Input.files; {
		case f.err != "":
			s.fail("the files cannot be read: " + f.err)
		case f.names == nil:
			s.say("the files are being read")
		default:
			s.fail("no agent and no file fits @" + word)
		}
		return
	}
	next := t.fit[t.at%len(t.fit)]
	t.at++
	if len(t.fit) == 1 {
		*t = completion{}
		next += " "
	}
	e := &s.Input.Compose.Editor
	e.Text = slices.Concat(e.Text[:from+1], []rune(next), e.Text[e.Pos:])
	e.Pos = from + 1 + len([]rune(next))
}
