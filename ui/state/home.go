package state

import (
	"slices"
	"strings"

	"drover/core"
)

// Home is what makes the screen a person's own: palette, colours being tried, mouse, tour.
type Home struct {
	Palette Palette
	Mouse   Mouse
	Tour    Tour
	tried   string // the theme that the command line shows for now
	told    map[int64]bool
	unread  map[string]bool // main tasks that have answered since the cursor was on them
}

// Mouse says what the mouse may do.
type Mouse string

// What the mouse may do.
const (
	MouseOn    Mouse = "on"
	MouseWheel Mouse = "wheel" // the wheel scrolls, clicks do nothing
	MouseOff   Mouse = "off"   // the terminal has it
)

type (
	// TryTheme shows a theme while its name is being typed; "" goes back to the one that was set.
	TryTheme struct{ Name string }
	// SetMouse takes the mouse, or gives it back to the terminal.
	SetMouse struct{ To Mouse }
	// Notify tells a person who looks elsewhere.
	Notify struct{ Text string }
)

func (TryTheme) effect() {}
func (SetMouse) effect() {}
func (Notify) effect()   {}

func homeKeys() []Binding {
	return []Binding{
		{keys("Ctrl-T"), Everywhere, "mouse", "give the mouse back to the terminal, to select text; again: take it", "", nil, (*State).toggleMouse},
	}
}

func homeCommands() []command {
	return []command{
		{name: "mouse", usage: "mouse on|wheel|off", help: "what the mouse does; off gives it to the terminal", run: (*State).cmdMouse, args: oneOf("on", "wheel", "off"), anywhere: true},
		{name: "mute", usage: "mute", help: "no notices of the task and all under it; again: they come", run: (*State).cmdMute},
		{name: "palette", usage: "palette", help: "everything that can be done, to search and run", run: func(s *State, _ string) []Effect { return s.openPalette() }, anywhere: true},
		{name: "redraw", usage: "redraw", help: "paint the screen anew", run: func(*State, string) []Effect { return []Effect{Redraw{}} }, anywhere: true},
		{name: "tour", usage: "tour [end]", help: "a minute's tour on the offline model", run: (*State).cmdTour, args: oneOf("end")},
	}
}

func (s *State) toggleMouse() []Effect {
	if s.Home.Mouse == MouseOff {
		return s.cmdMouse(string(MouseOn))
	}
	return s.cmdMouse(string(MouseOff))
}

func (s *State) cmdMouse(to string) []Effect {
	said := map[Mouse]string{
		MouseOn: "the mouse is drover's: hold Shift to select text", MouseWheel: "the wheel scrolls; clicks do nothing", MouseOff: "the mouse is the terminal's: drag selects text",
	}
	if said[Mouse(to)] == "" {
		s.fail("mouse takes on, wheel or off")
		return nil
	}
	s.Home.Mouse = Mouse(to)
	s.say(said[s.Home.Mouse])
	return []Effect{SetMouse{To: s.Home.Mouse}}
}

// preview shows the theme whose name stands in the command line.
func (s *State) preview() []Effect {
	want := ""
	if s.View.Mode == Commanding {
		if name, ok := strings.CutPrefix(s.Input.Line.String(), "theme "); ok && slices.Contains(s.Config.Themes, strings.TrimSpace(name)) {
			want = strings.TrimSpace(name)
		}
	}
	if want == s.Home.tried {
		return nil
	}
	s.Home.tried = want
	return []Effect{TryTheme{Name: want}}
}

// SetThemes takes over which themes there are.
func (s *State) SetThemes(names []string) { s.Config.Themes = names }

// Point puts the cursor on a row of the tree, as a click does: it selects and no more.
func (s *State) Point(row int) []Effect {
	if row >= 0 && row < len(s.Tree.Rows) {
		s.Tree.move(row - s.Tree.at)
	}
	s.View.Pane = PaneTree
	return s.after()
}

// PointAgent puts the cursor on a row of the catalogue.
func (s *State) PointAgent(row int) []Effect {
	if row >= 0 && row < len(s.Agents.Rows) {
		s.Agents.move(row - s.Agents.At())
	}
	return nil
}

// PointInbox goes to the task that asks.
func (s *State) PointInbox(i int) []Effect {
	if i >= 0 && i < len(s.Wants.Inbox) {
		s.Tree.goTo(s.Wants.Inbox[i].Task)
		s.View.Show = ShowTranscript
	}
	return s.after()
}

// PointListed puts the cursor on a row of the inbox or the review.
func (s *State) PointListed(row int) []Effect {
	switch {
	case s.Inbox.Open && row < len(s.Wants.Inbox):
		s.moveInbox(row - s.Inbox.at)
	case s.Review.Open && row < len(s.Review.Rows):
		s.Review.move(row - s.Review.at)
	}
	return s.after()
}

// OpenListed opens what the cursor of the inbox or the review is on, as its key does.
func (s *State) OpenListed() []Effect {
	var out []Effect
	switch {
	case s.Inbox.Open && s.Question() != nil:
		out = s.openAsker()
	case s.Review.Open && s.Review.Selected != "":
		out = s.openReviewed()
	}
	return append(out, s.after()...)
}

