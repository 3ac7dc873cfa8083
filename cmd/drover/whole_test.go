package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/core/config"
	"drover/core/host"
	"drover/store"
	"drover/themes"
	"drover/ui"
)

// whole is all of drover in one bubble of synctest: real SQLite, real hosts,
// the real loop and tools, the offline model at its human pace, and the real
// screen on a simulated terminal.
type whole struct {
	t     *testing.T
	sim   *simulated
	hosts *inside
	left  chan error
}

// inside hosts sessions in this process.
type inside struct {
	ctx  context.Context
	e    *engine
	mu   sync.Mutex
	held map[string]bool
	wg   sync.WaitGroup
	errs []error
}

func (i *inside) Held(session string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.held[session]
}

func (i *inside) Ensure(_ context.Context, session string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held[session] {
		return nil
	}
	h, err := i.e.host(session, false, nil)
	if err != nil {
		return err
	}
	i.held[session] = true
	i.wg.Go(func() { i.host(session, h) })
	return nil
}

func (i *inside) host(session string, h *host.Host) {
	err := h.Run(i.ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held[session] = false
	if err != nil {
		i.errs = append(i.errs, err)
	}
}

// simulated is a terminal of a fixed size that keeps what it last showed.
type simulated struct {
	tcell.SimulationScreen
	mu   sync.Mutex
	text string
}

func (s *simulated) Init() error {
	err := s.SimulationScreen.Init()
	s.SetSize(100, 26)
	return err
}

func (s *simulated) Show() {
	s.SimulationScreen.Show()
	cells, width, height := s.GetContents()
	var b strings.Builder
	for y := range height {
		var line strings.Builder
		for x := range width {
			if r := cells[y*width+x].Runes; len(r) > 0 && r[0] != 0 {
				line.WriteString(string(r))
			} else {
				line.WriteByte(' ')
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = b.String()
}

func (s *simulated) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

func openWhole(t *testing.T) *whole {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	state, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"cart/total.go": "package cart\n\n// Total of a cart.\nfunc Total() int { return 0 } // TODO coupons\n", "README.md": "# shop\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s, err := store.Open(ctx, state, store.Options{Solo: true})
	if err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string {
		return map[string]string{"DROVER_CONFIG": state, "HOME": state, "DROVER_MODEL": offlineModel}[name]
	}
	settings, err := config.Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	hosts := &inside{ctx: ctx, held: map[string]bool{}}
	e := &engine{Client: &core.Client{Store: s, Hosts: hosts}, store: s, dir: state, settings: settings, getenv: getenv}
	if e.choice, err = openChoice(getenv, settings); err != nil {
		t.Fatal(err)
	}
	if e.catalog, err = openCatalogue(getenv, settings); err != nil {
		t.Fatal(err)
	}
	e.catalog.client = e.Client
	e.newID = func() string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprintf("task%d", n) }
	e.Client.NewID = e.newID
	hosts.e = e
	theme, err := themes.Load("dark", "")
	if err != nil {
		t.Fatal(err)
	}
	w := &whole{t: t, sim: &simulated{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}, hosts: hosts, left: make(chan error, 1)}
	go func() {
		w.left <- ui.Run(ctx, ui.Options{Engine: screenEngine{Client: e.Client, e: e}, Theme: theme, Screen: w.sim, Dir: "/home/me/shop", Offline: true, Zone: time.UTC})
	}()
	w.pass(0)
	t.Cleanup(func() {
		stop()
		hosts.wg.Wait()
		for _, err := range hosts.errs {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// pass lets time go by, and a frame be drawn.
func (w *whole) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

// keys types: characters as they are, \n is Enter.
func (w *whole) keys(s string) {
	for _, r := range s {
		if r == '\n' {
			w.sim.InjectKey(tcell.KeyEnter, 0, tcell.ModNone)
		} else {
			w.sim.InjectKey(tcell.KeyRune, r, tcell.ModNone)
		}
		synctest.Wait()
	}
	w.pass(0)
}

func (w *whole) golden(name string) {
	w.t.Helper()
	got := w.sim.shown()
	path := filepath.Join(sourceDir, "testdata", "whole", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if got != string(want) {
		w.t.Errorf("%s differs (make golden accepts it)\n--- got\n%s--- want\n%s", path, got, want)
	}
}

// sourceDir is where this package lies: tests change the working directory.
var sourceDir = func() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}()

func TestFollowUpFromKeyToCells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWhole(t)
		w.keys("nexplore cart\n")
		w.pass(4 * time.Second)
		w.golden("1-a-child-at-work")
		w.pass(time.Minute)
		w.golden("2-idle")
		w.keys("jmgrep Total")
		w.golden("3-composing")
		w.keys("\n")
		w.golden("4-sent")
		w.pass(time.Minute)
		w.golden("5-answered-turn-2")
		w.keys("nrun echo hello > made.txt\n")
		w.pass(5 * time.Second)
		w.golden("6-needs-you")
		w.keys("a")
		w.pass(time.Minute)
		w.golden("7-allowed")
		if _, err := os.Stat("made.txt"); err != nil {
			t.Errorf("the call that was allowed has run: %v", err)
		}
		w.keys("ndemo nested 60\n")
		w.pass(6 * time.Second)
		w.keys("jb")
		w.golden("8-promoted")
		w.keys("xy")
		w.pass(time.Second)
		w.golden("9-cancelled")
		w.keys("q")
		if err := <-w.left; err != nil {
			t.Error(err)
		}
	})
}
