package ui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"drover/core"
	"drover/themes"
)

// memTty is a terminal in memory: keys go in as bytes, each frame comes out as one write.
type memTty struct {
	in     chan []byte
	wrote  chan int
	once   sync.Once
	closed chan struct{}
}

func newMemTty() *memTty {
	return &memTty{in: make(chan []byte), wrote: make(chan int, 1000), closed: make(chan struct{})}
}

func (t *memTty) Start() error { return nil }
func (t *memTty) Stop() error  { return nil }
func (t *memTty) Drain() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}
func (t *memTty) Close() error        { return nil }
func (t *memTty) NotifyResize(func()) {}
func (t *memTty) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 120, Height: 40}, nil
}

func (t *memTty) Read(b []byte) (int, error) {
	select {
	case p := <-t.in:
		return copy(b, p), nil
	case <-t.closed:
		return 0, io.EOF
	}
}

func (t *memTty) Write(b []byte) (int, error) {
	select {
	case t.wrote <- len(b):
	default:
	}
	return len(b), nil
}

// measure presses keys and reports how long each took until the terminal got the frame.
func measure(b *testing.B, tty *memTty, keys ...string) {
	quiet := func(d time.Duration) { // what follows a key (the next transcript) is not its own
		for {
			select {
			case <-tty.wrote:
			case <-time.After(d):
				return
			}
		}
	}
	quiet(300 * time.Millisecond)
	took, bytes := make([]time.Duration, 0, b.N), 0
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		tty.in <- []byte(keys[i%len(keys)])
		bytes += <-tty.wrote
		took = append(took, time.Since(start))
		b.StopTimer()
		quiet(45 * time.Millisecond)
		b.StartTimer()
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(bytes)/float64(b.N), "B/frame")
}

func terminal(b *testing.B, tty *memTty) tcell.Screen {
	b.Helper()
	b.Setenv("TERM", "xterm-256color")
	s, err := tcell.NewTerminfoScreenFromTty(tty)
	if err != nil {
		b.Skip(err)
	}
	return s
}

// BenchmarkKeyToCells10k is the time from a key to the changed cells at the
// terminal, with 10,000 tasks in the registry. Its floor is BenchmarkMinimalTview.
func BenchmarkKeyToCells10k(b *testing.B) {
	f := newFake()
	now := time.Now()
	for s := range 100 {
		id := fmt.Sprintf("s%04d", s)
		f.put(core.TaskView{ID: id, Kind: core.KindMain, Agent: "main", Name: "main", Description: fmt.Sprintf("Session %d", s), Status: core.Idle, Turn: 1, Created: &now})
		for c := range 99 {
			f.put(core.TaskView{ID: fmt.Sprintf("t%02d%04d", c, s), Session: id, Parent: id, Kind: core.KindAgent, Agent: "explore", Name: fmt.Sprintf("explore-%d", c), Status: core.Idle, Turn: 1, Created: &now})
		}
	}
	tty := newMemTty()
	th, err := themes.Load("dark", "")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	screen := terminal(b, tty)
	go func() { done <- Run(ctx, Options{Engine: f, Theme: th, Screen: screen}) }()
	measure(b, tty, "j", "k")
	stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// counter is the least a tview program can show.
type counter struct {
	*tview.Box
	n int
}

func (c *counter) Draw(s tcell.Screen) {
	c.Box.DrawForSubclass(s, c)
	tview.PrintSimple(s, fmt.Sprint("keys: ", c.n), 1, 1)
}

// BenchmarkMinimalTview is the floor: one empty box, one number.
func BenchmarkMinimalTview(b *testing.B) {
	tty := newMemTty()
	app := tview.NewApplication().SetScreen(terminal(b, tty))
	c := &counter{Box: tview.NewBox().SetBorder(true)}
	app.SetRoot(c, true).SetInputCapture(func(*tcell.EventKey) *tcell.EventKey {
		c.n++
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- app.Run() }()
	measure(b, tty, "j", "k")
	app.Stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkApply10k is one changed task among 10,000 reaching the State.
func BenchmarkApply10k(b *testing.B) {
	f := newFake()
	now := time.Now()
	f.put(core.TaskView{ID: "s0000", Kind: core.KindMain, Name: "main", Status: core.Idle, Created: &now})
	for c := range 9999 {
		f.put(core.TaskView{ID: fmt.Sprintf("t%05d", c), Session: "s0000", Parent: "s0000", Name: "x", Status: core.Idle, Created: &now})
	}
	u, err := f.Pull(context.Background(), core.Cursor{})
	if err != nil {
		b.Fatal(err)
	}
	v := newView(&program{wake: make(chan struct{}, 1)})
	v.apply(u)
	one := core.Update{Tasks: u.Tasks[5000:5001]}
	for b.Loop() {
		one.Tasks[0].Rev++
		v.apply(one)
	}
}
