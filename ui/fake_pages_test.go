package ui

import (
	"context"
	"slices"

	"drover/core"
)

func (f *fake) Entries(ctx context.Context, task string, after int64, limit int) ([]core.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	es := f.entries[task][min(int(after), len(f.entries[task])):]
	return slices.Clone(es[:min(limit, len(es))]), nil
}

func (f *fake) Inside(ctx context.Context, task string) (core.Inside, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.insides[task]
	for _, r := range f.requests {
		if r.Task == task && r.Kind == core.ReqMessage {
			in.Requests = append(in.Requests, r)
		}
	}
	return in, nil
}

func (f *fake) SwapRequests(ctx context.Context, a, b int64) error {
	f.change(func() {
		x, y := &f.requests[a-1], &f.requests[b-1]
		x.Text, y.Text, x.Delivery, y.Delivery = y.Text, x.Text, y.Delivery, x.Delivery
		f.touch(x.Task)
	})
	return nil
}
