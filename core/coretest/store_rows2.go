package coretest

import (
	"math"
	"strings"
	"testing"
	"time"

	"drover/core"
)

func testRequests(t *testing.T, s core.Store) {
	old, next := fill[core.Request](t, 1), fill[core.Request](t, 2)
	update(t, s, func(tx core.Tx) (err error) {
		old.ID, err = tx.InsertRequest(old)
		return err
	})
	get := func() core.Request {
		list := read(t, s, func(r core.Reader) ([]core.Request, error) {
			return r.Requests(core.RequestFilter{IDs: []int64{old.ID}})
		})
		if len(list) != 1 {
			t.Fatalf("%d requests, want 1", len(list))
		}
		return list[0]
	}
	same(t, "inserted", get(), old)

	next.ID = old.ID
	change := func(from core.RequestState) error {
		return s.Update(t.Context(), core.Acknowledged, func(tx core.Tx) error { return tx.UpdateRequest(next, from) })
	}
	wantCode(t, "from another state", change("elsewhere"), core.CodeConflict)
	same(t, "refused update", get(), old)
	if err := change(old.State); err != nil {
		t.Fatal(err)
	}
	want := next
	want.Session, want.Task, want.Kind, want.Sender, want.Created = old.Session, old.Task, old.Kind, old.Sender, old.Created
	same(t, "updated", get(), want)
	wantCode(t, "from the same state again", change(old.State), core.CodeConflict)
	next.ID = 999
	wantCode(t, "unknown", change(next.State), core.CodeNotFound)
}

func testFinishRequests(t *testing.T, s core.Store) {
	var ids []int64
	for range 3 {
		update(t, s, func(tx core.Tx) error {
			id, err := tx.InsertRequest(core.Request{Session: "s", Task: "a", Kind: core.ReqNotice, Text: "news", State: core.ReqQueued, Created: time.UnixMilli(1)})
			ids = append(ids, id)
			return err
		})
	}
	finish := func(ids ...int64) error {
		return s.Update(t.Context(), core.Progress, func(tx core.Tx) error { return tx.FinishRequests(ids, 4, time.UnixMilli(7)) })
	}
	states := func() (out []core.RequestState) {
		for _, q := range read(t, s, func(r core.Reader) ([]core.Request, error) { return r.Requests(core.RequestFilter{Task: "a"}) }) {
			if q.Text != "news" || q.State == core.ReqDone && (q.Turn != 4 || q.Done.UnixMilli() != 7) {
				t.Errorf("%+v", q)
			}
			out = append(out, q.State)
		}
		return out
	}
	if err := finish(ids[0], ids[2]); err != nil {
		t.Fatal(err)
	}
	same(t, "two of them", states(), []core.RequestState{core.ReqDone, core.ReqQueued, core.ReqDone})
	wantCode(t, "one is done already", finish(ids[1], ids[2]), core.CodeConflict)
	wantCode(t, "one there is not", finish(ids[1], 999), core.CodeConflict)
	same(t, "refused", states(), []core.RequestState{core.ReqDone, core.ReqQueued, core.ReqDone})
}

