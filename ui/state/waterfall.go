package state

import (
	"slices"
	"strings"
	"time"

	"drover/core"
)

// Phase is what a task was doing for a while.
type Phase int

// The phases there are; PhaseNone is before its start and after its end.
const (
	PhaseNone Phase = iota
	PhaseModel
	PhaseTool
	PhaseChildren
	PhaseApproval
	PhaseParked
	PhaseQueued
	PhaseHook
	PhaseCompacting
	PhaseInterrupted
	PhaseIdle
	phases
)

// Phases are those that a task can be in, in the order of a legend.
func Phases() []Phase {
	var all []Phase
	for p := PhaseModel; p < phases; p++ {
		all = append(all, p)
	}
	return all
}

// Glyph fills the bar; no two phases share one.
func (p Phase) Glyph() string {
	return [phases]string{" ", "█", "▓", "░", "!", "z", "◌", "▒", "≡", "↯", "─"}[p]
}

// Word says the same.
func (p Phase) Word() string {
	return [phases]string{"", "model", "tool", "waits for children", "needs you", "parked", "queued", "hook", "compacting", "interrupted", "idle"}[p]
}

// Busy reports whether time passes on the way to a result: all but idleness and interruption.
func (p Phase) Busy() bool { return p != PhaseNone && p != PhaseIdle && p != PhaseInterrupted }

// Segment is a while of one phase, From up to but not including To.
type Segment struct {
	Phase    Phase
	From, To time.Time
	What     string // the tool, who is waited for
}

// Span is a while.
type Span struct{ From, To time.Time }

// Bar is one task over time.
type Bar struct {
	Task     core.TaskView
	Segments []Segment // oldest first, without holes from the start to the end
	Critical []Span    // when the whole session waited for it, oldest first
}

// Chart is a session's tasks over time. Long whiles in which nobody worked are
// cut short: positions on its axis are durations from the start without them.
type Chart struct {
	From, To time.Time
	Bars     []Bar // parents before children
	cuts     []cut
}

// cut is a while that the axis leaves out.
type cut struct {
	Span
	out time.Duration
}

// NewChart draws tasks, parents before children, from the events of their
// session, oldest first. It is pure: now ends what still runs.
func NewChart(tasks []core.TaskView, events []core.Event, now time.Time) Chart {
	by := map[string]*barBuilder{}
	c := Chart{Bars: make([]Bar, 0, len(tasks))}
	for _, t := range tasks {
		b := &barBuilder{bar: Bar{Task: t}}
		if t.Created != nil { // its events may have been left out
			b.begin(*t.Created, PhaseQueued, "")
		}
		by[t.ID] = b
	}
	for i := range events {
		if b := by[events[i].Task]; b != nil {
			b.event(&events[i])
		}
	}
	for _, t := range tasks {
		b := by[t.ID]
		b.end(now)
		c.Bars = append(c.Bars, b.bar)
	}
	c.bounds(now)
	c.markCritical()
	return c
}

// barBuilder follows one task through its events.
type barBuilder struct {
	bar  Bar
	open Segment // To is not known yet
}

func (b *barBuilder) begin(at time.Time, p Phase, what string) {
	if b.open.Phase == p && b.open.What == what {
		return
	}
	b.close(at)
	b.open = Segment{Phase: p, From: at, What: what}
}

func (b *barBuilder) close(at time.Time) {
	if s := b.open; s.Phase != PhaseNone && at.After(s.From) {
		s.To = at
		b.bar.Segments = append(b.bar.Segments, s)
	}
	b.open = Segment{}
}

func (b *barBuilder) event(e *core.Event) {
	at := e.At
	if at.Before(b.open.From) {
		at = b.open.From
	}
	switch e.Kind {
	case core.EvStart, core.EvSessionStart, core.EvTurn, core.EvResumed:
		b.begin(at, PhaseQueued, "")
	case core.EvActivity, core.EvStep:
		word, what, _ := strings.Cut(e.Text, " ")
		if p := phaseOf(core.Activity(word)); p != PhaseNone {
			b.begin(at, p, what)
		}
	case core.EvApproval:
		b.begin(at, PhaseApproval, "")
	case core.EvParked:
		b.begin(at, PhaseParked, "")
	case core.EvUnparked:
		b.begin(at, PhaseModel, "")
	case core.EvIdle, core.EvFailed, core.EvCompleted, core.EvCancelled:
		b.begin(at, PhaseIdle, "")
	}
}

func phaseOf(a core.Activity) Phase {
	switch a {
	case core.ActModel:
		return PhaseModel
	case core.ActTool:
		return PhaseTool
	case core.ActChildren:
		return PhaseChildren
	case core.ActApproval:
		return PhaseApproval
	case core.ActParked:
		return PhaseParked
	case core.ActQueued:
		return PhaseQueued
	case core.ActHook:
		return PhaseHook
	case core.ActCompacting:
		return PhaseCompacting
	}
	return PhaseNone
}

