package ui

import (
	"context"
	"time"

	"drover/core"
)

const (
	tick  = time.Second   // clocks on the screen, while something runs
	check = tick * 9 / 10 // whether hosts live, while something runs: at each tick, which may come a little early
	retry = time.Second   // after a registry that could not be read
	tail  = 200           // entries of a transcript that are read at first
	much  = 500           // tasks in one update
)

// pump brings news in: what the engine says has changed, results of the
// worker, the tick of the clocks. It enters the UI goroutine once for all that
// came together, and not more often than once a frame. With nothing running it
// waits without any timer.
func (p *program) pump(ctx context.Context) {
	in := &intake{pull: true}
	from := &sources{changed: p.o.Engine.Watch(ctx), wake: p.wake, back: p.back}
	var cur core.Cursor
	var ticker *time.Ticker
	defer func() {
		if ticker != nil {
			ticker.Stop()
		}
	}()
	last, checked, opened, live := time.Time{}, time.Now(), false, false
	for {
		if !in.any() {
			in.receive(ctx, from, nil)
		}
		if !in.settle(ctx, from, p.o.Frame-time.Since(last)) {
			return
		}
		if in.ticked && time.Since(checked) >= check {
			in.pull = true
		}
		var u core.Update
		var err error
		if in.pull {
			u, err = p.pull(ctx, &cur)
			checked = time.Now()
		}
		if ctx.Err() != nil {
			return
		}
		results, pulled, ticks, due := in.results, in.pull, false, time.Time{}
		enter := p.app.QueueUpdateDraw
		if still := pulled && nothing(&u, &live); still && err == nil && opened && !in.ticked && len(results) == 0 {
			enter = p.app.QueueUpdate // who only asked what is new shows nothing new
		}
		enter(func() {
			v := p.view
			v.st.Now = time.Now()
			for _, f := range results {
				f(v)
			}
			switch {
			case err != nil:
				v.st.Fail(err)
			case pulled:
				v.apply(u)
			default:
				v.refocus()
			}
			v.st.Tick()
			ticks, due = v.st.Ticks(), v.st.Due()
		})
		if pulled && err == nil {
			p.loaded(!opened || len(u.Tasks) >= much)
			opened = true
		}
		last = time.Now()
		*in = intake{pull: u.More}
		if err != nil && !in.pause(ctx) {
			return
		}
		if !due.IsZero() { // a snoozed completion wakes, or the cursor has rested
			from.due = time.After(max(0, time.Until(due)))
		}
		switch {
		case ticks && ticker == nil:
			ticker = time.NewTicker(tick)
			from.ticks = ticker.C
		case !ticks && ticker != nil:
			ticker.Stop()
			ticker, from.ticks = nil, nil
		}
	}
}

// pull reads what is newer than the cursor, and moves it.
func (p *program) pull(ctx context.Context, cur *core.Cursor) (core.Update, error) {
	f := p.view.focus.Load()
	cur.Focus, cur.Entry, cur.Tail, cur.Want, cur.WantAll = f.task, f.last, tail, f.want, f.all
	u, err := p.o.Engine.Pull(ctx, *cur)
	if err == nil {
		cur.Seq, cur.Hosts, cur.NotesRev, cur.Rest = u.Seq, u.Hosts, u.NotesRev, u.Rest
	}
	return u, err
}

// loaded tells that a frame stands for which much has been read.
func (p *program) loaded(much bool) {
	if much && p.o.Loaded != nil {
		p.o.Loaded()
	}
}

// nothing reports whether an update changes nothing on the screen; live is
// whether there was text of an answer that is being written.
func nothing(u *core.Update, live *bool) bool {
	was := *live
	*live = u.Focus != nil && u.Focus.Live.Text != ""
	return !was && !*live && (u.Focus == nil || len(u.Focus.Entries) == 0) && u.Notes == nil &&
		len(u.Sessions)+len(u.Tasks)+len(u.Changed)+len(u.Requests)+len(u.Approvals)+len(u.Events)+len(u.Reviews)+len(u.Rolled)+len(u.Whole) == 0
}

// sources are where things come from.
type sources struct {
	changed <-chan struct{}
	wake    <-chan struct{}
	back    <-chan func(*view)
	ticks   <-chan time.Time
	due     <-chan time.Time
}

// intake is what has come in since the last frame.
type intake struct {
	pull, ticked bool
	results      []func(*view)
}

func (in *intake) any() bool { return in.pull || in.ticked || len(in.results) > 0 }

// receive waits for one thing, at most until the timer.
func (in *intake) receive(ctx context.Context, from *sources, timer <-chan time.Time) (more bool) {
	select {
	case <-ctx.Done():
		return false
	case <-timer:
		return false
	case _, ok := <-from.changed:
		if !ok {
			from.changed = nil // ctx has ended
		}
		in.pull = true
	case <-from.wake:
		in.pull = true
	case <-from.ticks:
		in.ticked = true
	case <-from.due:
		in.ticked, from.due = true, nil
	case f := <-from.back:
		in.results = append(in.results, f)
	}
	return true
}

// settle gathers what else comes before the next frame is due; false when ctx has ended.
func (in *intake) settle(ctx context.Context, from *sources, wait time.Duration) bool {
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		for in.receive(ctx, from, timer.C) {
		}
	}
	return ctx.Err() == nil
}

// pause waits before a registry that could not be read is read again.
func (in *intake) pause(ctx context.Context) bool {
	in.pull = true
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retry):
		return true
	}
}
