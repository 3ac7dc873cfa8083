package ui

import (
	"context"
	"time"

	"drover/core"
	"drover/ui/state"
)

// pageOf is how many rows are read at once of what may be long.
const pageOf = 4000

// searchPatience is how long a search waits for the index to be brought up to date.
const searchPatience = 2 * time.Second

// load reads what a page needs, in a goroutine of its own: a long transcript
// holds up neither keys nor news.
func (p *program) load(ctx context.Context, e state.Effect) bool {
	var read func(context.Context) func(*view)
	switch e := e.(type) {
	case state.LoadInside:
		read = func(ctx context.Context) func(*view) {
			in, err := p.o.Engine.Inside(ctx, e.Task)
			return func(v *view) { v.do(v.st.SetInside(e.Task, in, err)) }
		}
	case state.LoadChart:
		read = func(ctx context.Context) func(*view) {
			evs, err := p.o.Engine.Events(ctx, core.EventFilter{Session: e.Session, After: e.After, Kinds: state.ChartKinds()})
			return func(v *view) { v.do(v.st.AddChart(e.Session, evs, err)) }
		}
	case state.LoadChanges:
		read = func(ctx context.Context) func(*view) {
			got, err := p.changes(ctx, e.Tasks)
			return func(v *view) { v.do(v.st.SetChanges(e.Root, got, err)) }
		}
	case state.SearchAll:
		read = func(ctx context.Context) func(*view) {
			q := core.Search{Words: core.Words(e.Words), Limit: state.MaxHits()}
			f, err := p.o.Engine.Search(ctx, q, searchPatience)
			return func(v *view) { v.st.SetFound(e.Words, f, err) }
		}
	default:
		return false
	}
	p.start(ctx, func(ctx context.Context) {
		f := read(ctx)
		if ctx.Err() == nil {
			p.report(ctx, f)
		}
	})
	return true
}

// changes reads on in the transcripts of tasks and keeps what changed files.
func (p *program) changes(ctx context.Context, tasks []state.ChangesSince) ([]state.ChangesSince, error) {
	for i := range tasks {
		t := &tasks[i]
		for {
			entries, err := p.o.Engine.Entries(ctx, t.Task, t.After, pageOf)
			if err != nil {
				return nil, err
			}
			for j := range entries {
				entries[j].Task = t.Task
			}
			t.Found = append(t.Found, state.Changes(entries, t.Open)...)
			if len(entries) > 0 {
				t.After = entries[len(entries)-1].Seq
			}
			if len(entries) < pageOf {
				break
			}
		}
	}
	return tasks, nil
}
