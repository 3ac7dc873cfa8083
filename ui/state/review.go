package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// Review is the pane of completions; the cursor is one of them, never a position.
type Review struct {
	Open     bool
	All      bool     // those that are done with too
	Filter   string   // words that must be there; !word must not
	Rows     []string // IDs, the newest first
	Selected string
	at       int
	all      map[string]core.Review
	order    []string // IDs of all, the newest first
	details  map[string]*Led
	due      time.Time // when the next one that is snoozed wakes
	waits    bool      // one waits for its session to change
}

// Led is what led to a completion, as far as it has been read.
type Led struct {
	core.CompletionView
	Err  string
	Read bool
}

func reviewKeys() []Binding {
	b := []Binding{
		{keys("Enter", "l", "Right"), InReview, "open completion", "go to the session: its transcript fills the screen", "open", (*State).whyNoReview, (*State).openReviewed},
		{keys("d"), InReview, "reviewed", "reviewed: done with it", "reviewed", (*State).whyNoReview, marks(core.ReviewReviewed)},
		{keys("z"), InReview, "snooze", "snooze for an hour", "snooze", (*State).whyNoReview, snoozes("1h")},
		{keys("Z"), InReview, "snooze until tomorrow", "snooze until tomorrow at 9", "", (*State).whyNoReview, snoozes("tomorrow")},
		{keys("s"), InReview, "snooze until a change", "snooze until the session changes", "", (*State).whyNoReview, snoozes("change")},
		{keys("e"), InReview, "archive", "archive", "archive", (*State).whyNoReview, marks(core.ReviewArchived)},
		{keys("u"), InReview, "reopen", "take back: to be reviewed again", "", (*State).whyNoReview, marks(core.ReviewOpen)},
		{keys("D"), InReview, "all reviewed", "all that are shown are reviewed (asks first)", "all reviewed", (*State).whyNoReview, (*State).reviewAll},
		{keys("m"), InReview, "follow up", "write to the session's main agent", "message", (*State).whyNotFollowUp, (*State).followUp},
		{keys("v", " "), InReview, "view completion", "all of it, to read", "view", (*State).whyNoReview, (*State).viewReview},
		{keys("f"), InReview, "open or all", "show those that are done with too, or hide them", "all/open", nil, (*State).toggleReviewed},
		{keys("/"), InReview, "filter completions", "show only completions with these words; !word leaves out", "filter", nil, (*State).startFilter},
		{keys("!"), InReview, "review to inbox", "go to the next task that needs you", "", (*State).whyNoInbox, (*State).leaveForNeed},
	}
	return append(b, listKeys(InReview, "completion", (*State).leaveReview, "R")...)
}

func marks(to core.ReviewState) func(*State) []Effect {
	return func(s *State) []Effect { return s.markReviews(core.ReviewMark{State: to}, s.Review.Selected) }
}

func snoozes(word string) func(*State) []Effect {
	return func(s *State) []Effect {
		until, err := core.ParseSnooze(word, s.Now)
		if err != nil {
			s.Fail(err)
			return nil
		}
		return s.markReviews(core.ReviewMark{State: core.ReviewSnoozed, Until: until}, s.Review.Selected)
	}
}

func (s *State) markReviews(m core.ReviewMark, ids ...string) []Effect {
	return []Effect{MarkReviews{IDs: ids, Mark: m}}
}

// Reviewed takes over how the marking came out.
func (s *State) Reviewed(e MarkReviews, rs []core.Review, err error) []Effect {
	if err != nil {
		s.Fail(err)
		return nil
	}
	s.addReviews(rs)
	s.rereview()
	text := plural(len(rs), "completion", "completions") + " " + string(e.Mark.State)
	switch {
	case e.Mark.State == core.ReviewSnoozed && e.Mark.Until.IsZero():
		text += " until the session changes"
	case e.Mark.State == core.ReviewSnoozed:
		text += " for " + Elapsed(e.Mark.Until.Sub(s.Now).Round(time.Second))
	case e.Mark.State == core.ReviewOpen:
		text = plural(len(rs), "completion is", "completions are") + " to be reviewed again"
	}
	s.say(text)
	return s.after()
}

// addReviews takes over completions that are new or changed.
func (s *State) addReviews(rs []core.Review) {
	for _, r := range rs {
		id := r.ID()
		if _, known := s.Review.all[id]; !known {
			s.Review.order = append(s.Review.order, id)
		}
		s.Review.all[id] = r
	}
	slices.SortFunc(s.Review.order, func(a, b string) int { return int(s.Review.all[b].Seq - s.Review.all[a].Seq) })
}

// rereview counts what is open and makes the rows anew.
func (s *State) rereview() {
	v := &s.Review
	s.Tree.Review, v.due, v.waits = 0, time.Time{}, false
	v.Rows = v.Rows[:0]
	words := strings.Fields(strings.ToLower(v.Filter))
	for _, id := range v.order {
		r := v.all[id]
		open := r.Open(s.Now, s.changed(r.Session))
		if open {
			s.Tree.Review++
		}
		if r.State == core.ReviewSnoozed && !open && !r.Until.IsZero() && (v.due.IsZero() || r.Until.Before(v.due)) {
			v.due = r.Until
		}
		v.waits = v.waits || r.State == core.ReviewSnoozed && r.Until.IsZero()
		if (open || v.All) && (len(words) == 0 || fits(s.reviewHay(&r), words)) {
			v.Rows = append(v.Rows, id)
		}
	}
	if i := slices.Index(v.Rows, v.Selected); i >= 0 {
		v.at = i
		return
	}
	v.at, v.Selected = max(0, min(v.at, len(v.Rows)-1)), ""
	if len(v.Rows) > 0 {
		v.Selected = v.Rows[v.at]
	}
}

