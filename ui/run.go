package ui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"drover/core"
	"drover/ui/state"
)

// patience is how long leaving waits for calls that do not end with their context.
const patience = 3 * time.Second

// errQuit is the cause of a context that a person ended.
var errQuit = errors.New("the person left")

// program is what Run holds together.
//
//	key ──► view (UI goroutine: State.Key) ──► jobs ──► worker ──► Engine
//	                 ▲                                    │ results
//	   QueueUpdateDraw, one at a time, a frame apart      ▼
//	Engine.Watch ──► pump: Pull ───────────────────────► pump ◄── scout: Agents, Commands
//
// The State belongs to the UI goroutine. The pump is the only one that enters
// it from outside, the worker the only one that acts on the engine; the scout
// reads the catalogue while it is on the screen.
type program struct {
	o      Options
	app    *tview.Application
	screen *Thin
	view   *view
	quit   context.CancelCauseFunc
	wg     sync.WaitGroup // pump, worker, and what the worker waits for
	jobs   chan job
	back   chan func(*view) // results, for the pump
	wake   chan struct{}    // the pump should read now
	scout  scout
	look   attention

	themeName string // of the colours on the screen; of the UI goroutine
	fault     struct {
		sync.Once
		err error
	}
}

// Run shows the screen until the person leaves or ctx ends, and returns with
// the terminal restored and every goroutine of its own ended. Agents go on.
func Run(ctx context.Context, o Options) error {
	return run(ctx, o, func(*program) {})
}

func run(ctx context.Context, o Options, made func(*program)) error {
	inner := o.Screen
	if inner == nil {
		s, err := newScreen(&o)
		if err != nil {
			return &core.Error{Code: core.CodeInvalidInput, Message: "no screen can be opened here", Hint: "drover ps, send, log … work without one", Err: err}
		}
		inner = s
	}
	if o.Frame == 0 {
		o.Frame = 33 * time.Millisecond
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	p := &program{
		o: o, app: tview.NewApplication(), quit: quit,
		jobs: make(chan job, 64), back: make(chan func(*view)), wake: make(chan struct{}, 1),
		scout: scout{ask: make(chan struct{}, 1)}, themeName: o.ThemeName,
	}
	p.screen = NewThin(&pasting{Screen: inner, look: &p.look})
	p.view = newView(p)
	made(p)
	p.app.EnablePaste(true)
	if err := p.screen.Init(); err != nil {
		return &core.Error{Code: core.CodeInvalidInput, Message: "the terminal cannot be used", Hint: "is TERM set, and is this a terminal?", Err: err}
	}
	p.screen.EnablePaste()
	if p.view.st.Home.Mouse != state.MouseOff {
		p.screen.EnableMouse() // as with paste: tview does so only for screens of its own
	}
	if o.Notify.Kind != "" {
		p.screen.EnableFocus()
	}
	p.app.SetMouseCapture(p.view.mouse).EnableMouse(p.view.st.Home.Mouse != state.MouseOff)
	p.view.paint(NewPalette(o.Theme, p.screen.Colors(), o.NoColor))
	p.app.SetScreen(initialised{p.screen}).SetRoot(p.view, true).SetInputCapture(p.view.key)
	p.view.ctx = ctx

	p.start(ctx, p.pump)
	p.start(ctx, p.work)
	p.start(ctx, p.scouting)
	p.start(ctx, p.refit)
	ended, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		p.close(ctx, ended)
	}()
	err := p.loop()
	close(ended)
	quit(nil)
	<-closed
	if p.fault.err != nil {
		return p.fault.err
	}
	if err == nil && o.Out != nil {
		if line := p.view.st.Farewell(); line != "" {
			fmt.Fprintln(o.Out, line)
		}
	}
	return err
}

// loop runs tview; a panic in it comes back as an error, the terminal restored.
func (p *program) loop() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = broken(r)
		}
	}()
	return p.app.Run()
}

// start runs a goroutine of the program. Its panic ends the program in order.
func (p *program) start(ctx context.Context, f func(context.Context)) {
	p.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				p.fault.Do(func() { p.fault.err = broken(r) })
				p.quit(errQuit)
			}
		}()
		f(ctx)
	})
}

func broken(r any) error {
	return core.Errorf(core.CodeInternal, "the screen broke (agents go on): %v\n%s", r, debug.Stack())
}

// close stops tview once everything that posts to it has ended: a post after
// the stop would wait for ever. It is the only place that stops tview.
func (p *program) close(ctx context.Context, ended <-chan struct{}) {
	<-ctx.Done()
	idle := make(chan struct{})
	go func() {
		p.wg.Wait()
		close(idle)
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-idle:
	case <-ended: // tview has ended by itself: nothing to stop, and nobody to wait for
		return
	case <-late.C:
	}
	p.app.Stop()
}

// initialised is a screen that has been initialised already.
type initialised struct{ *Thin }

func (initialised) Init() error { return nil }

// pasting is a screen on which line feeds in pasted text are line breaks:
// tview keeps carriage returns only.
type pasting struct {
	tcell.Screen
	on   bool // of the goroutine that reads events
	look *attention
}

func (s *pasting) PollEvent() tcell.Event {
	ev := s.Screen.PollEvent()
	switch e := ev.(type) {
	case *tcell.EventPaste:
		s.on = e.Start()
	case *tcell.EventFocus:
		s.look.turn(e.Focused)
	case *tcell.EventKey:
		if s.on && e.Key() == tcell.KeyCtrlJ {
			return tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone)
		}
	}
	return ev
}
