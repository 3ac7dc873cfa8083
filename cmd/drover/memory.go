package main

import "runtime/debug"

const (
	openingMemory = 96 << 20 // while the screen opens, garbage is collected only from here on
	garbage       = 75       // then: garbage in percent of what is in use, as long as the screen is open
)

// holdGarbage lets a screen open without collecting garbage: nearly all that is
// read stays in use. opened is to be called once the first frame stands.
func holdGarbage() (opened func()) {
	limit := debug.SetMemoryLimit(openingMemory)
	debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(garbage)
		debug.SetMemoryLimit(limit)
	}
}
