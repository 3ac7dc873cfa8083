package retry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"drover/core"
	"drover/core/model"
)

// Info tells of one wait.
type Info struct {
	Try   int           // which try failed; the first is 1
	Most  int           // how many there will be
	Class model.Class   // of the failure
	Err   error         // the failure
	Wait  time.Duration // until the next try
	Until time.Time     // the end of the wait
}

// Options of a Model; the zero value has the defaults.
type Options struct {
	Tries     int           // of a call, for all but rate limits; 0: 5
	Limited   int           // of a call at rate limits; 0: 20
	First     time.Duration // the first wait; each is twice the one before, and four times as long at rate limits; 0: 500 ms
	Longest   time.Duration // wait that is chosen here, not by the provider; 0: 30 s
	MostAfter time.Duration // a provider that wants longer than this has failed; 0: 1 h
	Spacing   time.Duration // between two calls that go on after a rate limit; 0: 250 ms
	// Notify tells of each wait before it begins. Nil: nobody.
	Notify func(ctx context.Context, t core.TaskInfo, i Info)
	// Park waits until a rate limit has passed, instead of a timer: the task
	// gives its slot back. It returns early, with the cause, when ctx ends.
	// Nil: a timer.
	Park func(ctx context.Context, t core.TaskInfo, i Info) error
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

// Stream implements core.Model.
func (m *Model) Stream(ctx context.Context, req core.ModelRequest, on func(core.Delta)) (core.ModelReply, error) {
	if err := m.pass(ctx, req.Task, false); err != nil {
		return core.ModelReply{}, err
	}
	var tries, limited int
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
		info := Info{Class: f.Class, Err: err}
		first := m.o.First
		if f.Class == model.ClassRateLimit {
			limited++
			info.Try, info.Most = limited, m.o.Limited
			first *= 4
		} else {
			tries++
			info.Try, info.Most = tries, m.o.Tries
		}
		info.Wait = m.wait(first, info.Try, f.RetryAfter)
		if f.Class == model.ClassRateLimit && f.RetryAfter <= m.o.MostAfter {
			m.gate.close(time.Now().Add(info.Wait))
		}
		switch {
		case begun: // the caller has a part of the answer already
			return reply, err
		case info.Try >= info.Most, f.RetryAfter > m.o.MostAfter:
			return reply, worn(f, info.Try)
		case f.Class == model.ClassRateLimit:
			err = m.park(ctx, req.Task, info)
		default:
			err = m.pause(ctx, req.Task, info)
		}
		if err != nil {
			return reply, err
		}
	}
}

// pass waits behind a rate limit that another call has met.
func (m *Model) pass(ctx context.Context, t core.TaskInfo, placed bool) error {
	if !m.gate.shut(time.Now(), placed) {
		return nil
	}
	return m.park(ctx, t, Info{Class: model.ClassRateLimit, Err: errWaiting})
}

var errWaiting = &core.Error{Code: core.CodeModel, Message: "the provider's rate limit was reached by another task"}

// park waits for this call's own place behind the rate limit, and again where
// those before it met the limit once more.
func (m *Model) park(ctx context.Context, t core.TaskInfo, i Info) error {
	i.Until = m.gate.place(time.Now(), m.o.Spacing)
	i.Wait = time.Until(i.Until)
	if m.o.Notify != nil {
		m.o.Notify(ctx, t, i)
	}
	wait := m.o.Park
	if wait == nil {
		wait = func(ctx context.Context, _ core.TaskInfo, i Info) error { return sleep(ctx, time.Until(i.Until)) }
	}
	if err := wait(ctx, t, i); err != nil {
		return err
	}
	return m.pass(ctx, t, true)
}

// pause waits before the next try.
func (m *Model) pause(ctx context.Context, t core.TaskInfo, i Info) error {
	i.Until = time.Now().Add(i.Wait)
	if m.o.Notify != nil {
		m.o.Notify(ctx, t, i)
	}
	if err := sleep(ctx, i.Wait); err != nil {
		return err
	}
	return m.pass(ctx, t, true)
}

// wait is at least what the provider wants, and else grows from try to try;
// scattered, so that many that failed together do not come back together.
func (m *Model) wait(first time.Duration, try int, after time.Duration) time.Duration {
	grown := m.o.Longest
	if try < 30 && first<<(try-1) < m.o.Longest {
		grown = first << (try - 1)
	}
	scatter := time.Duration(m.o.Random() * float64(grown) / 2)
	if after > 0 {
		return after + min(scatter, after/10)
	}
	return grown/2 + scatter
}

// worn is the failure of the last try.
func worn(f *model.Fault, tries int) error {
	if tries < 2 {
		return f
	}
	e := *f.Err
	e.Message = fmt.Sprintf("%s (after %d tries)", e.Message, tries)
	g := *f
	g.Err = &e
	return &g
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