// end closes the bar as the task is now.
func (b *barBuilder) end(now time.Time) {
	t := &b.bar.Task
	switch {
	case t.Ended != nil:
		b.close(*t.Ended)
		segs := b.bar.Segments
		for len(segs) > 0 && !segs[len(segs)-1].To.Before(*t.Ended) && !segs[len(segs)-1].Phase.Busy() {
			segs = segs[:len(segs)-1] // the end was told just before the row said so
		}
		b.bar.Segments = segs
	case t.Interrupted && t.LastEvent != nil:
		b.begin(later(*t.LastEvent, b.open.From), PhaseInterrupted, "")
		b.close(now)
	case t.Status == core.Idle:
		if b.open.Phase != PhaseIdle && t.LastEvent != nil {
			b.begin(later(*t.LastEvent, b.open.From), PhaseIdle, "")
		}
		b.close(now)
	default:
		b.close(now)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// leastGap is what remains of a while in which nobody worked.
const leastGap = 10 * time.Second

// bounds finds where the chart begins and ends, and what it leaves out.
func (c *Chart) bounds(now time.Time) {
	var busy []Span
	for i := range c.Bars {
		for _, s := range c.Bars[i].Segments {
			if s.Phase.Busy() {
				busy = append(busy, Span{s.From, s.To})
			}
		}
	}
	if len(busy) == 0 {
		c.From, c.To = now, now
		return
	}
	slices.SortFunc(busy, func(a, b Span) int { return a.From.Compare(b.From) })
	c.From, c.To = busy[0].From, busy[0].To
	var gaps []Span
	worked := time.Duration(0)
	for _, s := range busy {
		if s.From.After(c.To) {
			gaps = append(gaps, Span{c.To, s.From})
			worked -= s.From.Sub(c.To)
		}
		c.To = later(c.To, s.To)
	}
	worked += c.To.Sub(c.From)
	keep := max(leastGap, worked/25)
	for _, g := range gaps {
		if d := g.To.Sub(g.From); d > 2*keep {
			c.cuts = append(c.cuts, cut{Span{g.From.Add(keep / 2), g.To.Add(-keep / 2)}, d - keep})
		}
	}
}

// Length of the axis.
func (c *Chart) Length() time.Duration { return c.Pos(c.To) }

// Cuts are the whiles that the axis leaves out, oldest first.
func (c *Chart) Cuts() []Span {
	var all []Span
	for _, k := range c.cuts {
		all = append(all, k.Span)
	}
	return all
}

// Pos is where a time lies on the axis.
func (c *Chart) Pos(t time.Time) time.Duration {
	d := t.Sub(c.From)
	for _, k := range c.cuts {
		if t.Before(k.From) {
			break
		}
		if t.Before(k.To) {
			return d - t.Sub(k.From)
		}
		d -= k.out
	}
	return d
}

// Time is what Pos is of.
func (c *Chart) Time(pos time.Duration) time.Time {
	for _, k := range c.cuts {
		if pos <= k.From.Sub(c.From) {
			break
		}
		pos += k.out
	}
	return c.From.Add(pos)
}

// Cell is one column of a bar: the phase that took most of it.
type Cell struct {
	Phase    Phase
	Critical bool
}

// Cells divides the axis from from up to to into n columns.
func (c *Chart) Cells(b *Bar, from, to time.Duration, n int) []Cell {
	cells := make([]Cell, n)
	if n <= 0 || to <= from {
		return cells
	}
	per := float64(to-from) / float64(n)
	most := make([]float64, n)
	fill := func(a, z time.Time, do func(i int, part float64)) {
		lo, hi := float64(c.Pos(a)-from)/per, float64(c.Pos(z)-from)/per
		for i := max(0, int(lo)); i < n && float64(i) < hi; i++ {
			do(i, min(hi, float64(i+1))-max(lo, float64(i)))
		}
	}
	share := [phases]float64{}
	last := -1
	for _, s := range b.Segments {
		fill(s.From, s.To, func(i int, part float64) {
			if i != last {
				last, share = i, [phases]float64{}
			}
			share[s.Phase] += part
			if !s.Phase.Busy() && cells[i].Phase.Busy() {
				return // work is never hidden by idleness
			}
			if share[s.Phase] > most[i] || s.Phase.Busy() && !cells[i].Phase.Busy() {
				cells[i].Phase, most[i] = s.Phase, share[s.Phase]
			}
		})
	}
	for _, s := range b.Critical {
		fill(s.From, s.To, func(i int, _ float64) { cells[i].Critical = cells[i].Phase != PhaseNone })
	}
	return cells
}

// Sum is how long the bar was in each phase, by phase; idleness is left out.
func (b *Bar) Sum() map[Phase]time.Duration {
	sum := map[Phase]time.Duration{}
	for _, s := range b.Segments {
		if s.Phase.Busy() {
			sum[s.Phase] += s.To.Sub(s.From)
		}
	}
	return sum
}

// At is the segment at that time, or nil.
func (b *Bar) At(t time.Time) *Segment {
	i, found := slices.BinarySearchFunc(b.Segments, t, func(s Segment, t time.Time) int { return s.From.Compare(t) })
	if !found {
		i--
	}
	if i < 0 || !b.Segments[i].To.After(t) {
		return nil
	}
	return &b.Segments[i]
}
