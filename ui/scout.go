package ui

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"drover/core"
	"drover/ui/state"
)

// lookAgain is how long after an answer the catalogue is asked for again while
// it is on the screen: what is dropped in place is there within a second.
const lookAgain = 800 * time.Millisecond

// scout asks which agents and commands there are: once at the start, then only
// while they are on the screen. A slow disk holds up neither pump nor worker.
type scout struct {
	on  atomic.Bool
	ask chan struct{} // now, and the answer is wanted even where nothing has changed
}

func (s *scout) now() {
	select {
	case s.ask <- struct{}{}:
	default: // it has been told already
	}
}

// follow tells the scout what is on the screen.
func (s *scout) follow(on bool) {
	if !s.on.Swap(on) && on {
		s.now()
	}
}

func (p *program) scouting(ctx context.Context) {
	sent, err := p.o.Engine.History(ctx)
	p.report(ctx, func(v *view) {
		v.st.SetHistory(sent)
		if err != nil {
			v.st.Fail(err)
		}
	})
	var last state.Catalogue
	for wanted := true; ; {
		c := p.catalogue(ctx)
		if ctx.Err() != nil {
			return
		}
		if wanted || !reflect.DeepEqual(c, last) {
			last = c
			p.report(ctx, func(v *view) { v.catalogue(c) })
		}
		if wanted = p.scout.rest(ctx); ctx.Err() != nil {
			return
		}
	}
}

// rest waits until it is time to ask again, and tells whether somebody asked for it.
func (s *scout) rest(ctx context.Context) (wanted bool) {
	for {
		var again <-chan time.Time
		if s.on.Load() {
			again = time.After(lookAgain)
		}
		select {
		case <-ctx.Done():
			return false
		case <-s.ask:
			return true
		case <-again:
			if s.on.Load() {
				return false
			}
		}
	}
}

func (p *program) catalogue(ctx context.Context) (c state.Catalogue) {
	if c.Agents, c.Err = p.o.Engine.Agents(ctx); c.Err != nil {
		return c
	}
	c.Commands, c.Err = p.o.Engine.Commands(ctx)
	return c
}

// catalogue takes over what the scout has brought; rows do not move under the cursor.
func (v *view) catalogue(c state.Catalogue) {
	at := v.st.Agents.At()
	v.st.SetCatalogue(c)
	v.agentsTop += v.st.Agents.At() - at
}

// trust asks the engine to trust the project; what it brings is read again then.
func (p *program) trust(ctx context.Context) {
	root, err := p.o.Engine.Trust(ctx)
	p.report(ctx, func(v *view) {
		v.st.Trusted(root, err)
		p.scout.now()
	})
}

// open opens a file in the person's editor; the screen is theirs meanwhile.
func (v *view) open(path string) {
	open := v.p.o.Outside.Open
	if open == nil {
		open = openOnTerminal
	}
	var err error
	if !v.p.app.Suspend(func() { err = open(v.ctx, path) }) {
		err = core.Errorf(core.CodeInternal, "the screen could not be handed over to an editor")
	}
	v.p.screen.Sync()
	if err != nil {
		v.st.Fail(err)
	}
	v.p.scout.now()
}
