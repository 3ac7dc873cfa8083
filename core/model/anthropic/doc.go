// Package anthropic speaks Anthropic's Messages API, to Anthropic and to the
// servers that imitate it: streamed text, thinking and parallel tool calls.
//
// It promises that what the provider wants back, thinking with its signature,
// goes back unchanged and in its place, to the model that wrote it and to no
// other; and that the stable part of a conversation is marked for its cache.
//
// It never asks the server to keep anything, and never names a tool that it
// was not given.
package anthropic
