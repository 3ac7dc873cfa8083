package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/core/host"
	"drover/store"
)

// scale is what the benchmarks of the screen run on.
type scale struct {
	programs
	dir   string
	ready []string // what the first full frame shows: its tree down to the last rows, its header, its transcript
	floor []string // what that of the floor shows
}

func (s *scale) drover(b *testing.B) *onPty {
	b.Helper()
	return runOnPty(b, s.dir, s.programs.drover)
}

// minimal is the floor; with the state directory as its argument it fills the screen.
func (s *scale) minimal(b *testing.B, args ...string) *onPty {
	b.Helper()
	return runOnPty(b, s.dir, s.programs.floor, args...)
}

// BenchmarkScale is the screen on a registry of 100,000 tasks and a million
// events: the built program, as a process in a terminal that answers. Its floor
// is a minimal tview program (testdata/floorscreen), run in turn with it; for opening
// that one reads the sessions and fills as many cells. Other work on the machine is seen in
// both; "cpu" is time on a core, which it changes less.
func BenchmarkScale(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	s := &scale{
		programs: buildPrograms(b), dir: scaleRegistry(b),
		ready: []string{"part 0", "explore-0-30", "interrupted", "transcript", "message"},
		floor: []string{"keys", "part 37", "quit"},
	}
	b.Run("Open", s.open)
	b.Run("Key", s.keys)
	b.Run("Idle", s.idle)
	b.Run("Busy", s.busy)
	b.Run("OneChange", s.oneChange)
	b.Run("Memory", s.memory)
	b.Run("Filter", s.filter)
}

// open is from the start of the process to its first full frame, the median of some.
func (s *scale) open(b *testing.B) {
	const runs = 15
	var took, floor, cpu, floorCPU []time.Duration
	peak := 0.0
	for range runs {
		p := s.drover(b)
		took = append(took, p.sees(s.ready...))
		cpu = append(cpu, p.cpu())
		p.quiet(300 * time.Millisecond)
		peak = max(peak, p.memory("VmHWM"))
		p.quit()
		p = s.minimal(b, s.dir)
		floor = append(floor, p.sees(s.floor...))
		floorCPU = append(floorCPU, p.cpu())
		p.quiet(50 * time.Millisecond)
		p.quit()
	}
	reportAt(b, took, 50, "ms")
	reportAt(b, floor, 50, "floor-ms")
	reportAt(b, cpu, 50, "cpu-ms")
	reportAt(b, floorCPU, 50, "floor-cpu-ms")
	b.ReportMetric(peak, "MB")
}

// keys is from a key to the changed screen.
func (s *scale) keys(b *testing.B) {
	const presses = 300
	p, m := s.drover(b), s.minimal(b)
	p.sees(s.ready...)
	m.sees("keys")
	p.quiet(time.Second)
	var took, floor []time.Duration
	cpu, floorCPU := p.cpu(), m.cpu()
	for i := range presses {
		key := "j"
		if i%20 >= 10 {
			key = "k"
		}
		d, _ := p.key(key)
		took = append(took, d)
		d, _ = m.key(key)
		floor = append(floor, d)
	}
	p.quiet(100 * time.Millisecond)
	b.ReportMetric(milli(p.cpu()-cpu)/presses, "cpu-ms/key")
	b.ReportMetric(milli(m.cpu()-floorCPU)/presses, "floor-cpu-ms/key")
	reportAt(b, took, 50, "ms-median")
	reportAt(b, took, 99, "ms-p99")
	reportAt(b, floor, 50, "floor-ms-median")
	reportAt(b, floor, 99, "floor-ms-p99")
	p.quit()
	m.quit()
}

// idle is what the program costs while nothing happens.
func (s *scale) idle(b *testing.B) {
	p, m := s.drover(b), s.minimal(b)
	p.sees(s.ready...)
	m.sees("keys")
	p.quiet(7 * time.Second) // what it says at the start has gone
	const d = 30 * time.Second
	began, cpu, floor := time.Now(), p.cpu(), m.cpu()
	n := 0
	for time.Since(began) < d {
		n += p.quiet(time.Second)
	}
	spent := time.Since(began)
	b.ReportMetric(float64(p.cpu()-cpu)/float64(spent)*100, "%-core")
	b.ReportMetric(float64(m.cpu()-floor)/float64(spent)*100, "floor-%-core")
	b.ReportMetric(float64(n), "B")
	b.ReportMetric(0, "ns/op")
	p.quit()
	m.quit()
}

// memory is what is resident after each of the things that load much.
func (s *scale) memory(b *testing.B) {
	p := s.drover(b)
	p.sees(s.ready...)
	after := func(what string) {
		p.quiet(3 * time.Second)
		b.ReportMetric(p.memory("VmRSS"), "MB-"+what)
	}
	walk := func(key string) {
		p.press("g")
		for range scaleSessions {
			p.press(key)
			p.quiet(10 * time.Millisecond)
		}
	}
	after("open")
	walk("]")
	after("walked")
	p.press("/explore\r")
	after("filtered")
	p.press("\x1b")
	after("unfiltered")
	walk("l]")
	after("unfolded")
	walk("h]")
	after("folded")
	b.ReportMetric(p.memory("VmHWM"), "MB-peak")
	b.ReportMetric(0, "ns/op")
	p.quit()
}

