// Package openai speaks the Chat Completions API of OpenAI, which most servers
// imitate: Gemini, Ollama, vLLM, OpenRouter, LM Studio and others.
//
// It promises to bear with what those leave out or do their own way: usage,
// IDs and numbers of tool calls, arguments as an object, reasoning under two
// names, an answer that is not streamed, a field that is refused; and to give
// a server back what it wants to see again with its answer.
//
// It never sends a field that only one of them knows before that one was seen
// to want it, and never keeps a conversation on a server.
package openai
