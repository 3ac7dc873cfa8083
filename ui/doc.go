// Package ui turns keys into effects and state into cells.
//
// It is the only place that knows a terminal: a tview application of our own
// primitives on a screen that forwards changed cells only (Thin). What is
// shown, and what a key means, is decided in ui/state; one pump brings news of
// the engine in, one worker carries effects out, and both leave the UI
// goroutine only there.
//
// It promises that a frame costs what is visible, not what exists; that text
// of an agent, a file or a server reaches a cell as text alone, without tags,
// escape sequences or bidi controls; that state is told by glyph and word and
// never by colour alone; and that every size of terminal is drawn without a
// crash.
//
// Drawing never computes, locks, reads files or calls the application; nothing
// in here changes a task, and nothing but themes says which colour it has.
package ui
