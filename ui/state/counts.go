package state

import "fmt"

// Counts sums up tasks.
type Counts struct {
	Running, Needs, Idle, Interrupted, Done int // Done: completed, failed or cancelled
	Failed                                  int // of Done
	Parked, Queued                          int // of Running: they wait for a rate limit, or for a slot
	TokensIn, TokensOut                     int64
	Cost                                    float64
	Unpriced                                int // tasks whose price is not known: Cost is too low
}

// Live is how many can still do something.
func (c Counts) Live() int { return c.Running + c.Needs + c.Idle + c.Interrupted }

func (c *Counts) add(o Counts) { c.plus(o, 1) }

// plus adds, or with by -1 takes away.
func (c *Counts) plus(o Counts, by int) {
	c.Running += by * o.Running
	c.Needs += by * o.Needs
	c.Idle += by * o.Idle
	c.Interrupted += by * o.Interrupted
	c.Done += by * o.Done
	c.Failed += by * o.Failed
	c.Parked += by * o.Parked
	c.Queued += by * o.Queued
	c.TokensIn += int64(by) * o.TokensIn
	c.TokensOut += int64(by) * o.TokensOut
	c.Cost += float64(by) * o.Cost
	c.Unpriced += by * o.Unpriced
}

func (c *Counts) count(t *Task) {
	switch t.Look() {
	case LookNeeds:
		c.Needs++
	case LookIdle:
		c.Idle++
	case LookInterrupted:
		c.Interrupted++
	case LookFailed:
		c.Failed++
		c.Done++
	case LookCompleted, LookCancelled:
		c.Done++
	case LookParked:
		c.Parked++
		c.Running++
	case LookQueued:
		c.Queued++
		c.Running++
	default:
		c.Running++
	}
	c.TokensIn += t.TokensIn
	c.TokensOut += t.TokensOut
	if t.Priced {
		c.Cost += t.Cost
	} else {
		c.Unpriced++
	}
}

// Below counts everything under the task, itself not.
func (n *Node) Below() Counts {
	if n.below == nil {
		return Counts{}
	}
	return *n.below
}

// sum is Below, to be changed.
func (n *Node) sum() *Counts {
	if n.below == nil {
		n.below = &Counts{}
	}
	return n.below
}

// Own counts the task alone.
func (n *Node) Own() (c Counts) {
	if n.Head == "" {
		c.count(&n.Task)
	}
	return c
}

// All counts the task and everything under it.
func (n *Node) All() Counts {
	c := n.Own()
	c.add(n.Below())
	return c
}

// Money writes a cost: "" where nothing has cost anything, "?" where no price
// is known, and with a + where some are not.
func (c Counts) Money() string {
	switch {
	case c.Cost == 0 && c.Unpriced > 0:
		return "?"
	case c.Cost == 0:
		return ""
	}
	s := fmt.Sprintf("$%.2f", c.Cost)
	if c.Unpriced > 0 {
		s += "+"
	}
	return s
}
