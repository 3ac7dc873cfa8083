package ui

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
)

// driver runs the whole screen on a simulated terminal, inside a bubble of synctest.
type driver struct {
	t    *testing.T
	sim  tcell.SimulationScreen
	f    *fake
	p    *program
	done chan error
	out  bytes.Buffer
	end  context.CancelFunc
}

func theme(t testing.TB, name string) themes.Theme {
	t.Helper()
	th, err := themes.Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func drive(t *testing.T, f *fake, w, h int, set func(*Options)) *driver {
	t.Helper()
	d := &driver{t: t, f: f, sim: &locked{SimulationScreen: tcell.NewSimulationScreen("UTF-8")}, done: make(chan error, 1)}
	o := Options{
		Engine: f, Theme: theme(t, "dark"), Screen: sized{d.sim, w, h}, Dir: "/home/me/shop", RuleFor: ruleFor, Offline: true, Zone: time.UTC,
		Out: &d.out,
		Outside: Outside{
			Themes:    []string{"dark", "light"},
			LoadTheme: func(name string) (themes.Theme, error) { return themes.Load(name, "") },
		},
	}
	if set != nil {
		set(&o)
	}
	ctx, end := context.WithCancel(t.Context())
	d.end = end
	go func() { d.done <- run(ctx, o, func(p *program) { d.p = p }) }()
	d.settle()
	return d
}

// ruleFor stands for the engine's.
func ruleFor(tool, subject string) string { return tool + "(" + subject + ")" }

// sized is a simulated screen that keeps its size when it is initialised.
// locked is a simulated screen that a test may read while it is drawn to.
type locked struct {
	tcell.SimulationScreen
	mu sync.Mutex
}

func (l *locked) Show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.SimulationScreen.Show()
}

func (l *locked) Sync() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.SimulationScreen.Sync()
}

func (l *locked) GetContents() ([]tcell.SimCell, int, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	cells, w, h := l.SimulationScreen.GetContents()
	return slices.Clone(cells), w, h
}

type sized struct {
	tcell.SimulationScreen
	w, h int
}

func (s sized) Init() error {
	err := s.SimulationScreen.Init()
	s.SetSize(s.w, s.h)
	return err
}

// settle waits until nothing happens any more, and one frame.
func (d *driver) settle() {
	synctest.Wait()
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

// wait lets time pass.
func (d *driver) wait(t time.Duration) {
	time.Sleep(t)
	synctest.Wait()
}

// keys types: characters as they are, names in angle brackets: "mhello<Enter>".
func (d *driver) keys(s string) {
	for s != "" {
		if end := strings.Index(s, ">"); s[0] == '<' && end > 0 {
			d.press(s[1:end])
			s = s[end+1:]
		} else {
			r := []rune(s)[0]
			d.sim.InjectKey(tcell.KeyRune, r, tcell.ModNone)
			s = s[len(string(r)):]
		}
		synctest.Wait() // keys and updates are two queues of tview
	}
	d.settle()
}

func (d *driver) press(name string) {
	for k, n := range named {
		if n == name {
			d.sim.InjectKey(k, 0, tcell.ModNone)
			return
		}
	}
	if rest, ok := strings.CutPrefix(name, "Ctrl-"); ok {
		d.sim.InjectKey(tcell.KeyCtrlA+tcell.Key(rest[0]-'A'), 0, tcell.ModCtrl)
		return
	}
	d.t.Fatalf("no key %q", name)
}

func (d *driver) resize(w, h int) {
	d.sim.SetSize(w, h)
	d.settle()
}

func (d *driver) text() string { return screenText(d.sim) }

func (d *driver) sees(want ...string) {
	d.t.Helper()
	text := d.text()
	for _, w := range want {
		if !strings.Contains(text, w) {
			d.t.Fatalf("the screen lacks %q:\n%s", w, text)
		}
	}
}

func (d *driver) lacks(unwanted ...string) {
	d.t.Helper()
	text := d.text()
	for _, w := range unwanted {
		if strings.Contains(text, w) {
			d.t.Fatalf("the screen shows %q:\n%s", w, text)
		}
	}
}

// quit leaves and returns what was left behind.
func (d *driver) quit() string {
	d.t.Helper()
	d.end()
	select {
	case err := <-d.done:
		if err != nil {
			d.t.Fatal(err)
		}
	case <-time.After(time.Minute):
		d.t.Fatal("Run does not return")
	}
	return d.out.String()
}
