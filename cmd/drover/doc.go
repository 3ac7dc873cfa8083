// Command drover is a full-screen terminal task manager for AI agents, with
// the engine that runs them.
//
// This package turns flags into a running program: it is the only place that
// names concrete types (the SQLite store, the host, the models, the screen)
// and wires them. Screen and commands alike write requests and read rows; the
// host of a session, the same program started as `drover host`, does the work.
//
// It promises that every command speaks plain text and, with --json, one JSON
// value (JSON lines where it follows); that errors go to standard error with
// the way out; and that the exit code tells the truth about the whole tree.
//
// It never changes a task itself, and never prints what an agent wrote
// without core.Clean (JSON carries the source text, escaped).
package main
