package run

import (
	"context"
	"fmt"
	"time"

	"drover/core"
)

// wait passes the time before a model call is made again, where people see it:
// a retry keeps its slot, a task at a rate limit is parked and holds none.
func (u *turn) wait(ctx context.Context, m core.ModelWait) error {
	why := core.Short(core.CleanLine(m.Why), 160)
	until := m.Until.Local().Format("15:04:05")
	if !m.Parked {
		text := fmt.Sprintf("%s: the model call failed (%s); try %d of %d at %s", u.t.Label(), why, m.Try+1, m.Most, until)
		if err := u.o.Registry.Note(u.t.ID, core.EvRetry, text, ""); err != nil {
			return err
		}
		if err := u.o.Registry.SetActivity(u.t.ID, core.ActModel, fmt.Sprintf("try %d of %d at %s", m.Try+1, m.Most, until)); err != nil {
			return err
		}
		if err := sleepUntil(ctx, m.Until); err != nil {
			return err
		}
		u.clock.touch()
		return u.o.Registry.SetActivity(u.t.ID, core.ActModel, "")
	}
	if u.graced { // a last answer is not worth that wait
		return core.Errorf(core.CodeRateLimited, "%s", why)
	}
	defer u.clock.hold(core.ActParked)()
	if err := u.o.Registry.Note(u.t.ID, core.EvParked, fmt.Sprintf("%s is parked until %s: %s", u.t.Label(), until, why), ""); err != nil {
		return err
	}
	done, err := u.w.Waiting(ctx, core.ActParked, "until "+until)
	if err != nil {
		return err
	}
	if err := sleepUntil(ctx, m.Until); err != nil {
		return err
	}
	if err := done(); err != nil {
		return err
	}
	u.parked = true
	return u.o.Registry.SetActivity(u.t.ID, core.ActModel, "")
}

// goesOn says so once the model answers a task that was parked: until then it
// may be parked again.
func (u *turn) goesOn() error {
	if !u.parked {
		return nil
	}
	u.parked = false
	return u.o.Registry.Note(u.t.ID, core.EvUnparked, u.t.Label()+" goes on after the rate limit", "")
}

func sleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
