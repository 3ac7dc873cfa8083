package coretest

import (
	"testing"
	"time"

	"drover/core"
)

func testSessions(t *testing.T, s core.Store) {
	a, b, c := fill[core.Session](t, 1), fill[core.Session](t, 2), core.Session{ID: "c", Rules: []string{}}
	update(t, s, func(tx core.Tx) error {
		for _, v := range []core.Session{a, b, c} {
			if err := tx.InsertSession(v); err != nil {
				return err
			}
		}
		return nil
	})
	for _, want := range []core.Session{a, b, c} {
		same(t, "session", read(t, s, func(r core.Reader) (core.Session, error) { return r.Session(want.ID) }), want)
	}
	list := func(limit int) []core.Session {
		return read(t, s, func(r core.Reader) ([]core.Session, error) { return r.Sessions(limit) })
	}
	same(t, "newest first", list(0), []core.Session{b, a, c})
	same(t, "limit", list(1), []core.Session{b})

	changed := fill[core.Session](t, 3)
	changed.ID, changed.Created = a.ID, a.Created
	update(t, s, func(tx core.Tx) error { return tx.UpdateSession(changed) })
	same(t, "after an update", list(2), []core.Session{changed, b})
}

func testTasks(t *testing.T, s core.Store) {
	full, empty := fill[core.Task](t, 1), core.Task{ID: "empty"}
	empty.NotDone = []string{}
	insertTasks(t, s, full, empty)
	same(t, "every field", read(t, s, func(r core.Reader) (core.Task, error) { return r.Task(full.ID) }), full)
	same(t, "no field", read(t, s, func(r core.Reader) (core.Task, error) { return r.Task("empty") }), empty)
}

func testTaskUpdate(t *testing.T, s core.Store) {
	old, next := fill[core.Task](t, 1), fill[core.Task](t, 2)
	other := fill[core.Task](t, 3)
	insertTasks(t, s, old, other)
	next.ID, next.Rev = old.ID, old.Rev
	var rev int64
	update(t, s, func(tx core.Tx) (err error) {
		rev, err = tx.UpdateTask(next)
		return err
	})
	same(t, "revision", rev, old.Rev+1)
	want := next // what never changes stays as it was inserted
	want.Rev, want.Session, want.Parent, want.Kind, want.Agent = rev, old.Session, old.Parent, old.Kind, old.Agent
	want.Depth, want.CallID, want.Created = old.Depth, old.CallID, old.Created
	same(t, "after the update", read(t, s, func(r core.Reader) (core.Task, error) { return r.Task(old.ID) }), want)
	same(t, "another task", read(t, s, func(r core.Reader) (core.Task, error) { return r.Task(other.ID) }), other)
}

func testTaskFilters(t *testing.T, s core.Store) {
	// IDs that do not sort as they were created.
	z, m, a, q := task("z", "one"), task("m", "one"), task("a", "two"), task("q", "one")
	m.Status, q.Status = core.Idle, core.Cancelled
	insertTasks(t, s, z, m, a, q)
	for _, test := range []struct {
		name   string
		filter core.TaskFilter
		want   []string
	}{
		{"all", core.TaskFilter{}, []string{"z", "m", "a", "q"}},
		{"session", core.TaskFilter{Session: "one"}, []string{"z", "m", "q"}},
		{"sessions", core.TaskFilter{Sessions: []string{"two", "none", "one"}, Live: true}, []string{"z", "m", "a"}},
		{"no sessions", core.TaskFilter{Sessions: []string{}}, nil},
		{"ids", core.TaskFilter{IDs: []string{"q", "a", "nobody", "a"}}, []string{"a", "q"}},
		{"no ids", core.TaskFilter{IDs: []string{}}, nil},
		{"live", core.TaskFilter{Live: true}, []string{"z", "m", "a"}},
		{"limit", core.TaskFilter{Limit: 2}, []string{"z", "m"}},
		{"together", core.TaskFilter{Session: "one", IDs: []string{"a", "m", "q"}, Live: true, Limit: 9}, []string{"m"}},
		{"nothing", core.TaskFilter{Session: "o"}, nil},
	} {
		got := read(t, s, func(r core.Reader) ([]core.Task, error) { return r.Tasks(test.filter) })
		same(t, test.name, each(got, func(k core.Task) string { return k.ID }), test.want)
	}
}

