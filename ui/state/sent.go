package state

import (
	"fmt"
	"time"

	"drover/core"
)

// readFor is how long a message that was read stays listed.
const readFor = 8 * time.Second

// Sent is a message of this screen that has arrived: the last of its ways, after queued.
type Sent struct {
	Request int64
	Text    string
	Turn    int       // that took it
	Read    time.Time // its agent has gone on with it; zero: not yet
	steps   int       // of the task when it arrived
}

// delivered takes note of a message that has arrived.
func (s *State) delivered(r core.Request) {
	n := s.Tree.nodes[r.Task]
	if n == nil {
		return
	}
	s.Wants.sent[r.Task] = append(s.Wants.sent[r.Task], Sent{Request: r.ID, Text: r.Text, Turn: r.Turn, steps: n.Task.Steps})
	s.reread()
}

// reread finds out which messages have been read: a model call of the task has
// ended since, or its turn. What was read long enough ago is not listed any more.
func (s *State) reread() {
	for task, l := range s.Wants.sent {
		n := s.Tree.nodes[task]
		var keep []Sent
		for _, m := range l {
			if m.Read.IsZero() && (n == nil || n.Task.Steps > m.steps || n.Task.Turn > m.Turn || n.Task.Status.Terminal()) {
				m.Read = s.Now
			}
			if m.Read.IsZero() || s.Now.Sub(m.Read) < readFor {
				keep = append(keep, m)
			}
		}
		if s.Wants.sent[task] = keep; len(keep) == 0 {
			delete(s.Wants.sent, task)
		}
	}
}

// Sent are the task's messages of this screen that have arrived lately, in order.
func (s *State) Sent(task string) []Sent { return s.Wants.sent[task] }

// Standing says where the message is.
func (m *Sent) Standing() string {
	where := core.RequestRef(m.Request) + " "
	if !m.Read.IsZero() {
		return where + "read"
	}
	return where + fmt.Sprintf("delivered in turn %d, not read yet", m.Turn)
}
