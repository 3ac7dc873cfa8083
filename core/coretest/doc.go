// Package coretest is for tests: the one suite that every core.Store passes
// (TestStore), and a model that answers by script (Script).
//
// It promises that a Store which passes keeps every field of every row, orders
// and filters as the contract says, isolates, rolls back, wakes, and loses
// nothing under concurrency. A row type that gains a field is covered at once:
// the fixtures are filled by reflection.
//
// It never needs a network or a real clock of its own, and is imported by tests only.
package coretest
