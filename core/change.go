package core

import (
	"context"
	"slices"
	"strings"
	"time"
)

// change is what one call of Registry.change does: tasks are changed in copies,
// written at its end, and become memory after the commit.
type change struct {
	r        *Registry
	g        *group
	tx       Tx
	now      time.Time
	staged   map[string]*Task
	order    []string // staged, in order of first touch
	added    []string
	session  Session
	runnable []string
	removed  []string
	quiet    []string          // their live text is gone
	origins  map[string]Origin // of those added
	notable  []Event
	wrote    []Entry
}

// change runs f in a transaction and applies what it staged. It is the only
// writer of tasks, and the only place where memory changes. Changes that come
// together share a transaction, so f may be run again, as if it never had been.
func (r *Registry) change(d Durability, f func(*change) error) error {
	return r.changeAt(context.Background(), nil, d, f)
}

// changeAt is change that comes after those with an earlier rank, see submitAt.
func (r *Registry) changeAt(ctx context.Context, k *Rank, d Durability, f func(*change) error) error {
	o := &order{d: d, f: f, turn: make(chan bool, 1)}
	if err := r.commits.submitAt(ctx, k, o, r.commit); err != nil {
		return err
	}
	if o.err != nil {
		return o.err
	}
	for _, id := range o.c.runnable {
		r.o.OnRunnable(id)
	}
	for _, e := range o.c.notable {
		r.o.OnEvent(e)
	}
	return nil
}

// task returns the staged copy, staging it if need be.
func (c *change) task(id string) (*Task, error) {
	if t := c.staged[id]; t != nil {
		return t, nil
	}
	now := c.peek(id)
	if now == nil {
		return nil, noTask(id)
	}
	t := *now
	c.staged[id] = &t
	c.order = append(c.order, id)
	return &t, nil
}

// peek reads a task without staging it; nil where there is none.
func (c *change) peek(id string) *Task {
	if t := c.staged[id]; t != nil {
		return t
	}
	if t, ok := c.g.tasks[id]; ok {
		return t
	}
	if e := c.r.tasks[id]; e != nil {
		return &e.task
	}
	return nil
}

// each goes over the tasks of the session in order of creation, until f says no.
func (c *change) each(f func(*Task) bool) {
	for _, ids := range [][]string{c.r.order, c.g.added} {
		for _, id := range ids {
			if t := c.peek(id); t != nil && !f(t) {
				return
			}
		}
	}
}

// do applies one operation: Next decides, the times follow, f fills in the rest.
func (c *change) do(id string, op Op, f func(*Task)) error {
	t, err := c.task(id)
	if err != nil {
		return err
	}
	next, err := Next(t.Status, op)
	if err != nil {
		return named(err, t)
	}
	was := t.Status
	if err := c.begun(t); err != nil {
		return err
	}
	t.Status, t.LastEvent = next, c.now
	switch {
	case was == Running && next != Running:
		t.Active += c.now.Sub(t.ActiveSince)
		t.ActiveSince, t.Activity, t.Detail = time.Time{}, ActNone, ""
	case was != Running && next == Running:
		t.ActiveSince, t.Activity, t.Detail = c.now, ActQueued, ""
		t.ErrorCode, t.Error = "", ""
	}
	if next.Terminal() && !was.Terminal() {
		t.Ended = c.now
	}
	if f != nil {
		f(t)
	}
	return nil
}

func (c *change) event(task string, k EventKind, notable bool, text, ref string) error {
	return c.eventAt(c.now, task, k, notable, text, ref)
}

func (c *change) eventAt(at time.Time, task string, k EventKind, notable bool, text, ref string) error {
	if k == EvStep && text == "" { // it only says that the task has changed: once a transaction is enough
		if c.g.ticked[task] {
			return nil
		}
		c.g.ticked[task] = true
	}
	e := Event{Session: c.session.ID, Task: task, At: at, Kind: k, Notable: notable, Text: text, Ref: ref}
	seq, err := c.tx.AppendEvent(e)
	if e.Seq = seq; notable && err == nil {
		c.notable = append(c.notable, e)
	}
	return err
}

func (c *change) entry(e Entry) error {
	e.At, e.Text, e.Reasoning = c.now, storable(e.Text), storable(e.Reasoning)
	e.Seq = c.nextSeq(e.Task)
	seq, err := c.tx.AppendEntry(e)
	e.Seq = seq
	c.wrote = append(c.wrote, e)
	return err
}

// nextSeq is the number of the task's next entry; 0 where the rows must be asked.
func (c *change) nextSeq(task string) int64 {
	for _, wrote := range [][]Entry{c.wrote, c.g.wrote} {
		for i := len(wrote) - 1; i >= 0; i-- {
			if wrote[i].Task == task {
				return wrote[i].Seq + 1
			}
		}
	}
	if last := c.r.tails.newest(task); last > 0 {
		return last + 1
	}
	return 0
}

func (c *change) setSession(f func(*Session)) error {
	f(&c.session)
	c.session.Updated = c.now
	return c.tx.UpdateSession(c.session)
}

// pending are the messages and notices that wait for the task, oldest first.
func (c *change) pending(id string) ([]Request, error) {
	return pending(c.tx, c.session.ID, id)
}

func pending(rd Reader, session, task string) ([]Request, error) {
	reqs, err := rd.Requests(RequestFilter{Session: session, Task: task, States: []RequestState{ReqQueued}}) // as the index has it
	return slices.DeleteFunc(reqs, func(q Request) bool { return q.Kind != ReqMessage && q.Kind != ReqNotice }), err
}

