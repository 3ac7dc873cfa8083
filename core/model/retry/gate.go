package retry

import (
	"sync"
	"time"
)

// gate is what the calls of one provider know of its rate limit together: until
// when it holds, and who comes after it when.
type gate struct {
	mu    sync.Mutex
	until time.Time // the limit holds so long
	last  time.Time // the place that was given last
}

// close says that the limit holds until t, or longer where that is known.
func (g *gate) close(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.After(g.until) {
		g.until = t
	}
}

// shut reports whether a call has to wait: while the limit holds, and, where it
// has no place yet, while others that have one are still waiting for theirs.
func (g *gate) shut(now time.Time, placed bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return now.Before(g.until) || !placed && now.Before(g.last)
}

// place is when the next call may go: after the limit, and after the one before.
func (g *gate) place(now time.Time, spacing time.Duration) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.until
	if at.Before(now) {
		at = now
	}
	if next := g.last.Add(spacing); next.After(at) {
		at = next
	}
	g.last = at
	return at
}
