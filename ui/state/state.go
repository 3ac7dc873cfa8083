package state

import (
	"fmt"
	"slices"
	"time"

	"drover/core"
)

// Mode says who gets the keys.
type Mode int

// The modes there are.
const (
	Normal     Mode = iota
	Composing       // a message, a new session's prompt, a queued message's new text
	Commanding      // the line after ":"
	Filtering       // the line after "/"
	Denying         // the reason of a denial
	Confirming      // y or n
	Reading         // an overlay: help, an approval in full
	Searching       // the words to find in the detail pane
	Picking         // the command palette
	Finding         // the list of what was found in all transcripts
)

// Pane is a part of the screen that can have the focus.
type Pane int

// The panes there are.
const (
	PaneTree Pane = iota
	PaneDetail
)

// Show is what the detail pane shows.
type Show int

// What there is to show.
const (
	ShowTranscript Show = iota
	ShowTimeline
	ShowCompletions
	ShowWaterfall
	ShowTurns // from here on: of the selected task
	ShowTaskEvents
	ShowDefinition
	ShowFiles
)

// Config is what the State is told at the start and never changes.
type Config struct {
	Dir     string   // where a new session works
	Project string   // the folder that trust is for; "": Dir
	Offline bool     // a new session runs on the offline model
	Found   string   // which model it runs on and why, where it was found; "": it is set
	Themes  []string // names for :theme
	Select  string   // the task to select first
	Mouse   Mouse    // "": off
	Trouble string   // why no session can start, with the remedy; "" for none
	// StallAfter is after how long without an event a running task is said to be stalled; 0: 2 minutes.
	StallAfter time.Duration
	// RuleFor is the rule that "always" makes of a call, "" for none; nil: not known here.
	RuleFor func(tool, subject string) string
}

// State is everything the screen shows.
type State struct {
	Now    time.Time // set by the caller before Key, Apply and Draw
	Config Config
	Tree   Tree
	Wants  Wants
	Events Events
	Pages  Pages
	Chart  ChartView
	Agents Agents
	Inbox  Inbox
	Review Review
	Hits   Hits
	View   View
	Input  Input
	Marks  Marks
	Notes  Notes
	Toast  Toast
	Home   Home
	models models
	keys   []Binding
	given  []Binding // the table before a person's own keys
}

// View is where the person looks.
type View struct {
	Mode    Mode
	Pane    Pane
	Full    bool // the pane with the focus fills the screen
	Show    Show
	Page    int // rows the tree shows, set by the caller; a page is that long
	Overlay Overlay
	Confirm Confirm
	back    Mode     // the mode under an overlay
	leaving bool     // Ctrl-C was pressed once
	Args    []string // of the tool call that waits for an answer, as lines
	shown   int64
	shownAt time.Time
}

// Overlay is a text to read.
type Overlay struct {
	Title string
	Lines []string
}

// Confirm asks before something is stopped, a folder is trusted, or many are dealt with at once.
type Confirm struct {
	Task, Scope string
	Trust       bool   // it is about the folder, not about a task
	Text        string // names what will stop, or what comes in, as things are now
	Title, Yes  string // of the box; "": a cancel's
	changed     time.Time
	text        func() string   // the question, as things are now; "": there is nothing left to ask
	do          func() []Effect // what yes does
	gone        string          // what to say when nothing is left
}

// Toast is the last thing the screen has to say.
type Toast struct {
	Text string
	Bad  bool
	At   time.Time
}

// Wants are open requests and approvals, by task.
type Wants struct {
	Inbox     []core.Approval // pending ones of all sessions, oldest first
	requests  map[string][]core.Request
	approvals map[string][]core.Approval
	answered  map[int64]core.Approval // the answer is on its way
	sent      map[string][]Sent       // messages of this screen that have arrived, by task
}

