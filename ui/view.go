package ui

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// maxTranscripts is how many transcripts stay in memory, so that going back to a task shows it at once.
const maxTranscripts = 12

// view is the root primitive: it owns the State, turns keys into its effects
// and draws it. All of it belongs to the UI goroutine, except focus.
type view struct {
	*tview.Box
	p         *program
	ctx       context.Context
	st        *state.State
	pal       *Palette
	logs      []*paper // most recently shown first
	page      pager
	pageID    string // which page it is, and about what
	chartTop  int
	treeTop   int
	widest    struct{ w, name, doing int } // of the tree's rows so far, in a tree so wide
	agentsTop int
	inboxTop  int
	reviewTop int
	overTop   int
	overRoom  int
	tiny      bool
	leaving   bool
	title     string // of the terminal's window, as it was set last
	zones     []zone // what a click would hit
	pressed   [2]int // where the button went down
	clicked   [2]int // where the last click was
	clickedAt time.Time
	focus     atomic.Pointer[focus] // what the pump should ask for
}

// focus is the task whose transcript is on the screen, and the last entry there is of it.
type focus struct {
	task string
	last int64
	all  bool     // sessions that are wanted whole: all
	want []string // these
}

// paper is a task's transcript as far as it has been read.
type paper struct {
	Transcript
	first, last int64
	loading     bool // earlier entries have been asked for
	seek        seek
}

func newView(p *program) *view {
	v := &view{Box: tview.NewBox(), p: p}
	v.st = state.New(state.Config{Dir: p.o.Dir, Project: p.o.Project, Offline: p.o.Offline, Found: p.o.Found, Themes: p.o.Outside.Themes, StallAfter: p.o.Stall, Select: p.o.Session, Mouse: p.o.Mouse, Trouble: p.o.Trouble, RuleFor: p.o.RuleFor})
	if p.o.Found != "" {
		v.st.Now = time.Now()
		v.st.Say(p.o.Found)
	}
	if p.o.Keys != nil {
		v.st.Rekey(p.o.Keys)
	}
	v.focus.Store(&focus{})
	return v
}

// paint changes the colours; cells that nothing is drawn in have those of the text.
func (v *view) paint(pal *Palette) {
	v.pal = pal
	v.p.screen.SetStyle(pal.Style(themes.Text))
}

// apply takes over what the engine says has changed.
func (v *view) apply(u core.Update) {
	at := v.st.Tree.At()
	sel, inbox, review := v.st.Tree.Selected, v.st.Inbox.At(), v.st.Review.At()
	v.do(v.st.Apply(u))
	v.inboxTop += v.st.Inbox.At() - inbox
	v.reviewTop += v.st.Review.At() - review
	if v.st.Tree.Selected == sel {
		v.treeTop += v.st.Tree.At() - at // rows do not move under the cursor
	}
	if f := u.Focus; f != nil {
		log := v.paper(f.Task)
		if log.last == 0 {
			log.first = f.First
		}
		for i, e := range f.Entries {
			if e.Seq > log.last {
				log.Append(f.Entries[i:])
				log.last = f.Entries[len(f.Entries)-1].Seq
				break
			}
		}
		log.SetLive(f.Live.Text)
		v.goOn(log)
	}
	v.refocus()
}

// paper finds the task's transcript, or begins one.
func (v *view) paper(task string) *paper {
	for i, l := range v.logs {
		if l.Task() == task {
			copy(v.logs[1:], v.logs[:i])
			v.logs[0] = l
			return l
		}
	}
	l := &paper{}
	l.Reset(task)
	l.SetNames(func(id string) string {
		if n := v.st.Tree.Node(id); n != nil {
			return n.Task.Label()
		}
		return ""
	})
	v.logs = append([]*paper{l}, v.logs...)
	if len(v.logs) > maxTranscripts {
		v.logs = v.logs[:maxTranscripts]
	}
	return l
}

// refocus tells the pump what is on the screen now.
func (v *view) refocus() {
	v.p.scout.follow(v.st.Looks())
	f := focus{}
	if v.st.Selected() != nil { // not on a heading
		f.task = v.st.Tree.Selected
		f.last = v.paper(f.task).last
	}
	f.all, f.want = v.st.Missing()
	old := v.focus.Swap(&f)
	if old.task != f.task || f.all && !old.all || len(f.want) > 0 && !slices.Equal(old.want, f.want) {
		v.wakePump()
	}
}

func (v *view) wakePump() {
	select {
	case v.p.wake <- struct{}{}:
	default: // it has been told already
	}
}

