package state

import (
	"fmt"

	"drover/core"
)

// ComposeKind says what a composer's text is for.
type ComposeKind int

// What a composer is for.
const (
	ToTask     ComposeKind = iota // a message
	ToNew                         // the prompt of a new session
	ToEditable                    // the new text of a message that is not delivered
	ToMany                        // a message to several tasks
)

// Input is what is being typed.
type Input struct {
	Compose Compose
	Line    Editor // command, filter, reason of a denial
	drafts  map[string]string
	sent    []string // messages, oldest first
	typed   []string // commands, oldest first
	recall  int      // steps back in the history, 0 is what was being typed
	kept    string   // what was being typed
	tab     completion
	deny    core.Approval
	files   files
	Paper   Paper
	nth     int // which of the binding's keys was pressed last
}

// Compose is the composer. Its target is fixed when it opens.
type Compose struct {
	Editor
	Kind      ComposeKind
	Target    string   // a task's ID
	Targets   []string // of ToMany
	Delivery  core.Delivery
	Request   int64  // of ToEditable
	Agent     string // of ToNew: who leads it, "" for the usual one
	Autopilot bool
	AllowAll  bool
}

func (c *Compose) key() string {
	switch c.Kind {
	case ToNew:
		if c.Agent != "" {
			return "@" + c.Agent
		}
		return ""
	case ToEditable:
		return core.RequestRef(c.Request)
	case ToMany:
		return "*"
	}
	return c.Target
}

// Draft is the unsent text for a task; "" for none.
func (s *State) Draft(task string) string { return s.Input.drafts[task] }

// open opens the composer with the draft that was left there.
func (s *State) open(c Compose) []Effect {
	var effects []Effect
	if s.View.Mode == Composing {
		effects = s.keepDraft()
	}
	if c.String() == "" {
		c.Set(s.Input.drafts[c.key()])
	}
	s.Input.Compose, s.Input.recall = c, 0
	s.View.Mode = Composing
	return effects
}

// giveBack puts a text that was not taken back where it was written.
func (s *State) giveBack(c Compose, text string) {
	at := c.key()
	cur := &s.Input.Compose
	if s.View.Mode == Composing && cur.key() == at {
		if !cur.Blank() {
			text += "\n" + cur.String()
		}
		cur.Set(text)
		return
	}
	if old := s.Input.drafts[at]; old != "" && old != text {
		text += "\n" + old
	}
	s.Input.drafts[at] = text
}

// Consequence says what a message of that delivery does to the task now.
func (s *State) Consequence(task string, d core.Delivery) string {
	n := s.Tree.nodes[task]
	if n == nil {
		return ""
	}
	t := &n.Task
	switch {
	case t.Status.Terminal():
		return "it is " + t.State() + " and takes no message"
	case t.Status == core.Idle:
		return fmt.Sprintf("starts turn %d", t.Turn+1)
	case t.Interrupted:
		return "waits until it is resumed"
	case d == core.Steer:
		return "after the current tool call"
	case d == core.Interrupt:
		return "interrupts now"
	}
	return "after this turn"
}

// Waits says where a queued message stands.
func (s *State) Waits(r *core.Request) string {
	n := s.Tree.nodes[r.Task]
	switch {
	case n == nil || n.Task.Status != core.Running:
		return "queued"
	case n.Task.Interrupted:
		return "queued until it is resumed"
	case r.Delivery == core.Steer:
		return "queued, after the current tool call"
	case r.Delivery == core.Interrupt:
		return "queued, interrupts now"
	}
	return fmt.Sprintf("queued, after turn %d", n.Task.Turn)
}

// Prompt is what stands before the composer's text, and what Enter will do.
func (s *State) Prompt() (to, then string) {
	c := &s.Input.Compose
	switch c.Kind {
	case ToNew:
		to = join("new session", " · ", core.Short(line(c.Agent), 24))
		switch {
		case c.AllowAll:
			return to, "autopilot, and every tool call is allowed"
		case c.Autopilot:
			return to, "autopilot: works until it declares completion"
		}
		return to, "asks you before it writes or runs anything"
	case ToEditable:
		return core.RequestRef(c.Request) + " to " + s.name(c.Target), "changes the queued message"
	case ToMany:
		to = "to " + s.namesOf(c.Targets, 3)
		if n := len(c.Targets) - 3; n > 0 {
			to = fmt.Sprintf("to %s and %d more", s.namesOf(c.Targets[:3], 3), n)
		}
		return to, s.consequences(c.Targets, c.Delivery)
	}
	verb := map[core.Delivery]string{core.Queue: "to ", core.Steer: "steer ", core.Interrupt: "interrupt "}[c.Delivery]
	return verb + s.name(c.Target), s.Consequence(c.Target, c.Delivery)
}

func (s *State) name(task string) string {
	if n := s.Tree.nodes[task]; n != nil {
		return core.Short(s.Title(n), 40)
	}
	return task
}

// Paste inserts text into what is being typed; line breaks stay where lines are allowed.
func (s *State) Paste(text string) []Effect {
	switch s.View.Mode {
	case Composing:
		s.Input.Compose.remember()
		if !s.Input.Compose.Insert(text) {
			s.fail(fmt.Sprintf("the text is too long to type (more than %d characters): put it in a file and name the file", MaxDraft))
		}
	case Commanding, Filtering, Denying, Searching:
		s.Input.Line.Insert(core.CleanLine(core.Short(text, 4000)))
		s.refilter()
	default:
		s.fail(s.Keyed("nothing is being typed; {message} opens a message; {new-session} a new session; then paste"))
	}
	return s.after()
}

// Edited takes over the text that came back from the person's own editor.
func (s *State) Edited(text string, err error) {
	if err != nil {
		s.Fail(err)
		return
	}
	if len(text) > 4*MaxDraft || len([]rune(text)) > MaxDraft {
		s.fail("the text is too long: put it in a file and name the file")
		return
	}
	s.Input.Compose.remember()
	s.Input.Compose.Set(text)
	s.Toast = Toast{} // what the editor said before is mended
}

// older and newer walk through what was sent before.
func (s *State) older(e *Editor, history []string) {
	if s.Input.recall >= len(history) {
		return
	}
	if s.Input.recall == 0 {
		s.Input.kept = e.String()
		e.remember()
	}
	s.Input.recall++
	e.Set(history[len(history)-s.Input.recall])
}

func (s *State) newer(e *Editor, history []string) {
	switch s.Input.recall {
	case 0:
		return
	case 1:
		e.Set(s.Input.kept)
	default:
		e.Set(history[len(history)-s.Input.recall+1])
	}
	s.Input.recall--
}

// SetHistory takes over what was sent before from this folder, the oldest first.
func (s *State) SetHistory(texts []string) {
	for i := range texts {
		texts[i] = core.Clean(texts[i])
	}
	s.Input.sent = append(texts, s.Input.sent...)
}

func remember(history []string, text string) []string {
	if len(history) > 0 && history[len(history)-1] == text {
		return history
	}
	history = append(history, text)
	if len(history) > 200 {
		history = history[1:]
	}
	return history
}
