// Package retry makes a core.Model patient: transient failures are tried again
// with growing, scattered waits, and at a rate limit everything that asks the
// same provider waits, and goes on one after the other.
//
// It promises to wait through the request's Wait where it has one, at least as
// long as the provider asked for, and to end at once with the context; and to
// repeat a call of which something has reached the caller only where that Wait
// has told the caller so.
//
// It never repeats what cannot succeed, and never chooses a longer wait than its
// options allow.
package retry
