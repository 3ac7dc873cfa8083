// Package retry makes a core.Model patient: transient failures are tried again
// with growing, scattered waits, and at a rate limit everything that asks the
// same provider waits, and goes on one after the other.
//
// It promises to repeat a call only as long as nothing of the answer has
// reached the caller, to wait at least as long as the provider asked for, to
// tell of each wait before it begins, and to end at once with the context.
//
// It never repeats what cannot succeed, and never waits longer than it was told.
package retry