// key is tview's input capture: every key ends here.
func (v *view) key(ev *tcell.EventKey) *tcell.EventKey {
	k := keyOf(ev)
	if v.tiny { // nobody can see what it would do
		switch v.st.Action(k) {
		case "quit", "leave", "suspend", "redraw":
		default:
			return nil
		}
	}
	v.st.Now = time.Now()
	v.do(v.st.Key(k))
	v.refocus()
	if v.st.Toast.At.Equal(v.st.Now) { // the pump lets it go again
		v.wakePump()
	}
	return nil
}

// PasteHandler implements tview.Primitive.
func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if v.tiny {
			return
		}
		v.st.Now = time.Now()
		v.do(v.st.Paste(text))
		v.refocus()
	}
}

// do carries out what belongs to the screen, and hands the rest to the worker.
func (v *view) do(effects []state.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case state.Quit:
			v.leave()
		case state.Redraw:
			v.p.screen.Sync()
		case state.Suspend:
			v.suspend()
		case state.EditExternally:
			v.edit(e.Draft)
		case state.OpenFile:
			v.open(e.Path)
		case state.Reload:
			v.p.scout.now()
		case state.CopyAnswer:
			v.copy(e.Task)
		case state.Scroll:
			v.scroll(e)
		case state.Toggle:
			if v.st.Selected() != nil {
				v.paper(v.st.Tree.Selected).Toggle()
			}
		case state.Pick:
			v.do(v.st.Picked(e.Do, v.page.key()))
		case state.Find:
			v.find(e)
		case state.Goto:
			v.goTime(e.Task, e.At)
		case state.Theme, state.TryTheme, state.SetMouse, state.Notify:
			v.home(e)
		default:
			v.send(job{effect: e}, e)
		}
	}
}

// send hands a job to the worker; it never waits.
func (v *view) send(j job, e state.Effect) {
	select {
	case v.p.jobs <- j:
	default:
		v.st.Done(e, core.Request{}, core.Errorf(core.CodeInternal, "the registry does not keep up: nothing was done; try again"))
	}
}

// leave ends the screen once the worker has done what was asked of it before:
// a message that was sent is a row, and its host is there. Who asks again does not wait.
func (v *view) leave() {
	last := job{do: func(context.Context) func(*view) {
		v.p.quit(errQuit)
		return func(*view) {}
	}}
	if !v.leaving {
		v.leaving = true
		select {
		case v.p.jobs <- last:
			return
		default:
		}
	}
	v.p.quit(errQuit)
}

func (v *view) scroll(e state.Scroll) {
	page := max(1, v.overRoom-1)
	switch {
	case e.Overlay:
		v.overTop = moved(v.overTop, page, e.Move)
	case v.st.View.Show != state.ShowTranscript:
		if n := v.st.Selected(); n != nil {
			v.fillPage(n)
			v.page.scroll(e.Move)
		}
	case v.st.Selected() != nil:
		v.scrollTranscript(e.Move)
	}
}

func (v *view) scrollTranscript(m state.Move) {
	log := v.paper(v.st.Tree.Selected)
	half := max(1, log.view.h/2)
	switch m {
	case state.LineUp:
		log.Scroll(-1)
	case state.LineDown:
		log.Scroll(1)
	case state.HalfUp:
		log.Scroll(-half)
	case state.HalfDown:
		log.Scroll(half)
	case state.PageUp:
		log.Page(-1)
	case state.PageDown:
		log.Page(1)
	case state.ToTop:
		log.Top()
	case state.ToBottom:
		log.Bottom()
	}
	if log.AtTop() && !log.Following() {
		v.loadEarlier(log)
	}
}

// loadEarlier asks for entries before the first that is there.
func (v *view) loadEarlier(log *paper) {
	if log.first <= 1 || log.loading {
		return
	}
	task, before := log.Task(), log.first
	log.loading = true
	n := tail
	if log.seek.on {
		n = pageOf
	}
	load := func(ctx context.Context) func(*view) {
		entries, err := v.p.o.Engine.Tail(ctx, task, before, n)
		return func(v *view) {
			log.loading = false
			if err != nil {
				v.st.Fail(err)
				return
			}
			log.first = 1
			if len(entries) > 0 {
				log.first = entries[0].Seq
				log.Prepend(entries)
			}
			v.goOn(log)
		}
	}
	select {
	case v.p.jobs <- job{do: load}:
	default:
		log.loading = false
	}
}

// moved is the first line of a page after a move; the drawing keeps it within the text.
func moved(top, page int, m state.Move) int {
	switch m {
	case state.LineUp:
		top--
	case state.LineDown:
		top++
	case state.HalfUp:
		top -= max(1, page/2)
	case state.HalfDown:
		top += max(1, page/2)
	case state.PageUp:
		top -= page
	case state.PageDown:
		top += page
	case state.ToTop:
		top = 0
	case state.ToBottom:
		top = 1 << 30
	}
	return max(0, top)
}
