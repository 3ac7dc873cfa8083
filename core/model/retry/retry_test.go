package retry_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/model"
	"drover/core/model/retry"
)

// inner is a model that does what it is told at each call.
type inner func() (core.ModelReply, error)

func (f inner) Stream(context.Context, core.ModelRequest, func(core.Delta)) (core.ModelReply, error) {
	return f()
}

func fault(c model.Class, after time.Duration) error {
	return &model.Fault{Class: c, RetryAfter: after, Err: &core.Error{Code: c.Code(), Message: string(c)}}
}

func none(core.Delta) {}

// Everything that meets a rate limit, or comes while it holds, waits until it has passed and goes on spaced out.
func TestParkedGoOnSpacedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		limit := began.Add(time.Minute)
		var mu sync.Mutex
		var went []time.Duration
		parked := 0
		m := retry.New(inner(func() (core.ModelReply, error) {
			mu.Lock()
			defer mu.Unlock()
			if time.Now().Before(limit) {
				return core.ModelReply{}, fault(model.ClassRateLimit, time.Until(limit))
			}
			went = append(went, time.Since(began))
			return core.ModelReply{Text: "ok"}, nil
		}), retry.Options{Spacing: time.Second, Random: func() float64 { return 0 }})
		req := core.ModelRequest{Wait: func(_ context.Context, w core.ModelWait) error {
			mu.Lock()
			if w.Parked && w.Until.After(time.Now()) {
				parked++
			}
			mu.Unlock()
			time.Sleep(time.Until(w.Until))
			return nil
		}}
		const calls = 8
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				if r, err := m.Stream(t.Context(), req, none); err != nil || r.Text != "ok" {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
		wg.Wait()
		if parked < calls || len(went) != calls || went[0] < time.Minute {
			t.Fatalf("%d parked, went at %v", parked, went)
		}
		slices.Sort(went)
		for i := 1; i < calls; i++ {
			if went[i]-went[i-1] < time.Second {
				t.Errorf("two went on together: %v", went)
			}
		}
	})
}

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error
		asked int
		code  core.Code
	}{
		{"worn out", fault(model.ClassServer, 0), 3, core.CodeModel},
		{"limited for too long", fault(model.ClassRateLimit, 2*time.Hour), 1, core.CodeRateLimited},
		{"limited again and again", fault(model.ClassRateLimit, 0), 4, core.CodeRateLimited},
		{"permanent", fault(model.ClassAuth, 0), 1, core.CodeModelAuth},
		{"no fault of a provider", errors.New("something else"), 1, core.CodeInternal},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			m := retry.New(inner(func() (core.ModelReply, error) { asked++; return core.ModelReply{}, tt.err }), retry.Options{Tries: 3, Limited: 4})
			_, err := m.Stream(t.Context(), core.ModelRequest{}, none)
			if asked != tt.asked || core.CodeOf(err) != tt.code {
				t.Errorf("%s: asked %d times, %v; want %d and %s", tt.name, asked, err, tt.asked, tt.code)
			}
		})
	}
}

// A wait ends with its context, and the call with it.
func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("stopped")
		began := time.Now()
		time.AfterFunc(5*time.Second, func() { cancel(why) })
		m := retry.New(inner(func() (core.ModelReply, error) {
			return core.ModelReply{}, fault(model.ClassRateLimit, time.Minute)
		}), retry.Options{})
		if _, err := m.Stream(ctx, core.ModelRequest{}, none); !errors.Is(err, why) || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A provider whose word does not hold is asked less and less often, and is worn
// out only after minutes.
func TestLimitThatDoesNotPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asked := time.Now(), []time.Duration{}
		m := retry.New(inner(func() (core.ModelReply, error) {
			asked = append(asked, time.Since(began).Round(time.Second))
			return core.ModelReply{}, fault(model.ClassRateLimit, time.Second)
		}), retry.Options{Random: func() float64 { return 0 }})
		_, err := m.Stream(t.Context(), core.ModelRequest{}, none)
		want := []time.Duration{0, 1, 3, 7, 15, 30}
		for i := range want {
			want[i] *= time.Second
		}
		if core.CodeOf(err) != core.CodeRateLimited || len(asked) != 20 || !slices.Equal(asked[:6], want) || asked[19] > 5*time.Minute || asked[19] < time.Minute {
			t.Errorf("asked at %v: %v", asked, err)
		}
	})
}