// filter types a filter fast that has to look through everything.
func (s *scale) filter(b *testing.B) {
	p := s.drover(b)
	p.sees(s.ready...)
	p.quiet(time.Second)
	began, cpu := time.Now(), p.cpu()
	var took []time.Duration
	for _, letter := range strings.Split("/explore-499-199", "") {
		pressed := time.Now()
		p.press(letter)
		<-p.out
		took = append(took, time.Since(pressed))
	}
	p.press("\r")
	for p.quiet(500*time.Millisecond) > 0 {
	}
	b.ReportMetric(milli(time.Since(began)-500*time.Millisecond), "ms")
	b.ReportMetric(milli(p.cpu()-cpu), "cpu-ms")
	reportAt(b, took, 50, "ms-letter-median")
	reportAt(b, took, 100-1, "ms-letter-max")
	b.ReportMetric(p.memory("VmHWM"), "MB-peak")
	p.press("\x1b")
	p.quiet(100 * time.Millisecond)
	p.quit()
}

// changer changes running tasks, as their hosts do: it holds their sessions.
type changer struct {
	b     *testing.B
	s     *store.Store
	tasks []core.Task
}

func newChanger(b *testing.B, dir string, sessions ...int) *changer {
	b.Helper()
	s, err := store.Open(b.Context(), dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	c := &changer{b: b, s: s}
	for _, i := range sessions {
		lock, err := host.Acquire(b.Context(), dir, scaleID(i))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			if err := lock.Release(); err != nil {
				b.Error(err)
			}
		})
		err = s.View(b.Context(), func(r core.Reader) error {
			tasks, err := r.Tasks(core.TaskFilter{Session: scaleID(i)})
			c.tasks = append(c.tasks, tasks...)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return c
}

func (c *changer) change(i int, do func(*core.Task)) {
	t := &c.tasks[i%len(c.tasks)]
	err := c.s.Update(context.Background(), core.Progress, func(tx core.Tx) (err error) {
		do(t)
		t.LastEvent = time.Now()
		if t.Rev, err = tx.UpdateTask(*t); err != nil {
			return err
		}
		_, err = tx.AppendEvent(core.Event{Session: t.Session, Task: t.ID, At: t.LastEvent, Kind: core.EvActivity, Text: t.Detail})
		return err
	})
	if err != nil {
		c.b.Error(err)
	}
}

// busy makes 1,000 changes a second, each a transaction of its own.
func (s *scale) busy(b *testing.B) {
	c := newChanger(b, s.dir, 0, 1, 2, 3)
	p := s.drover(b)
	p.sees(s.ready[0], "running")
	ctx, stop := context.WithCancel(b.Context())
	done, made := make(chan struct{}), 0
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for began := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for made < int(time.Since(began).Milliseconds()) {
				c.change(made*7, func(t *core.Task) { t.Steps++; t.TokensIn += 3; t.Detail = fmt.Sprint("read_file ", made) })
				made++
			}
		}
	}()
	p.quiet(time.Millisecond)
	<-time.After(time.Second)
	began, before, changes := time.Now(), p.cpu(), made
	<-time.After(8 * time.Second)
	spent := time.Since(began)
	b.ReportMetric(float64(p.cpu()-before)/float64(spent)*100, "%-core")
	stop()
	<-done
	b.ReportMetric(float64(made-changes)/spent.Seconds(), "changes/s")
	b.ReportMetric(p.memory("VmHWM"), "MB")
	b.ReportMetric(0, "ns/op")
	p.quiet(100 * time.Millisecond)
	p.quit()
}

// oneChange counts the bytes of one changed status on the screen, and of a
// change that shows nowhere. It looks at a session without clocks that go.
func (s *scale) oneChange(b *testing.B) {
	c := newChanger(b, s.dir, 10)
	p := s.drover(b)
	p.sees(s.ready...)
	p.press(strings.Repeat("]", scaleLive) + "l")
	p.quiet(time.Second)
	p.press(strings.Repeat("j", 20))
	p.quiet(2 * time.Second)
	var shown, none []int
	for i := range 20 {
		p.quiet(300 * time.Millisecond)
		c.change(3, func(t *core.Task) { t.Status = []core.Status{core.Completed, core.Idle}[i%2] })
		shown = append(shown, <-p.out)
		p.quiet(300 * time.Millisecond)
		c.change(3, func(t *core.Task) { t.Steps++ })
		select {
		case n := <-p.out:
			none = append(none, n)
		case <-time.After(200 * time.Millisecond):
			none = append(none, 0)
		}
	}
	slices.Sort(shown)
	slices.Sort(none)
	b.ReportMetric(float64(shown[len(shown)/2]), "B-changed")
	b.ReportMetric(float64(none[len(none)/2]), "B-unchanged")
	b.ReportMetric(0, "ns/op")
	p.quit()
}
