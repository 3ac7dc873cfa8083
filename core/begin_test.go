package core_test

import (
	"testing"
	"testing/synctest"

	"drover/core"
)

// Who waits for a slot says so, and no longer once it has one.
func TestQueuedForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg, root := hosted(t, core.Options{Slots: core.NewSlots(1)})
		child, err := reg.Start(core.NewTask{Parent: root.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", Mode: core.Background})
		if err != nil {
			t.Fatal(err)
		}
		ctx, first, err := reg.Begin(t.Context(), root.ID)
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan *core.Work)
		go func() {
			_, w, err := reg.Begin(t.Context(), child.ID)
			if err != nil {
				t.Error(err)
			}
			begun <- w
		}()
		synctest.Wait()
		is := func(want core.Activity, detail string) {
			t.Helper()
			if now, err := reg.Task(child.ID); err != nil || now.Activity != want || now.Detail != detail {
				t.Errorf("it is %q %q (%v), not %q %q", now.Activity, now.Detail, err, want, detail)
			}
		}
		is(core.ActQueued, "for a slot")
		if _, err := first.Finish(ctx, core.Answer{Text: "done"}, nil); err != nil {
			t.Fatal(err)
		}
		w := <-begun
		is(core.ActModel, "")
		w.Abandon()
	})
}
