package core

import (
	"maps"
	"slices"
	"strings"
)

// A registry is read in parts, or opening a screen on a large one would take
// as long as reading it. What shows first is whole: sessions where something
// runs or waits, pinned ones, and the newest. Of each other session, a quiet
// one, only the main task comes, with its other tasks summed up; it comes whole
// when it is asked for, or when one of its tasks changes.
const (
	partsFirst = 1_500  // tasks of the newest sessions that come at first
	partsLoad  = 2_000  // tasks that come with one later Pull
	partsCount = 30_000 // tasks that are summed up in one Pull: some 40 ms
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
	sizes, err := p.r.Sizes()
	if err != nil {
		return err
	}
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	if sum <= partsFirst {
		tasks, err := p.r.Tasks(TaskFilter{})
		if err != nil {
			return err
		}
		return p.add(tasks)
	}
	return p.parts(sizes)
}

// parts chooses what comes whole, and sums up the rest.
func (p *puller) parts(sizes map[string]int) error {
	whole, err := p.concerns()
	if err != nil {
		return err
	}
	room := partsFirst
	var quiet []string
	for _, s := range p.u.Sessions { // the newest first
		switch n := sizes[s.ID]; {
		case n <= 1:
			whole[s.ID] = true
		case n <= room:
			whole[s.ID] = true
			room -= n
		case !whole[s.ID]:
			quiet = append(quiet, s.ID)
			room = 0
		}
	}
	mains, err := p.r.Tasks(TaskFilter{IDs: quiet})
	if err != nil {
		return err
	}
	p.u.Rest = map[string]bool{}
	var open, over []string
	for _, t := range mains {
		if p.u.Rest[t.ID] = false; t.Status.Terminal() {
			over = append(over, t.ID)
		} else if t.Status == Running {
			whole[t.ID] = true
		} else {
			open = append(open, t.ID)
		}
	}
	for _, id := range quiet { // a session without its main task has nothing to be folded under
		if _, ok := p.u.Rest[id]; !ok || whole[id] {
			delete(p.u.Rest, id)
			whole[id] = true
		}
	}
	if err := p.count(open, sizes, whole); err != nil { // the header counts these
		return err
	}
	p.u.More = len(over) > 0
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

// count sums up quiet sessions as far as there is time. One where something
// runs after all goes to whole; sizes may be nil.
func (p *puller) count(sessions []string, sizes map[string]int, whole map[string]bool) error {
	var now []string
	for sum := 0; len(now) < len(sessions) && sum < partsCount; {
		id := sessions[len(now)]
		sum += sizes[id]
		now = append(now, id)
	}
	p.u.More = p.u.More || len(now) < len(sessions)
	if len(now) == 0 {
		return nil
	}
	rolled, err := p.r.Rollups(now)
	if err != nil {
		return err
	}
	for _, id := range now {
		p.u.Rest[id] = true
	}
	for _, u := range rolled {
		if u.Running > 0 {
			delete(p.u.Rest, u.Session)
			whole[u.Session] = true
			continue
		}
		p.u.Rolled = append(p.u.Rolled, u)
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
	p.u.Rest = maps.Clone(p.cur.Rest)
	whole, idle := map[string]bool{}, len(p.asked()) == 0
	for id, counted := range p.u.Rest {
		whole[id] = touched[id]
		idle = idle && counted && !touched[id]
	}
	if maps.DeleteFunc(whole, func(_ string, is bool) bool { return !is }); idle {
		return nil
	}
	sizes, err := p.r.Sizes()
	if err != nil {
		return err
	}
	sum := 0
	for _, id := range p.asked() {
		if _, ok := p.u.Rest[id]; !ok || whole[id] {
			continue
		}
		if sum > 0 && sum+sizes[id] > partsLoad {
			p.u.More = true
			break
		}
		sum += sizes[id]
		whole[id] = true
	}
	var uncounted []string
	for id, counted := range p.u.Rest {
		if !counted && !whole[id] {
			uncounted = append(uncounted, id)
		}
	}
	slices.Sort(uncounted)
	if err := p.count(uncounted, sizes, whole); err != nil {
		return err
	}
	for id := range whole {
		delete(p.u.Rest, id)
	}
	return p.whole(slices.Sorted(maps.Keys(whole)))
}

// asked are the sessions that the reader wants whole.
func (p *puller) asked() []string {
	if p.cur.WantAll {
		return slices.Sorted(maps.Keys(p.cur.Rest))
	}
	return p.cur.Want
}
