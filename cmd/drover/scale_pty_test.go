package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// programs are what is measured, as people have it: stripped binaries of their own.
type programs struct{ drover, floor string }

func buildPrograms(b *testing.B) (p programs) {
	b.Helper()
	dir := b.TempDir()
	for name, out := range map[string]*string{".": &p.drover, "./testdata/floorscreen": &p.floor} {
		*out = filepath.Join(dir, filepath.Base(name)+"-built")
		text, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", *out, name).CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, text)
		}
	}
	return p
}

// onPty is a program in a terminal of 120x40, which answers what terminals are asked.
type onPty struct {
	b     *testing.B
	cmd   *exec.Cmd
	began time.Time
	tty   *os.File
	out   chan int // bytes of each read
	mu    sync.Mutex
	seen  bytes.Buffer
}

const (
	terminalAsked  = "\x1b[c"
	terminalAnswer = "\x1b]11;rgb:1010/1010/1010\x1b\\\x1b[?62c"
)

func runOnPty(b *testing.B, state, program string, args ...string) *onPty {
	b.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "DROVER_STATE="+state, "DROVER_CONFIG="+state, "HOME="+state, "NO_COLOR=")
	cmd.Dir = state
	p := &onPty{b: b, cmd: cmd, began: time.Now(), out: make(chan int, 100_000)}
	var err error
	if p.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	go p.read()
	return p
}

func (p *onPty) read() {
	defer close(p.out)
	buf, answered := make([]byte, 64<<10), false
	for {
		n, err := p.tty.Read(buf)
		if err != nil {
			return
		}
		if !answered && bytes.Contains(buf[:n], []byte(terminalAsked)) {
			answered = true
			_, _ = p.tty.WriteString(terminalAnswer) // who does not read it waits a moment for nothing
		}
		p.mu.Lock()
		p.seen.Write(buf[:n])
		p.mu.Unlock()
		p.out <- n
	}
}

// sees waits until all of the texts have been written, and returns how long after the start that was.
func (p *onPty) sees(texts ...string) time.Duration {
	p.b.Helper()
	late := time.After(10 * time.Second)
	for {
		p.mu.Lock()
		all := !slices.ContainsFunc(texts, func(t string) bool { return !bytes.Contains(p.seen.Bytes(), []byte(t)) })
		p.mu.Unlock()
		if all {
			return time.Since(p.began)
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

// cpu is the time that all threads have been on a core, finer than the ticks of utime and stime.
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

// memory is what there is of it now, or with VmHWM the most there was, in MB.
func (p *onPty) memory(field string) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), field+":")
	kb, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kb / 1024
}

// key presses one and returns how long it took until something was written, and how much was.
func (p *onPty) key(key string) (took time.Duration, n int) {
	p.b.Helper()
	p.quiet(30 * time.Millisecond)
	began := time.Now()
	p.press(key)
	select {
	case n = <-p.out:
	case <-time.After(10 * time.Second):
		p.b.Fatalf("%q changes nothing", key)
	}
	return time.Since(began), n
}

func milli(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reportAt tells a percentile of times, in milliseconds.
func reportAt(b *testing.B, took []time.Duration, percent int, unit string) {
	slices.Sort(took)
	b.ReportMetric(milli(took[len(took)*percent/100]), unit)
	b.ReportMetric(0, "ns/op")
}
