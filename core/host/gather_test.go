package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// Children that end together are told of in one turn of their parent; one that
// ends while others still work is told of soon.
func TestNewsIsGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := []time.Duration{1000, 1005, 1012, 5000, 5090} // milliseconds after the start
		w := newWorld(t, func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
			m := last(req)
			if req.Task.Kind == core.KindMain {
				if m.Text != "go" {
					return text("heard")
				}
				var all []core.ToolCall
				for i := range ends {
					all = append(all, call(fmt.Sprint("c", i), "task", fmt.Sprintf(`{"agent_type":"general-purpose","name":"kid%d","prompt":"%d","mode":"background"}`, i, i)))
				}
				return calls(all...)
			}
			var n int
			if _, err := fmt.Sscan(strings.TrimSpace(m.Text[strings.LastIndexByte(m.Text, ' ')+1:]), &n); err != nil {
				return core.ModelReply{}, err
			}
			select {
			case <-time.After(ends[n] * time.Millisecond):
				return text("done")
			case <-ctx.Done():
				return core.ModelReply{}, ctx.Err()
			}
		})
		defer w.close()
		w.start(core.NewSession{Prompt: "go"})
		turns := func(after time.Duration, want int) {
			t.Helper()
			w.pass(after)
			main, err := w.host.Registry().Task(w.id("main"))
			if err != nil || main.Turn != want {
				t.Errorf("main is in turn %d, not %d: %v", main.Turn, want, err)
			}
		}
		turns(1013*time.Millisecond, 1) // three are done, and more may be about to come
		turns(20*time.Millisecond, 2)   // none came
		if got := w.transcript("main"); strings.Count(got, "2.2 notice") != 1 || strings.Count(got, "answered turn 1") < 2 {
			t.Errorf("three at once:\n%s", got)
		}
		turns(4*time.Second, 3)       // the fourth, 15 ms after its end
		turns(58*time.Millisecond, 4) // the last one: nobody else works, so at once
		turns(500*time.Millisecond, 4)
	})
}
