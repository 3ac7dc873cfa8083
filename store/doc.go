// Package store keeps the registry in one SQLite database, DIR/drover.db.
//
// It implements core.Store for any number of processes at once. A commit with
// core.Acknowledged is on the disk when Update returns; one with core.Progress
// survives the death of the process. Every commit wakes every Watch, of this
// process directly and of others through the file DIR/nudge/all. Every View is
// one snapshot. A database of a newer drover, or of another program, is refused
// and left as it is.
//
// Times are kept in milliseconds (a zero time is 0), durations in nanoseconds.
// Text is valid UTF-8 without NUL: whatever is not becomes U+FFFD on its way in;
// json.RawMessage is kept byte for byte (inside a ToolCall it is text).
//
// It never decides what may change (core does), never watches the WAL, and never
// leaves a goroutine behind its Close.
package store
