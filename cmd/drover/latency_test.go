package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/store"
	"drover/themes"
	"drover/ui"
)

// capture is a terminal that reports when a text is written to it.
type capture struct {
	mu     sync.Mutex
	want   string
	seen   chan time.Time
	closed chan struct{}
	once   sync.Once
}

func (c *capture) Start() error        { return nil }
func (c *capture) Stop() error         { return nil }
func (c *capture) Drain() error        { c.once.Do(func() { close(c.closed) }); return nil }
func (c *capture) Close() error        { return nil }
func (c *capture) NotifyResize(func()) {}
func (c *capture) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 120, Height: 40}, nil
}
func (c *capture) Read([]byte) (int, error) { <-c.closed; return 0, io.EOF }
func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.want != "" && strings.Contains(string(b), c.want) {
		c.want = ""
		c.seen <- time.Now()
	}
	return len(b), nil
}

func (c *capture) expect(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.want = text
}

type alive struct{}

func (alive) Held(string) bool                     { return true }
func (alive) Ensure(context.Context, string) error { return nil }

// BenchmarkChangeToCells is the way of a change from the commit of a host to
// the bytes that another process's screen writes to its terminal: two stores on
// one directory, as two processes have them. 20 to 60 ms pass between
// changes, so a frame (33 ms) is the most that the screen itself waits.
func BenchmarkChangeToCells(b *testing.B) {
	dir := b.TempDir()
	ctx, stop := context.WithCancel(b.Context())
	open := func() *store.Store {
		s, err := store.Open(ctx, dir, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	writer, reader := open(), open()
	root, err := (&core.Client{Store: writer}).Create(ctx, core.NewSession{Dir: dir, Prompt: "go", Agent: core.Agent{Name: "main"}, Model: "offline/rules"})
	if err != nil {
		b.Fatal(err)
	}
	reg := core.NewRegistry(writer, core.Options{})
	if _, err := reg.Load(root.ID); err != nil {
		b.Fatal(err)
	}
	tty := &capture{seen: make(chan time.Time, 8), closed: make(chan struct{})}
	b.Setenv("TERM", "xterm-256color")
	screen, err := tcell.NewTerminfoScreenFromTty(tty)
	if err != nil {
		b.Fatal(err)
	}
	theme, err := themes.Load("dark", "")
	if err != nil {
		b.Fatal(err)
	}
	client := &core.Client{Store: reader, Hosts: alive{}}
	left := make(chan error, 1)
	go func() {
		left <- ui.Run(ctx, ui.Options{Engine: screenEngine{Client: client}, Theme: theme, Screen: screen})
	}()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		<-time.After(time.Duration(20+i*7%40) * time.Millisecond)
		doing := []string{"aaaaaaaa", "bbbbbbbb"}[i%2]
		tty.expect(doing[:6])
		began := time.Now()
		if err := reg.SetActivity(root.ID, core.ActTool, doing); err != nil {
			b.Fatal(err)
		}
		select {
		case at := <-tty.seen:
			took = append(took, at.Sub(began))
		case <-time.After(5 * time.Second):
			b.Fatal("the change did not reach the screen")
		}
	}
	stop()
	<-left
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
	if err := writer.Close(); err != nil {
		b.Error(err)
	}
	if err := reader.Close(); err != nil {
		b.Error(err)
	}
}
