package coretest

import (
	"strings"
	"testing"
	"time"

	"drover/core"
)

func testSearch(t *testing.T, s core.Store) {
	one, two := task("one", "s1"), task("two", "s2")
	one.Agent, two.Agent, two.Name = "explore", "plan", "planner"
	insertTasks(t, s, one, two)
	at := time.UnixMilli(1_700_000_000_000)
	say := func(task string, kind core.EntryKind, text string) {
		at = at.Add(time.Second)
		update(t, s, func(tx core.Tx) error {
			if _, err := tx.AppendEntry(core.Entry{Task: task, Turn: 1, At: at, Kind: kind, Text: text, Sender: "user"}); err != nil {
				return err
			}
			_, err := tx.AppendEvent(core.Event{Session: "s" + map[string]string{"one": "1", "two": "2"}[task], Task: task, Kind: core.EvStep})
			return err
		})
	}
	say("one", core.EntryMessage, "Find the coupon totals")
	say("one", core.EntryAnswer, "Coupons are TOTALLED in cart.go, Übung 100%")
	say("one", core.EntryResult, "coupon coupon: what tools give is not searched")
	say("two", core.EntryCall, `grep "coupon_code" NEAR(x) *`)
	indexed := index(t, s, 2)
	say("two", core.EntryMessage, "a late coupon")
	index(t, s, 1000)
	if index(t, s, 1000) != indexed {
		t.Error("the index comes and goes")
	}
	for _, test := range []struct {
		q    core.Search
		want string
	}{
		{core.Search{Words: []string{"coupon"}}, "two:2 two:1 one:2 one:1"},
		{core.Search{Words: []string{"coupon"}, Limit: 2}, "two:2 two:1"},
		{core.Search{Words: []string{"COUPON", "total"}}, "one:2 one:1"},
		{core.Search{Words: []string{"coupon"}, Session: "s1"}, "one:2 one:1"},
		{core.Search{Words: []string{"coupon"}, Agent: "plan"}, "two:2 two:1"},
		{core.Search{Words: []string{"nothing"}}, ""},
		{core.Search{Words: []string{"100%"}}, "one:2"},
		{core.Search{}, ""},
	} {
		var got []string
		hits, is := find(t, s, test.q)
		for _, h := range hits {
			got = append(got, h.Task+":"+string(rune('0'+h.Seq)))
		}
		if is != indexed || strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %q (index %v), want %q", test.q, got, is, test.want)
		}
	}
	// Whatever a person types is words, and nothing else.
	for _, odd := range []string{`"`, `""`, `a" OR "b`, "*", "text:coupon", "NEAR(", "-", "%", "_", `\`, "'", "^coupon", "{a b}", "\x00", "AND"} {
		find(t, s, core.Search{Words: []string{odd}})
	}
	if hits, _ := find(t, s, core.Search{Words: []string{"planned"}}); len(hits) > 0 {
		t.Error("found what nobody said")
	}
	hits, _ := find(t, s, core.Search{Words: []string{"late"}})
	if h := hits[0]; h.Agent != "plan" || h.Name != "planner" || h.Session != "s2" || h.Kind != core.EntryMessage || h.Turn != 1 || h.Text != "a late coupon" {
		t.Errorf("hit %+v", h)
	}
	update(t, s, func(tx core.Tx) error { return tx.DeleteTask("two") })
	if hits, _ := find(t, s, core.Search{Words: []string{"coupon"}}); len(hits) != 2 {
		t.Errorf("%d hits after a task is gone", len(hits))
	}
}

// index fills the index in batches and reports whether there is one.
func index(t *testing.T, s core.Store, batch int) bool {
	t.Helper()
	for n, more := 0, true; more; n++ {
		if n > 100 {
			t.Fatal("there is always more to index")
		}
		update(t, s, func(tx core.Tx) (err error) {
			more, err = tx.Index(batch)
			return err
		})
	}
	_, indexed := find(t, s, core.Search{Words: []string{"x"}})
	return indexed
}

func find(t *testing.T, s core.Store, q core.Search) (hits []core.Hit, indexed bool) {
	t.Helper()
	view(t, s, func(r core.Reader) (err error) {
		hits, indexed, err = r.Search(q)
		return err
	})
	return hits, indexed
}

func testPrune(t *testing.T, s core.Store) {
	old, now := time.UnixMilli(1_600_000_000_000), time.UnixMilli(1_700_000_000_000)
	before := now.Add(-time.Hour)
	quiet, fresh, busy := task("q", "quiet"), task("f", "fresh"), task("b", "busy")
	quiet.Status, fresh.Status, busy.Status = core.Idle, core.Idle, core.Running
	insertTasks(t, s, quiet, fresh, busy)
	update(t, s, func(tx core.Tx) error {
		for id, at := range map[string]time.Time{"quiet": old, "fresh": now, "busy": old} {
			if err := tx.InsertSession(core.Session{ID: id, Updated: at}); err != nil {
				return err
			}
		}
		for _, e := range []core.Event{
			{Session: "quiet", Kind: core.EvStep, At: old}, {Session: "quiet", Kind: core.EvIntent, At: old}, {Session: "quiet", Kind: core.EvActivity, At: old},
			{Session: "quiet", Kind: core.EvStart, At: old}, {Session: "quiet", Kind: core.EvStep, At: old, Notable: true},
			{Session: "quiet", Kind: core.EvStep, At: now}, {Session: "fresh", Kind: core.EvStep, At: old}, {Session: "busy", Kind: core.EvStep, At: old},
		} {
			e.Task = e.Session[:1]
			if _, err := tx.AppendEvent(e); err != nil {
				return err
			}
		}
		_, err := tx.AppendEntry(core.Entry{Task: "q", Text: "stays"})
		return err
	})
	index(t, s, 100)
	total := 0
	for range 12 { // two at a time, going round
		update(t, s, func(tx core.Tx) error {
			n, err := tx.Prune(before, 2)
			total += n
			return err
		})
	}
	left := read(t, s, func(r core.Reader) ([]core.Event, error) { return r.Events(core.EventFilter{}) })
	same(t, "left", each(left, func(e core.Event) int64 { return e.Seq }), []int64{4, 5, 6, 7, 8})
	same(t, "pruned", total, 3)
	same(t, "transcript", len(read(t, s, func(r core.Reader) ([]core.Entry, error) { return r.Entries("q", 0, 0) })), 1)
}
