package run

import (
	"errors"
	"slices"
	"sync"
	"time"

	"drover/core"
)

// readWait is how long a step that only reads may wait for its results before
// its answer is committed without them.
const readWait = 2 * time.Millisecond

// held is a step whose calls only read, and most of which are done at once: its
// answer, the beginnings of its calls and their results become one commit.
// Where a call takes longer than readWait, what there is by then is committed,
// and each further result by itself. A crash before that takes nothing away but
// the answer: the calls have changed nothing, and the model is asked again.
type held struct {
	append func(core.Step) error
	late   *time.Timer

	mu   sync.Mutex
	open bool // nothing of it is committed yet
	step core.Step
	err  error // of the commit
}

// onlyRead reports whether a step of these calls may be held. Where budgets
// count, its tokens are counted before anything else happens.
func (u *turn) onlyRead(calls []core.ToolCall) bool {
	return len(u.limits.budgets) == 0 && !slices.ContainsFunc(calls, func(c core.ToolCall) bool {
		t, ok := u.tool(c.Name)
		return !ok || isResult(c.Name) || t.Spec().Effect != core.Reads || !t.Spec().Again
	})
}

func (u *turn) hold(s core.Step) {
	h := &held{append: func(s core.Step) error { return u.o.Registry.Append(u.t.ID, s) }, open: true, step: s}
	h.late = time.AfterFunc(readWait, func() { _ = h.now() }) // who joins or settles hears of a fault
	u.held = h
}

// now commits what there is.
func (h *held) now() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.commit()
	return h.err
}

// commit needs mu.
func (h *held) commit() {
	if h.open {
		h.open, h.err = false, h.append(h.step)
	}
}

// join adds a result to the commit, the last one of the step with what follows
// it, unless it is too late for that.
func (h *held) join(s core.Step, last bool) (joined bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open {
		return false, nil
	}
	h.step.Entries = append(h.step.Entries, s.Entries...)
	if last {
		h.step.Activity, h.step.Detail, h.step.Boundary = s.Activity, s.Detail, s.Boundary
		h.late.Stop()
		h.commit()
	}
	return true, h.err
}

// settle commits what is left of a held step, and reads its rows.
func (u *turn) settle() error {
	h := u.held
	if h == nil {
		return nil
	}
	u.held = nil
	h.late.Stop()
	return errors.Join(h.now(), u.load())
}
