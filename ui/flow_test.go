package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"drover/core"
)

// A follow-up as a person sees it: written, queued, delivered, answered.
func TestFollowUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 120, 40, nil)
		d.keys(":go explore-api<Enter>mand VAT?<Enter>")
		d.sees("» and VAT?", "r1 queued")
		f.change(func() {
			f.requests[0].State = core.ReqDelivered
			e := f.task("dexpl")
			e.Status, e.Activity, e.Turn, e.ActiveSince, e.Rev = core.Running, core.ActModel, 2, time.Now(), e.Rev+1
			f.say("dexpl", core.Entry{Turn: 2, Kind: core.EntryMessage, Sender: core.SenderUser, Text: "and VAT?"})
			f.live["dexpl"] = core.Live{Task: "dexpl", Text: "VAT is in"}
		})
		d.settle()
		d.sees("explore-api · explore · ● running · turn 2", "VAT is in")
		d.lacks("r1 queued")
		f.change(func() {
			e := f.task("dexpl")
			e.Status, e.Activity, e.ActiveSince, e.Rev = core.Idle, "", time.Time{}, e.Rev+1
			delete(f.live, "dexpl")
			f.say("dexpl", core.Entry{Turn: 2, Step: 1, Kind: core.EntryAnswer, Text: "VAT is in cart/vat.go."})
		})
		d.settle()
		d.sees("VAT is in cart/vat.go.", "○ idle · turn 2")
		if got := d.quit(); got != "4 agents go on; drover brings you back\n" {
			t.Errorf("farewell %q", got)
		}
	})
}

func TestRefusedSendComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 100, 30, nil)
		d.keys(":go explore-api<Enter>mtoo late?")
		f.change(func() { f.task("dexpl").Status = core.Cancelled }) // the screen does not know yet
		d.keys("<Enter>")
		d.sees("the task has ended · start a new one")
		d.wait(3 * time.Second)
		d.sees("draft: too late?")
		d.quit()
	})
}

func TestCancelShowsTheReceipt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 100, 30, nil)
		d.keys(":go plan<Enter>x")
		d.sees("cancel plan and 1 under it: run-tests?")
		d.keys("y")
		d.sees("cancelling plan")
		d.wait(time.Minute) // it takes its time
		f.change(func() {
			for _, id := range []string{"cplan", "gtest"} {
				tk := f.task(id)
				tk.Status, tk.Activity, tk.Rev = core.Cancelled, "", tk.Rev+1
				f.touch(id)
			}
			f.requests[0].State, f.requests[0].Outcome = core.ReqDone, `{"stopped":[{"name":"plan","ms":250},{"name":"run-tests","ms":90}],"not_stopped":[]}`
		})
		d.settle()
		d.sees("stopped plan, run-tests in 250ms", "⊘ plan", "⊘ run-tests")
		d.keys("x")
		d.sees("has already ended: cancelled")
		d.quit()
	})
}

func TestApprovalFromTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		ask(f)
		f.act = func(f *fake, r *core.Request) {
			if r.Kind != core.ReqApprove {
				return
			}
			r.State = core.ReqDone
			f.approvals[0].State = core.AppAllowed
			e := f.task("eedit")
			e.Activity, e.NeedsApproval, e.Rev = core.ActTool, false, e.Rev+1
		}
		d := drive(t, f, 120, 40, nil)
		d.keys("!")
		d.wait(time.Second)
		d.keys("a")
		d.lacks("inbox", "needs you")
		d.sees("allowed")
		if r := f.requests[0]; r.Kind != core.ReqApprove || r.Ref != "a1" || r.Scope != core.ScopeOnce || r.Task != "eedit" {
			t.Errorf("request %+v", r)
		}
		d.quit()
	})
}

func TestNewSessionIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		d := drive(t, f, 80, 24, nil)
		d.sees("n       new session", "?       help", ":tour", "rules, not a language model")
		d.keys("n")
		d.sees("new session ›", "asks you before it writes")
		d.keys("<Tab>")
		d.sees("autopilot: works until")
		d.keys("what is here?<Enter>")
		d.sees("what is here? · main · ● running · turn 1 · autopilot", "you › what is here?")
		d.quit()
	})
}

func TestPasteKeepsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 80, 24, nil)
		d.keys("m")
		d.sim.PostEvent(tcell.NewEventPaste(true))
		for _, r := range "one" {
			d.sim.InjectKey(tcell.KeyRune, r, 0)
		}
		d.sim.InjectKey(tcell.KeyCtrlJ, 0, 0) // some terminals paste line feeds
		for _, r := range "qtwo" {
			d.sim.InjectKey(tcell.KeyRune, r, 0)
		}
		d.sim.PostEvent(tcell.NewEventPaste(false))
		d.settle()
		if got := d.draft(); got != "one\nqtwo" {
			t.Errorf("draft %q", got)
		}
		d.quit()
	})
}

