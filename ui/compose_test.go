package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// Files come off the UI goroutine, from the folder of the task that is written to.
func TestMentionAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		f.change(func() {
			f.task("dexpl").Dir = "/home/me/shop/api"
			f.files = []string{"vat/rate.go", "vat/rate_test.go"}
		})
		d := drive(t, f, 80, 24, nil)
		d.keys(":go explore-api<Enter>mread @rate")
		d.sees("@vat/rate.go file", "@vat/rate_test.go file")
		d.keys("<Tab>")
		if got := d.draft(); got != "read @vat/rate.go" {
			t.Errorf("draft %q", got)
		}
		d.keys(" and @vat")
		if len(f.dirs) != 1 || f.dirs[0] != "/home/me/shop/api" {
			t.Errorf("asked for the files of %q", f.dirs)
		}
		d.quit()
	})
}

// What was sent is there for the next screen.
func TestHistoryIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 80, 24, nil)
		d.keys(":go explore-api<Enter>mfirst<Enter>msecond<Enter>")
		d.quit()
		d = drive(t, f, 80, 24, nil)
		d.keys("m<Up><Up>")
		if got := d.draft(); got != "first" {
			t.Errorf("recalled %q", got)
		}
		d.quit()
	})
}

// The cursor goes up by the rows that are seen.
func TestUpGoesByRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 40, 20, nil)
		d.keys(":go explore-api<Enter>mone two three four five six seven eight nine ten<Up>X")
		if got := d.draft(); got != "one two thXree four five six seven eight nine ten" {
			t.Errorf("draft %q\n%s", got, d.text())
		}
		d.keys("<Down>Y")
		if got := d.draft(); got != "one two thXree four five six seven eight nine tenY" {
			t.Errorf("draft %q\n%s", got, d.text())
		}
		d.quit()
	})
}

// Delivered is not read: the screen tells both.
func TestDeliveryOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		d := drive(t, f, 120, 40, nil)
		d.keys(":go edit-cart<Enter>mand VAT?<Enter>")
		d.sees("» and VAT?", "r1 queued, after turn 1")
		f.change(func() {
			f.requests[0].State, f.requests[0].Turn = core.ReqDelivered, 2
			e := f.task("eedit")
			e.Turn, e.Rev = 2, e.Rev+1
			f.touch("eedit")
		})
		d.settle()
		d.sees("> and VAT?", "r1 delivered in turn 2, not read yet")
		f.change(func() {
			e := f.task("eedit")
			e.Steps, e.Rev = e.Steps+1, e.Rev+1
			f.touch("eedit")
		})
		d.settle()
		d.sees("✓ and VAT?", "r1 read")
		d.wait(10 * time.Second)
		d.lacks("r1 read")
		d.quit()
	})
}