// reviewHay is what a filter looks in: what a row and the side of it say.
func (s *State) reviewHay(r *core.Review) string {
	_, word := OutcomeLook(r.Outcome)
	parts := append([]string{word, s.SessionTitle(r.Session), r.ID(), s.Standing(r), s.Tree.sessions[r.Session].Dir, r.Summary}, r.NotDone...)
	return strings.ToLower(core.Clean(strings.Join(parts, "\n")))
}

// leaveReview drops the filter, or goes back to the tasks.
func (s *State) leaveReview() []Effect {
	if s.Review.Filter == "" {
		return s.closeInbox()
	}
	s.Review.Filter = ""
	s.rereview()
	return nil
}

// changed is when the session's main task last did something.
func (s *State) changed(session string) time.Time {
	if n := s.Tree.nodes[session]; n != nil && n.Task.LastEvent != 0 {
		return n.Task.LastEvent.Time()
	}
	return time.Time{}
}

// At is the row of the cursor.
func (v *Review) At() int { return v.at }

// Row is the completion of that row.
func (v *Review) Row(i int) core.Review { return v.all[v.Rows[i]] }

// Len is how many completions there are, shown or not.
func (v *Review) Len() int { return len(v.order) }

func (v *Review) move(by int) {
	if len(v.Rows) > 0 {
		v.at = max(0, min(v.at+by, len(v.Rows)-1))
		v.Selected = v.Rows[v.at]
	}
}

// Led returns the completion under the cursor with what led to it, or nil.
func (s *State) Led() *Led {
	r, ok := s.Review.all[s.Review.Selected]
	if !ok {
		return nil
	}
	d := s.Review.details[s.Review.Selected]
	if d == nil {
		return &Led{CompletionView: core.CompletionView{Review: r}}
	}
	d.Review = r
	return d
}

// SetLed takes over what was asked for by LoadCompletion.
func (s *State) SetLed(id string, d core.CompletionView, err error) {
	l := &Led{CompletionView: d, Read: true}
	if err != nil {
		l.Err = core.CleanLine(err.Error())
	}
	s.Review.details[id] = l
}

// loadLed asks for what led to the completion under the cursor.
func (s *State) loadLed() []Effect {
	id := s.Review.Selected
	if !s.Review.Open || id == "" || s.Review.details[id] != nil {
		return nil
	}
	s.Review.details[id] = &Led{}
	return []Effect{LoadCompletion{ID: id}}
}

// OutcomeLook is the glyph and the word of an outcome.
func OutcomeLook(o core.Outcome) (glyph, word string) {
	switch o {
	case core.OutcomeDone:
		return "✓", "done"
	case core.OutcomeBlocked:
		return "■", "blocked"
	case core.OutcomeNeedsInput:
		return "¿", "needs input"
	}
	return "·", core.CleanLine(core.Short(string(o), 20))
}

// Standing says in words what a person has made of the completion; "" while it is open.
func (s *State) Standing(r *core.Review) string {
	switch {
	case r.State == core.ReviewReviewed || r.State == core.ReviewArchived:
		return string(r.State)
	case r.Open(s.Now, s.changed(r.Session)):
		return ""
	case r.Until.IsZero():
		return "snoozed until a change"
	}
	return "snoozed for " + Elapsed(r.Until.Sub(s.Now))
}

// SessionTitle is what the session is called.
func (s *State) SessionTitle(id string) string {
	if n := s.Tree.nodes[id]; n != nil {
		return s.Title(n)
	}
	return id
}

// LedParts says all there is about a completion, as labelled texts.
func (s *State) LedParts(l *Led) []Part {
	glyph, word := OutcomeLook(l.Outcome)
	parts := []Part{{Label: "outcome", Text: glyph + " " + word, Bad: l.Outcome != core.OutcomeDone}}
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, Part{Label: label, Text: text})
		}
	}
	add("session", s.SessionTitle(l.Session))
	add("summary", strings.TrimSpace(core.Clean(l.Summary)))
	if len(l.NotDone) > 0 {
		var left []string
		for _, x := range l.NotDone {
			left = append(left, "- "+core.CleanLine(x))
		}
		parts = append(parts, Part{Label: "not done", Text: strings.Join(left, "\n"), Bad: true})
	}
	switch {
	case l.Err != "":
		parts = append(parts, Part{Label: "led to by", Text: "cannot be read: " + l.Err, Bad: true})
	case !l.Read:
		add("files", "reading …")
	default:
		add("files", Files(l.Files))
		add("took", Elapsed(l.Active)+" of the main agent's time")
		add("tokens", Tokens(l.TokensIn)+" in, "+Tokens(l.TokensOut)+" out")
		cost := "unknown: the model has no known price"
		if l.Cost != nil {
			cost = fmt.Sprintf("$%.2f", *l.Cost)
		}
		add("cost", cost)
		add("folder", core.CleanLine(l.Dir))
	}
	add("declared", Elapsed(s.Now.Sub(l.At))+" ago")
	add("state", s.Standing(&l.Review))
	add("id", l.ID())
	return parts
}

// Files names changed files, with how often each was written.
func Files(fs []core.FileChange) string {
	if len(fs) == 0 {
		return "none through write_file or edit_file"
	}
	lines := []string{plural(len(fs), "file", "files")}
	for _, f := range fs {
		line := core.CleanLine(f.Path)
		if f.Times > 1 {
			line += fmt.Sprintf(" (%d times)", f.Times)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