func TestEditorCopyAndSuspend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		copied, stopped := "", 0
		d := drive(t, f, 80, 24, func(o *Options) {
			o.Outside.Edit = func(_ context.Context, draft string) (string, error) { return draft + "\nedited", nil }
			o.Outside.Copy = func(s string) error { copied = s; return nil }
			o.Outside.Stop = func() error { stopped++; return nil }
		})
		d.keys(":go explore-api<Enter>mabc<Ctrl-G>")
		if got := d.draft(); got != "abc\nedited" {
			t.Errorf("draft %q", got)
		}
		d.keys("<Esc>y<Ctrl-Z>")
		if !strings.HasPrefix(copied, "Totals are computed in **three** places") || stopped != 1 {
			t.Errorf("copied %q, stopped %d times", copied, stopped)
		}
		d.keys(":theme light<Enter>")
		d.sees("theme light")
		d.keys(":theme none<Enter>")
		d.sees("themes: dark, light")
		d.quit()
	})
}

// draft is what is being typed, read on the UI goroutine's rest.
func (d *driver) draft() string {
	synctest.Wait()
	return d.p.view.st.Input.Compose.String()
}

func TestHostileTextIsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		evil := "[red]tag[-]\x1b]0;title\x07\x1b[2J\u202eabc\u200b\U000e0041"
		f.change(func() {
			x := f.task("dexpl")
			x.Name, x.Agent, x.Intent, x.Detail, x.Rev = evil, evil, evil, evil, x.Rev+1
			f.sessions["bmain"] = core.Session{ID: "bmain", Title: evil}
			f.ask("eedit", "shell"+evil, evil, map[string]string{"command": evil})
			f.declare("bmain", core.Outcome(evil), time.Minute, evil, evil)
			f.event("bmain", "dexpl", core.EvFailed, evil)
			f.say("eedit", core.Entry{Kind: core.EntryAnswer, Text: evil})
		})
		d := drive(t, f, 120, 40, nil)
		for _, keys := range []string{"", "!", "v", "<Esc>I", "v", "<Esc>q", "Rj", "v", "<Esc>q", "t", "t", "t", "x", "n", "m" + "<Esc>"} {
			d.keys(keys)
			for _, r := range d.text() {
				if r != '\n' && (r < ' ' || r == 0x7f || r == 0x202e || r == 0x200b || r >= 0xe0000) {
					t.Fatalf("after %q: %U on the screen", keys, r)
				}
			}
		}
		d.sees("[red]tag[-]")
		d.quit()
	})
}

// An idle screen has no timers: nothing is read and nothing is drawn.
func TestIdleScreenRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		f.change(func() {
			for i := range f.tasks {
				f.tasks[i].Status, f.tasks[i].Activity, f.tasks[i].ActiveSince = core.Idle, "", time.Time{}
			}
		})
		d := drive(t, f, 80, 24, nil)
		before := f.reads()
		d.wait(24 * time.Hour)
		if n := f.reads(); n != before {
			t.Errorf("%d reads in a day of rest", n-before)
		}
		f.change(func() {
			x := f.task("dexpl")
			x.Status, x.Activity, x.ActiveSince, x.ElapsedMS, x.Rev = core.Running, core.ActModel, time.Now(), 0, x.Rev+1
			f.touch("dexpl")
		})
		d.settle()
		before = f.reads()
		d.wait(60 * time.Second)
		d.sees("1:00")
		if n := f.reads() - before; n < 55 || n > 61 {
			t.Errorf("%d reads in a minute of work", n)
		}
		d.quit()
	})
}

func TestReadErrorIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 80, 24, nil)
		f.change(func() { f.broken = errors.New("database is locked") })
		d.settle()
		d.sees("database is locked")
		f.change(func() { f.broken = nil; f.say("bmain", core.Entry{Kind: core.EntryAnswer, Text: "back again"}) })
		d.wait(3 * time.Second)
		d.sees("back again")
		d.quit()
	})
}

// Scrolling to the beginning fetches what was not read at first.
func TestEarlierEntriesAreFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		f.change(func() {
			for i := range 450 {
				f.say("dexpl", core.Entry{Turn: 1, Kind: core.EntryNote, Text: fmt.Sprintf("note %d", i)})
			}
		})
		d := drive(t, f, 80, 24, nil)
		d.keys(":go explore-api<Enter><Enter>")
		d.sees("note 449")
		for range 5 {
			d.keys("g")
		}
		d.sees("find the handlers")
		d.keys("G")
		d.sees("note 449")
		d.quit()
	})
}

