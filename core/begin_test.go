package core_test

import (
	"testing"
	"testing/synctest"
	"time"

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

// What was written to a task while nobody was there to run it is in its first
// model call, also where it is resumed in its first turn and a slot is free.
func TestBeginDeliversWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, root := newSession(t)
		reg := core.NewRegistry(st, core.Options{})
		if _, err := reg.Load(root.ID); err != nil {
			t.Fatal(err)
		}
		child, err := reg.Start(core.NewTask{Parent: root.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", Mode: core.Background})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		q, err := (&core.Client{Store: st}).Submit(t.Context(), core.Request{Session: root.ID, Task: child.ID, Kind: core.ReqMessage, Sender: core.SenderUser, Delivery: core.Steer, Text: "look at the tests"})
		if err != nil {
			t.Fatal(err)
		}
		reg = core.NewRegistry(st, core.Options{}) // the next host
		if _, err := reg.Load(root.ID); err != nil {
			t.Fatal(err)
		}
		_, w, err := reg.Begin(t.Context(), child.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abandon()
		entries, err := reg.EntriesAfter(child.ID, 1)
		if err != nil || len(entries) != 1 || entries[0].Text != q.Text {
			t.Errorf("delivered: %+v, %v", entries, err)
		}
	})
}
