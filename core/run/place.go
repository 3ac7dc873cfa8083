package run

import (
	"context"
	"sync"
)

// place is that of a call among those of a step that start agents: they are at
// work at the same time, and what they start is there in the order of the calls.
type place struct {
	before *place
	begun  chan struct{} // closed when the next may begin
	once   sync.Once
}

// wait returns when all calls before have begun, or have come to nothing.
func (p *place) wait(ctx context.Context) error {
	for q := p.before; q != nil; q = q.before {
		select {
		case <-q.begun:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// leave lets the next call begin. A call without a place has none to leave.
func (p *place) leave() {
	if p != nil {
		p.once.Do(func() { close(p.begun) })
	}
}
