package core

import (
	"context"
	"sync"
)

// Sequence orders what the calls of one step start: they prepare it at the same
// time, and it is there in the order of the calls. Nobody is woken for another's
// sake: who is ready first enters for all after it that are.
type Sequence struct {
	mu    sync.Mutex
	ranks []*Rank
	at    int // the first that is not ready
}

// Rank is the place of one call in its Sequence. A nil Rank is that of the only call.
type Rank struct {
	in    *Sequence
	ready bool
	enter func() // nil: nothing comes from it, or it has entered
}

// Next makes the place after the last one.
func (s *Sequence) Next() *Rank {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &Rank{in: s}
	s.ranks = append(s.ranks, k)
	return k
}

// Leave says that nothing more comes from the call: those after it need not
// wait. What it has made ready before still enters.
func (k *Rank) Leave() {
	if k != nil {
		k.take(nil)
	}
}

// take makes the place ready; enter is called once all before it are, and must be quick.
func (k *Rank) take(enter func()) {
	s := k.in
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.ready {
		if enter != nil { // it has left before, and still comes
			enter()
		}
		return
	}
	k.ready, k.enter = true, enter
	for ; s.at < len(s.ranks) && s.ranks[s.at].ready; s.at++ {
		if now := s.ranks[s.at]; now.enter != nil {
			now.enter()
			now.enter = nil
		}
	}
}

// withdraw takes back what has not entered; false: it has.
func (k *Rank) withdraw() bool {
	k.in.mu.Lock()
	defer k.in.mu.Unlock()
	waits := k.enter != nil
	k.enter = nil
	return waits
}

// submitAt is submit for an order with a rank: where ctx ends before it is its
// turn to enter, nothing of it is done.
func (l *line) submitAt(ctx context.Context, k *Rank, o *order, commit func([]*order)) error {
	if k == nil {
		l.submit(o, commit)
		return nil
	}
	k.take(func() {
		if l.add(o) {
			o.turn <- true
		}
	})
	var lead bool
	select {
	case lead = <-o.turn:
	case <-ctx.Done():
		if k.withdraw() {
			return context.Cause(ctx)
		}
		lead = <-o.turn
	}
	if lead {
		l.lead(commit)
	}
	return nil
}
