// Package run is how a local agent thinks: it performs one turn of a task as a
// loop of steps, each one model call and the tool calls it asked for, and it
// decides how autopilot goes on.
//
//	entries (rows) ── history ──► model call ──► answer row
//	                                  │ no calls: the turn is answered
//	                                  ▼
//	                 for each call, at once: is it in the set? is it approved?
//	                       call row ──► tool ──► result row
//	                                  │
//	      step boundary: steering messages and notices become rows ──► next step
//
// It promises that every piece is a row before the next begins, so that a turn
// whose host died goes on where the rows end: a model call is made again, a
// tool call that may have run is answered to the model as interrupted (calls
// that only read may run before their answer is a row, and are rows before the
// next model call: they have changed nothing); that the
// model is shown only its set of tools and that each call is checked against
// the set again; and that an interrupted turn leaves no call without a result.
//
// It never waits for messages between turns, keeps nothing in memory for an
// idle task, and knows no provider, no database and no screen.
package run
