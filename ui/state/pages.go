package state

import (
	"path/filepath"
	"slices"
	"strconv"

	"drover/core"
)

// Pages is what the tabs of the detail pane show beside the transcript.
type Pages struct {
	Version int // grows when what a page is made of changes
	Filter  EventFilter
	Find    string          // the words last searched for
	Subtree bool            // the files page shows those of the tasks below, too
	open    map[string]bool // what is unfolded, by key
	inside  insides
	edits   edits
}

// insides is the part of the selected task that its row does not hold.
type insides struct {
	task           string
	is             core.Inside
	loaded         bool
	loading, stale bool
}

// edits are the changes of files by the tasks that are looked at.
type edits struct {
	root           string
	subtree        bool
	by             map[string]*ChangesSince
	all            []Edit
	loaded         bool
	loading, stale bool
}

// ChangesSince is how far a task's transcript has been read for changes of files.
type ChangesSince struct {
	Task  string
	After int64                    // the last entry that was read
	Open  map[string]core.ToolCall // calls without a result yet
	Found []Edit
}

// maxSubtree is how many tasks the files page looks into.
const maxSubtree = 300

// Inside is what is known of the selected task; ok is false until it was read.
func (s *State) Inside() (core.Inside, bool) {
	p := &s.Pages.inside
	return p.is, p.loaded && p.task == s.Tree.Selected
}

// FileEdits are the changes of files of the selected task, oldest first; ok is false until they were read.
func (s *State) FileEdits() ([]Edit, bool) {
	e := &s.Pages.edits
	return e.all, e.loaded && e.root == s.Tree.Selected && e.subtree == s.Pages.Subtree
}

// Unfolded reports whether the row of that key is open.
func (s *State) Unfolded(key string) bool { return s.Pages.open[s.Tree.Selected+" "+key] }

// SetInside takes over what was read of a task.
func (s *State) SetInside(task string, in core.Inside, err error) []Effect {
	p := &s.Pages.inside
	p.loading = false
	if err != nil {
		s.Fail(err)
		return nil
	}
	p.task, p.is, p.loaded = task, in, true
	s.Pages.Version++
	return s.after()
}

// SetChanges takes over what was read of transcripts.
func (s *State) SetChanges(root string, got []ChangesSince, err error) []Effect {
	e := &s.Pages.edits
	e.loading = false
	if err != nil {
		*e = edits{} // the calls without a result are not known any more
		s.Fail(err)
		return nil
	}
	if root != e.root {
		return s.after()
	}
	for _, c := range got {
		e.by[c.Task] = &ChangesSince{Task: c.Task, After: c.After, Open: c.Open}
		e.all = append(e.all, c.Found...)
	}
	slices.SortStableFunc(e.all, func(a, b Edit) int { return a.At.Compare(b.At) })
	e.loaded = true
	s.Pages.Version++
	return s.after()
}

// noticed marks as old what a change of these tasks makes old.
func (s *State) noticed(u *core.Update) {
	p := &s.Pages
	if len(u.Events) > 0 {
		p.Version++
	}
	mark := func(id string) {
		if id == p.inside.task {
			p.inside.stale = true
		}
		if id == p.edits.root || p.edits.by[id] != nil || p.edits.subtree {
			p.edits.stale = true
		}
		if n := s.Tree.nodes[id]; n != nil && n.Task.Session == s.Chart.session {
			s.Chart.stale = true
		}
	}
	for i := range u.Tasks {
		mark(u.Tasks[i].ID)
	}
	for _, id := range u.Changed {
		mark(id)
	}
}

// wanted is what has to be read for the page that is shown.
func (s *State) wanted() []Effect {
	n := s.Selected()
	if n == nil {
		return nil
	}
	switch s.View.Show {
	case ShowTurns, ShowDefinition:
		return s.wantInside(n.Task.ID)
	case ShowFiles:
		return s.wantEdits(n)
	case ShowWaterfall:
		return s.wantChart(n.Task.Session)
	case ShowTaskEvents, ShowTimeline, ShowCompletions:
		if !s.Events.loaded[n.Task.Session] {
			s.Events.loaded[n.Task.Session] = true
			return []Effect{LoadTimeline{Session: n.Task.Session}}
		}
	}
	return nil
}

func (s *State) wantInside(task string) []Effect {
	p := &s.Pages.inside
	if p.loading || p.task == task && p.loaded && !p.stale {
		return nil
	}
	p.loading, p.stale = true, false
	if p.task != task {
		p.task, p.loaded = task, false
	}
	return []Effect{LoadInside{Task: task}}
}

func (s *State) wantEdits(n *Node) []Effect {
	e := &s.Pages.edits
	if e.loading {
		return nil
	}
	if e.root != n.Task.ID || e.subtree != s.Pages.Subtree {
		*e = edits{root: n.Task.ID, subtree: s.Pages.Subtree, by: map[string]*ChangesSince{}}
	}
	if e.loaded && !e.stale {
		return nil
	}
	e.loading, e.stale = true, false
	ask := LoadChanges{Root: n.Task.ID}
	var add func(*Node)
	add = func(n *Node) {
		if len(ask.Tasks) == maxSubtree {
			return
		}
		c := ChangesSince{Task: n.Task.ID, Open: map[string]core.ToolCall{}}
		if old := e.by[c.Task]; old != nil {
			c = *old
		}
		ask.Tasks = append(ask.Tasks, c)
		if e.subtree {
			for _, k := range n.Kids {
				add(k)
			}
		}
	}
	add(n)
	return []Effect{ask}
}

