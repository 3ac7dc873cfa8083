package core

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// NewTask describes a task to be started by another.
type NewTask struct {
	Parent      string
	Kind        Kind
	Agent       Agent
	Name        string
	Description string
	Prompt      string
	Mode        Mode
	Model       string
	CallID      string
	Output      json.RawMessage
	Note        string // why it runs on another model than was asked for: told in the timeline
}

func (c *change) create(parent *Task, n NewTask) (Task, error) {
	t := Task{
		Session: c.session.ID, Parent: parent.ID, Kind: n.Kind, Agent: n.Agent.Name,
		Name: c.freshName(n.Name, n.Agent.Name), Description: n.Description, Depth: parent.Depth + 1,
		Mode: n.Mode, Model: n.Model, CallID: n.CallID, Created: c.now,
		State: State{Status: Running, Activity: ActQueued, Turn: 1, Opener: parent.ID},
		Times: Times{ActiveSince: c.now, LastEvent: c.now},
		Usage: Usage{CostKnown: true},
	}
	system, err := c.system(parent, n.Agent)
	if err != nil {
		return t, err
	}
	sp := Spec{Prompt: n.Prompt, System: system, Tools: n.Agent.Tools, Output: n.Output, Agent: jsonOf(n.Agent)}
	first, err := c.insertNew(&t, sp)
	if err != nil {
		return t, err
	}
	id := t.ID
	c.wrote = append(c.wrote, first...)
	how := "in the background"
	if t.Mode == Sync {
		how = "and waits for it"
	}
	c.staged[id] = &t // inserted, not updated: not in order
	c.added = append(c.added, id)
	c.runnable = append(c.runnable, id)
	n.Agent.Prompt = "" // it is the spec's
	c.origins[id] = Origin{sp, n.Agent}
	text := fmt.Sprintf("%s started %s (%s) %s: %s", parent.Label(), t.Label(), t.Agent, how, Short(CleanLine(n.Description), 100))
	if err := c.event(id, EvStart, true, text, ""); err != nil || n.Note == "" {
		return t, err
	}
	return t, c.event(id, EvModel, true, t.Label()+": "+Short(CleanLine(n.Note), 200), "")
}

// system is the prompt that a child has.
func (c *change) system(parent *Task, a Agent) (string, error) {
	if !a.Append {
		return a.Prompt, nil
	}
	above, err := c.tx.Spec(parent.ID)
	return a.After(above.System), err
}

// insertNew gives the task an ID that is free.
func (c *change) insertNew(t *Task, sp Spec) (first []Entry, err error) {
	for range idRetries {
		t.ID = c.r.o.NewID()
		if first, err = insertTask(c.tx, t, sp); CodeOf(err) != CodeConflict {
			return first, err
		}
	}
	return nil, Errorf(CodeInternal, "no free task ID after %d tries: %w", idRetries, err)
}

