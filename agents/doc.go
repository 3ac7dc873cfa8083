// Package agents says which agents and commands exist.
//
// It finds the definitions that people already have, of a dozen dialects, in
// the directories where their own programs look, and turns each into one
// Definition in drover's words: name, prompt, tools, model, limits. First name
// wins; what does not win is listed as shadowed, untrusted, disabled or as a
// problem with file, line and repair.
//
// It promises that one bad file never hides another, that nothing found is
// dropped in silence, that a dialect's own rule holds for its own files, that
// files are read again when, and only when, a directory or file changed, and
// that a malformed bundled agent fails the build's tests.
//
// It never runs an agent, never executes anything a file asks for, never
// writes, and never waits on a pipe or a device that lies among the files.
package agents
