// Package agents says which agents exist.
//
// For now these are the bundled ones: Markdown files with a YAML head in
// builtin/, embedded. It promises that a malformed bundled file fails the
// build's tests, that names are exact and case-sensitive, and that an unknown
// name is answered with the names there are.
//
// It never runs an agent and never decides whether a task may start.
package agents
