package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// after presses a key and returns how long it took until text was written.
func (p *onPty) after(key, text string) time.Duration {
	p.b.Helper()
	p.mu.Lock()
	from := p.seen.Len()
	p.mu.Unlock()
	began := time.Now()
	p.press(key)
	late := time.After(10 * time.Second)
	for {
		select {
		case <-p.out:
		case <-late:
			p.b.Fatalf("%q does not show %q", key, text)
		}
		p.mu.Lock()
		found := bytes.Contains(p.seen.Bytes()[from:], []byte(text))
		p.mu.Unlock()
		if found {
			return time.Since(began)
		}
	}
}

// rest lets the screen go on for d.
func (p *onPty) rest(d time.Duration) {
	for over := time.After(d); ; {
		select {
		case <-p.out:
		case <-over:
			return
		}
	}
}

// BenchmarkStreamsOnScreen is the built screen in a terminal while another
// process streams 256 answers of 100 tokens a second: from a key to what it
// opens, beside that of a screen on which nothing happens.
func BenchmarkStreamsOnScreen(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	k := newBench(b)
	s := newScripted(b, modelLatency)
	s.streamFor = 2 * time.Minute // the measuring takes 45 s, and longer on a busy machine
	work, env := k.home()
	state := filepath.Join(filepath.Dir(work), "state")
	ctx, stop := context.WithCancel(b.Context())
	run := exec.CommandContext(ctx, k.drover, "run", "--model", "openai/x", "--allow-all", "FAN 256 STREAM")
	run.Dir, run.Env = work, append(env, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.URL+"/v1")
	if err := run.Start(); err != nil {
		b.Fatal(err)
	}
	<-time.After(time.Second)
	p := runOnPty(b, state, k.drover)
	still := runOnPty(b, b.TempDir(), k.drover)
	p.sees("explore-30")
	still.sees("drover")
	p.press("j")
	p.sees("token")
	still.quiet(time.Second)
	var took, floor []time.Duration
	began, cpu := time.Now(), p.cpu()
	for range 300 {
		took = append(took, p.after("?", "Any pane"))
		p.press("\x1b")
		p.rest(70 * time.Millisecond)
		floor = append(floor, still.after("?", "Any pane"))
		still.press("\x1b")
		still.rest(70 * time.Millisecond)
	}
	spent := time.Since(began)
	b.ReportMetric(float64(p.cpu()-cpu)/float64(spent)*100, "%-core")
	reportAt(b, took, 50, "ms-median")
	reportAt(b, took, 99, "ms-p99")
	reportAt(b, floor, 50, "still-ms-median")
	reportAt(b, floor, 99, "still-ms-p99")
	if spent > s.streamFor-2*time.Second {
		b.Fatalf("the streams ended before the measuring, which took %v", spent)
	}
	p.quit()
	still.quit()
	stop()
	_ = run.Wait() // killed
}