func testRequestFilters(t *testing.T, s core.Store) {
	rows := []core.Request{
		{Session: "s", Task: "a", Kind: core.ReqMessage, State: core.ReqQueued},
		{Session: "s", Task: "b", Kind: core.ReqCancel, State: core.ReqDone},
		{Session: "q", Task: "c", Kind: core.ReqMessage, State: core.ReqQueued},
		{Session: "s", Task: "a", Kind: core.ReqMessage, State: core.ReqWithdrawn},
		{Session: "s", Task: "a", Kind: core.ReqNotice, State: core.ReqQueued},
	}
	ids := make([]int64, len(rows))
	update(t, s, func(tx core.Tx) (err error) {
		for i, r := range rows {
			if ids[i], err = tx.InsertRequest(r); err != nil {
				return err
			}
		}
		return nil
	})
	for _, test := range []struct {
		name   string
		filter core.RequestFilter
		want   []int // of rows
	}{
		{"all", core.RequestFilter{}, []int{0, 1, 2, 3, 4}},
		{"session", core.RequestFilter{Session: "s"}, []int{0, 1, 3, 4}},
		{"task", core.RequestFilter{Task: "a"}, []int{0, 3, 4}},
		{"queued", core.RequestFilter{States: []core.RequestState{core.ReqQueued}}, []int{0, 2, 4}},
		{"queued in session", core.RequestFilter{Session: "s", States: []core.RequestState{core.ReqQueued}}, []int{0, 4}},
		{"two states", core.RequestFilter{States: []core.RequestState{core.ReqDone, core.ReqQueued}}, []int{0, 1, 2, 4}},
		{"no states", core.RequestFilter{States: []core.RequestState{}}, nil},
		{"kinds", core.RequestFilter{Kinds: []core.RequestKind{core.ReqCancel, core.ReqNotice}}, []int{1, 4}},
		{"ids", core.RequestFilter{IDs: []int64{ids[3], ids[1], 12345}}, []int{1, 3}},
		{"limit: newest first", core.RequestFilter{Limit: 2}, []int{4, 3}},
		{"together", core.RequestFilter{Session: "s", Task: "a", Kinds: []core.RequestKind{core.ReqMessage}, States: []core.RequestState{core.ReqQueued}, Limit: 5}, []int{0}},
	} {
		got := read(t, s, func(r core.Reader) ([]core.Request, error) { return r.Requests(test.filter) })
		same(t, test.name, each(got, func(r core.Request) int64 { return r.ID }), each(test.want, func(i int) int64 { return ids[i] }))
	}
}

func testEvents(t *testing.T, s core.Store) {
	same(t, "no event yet", read(t, s, core.Reader.LastSeq), int64(0))
	full := fill[core.Event](t, 1)
	rows := []core.Event{
		full,
		{Session: "s", Task: "a", Kind: core.EvStep},
		{Session: "s", Task: "a", Kind: core.EvIdle, Notable: true},
		{Session: "q", Task: "b", Kind: core.EvIdle, Notable: true},
		{Session: "s", Task: "c", Kind: core.EvStart, Notable: true},
	}
	update(t, s, func(tx core.Tx) (err error) {
		for i := range rows {
			if rows[i].Seq, err = tx.AppendEvent(rows[i]); err != nil {
				return err
			}
			if i > 0 && rows[i].Seq <= rows[i-1].Seq {
				t.Errorf("seq %d after %d", rows[i].Seq, rows[i-1].Seq)
			}
		}
		return nil
	})
	same(t, "last", read(t, s, core.Reader.LastSeq), rows[4].Seq)
	for _, test := range []struct {
		name   string
		filter core.EventFilter
		want   []core.Event
	}{
		{"all", core.EventFilter{}, rows},
		{"after", core.EventFilter{After: rows[2].Seq}, rows[3:]},
		{"after the last", core.EventFilter{After: rows[4].Seq}, nil},
		{"session", core.EventFilter{Session: "s"}, []core.Event{rows[1], rows[2], rows[4]}},
		{"task", core.EventFilter{Task: "a"}, rows[1:3]},
		{"kinds", core.EventFilter{Kinds: []core.EventKind{core.EvIdle, core.EvStart}}, rows[2:]},
		{"no kinds", core.EventFilter{Kinds: []core.EventKind{}}, nil},
		{"notable", core.EventFilter{Session: "s", Notable: true}, []core.Event{rows[2], rows[4]}},
		{"limit", core.EventFilter{Limit: 2}, rows[:2]},
		{"last", core.EventFilter{Last: 2}, rows[3:]},
		{"last notable after", core.EventFilter{After: rows[1].Seq, Notable: true, Last: 2}, rows[3:]},
		{"last of a session", core.EventFilter{Session: "s", Notable: true, Last: 1}, rows[4:]},
	} {
		got := read(t, s, func(r core.Reader) ([]core.Event, error) { return r.Events(test.filter) })
		same(t, test.name, got, test.want)
	}
}

