package core_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"drover/core"
	"drover/store"
)

// gated is a store whose next transaction waits, so that others come together behind it.
type gated struct {
	core.Store
	gate    chan struct{} // nil: open
	commits atomic.Int32
}

func (g *gated) Update(ctx context.Context, d core.Durability, fn func(core.Tx) error) error {
	if g.gate != nil {
		<-g.gate
	}
	err := g.Store.Update(ctx, d, fn)
	if err == nil {
		g.commits.Add(1)
	}
	return err
}

// Changes that come together are written together, each as if it were alone: in
// their order, with names of their own, and where one is refused only that one is.
func TestChangesTogether(t *testing.T) {
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprintf("refused=%v", refused), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { together(t, refused) })
		})
	}
}

// newSession is a session of its own in a registry of its own.
func newSession(t *testing.T) (core.Store, core.Task) {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir(), store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	root, err := (&core.Client{Store: st}).Create(t.Context(), core.NewSession{Prompt: "go", Agent: core.Agent{Name: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	return st, root
}

// hosted is a session as its host has it.
func hosted(t *testing.T, o core.Options) (*core.Registry, core.Task) {
	t.Helper()
	st, root := newSession(t)
	reg := core.NewRegistry(st, o)
	if _, err := reg.Load(root.ID); err != nil {
		t.Fatal(err)
	}
	return reg, root
}

func together(t *testing.T, refused bool) {
	st, root := newSession(t)
	g := &gated{Store: st}
	var told atomic.Int32
	reg := core.NewRegistry(g, core.Options{OnRunnable: func(string) { told.Add(1) }})
	if _, err := reg.Load(root.ID); err != nil {
		t.Fatal(err)
	}
	const n = 40
	g.gate = make(chan struct{})
	faults := make(chan error, 2*n)
	start := func(i int) {
		child, err := reg.Start(core.NewTask{Parent: root.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Prompt: "p", CallID: fmt.Sprint("c", i/2)})
		if err == nil && child.Status != core.Running {
			err = fmt.Errorf("%s is %s", child.ID, child.Status)
		}
		faults <- err
	}
	note := func(i int) {
		id := root.ID
		if refused && i == 7 {
			id = "nobody"
		}
		err := reg.Note(id, core.EvLimit, fmt.Sprint("note ", i), "")
		if id == "nobody" && core.CodeOf(err) == core.CodeNotFound {
			err = nil
		} else if id == "nobody" {
			err = fmt.Errorf("a note for nobody: %v", err)
		}
		faults <- err
	}
	for i := range n {
		go start(i)
		go note(i)
	}
	synctest.Wait() // one is at the gate, all others behind it
	close(g.gate)
	for range 2 * n {
		if err := <-faults; err != nil {
			t.Error(err)
		}
	}
	names := map[string]bool{}
	for _, task := range reg.Tasks() {
		names[task.Name] = true
		row, err := readTask(st, task.ID)
		if err != nil || row.Rev != task.Rev || row.Name != task.Name {
			t.Errorf("memory has %+v, the rows %+v (%v)", task, row, err)
		}
	}
	if len(names) != 1+n/2 { // two starts by one call are one task
		t.Errorf("%d names of %d tasks", len(names), len(reg.Tasks()))
	}
	if told.Load() != n/2 {
		t.Errorf("told of %d tasks", told.Load())
	}
	if c := g.commits.Load(); !refused && c > 8 {
		t.Errorf("%d transactions for %d changes that came together", c, 2*n)
	}
	var notes int
	err := reg.View(func(r core.Reader) error {
		events, err := r.Events(core.EventFilter{Kinds: []core.EventKind{core.EvLimit}})
		notes = len(events)
		return err
	})
	if want := map[bool]int{false: n, true: n - 1}[refused]; err != nil || notes != want {
		t.Errorf("%d notes in the timeline, not %d (%v)", notes, want, err)
	}
}

func readTask(s core.Store, id string) (t core.Task, err error) {
	err = s.View(context.Background(), func(r core.Reader) (err error) { t, err = r.Task(id); return err })
	return t, err
}

// Names address tasks: those that one call starts differ from each other too.
func TestNamesOfOneCall(t *testing.T) {
	reg, root := hosted(t, core.Options{})
	start := func(names ...string) (got []string) {
		var all []core.NewTask
		for _, n := range names {
			all = append(all, core.NewTask{Parent: root.ID, Kind: core.KindAgent, Agent: core.Agent{Name: "explore"}, Name: n, Prompt: "p"})
		}
		tasks, err := reg.StartAll(t.Context(), nil, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			got = append(got, task.Name)
		}
		return got
	}
	for _, c := range []struct{ names, want []string }{
		{[]string{"a"}, []string{"a"}},
		{[]string{"a", "a-2"}, []string{"a-2", "a-2-2"}},
		{[]string{"", "", ""}, []string{"explore", "explore-2", "explore-3"}},
		{[]string{"explore-5", "", "", ""}, []string{"explore-5", "explore-4", "explore-6", "explore-7"}},
	} {
		if got := start(c.names...); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, not %q", c.names, got, c.want)
		}
	}
}