// New makes the State of an empty registry.
func New(c Config) *State {
	s := &State{Config: c, keys: Bindings(), given: Bindings()}
	s.Tree.nodes, s.Tree.sessions, s.Tree.want = map[string]*Node{}, map[string]core.Session{}, c.Select
	s.Tree.Order = Order{Sort: SortActivity, Group: GroupSession}
	s.Tree.work = treework{home: s, busy: map[string]*Node{}, groups: map[string]*Node{}, grown: map[*Node]bool{}, shared: newShared()}
	s.Marks.on, s.Notes.pending = map[string]bool{}, map[string]string{}
	s.Notes.drafts, s.Input.drafts = map[string]string{}, map[string]string{}
	s.takeNotes(nil)
	s.Wants.requests, s.Wants.approvals = map[string][]core.Request{}, map[string][]core.Approval{}
	s.Wants.answered = map[int64]core.Approval{}
	s.Wants.sent = map[string][]Sent{}
	s.Events.lists, s.Events.loaded = map[string][]core.Event{}, map[string]bool{}
	s.Review.all, s.Review.details = map[string]core.Review{}, map[string]*Led{}
	s.View.Page = 10
	if s.Home.Mouse = c.Mouse; c.Mouse == "" {
		s.Home.Mouse = MouseOff
	}
	return s
}

// Selected is the task under the cursor, or nil.
func (s *State) Selected() *Node { return s.Tree.nodes[s.Tree.Selected] }

// Running reports whether a clock on the screen is going.
func (s *State) Running() bool {
	return s.Tree.Total.Running+s.Tree.Total.Needs > 0
}

// Loaded reports whether the registry has been read at all.
func (s *State) Loaded() bool { return s.Tree.loaded }

// Apply takes over what has changed in the registry.
func (s *State) Apply(u core.Update) []Effect {
	news := s.news(u)
	for _, ses := range u.Sessions {
		old := s.Tree.sessions[ses.ID]
		s.Tree.sessions[ses.ID] = ses
		if old.Title != ses.Title || old.Dir != ses.Dir || old.Autopilot != ses.Autopilot {
			s.Tree.work.stale = s.Tree.work.stale || s.Tree.filtered() || s.Tree.Order.Group != GroupSession
		}
	}
	s.Tree.open(u.Whole)
	for _, t := range u.Tasks {
		s.Tree.put(t)
	}
	s.Tree.takeParts(&u)
	s.noticed(&u)
	for _, id := range u.Changed {
		delete(s.Wants.requests, id)
		delete(s.Wants.approvals, id)
	}
	for _, r := range u.Requests {
		if r.State == core.ReqQueued && r.Kind == core.ReqMessage {
			s.Wants.requests[r.Task] = append(s.Wants.requests[r.Task], r)
		}
	}
	for _, a := range u.Approvals {
		if _, answered := s.Wants.answered[a.ID]; a.State == core.AppPending && !answered {
			s.Wants.approvals[a.Task] = append(s.Wants.approvals[a.Task], a)
		}
	}
	for _, e := range u.Events {
		s.Events.add(e)
	}
	if u.Notes != nil {
		s.takeNotes(u.Notes)
	}
	if len(u.Tasks)+len(u.Sessions)+len(u.Changed)+len(u.Rolled) > 0 {
		s.inbox()
		s.Tree.total()
		s.countStalled()
	}
	s.addReviews(u.Reviews)
	if !s.Tree.loaded {
		s.Tree.sort()
	}
	if s.Tree.work.stale || !s.Tree.loaded {
		s.Tree.rebuild()
	}
	s.Tree.regrow()
	s.Tree.loaded = true
	s.goPending()
	s.reread()
	if len(u.Reviews) > 0 || s.Review.waits {
		s.rereview()
	}
	return append(s.after(), news...)
}

