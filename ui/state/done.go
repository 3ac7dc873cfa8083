package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"drover/core"
)

// Done takes over how an effect came out. It is called when the effect was
// accepted (r.State queued: it is a row now) or refused (err), and again when
// it is settled (r.State done, delivered, refused, withdrawn).
func (s *State) Done(e Effect, r core.Request, err error) {
	s.noted(e, err)
	if s.batched(e, r, err) {
		return
	}
	if err != nil {
		s.notRead(e)
		stale := decides(e) && core.CodeOf(err) == core.CodeWrongStatus
		if r.ID == 0 && !stale { // with an ID it is a row, and safe
			s.undo(e)
		}
		s.Fail(err)
		if n, ok := e.(NewSession); ok {
			s.Toast.Text += s.kept(n)
		}
		return
	}
	if r.State == core.ReqRefused {
		if !decides(e) {
			s.undo(e)
		}
		s.fail(fmt.Sprintf("%s: refused: %s", s.name(r.Task), r.Outcome))
		return
	}
	switch e := e.(type) {
	case Send:
		if r.State == core.ReqDelivered {
			s.delivered(r)
		}
	case Cancel:
		if r.State == core.ReqDone {
			s.receipt(r)
		}
	case Promote:
		s.settled(r, s.name(e.Task)+" goes on in the background")
	case Resume:
		s.settled(r, s.name(e.Task)+" is resumed")
	case End:
		s.settled(r, s.name(e.Task)+" is closed: completed")
	case Model:
		s.settled(r, core.CleanLine(r.Outcome))
	case Autopilot:
		s.settled(r, "autopilot is "+onOff(e.On))
	case Approve:
		s.settled(r, "allowed"+map[bool]string{true: ", and from now on in this session"}[e.Scope == core.ScopeAlways])
	case Deny:
		s.settled(r, "denied; "+s.name(e.Task)+" is told")
	case Withdraw:
		s.giveBack(Compose{Target: e.Task}, e.Text)
		s.say(core.RequestRef(e.Request) + " is withdrawn; its text is in the draft")
	case Swap:
		s.say("the messages have changed places")
	case EditRequest:
		s.say(core.RequestRef(e.Request) + " is changed")
	}
}

// decides reports whether the effect answers a tool call. One that somebody
// else has answered meanwhile (CodeWrongStatus) is not asked about again.
func decides(e Effect) bool {
	switch e.(type) {
	case Approve, Deny:
		return true
	}
	return false
}

func (s *State) settled(r core.Request, text string) {
	if r.State == core.ReqDone || r.State == core.ReqDelivered {
		s.say(text)
	}
}

// undo gives back what a person wrote for something that did not happen.
func (s *State) undo(e Effect) {
	switch e := e.(type) {
	case Send:
		s.giveBack(Compose{Target: e.Task}, e.Text)
	case NewSession:
		s.giveBack(Compose{Kind: ToNew, Agent: e.Agent}, e.Prompt)
	case EditRequest:
		s.giveBack(Compose{Target: e.Task}, e.Text)
	case Approve:
		s.unanswer(e.Approval)
	case Deny:
		s.unanswer(e.Approval)
	}
}

// kept says where the text of a session is that did not start.
func (s *State) kept(n NewSession) string {
	switch {
	case s.View.Mode == Composing:
		return ""
	case n.Agent == "":
		return " · your text is kept" + s.Keyed("; {new-session} has it")
	}
	return " · your text is kept for " + core.Short(line(n.Agent), 40) + s.Keyed("; {agents} has the agents")
}

// unanswer asks again about a call whose answer did not arrive.
func (s *State) unanswer(id int64) {
	a, ok := s.Wants.answered[id]
	if !ok {
		return
	}
	delete(s.Wants.answered, id)
	s.Wants.approvals[a.Task] = append([]core.Approval{a}, s.Wants.approvals[a.Task]...)
	s.inbox()
	s.after()
}

// Started selects the session that was asked for as soon as it is there.
func (s *State) Started(task string) {
	s.Tree.want = task
	s.Tree.rebuild()
	s.View.Show = ShowTranscript
	s.advance() // a tour begins here
}

func (s *State) receipt(r core.Request) {
	var rc core.Receipt
	if json.Unmarshal([]byte(r.Outcome), &rc) != nil {
		s.say(join("cancelled", ": ", r.Outcome))
		return
	}
	var stopped, not []string
	var slowest int64
	for _, x := range rc.Stopped {
		stopped = append(stopped, x.Name)
		slowest = max(slowest, x.MS)
	}
	for _, x := range rc.NotStopped {
		not = append(not, join(x.Name, " ", "("+x.Why+")"))
	}
	took := "at once"
	if slowest >= 10 {
		took = "in " + (time.Duration(slowest) * time.Millisecond).Round(10*time.Millisecond).String()
	}
	text := fmt.Sprintf("stopped %s %s", names(stopped, 4), took)
	if len(stopped) == 0 {
		text = "nothing was stopped"
	}
	if len(not) > 0 {
		s.fail(text + "; would not stop: " + strings.Join(not, ", "))
		return
	}
	s.say(text)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
