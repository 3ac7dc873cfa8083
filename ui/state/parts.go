package state

import (
	"fmt"
	"slices"
	"time"

	"drover/core"
)

// parts is what of a large registry is not here as tasks: of a quiet session
// only the main task is, folded, with the others summed up in its Below.
// restFor is how long the cursor has to rest on a quiet session until its tasks
// are read: who walks past many does not read them all.
const restFor = 150 * time.Millisecond

type parts struct {
	rest map[string]core.Part // these sessions
	went string               // the task to go to when its session is here
	in   string               // that session
	seek string               // what :go looks for meanwhile
	on   string               // the session the cursor is in
	from time.Time            // since when
}

// open makes room for sessions that come whole.
func (t *Tree) open(whole []string) {
	for _, id := range whole {
		n := t.nodes[id]
		if n == nil || n.rest == nil {
			continue
		}
		n.sum().plus(*n.rest, -1)
		n.rest = nil
		if t.parts.rest[id] == core.PartBusy { // it had no room in the first frame
			n.Shut = false
		}
	}
}

// takeParts takes over which sessions are not whole, and what is in them.
func (t *Tree) takeParts(u *core.Update) {
	before := len(t.parts.rest)
	t.parts.rest = u.Rest
	if !t.loaded {
		for id := range u.Rest {
			if n := t.nodes[id]; n != nil {
				n.rest, n.Shut = &Counts{}, true
			}
		}
	}
	for i := range u.Rolled {
		n, sum := t.nodes[u.Rolled[i].Session], rolled(&u.Rolled[i])
		if n == nil || n.rest == nil {
			continue
		}
		n.sum().plus(*n.rest, -1)
		n.sum().add(sum)
		n.rest = &sum
		t.work.stale = t.work.stale || t.HideDone
	}
	if before > 0 && t.loaded {
		for _, id := range u.Whole {
			if n := t.nodes[id]; n != nil {
				t.sortKids(n)
			}
		}
	}
	if before > 0 && len(t.parts.rest) == 0 && t.Order.flat() {
		t.sort()
		t.work.stale = true
	}
}

// rolled are the counts of what a session's rows add up to. Nothing runs there.
func rolled(u *core.Rollup) Counts {
	return Counts{
		Idle: u.Idle, Done: u.Tasks - u.Idle - u.Running, Failed: u.Failed,
		TokensIn: u.TokensIn, TokensOut: u.TokensOut, Cost: u.Cost, Unpriced: u.Unpriced,
	}
}

// Missing are the sessions that have to come whole for what is shown to be
// true: all where tasks are looked for, else those that somebody looks at.
func (s *State) Missing() (all bool, sessions []string) {
	t := &s.Tree
	if len(t.parts.rest) == 0 {
		return false, nil
	}
	if t.looksThrough() {
		return true, nil
	}
	want := func(id string) {
		if _, is := t.parts.rest[id]; is && !slices.Contains(sessions, id) {
			sessions = append(sessions, id)
		}
	}
	want(t.parts.in)
	if s.rested() {
		want(t.parts.on)
	}
	for id := range s.Marks.on {
		want(id) // a mark on what is not whole is on its main task
	}
	for _, n := range t.roots {
		if n.rest != nil && !n.Shut {
			want(n.Task.ID)
		}
	}
	slices.Sort(sessions)
	return false, sessions
}

// looksThrough reports whether what is shown follows from all tasks there are.
func (t *Tree) looksThrough() bool {
	return t.filtered() || t.Order.flat() || t.parts.seek != ""
}

// rested reports whether the cursor has been in its session for long enough.
func (s *State) rested() bool {
	p, on := &s.Tree.parts, ""
	if n := s.Selected(); n != nil {
		on = n.Task.Session
	}
	if on != p.on {
		p.on, p.from = on, s.Now
	}
	return on != "" && s.Now.Sub(p.from) >= restFor
}

// Due is when the screen changes by itself; zero: it does not.
func (s *State) Due() time.Time {
	due, p := s.Review.due, &s.Tree.parts
	if _, waits := p.rest[p.on]; waits && !s.rested() && !s.Tree.looksThrough() {
		if rested := p.from.Add(restFor); due.IsZero() || rested.Before(due) {
			due = rested
		}
	}
	return due
}

// Searching says how far the tasks have been looked through; "" where all of them are.
func (s *State) Searching() string {
	if len(s.Tree.parts.rest) == 0 || !s.Tree.looksThrough() || !s.Tree.loaded {
		return ""
	}
	return fmt.Sprintf("searching… %s to go", plural(len(s.Tree.parts.rest), "session", "sessions"))
}

// Counting reports whether the sums of all sessions that are not over are still being made.
func (s *State) Counting() bool {
	for _, part := range s.Tree.parts.rest {
		if part == core.PartOpen || part == core.PartBusy {
			return true
		}
	}
	return false
}

// goPending goes where a person wanted to go as soon as the tasks are here.
func (s *State) goPending() {
	p := &s.Tree.parts
	if p.went != "" {
		if _, waits := p.rest[p.in]; !waits {
			if !s.Tree.goTo(p.went) {
				s.fail("no task " + p.went)
			}
			p.went, p.in = "", ""
		}
	}
	if p.seek == "" {
		return
	}
	best, rank := s.seek(p.seek)
	switch {
	case rank < goExact && len(p.rest) > 0:
		return
	case best == nil:
		s.fail("no task " + p.seek)
	default:
		s.Tree.goTo(best.Task.ID)
	}
	p.seek = ""
}

// goInto goes to a task of a session that may not be whole yet.
func (s *State) goInto(session, task string) {
	if !s.Tree.goTo(task) {
		s.Tree.parts.went, s.Tree.parts.in = task, session
	}
}
