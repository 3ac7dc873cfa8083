package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/ui/state"
)

// click presses and lets go of the left button where the screen shows the text first.
func (d *driver) click(at string) {
	d.t.Helper()
	for y, line := range strings.Split(d.text(), "\n") {
		if x := strings.Index(line, at); x >= 0 {
			d.clickAt(textWidth(line[:x]), y)
			return
		}
	}
	d.t.Fatalf("nowhere to click at: %q\n%s", at, d.text())
}

func (d *driver) clickAt(x, y int) {
	d.sim.InjectMouse(x, y, tcell.Button1, tcell.ModNone)
	synctest.Wait()
	d.sim.InjectMouse(x, y, tcell.ButtonNone, tcell.ModNone)
	d.settle()
}

func mouseOn(o *Options) { o.Mouse = state.MouseOn }

// A click on a tab turns to its page, at every size that shows tabs.
func TestMouseTurnsPages(t *testing.T) {
	for _, size := range sizes {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			morning(f)
			d := drive(t, f, size[0], size[1], mouseOn)
			d.keys(":go edit-cart<Enter>")
			st := d.p.view.st
			for _, c := range []struct {
				at   string
				want state.Show
			}{{"definition  ", state.ShowDefinition}, {"turns  ", state.ShowTurns}, {"timeline  ", state.ShowTaskEvents}, {"files  ", state.ShowFiles}, {"transcript  ", state.ShowTranscript}, {">", state.ShowTurns}, {"< ", state.ShowTranscript}} {
				d.click(c.at)
				if st.View.Show != c.want || st.View.Pane != state.PaneDetail {
					t.Fatalf("%v: a click on %q shows page %d, not %d\n%s", size, c.at, st.View.Show, c.want, d.text())
				}
			}
			d.keys("t")
			d.click("waterfall")
			if st.View.Show != state.ShowWaterfall {
				t.Errorf("%v: a click on waterfall shows page %d", size, st.View.Show)
			}
			d.quit()
		})
	}
}

// Lists that stand in place of the tasks: a click chooses a row, two open it, the wheel moves.
func TestMouseInLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		asked(f)
		f.change(func() {
			f.declare("bmain", core.OutcomeBlocked, 70*time.Second, "Coupons.", "the admin page")
		})
		d := drive(t, f, 80, 24, mouseOn)
		st := d.p.view.st
		d.keys("I")
		d.click("write_file docs/plan.md")
		if q := st.Question(); q == nil || q.Task != "cplan" {
			t.Errorf("a click on plan's call chooses %+v", q)
		}
		if len(f.requests) != 0 || !st.Inbox.Open {
			t.Error("one click did more than choose")
		}
		d.sim.InjectMouse(5, 3, tcell.WheelDown, tcell.ModNone)
		d.settle()
		if q := st.Question(); q == nil || q.Task != "gtest" {
			t.Errorf("the wheel chooses %+v", q)
		}
		y := slices.IndexFunc(strings.Split(d.text(), "\n"), func(l string) bool { return strings.Contains(l, "docs/plan.md") })
		d.clickAt(10, y)
		d.clickAt(10, y)
		if st.Inbox.Open || st.Tree.Selected != "cplan" {
			t.Errorf("two clicks do not open who asks: %s", st.Tree.Selected)
		}
		d.keys("R")
		d.click("■ blocked")
		if led := st.Led(); led == nil || led.Session != "bmain" {
			t.Errorf("a click on the blocked one chooses %+v", led)
		}
		d.click("✓ done")
		if led := st.Led(); led == nil || led.Session != "hold2" {
			t.Errorf("a click on the done one chooses %+v", led)
		}
		d.click("Esc back")
		if st.Review.Open {
			t.Error("a click on Esc back does not go back")
		}
		d.quit()
	})
}

// What was found in transcripts, and the palette: a click chooses, another on the same does it.
func TestMouseInWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		found(f)
		d := drive(t, f, 120, 40, mouseOn)
		st := d.p.view.st
		d.keys(":search comp<Enter>")
		last := len(st.Hits.Found.Hits) - 1
		if last < 1 {
			t.Fatal("one place is too few")
		}
		d.clickAt(20, 2+2*last)
		if st.Hits.At != last || st.View.Mode != state.Finding {
			t.Errorf("a click chooses place %d, not %d", st.Hits.At, last)
		}
		task := st.Hits.Found.Hits[last].Task
		d.clickAt(20, 2+2*last)
		if st.View.Mode != state.Normal || st.Tree.Selected != task {
			t.Errorf("a click on the chosen one does not go there: %s", st.Tree.Selected)
		}
		d.keys("<Esc><Esc><Ctrl-P>timeline of")
		d.click("timeline  ")
		d.click("timeline  ")
		if st.View.Mode != state.Normal || st.View.Show != state.ShowTimeline {
			t.Errorf("two clicks on an action of the palette do not do it: %v\n%s", st.View.Show, d.text())
		}
		d.quit()
	})
}

// The keys that a card or a question names can be clicked; what lies under a
// window cannot, nor is a letter typed by a click while a message is written.
func TestMouseOnCards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		ask(f)
		d := drive(t, f, 120, 40, mouseOn)
		st := d.p.view.st
		d.keys("!")
		d.wait(time.Second)
		d.keys("mhello ")
		d.click("A always")
		d.click("a allow")
		if got := st.Input.Compose.String(); got != "hello " || len(f.requests) != 0 {
			t.Errorf("clicks while a message is written: draft %q, requests %+v", got, f.requests)
		}
		d.keys("<Esc>:tour<Enter>!")
		d.click(":tour end")
		if st.View.Pane != state.PaneTree {
			t.Error("a click goes through the tour's window")
		}
		d.keys("<Esc>:tour end<Enter>!x")
		d.sees("cancel edit-cart?")
		d.clickAt(60, 17) // in the middle of the question
		d.click("transcript  turns")
		if st.View.Mode != state.Confirming || st.View.Show != state.ShowTranscript {
			t.Error("what lies under a question takes clicks")
		}
		d.click("n no")
		if st.View.Mode != state.Normal || len(f.requests) != 0 {
			t.Errorf("a click on no: mode %v, requests %+v", st.View.Mode, f.requests)
		}
		d.keys("x")
		d.wait(time.Second)
		d.click("y yes")
		if len(f.requests) != 1 || f.requests[0].Kind != core.ReqCancel {
			t.Errorf("a click on yes: %+v", f.requests)
		}
		d.wait(time.Second)
		d.click("a allow")
		if len(f.requests) != 2 || f.requests[1].Kind != core.ReqApprove {
			t.Errorf("a click on allow: %+v", f.requests)
		}
		d.quit()
	})
}
