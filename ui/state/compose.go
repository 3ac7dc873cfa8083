package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

func (s *State) startNew() []Effect { return s.open(Compose{Kind: ToNew}) }

func (s *State) startMessage() []Effect   { return s.write(core.Queue) }
func (s *State) startSteer() []Effect     { return s.write(core.Steer) }
func (s *State) startInterrupt() []Effect { return s.write(core.Interrupt) }

func (s *State) write(d core.Delivery) []Effect {
	return s.open(Compose{Target: s.Tree.Selected, Delivery: d})
}

func (s *State) newLine() []Effect {
	s.Input.Compose.Insert("\n")
	return nil
}

func (s *State) putAside() []Effect {
	s.View.Mode = Normal
	return s.keepDraft()
}

func (s *State) external() []Effect {
	return []Effect{EditExternally{Draft: s.Input.Compose.String()}}
}

// how goes round the ways in which the text can be sent.
func (s *State) how() []Effect {
	if name, rest, ok := s.slash(); ok && s.Input.Compose.Pos <= 1+len([]rune(name)) {
		s.completeName(name, rest)
		return nil
	}
	if from, word, ok := s.mention(); ok {
		s.completeMention(from, word)
		return nil
	}
	c := &s.Input.Compose
	switch c.Kind {
	case ToMany:
		c.Delivery = nextDelivery(c.Delivery)
	case ToTask:
		n := s.Tree.nodes[c.Target]
		if n == nil || n.Task.Status != core.Running {
			s.say("it is not running: a message starts its next turn at once")
			return nil
		}
		c.Delivery = nextDelivery(c.Delivery)
	case ToNew:
		switch {
		case c.AllowAll:
			c.Autopilot, c.AllowAll = false, false
		case c.Autopilot:
			c.AllowAll = true
		default:
			c.Autopilot = true
		}
	}
	return nil
}

func nextDelivery(d core.Delivery) core.Delivery {
	return map[core.Delivery]core.Delivery{core.Queue: core.Steer, core.Steer: core.Interrupt, core.Interrupt: core.Queue}[d]
}

func (s *State) composeUp() []Effect {
	if !s.Input.Paper.move(&s.Input.Compose.Editor, -1) {
		return s.sentBefore()
	}
	return nil
}

func (s *State) composeDown() []Effect {
	if !s.Input.Paper.move(&s.Input.Compose.Editor, 1) {
		return s.sentAfter()
	}
	return nil
}

func (s *State) sentBefore() []Effect {
	s.older(&s.Input.Compose.Editor, s.Input.sent)
	return nil
}

func (s *State) sentAfter() []Effect {
	s.newer(&s.Input.Compose.Editor, s.Input.sent)
	return nil
}

func (s *State) whyNotSend() string {
	c := &s.Input.Compose
	switch {
	case c.Blank() && c.Kind == ToNew:
		return s.Keyed("say what the agent should do; {put-aside} goes back")
	case c.Blank():
		return s.Keyed("the message is empty; {put-aside} goes back")
	case c.Kind == ToMany && len(s.reachable(c.Targets)) == 0:
		return s.Keyed("all of them have ended meanwhile: the draft is kept; {put-aside} goes back")
	case c.Kind == ToTask:
		if n := s.Tree.nodes[c.Target]; n != nil && n.Task.Status.Terminal() {
			return s.name(c.Target) + " has ended meanwhile (" + n.Task.State() + "): the draft is kept" + s.Keyed("; {put-aside} goes back")
		}
	}
	return ""
}

func (s *State) send() []Effect {
	c := s.Input.Compose
	text := c.String()
	delete(s.Input.drafts, c.key())
	forget := s.noteDraft(&c, "")
	s.Input.sent = remember(s.Input.sent, text)
	s.View.Mode, s.Input.Compose = Normal, Compose{}
	switch c.Kind {
	case ToNew:
		s.say("starting a session …")
		if s.Listing() {
			s.closeLists()
		}
		return append([]Effect{NewSession{Prompt: text, Agent: c.Agent, Autopilot: c.Autopilot, AllowAll: c.AllowAll}}, forget...)
	case ToMany:
		return s.sendTo(s.reachable(c.Targets), text, c.Delivery)
	case ToEditable:
		return []Effect{EditRequest{Task: c.Target, Request: c.Request, Text: text}}
	}
	return append([]Effect{Send{Task: c.Target, Text: text, Delivery: c.Delivery}}, forget...)
}

func (s *State) lastQueued() *core.Request {
	l := s.Queued(s.Tree.Selected)
	if len(l) == 0 {
		return nil
	}
	return &l[len(l)-1]
}

func (s *State) withdraw() []Effect {
	r := s.lastQueued()
	return []Effect{Withdraw{Task: r.Task, Request: r.ID, Text: r.Text}}
}

