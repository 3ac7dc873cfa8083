// Package tool holds the built-in tools, the sets they come in, their other
// names, and the rules that let a call run without asking.
//
// Each tool is a Go file with its description (desc/NAME.md) and the schema of
// its arguments (desc/NAME.json) beside it. The schema is the only statement
// of what a call may hold: arguments are checked against it and refused in
// plain words that name the field.
//
// It promises that a tool returns at once when its context ends; that it never
// blocks on a pipe or a device; that its text is valid UTF-8 and bounded, and
// says what was left out; that files are written whole or not at all, and only
// inside the task's directory, whatever links stand in the way; and that no
// process outlives the call that started it; that no request reaches a host
// which its address does not name, nor one where a cloud gives out its keys.
//
// It never asks for approval itself, never reads the kernel's file systems
// (they hold the host's secrets), and keeps nothing in memory between two
// calls: notes and a task's variables are files, for a host may be gone by then.
package tool
