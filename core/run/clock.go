package run

import (
	"context"
	"sync"
	"time"

	"drover/core"
)

// clock watches the two timeouts of a turn: the hard one, which runs whatever
// happens, and the idle one, which begins anew with every structured event (an
// answer, a piece of one, a tool's result). Both stand while a person is asked,
// at a rate limit and in the queue for a slot; the idle one also while children
// work and while a tool sleeps.
type clock struct {
	mu   sync.Mutex
	hard stopwatch
	idle stopwatch
}

// stopwatch fires once when its time has run out while nobody held it.
type stopwatch struct {
	whole time.Duration // 0: it never fires
	left  time.Duration
	began time.Time
	held  int
	timer *time.Timer
	fire  func()
}

func (s *stopwatch) start() {
	if s.whole <= 0 || s.held > 0 {
		return
	}
	s.began = time.Now()
	s.timer = time.AfterFunc(max(s.left, 0), s.fire)
}

func (s *stopwatch) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
		s.left -= time.Since(s.began)
	}
}

func (s *stopwatch) hold() {
	s.stop()
	s.held++
}

func (s *stopwatch) release() {
	if s.held--; s.held == 0 {
		s.start()
	}
}

func (s *stopwatch) again() {
	s.stop()
	s.left = s.whole
	s.start()
}

// newClock starts both watches; over is called with the limit that was reached.
func newClock(hard, idle time.Duration, over func(*core.Error)) *clock {
	c := &clock{}
	c.hard = stopwatch{whole: hard, left: hard, fire: func() { over(timeoutError(hard)) }}
	c.idle = stopwatch{whole: idle, left: idle, fire: func() { over(idleError(idle)) }}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hard.start()
	c.idle.start()
	return c
}

// touch says that something has happened.
func (c *clock) touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle.again()
}

// hold lets the watches that an activity concerns stand until release is called.
func (c *clock) hold(a core.Activity) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle.hold()
	hard := a != core.ActChildren && a != core.ActHook && a != core.ActTool
	if hard {
		c.hard.hold()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if hard {
			c.hard.release()
		}
		c.idle.left = c.idle.whole
		c.idle.release()
	}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hard.stop()
	c.idle.stop()
	c.hard.whole, c.idle.whole = 0, 0 // nothing starts them again
}

// timed gives the turn a context that ends at its timeouts, with the limit as
// cause. The end of the whole session waits for nobody: it stands on no clock.
func (u *turn) timed(ctx context.Context) (context.Context, func()) {
	over := func() {}
	if ms := u.session.Limits.Until; ms > 0 {
		ctx, over = context.WithDeadlineCause(ctx, time.UnixMilli(ms), overError())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	u.clock = newClock(u.limits.hard, u.limits.idle, func(e *core.Error) { cancel(e) })
	return ctx, func() {
		u.clock.stop()
		cancel(nil)
		over()
	}
}
