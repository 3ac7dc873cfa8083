package core

import (
	"maps"
	"sync"
	"time"
)

// mostTogether is how many changes share a transaction, so that none waits long:
// of many tasks that start together the first ask their models while the others
// are written.
const mostTogether = 16

// order is a change that waits for its transaction.
type order struct {
	d    Durability
	f    func(*change) error
	c    *change // once it is committed
	err  error
	turn chan bool // false: it is done; true: its goroutine commits what waits
}

// line is where changes wait while others are committed. Whoever comes first
// commits for all who wait, and passes that on: nobody does it for long.
type line struct {
	mu      sync.Mutex
	waiting []*order
	busy    bool
}

// submit returns when o is done. Commit is called by one goroutine at a time.
func (l *line) submit(o *order, commit func([]*order)) {
	if l.add(o) || <-o.turn {
		l.lead(commit)
	}
}

// add reports whether whoever waits for o is to lead.
func (l *line) add(o *order) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, o)
	first := !l.busy
	l.busy = true
	return first
}

// lead commits what waits: the first of it is the order of who calls.
func (l *line) lead(commit func([]*order)) {
	l.mu.Lock()
	n := min(len(l.waiting), mostTogether)
	batch := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	l.mu.Unlock()
	commit(batch)
	l.mu.Lock()
	if len(l.waiting) == 0 {
		l.waiting, l.busy = nil, false
	} else {
		l.waiting[0].turn <- true // before the others: all that come after wait for it
	}
	l.mu.Unlock()
	for _, other := range batch[1:] {
		other.turn <- false
	}
}

// group is what the changes of one transaction have come to.
type group struct {
	session Session
	tasks   map[string]*Task // nil: removed
	changed []string         // in order of first touch
	added   []string
	wrote   []Entry
	quiet   []string
	origins map[string]Origin
	ticked  map[string]bool // tasks with an EvStep without text
	begun   map[string]bool // tasks of which it is said that their turn has begun
	names   map[string]bool // of the tasks it adds
	numbers map[string]int  // by name: the first number that may be free
	now     time.Time
}

func newGroup(s Session, now time.Time) *group {
	return &group{session: s, tasks: map[string]*Task{}, origins: map[string]Origin{}, ticked: map[string]bool{}, begun: map[string]bool{}, names: map[string]bool{}, numbers: map[string]int{}, now: now}
}

// commit writes changes in one transaction, in their order, each one seeing
// what those before it did. Where one fails, each gets a transaction of its own.
func (r *Registry) commit(orders []*order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.together(orders)
	if err == nil {
		return
	}
	if len(orders) == 1 {
		orders[0].err = err
		return
	}
	for i, o := range orders {
		o.err = r.together(orders[i : i+1])
	}
}

// together commits all of the orders, or none. mu is held: rows and memory
// never differ for others.
func (r *Registry) together(orders []*order) error {
	d := Progress
	for _, o := range orders {
		d = max(d, o.d)
	}
	now := r.o.Now().Truncate(time.Millisecond) // as rows keep it
	var g *group
	held := false
	defer func() {
		if held {
			r.memory.Unlock()
		}
	}()
	err := r.store.Update(r.ctx(), d, func(tx Tx) error {
		g = newGroup(r.session, now)
		for _, o := range orders {
			o.c = &change{r: r, g: g, tx: tx, now: now, session: g.session, staged: map[string]*Task{}, origins: map[string]Origin{}}
			if err := o.f(o.c); err != nil {
				return err
			}
			g.take(o.c)
		}
		if err := g.write(tx); err != nil {
			return err
		}
		r.memory.Lock() // from here on nobody reads it until it is what the rows are
		held = true
		return nil
	})
	if err == nil {
		r.remember(g)
	}
	return err
}

// take adds what a change has written.
func (g *group) take(c *change) {
	g.session = c.session
	for id, t := range c.staged {
		g.tasks[id] = t
	}
	g.changed = append(g.changed, c.order...)
	g.added = append(g.added, c.added...)
	g.wrote = append(g.wrote, c.wrote...)
	g.quiet = append(g.quiet, c.quiet...)
	maps.Copy(g.origins, c.origins)
	for _, id := range c.removed {
		g.tasks[id] = nil
	}
}

// write updates the row of each task once, however many changes it has seen.
func (g *group) write(tx Tx) error {
	written := make(map[string]bool, len(g.changed))
	for _, id := range g.changed {
		t := g.tasks[id]
		if t == nil || written[id] {
			continue
		}
		rev, err := tx.UpdateTask(*t)
		if err != nil {
			return err
		}
		t.Rev, written[id] = rev, true
	}
	return nil
}

// remember makes the committed rows memory and wakes who waits for them. mu is held.
func (r *Registry) remember(g *group) {
	r.session = g.session
	for _, id := range g.added {
		r.tails.begin(id)
	}
	r.tails.add(g.wrote)
	for _, id := range g.quiet {
		delete(r.liveRows, id)
	}
	for _, id := range g.added {
		r.tasks[id] = &entry{}
		r.order = append(r.order, id)
	}
	for id, t := range g.tasks {
		if t == nil {
			r.forget(id)
			continue
		}
		e := r.tasks[id]
		e.task = *t
		if g.begun[id] {
			e.began = time.Time{}
		}
		if o, ok := g.origins[id]; ok {
			e.keep(o)
		} else if t.Status.Terminal() {
			e.origin = nil
		}
		if t.Status.Terminal() && e.work == nil { // it never began
			r.tails.end(id)
		}
		r.names[t.Name] = true
		if e.changed != nil {
			close(e.changed)
			e.changed = nil
		}
	}
}

func (r *Registry) forget(id string) {
	delete(r.names, r.tasks[id].task.Name)
	delete(r.tasks, id)
	for i, o := range r.order {
		if o == id {
			r.order = append(r.order[:i], r.order[i+1:]...)
			return
		}
	}
}