func (s *State) rewrite() []Effect {
	r := s.lastQueued()
	c := Compose{Kind: ToEditable, Target: r.Task, Request: r.ID}
	if s.Input.drafts[c.key()] == "" {
		c.Set(r.Text)
	}
	return s.open(c)
}

// Arguments are those of a tool call, exactly, as lines.
func Arguments(a *core.Approval) []string {
	var fields map[string]json.RawMessage
	var buf bytes.Buffer
	if json.Unmarshal(a.Args, &fields) != nil || json.Indent(&buf, a.Args, "", "  ") != nil {
		return strings.Split(core.Clean(string(a.Args)), "\n")
	}
	if len(fields) == 1 { // one text: shown as it is, without JSON's escapes
		for k, v := range fields {
			var text string
			if json.Unmarshal(v, &text) == nil {
				return append([]string{core.CleanLine(k) + ":"}, indent(text)...)
			}
		}
	}
	return strings.Split(core.Clean(buf.String()), "\n")
}

func indent(text string) []string {
	lines := strings.Split(core.Clean(text), "\n")
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

func (s *State) whyNoTask() string {
	if s.Selected() == nil {
		return s.Keyed("no task is selected; {new-session} starts a session")
	}
	return ""
}

func (s *State) whyNothing() string {
	if s.Tree.Len() == 0 {
		return s.Keyed("there are no tasks yet; {new-session} starts a session")
	}
	return ""
}

func (s *State) whyNoInbox() string {
	if len(s.Wants.Inbox) == 0 {
		return "nothing needs you"
	}
	return ""
}

func (s *State) whyNotAnswer() string {
	if s.Question() == nil {
		return "nothing needs you"
	}
	if s.Now.Sub(s.View.shownAt) < settle {
		return "this question has only just come up: read it, then press again"
	}
	return ""
}

func (s *State) whyNotMessage() string {
	if why := s.whyNoTask(); why != "" {
		return why
	}
	if t := s.selected(); t.Status.Terminal() {
		return fmt.Sprintf("%s is %s: an ended task takes no message", s.name(t.ID), t.State()) + s.Keyed("; {new-session} starts a session")
	}
	return ""
}

func (s *State) whyNotSteer() string {
	if why := s.whyNotMessage(); why != "" {
		return why
	}
	switch t := s.selected(); {
	case t.Interrupted:
		return s.name(t.ID) + " is interrupted" + s.Keyed("; {resume} resumes it; {message} leaves it a message")
	case t.Status != core.Running:
		return s.name(t.ID) + " is idle: there is no turn to steer" + s.Keyed("; {message} starts the next")
	}
	return ""
}

func (s *State) whyNotCancel() string {
	if len(s.Marks.on) > 0 {
		return s.whyNone(nil, "cancelled", canCancel)
	}
	return s.whyEnded()
}

// whyEnded is the reason of what needs the selected task alive.
func (s *State) whyEnded() string {
	if why := s.whyNoTask(); why != "" {
		return why
	}
	if t := s.selected(); t.Status.Terminal() {
		return fmt.Sprintf("%s has already ended: %s", s.name(t.ID), t.State())
	}
	return ""
}

func (s *State) whyNotPromote() string {
	if why := s.whyEnded(); why != "" {
		return why
	}
	switch t := s.selected(); {
	case t.Mode != core.Sync:
		return s.name(t.ID) + " is in the background already: nobody waits for it"
	case t.Status != core.Running:
		return s.name(t.ID) + " is idle: nobody waits for it"
	}
	return ""
}

func (s *State) whyNotResume() string {
	if why := s.whyEnded(); why != "" {
		return why
	}
	if n := s.Selected(); !n.Task.Interrupted && n.Below().Interrupted == 0 {
		t := &n.Task
		return fmt.Sprintf("%s is %s, not interrupted: there is nothing to resume", s.name(t.ID), t.State())
	}
	return ""
}

func (s *State) whyNotEnd() string {
	if len(s.Marks.on) > 0 {
		return s.whyNone(nil, "closed", canEnd)
	}
	if why := s.whyEnded(); why != "" {
		return why
	}
	switch n := s.Selected(); {
	case n.Task.Status == core.Running:
		return s.name(n.Task.ID) + " is running: wait for it" + s.Keyed("; {cancel} cancels it")
	case n.Below().Running+n.Below().Needs+n.Below().Interrupted > 0:
		return "something under " + s.name(n.Task.ID) + " is still running: wait for it" + s.Keyed("; {cancel} cancels all of it")
	}
	return ""
}

func (s *State) whyNotWithdraw() string {
	if why := s.whyNoTask(); why != "" {
		return why
	}
	if s.lastQueued() == nil {
		return "no message to " + s.name(s.Tree.Selected) + " is waiting: all have arrived"
	}
	return ""
}

func (s *State) undoText() []Effect {
	s.Input.Compose.undo()
	return nil
}

func (s *State) whyNotUndo() string {
	if len(s.Input.Compose.was) == 0 {
		return "there is nothing to undo"
	}
	return ""
}