func testRollups(t *testing.T, s core.Store) {
	row := func(id, session string, status core.Status, cost float64) core.Task {
		k := task(id, session)
		k.Status, k.Cost, k.CostKnown, k.TokensIn, k.TokensOut = status, cost, cost > 0, 10, 1
		return k
	}
	insertTasks(t, s, row("one", "one", core.Running, 100), row("a", "one", core.Running, 1), row("b", "one", core.Idle, 2), row("c", "one", core.Failed, 0),
		row("d", "one", core.Cancelled, 4), row("two", "two", core.Idle, 5), row("three", "three", core.Idle, 6), row("e", "three", core.Completed, 0.5))
	sizes := read(t, s, func(r core.Reader) (map[string]int, error) { return r.Sizes([]string{"three", "one", "none"}) })
	same(t, "sizes", sizes, map[string]int{"one": 5, "three": 2})
	roll := func(of ...string) []core.Rollup {
		return read(t, s, func(r core.Reader) ([]core.Rollup, error) { return r.Rollups(of) })
	}
	three := core.Rollup{Session: "three", Tasks: 1, TokensIn: 10, TokensOut: 1, Cost: 0.5}
	same(t, "rollups", roll("one", "two", "three", "none"), []core.Rollup{
		{Session: "one", Tasks: 4, Running: 1, Idle: 1, Failed: 1, TokensIn: 40, TokensOut: 4, Cost: 7, Unpriced: 1}, three,
	})
	same(t, "of one", roll("three"), []core.Rollup{three})
	same(t, "of none", roll(), []core.Rollup(nil))
}

func testTaskIDs(t *testing.T, s core.Store) {
	for _, id := range []string{"bz", "b", "b2", "B2", "c%x", "cay", "c_", "cb", "é1", "é2", "\U0010FFFFx", "d\U0010FFFFd"} {
		insertTasks(t, s, task(id, "s"))
	}
	for _, test := range []struct {
		prefix string
		limit  int
		want   []string
	}{
		{"b", 0, []string{"b", "b2", "bz"}},
		{"b", 2, []string{"b", "b2"}},
		{"bz", 9, []string{"bz"}},
		{"c%", 9, []string{"c%x"}},
		{"c_", 9, []string{"c_"}},
		{"%", 9, nil},
		{"_", 9, nil},
		{"*", 9, nil},
		{"é", 9, []string{"é1", "é2"}},
		{"d", 9, []string{"d\U0010FFFFd"}},
		{"\U0010FFFF", 9, []string{"\U0010FFFFx"}},
		{"", 3, []string{"B2", "b", "b2"}},
		{"x' OR '1'='1", 9, nil},
	} {
		got := read(t, s, func(r core.Reader) ([]string, error) { return r.TaskIDs(test.prefix, test.limit) })
		same(t, "prefix "+test.prefix, got, test.want)
	}
}

