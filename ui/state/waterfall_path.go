package state

import (
	"slices"
	"time"
)

// wakeWithin is how soon after a child's end a turn of its parent counts as caused by it.
const wakeWithin = 3 * time.Second

// markCritical walks back from the end of the work: where a task waited, to the
// child that ended last; where a child began, to its parent. What it passes is
// the critical path: had any of it been quicker, the whole would have been.
func (c *Chart) markCritical() {
	kids, index := map[string][]int{}, map[string]int{}
	for i := range c.Bars {
		t := &c.Bars[i].Task
		index[t.ID] = i
		kids[t.Parent] = append(kids[t.Parent], i)
	}
	at, steps := -1, 0
	var t time.Time
	for i := range c.Bars {
		steps += 2*len(c.Bars[i].Segments) + 2
		if end := c.Bars[i].busyBefore(c.To); end.After(t) {
			at, t = i, end
		}
	}
	for ; at >= 0 && steps > 0; steps-- {
		b := &c.Bars[at]
		s := b.before(t)
		if s == nil || at > 0 && !s.Phase.Busy() { // it began here, or was woken here
			parent, ok := index[b.Task.Parent]
			if !ok {
				break
			}
			at = parent
			continue
		}
		if s.Phase == PhaseChildren || !s.Phase.Busy() {
			kid, end := c.lastEnd(kids[b.Task.ID], s.From, t)
			if kid >= 0 && (s.Phase == PhaseChildren || t.Sub(end) <= wakeWithin) {
				at, t = kid, end
				continue
			}
		}
		if s.Phase.Busy() {
			b.Critical = append(b.Critical, Span{s.From, t})
		}
		t = s.From
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		slices.Reverse(b.Critical)
		b.Critical = joined(b.Critical)
	}
}

// lastEnd is the task whose work ended last after from, up to to.
func (c *Chart) lastEnd(of []int, from, to time.Time) (bar int, end time.Time) {
	bar = -1
	for _, i := range of {
		if e := c.Bars[i].busyBefore(to); e.After(from) && e.After(end) {
			bar, end = i, e
		}
	}
	return bar, end
}

// before is the segment in which the moment before t lies, or nil.
func (b *Bar) before(t time.Time) *Segment {
	i, _ := slices.BinarySearchFunc(b.Segments, t, func(s Segment, t time.Time) int { return s.From.Compare(t) })
	if i == 0 || b.Segments[i-1].To.Before(t) {
		return nil
	}
	return &b.Segments[i-1]
}

// busyBefore is the last moment up to t at which the task was busy; zero if there is none.
func (b *Bar) busyBefore(t time.Time) time.Time {
	i, _ := slices.BinarySearchFunc(b.Segments, t, func(s Segment, t time.Time) int { return s.From.Compare(t) })
	for i--; i >= 0; i-- {
		if s := &b.Segments[i]; s.Phase.Busy() {
			if s.To.After(t) {
				return t
			}
			return s.To
		}
	}
	return time.Time{}
}

func joined(in []Span) []Span {
	var out []Span
	for _, s := range in {
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			out[n-1].To = later(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Leg is a part of the critical path.
type Leg struct {
	Bar  int
	Span Span
}

// Path is the critical path, oldest first.
func (c *Chart) Path() []Leg {
	var all []Leg
	for i := range c.Bars {
		for _, s := range c.Bars[i].Critical {
			all = append(all, Leg{i, s})
		}
	}
	slices.SortStableFunc(all, func(a, b Leg) int { return a.Span.From.Compare(b.Span.From) })
	return all
}
