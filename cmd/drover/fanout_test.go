package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"drover/core"
	"drover/store"
)

// modelLatency is how long the scripted server thinks before each answer.
const modelLatency = 50 * time.Millisecond

// used is what a process took, as `floor measure` writes it.
type used struct {
	Wall time.Duration
	CPU  time.Duration
	RSS  int64
}

// bench runs the real program and the floor, each in a process of its own.
type bench struct {
	tb            testing.TB
	dir           string
	drover, floor string
}

func newBench(tb testing.TB) *bench {
	tb.Helper()
	k := &bench{tb: tb, dir: tb.TempDir()}
	k.drover, k.floor = filepath.Join(k.dir, "drover"), filepath.Join(k.dir, "floor")
	for bin, pkg := range map[string]string{k.drover: ".", k.floor: "./testdata/floor"} {
		if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, pkg).CombinedOutput(); err != nil {
			tb.Fatalf("go build %s: %v\n%s", pkg, err, out)
		}
	}
	if own := os.Getenv("DROVER_BENCH_BINARY"); own != "" { // another build, to compare
		k.drover = own
	}
	return k
}

// home is a fresh state, configuration and working directory for one run.
func (k *bench) home() (work string, env []string) {
	k.tb.Helper()
	home := k.tb.TempDir()
	work = filepath.Join(home, "work")
	for name, text := range map[string]string{
		"work/note.txt":      "a line of a file\n",
		"config/config.toml": "concurrency = 1000\nmax_turns = 1000\n", // the queue is not what is measured
	} {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			k.tb.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			k.tb.Fatal(err)
		}
		old := time.Now().Add(-time.Hour) // a file of this second is read again and again: it may still change
		if err := os.Chtimes(name, old, old); err != nil {
			k.tb.Fatal(err)
		}
	}
	return work, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DROVER_STATE=" + filepath.Join(home, "state"), "DROVER_CONFIG=" + filepath.Join(home, "config"),
	}
}

// run measures one program.
func (k *bench) run(work string, env []string, argv ...string) (used, string) {
	k.tb.Helper()
	file := filepath.Join(k.dir, "used.json")
	cmd := exec.Command(k.floor, append([]string{"measure", file}, argv...)...)
	cmd.Dir, cmd.Env = work, env
	var said, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &faults
	if err := cmd.Run(); err != nil {
		k.tb.Fatalf("%v: %v\n%s%s", argv, err, said.String(), faults.String())
	}
	var u used
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &u)
	}
	if err != nil {
		k.tb.Fatal(err)
	}
	return u, said.String()
}

// prompt measures `drover run` of a prompt, which must answer with want, in a fresh home.
func (k *bench) prompt(s *scripted, prompt, want string) used {
	k.tb.Helper()
	work, env := k.home()
	return k.promptIn(work, env, s, prompt, want)
}

func (k *bench) promptIn(work string, env []string, s *scripted, prompt, want string) used {
	k.tb.Helper()
	env = append(env, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.URL+"/v1")
	u, said := k.run(work, append(env, extraEnv()...), k.drover, "run", "--model", "openai/x", "--allow-all", prompt)
	if !strings.Contains(said, want) {
		k.tb.Fatalf("drover run %q said %q, not %q", prompt, said, want)
	}
	return u
}

// extraEnv is what whoever looks for time adds: GODEBUG, a profile.
func extraEnv() []string { return strings.Fields(os.Getenv("DROVER_BENCH_ENV")) }

func (k *bench) bare(s *scripted, args ...string) used {
	k.tb.Helper()
	u, _ := k.run(k.dir, os.Environ(), append([]string{k.floor, args[0], s.URL + "/v1"}, args[1:]...)...)
	return u
}

// median of several runs by wall time: the machine does other things too.
func median(n int, f func() used) used {
	var all []used
	for range n {
		all = append(all, f())
	}
	slices.SortFunc(all, func(a, b used) int { return int(a.Wall - b.Wall) })
	return all[n/2]
}

// row is a line of the table: what drover took, and the floor beside it.
type line struct {
	name  string
	ideal time.Duration
	d, f  used
	note  string
}

func (r line) report(b *testing.B) {
	ratio := func(x time.Duration) float64 { return float64(x) / float64(r.ideal) }
	b.ReportMetric(ratio(r.d.Wall), "wall/ideal")
	b.ReportMetric(ratio(r.f.Wall), "floor-wall/ideal")
	b.ReportMetric(r.d.CPU.Seconds(), "cpu-s")
	b.ReportMetric(r.f.CPU.Seconds(), "floor-cpu-s")
	b.ReportMetric(float64(r.d.RSS)/1e6, "MB")
	b.ReportMetric(float64(r.f.RSS)/1e6, "floor-MB")
}