func testDeleteTask(t *testing.T, s core.Store) {
	gone, stays := task("gone", "s"), task("stays", "s")
	insertTasks(t, s, gone, stays)
	update(t, s, func(tx core.Tx) error {
		for _, id := range []string{"gone", "stays"} {
			_, err1 := tx.AppendEntry(core.Entry{Task: id})
			_, err2 := tx.InsertRequest(core.Request{Session: "s", Task: id, State: core.ReqQueued})
			_, err3 := tx.InsertApproval(core.Approval{Session: "s", Task: id, State: core.AppPending})
			_, err4 := tx.AppendEvent(core.Event{Session: "s", Task: id})
			err5 := tx.PutTurn(core.Turn{Task: id, N: 1})
			err6 := tx.PutLive(core.Live{Task: id, Text: "x"})
			for _, err := range []error{err1, err2, err3, err4, err5, err6} {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	update(t, s, func(tx core.Tx) error { return tx.DeleteTask("gone") })
	view(t, s, func(r core.Reader) error {
		_, err := r.Task("gone")
		wantCode(t, "task", err, core.CodeNotFound)
		_, err = r.Spec("gone")
		wantCode(t, "spec", err, core.CodeNotFound)
		for id, want := range map[string]int{"gone": 0, "stays": 1} {
			entries, _ := r.Entries(id, 0, 0)
			turns, _ := r.Turns(id, 0)
			requests, _ := r.Requests(core.RequestFilter{Task: id})
			approvals, _ := r.Approvals(core.ApprovalFilter{Task: id})
			live, _ := r.LiveTexts([]string{id})
			same(t, "rows of "+id, []int{len(entries), len(turns), len(requests), len(approvals), len(live)}, []int{want, want, want, want, want})
			events, err := r.Events(core.EventFilter{Task: id})
			same(t, "the timeline keeps "+id, len(events), 1)
			if err != nil {
				return err
			}
		}
		return nil
	})
	err := s.Update(t.Context(), core.Progress, func(tx core.Tx) error { return tx.DeleteTask("gone") })
	wantCode(t, "deleted twice", err, core.CodeNotFound)
}

func testSpecs(t *testing.T, s core.Store) {
	specs := map[string]core.Spec{
		"full":  fill[core.Spec](t, 1),
		"nil":   {},
		"empty": {Tools: []string{}, Output: []byte{}, Agent: []byte("not JSON \x00\xff")},
	}
	for id, spec := range specs {
		update(t, s, func(tx core.Tx) error { return tx.InsertTask(task(id, "s"), spec) })
	}
	for id, want := range specs {
		same(t, id, read(t, s, func(r core.Reader) (core.Spec, error) { return r.Spec(id) }), want)
	}
}

func testTurns(t *testing.T, s core.Store) {
	one, two, other := fill[core.Turn](t, 1), fill[core.Turn](t, 2), fill[core.Turn](t, 3)
	two.Task, two.N = one.Task, one.N+1
	running := two
	running.Response, running.Ended = "", time.Time{}
	for _, turn := range []core.Turn{one, running, other} {
		update(t, s, func(tx core.Tx) error { return tx.PutTurn(turn) })
	}
	turns := func(after int) []core.Turn {
		return read(t, s, func(r core.Reader) ([]core.Turn, error) { return r.Turns(one.Task, after) })
	}
	same(t, "all", turns(0), []core.Turn{one, running})
	update(t, s, func(tx core.Tx) error { return tx.PutTurn(two) })
	same(t, "after the first, answered", turns(one.N), []core.Turn{two})
	same(t, "after the last", turns(two.N), []core.Turn(nil))

	running.ToolCalls = 3 // of the task before the turn
	ended := running
	ended.Response, ended.Handed, ended.Ended, ended.ToolCalls = two.Response, two.Handed, two.Ended, 2
	sent := core.Turn{Task: two.Task, N: two.N, Response: two.Response, Handed: two.Handed, Ended: two.Ended, ToolCalls: 5}
	update(t, s, func(tx core.Tx) error { return tx.PutTurn(running) })
	update(t, s, func(tx core.Tx) error { return tx.EndTurn(sent) })
	same(t, "ended", turns(0), []core.Turn{one, ended})
}

func testEntries(t *testing.T, s core.Store) {
	full := fill[core.Entry](t, 1)
	full.Task = "e"
	plain := core.Entry{Task: "e", Calls: []core.ToolCall{}, Opaque: []byte{}}
	odd := core.Entry{Task: "e", Calls: []core.ToolCall{{ID: "1", Args: []byte(`{"broken": <&`)}, {ID: "2"}, {ID: "3", Args: []byte{}}}}
	want := []core.Entry{full, plain, odd, {Task: "e"}, {Task: "e"}}
	for i := range want {
		want[i].Seq = int64(i + 1)
		sent := want[i]
		if sent.Seq = 0; i == 2 {
			sent.Seq = want[i].Seq // who knows it may say so
		}
		update(t, s, func(tx core.Tx) error {
			if _, err := tx.AppendEntry(core.Entry{Task: "other"}); err != nil {
				return err
			}
			seq, err := tx.AppendEntry(sent)
			same(t, "seq", seq, want[i].Seq)
			return err
		})
	}
	entries := func(after int64, limit int) []core.Entry {
		return read(t, s, func(r core.Reader) ([]core.Entry, error) { return r.Entries("e", after, limit) })
	}
	tail := func(before int64, n int) []core.Entry {
		return read(t, s, func(r core.Reader) ([]core.Entry, error) { return r.Tail("e", before, n) })
	}
	same(t, "all", entries(0, 0), want)
	same(t, "after 2, at most 2", entries(2, 2), want[2:4])
	same(t, "after the last", entries(5, 0), []core.Entry(nil))
	same(t, "tail of 2", tail(0, 2), want[3:])
	same(t, "2 before 3", tail(3, 2), want[:2])
	same(t, "9 before 3", tail(3, 9), want[:2])
	same(t, "before the first", tail(1, 9), []core.Entry(nil))
	same(t, "tail of none", tail(0, 0), []core.Entry(nil))
}
