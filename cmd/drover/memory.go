package main

import (
	"runtime/debug"
	"runtime/metrics"
)

const (
	openingMemory = 96 << 20 // while the screen opens, garbage is collected only from here on
	someGarbage   = 16 << 20 // then there may be this much of it, or that share of what is in use
	leastPercent  = 75
	mostPercent   = 400
)

// holdGarbage lets a screen open without collecting garbage: nearly all that is
// read stays in use. loaded is to be called once the first frame stands, and
// whenever much has been read: what is small is collected seldom, so that a key
// seldom meets a collection, and what is large does not become twice as large.
func holdGarbage() (loaded func()) {
	limit := debug.SetMemoryLimit(openingMemory)
	debug.SetGCPercent(-1)
	return func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		percent := mostPercent
		if used := live[0].Value.Uint64(); used > 0 {
			percent = int(min(mostPercent, max(leastPercent, 100*someGarbage/used)))
		}
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