func (c *change) settle(q Request, s RequestState, turn int, outcome string) error {
	from := q.State
	q.State, q.Outcome = s, outcome
	if turn > 0 {
		q.Turn = turn
	}
	if s == ReqDelivered {
		q.Delivered = c.now
	} else {
		q.Done = c.now
	}
	if err := c.tx.UpdateRequest(q, from); err != nil {
		return err
	}
	return requestEvent(c.tx, q, c.now)
}

// open begins the task's next turn with what is pending for it: every notice,
// and one message (an interrupting one first, then a steering one, then the
// oldest). Quiet notices alone open nothing.
func (c *change) open(id string) (bool, error) {
	reqs, err := c.pending(id)
	if err != nil {
		return false, err
	}
	var notices []Request
	var message *Request
	wakes := false
	for i, q := range reqs {
		if q.Kind == ReqNotice {
			notices = append(notices, q)
			wakes = wakes || q.Delivery != Quiet
			continue
		}
		if message == nil || urgency(q.Delivery) > urgency(message.Delivery) {
			message = &reqs[i]
		}
	}
	if message == nil && (!wakes || gathering(c.each, id, notices, c.now)) {
		return false, nil
	}
	opener, prompt := SenderSystem, ""
	if message != nil {
		opener, prompt = message.Sender, message.Text
	} else {
		prompt = noticeText(notices)
	}
	err = c.do(id, OpMessage, func(t *Task) {
		t.Turn++
		t.Opener = opener
		t.Intent = ""
		if t.Kind == KindMain {
			t.Model = c.session.Model
		}
		if opener != SenderSystem && opener != SenderAutopilot { // a new job: what was declared of the last one stays in the timeline
			t.Outcome, t.Summary, t.NotDone = "", "", nil
		}
	})
	if err != nil {
		return false, err
	}
	t := c.staged[id]
	if t.Kind == KindMain {
		if err := c.setSession(func(*Session) {}); err != nil { // it was used just now
			return false, err
		}
	}
	if err := c.tx.PutTurn(Turn{Task: id, N: t.Turn, Prompt: prompt, Sender: opener, Started: c.now, ToolCalls: t.ToolCalls}); err != nil {
		return false, err
	}
	if err := c.deliverNotices(t, notices); err != nil {
		return false, err
	}
	if message != nil {
		if err := c.deliver(t, *message); err != nil {
			return false, err
		}
		if err := c.event(id, EvTurn, true, turnText(t, opener, prompt), RequestRef(message.ID)); err != nil {
			return false, err
		}
	} else if err := c.event(id, EvTurn, false, turnText(t, opener, "news of its children"), ""); err != nil {
		return false, err
	}
	c.runnable = append(c.runnable, id)
	return true, nil
}

// News wakes an idle task when no other comes for NoticeRest, at the latest
// NoticeWait after the first: children that end together are told of together,
// in one turn instead of several.
const (
	NoticeRest = 15 * time.Millisecond
	NoticeWait = 100 * time.Millisecond
)

// Gathering reports whether more news for the idle task may be about to come:
// children still run, and the last of the notices, oldest first, is from just now.
func (r *Registry) Gathering(id string, notices []Request) bool {
	r.memory.RLock()
	defer r.memory.RUnlock()
	e := r.tasks[id]
	return e != nil && e.task.Status == Idle && gathering(r.each, id, notices, r.o.Now())
}

func gathering(each func(func(*Task) bool), id string, notices []Request, now time.Time) bool {
	if len(notices) == 0 || now.Sub(notices[len(notices)-1].Created) >= NoticeRest || now.Sub(notices[0].Created) >= NoticeWait {
		return false
	}
	running := false
	each(func(t *Task) bool {
		running = t.Parent == id && t.Status == Running
		return !running
	})
	return running
}

func turnText(t *Task, opener, prompt string) string {
	who := map[string]string{SenderUser: "you", SenderSystem: "drover", SenderAutopilot: "autopilot"}[opener]
	if who == "" {
		who = opener
	}
	line, _, _ := strings.Cut(prompt, "\n")
	return who + " to " + t.Label() + ": " + Short(CleanLine(line), 120)
}

func urgency(d Delivery) int {
	return map[Delivery]int{Interrupt: 2, Steer: 1}[d]
}

// deliver puts a message into the transcript of the turn that runs.
func (c *change) deliver(t *Task, q Request) error {
	if err := c.entry(Entry{Task: t.ID, Turn: t.Turn, Step: t.Steps, Kind: EntryMessage, Sender: q.Sender, Delivery: q.Delivery, Text: q.Text}); err != nil {
		return err
	}
	return c.settle(q, ReqDelivered, t.Turn, "")
}

// deliverNotices puts several notices into the transcript as one message.
func (c *change) deliverNotices(t *Task, ns []Request) error {
	if len(ns) == 0 {
		return nil
	}
	if err := c.entry(Entry{Task: t.ID, Turn: t.Turn, Step: t.Steps, Kind: EntryNotice, Sender: SenderSystem, Text: noticeText(ns)}); err != nil {
		return err
	}
	ids := make([]int64, len(ns))
	for i, n := range ns {
		ids[i] = n.ID
	}
	return c.tx.FinishRequests(ids, t.Turn, c.now)
}

func noticeText(ns []Request) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = n.Text
	}
	return strings.Join(texts, "\n\n")
}
