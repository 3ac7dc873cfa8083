package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"drover/core"
	"drover/core/sandbox"
)

func main() {
	sandbox.Main() // this program is its own supervisor of child processes
	os.Exit(realMain())
}

// realMain runs the program and returns its exit code.
func realMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now, paint: paintFor(os.Stdout, os.Getenv)}
	a.open = a.openRegistry
	err := newRoot(a).ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil { // stopped by a person: whatever failed, failed by that
		return core.ExitCancelled
	}
	return a.finish(err)
}
