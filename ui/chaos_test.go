package ui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/ui/state"
)

// Wide characters that do not fit the line being typed scroll it.
func TestWideTextInTheLineBelow(t *testing.T) {
	for _, key := range []string{"/", ":", "<Ctrl-P>"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			shop(f)
			d := drive(t, f, 31, 10, nil)
			d.keys(key + strings.Repeat("漢", 40) + "xy")
			d.sees("漢xy")
			d.quit()
		})
	}
}

// chaosKeys are all keys there are, letters, and words that lead into rare corners.
func chaosKeys() []string {
	keys := strings.Split("<Enter> <Esc> <Tab> <Shift-Tab> <Backspace> <Delete> <Up> <Down> <Left> <Right> <Home> <End> <PgUp> <PgDn> "+
		"<Ctrl-D> <Ctrl-U> <Ctrl-W> <Ctrl-K> <Ctrl-A> <Ctrl-J> <Ctrl-L> <Ctrl-G> <Ctrl-P> <Ctrl-N> <Ctrl-Y> <Ctrl-R> <Ctrl-T> <Ctrl-E> <F1>", " ")
	for _, b := range state.Bindings() {
		for _, k := range b.Keys {
			if r, ok := k.Rune(); ok && r != 'q' {
				keys = append(keys, string(r))
			}
		}
	}
	for _, r := range "é漢👩0123456789 " {
		keys = append(keys, string(r))
	}
	return append(keys, "/is:stuck !status:idle", ":sort cost<Enter>", ":group dir<Enter>", ":waterfall<Enter>", ":view<Enter>", ":tour<Enter>", "m@<Tab>", "n/<Tab>", "<Esc><Esc><Esc>")
}

// Ten thousand random keys at random sizes, while everything changes: no panic, no hang, and leaving works.
func TestTenThousandKeys(t *testing.T) {
	chunks := 20
	if testing.Short() || slow {
		chunks = 4
	}
	for seed := range chunks {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { chaos(t, rand.New(rand.NewPCG(7, uint64(seed))), 10_000/20) })
		})
	}
}

func chaos(t *testing.T, rnd *rand.Rand, n int) {
	f := newFake()
	morning(f)
	catalogue(f)
	declared := []core.Outcome{core.OutcomeDone, core.OutcomeBlocked, core.OutcomeNeedsInput}
	d := drive(t, f, 20+rnd.IntN(180), 5+rnd.IntN(55), func(o *Options) {
		o.Outside.Edit = func(_ context.Context, draft string) (string, error) { return draft + "x", nil }
		o.Outside.Stop = func() error { return nil }
		o.Outside.Open = func(context.Context, string) error { return nil }
		o.Outside.Copy = func(string) error { return nil }
		o.Mouse, o.Title = state.MouseOn, true
	})
	keys, typed := chaosKeys(), ""
	defer d.quit()
	defer func() {
		if t.Failed() {
			t.Logf("typed: %s", typed)
		}
	}()
	for i := range n {
		switch {
		case rnd.IntN(12) == 0:
			d.sim.SetSize(20+rnd.IntN(180), 5+rnd.IntN(55))
		case rnd.IntN(40) == 0:
			d.sim.SetSize(1+rnd.IntN(25), 1+rnd.IntN(8))
		}
		if rnd.IntN(3) == 0 {
			f.change(func() { shake(f, rnd, declared[i%3]) })
		}
		if rnd.IntN(20) == 0 {
			d.sim.InjectMouse(rnd.IntN(200), rnd.IntN(60), 1<<rnd.IntN(10), 0)
			d.sim.InjectMouse(rnd.IntN(200), rnd.IntN(60), 0, 0)
			synctest.Wait()
		}
		k := keys[rnd.IntN(len(keys))]
		typed += k + " "
		d.type1(k)
		if rnd.IntN(8) == 0 {
			d.wait(time.Duration(100+rnd.IntN(1500)) * time.Millisecond)
			d.innocent("after " + typed)
		}
	}
}

// type1 types without waiting for a frame.
func (d *driver) type1(s string) {
	for s != "" {
		if end := strings.Index(s, ">"); s[0] == '<' && end > 0 {
			d.press(s[1:end])
			s = s[end+1:]
		} else {
			r := []rune(s)[0]
			d.sim.InjectKey(256, r, 0)
			s = s[len(string(r)):]
		}
		synctest.Wait()
	}
}

// shake changes something in the registry.
func shake(f *fake, rnd *rand.Rand, o core.Outcome) {
	t := &f.tasks[rnd.IntN(len(f.tasks))]
	text := attacks[rnd.IntN(len(attacks))]
	switch rnd.IntN(9) {
	case 0:
		t.Status, t.Activity, t.NeedsApproval = []core.Status{core.Running, core.Idle, core.Completed, core.Failed, core.Cancelled}[rnd.IntN(5)], "", false
		if t.Status == core.Running {
			t.Activity = []core.Activity{core.ActModel, core.ActTool, core.ActQueued, core.ActParked, core.ActChildren}[rnd.IntN(5)]
		}
	case 1:
		t.Intent, t.Detail = text, text
	case 2:
		f.ask(t.ID, "shell", text, map[string]string{"command": text})
	case 3:
		f.say(t.ID, core.Entry{Turn: t.Turn, Kind: core.EntryAnswer, Text: text})
	case 4:
		f.declare("bmain", o, time.Minute, text, text)
	case 5:
		f.event("bmain", t.ID, core.EvFailed, text)
	case 6:
		if f.live != nil {
			f.live[t.ID] = core.Live{Task: t.ID, Text: text}
		}
	case 7:
		if len(f.tasks) < 60 {
			id := fmt.Sprintf("x%04d", len(f.tasks))
			now := time.Now()
			f.put(core.TaskView{ID: id, Session: t.Session, Parent: t.ID, Kind: core.KindAgent, Agent: "explore", Name: id, Status: core.Running, Activity: core.ActModel, Mode: core.Background, Turn: 1, Created: &now, Started: &now, ActiveSince: now, Depth: t.Depth + 1})
			t = f.task(id)
		}
	case 8:
		for i := range f.approvals {
			f.approvals[i].State = core.AppDenied
			f.touch(f.approvals[i].Task)
		}
	}
	t.Rev++
	f.touch(t.ID)
}

// Two quick clicks in two places are two clicks.
func TestQuickClicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 120, 40, func(o *Options) { o.Mouse = state.MouseOn })
		click := func(y int) {
			d.sim.InjectMouse(8, y, tcell.Button1, 0)
			d.sim.InjectMouse(8, y, 0, 0)
			d.settle()
		}
		click(4)
		click(3)
		d.sees("┌ tasks", "explore-api · explore · ○ idle")
		click(3)
		d.lacks("┌ tasks")
		d.quit()
	})
}

// A key that does nothing where one is says where it does something, to the end of it.
func TestKeyThatDoesNothingSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 60, 20, nil)
		d.keys("a")
		d.sees("a does nothing here", "allow this one tool call")
		d.keys("~")
		d.sees("~ is no key; ? shows all there are")
		d.keys("5")
		d.sees("nothing is pinned to 5", "pins the selected task")
		d.quit()
	})
}
