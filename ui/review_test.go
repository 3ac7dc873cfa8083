package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// A morning's review: each completion is looked at, put off, or followed up.
func TestReviewRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		declared(f)
		d := drive(t, f, 120, 40, nil)
		d.sees("3 to review")
		d.keys("R")
		d.sees("¿ needs input", "■ blocked", "✓ done", "cart/total.go (3 times)", "$0.12")
		d.keys("jd")
		d.sees("2 to review", "1 completion reviewed")
		d.keys("gz")
		d.sees("1 to review", "snoozed for 1:00:00")
		d.wait(time.Hour + time.Second)
		d.sees("2 to review", "¿ needs input")
		d.keys("gmthe first<Enter>")
		if r := f.requests[0]; r.Task != "hold2" || r.Text != "the first" {
			t.Errorf("sent %+v", r)
		}
		d.keys("D")
		d.sees("mark 2 completions as reviewed: Fix flaky test, Fix flaky test?")
		d.wait(time.Second)
		d.keys("y")
		d.sees("All is reviewed")
		d.keys("f<Enter>")
		d.sees("Fix flaky test · main")
		d.quit()
	})
}

// Everything that waits is answered from one place, whatever is selected in the tree.
func TestInboxRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		asked(f)
		f.act = func(f *fake, r *core.Request) {
			if id, ok := core.ParseRef('a', r.Ref); ok {
				r.State, f.approvals[id-1].State = core.ReqDone, core.AppAllowed
				f.task(f.approvals[id-1].Task).NeedsApproval = false
				f.task(f.approvals[id-1].Task).Rev++
			}
		}
		d := drive(t, f, 120, 40, nil)
		d.keys(":go survey<Enter>I")
		d.wait(time.Second)
		d.sees("inbox · 3", "A adds       shell(npm test -- --grep coupon)", "a allow  A always  d deny")
		d.keys("=")
		d.sees("allow 2 identical calls of shell npm test -- --grep coupon? Asked by", "Add coupon support › edit-cart", "Add coupon support › plan ›")
		d.wait(time.Second)
		d.keys("y")
		d.sees("inbox · 1")
		d.wait(time.Second)
		d.keys("dnot yet<Enter>")
		d.sees("Nothing needs you.")
		if len(f.requests) != 3 || f.requests[2].Kind != core.ReqDeny || f.requests[2].Text != "not yet" || f.requests[2].Task != "cplan" {
			t.Errorf("requests %+v", f.requests)
		}
		d.quit()
	})
}
