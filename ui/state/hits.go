package state

import (
	"fmt"
	"strings"

	"drover/core"
)

// Hits are the words that were searched for in all of them, and what was found.
type Hits struct {
	Words string
	Found core.Found
	At    int
	Waits bool // the answer has not come yet
}

// SearchAll searches all transcripts.
type SearchAll struct{ Words string }

func (SearchAll) effect() {}

// InHits is where what was found is listed.
const InHits Context = "what was found"

// maxHits is how many places are listed.
const maxHits = 200

func hitKeys() []Binding {
	to := func(by int) func(*State) []Effect {
		return func(s *State) []Effect {
			s.Hits.At = max(0, min(s.Hits.At+by, len(s.Hits.Found.Hits)-1))
			return nil
		}
	}
	return []Binding{
		{keys("Enter", "l", "Right"), InHits, "open hit", "go to that place of the transcript", "open", nil, (*State).openHit},
		{keys("j", "Down", "n"), InHits, "hit down", "next place", "down", nil, to(1)},
		{keys("k", "Up", "N"), InHits, "hit up", "place before", "up", nil, to(-1)},
		{keys("g", "Home"), InHits, "first hit", "first place", "", nil, to(-maxHits)},
		{keys("G", "End"), InHits, "last hit", "last place", "", nil, to(maxHits)},
		{keys("PgDn", "Ctrl-D"), InHits, "hits page down", "ten places down", "", nil, to(10)},
		{keys("PgUp", "Ctrl-U"), InHits, "hits page up", "ten places up", "", nil, to(-10)},
		{keys("/"), InHits, "search again", "search for other words", "search", nil, (*State).searchAgain},
		{keys("Esc", "q", "h", "Left"), InHits, "close hits", "back", "back", nil, (*State).toNormal},
	}
}

// cmdSearch searches all transcripts; without words it shows again what was found last.
func (s *State) cmdSearch(words string) []Effect {
	h := &s.Hits
	switch {
	case words != "":
		*h = Hits{Words: words, Waits: true}
	case h.Words == "":
		s.fail("search for what? such as :search coupon total")
		return nil
	}
	s.View.Mode = Finding
	if words == "" {
		return nil
	}
	return []Effect{SearchAll{Words: words}}
}

func (s *State) searchAgain() []Effect {
	s.View.Mode = Normal
	s.startCommand()
	s.Input.Line.Set("search " + s.Hits.Words)
	return nil
}

// MaxHits is how many places a search of the screen asks for.
func MaxHits() int { return maxHits }

// SetFound takes over what was found, unless other words have been searched for since.
func (s *State) SetFound(words string, f core.Found, err error) {
	h := &s.Hits
	if h.Words != words {
		return
	}
	h.Waits = false
	if err != nil {
		if s.View.Mode == Finding {
			s.View.Mode = Normal
		}
		s.Fail(err)
		return
	}
	h.Found, h.At = f, 0
}

// Title says what was searched for and how much was found.
func (h *Hits) Title() string {
	words := core.Short(core.CleanLine(h.Words), 40)
	if h.Waits {
		return "searching for " + words + " …"
	}
	many := plural(len(h.Found.Hits), "place", "places")
	if len(h.Found.Hits) == maxHits {
		many = fmt.Sprintf("the newest %d places", maxHits)
	}
	parts := []string{words, many}
	switch {
	case h.Found.Behind:
		parts = append(parts, "the index is still being filled")
	case !h.Found.Indexed:
		parts = append(parts, "read without an index")
	}
	return strings.Join(parts, " · ")
}

// openHit goes to the place in its task's transcript.
func (s *State) openHit() []Effect {
	h := &s.Hits
	if h.At >= len(h.Found.Hits) {
		s.say(s.Keyed("nothing was found; {search-again} searches for other words"))
		return nil
	}
	hit := h.Found.Hits[h.At]
	s.View.Mode = Normal
	s.closeLists()
	s.View.Show, s.View.Pane, s.View.Full = ShowTranscript, PaneDetail, true
	s.goInto(hit.Session, hit.Task)
	return []Effect{Goto{Task: hit.Task, At: hit.At}}
}

// Spoke says whose words a hit are.
func Spoke(h *core.Hit) string {
	switch h.Kind {
	case core.EntryMessage:
		return "from " + core.CleanLine(h.Sender)
	case core.EntryCall:
		return "called " + core.CleanLine(h.Tool)
	}
	return "said"
}
