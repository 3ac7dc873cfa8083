package core

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// Slots bounds how many tasks work at once. First come, first served; nobody
// is refused; the size can change while it is used (DESIGN rule 2).
type Slots struct {
	mu      sync.Mutex
	size    int
	used    int
	waiting []chan struct{} // closed when the slot is theirs
}

// NewSlots makes n slots, at least one.
func NewSlots(n int) *Slots { return &Slots{size: max(n, 1)} }

// Place is somebody's place in the queue for a slot, or the slot itself.
type Place struct {
	mine chan struct{} // closed when the slot is theirs
}

// Enter takes the next place: who enters first is served first, whoever waits first.
func (s *Slots) Enter() *Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &Place{make(chan struct{})}
	if s.used < s.size && len(s.waiting) == 0 {
		s.used++
		close(p.mine)
		return p
	}
	s.waiting = append(s.waiting, p.mine)
	return p
}

// Ready reports whether the slot is theirs.
func (p *Place) Ready() bool { return closed(p.mine) }

// Wait waits until the slot is theirs. At the end of ctx the place is given up.
func (s *Slots) Wait(ctx context.Context, p *Place) error {
	select {
	case <-p.mine:
		return nil
	case <-ctx.Done():
	}
	s.Leave(p)
	return context.Cause(ctx)
}

// Leave gives up a place, or the slot that came of it.
func (s *Slots) Leave(p *Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, p.mine); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return
	}
	s.used--
	s.grant()
}

// Acquire waits for a slot, or for the end of ctx.
func (s *Slots) Acquire(ctx context.Context) error { return s.Wait(ctx, s.Enter()) }

// Release gives a slot back.
func (s *Slots) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	s.grant()
}

// Resize changes the number of slots; nobody who holds one loses it.
func (s *Slots) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = max(n, 1)
	s.grant()
}

// Counts says how many slots are used, how many there are, and how many wait.
func (s *Slots) Counts() (used, size, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.size, len(s.waiting)
}

func (s *Slots) grant() {
	for s.used < s.size && len(s.waiting) > 0 {
		close(s.waiting[0])
		s.waiting = s.waiting[1:]
		s.used++
	}
}

// mostSlots is as many as make sense in one process.
const mostSlots = 10_000

func slotsOf(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostSlots {
		return 0, &Error{Code: CodeInvalidInput, Message: fmt.Sprintf("slots are 1 to %d, not %s", mostSlots, quote(Short(CleanLine(text), 40)))}
	}
	return n, nil
}

// SetSlots changes how many tasks of the session work at once, now and when
// another host takes it up. Nobody who works is stopped.
func (r *Registry) SetSlots(text, by string) error {
	n, err := slotsOf(text)
	if err != nil {
		return err
	}
	err = r.change(Acknowledged, func(c *change) error {
		if err := c.setSession(func(s *Session) { s.Limits.Slots = n }); err != nil {
			return err
		}
		return c.event(c.session.ID, EvSlots, true, fmt.Sprintf("%s set the session to %d tasks at once", whoText(by), n), "")
	})
	if err == nil {
		r.o.Slots.Resize(n)
	}
	return err
}
