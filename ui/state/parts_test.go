package state

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/store"
)

// large is a registry of 4,000 tasks in 20 sessions: one at work, one in four idle, the rest over.
func large(t *testing.T) (*store.Store, *core.Client) {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	err = st.Update(t.Context(), core.Progress, func(tx core.Tx) error {
		for i := range 20 {
			if err := largeSession(tx, i); err != nil {
				return err
			}
		}
		_, err := tx.AppendEvent(core.Event{Session: "s00", Kind: core.EvSessionStart})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return st, &core.Client{Store: st, Now: func() time.Time { return t0 }}
}

func largeSession(tx core.Tx, i int) error {
	id, at := fmt.Sprintf("s%02d", i), t0.Add(-time.Duration(i)*time.Hour)
	if err := tx.InsertSession(core.Session{ID: id, Title: fmt.Sprint("Session ", i), Created: at, Updated: at, Dir: "/work"}); err != nil {
		return err
	}
	for n := range 200 {
		k := core.Task{ID: fmt.Sprintf("%st%03d", id, n), Session: id, Parent: id, Kind: core.KindAgent, Agent: "explore", Name: fmt.Sprintf("look-%d-%d", i, n), Created: at.Add(time.Duration(n) * time.Second)}
		k.Status, k.TokensIn, k.Cost, k.CostKnown = core.Completed, 10, 0.25, n%3 > 0
		switch {
		case n == 0:
			k.ID, k.Parent, k.Kind, k.Name = id, "", core.KindMain, "main"
			if i%4 == 0 {
				k.Status = core.Idle
			}
		case n == 7 && i == 12:
			k.Status = core.Running
		case n < 9 && i%4 == 0:
			k.Status = core.Idle
		case n < 12:
			k.Status = core.Failed
		}
		if err := tx.InsertTask(k, core.Spec{}); err != nil {
			return err
		}
	}
	return nil
}

// reader follows a registry as a screen's pump does.
type reader struct {
	t   *testing.T
	c   *core.Client
	s   *State
	cur core.Cursor
}

// pull applies one Update and reports whether there is more.
func (r *reader) pull() bool {
	r.t.Helper()
	r.cur.WantAll, r.cur.Want = r.s.Missing()
	u, err := r.c.Pull(context.Background(), r.cur)
	if err != nil {
		r.t.Fatal(err)
	}
	r.cur.Seq, r.cur.Hosts, r.cur.NotesRev, r.cur.Rest = u.Seq, u.Hosts, u.NotesRev, u.Rest
	r.s.Apply(u)
	all, some := r.s.Missing()
	return u.More || all || len(some) > 0
}

func (r *reader) settle() {
	r.t.Helper()
	for n := 0; r.pull(); n++ {
		if n > 100 {
			r.t.Fatal("there is always more")
		}
	}
}

// A large registry shows the same sums as one that is read at once, and until it has
// counted says so, though most of its tasks come only when somebody looks at them.
func TestParts(t *testing.T) {
	st, c := large(t)
	r := &reader{t: t, c: c, s: New(Config{})}
	r.s.Now = t0
	r.pull()
	s := r.s
	if n := s.Tree.Len(); n > 1000 || n < 400 {
		t.Fatalf("%d tasks at first", n)
	}
	if !s.Counting() {
		t.Error("nothing says that the sums of what is not over are not there at first")
	}
	r.pull()
	if s.Counting() {
		t.Error("the sums of what is not over are not there")
	}
	want := Counts{Running: 1, Idle: 1*5 + 8*5 - 1, Done: 5*199 - 8*5, Failed: 3 * 5, TokensIn: 10 * 5 * 200}
	got := s.Tree.Total
	got.Cost, got.Unpriced = 0, 0
	if got != want {
		t.Errorf("total %+v, want %+v", got, want)
	}
	total := s.Tree.Total
	r.settle()
	if s.Tree.Total != total || s.Tree.Len() > 2000 {
		t.Errorf("total %+v, was %+v; %d tasks", s.Tree.Total, total, s.Tree.Len())
	}
	if many, what := Folded(s.Tree.Node("s19")); many != "+199" || what != "11 failed" {
		t.Errorf("a quiet session says %s, %s", many, what)
	}
	if s.Tree.Node("s12t100") == nil {
		t.Error("a session where something runs is not whole")
	}

	// Who looks at a session sees all of it.
	s.Tree.goTo("s19")
	press(s, "l")
	r.settle()
	if n := s.Tree.Node("s19"); len(n.Kids) != 199 || n.rest != nil || s.Tree.Rows[s.Tree.at+1].Node.Parent != n {
		t.Errorf("unfolded: %d children", len(n.Kids))
	}
	checkCounts(t, s)

	// A task that changes brings its session.
	err := st.Update(t.Context(), core.Progress, func(tx core.Tx) error {
		k, err := tx.Task("s16t050")
		if err != nil {
			return err
		}
		k.Status, k.LastEvent = core.Running, t0
		if _, err = tx.UpdateTask(k); err != nil {
			return err
		}
		_, err = tx.AppendEvent(core.Event{Session: "s16", Task: k.ID, Kind: core.EvTurn})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.pull()
	if s.Tree.Total.Running != 2 || s.Tree.Node("s16t050") == nil || s.Tree.Node("s16").rest != nil {
		t.Errorf("after a change %+v", s.Tree.Total)
	}
	checkCounts(t, s)
}

func checkCounts(t *testing.T, s *State) {
	t.Helper()
	for _, n := range s.Tree.nodes {
		if n.rest != nil {
			continue
		}
		var below Counts
		for _, k := range under(n, nil)[1:] {
			below.count(&k.Task)
		}
		if below != n.Below() {
			t.Fatalf("%s: counts %+v, are %+v", n.Task.ID, n.Below(), below)
		}
	}
}

// What looks for tasks looks at all there are, and says so until it has.
func TestPartsSearched(t *testing.T) {
	for keys, found := range map[string]string{
		"/look-17-33<Enter>":       "s17 s17t033",
		":go look-17-33<Enter>":    "",
		":group agent<Enter>":      "",
		"/agent:explore is:live x": "",
	} {
		_, c := large(t)
		r := &reader{t: t, c: c, s: New(Config{})}
		r.s.Now = t0
		r.pull()
		press(r.s, keys)
		if all, _ := r.s.Missing(); !all || !strings.Contains(r.s.Searching(), "to go") {
			t.Errorf("%s: nothing is looked for", keys)
		}
		r.settle()
		if r.s.Tree.Len() != 4000 || r.s.Searching() != "" {
			t.Errorf("%s: %d tasks, %q", keys, r.s.Tree.Len(), r.s.Searching())
		}
		if got := ids(r.s); found != "" && got != found {
			t.Errorf("%s: %s", keys, got)
		}
		if strings.HasPrefix(keys, ":go") && r.s.Tree.Selected != "s17t033" {
			t.Errorf("%s: on %s, said %q", keys, r.s.Tree.Selected, r.s.Toast.Text)
		}
		if strings.HasPrefix(keys, ":group") && !slices.IsSortedFunc(r.s.Tree.work.flat, r.s.Tree.compareTasks) {
			t.Error("the groups are in no order")
		}
		checkCounts(t, r.s)
	}
}

// A session that is removed while it is on the screen holds up no other.
func TestPartsRemoved(t *testing.T) {
	st, c := large(t)
	r := &reader{t: t, c: c, s: New(Config{})}
	r.s.Now = t0
	r.settle()
	db, err := sql.Open("sqlite3", st.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, gone := range []string{"s00", "s17"} { // one is here as tasks, one as a sum
		for _, from := range []string{"tasks WHERE session", "sessions WHERE id"} {
			if _, err := db.Exec("DELETE FROM "+from+" = ?", gone); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = st.Update(t.Context(), core.Progress, func(tx core.Tx) error {
		k, err := tx.Task("s12t050")
		if err != nil {
			return err
		}
		k.Status = core.Running
		if _, err = tx.UpdateTask(k); err != nil {
			return err
		}
		for _, e := range []core.Event{{Session: "s00", Task: "s00t001", Kind: core.EvTurn}, {Session: "s17", Kind: core.EvTurn}, {Session: "s12", Task: k.ID, Kind: core.EvTurn}} {
			if _, err := tx.AppendEvent(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.settle()
	if r.s.Tree.Node("s12t050").Task.Status != core.Running {
		t.Error("what has changed in another session is not there")
	}
	press(r.s, "/look-17-33<Enter>")
	r.settle()
	if r.s.Searching() != "" {
		t.Error("a session that is gone is still looked for")
	}
}

// Sessions at work that have no room in the first frame are there soon, unfolded as the others.
func TestPartsBusy(t *testing.T) {
	st, c := large(t)
	err := st.Update(t.Context(), core.Progress, func(tx core.Tx) error {
		for i := range 9 {
			k, err := tx.Task(fmt.Sprintf("s%02d", i))
			if err != nil {
				return err
			}
			k.Status = core.Running
			if _, err = tx.UpdateTask(k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, c: c, s: New(Config{})}
	r.s.Now = t0
	r.pull()
	if n := r.s.Tree.Len(); n > 1500 {
		t.Errorf("%d tasks at first", n)
	}
	r.settle()
	for i := range 9 {
		if n := r.s.Tree.Node(fmt.Sprintf("s%02d", i)); n.Shut || len(n.Kids) != 199 {
			t.Errorf("%s: folded %v, %d children", n.Task.ID, n.Shut, len(n.Kids))
		}
	}
	if r.s.Counting() {
		t.Error("it never stops to count")
	}
	checkCounts(t, r.s)
}
