package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"drover/core"
	"drover/core/host"
	"drover/store"
)

// minimal is the floor of a screen: one empty box, one number that a key counts up.
func minimal() {
	n := 0
	box := tview.NewBox().SetBorder(true)
	box.SetDrawFunc(func(s tcell.Screen, x, y, w, h int) (int, int, int, int) {
		tview.PrintSimple(s, fmt.Sprint("keys: ", n), 1, 1)
		return x, y, w, h
	})
	app := tview.NewApplication().SetRoot(box, true)
	app.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		if e.Rune() == 'q' {
			app.Stop()
		}
		n++
		return nil
	})
	if err := app.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// onPty is a program in a terminal of 120x40.
type onPty struct {
	b    *testing.B
	cmd  *exec.Cmd
	tty  *os.File
	out  chan int // bytes of each read
	mu   sync.Mutex
	seen bytes.Buffer
}

func runOnPty(b *testing.B, name, state string) *onPty {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args[0] = name
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "DROVER_STATE="+state, "DROVER_CONFIG="+state, "HOME="+state, "NO_COLOR=")
	cmd.Dir = state
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		b.Fatal(err)
	}
	p := &onPty{b: b, cmd: cmd, tty: tty, out: make(chan int, 100_000)}
	go func() {
		defer close(p.out)
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			if err != nil {
				return
			}
			p.mu.Lock()
			p.seen.Write(buf[:n])
			p.mu.Unlock()
			p.out <- n
		}
	}()
	return p
}

// sees waits until all of the texts have been written.
func (p *onPty) sees(texts ...string) {
	p.b.Helper()
	late := time.After(10 * time.Second)
	for {
		p.mu.Lock()
		all := !slices.ContainsFunc(texts, func(t string) bool { return !bytes.Contains(p.seen.Bytes(), []byte(t)) })
		p.mu.Unlock()
		if all {
			return
		}
		select {
		case <-p.out:
		case <-late:
			p.b.Fatalf("the screen does not show %q", texts)
		}
	}
}

// quiet waits until nothing has been written for d, and counts what was.
func (p *onPty) quiet(d time.Duration) (n int) {
	for {
		select {
		case k := <-p.out:
			n += k
		case <-time.After(d):
			return n
		}
	}
}

func (p *onPty) press(key string) {
	p.b.Helper()
	if _, err := p.tty.WriteString(key); err != nil {
		p.b.Fatal(err)
	}
}

func (p *onPty) quit() {
	p.b.Helper()
	p.press("q")
	for range p.out {
	}
	if err := p.cmd.Wait(); err != nil {
		p.b.Error(err)
	}
	p.tty.Close()
}

// cpu is the time that all threads have been on a core.
func (p *onPty) cpu() (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if fields := strings.Fields(string(text)); err == nil && len(fields) > 0 {
			ns, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// peak is the most memory there was, in MB.
func (p *onPty) peak() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kb / 1024
}

// keys presses j and k, and reports how long each took until something was written.
func (p *onPty) keys(n int) {
	p.b.Helper()
	took := make([]time.Duration, n)
	for i := range took {
		p.quiet(40 * time.Millisecond)
		key := "j"
		if i%20 >= 10 {
			key = "k"
		}
		began := time.Now()
		p.press(key)
		<-p.out
		took[i] = time.Since(began)
	}
	p.percentiles(took)
}

func (p *onPty) percentiles(took []time.Duration) {
	slices.Sort(took)
	p.b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	p.b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
	p.b.ReportMetric(0, "ns/op")
}

// BenchmarkScale is the screen on a registry of 100,000 tasks and a million
// events, in a terminal, as a process. Floors: the program's own start
// (OpenFloor), a minimal tview program (KeyFloor).
func BenchmarkScale(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	dir := scaleRegistry(b)
	ready := []string{"part 0", "interrupted", "idle", "quit"}
	b.Run("OpenFloor", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command(os.Args[0], "version")
			cmd.Args[0] = "drover"
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			p := runOnPty(b, "drover", dir)
			p.sees(ready...)
			b.StopTimer()
			p.quiet(200 * time.Millisecond)
			b.ReportMetric(p.peak(), "MB")
			p.quit()
			b.StartTimer()
		}
	})
	b.Run("KeyFloor", func(b *testing.B) {
		p := runOnPty(b, "minimal", dir)
		p.sees("keys")
		p.keys(200)
		p.quit()
	})
	b.Run("Key", func(b *testing.B) {
		p := runOnPty(b, "drover", dir)
		p.sees(ready...)
		p.quiet(time.Second)
		p.keys(200)
		b.ReportMetric(p.peak(), "MB")
		p.quit()
	})
	b.Run("Idle", func(b *testing.B) {
		p := runOnPty(b, "drover", dir)
		p.sees(ready...)
		p.quiet(2 * time.Second)
		p.busy(10 * time.Second)
		p.quit()
	})
	b.Run("Busy", func(b *testing.B) { busyScale(b, dir, ready) })
	b.Run("OneChange", func(b *testing.B) { oneChange(b, dir, ready) })
	b.Run("Filter", func(b *testing.B) {
		p := runOnPty(b, "drover", dir)
		p.sees(ready...)
		began := time.Now()
		p.press("/explore-499-199\r")
		p.quiet(time.Second)
		b.ReportMetric(float64((time.Since(began) - time.Second).Milliseconds()), "ms")
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(p.peak(), "MB")
		p.quit()
	})
}

// busy reports how much of a core the program uses.
func (p *onPty) busy(d time.Duration) {
	before := p.cpu()
	<-time.After(d)
	p.b.ReportMetric(float64(p.cpu()-before)/float64(d)*100, "%-core")
	p.b.ReportMetric(0, "ns/op")
}

// changer changes running tasks, as their hosts do: it holds their sessions.
type changer struct {
	b     *testing.B
	s     *store.Store
	tasks []core.Task
}

func newChanger(b *testing.B, dir string) *changer {
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
	for i := range scaleLive {
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

// busyScale makes 1,000 changes a second, each a transaction of its own.
func busyScale(b *testing.B, dir string, ready []string) {
	c := newChanger(b, dir)
	p := runOnPty(b, "drover", dir)
	p.sees(ready[0], "running", "quit")
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
	b.ReportMetric(p.peak(), "MB")
	b.ReportMetric(0, "ns/op")
	p.quiet(100 * time.Millisecond)
	p.quit()
}

// oneChange counts the bytes of one change on the screen, and of one that changes nothing there.
func oneChange(b *testing.B, dir string, ready []string) {
	c := newChanger(b, dir)
	p := runOnPty(b, "drover", dir)
	p.sees(ready[0], "running", "quit")
	p.press("G") // off what runs, and its clocks
	p.quiet(400 * time.Millisecond)
	var shown, none []int
	p.press("g")
	for i := range 20 {
		p.quiet(300 * time.Millisecond)
		c.change(3, func(t *core.Task) { t.Detail = fmt.Sprint("tool", i) })
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