func testApprovals(t *testing.T, s core.Store) {
	old, next := fill[core.Approval](t, 1), fill[core.Approval](t, 2)
	old.State = core.AppPending
	other := core.Approval{Session: "s", Task: "other", State: core.AppPending, Args: []byte("\xff not JSON \x00")}
	update(t, s, func(tx core.Tx) (err error) {
		if old.ID, err = tx.InsertApproval(old); err != nil {
			return err
		}
		other.ID, err = tx.InsertApproval(other)
		return err
	})
	get := func(f core.ApprovalFilter) []core.Approval {
		return read(t, s, func(r core.Reader) ([]core.Approval, error) { return r.Approvals(f) })
	}
	pending := []core.ApprovalState{core.AppPending}
	same(t, "all", get(core.ApprovalFilter{}), []core.Approval{old, other})
	same(t, "pending", get(core.ApprovalFilter{States: pending}), []core.Approval{old, other})
	same(t, "by task", get(core.ApprovalFilter{Task: "other", States: pending}), []core.Approval{other})
	same(t, "by session", get(core.ApprovalFilter{Session: "s", States: pending}), []core.Approval{other})
	same(t, "by id", get(core.ApprovalFilter{IDs: []int64{old.ID}}), []core.Approval{old})
	same(t, "no ids", get(core.ApprovalFilter{IDs: []int64{}}), []core.Approval(nil))

	next.ID, next.State = old.ID, core.AppAllowed
	decide := func(a core.Approval) error {
		return s.Update(t.Context(), core.Acknowledged, func(tx core.Tx) error { return tx.UpdateApproval(a) })
	}
	if err := decide(next); err != nil {
		t.Fatal(err)
	}
	want := old // what was asked can never change
	want.State, want.Scope, want.Reason, want.By, want.Decided = next.State, next.Scope, next.Reason, next.By, next.Decided
	same(t, "decided", get(core.ApprovalFilter{IDs: []int64{old.ID}}), []core.Approval{want})
	wantCode(t, "decided twice", decide(next), core.CodeConflict)
	same(t, "still pending", get(core.ApprovalFilter{States: pending}), []core.Approval{other})
	same(t, "two states", get(core.ApprovalFilter{States: []core.ApprovalState{core.AppAllowed, core.AppDenied}}), []core.Approval{want})
	next.ID = 999
	wantCode(t, "unknown", decide(next), core.CodeNotFound)
}

func testTodos(t *testing.T, s core.Store) {
	lists := [][]core.Todo{fill[[]core.Todo](t, 1), {{ID: "x"}}, {}, nil}
	for _, list := range lists {
		update(t, s, func(tx core.Tx) error { return tx.PutTodos("s", list) })
		same(t, "todos", read(t, s, func(r core.Reader) ([]core.Todo, error) { return r.Todos("s") }), list)
	}
	same(t, "of nobody", read(t, s, func(r core.Reader) ([]core.Todo, error) { return r.Todos("q") }), []core.Todo(nil))
}

func testFacts(t *testing.T, s core.Store) {
	put := func(key, value string) {
		update(t, s, func(tx core.Tx) error { return tx.PutFact(key, value) })
	}
	want := func(what, prefix string, want map[string]string) {
		same(t, what, read(t, s, func(r core.Reader) (map[string]string, error) { return r.Facts(prefix) }), want)
	}
	want("none", "trust ", map[string]string{})
	put("trust /a", "1")
	put("trust /a%", "2")
	put("trusty", "3")
	want("by prefix", "trust ", map[string]string{"trust /a": "1", "trust /a%": "2"})
	put("trust /a", "4")
	want("replaced, wildcards are plain", "trust /a", map[string]string{"trust /a": "4", "trust /a%": "2"})
	put("trust /\U0010FFFD", "5")
	want("the last character", "trust /\U0010FFFD", map[string]string{"trust /\U0010FFFD": "5"})
	put("trust /\U0010FFFD", "")
	put("trust /a", "")
	want("removed", "trust /a", map[string]string{"trust /a%": "2"})
}

