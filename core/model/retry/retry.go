package retry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"drover/core"
	"drover/core/model"
)

// Options of a Model; the zero value has the defaults.
type Options struct {
	Tries     int           // of a call, for all but rate limits; 0: 5
	Limited   int           // of a call at rate limits; 0: 20
	First     time.Duration // the first wait; each is twice the one before, and four times as long at rate limits; 0: 500 ms
	Longest   time.Duration // wait that is chosen here, not by the provider; 0: 30 s
	MostAfter time.Duration // a provider that wants longer than this has failed; 0: 1 h
	Spacing   time.Duration // between two calls that go on after a rate limit; 0: 250 ms
	// Random is a number from 0 up to 1 that scatters the waits; nil: the usual.
	Random func() float64
}

// Model is a patient core.Model. One stands for one provider: its rate limits
// hold for all its calls.
type Model struct {
	inner core.Model
	o     Options
	gate  gate
}

// New wraps inner.
func New(inner core.Model, o Options) *Model {
	o.Tries = or(o.Tries, 5)
	o.Limited = or(o.Limited, 20)
	o.First = or(o.First, 500*time.Millisecond)
	o.Longest = or(o.Longest, 30*time.Second)
	o.MostAfter = or(o.MostAfter, time.Hour)
	o.Spacing = or(o.Spacing, 250*time.Millisecond)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return &Model{inner: inner, o: o}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Stream implements core.Model. Waits go through req.Wait.
func (m *Model) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	c := call{Model: m, wait: req.Wait, takesBack: req.Wait != nil}
	if c.wait == nil {
		c.wait = sleep
	}
	if err := c.pass(ctx, false); err != nil {
		return core.ModelReply{}, err
	}
	for {
		begun := false
		reply, err := m.inner.Stream(ctx, req, func(d core.Delta) {
			begun = true
			on(d)
		})
		f, ok := model.FaultOf(err)
		if err == nil || !ok || ctx.Err() != nil || !f.Class.Transient() {
			return reply, err
		}
		if err := c.failed(ctx, f, begun); err != nil {
			return reply, err
		}
	}
}

// call is one call with the tries it has had.
type call struct {
	*Model
	wait           func(context.Context, core.ModelWait) error
	takesBack      bool // a wait tells the caller that what has streamed is void
	tries, limited int
}

// failed waits until the call may be made again; the error is what it ends with.
func (c *call) failed(ctx context.Context, f *model.Fault, begun bool) error {
	w := core.ModelWait{Parked: f.Class == model.ClassRateLimit, Why: f.Err.Message}
	first := c.o.First
	if w.Parked {
		c.limited++
		w.Try, w.Most = c.limited, c.o.Limited
		first *= 4
	} else {
		c.tries++
		w.Try, w.Most = c.tries, c.o.Tries
	}
	after := c.after(first, w.Try, f.RetryAfter)
	if w.Parked && f.RetryAfter <= c.o.MostAfter {
		c.gate.close(time.Now().Add(after))
	}
	switch {
	case begun && !c.takesBack: // the caller has a part of the answer already
		return f
	case f.RetryAfter > c.o.MostAfter:
		return told(f, "it wants to be left alone for "+f.RetryAfter.Round(time.Minute).String())
	case w.Try >= w.Most:
		return worn(f, w.Try)
	case w.Parked:
		return c.park(ctx, w)
	}
	w.Until = time.Now().Add(after)
	if err := c.wait(ctx, w); err != nil {
		return err
	}
	return c.pass(ctx, true)
}

// pass waits behind a rate limit that another call has met.
func (c *call) pass(ctx context.Context, placed bool) error {
	if !c.gate.shut(time.Now(), placed) {
		return nil
	}
	return c.park(ctx, core.ModelWait{Parked: true, Most: c.o.Limited, Why: "the provider's rate limit was reached by another task"})
}

// park waits for this call's own place behind the rate limit, and again where
// those before it met the limit once more.
func (c *call) park(ctx context.Context, w core.ModelWait) error {
	w.Until = c.gate.place(time.Now(), c.o.Spacing)
	if err := c.wait(ctx, w); err != nil {
		return err
	}
	return c.pass(ctx, true)
}

// after is how long to wait: at least what the provider wants, and longer from
// try to try, also where its word did not hold; scattered, so that many that
// failed together do not come back together.
func (m *Model) after(first time.Duration, try int, wanted time.Duration) time.Duration {
	grown := m.o.Longest
	if try < 30 && first<<(try-1) < m.o.Longest {
		grown = first << (try - 1)
	}
	scatter := time.Duration(m.o.Random() * float64(grown) / 2)
	if wanted > 0 {
		wanted = max(wanted, grown/2)
		return wanted + min(scatter, wanted/10)
	}
	return grown/2 + scatter
}

// worn is the failure of the last try.
func worn(f *model.Fault, tries int) error {
	if tries < 2 {
		return f
	}
	return told(f, fmt.Sprintf("after %d tries", tries))
}

// told is the failure with what more there is to say of it.
func told(f *model.Fault, more string) error {
	e := *f.Err
	e.Message += " (" + more + ")"
	g := *f
	g.Err = &e
	return &g
}

// sleep waits where nobody shows the wait.
func sleep(ctx context.Context, w core.ModelWait) error {
	t := time.NewTimer(time.Until(w.Until))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
