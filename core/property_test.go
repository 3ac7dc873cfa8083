package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"drover/core"
	"drover/store"
)

// machine drives a registry over a real store with random operations, and
// remembers what must stay true.
type machine struct {
	t     *rapid.T
	ctx   context.Context
	store core.Store
	reg   *core.Registry
	life  *mortal // of reg
	slots *core.Slots
	main  string
	work  map[string]working
	ended map[string]core.Status // terminal states seen: final
	sent  map[int64]bool         // acknowledged messages
	ids   int
}

// mortal is the store of a process: what that has begun writes nothing once it is dead.
type mortal struct {
	core.Store
	dead atomic.Bool
}

func (s *mortal) Update(ctx context.Context, d core.Durability, fn func(core.Tx) error) error {
	if s.dead.Load() {
		return errors.New("the process is dead")
	}
	return s.Store.Update(ctx, d, fn)
}

type working struct {
	ctx context.Context
	w   *core.Work
}

func newMachine(t *rapid.T, dir string) *machine {
	m := &machine{t: t, ctx: context.Background(), slots: core.NewSlots(3), work: map[string]working{}, ended: map[string]core.Status{}, sent: map[int64]bool{}}
	s, err := store.Open(m.ctx, dir, store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	m.store = s
	c := &core.Client{Store: s}
	root, err := c.Create(m.ctx, core.NewSession{Dir: dir, Prompt: "go", Agent: core.Agent{Name: "main"}, MaxContinues: 5})
	if err != nil {
		t.Fatal(err)
	}
	m.main = root.ID
	m.load()
	return m
}

func (m *machine) load() {
	m.slots = core.NewSlots(3)
	m.work = map[string]working{}
	if m.life != nil {
		m.life.dead.Store(true)
	}
	m.life = &mortal{Store: m.store}
	m.reg = core.NewRegistry(m.life, core.Options{Slots: m.slots, MaxDepth: 4, NewID: func() string { m.ids++; return fmt.Sprintf("t%04d", m.ids) }})
	if _, err := m.reg.Load(m.main); err != nil {
		m.t.Fatal(err)
	}
}

// pick draws a task that fits, or skips the action.
func (m *machine) pick(fits func(core.Task) bool) core.Task {
	var some []core.Task
	for _, t := range m.reg.Tasks() {
		if fits(t) {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		m.t.Skip("no such task")
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(m.t, "task")]
}

func (m *machine) any() core.Task { return m.pick(func(core.Task) bool { return true }) }

// allowed fails where the outcome of op differs from what Next says of the status before.
func (m *machine) allowed(t core.Task, op core.Op, err error, alsoRefused bool) {
	_, want := core.Next(t.Status, op)
	if (err == nil) == (want == nil) || alsoRefused && err != nil {
		return
	}
	m.t.Fatalf("%s on %s (%s): got %v, Next says %v", op, t.ID, t.Status, err, want)
}

func (m *machine) start(*rapid.T) {
	p := m.any()
	mode := rapid.SampledFrom([]core.Mode{core.Sync, core.Background}).Draw(m.t, "mode")
	_, err := m.reg.Start(core.NewTask{Parent: p.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", Mode: mode})
	switch {
	case p.Status.Terminal() && core.CodeOf(err) != core.CodeEnded, !p.Status.Terminal() && p.Depth >= 4 && core.CodeOf(err) != core.CodeDepthExceeded:
		m.t.Fatalf("start under %s at depth %d: %v", p.Status, p.Depth, err)
	case !p.Status.Terminal() && p.Depth < 4 && err != nil:
		m.t.Fatal(err)
	}
}

func (m *machine) begin(*rapid.T) {
	if used, size, _ := m.slots.Counts(); used == size {
		m.t.Skip("no slot")
	}
	t := m.pick(func(t core.Task) bool { _, at := m.work[t.ID]; return t.Status == core.Running && !at })
	ctx, w, err := m.reg.Begin(m.ctx, t.ID)
	if err != nil {
		m.t.Fatal(err)
	}
	m.work[t.ID] = working{ctx, w}
}

// rest lets time pass: whoever works for longer than a moment says so.
func (m *machine) rest(*rapid.T) {
	time.Sleep(time.Second)
	synctest.Wait()
	for id, w := range m.work {
		t, err := m.reg.Task(id)
		if err != nil || t.Status == core.Running && w.ctx.Err() == nil && (t.Activity == core.ActQueued || t.Started.IsZero()) {
			m.t.Fatalf("%s has been at work for a second: %+v, %v", id, t, err)
		}
	}
}

func (m *machine) finish(t *rapid.T) {
	if len(m.work) == 0 {
		t.Skip("nobody works")
	}
	var ids []string
	for id := range m.work {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(t, "worker")
	w := m.work[id]
	delete(m.work, id)
	var fault error
	if rapid.Bool().Draw(t, "fails") {
		fault = &core.Error{Code: core.CodeModel, Message: "fell over"}
	}
	if _, err := w.w.Finish(w.ctx, core.Answer{Text: "answer"}, fault); err != nil {
		t.Fatal(err)
	}
	if now, err := m.reg.Task(id); err != nil || w.ctx.Err() == nil && now.Started.IsZero() {
		t.Fatalf("%s has worked, and no row says since when: %+v, %v", id, now, err)
	}
}

func (m *machine) message(*rapid.T) {
	t := m.any()
	d := rapid.SampledFrom([]core.Delivery{core.Queue, core.Steer, core.Interrupt}).Draw(m.t, "delivery")
	q, err := m.reg.SendMessage(core.Request{Task: t.ID, Text: "hello", Delivery: d, Sender: rapid.SampledFrom([]string{core.SenderUser, m.main}).Draw(m.t, "sender")})
	m.allowed(t, core.OpMessage, err, false)
	if err == nil {
		m.sent[q.ID] = true
	}
}

func (m *machine) boundary(*rapid.T) {
	t := m.pick(func(t core.Task) bool { _, at := m.work[t.ID]; return at && t.Status == core.Running })
	if _, err := m.reg.Boundary(t.ID); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) cancel(*rapid.T) {
	t := m.any()
	tree := rapid.Bool().Draw(m.t, "tree")
	ctx, stop := context.WithCancel(m.ctx)
	stop() // do not wait for work: it is this goroutine's
	var err error
	if tree {
		_, err = m.reg.CancelRecursive(ctx, t.ID, core.SenderUser)
	} else {
		_, err = m.reg.Cancel(ctx, t.ID, core.SenderUser)
	}
	m.allowed(t, core.OpCancel, err, false)
	if err != nil || !tree {
		return
	}
	for _, d := range core.Descendants(m.reg.Tasks(), t.ID) {
		if !d.Status.Terminal() {
			m.t.Fatalf("%s outlives its cancelled ancestor %s", d.ID, t.ID)
		}
	}
}

func (m *machine) promote(*rapid.T) {
	t := m.any()
	err := m.reg.PromoteAgentToBackground(t.ID, core.SenderUser)
	m.allowed(t, core.OpPromote, err, t.Mode == core.Background)
}

func (m *machine) end(*rapid.T) {
	t := m.any()
	err := m.reg.EndTask(t.ID, core.SenderUser)
	m.allowed(t, core.OpComplete, err, true)
}

// crash forgets everything but the rows.
func (m *machine) crash(*rapid.T) { m.load() }

// look is what a host does with news that waited for more to come.
func (m *machine) look() {
	reqs, err := m.reg.Inbox()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, q := range reqs {
		if q.Kind == core.ReqNotice && q.Delivery != core.Quiet && !m.reg.Gathering(q.Task, []core.Request{q}) {
			if err := m.reg.Wake(q.Task); err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

func (m *machine) check(*rapid.T) {
	m.look()
	var rows []core.Task
	var reqs []core.Request
	err := m.store.View(m.ctx, func(r core.Reader) (err error) {
		if rows, err = r.Tasks(core.TaskFilter{Session: m.main}); err == nil {
			reqs, err = r.Requests(core.RequestFilter{Session: m.main})
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	byID := map[string]core.Task{}
	for i, t := range m.reg.Tasks() {
		row := rows[i]
		byID[t.ID] = t
		if row.ID != t.ID || row.Status != t.Status || row.Rev != t.Rev || row.Turn != t.Turn || row.Mode != t.Mode {
			m.t.Fatalf("memory and row differ: %+v %+v", t, row)
		}
		if was, ok := m.ended[t.ID]; ok && was != t.Status {
			m.t.Fatalf("%s came back from %s to %s", t.ID, was, t.Status)
		}
		if t.Status.Terminal() {
			m.ended[t.ID] = t.Status
			if t.Ended.IsZero() || t.Activity != core.ActNone {
				m.t.Fatalf("an ended task without an end: %+v", t)
			}
		}
	}
	if used, size, _ := m.slots.Counts(); used > size || used > len(m.work) {
		m.t.Fatalf("%d of %d slots used by %d workers", used, size, len(m.work))
	}
	m.messages(reqs, byID)
}

func hasRunning(tasks map[string]core.Task, parent string) bool {
	for _, t := range tasks {
		if t.Parent == parent && t.Status == core.Running {
			return true
		}
	}
	return false
}

// messages holds: nothing acknowledged is lost, and nothing waits where nobody will come for it.
func (m *machine) messages(reqs []core.Request, tasks map[string]core.Task) {
	found := 0
	for _, q := range reqs {
		t := tasks[q.Task]
		if m.sent[q.ID] {
			found++
		}
		switch {
		case q.State == core.ReqQueued && q.Kind == core.ReqNotice && t.Status == core.Idle && hasRunning(tasks, t.ID):
			// the host looks again when no more news has come for a while
		case q.State == core.ReqQueued && q.Delivery != core.Quiet && t.Status != core.Running:
			m.t.Fatalf("r%d (%s) waits for %s, which is %s", q.ID, q.Kind, t.ID, t.Status)
		case q.State == core.ReqDelivered && t.Status != core.Running:
			m.t.Fatalf("r%d is delivered to %s, which is %s: it must be done", q.ID, t.ID, t.Status)
		case q.State == core.ReqRefused && !t.Status.Terminal():
			m.t.Fatalf("r%d was refused though %s is %s", q.ID, t.ID, t.Status)
		}
	}
	if found != len(m.sent) {
		m.t.Fatalf("%d messages were acknowledged, %d are there", len(m.sent), found)
	}
}

func TestRegistryHoldsItsInvariants(t *testing.T) {
	dir := t.TempDir()
	n := 0
	synctest.Test(t, func(t *testing.T) { // time passes in rest alone; a test in a bubble has no deadline
		rapid.Check(struct{ rapid.TB }{t}, func(rt *rapid.T) {
			n++
			m := newMachine(rt, fmt.Sprintf("%s/%d", dir, n))
			defer m.store.Close()
			rt.Repeat(map[string]func(*rapid.T){
				"start": m.start, "begin": m.begin, "finish": m.finish, "message": m.message, "boundary": m.boundary,
				"cancel": m.cancel, "promote": m.promote, "end": m.end, "crash": m.crash, "rest": m.rest, "": m.check,
			})
		})
	})
}