func testLive(t *testing.T, s core.Store) {
	a, b := fill[core.Live](t, 1), core.Live{Task: "z", Reasoning: "hm"}
	put := func(l core.Live) {
		t.Helper()
		update(t, s, func(tx core.Tx) error { return tx.PutLive(l) })
	}
	get := func(tasks []string) []core.Live {
		return read(t, s, func(r core.Reader) ([]core.Live, error) { return r.LiveTexts(tasks) })
	}
	put(core.Live{Task: a.Task, Text: "first"})
	put(a)
	put(b)
	same(t, "all", get(nil), []core.Live{a, b})
	same(t, "some", get([]string{"z", "nobody"}), []core.Live{b})
	same(t, "none", get([]string{}), []core.Live(nil))
	put(core.Live{Task: "z", Rev: 9})
	same(t, "removed", get(nil), []core.Live{a})
}

func testMissing(t *testing.T, s core.Store) {
	view(t, s, func(r core.Reader) error {
		_, err := r.Session("nobody")
		wantCode(t, "session", err, core.CodeNotFound)
		_, err = r.Task("nobody")
		wantCode(t, "task", err, core.CodeNotFound)
		_, err = r.Spec("nobody")
		wantCode(t, "spec", err, core.CodeNotFound)
		_, err = r.Task("' OR 1=1 --")
		wantCode(t, "injection", err, core.CodeNotFound)
		return nil
	})
	update(t, s, func(tx core.Tx) error {
		wantCode(t, "update of no session", tx.UpdateSession(core.Session{ID: "nobody"}), core.CodeNotFound)
		_, err := tx.UpdateTask(task("nobody", "s"))
		wantCode(t, "update of no task", err, core.CodeNotFound)
		return nil
	})
}

func testDuplicates(t *testing.T, s core.Store) {
	first := task("same", "s")
	update(t, s, func(tx core.Tx) error { return tx.InsertSession(core.Session{ID: "same"}) })
	insertTasks(t, s, first)
	update(t, s, func(tx core.Tx) error {
		wantCode(t, "task", tx.InsertTask(task("same", "q"), core.Spec{Prompt: "x"}), core.CodeConflict)
		wantCode(t, "session", tx.InsertSession(core.Session{ID: "same"}), core.CodeConflict)
		return tx.InsertTask(task("next", "s"), core.Spec{}) // another name is tried in the same transaction
	})
	same(t, "the first stays", read(t, s, func(r core.Reader) ([]core.Task, error) { return r.Tasks(core.TaskFilter{}) }),
		[]core.Task{first, task("next", "s")})
}

// testHostileText: what is no text becomes text and damages nothing beside it.
func testHostileText(t *testing.T, s core.Store) {
	for _, in := range []string{
		"plain", "\x00", "a\x00b", "\xff\xfe", "ü\xc3", "'; DROP TABLE tasks; --", "\u202eabc\u2066", "\ufeffBOM", "\r\n\t\x1b[31m",
		strings.Repeat("🦬", 100_000), "\xed\xa0\x80",
	} {
		want := storable(in)
		update(t, s, func(tx core.Tx) error {
			seq, err := tx.AppendEntry(core.Entry{Task: "t", Text: in, Tool: in, Calls: []core.ToolCall{{Name: in, Args: []byte(in)}}})
			if err != nil {
				return err
			}
			got, err := tx.Entries("t", seq-1, 0)
			same(t, "text", got, []core.Entry{{Task: "t", Seq: seq, Text: want, Tool: want, Calls: []core.ToolCall{{Name: want, Args: []byte(want)}}}})
			return err
		})
	}
}

// storable is what a Store makes of a text: U+FFFD for NUL and for what is not UTF-8.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// testTimes: to the millisecond, whatever the zone; no time stays no time.
func testTimes(t *testing.T, s core.Store) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 89_999_999, time.FixedZone("east", 7*3600))
	k := task("t", "s")
	k.Created, k.Active, k.Cost = at, 1234567*time.Nanosecond, math.Inf(1)
	insertTasks(t, s, k)
	got := read(t, s, func(r core.Reader) (core.Task, error) { return r.Task("t") })
	if !got.Created.Equal(at.Truncate(time.Millisecond)) || got.Active != k.Active || !got.Started.IsZero() || got.Cost != k.Cost {
		t.Errorf("got %v, %v, %v, %v", got.Created, got.Active, got.Started, got.Cost)
	}
	got.Cost = math.NaN()
	update(t, s, func(tx core.Tx) error {
		_, err := tx.UpdateTask(got)
		return err
	})
}