func TestResizeIsSafe(t *testing.T) {
	for _, s := range scenes {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			if s.setup != nil {
				s.setup(f)
			}
			d := drive(t, f, 80, 24, nil)
			d.wait(time.Second)
			d.keys(s.keys)
			for _, size := range [][2]int{{20, 5}, {1, 1}, {19, 4}, {20, 40}, {250, 5}, {250, 80}, {99, 11}, {100, 10}, {21, 6}, {40, 9}, {80, 24}} {
				d.resize(size[0], size[1])
			}
			d.quit()
		})
	}
}

// Any keys at any size: no panic, no hang, and leaving works.
func TestRandomKeys(t *testing.T) {
	alphabet := []string{
		"<Enter>", "<Esc>", "<Tab>", "<Shift-Tab>", "<Backspace>", "<Delete>", "<Up>", "<Down>", "<Left>", "<Right>", "<Home>", "<End>",
		"<PgUp>", "<PgDn>", "<F1>", "<Ctrl-D>", "<Ctrl-U>", "<Ctrl-W>", "<Ctrl-K>", "<Ctrl-A>", "<Ctrl-J>", "<Ctrl-L>", "<Ctrl-G>", "<Ctrl-P>", "<Ctrl-N>", "<Ctrl-Y>",
	}
	for _, r := range "jkghlmsixXbroewWyctfnaAdv!?/:[]q GYN1é漢👩@@TIIRRDzZup=MM" {
		if r != 'q' {
			alphabet = append(alphabet, string(r))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom(alphabet), 1, 60).Draw(rt, "keys")
		sizes := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) [2]int {
			return [2]int{rapid.IntRange(1, 130).Draw(rt, "w"), rapid.IntRange(1, 50).Draw(rt, "h")}
		}), 1, 4).Draw(rt, "sizes")
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			shopAgents(f)
			ask(f)
			f.change(func() {
				f.declare("bmain", core.OutcomeBlocked, time.Minute, "half", "the rest")
				f.ask("gtest", "shell", "npm test -- --grep coupon", map[string]any{"command": "npm test -- --grep coupon"})
			})
			d := drive(t, f, sizes[0][0], sizes[0][1], func(o *Options) {
				o.Outside.Edit = func(_ context.Context, draft string) (string, error) { return draft, nil }
				o.Outside.Stop = func() error { return nil }
				o.Outside.Open = func(context.Context, string) error { return nil }
			})
			for i, k := range keys {
				d.keys(k)
				if i%9 == 8 {
					s := sizes[i%len(sizes)]
					d.resize(s[0], s[1])
				}
			}
			d.quit()
		})
	})
}

// starting is a screen that tells when it takes keys.
type starting struct {
	sized
	ready chan struct{}
}

func (s starting) Init() error {
	defer close(s.ready)
	return s.sized.Init()
}

// Leaving in the middle of a burst of changes and keys ends everything, every time.
func TestQuitInABurst(t *testing.T) {
	rounds := 60
	if testing.Short() || slow {
		rounds = 20
	}
	for range rounds {
		f := newFake()
		shop(f)
		d := &driver{t: t, f: f, sim: tcell.NewSimulationScreen("UTF-8"), done: make(chan error, 1)}
		screen := starting{sized{d.sim, 100, 30}, make(chan struct{})}
		o := Options{Engine: f, Theme: theme(t, "dark"), Screen: screen, Frame: time.Millisecond}
		go func() { d.done <- Run(context.Background(), o) }()
		<-screen.ready
		ctx, stop := context.WithCancel(context.Background())
		burst := make(chan struct{})
		go func() {
			defer close(burst)
			for i := 0; ctx.Err() == nil; i++ {
				f.change(func() {
					x := f.task("dexpl")
					x.Turn, x.Rev = i, x.Rev+1
					f.say("bmain", core.Entry{Kind: core.EntryNote, Text: fmt.Sprint(i)})
				})
			}
		}()
		for _, k := range "jmhello" {
			d.sim.InjectKey(tcell.KeyRune, k, 0)
		}
		d.sim.InjectKey(tcell.KeyEnter, 0, 0)
		d.sim.InjectKey(tcell.KeyRune, 'q', 0)
		select {
		case err := <-d.done:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the screen does not close")
		}
		stop()
		<-burst
	}
	goleak.VerifyNone(t)
}

// A panic anywhere comes back as an error, the terminal restored.
func TestPanicRestoresTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 80, 24, nil)
		f.act = func(*fake, *core.Request) { panic("boom") }
		d.sim.InjectKey(tcell.KeyRune, 'x', 0)
		synctest.Wait()
		d.sim.InjectKey(tcell.KeyRune, 'y', 0)
		err := <-d.done
		if err == nil || !strings.Contains(err.Error(), "boom") {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
	})
}
