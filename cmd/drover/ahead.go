package main

import (
	"context"
	"sync"

	"drover/core"
)

// ahead is the first Pull of a screen, made while the terminal is still asked
// and set up. The screen watches the registry only later, so its update says
// that there may be more.
type ahead struct {
	once sync.Once
	done chan struct{}
	u    core.Update
	err  error
}

// pullAhead begins it; wait is to be called before the registry is closed.
func pullAhead(ctx context.Context, c *core.Client) (a *ahead, wait func()) {
	ctx, stop := context.WithCancel(ctx)
	a = &ahead{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.u, a.err = c.Pull(ctx, core.Cursor{})
		a.u.More = true
	}()
	return a, func() {
		stop()
		<-a.done
	}
}

// Pull returns what is newer than the cursor; the first time, what was read ahead.
func (s screenEngine) Pull(ctx context.Context, cur core.Cursor) (u core.Update, err error) {
	first := false
	if s.ahead != nil && cur.Seq == 0 && cur.Focus == "" {
		s.ahead.once.Do(func() { first = true })
	}
	if !first {
		return s.Client.Pull(ctx, cur)
	}
	select {
	case <-s.ahead.done:
	case <-ctx.Done():
		return u, ctx.Err()
	}
	u, s.ahead.u = s.ahead.u, core.Update{} // nobody else keeps it in memory
	return u, s.ahead.err
}
