// Package model is the home of the model providers. It holds no code: each
// provider is a sub-package that fulfils core.Model, and cmd/drover picks one
// by the part of "provider/model" before the slash.
//
// A provider promises to convert its own types at the edge, to end at once
// when its context does, and to name failures with a *core.Error.
//
// It never stores anything, never starts a tool and never imports another
// provider.
package model
