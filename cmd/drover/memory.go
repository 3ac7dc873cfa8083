package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	openingMemory = 96 << 20 // while the screen opens, garbage is collected only from here on
	someGarbage   = 24 << 20 // then there may be this much of it, or that share of what is in use
	leastPercent  = 75
	mostPercent   = 600
)

// holdGarbage lets a screen open without collecting garbage: nearly all that is
// read stays in use. loaded is to be called once the first frame stands, and
// whenever much has been read: what is small is collected seldom, so that a key
// seldom meets a collection, and what is large does not become twice as large.
func holdGarbage() (loaded func()) {
	limit := debug.SetMemoryLimit(openingMemory)
	debug.SetGCPercent(-1)
	return func() {
		allowGarbage()
		debug.SetMemoryLimit(limit)
	}
}

// allowGarbage says how much garbage there may be beside what is in use now.
func allowGarbage() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := mostPercent
	if used := live[0].Value.Uint64(); used > 0 {
		percent = int(min(mostPercent, max(leastPercent, 100*someGarbage/used)))
	}
	debug.SetGCPercent(percent)
}

// tuneGarbage does so after each collection from now on.
func tuneGarbage() {
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		allowGarbage()
		tuneGarbage()
	}, struct{}{})
}
