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
// standard error. With JSON everything goes to standard output, a value a line.
type stream struct {
	a       *app
	c       client
	session string
	entry   int64  // last entry of main that was printed
	event   int64  // last event that was printed
	shown   string // what was printed of the answer that is being written
	names   map[string]string
}

func newStream(a *app, c client, session string) *stream {
	return &stream{a: a, c: c, session: session, names: map[string]string{}}
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
	resultLine struct {
		Type     string       `json:"type"` // result
		Session  string       `json:"session"`
		Status   core.Status  `json:"status"`
		Outcome  core.Outcome `json:"outcome"`
		Summary  string       `json:"summary"`
		NotDone  []string     `json:"not_done"`
		Text     string       `json:"text"` // the last answer
		Code     core.Code    `json:"error_code"`
		Error    string       `json:"error"`
		ExitCode int          `json:"exit_code"`
	}
)

// newsEvery is the least time between two looks at what is new.
const newsEvery = 25 * time.Millisecond

// follow prints until the host has ended, or ctx does.
func (s *stream) follow(ctx context.Context, over <-chan error) error {
	watch, stop := context.WithCancel(ctx)
	defer stop()
	changed := s.c.Watch(watch)
	if s.a.json {
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
			case err := <-over:
				if err != nil {
					return err
				}
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
	live, err := s.c.LiveText(ctx, s.session)
	if err != nil {
		return err
	}
	// Read after the live text: an answer that was committed in between is printed as an entry.
	entries, err := s.c.Entries(ctx, s.session, s.entry, 0)
	if err != nil {
		return err
	}
	events, err := s.c.Events(ctx, core.EventFilter{Session: s.session, After: s.event, Notable: true})
	if err != nil {
		return err
	}
	for _, e := range entries {
		s.entry = e.Seq
		if err := s.printEntry(e); err != nil {
			return err
		}
	}
	for _, e := range events {
		s.event = e.Seq
		if err := s.printEvent(ctx, e); err != nil {
			return err
		}
	}
	if len(entries) == 0 && !s.a.json {
		return s.grow(live.Text)
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
	if s.a.json {
		return s.a.emitLine(entryLine{"entry", ofEntry(e)})
	}
	if e.Kind != core.EntryAnswer {
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
	if s.a.json {
		return s.a.emitLine(eventLine{"event", ofEvent(e)})
	}
	glyph, _ := state.EventLook(e.Kind)
	switch e.Kind {
	case core.EvSessionStart, core.EvSessionIdle, core.EvRequest, core.EvTodos, core.EvIdle, core.EvTurn:
		return nil // of no use to somebody who watches the answer
	case core.EvApproval:
		_, err := fmt.Fprintf(s.a.err, "%s %s: drover approve %s · drover deny %s\n", glyph, core.CleanLine(e.Text), core.CleanLine(e.Ref), core.CleanLine(e.Ref))
		return err
	}
	_, err := fmt.Fprintf(s.a.err, "%s %s\n", glyph, core.CleanLine(e.Text))
	return err
}

// result tells how it ended, as exit code and, with JSON, as the last value.
func (s *stream) result(ctx context.Context) error {
	d, err := s.c.Show(ctx, s.session)
	if err != nil {
		return err
	}
	t := d.Task
	code := core.TreeExit(t, d.Children)
	if s.a.json {
		text := ""
		if n := len(d.Turns); n > 0 {
			text = d.Turns[n-1].Response
		}
		err = s.a.emitLine(resultLine{"result", t.Session, t.Status, t.Outcome, t.Summary, t.NotDone, text, t.ErrorCode, t.Error, code})
		if err == nil && code != core.ExitDone {
			err = &exit{code: code}
		}
		return err
	}
	if code == core.ExitDone {
		return nil
	}
	return &exit{code, s.fault(t, d.Children), "drover show " + t.ID + "; drover log " + t.ID}
}

// fault says what went wrong in the tree, in one line.
func (s *stream) fault(t core.TaskView, under []core.TaskView) string {
	if t.Status == core.Cancelled {
		return "cancelled"
	}
	for _, v := range append([]core.TaskView{t}, under...) {
		switch {
		case v.Error != "" || v.ErrorCode != "":
			return fmt.Sprintf("%s %s: %s (%s)", v.ID, core.CleanLine(v.Label()), core.CleanLine(v.Error), v.ErrorCode)
		case v.Outcome != "" && v.Outcome != core.OutcomeDone:
			return string(v.Outcome) + ": " + core.CleanLine(v.Summary)
		}
	}
	return "not everything is done"
}
