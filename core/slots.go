package core

import (
	"context"
	"slices"
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

// Acquire waits for a slot, or for the end of ctx.
func (s *Slots) Acquire(ctx context.Context) error {
	s.mu.Lock()
	if s.used < s.size && len(s.waiting) == 0 {
		s.used++
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	s.waiting = append(s.waiting, mine)
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, mine); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return context.Cause(ctx)
	}
	s.used-- // it was given to us at the same moment: pass it on
	s.grant()
	return context.Cause(ctx)
}

// TryAcquire takes a slot if one is free and nobody waits.
func (s *Slots) TryAcquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.size || len(s.waiting) > 0 {
		return false
	}
	s.used++
	return true
}

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
