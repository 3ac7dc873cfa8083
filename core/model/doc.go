// Package model is what every model provider is made of: one HTTP client with
// one reader of server-sent events, the faults of a model call by class, the
// history in the shape that all wire formats agree on, prices, and the registry
// of providers. A sub-package is one wire format (anthropic, openai, responses)
// or a wrapper around a core.Model (retry); offline is rules instead of a model.
//
// It promises that a call ends at once when its context does, that a stream
// which is cut or stands still is an error and never half a tool call, that
// what a model wrote can always be sent back to it, and that a failure is a
// *Fault: a class to decide by, the provider's words, and the way out.
//
// It never stores anything, never starts a tool, never writes a key into an
// error, and never repeats a call by itself (retry does).
package model
