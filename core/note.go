package core

// Note writes a notable event of a task, in plain words for people.
func (r *Registry) Note(id string, k EventKind, text, ref string) error {
	return r.change(Progress, func(c *change) error {
		if c.peek(id) == nil {
			return noTask(id)
		}
		return c.event(id, k, true, Short(CleanLine(text), 400), ref)
	})
}

// Spent is what a task and everything under it have used.
type Spent struct {
	Tokens    int64 // in and out
	Cost      float64
	CostKnown bool // of every one of them
}

// SubtreeSpent adds up what a task and everything under it have used.
func (r *Registry) SubtreeSpent(id string) Spent {
	r.memory.RLock()
	defer r.memory.RUnlock()
	in := map[string]bool{id: true}
	s := Spent{CostKnown: true}
	for _, o := range r.order {
		t := &r.tasks[o].task
		if o != id && !in[t.Parent] {
			continue
		}
		in[o] = true
		s.Tokens += t.TokensIn + t.TokensOut
		s.Cost += t.Cost
		s.CostKnown = s.CostKnown && (t.CostKnown || t.Steps == 0)
	}
	return s
}
