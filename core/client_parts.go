package core

import (
	"maps"
	"slices"
	"strings"
)

// A registry is read in parts, or opening a screen on a large one would take
// as long as reading it. What shows first is whole: sessions where something
// runs or waits, pinned ones, and the newest. Of each other session, a quiet
// one, only the main task comes, and soon a sum of its other tasks; it comes
// whole when it is asked for, or when one of its tasks changes.
const (
	partsAll   = 1_500  // a registry of so few tasks comes at once
	partsFirst = 500    // else: tasks of the newest sessions, and of those at work, that come at first
	partsLoad  = 2_000  // tasks that come with one later Pull
	partsCount = 15_000 // tasks that are summed up in one Pull: some 20 ms
)

// Part is what is known of a quiet session.
type Part int8

// The parts there are.
const (
	PartOpen   Part = iota // its main task, which is not over; the others are not summed up yet
	PartOver               // its main task, which is over; the others are not summed up yet
	PartSummed             // its main task, and the sum of the others
	PartBusy               // its main task, which runs: it had no room in the first Pull and comes whole soon
)

// all is the first Pull.
func (p *puller) all() (err error) {
	if p.u.Seq, err = p.r.LastSeq(); err != nil {
		return err
	}
	if p.u.Sessions, err = p.r.Sessions(0); err != nil {
		return err
	}
	for _, s := range p.u.Sessions {
		p.v.sessions[s.ID] = s
	}
	if p.u.Reviews, err = reviews(p.r, ""); err != nil {
		return err
	}
	ids := make([]string, len(p.u.Sessions))
	for i := range ids {
		ids[i] = p.u.Sessions[i].ID
	}
	sizes, err := p.sizes(ids, partsAll)
	if err != nil {
		return err
	}
	if len(sizes) == len(ids) {
		tasks, err := p.r.Tasks(TaskFilter{})
		if err != nil {
			return err
		}
		return p.add(tasks)
	}
	return p.parts(ids, within(sizes, partsFirst))
}

// sizes counts the tasks of the first sessions, as far as they are not more
// than room together: of a large registry that is a small part.
func (p *puller) sizes(sessions []string, room int) (sizes []int, err error) {
	for step := 4; len(sizes) < len(sessions) && room >= 0; step *= 2 {
		next := sessions[len(sizes):min(len(sizes)+step, len(sessions))]
		of, err := p.r.Sizes(next)
		if err != nil {
			return nil, err
		}
		for _, id := range next {
			if room -= of[id]; room < 0 {
				break
			}
			sizes = append(sizes, of[id])
		}
	}
	return sizes, nil
}

// within is how many of the first sizes are not more than room together.
func within(sizes []int, room int) (n int) {
	for n < len(sizes) && sizes[n] <= room {
		room -= sizes[n]
		n++
	}
	return n
}

// parts chooses what comes whole: the newest sessions, and those that concern somebody.
func (p *puller) parts(ids []string, newest int) error {
	whole, err := p.concerns()
	if err != nil {
		return err
	}
	for _, id := range ids[:newest] {
		whole[id] = true
	}
	quiet := slices.DeleteFunc(ids, func(id string) bool { return whole[id] })
	mains, err := p.r.Tasks(TaskFilter{IDs: quiet})
	if err != nil {
		return err
	}
	p.u.Rest = map[string]Part{}
	var busy []string
	for _, t := range mains {
		switch p.u.Rest[t.ID] = PartOpen; {
		case t.Status.Terminal():
			p.u.Rest[t.ID] = PartOver
		case t.Status == Running:
			busy = append(busy, t.ID)
		}
	}
	slices.Reverse(busy) // the youngest first
	fit, err := p.sizes(busy, partsFirst)
	if err != nil {
		return err
	}
	for i, id := range busy {
		p.u.Rest[id] = PartBusy
		if i < len(fit) {
			whole[id] = true
		}
	}
	for _, id := range quiet { // a session without its main task has nothing to be folded under
		if _, ok := p.u.Rest[id]; !ok {
			whole[id] = true
		}
	}
	for id := range whole {
		delete(p.u.Rest, id)
	}
	p.u.More = len(p.u.Rest) > 0
	mains = slices.DeleteFunc(mains, func(t Task) bool { return whole[t.ID] })
	if err := p.add(mains); err != nil {
		return err
	}
	return p.whole(slices.Sorted(maps.Keys(whole)))
}

