package state

import (
	"slices"
	"time"

	"drover/core"
)

// ChartView is the waterfall of a session and the part of it that is looked at.
type ChartView struct {
	Chart          Chart
	Task           string        // of the row with the cursor
	From, To       time.Duration // on the axis; both zero: all of it
	session        string
	events         []core.Event
	last           int64
	loaded         bool
	loading, stale bool
}

// maxChartEvents bounds what is kept of a session's progress.
const maxChartEvents = 200_000

// ChartKinds are the events that a waterfall is drawn from.
func ChartKinds() []core.EventKind {
	return []core.EventKind{core.EvSessionStart, core.EvStart, core.EvTurn, core.EvIdle, core.EvCompleted, core.EvFailed, core.EvCancelled,
		core.EvResumed, core.EvActivity, core.EvStep, core.EvApproval, core.EvParked, core.EvUnparked}
}

func (s *State) wantChart(session string) []Effect {
	c := &s.Chart
	if c.loading {
		return nil
	}
	if c.session != session {
		*c = ChartView{session: session, Task: s.Tree.Selected}
	}
	if c.loaded && !c.stale {
		return nil
	}
	c.loading, c.stale = true, false
	return []Effect{LoadChart{Session: session, After: c.last}}
}

// AddChart takes over events of a session since the last time.
func (s *State) AddChart(session string, evs []core.Event, err error) []Effect {
	c := &s.Chart
	c.loading = false
	if err != nil {
		s.Fail(err)
		return nil
	}
	if session == c.session {
		c.loaded = true
		for _, e := range evs {
			if e.Seq > c.last && (e.Kind != core.EvStep || e.Text != "") {
				c.events = append(c.events, e)
			}
			c.last = max(c.last, e.Seq)
		}
		if n := len(c.events) - maxChartEvents; n > 0 {
			c.events = slices.Clone(c.events[n:])
		}
		s.redrawChart()
	}
	return s.after()
}

// Charted reports whether the waterfall has been read.
func (s *State) Charted() bool {
	n := s.Selected()
	return n != nil && s.Chart.loaded && s.Chart.session == n.Task.Session
}

func (s *State) redrawChart() {
	var tasks []core.TaskView
	var add func(*Node)
	add = func(n *Node) {
		tasks = append(tasks, n.Task.View())
		for _, k := range n.Kids {
			add(k)
		}
	}
	root := s.Tree.nodes[s.Chart.session]
	if root == nil {
		return
	}
	add(root)
	s.Chart.Chart = NewChart(tasks, s.Chart.events, s.Now)
}

// Window is the part of the axis that is shown.
func (c *ChartView) Window() (from, to time.Duration) {
	if c.To <= c.From {
		return 0, max(c.Chart.Length(), time.Second)
	}
	return c.From, c.To
}

// Row is the index of the bar with the cursor.
func (c *ChartView) Row() int {
	return max(0, slices.IndexFunc(c.Chart.Bars, func(b Bar) bool { return b.Task.ID == c.Task }))
}

// leastWindow is how far one can zoom in.
const leastWindow = 100 * time.Millisecond

func zooms(by float64) func(*State) []Effect {
	return func(s *State) []Effect {
		c := &s.Chart
		from, to := c.Window()
		mid, half := (from+to)/2, time.Duration(float64(to-from)*by/2)
		c.set(mid-half, mid+half)
		return nil
	}
}

func pans(by float64) func(*State) []Effect {
	return func(s *State) []Effect {
		c := &s.Chart
		from, to := c.Window()
		step := time.Duration(float64(to-from) * by)
		all := max(c.Chart.Length(), time.Second)
		step = max(-from, min(step, all-to))
		c.set(from+step, to+step)
		return nil
	}
}

// set keeps the window within the axis; all of it follows what comes.
func (c *ChartView) set(from, to time.Duration) {
	all := max(c.Chart.Length(), time.Second)
	if to-from < leastWindow {
		to = from + leastWindow
	}
	if to-from >= all {
		c.From, c.To = 0, 0
		return
	}
	from = max(0, min(from, all-(to-from)))
	c.From, c.To = from, from+min(to-from, all)
}

func (s *State) wholeChart() []Effect {
	s.Chart.From, s.Chart.To = 0, 0
	return nil
}

func chartMoves(by int) func(*State) []Effect {
	return func(s *State) []Effect {
		c := &s.Chart
		if n := len(c.Chart.Bars); n > 0 {
			c.Task = c.Chart.Bars[max(0, min(c.Row()+by, n-1))].Task.ID
		}
		return nil
	}
}

func (s *State) openCharted() []Effect {
	if s.Chart.Task == "" || s.Tree.nodes[s.Chart.Task] == nil {
		return nil
	}
	s.Tree.goTo(s.Chart.Task)
	return s.turnTo(ShowTranscript)
}