// BenchmarkFanout measures prompt mode against a model server on loopback, each
// figure beside that of a bare program which makes the same HTTP calls in the
// same order. Ideal is the sum of the model's latencies along the critical path.
func BenchmarkFanout(b *testing.B) {
	k := newBench(b)
	var rows []line
	add := func(name string, ideal time.Duration, f func(b *testing.B) line) {
		b.Run(name, func(b *testing.B) {
			var r line
			for b.Loop() {
				r = f(b)
			}
			r.name, r.ideal = name, ideal
			r.report(b)
			if r.note == "" {
				r.note = fmt.Sprintf("%.1f ms over it", (r.d.Wall-ideal).Seconds()*1000)
			}
			rows = append(rows, r)
		})
	}
	s := newScripted(b, modelLatency)
	work, env := k.home()
	k.promptIn(work, env, s, "ONE", "") // makes the registry, once in a machine's life
	add("answer", modelLatency, func(*testing.B) line {
		return line{
			d: median(9, func() used { return k.promptIn(work, env, s, "ONE", "This is the answer.") }),
			f: median(9, func() used { return k.bare(s, "chain", "ONE") }),
		}
	})
	const steps = 100
	add("steps-100", (steps+1)*modelLatency, func(*testing.B) line {
		r := line{f: k.bare(s, "chain", "CHAIN 100")}
		r.d = k.prompt(s, "CHAIN 100", "This is the answer.")
		r.note = fmt.Sprintf("%.2f ms a step over the floor", (r.d.Wall-r.f.Wall).Seconds()*1000/steps)
		return r
	})
	add("commands-100", (steps+1)*modelLatency, func(*testing.B) line {
		r := line{f: k.bare(s, "chain", "SHELL 100")}
		r.d = k.prompt(s, "SHELL 100", "This is the answer.")
		r.note = fmt.Sprintf("%.2f ms a command over the floor", (r.d.Wall-r.f.Wall).Seconds()*1000/steps)
		return r
	})
	for _, n := range []int{1, 16, 64, 256} {
		add(fmt.Sprintf("agents-%d", n), (leafCalls+3)*modelLatency, func(*testing.B) line {
			before := s.calls.Load()
			r := line{d: median(3, func() used {
				return k.prompt(s, fmt.Sprintf("FAN %d LEAF", n), fmt.Sprintf("heard of %d of %d", n, n))
			})}
			made := (s.calls.Load() - before) / 3
			r.f = median(3, func() used { return k.bare(s, "fanout", fmt.Sprint(n)) })
			r.note = fmt.Sprintf("%d model calls (floor %d)", made, n*(leafCalls+1)+3)
			return r
		})
	}
	add("streams-256", s.streamFor+3*modelLatency, func(b *testing.B) line { return k.streams(b, s, 256) })
	table(rows)
}

// streams measures n streams at once while another process reads their live text.
func (k *bench) streams(b *testing.B, s *scripted, n int) line {
	r := line{f: k.bare(s, "streams", fmt.Sprint(n))}
	work, env := k.home()
	env = append(env, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.URL+"/v1")
	stop, seen := make(chan struct{}), make(chan float64)
	go func() { seen <- watchLive(filepath.Join(filepath.Dir(work), "state"), stop) }()
	r.d, _ = k.run(work, append(env, extraEnv()...), k.drover, "run", "--model", "openai/x", "--allow-all", fmt.Sprintf("FAN %d STREAM", n))
	close(stop)
	shown := <-seen
	b.ReportMetric(shown, "live/s")
	r.note = fmt.Sprintf("CPU %.1fx, %.0f live rows/s seen of one stream", r.d.CPU.Seconds()/r.f.CPU.Seconds(), shown)
	return r
}

// watchLive reads, as a screen does, the live text of the task that has some,
// and returns how often a second it changed.
func watchLive(state string, stop <-chan struct{}) float64 {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var st *store.Store
	var task string
	var rev int64
	var first, last time.Time
	changes := 0
	for {
		select {
		case <-stop:
			if st != nil {
				_ = st.Close() // it was only read
			}
			return float64(changes) / max(last.Sub(first).Seconds(), 0.001)
		case <-tick.C:
		}
		if st == nil {
			if _, err := os.Stat(filepath.Join(state, "drover.db")); err != nil {
				continue
			}
			opened, err := store.Open(context.Background(), state, store.Options{})
			if err != nil {
				continue
			}
			st = opened
		}
		err := st.View(context.Background(), func(r core.Reader) error {
			var of []string
			if task != "" {
				of = []string{task}
			}
			all, err := r.LiveTexts(of)
			if err == nil && len(all) > 0 && all[0].Rev != rev {
				task, rev, last = all[0].Task, all[0].Rev, time.Now()
				if changes++; changes == 1 {
					first = last
				}
			}
			return err
		})
		if err != nil {
			continue
		}
	}
}

func table(rows []line) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nwhat\tideal ms\twall ms\tfloor\twall/ideal\tfloor\tCPU s\tfloor\tMB\tfloor\t\t")
	for _, r := range rows {
		ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%s\t\n", r.name, ms(r.ideal), ms(r.d.Wall), ms(r.f.Wall),
			ms(r.d.Wall)/ms(r.ideal), ms(r.f.Wall)/ms(r.ideal), r.d.CPU.Seconds(), r.f.CPU.Seconds(), float64(r.d.RSS)/1e6, float64(r.f.RSS)/1e6, r.note)
	}
	_ = w.Flush() // to the terminal
}

// BenchmarkCancel is the time from ^C to the end of the provider's connection.
func BenchmarkCancel(b *testing.B) {
	k := newBench(b)
	s := newScripted(b, modelLatency)
	var took []time.Duration
	for b.Loop() {
		work, env := k.home()
		cmd := exec.Command(k.drover, "run", "--model", "openai/x", "--allow-all", "ENDLESS")
		cmd.Dir, cmd.Env = work, append(env, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.URL+"/v1")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		<-s.began
		<-time.After(200 * time.Millisecond)
		began := time.Now()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			b.Fatal(err)
		}
		select {
		case at := <-s.gone:
			took = append(took, at.Sub(began))
		case <-time.After(10 * time.Second):
			b.Fatal("the connection stayed open")
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != core.ExitCancelled {
			b.Fatalf("it left with %d: %v", cmd.ProcessState.ExitCode(), err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-to-close")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-to-close-max")
}
