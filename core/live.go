package core

import (
	"context"
	"time"
)

// liveEvery is how often text that arrives from models is written for other
// processes to see: often enough to look alive, rare enough to cost nothing.
const liveEvery = 50 * time.Millisecond

// SetLive remembers what has arrived so far of the answer a task's model is
// writing. It does not block: WriteLive writes it soon.
func (r *Registry) SetLive(l Live) {
	r.liveMu.Lock()
	r.live[l.Task] = l
	r.liveMu.Unlock()
	select {
	case r.liveNow <- struct{}{}:
	default:
	}
}

// WriteLive writes arrived text until ctx ends. The host owns this goroutine.
func (r *Registry) WriteLive(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.liveNow:
		}
		if err := r.flushLive(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(liveEvery):
		}
	}
}

func (r *Registry) flushLive() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.liveMu.Lock()
	live := r.live
	r.live = map[string]Live{}
	r.liveMu.Unlock()
	if len(live) == 0 {
		return nil
	}
	return r.store.Update(r.ctx(), Progress, func(tx Tx) error {
		for _, l := range live {
			r.liveRows[l.Task] = true
			if err := tx.PutLive(l); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropLive removes the live text of an answer that is committed.
func (c *change) dropLive(id string) error {
	c.r.liveMu.Lock()
	delete(c.r.live, id)
	c.r.liveMu.Unlock()
	if !c.r.liveRows[id] { // most answers are there before anything of them was written
		return nil
	}
	c.quiet = append(c.quiet, id)
	return c.tx.PutLive(Live{Task: id})
}