// inbox gathers the pending approvals.
func (s *State) inbox() {
	s.Wants.Inbox = s.Wants.Inbox[:0]
	for id, as := range s.Wants.approvals {
		if n := s.Tree.nodes[id]; n == nil || n.Task.Status.Terminal() {
			continue
		}
		s.Wants.Inbox = append(s.Wants.Inbox, as...)
	}
	slices.SortFunc(s.Wants.Inbox, func(a, b core.Approval) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return int(a.ID - b.ID)
	})
	s.reinbox()
}

// Queued are the messages the task has not got yet, in order.
func (s *State) Queued(task string) []core.Request { return s.Wants.requests[task] }

// Approval is the tool call of the selected task that waits for an answer, or
// nil, and how many more of its calls wait.
func (s *State) Approval() (*core.Approval, int) {
	n := s.Selected()
	if n == nil || n.Task.Status.Terminal() || len(s.Wants.approvals[n.Task.ID]) == 0 {
		return nil, 0
	}
	as := s.Wants.approvals[n.Task.ID]
	return &as[0], len(as) - 1
}

// after brings up to date what follows from the rest.
func (s *State) after() []Effect {
	s.advance()
	s.look()
	a := s.Question()
	switch {
	case a == nil:
		s.View.shown, s.View.Args = 0, nil
	case a.ID != s.View.shown:
		s.View.shown, s.View.shownAt, s.View.Args = a.ID, s.Now, Arguments(a)
	}
	if s.View.Mode == Confirming {
		s.reconfirm()
	}
	if e := s.loadLed(); e != nil {
		return e
	}
	if e := s.loadFiles(); e != nil {
		return e
	}
	return s.wanted()
}

// reconfirm says the question anew, as things are now, and drops it when there is nothing left of it.
func (s *State) reconfirm() {
	c := &s.View.Confirm
	old, gone := c.Text, "nothing to cancel: it has ended"
	if c.text != nil {
		c.Text, gone = c.text(), c.gone
	} else if c.Trust {
		c.Text, gone = s.trustText(), "nothing waits for your trust any more"
	} else {
		c.Text = s.confirmText(c.Task, c.Scope)
	}
	switch {
	case c.Text == "":
		s.View.Mode = Normal
		s.say(gone)
	case old != "" && old != c.Text:
		c.changed = s.Now
	}
}

// Ticks reports whether the screen changes by itself as time goes by.
func (s *State) Ticks() bool {
	return s.Running() || s.Toast.Text != "" || len(s.Wants.sent) > 0
}

// Tick lets what has been shown long enough go; the caller has set Now.
func (s *State) Tick() {
	stay := sayFor
	if s.Toast.Bad {
		stay = failFor
	}
	if s.Now.Sub(s.Toast.At) >= stay {
		s.Toast = Toast{}
	}
	s.reread()
	if s.View.Show == ShowWaterfall && s.Chart.loaded && s.Running() {
		s.redrawChart()
	}
	s.countStalled()
	if s.Tree.query().timed() {
		s.Tree.rebuild()
	}
	if !s.Review.due.IsZero() {
		s.rereview()
	}
}

func (s *State) say(text string)  { s.Toast = Toast{Text: core.CleanLine(text), At: s.Now} }
func (s *State) fail(text string) { s.Toast = Toast{Text: core.CleanLine(text), Bad: true, At: s.Now} }

// Say shows a line to the person.
func (s *State) Say(text string) { s.say(text) }

// Fail shows an error, with the way out where it names one.
func (s *State) Fail(err error) {
	s.fail(join(err.Error(), " · ", core.HintOf(err)))
}

// Farewell is the line to leave behind when the screen closes; "" when nothing goes on.
func (s *State) Farewell() string {
	run, ask := s.Tree.Total.Running+s.Tree.Total.Needs, s.Tree.Total.Needs
	if run == 0 {
		return ""
	}
	verb := "go"
	if run == 1 {
		verb = "goes"
	}
	text := fmt.Sprintf("%s %s on; drover brings you back", plural(run, "agent", "agents"), verb)
	if ask > 0 {
		text += fmt.Sprintf(" (%d needs you)", ask)
	}
	return text
}
