package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Orders enter the line in the order of their ranks, whatever comes first, and
// a rank that leaves or whose context ends keeps nobody.
func TestRanks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line
		var seq Sequence
		var mu sync.Mutex
		var done []int
		commit := func(batch []*order) {
			mu.Lock()
			defer mu.Unlock()
			for _, o := range batch {
				o.err = o.f(nil)
			}
		}
		ranks := []*Rank{seq.Next(), seq.Next(), seq.Next(), seq.Next(), seq.Next()}
		errs := make([]error, len(ranks))
		var wg sync.WaitGroup
		submit := func(ctx context.Context, i int) {
			wg.Go(func() {
				o := &order{turn: make(chan bool, 1), f: func(*change) error { done = append(done, i); return nil }}
				errs[i] = l.submitAt(ctx, ranks[i], o, commit)
				ranks[i].Leave()
			})
			synctest.Wait()
		}
		gone, leave := context.WithCancelCause(t.Context())
		submit(t.Context(), 4)
		submit(gone, 2)
		submit(t.Context(), 3)
		leave(errors.New("over"))
		synctest.Wait()
		submit(t.Context(), 1)
		if len(done) != 0 {
			t.Errorf("before the first is ready: %v", done)
		}
		ranks[0].Leave()
		wg.Wait()
		if want := []int{1, 3, 4}; !slices.Equal(done, want) || fmt.Sprint(errs[2]) != "over" {
			t.Errorf("entered %v, not %v (%v)", done, want, errs)
		}
		o := &order{turn: make(chan bool, 1), f: func(*change) error { done = append(done, 0); return nil }}
		if err := l.submitAt(t.Context(), ranks[0], o, commit); err != nil || done[3] != 0 {
			t.Errorf("after it has left: %v, %v", done, err)
		}
	})
}
