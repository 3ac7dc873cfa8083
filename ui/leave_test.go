package ui

import (
	"context"
	"testing"
	"testing/synctest"

	"drover/core"
)

// held is an engine whose requests take until it is let go.
type held struct {
	*fake
	let  chan struct{}
	sent []string // what was not cut short
}

func (h *held) Submit(ctx context.Context, r core.Request) (core.Request, error) {
	select {
	case <-h.let:
	case <-ctx.Done():
		return r, context.Cause(ctx)
	}
	h.sent = append(h.sent, r.Text)
	return h.fake.Submit(ctx, r)
}

// TestLeavingFinishesWhatWasSent: Enter and at once q sends; a second q does not wait.
func TestLeavingFinishesWhatWasSent(t *testing.T) {
	for _, patient := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			shop(f)
			h := &held{fake: f, let: make(chan struct{})}
			d := drive(t, f, 100, 30, func(o *Options) { o.Engine = h })
			d.keys(":go explore-api<Enter>mone<Enter>mtwo<Enter>q")
			select {
			case err := <-d.done:
				t.Fatalf("it left with two messages on their way: %v", err)
			default:
			}
			if patient {
				close(h.let)
			} else {
				d.keys("q")
			}
			if err := <-d.done; err != nil {
				t.Fatal(err)
			}
			if patient != (len(h.sent) == 2) {
				t.Errorf("sent %q", h.sent)
			}
			d.end()
		})
	}
}