// concerns are the sessions that come whole whatever their age.
func (p *puller) concerns() (map[string]bool, error) {
	whole := maps.Clone(p.v.concerns)
	notes, err := readNotes(p.r)
	if err != nil {
		return nil, err
	}
	var pinned []string
	for key, task := range notes {
		if strings.HasPrefix(key, NoteSlot) {
			pinned = append(pinned, task)
		}
	}
	if len(pinned) == 0 {
		return whole, nil
	}
	tasks, err := p.r.Tasks(TaskFilter{IDs: pinned})
	for _, t := range tasks {
		whole[t.Session] = true
	}
	return whole, err
}

// count sums up quiet sessions as far as there is time, once those at work are
// whole, and first those that are not over. One where something runs after all goes to whole, and so does one
// that has a main task only.
func (p *puller) count(whole map[string]bool) error {
	var busy, open, over []string
	for id, part := range p.u.Rest {
		switch {
		case whole[id]:
		case part == PartBusy:
			busy = append(busy, id)
		case part == PartOpen:
			open = append(open, id)
		case part == PartOver:
			over = append(over, id)
		}
	}
	if len(busy) > 0 {
		p.u.More = true
		return p.some(busy, whole)
	}
	slices.Sort(open)
	slices.Sort(over)
	todo := append(open, over...)
	if len(todo) == 0 {
		return nil
	}
	sizes, err := p.sizes(todo, partsCount)
	if err != nil {
		return err
	}
	now := todo[:max(1, len(sizes))]
	p.u.More = p.u.More || len(now) < len(todo)
	rolled, err := p.r.Rollups(now)
	if err != nil {
		return err
	}
	sums := map[string]bool{}
	for _, u := range rolled {
		sums[u.Session] = true
		if u.Running > 0 {
			whole[u.Session] = true
			continue
		}
		p.u.Rest[u.Session] = PartSummed
		p.u.Rolled = append(p.u.Rolled, u)
	}
	for _, id := range now {
		if !sums[id] {
			whole[id] = true
		}
	}
	return nil
}

// whole adds all tasks of the sessions.
func (p *puller) whole(sessions []string) error {
	if len(sessions) == 0 {
		return nil
	}
	tasks, err := p.r.Tasks(TaskFilter{Sessions: sessions})
	if err != nil {
		return err
	}
	p.u.Whole = sessions
	return p.add(tasks)
}

// rest goes on with what a first Pull has left: what is asked for, what has
// changed (known by touched), what is not summed up yet.
func (p *puller) rest(touched map[string]bool) error {
	if len(p.cur.Rest) == 0 {
		return nil
	}
	p.u.Rest = p.cur.Rest
	whole, counted := map[string]bool{}, true
	for _, part := range p.u.Rest {
		counted = counted && part == PartSummed
	}
	for id := range touched {
		if _, ok := p.u.Rest[id]; ok {
			whole[id] = true
		}
	}
	var asked []string
	for _, id := range p.asked() {
		if _, ok := p.u.Rest[id]; ok && !whole[id] {
			asked = append(asked, id)
		}
	}
	if counted && len(whole) == 0 && len(asked) == 0 {
		return nil
	}
	p.u.Rest = maps.Clone(p.cur.Rest) // the reader has the other
	if err := p.some(asked, whole); err != nil {
		return err
	}
	if err := p.count(whole); err != nil {
		return err
	}
	for id := range whole {
		delete(p.u.Rest, id)
	}
	return p.whole(slices.Sorted(maps.Keys(whole)))
}

// some adds as many of the sessions to whole as one Pull brings.
func (p *puller) some(of []string, whole map[string]bool) error {
	if len(of) == 0 {
		return nil
	}
	slices.Sort(of)
	sizes, err := p.sizes(of, partsLoad)
	if err != nil {
		return err
	}
	now := max(1, len(sizes))
	for _, id := range of[:now] {
		whole[id] = true
	}
	p.u.More = p.u.More || now < len(of)
	return nil
}

// asked are the sessions that the reader wants whole.
func (p *puller) asked() []string {
	if p.cur.WantAll {
		return slices.Sorted(maps.Keys(p.cur.Rest))
	}
	return p.cur.Want
}