// freshName makes a name that is unique in the session: names address tasks.
func (c *change) freshName(name, agent string) string {
	if name = CleanLine(name); name == "" {
		name = agent
	}
	name = Short(name, 40)
	base := name
	i := max(2, c.g.numbers[base])
	for ; c.r.names[name] || c.g.names[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	c.g.names[name], c.g.numbers[base] = true, i
	return name
}

// Register puts a task into the tree that something else performs (a shell, an
// MCP task). It is running until Complete, Fail or Cancel.
func (r *Registry) Register(n NewTask) (Task, error) {
	var id string
	err := r.change(Progress, func(c *change) error {
		parent := c.peek(n.Parent)
		if parent == nil {
			return noTask(n.Parent)
		}
		t, err := c.create(parent, n)
		id = t.ID
		c.runnable = nil // nobody here runs it
		return err
	})
	if err != nil {
		return Task{}, err
	}
	return r.Task(id)
}

// Boundary delivers, at a step boundary of the running turn, every notice and
// every steering message that waits (DESIGN rules 5 and 6), and says whether there was one.
func (r *Registry) Boundary(id string) (bool, error) {
	waiting, err := r.waiting(id)
	if err != nil || !waiting {
		return false, err
	}
	got := false
	err = r.change(Progress, func(c *change) (err error) {
		if got, err = c.boundary(id); err != nil || !got {
			return err
		}
		return c.event(id, EvStep, false, "", "")
	})
	return got, err
}

// boundary delivers what waits for a step boundary of the running turn.
func (c *change) boundary(id string) (got bool, err error) {
	reqs, err := c.pending(id)
	if err != nil || len(reqs) == 0 {
		return false, err
	}
	if err := c.do(id, OpMessage, nil); err != nil {
		return false, err
	}
	t := c.staged[id]
	var notices []Request
	for _, q := range reqs {
		switch {
		case q.Kind == ReqNotice:
			notices = append(notices, q)
		case q.Delivery != Queue:
			got = true
			if err := c.deliver(t, q); err != nil {
				return false, err
			}
		}
	}
	return got || len(notices) > 0, c.deliverNotices(t, notices)
}

// waiting asks the rows whether anything for a step boundary is there, without a write.
func (r *Registry) waiting(id string) (bool, error) {
	found, session := false, r.Session().ID
	err := r.View(func(rd Reader) error {
		reqs, err := pending(rd, session, id)
		for _, q := range reqs {
			found = found || q.Kind == ReqNotice || q.Delivery != Queue
		}
		return err
	})
	return found, err
}

// Step is what one commit of a running turn adds.
type Step struct {
	Entries  []Entry // their Turn and Step are filled in
	Activity Activity
	Detail   string
	Tokens   Tokens // of a model call
	NewStep  bool   // the entries begin a new step
	Calls    int    // tool calls that were begun
	Boundary bool   // what waits for a step boundary is delivered as well (DESIGN rules 5 and 6)
}

// Append commits a piece of a turn: entries, counters and the activity that follows.
func (r *Registry) Append(id string, s Step) error {
	return r.change(Progress, func(c *change) error {
		err := c.do(id, OpProgress, func(t *Task) {
			if s.NewStep {
				t.Steps++
			}
			if s.Activity != ActNone {
				t.Activity, t.Detail = s.Activity, s.Detail
			}
			t.ToolCalls += s.Calls
			t.TokensIn += s.Tokens.In
			t.TokensOut += s.Tokens.Out
			t.TokensCached += s.Tokens.Cached
			if s.Tokens != (Tokens{}) {
				t.Cost += s.Tokens.Cost
				t.CostKnown = t.CostKnown && s.Tokens.CostKnown
			}
		})
		if err != nil {
			return err
		}
		t := c.staged[id]
		if s.Tokens != (Tokens{}) {
			if err := c.tx.AddUsage(id, t.Model, c.now, s.Tokens); err != nil {
				return err
			}
		}
		for _, e := range s.Entries {
			e.Task, e.Turn, e.Step = id, t.Turn, t.Steps
			if err := c.entry(e); err != nil {
				return err
			}
			if e.Kind == EntryAnswer || e.Kind == EntryResult {
				if err := c.dropLive(id); err != nil {
					return err
				}
			}
		}
		if s.Boundary {
			if _, err := c.boundary(id); err != nil {
				return err
			}
		}
		return c.event(id, EvStep, false, doing(s.Activity, s.Detail), "")
	})
}

// SetActivity says what the task does now.
func (r *Registry) SetActivity(id string, a Activity, detail string) error {
	return r.change(Progress, func(c *change) error {
		if err := c.do(id, OpProgress, func(t *Task) { t.Activity, t.Detail = a, detail }); err != nil {
			return err
		}
		return c.event(id, EvActivity, false, doing(a, detail), "")
	})
}

// doing is the text of a progress event: the activity, and after a blank what
// of; "" where it did not change. A waterfall is drawn from it.
func doing(a Activity, detail string) string {
	if a == ActNone {
		return ""
	}
	return strings.TrimSpace(string(a) + " " + Short(CleanLine(detail), 80))
}

// SetIntent says, in the agent's words, what it is about.
func (r *Registry) SetIntent(id, intent string) error {
	return r.change(Progress, func(c *change) error {
		if err := c.do(id, OpProgress, func(t *Task) { t.Intent = Short(CleanLine(intent), 80) }); err != nil {
			return err
		}
		return c.event(id, EvIntent, false, intent, "")
	})
}

// SetLatestResponse ends the running turn with its answer: the turn's history
// is written, waiters wake, the parent is told, and the next turn begins at
// once where a message or news waits (more). Otherwise the task is idle.
func (r *Registry) SetLatestResponse(id, response string) (more bool, err error) {
	return r.endTurn(id, Answer{Text: response}, nil)
}

// endTurn ends a turn in an answer, or (fault) in one that failed but leaves the task usable.
func (r *Registry) endTurn(id string, a Answer, fault *Error) (more bool, err error) {
	// A person waits for main's answer; a subagent's, and one that is followed by
	// the end of its session, survive the process, which is what a turn needs.
	d := Progress
	if id == r.Session().ID && !r.o.OneShot {
		d = Acknowledged
	}
	err = r.change(d, func(c *change) error {
		more = false
		if err := c.do(id, OpAnswer, nil); err != nil {
			return err
		}
		t := c.staged[id]
		if err := c.closeTurn(t, a); err != nil {
			return err
		}
		text, kind := t.Label()+" answered turn "+fmt.Sprint(t.Turn), EvIdle
		if fault != nil {
			t.ErrorCode, t.Error = fault.Code, fault.Message
			text, kind = t.Label()+"'s turn failed: "+Short(CleanLine(fault.Message), 160), EvFailed
		}
		if err := c.event(id, kind, true, text, ""); err != nil {
			return err
		}
		if err := c.tellParent(t, fmt.Sprintf("[notice] %s (%s) answered turn %d:\n%s", t.Label(), t.ID, t.Turn, handedText(a))); err != nil {
			return err
		}
		more, err = c.open(id)
		if err != nil || more {
			return err
		}
		return c.sessionIdle()
	})
	return more, err
}

// noticeRunes of a child's answer are told in a notice; read_agent gives the rest.
const noticeRunes = 16000

// handedText is an answer as a parent reads it in a notice.
func handedText(a Answer) string {
	text := Short(a.Text, noticeRunes)
	if a.Partial {
		text = fmt.Sprintf("(stopped at a limit, %s: this is what there was)\n%s", a.Code, text)
	}
	if a.Full != "" {
		text += "\n(cut; all of it is in " + a.Full + ")"
	}
	return text
}

// closeTurn completes the turn's row and the requests it answered.
func (c *change) closeTurn(t *Task, a Answer) error {
	if err := c.tx.EndTurn(Turn{Task: t.ID, N: t.Turn, Response: a.Text, Handed: a.Handed, Ended: c.now, ToolCalls: t.ToolCalls}); err != nil {
		return err
	}
	reqs, err := c.tx.Requests(RequestFilter{Task: t.ID, States: []RequestState{ReqDelivered}})
	if err != nil {
		return err
	}
	for _, q := range reqs {
		if err := c.settle(q, ReqDone, 0, ""); err != nil {
			return err
		}
	}
	return c.dropLive(t.ID)
}

// tellParent leaves news for the nearest living ancestor, which hears it at its
// next step boundary, or is woken. News of a turn that a person opened wakes
// nobody; a parent that is reading the result gets none (DESIGN rule 6).
func (c *change) tellParent(t *Task, text string) error {
	if t.Kind == KindMain || t.Parent == "" {
		return nil
	}
	if e := c.r.tasks[t.ID]; e != nil && e.readers[t.Parent] > 0 {
		return nil
	}
	p := c.peek(t.Parent)
	for p != nil && p.Status.Terminal() && p.Parent != "" {
		p = c.peek(p.Parent)
	}
	if p == nil || p.Status.Terminal() {
		return nil
	}
	q := Request{
		Session: c.session.ID, Task: p.ID, Kind: ReqNotice, Text: text, Delivery: Steer, Ref: t.ID, Sender: t.ID,
		State: ReqQueued, Created: c.now,
	}
	if t.Opener == SenderUser {
		q.Delivery = Quiet
	}
	if err := insertRequest(c.tx, &q); err != nil {
		return err
	}
	// While others may have news as well the host wakes it, when it is time.
	if p.Status == Idle && q.Delivery != Quiet && !gathering(c.each, p.ID, []Request{q}, c.now) {
		_, err := c.open(p.ID)
		return err
	}
	return nil
}

// Took is a helper for entries: how long since start.
func (r *Registry) Took(start time.Time) time.Duration { return r.o.Now().Sub(start) }