// TurnTo turns the detail pane to a page and gives it the keys, as a click on its tab does.
func (s *State) TurnTo(w Show) []Effect {
	s.View.Pane = PaneDetail
	out := s.turnTo(w)
	return append(out, s.after()...)
}

// OpenHit goes to the place that the cursor is on.
func (s *State) OpenHit() []Effect { return append(s.openHit(), s.after()...) }

// Open opens the selected task, as its key does.
func (s *State) Open() []Effect {
	if s.Selected() == nil {
		return nil
	}
	return append(s.openTask(), s.after()...)
}

// Choose does what the palette's cursor is on.
func (s *State) Choose() []Effect { return append(s.choose(), s.after()...) }

// Focus gives a pane the keys.
func (s *State) Focus(p Pane) []Effect {
	s.View.Pane = p
	return s.after()
}

// Wheel moves the cursor of the tree, or of the catalogue, by rows.
func (s *State) Wheel(by int) []Effect {
	s.step(by)
	return s.after()
}

// news are the notices that an update is worth, each once: who needs a person,
// and which session is through. What was there at the start is none.
func (s *State) news(u core.Update) []Effect {
	if s.Home.told == nil {
		s.Home.told = map[int64]bool{}
	}
	var out []Effect
	for _, t := range u.Tasks {
		old := s.Tree.nodes[t.ID]
		if old == nil || !s.Tree.loaded {
			continue
		}
		s.markUnread(&old.Task, &t)
		if !s.Muted(t.ID) {
			if text := s.ended(&old.Task, &t); text != "" {
				out = append(out, Notify{Text: text})
			}
		}
	}
	for i := range u.Approvals {
		a := &u.Approvals[i]
		if a.State != core.AppPending || s.Home.told[a.ID] {
			continue
		}
		s.Home.told[a.ID] = true
		if s.Tree.loaded && !s.Muted(a.Task) {
			out = append(out, Notify{Text: s.who(a.Task, u.Tasks) + " needs you: " + core.Short(Ask(a), 120)})
		}
	}
	return out
}

// who names a task that may be as new as the update.
func (s *State) who(task string, fresh []core.TaskView) string {
	if name := s.Asker(task, PathEnds); name != "" { // which main agent, and whose subagent
		return core.Short(name, 80)
	}
	for i := range fresh {
		if fresh[i].ID == task {
			return core.Short(core.CleanLine(fresh[i].Label()), 60)
		}
	}
	return core.Short(s.name(task), 60)
}

// ended says what has become of a session's main task that was at work; "" for nothing of note.
func (s *State) ended(old *Task, t *core.TaskView) string {
	if t.Kind != core.KindMain || old.Status != core.Running || t.Interrupted {
		return ""
	}
	name := core.Short(core.CleanLine(s.Tree.sessions[t.Session].Title), 60)
	if name == "" {
		name = core.Short(core.CleanLine(t.Label()), 60)
	}
	switch {
	case t.Status == core.Failed:
		return join(name+" failed", ": ", core.Short(core.CleanLine(t.Error), 120))
	case t.Outcome != "" && t.Outcome != old.Outcome && (t.Status == core.Idle || t.Status == core.Completed):
		return join(name+" is through ("+outcome(t.Outcome)+")", ": ", core.Short(core.CleanLine(t.Summary), 120))
	case t.Status == core.Idle && !s.Tree.sessions[t.Session].Autopilot && s.atRest(t.ID):
		return name + " has answered"
	}
	return ""
}

// atRest reports whether nothing under the task is at work: then it will not go on by itself.
func (s *State) atRest(task string) bool {
	n := s.Tree.nodes[task]
	return n != nil && n.Below().Running+n.Below().Needs == 0
}

// WindowTitle says how things are, for the terminal's title.
func (s *State) WindowTitle() string {
	c := s.Tree.Total
	var parts []string
	if c.Needs > 0 {
		parts = append(parts, plural(c.Needs, "needs you", "need you"))
	}
	if c.Running > 0 {
		parts = append(parts, plural(c.Running, "running", "running"))
	}
	if s.Tree.Review > 0 {
		parts = append(parts, plural(s.Tree.Review, "to review", "to review"))
	}
	return join("drover", ": ", strings.Join(parts, ", "))
}

// FirstRun says what to press where there is no task at all, and what stands in the way.
func (s *State) FirstRun() []string {
	lines := []string{"No tasks yet.", ""}
	for _, k := range [][2]string{{"new-session", "new session: say what you want done"}, {"palette", "everything that can be done"}, {"help", "help"}, {"quit", "quit"}} {
		if key := s.KeyOf(k[0]); key != "" {
			lines = append(lines, key+strings.Repeat(" ", max(1, 8-len([]rune(key))))+k[1])
		}
	}
	if key := s.KeyOf("command"); key != "" {
		lines = append(lines, key+"tour"+strings.Repeat(" ", max(1, 4-len([]rune(key))))+"a minute's tour: no key, no network, no cost")
	}
	switch {
	case s.Config.Trouble != "":
		lines = append(lines, "", "A new session cannot start yet: "+core.CleanLine(s.Config.Trouble))
	case s.Config.Offline:
		lines = append(lines, "", "New sessions run on the offline model:", "rules, not a language model; no network, no key.")
	}
	return lines
}
