// Package responses speaks OpenAI's Responses API: streamed text, summaries of
// reasoning and parallel function calls.
//
// It promises that reasoning goes back to the model that wrote it, encrypted
// and unchanged and in its place, so that nothing has to be kept by the
// provider.
//
// It never asks the server to store a conversation, and never uses the
// server's own tools.
package responses
