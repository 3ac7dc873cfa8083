package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drover/core"
	"drover/ui/state"
)

// stream prints a session as it runs, in prompt mode: the main agent's words
// to standard output as they arrive, line by line; what happens besides to
// standard error. As JSON stream everything goes to standard output, a value a
// line; with one JSON object at the end there is nothing before it.
type stream struct {
	a       *app
	c       client
	session string
	format  string
	whole   bool   // as text: only the result is wanted, at the end
	entry   int64  // last entry of main that was printed
	event   int64  // last event that was printed
	shown   string // what was printed of the answer that is being written
	names   map[string]string
}

func newStream(a *app, c client, session, format string) *stream {
	return &stream{a: a, c: c, session: session, format: format, names: map[string]string{}}
}

// Values of run --json; each has its type.
type (
	sessionLine struct {
		Type    string `json:"type"` // session
		Session string `json:"session"`
	}
	entryLine struct {
		Type string `json:"type"` // entry
		entryJSON
	}
	eventLine struct {
		Type string `json:"type"` // event
		eventJSON
	}
)

// newsEvery is the least time between two looks at what is new.
const newsEvery = 25 * time.Millisecond

// follow prints until over is closed, or ctx ends: then the error is its cause.
func (s *stream) follow(ctx context.Context, over <-chan struct{}) error {
	watch, stop := context.WithCancel(ctx)
	defer stop()
	changed := s.c.Watch(watch)
	if s.format == formatStream {
		if err := s.a.emitLine(sessionLine{"session", s.session}); err != nil {
			return err
		}
	}
	for {
		if err := s.news(ctx); err != nil {
			return err
		}
		rested := time.After(newsEvery)
		for more, due := false, false; !more || !due; {
			select {
			case <-over:
				return s.news(ctx)
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-changed:
				more = true
			case <-rested:
				due = true
			}
		}
	}
}

// news prints what is new since the last time.
func (s *stream) news(ctx context.Context) error {
	n, err := s.c.News(ctx, s.session, s.entry, s.event)
	if err != nil {
		return err
	}
	for _, e := range n.Entries {
		s.entry = e.Seq
		if err := s.printEntry(e); err != nil {
			return err
		}
	}
	for _, e := range n.Events {
		s.event = e.Seq
		if err := s.printEvent(ctx, e); err != nil {
			return err
		}
	}
	if len(n.Entries) == 0 && s.format == formatText && !s.whole {
		return s.grow(n.Live.Text)
	}
	return nil
}

// grow prints the whole lines that have arrived of an answer and are not shown
// yet. Lines, because what cleans a text cannot judge half an escape sequence.
func (s *stream) grow(text string) error {
	lines := core.Clean(text[:strings.LastIndexByte(text, '\n')+1])
	rest, ok := strings.CutPrefix(lines, s.shown)
	if !ok || rest == "" {
		return nil
	}
	s.shown = lines
	return s.a.print(rest)
}

func (s *stream) printEntry(e core.Entry) error {
	if s.format == formatStream {
		return s.a.emitLine(entryLine{"entry", ofEntry(e)})
	}
	if s.format == formatJSON || s.whole || e.Kind != core.EntryAnswer {
		return nil
	}
	text := core.Clean(e.Text)
	rest, ok := strings.CutPrefix(text, s.shown)
	if !ok && s.shown != "" { // the model began anew
		rest = "\n" + text
	}
	s.shown = ""
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return s.a.print(strings.TrimRight(rest, "\n") + "\n")
}

func (s *stream) printEvent(ctx context.Context, e core.Event) error {
	if s.format == formatStream {
		return s.a.emitLine(eventLine{"event", ofEvent(e)})
	}
	glyph, _ := state.EventLook(e.Kind)
	switch e.Kind {
	case core.EvSessionStart, core.EvSessionIdle, core.EvRequest, core.EvTodos, core.EvIdle, core.EvTurn:
		return nil // of no use to somebody who watches the answer
	case core.EvApproval:
		s.aside("%s %s: drover approve %s · drover deny %s\n", glyph, core.CleanLine(e.Text), core.CleanLine(e.Ref), core.CleanLine(e.Ref))
		return nil
	}
	s.aside("%s %s\n", glyph, core.CleanLine(e.Text))
	return nil
}

// aside writes to standard error. Where nobody reads that the run goes on:
// the answer is what counts.
func (s *stream) aside(format string, args ...any) { _, _ = fmt.Fprintf(s.a.err, format, args...) }
