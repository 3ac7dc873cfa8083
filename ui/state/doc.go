// Package state is what the screen shows and what its keys mean, as plain
// values and pure functions.
//
// One State belongs to the goroutine that draws. Key, Paste and Apply change
// it; Key returns what a person wants done as Effects, which are values too;
// Done tells the State how an effect came out. Every key is one row of one
// table (Bindings): from it come the footer, the help screen and the README.
//
// It promises that rows do not move under the cursor, that a message goes to
// the task for which its composer was opened, that a draft is kept until its
// message is safe and comes back when it is refused, that a folder is trusted
// only by an answer to a question that names what comes in, and that a key that
// cannot act says why.
//
// It never imports a terminal library, never does I/O, never takes a lock and
// never asks for the time: the caller sets State.Now.
package state
