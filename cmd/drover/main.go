package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"drover/core"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostPercent) // the first 24 MB are not collected: a command is over by then
	}
	os.Exit(realMain())
}

// realMain runs the program and returns its exit code.
func realMain() int {
	ctx, stop := signalled()
	defer stop()
	out := &output{Writer: os.Stdout}
	a := &app{in: os.Stdin, out: out, err: os.Stderr, getenv: os.Getenv, now: time.Now, paint: paintFor(os.Stdout, os.Getenv)}
	a.open = a.openRegistry
	err := newRoot(a).ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil { // stopped by a person: whatever failed, failed by that
		return core.ExitCancelled
	}
	if err == nil {
		err, a.ran = out.fault, true
	}
	return a.finish(err)
}

// output remembers the first write that failed: not all who print can tell.
type output struct {
	io.Writer
	fault error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.fault == nil {
		o.fault = err
	}
	return n, err
}

// signalled is a context that the first signal ends, so that what runs can end
// in order. The second one leaves at once: the kernel gives back the locks, and
// supervisors end the processes.
func signalled() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	got, done := make(chan os.Signal, 2), make(chan struct{})
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(got, signals...)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		for {
			select {
			case <-got:
			case <-done:
				return
			}
			if ctx.Err() != nil {
				os.Exit(core.ExitCancelled)
			}
			cancel()
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(done)
		<-watching
		cancel()
	}
}
