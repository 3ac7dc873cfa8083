// Package core says what a task is and how it may change.
//
// It holds the words of the product (Session, Task, Turn, Entry, Request,
// Event, Approval), the one pure function that decides a change (Next), the
// one type that applies it (Registry), the slots, the waiters and the recovery
// after a crash, and the contracts the rest of the program fulfils: Store,
// Model, Tool, Runner, Catalog.
//
// It promises that a change is decided once, written in one transaction
// together with its event, then remembered, then told to others, in that
// order; that a terminal status is final; and that nothing acknowledged is lost.
//
// It never imports anything but the standard library, and never knows which
// database, model provider, terminal or process stands behind a contract.
package core
