package core

import (
	"context"
	"maps"
	"slices"
)

// Pull returns what is newer than the cursor, from one snapshot. It is the
// only thing a screen reads while it runs.
func (c *Client) Pull(ctx context.Context, cur Cursor) (Update, error) {
	return view(ctx, c.Store, func(r Reader) (u Update, err error) {
		p := &puller{c: c, r: r, cur: cur}
		if p.v, err = c.newViewer(r); err != nil {
			return u, err
		}
		if cur.Seq == 0 {
			err = p.all()
		} else {
			err = p.changed()
		}
		if err == nil {
			err = p.hosts()
		}
		if err == nil {
			err = p.open()
		}
		if err == nil {
			err = p.notes()
		}
		if err == nil && cur.Focus != "" {
			err = p.focus()
		}
		return p.u, err
	})
}

type puller struct {
	c   *Client
	r   Reader
	v   *viewer
	cur Cursor
	u   Update
}

func (p *puller) changed() error {
	events, err := p.r.Events(EventFilter{After: p.cur.Seq})
	if err != nil {
		return err
	}
	p.u.Seq = p.cur.Seq
	ids, sessions, reviewed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range events {
		p.u.Seq = e.Seq
		if e.Task != "" {
			ids[e.Task] = true
		}
		sessions[e.Session] = true
		if e.Notable {
			p.u.Events = append(p.u.Events, e)
		}
		if e.Kind == EvTaskComplete || e.Kind == EvReview {
			reviewed[e.Session] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(reviewed)) {
		of, err := reviews(p.r, id+"#")
		if err != nil {
			return err
		}
		p.u.Reviews = append(p.u.Reviews, of...)
	}
	for _, id := range slices.Sorted(maps.Keys(sessions)) {
		s, err := p.v.session(id)
		if CodeOf(err) == CodeNotFound { // it has been removed: what is on the screen of it stays until that closes
			continue
		}
		if err != nil {
			return err
		}
		p.u.Sessions = append(p.u.Sessions, s)
	}
	if err := p.rest(sessions); err != nil {
		return err
	}
	for _, t := range p.u.Tasks { // its session has come whole
		delete(ids, t.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	tasks, err := p.r.Tasks(TaskFilter{IDs: slices.Collect(maps.Keys(ids))})
	if err != nil {
		return err
	}
	return p.add(tasks)
}

func (p *puller) add(tasks []Task) error {
	p.u.Tasks, p.u.Changed = slices.Grow(p.u.Tasks, len(tasks)), slices.Grow(p.u.Changed, len(tasks))
	for _, t := range tasks {
		tv, err := p.v.view(t)
		if err != nil {
			return err
		}
		p.u.Tasks = append(p.u.Tasks, tv)
		p.u.Changed = append(p.u.Changed, t.ID)
	}
	return nil
}

// hosts notices hosts that have come or gone: that changes no row.
func (p *puller) hosts() error {
	p.u.Hosts = map[string]bool{}
	for _, t := range p.u.Tasks {
		if t.Status == Running {
			p.u.Hosts[t.Session] = !t.Interrupted
		}
	}
	for s, was := range p.cur.Hosts {
		is := p.v.holding(s)
		if _, seen := p.u.Hosts[s]; !seen && (is || was) {
			p.u.Hosts[s] = is
		}
		if is == was {
			continue
		}
		tasks, err := p.r.Tasks(TaskFilter{Session: s, Live: true})
		if err != nil {
			return err
		}
		running := false
		for _, t := range tasks {
			running = running || t.Status == Running
		}
		if running {
			p.u.Hosts[s] = is // keep watching: it may be resumed
			tasks = slices.DeleteFunc(tasks, func(t Task) bool { return slices.Contains(p.u.Changed, t.ID) })
			if err := p.add(tasks); err != nil {
				return err
			}
		}
	}
	return nil
}

// open adds the open requests and approvals of the changed tasks.
func (p *puller) open() error {
	if len(p.u.Changed) == 0 {
		return nil
	}
	changed := map[string]bool{}
	for _, id := range p.u.Changed {
		changed[id] = true
	}
	reqs, err := p.r.Requests(RequestFilter{States: []RequestState{ReqQueued}})
	if err != nil {
		return err
	}
	for _, q := range reqs {
		if changed[q.Task] && q.Kind != ReqNotice {
			p.u.Requests = append(p.u.Requests, q)
		}
	}
	apps, err := p.r.Approvals(ApprovalFilter{States: []ApprovalState{AppPending}})
	if err != nil {
		return err
	}
	for _, a := range apps {
		if changed[a.Task] {
			p.u.Approvals = append(p.u.Approvals, a)
		}
	}
	return nil
}

func (p *puller) focus() error {
	f := &Focus{Task: p.cur.Focus}
	var err error
	if p.cur.Entry == 0 && p.cur.Tail > 0 {
		f.Entries, err = p.r.Tail(p.cur.Focus, 0, p.cur.Tail)
		if len(f.Entries) > 0 {
			f.First = f.Entries[0].Seq
		}
	} else {
		f.Entries, err = p.r.Entries(p.cur.Focus, p.cur.Entry, 0)
	}
	if err != nil {
		return err
	}
	live, err := p.r.LiveTexts([]string{p.cur.Focus})
	if err != nil {
		return err
	}
	if len(live) > 0 {
		f.Live = live[0]
	}
	p.u.Focus = f
	return nil
}