// notRead lets what could not be asked for be asked for again.
func (s *State) notRead(e Effect) {
	switch e.(type) {
	case LoadInside:
		s.Pages.inside.loading = false
	case LoadChanges:
		s.Pages.edits = edits{}
	case LoadChart:
		s.Chart.loading = false
	}
}

// What can be done with a row of a page.
const (
	PickOpen     = "open"
	PickEditor   = "editor"
	PickWithdraw = "withdraw"
	PickRewrite  = "rewrite"
	PickEarlier  = "earlier"
	PickLater    = "later"
)

func picks(do string) func(*State) []Effect {
	return func(*State) []Effect { return []Effect{Pick{Do: do}} }
}

// Keys of rows.
func EventKey(seq int64) string  { return "e" + strconv.FormatInt(seq, 10) }
func TurnKey(n int) string       { return "t" + strconv.Itoa(n) }
func RequestKey(id int64) string { return core.RequestRef(id) }
func FileKey(path string) string { return "f" + path }

// Picked does what a person wants with the row of that key; "" is no row.
func (s *State) Picked(do, key string) []Effect {
	n := s.Selected()
	if n == nil {
		return nil
	}
	if key == "" {
		if do == PickEditor && s.View.Show == ShowDefinition {
			return s.openSource()
		}
		return nil
	}
	switch {
	case s.View.Show.Events():
		return append(s.jumpTo(n.Task.Session, key), s.after()...)
	case do == PickEditor && key[0] == 'f':
		return s.openChanged(key[1:])
	case do == PickEditor:
		return s.openSource()
	case key[0] == 'r':
		return append(s.queuedRow(do, key), s.after()...)
	case do == PickOpen:
		if s.Pages.open == nil {
			s.Pages.open = map[string]bool{}
		}
		k := s.Tree.Selected + " " + key
		s.Pages.open[k] = !s.Pages.open[k]
		s.Pages.Version++
	default:
		s.fail("only a message that has not arrived can be changed: move to one")
	}
	return nil
}

// jumpTo goes to the place of an event in its task's transcript.
func (s *State) jumpTo(session, key string) []Effect {
	for _, e := range s.Events.lists[session] {
		if EventKey(e.Seq) != key {
			continue
		}
		if s.Tree.nodes[e.Task] == nil {
			s.fail("its task is not there any more")
			return nil
		}
		s.Tree.goTo(e.Task)
		s.View.Show, s.View.Pane = ShowTranscript, PaneDetail
		return []Effect{Goto{Task: e.Task, At: e.At}}
	}
	return nil
}

func (s *State) queuedRow(do, key string) []Effect {
	l := s.Queued(s.Tree.Selected)
	i := slices.IndexFunc(l, func(r core.Request) bool { return RequestKey(r.ID) == key })
	if i < 0 {
		s.fail(key + " has arrived: it cannot be changed any more")
		return nil
	}
	other := i - 1
	if do == PickLater {
		other = i + 1
	}
	switch do {
	case PickWithdraw:
		return []Effect{Withdraw{Task: l[i].Task, Request: l[i].ID, Text: l[i].Text}}
	case PickRewrite, PickOpen:
		return s.rewriteOne(&l[i])
	case PickEarlier, PickLater:
		if other < 0 || other >= len(l) {
			s.say("no other message waits there")
			return nil
		}
		return []Effect{Swap{Task: l[i].Task, Request: l[i].ID, With: l[other].ID}}
	}
	return nil
}

func (s *State) rewriteOne(r *core.Request) []Effect {
	c := Compose{Kind: ToEditable, Target: r.Task, Request: r.ID}
	if s.Input.drafts[c.key()] == "" {
		c.Set(r.Text)
	}
	return s.open(c)
}

func (s *State) openChanged(path string) []Effect {
	if !filepath.IsAbs(path) {
		ses, _ := s.Tree.Session(s.Tree.Selected)
		if ses.Dir == "" {
			s.fail("the directory of the session is not known")
			return nil
		}
		path = filepath.Join(ses.Dir, path)
	}
	return []Effect{OpenFile{Path: path}}
}

func (s *State) openSource() []Effect {
	in, ok := s.Inside()
	path := SourceOf(in.Spec)
	if !ok || !filepath.IsAbs(path) {
		s.fail("the agent comes with drover: there is no file of yours to open")
		return nil
	}
	return []Effect{OpenFile{Path: path}}
}

func (s *State) subtree() []Effect {
	s.Pages.Subtree = !s.Pages.Subtree
	s.Pages.Version++
	s.say(map[bool]string{true: "files of the task and all under it", false: "files of the task alone"}[s.Pages.Subtree])
	return nil
}
