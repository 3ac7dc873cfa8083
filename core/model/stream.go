package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"drover/core"
)

// mostStream is how many bytes an answer may have on the wire, with all that is around it.
const mostStream = 512 << 20

// pulses is for how many times the longest silence a server may say nothing but that it is alive.
const pulses = 10

// tail is how long a stream may still take once its answer is complete, for
// the usage that some servers send last and others never.
const tail = 5 * time.Second

// Stream is the answer to one request as it comes in.
type Stream struct {
	*Events
	c      *Client
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
	body   io.ReadCloser
	size   int64     // bytes so far
	heard  time.Time // when the last event came
	ending bool
	before func() error
}

// Read is the body with a watch on its silence; Events calls it.
func (s *Stream) Read(p []byte) (int, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return 0, err
		}
	}
	n, err := s.body.Read(p)
	if time.Since(s.heard) < pulses*s.idle {
		s.timer.Reset(s.idle)
	}
	if s.size += int64(n); s.size > mostStream {
		return n, errEndless
	}
	return n, err
}

// Each calls event with each event until the stream ends or event returns
// Done(). before is called whenever what has arrived is used up; its error ends the stream.
func (s *Stream) Each(before func() error, event func(name, data []byte) error) error {
	s.before = before
	for {
		name, data, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.broken(err)
		}
		s.heard = time.Now()
		if err := event(name, data); err == errDone {
			s.drain()
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Done is what an event returns after which nothing of the answer can follow.
func Done() error { return errDone }

// Ending says that the answer is complete but for its usage: little time is left.
func (s *Stream) Ending() {
	s.ending = true
	s.idle = min(tail, s.c.o.Idle)
	s.timer.Reset(s.idle)
}

// drain reads what little is left, so that the connection can be used again.
func (s *Stream) drain() {
	s.before, s.idle = nil, 50*time.Millisecond
	s.timer.Reset(s.idle)
	var b [512]byte
	for range 16 {
		if _, err := s.body.Read(b[:]); err != nil {
			return
		}
	}
}

// Whole returns the body where the server has answered with one JSON text
// instead of a stream, and nil where it streams.
func (s *Stream) Whole() ([]byte, error) {
	switch b, err := s.first(); {
	case err == io.EOF:
		return nil, s.Cut()
	case err != nil:
		return nil, s.broken(err)
	case b == '{', b == '[':
		body, err := s.rest()
		if err != nil {
			return nil, s.broken(err)
		}
		if json.Valid(body) {
			return body, nil
		}
		if !s.lines(body) {
			return nil, s.Garbage(body)
		}
		return nil, nil
	case strings.IndexByte("dei\xefr:", b) < 0 && b != '<': // no field of an event begins so
		body, err := s.rest()
		if err != nil {
			return nil, s.broken(err)
		}
		return nil, s.Garbage(body)
	case b == '<':
		return nil, &Fault{Class: ClassInvalid, Status: 200, Err: &core.Error{
			Code: core.CodeModel, Message: s.c.o.name() + ": " + s.c.shown() + " answers with a web page", Hint: "is the base URL right?",
		}}
	}
	return nil, nil
}

// lines takes a body that is one JSON object a line as a stream of them.
func (s *Stream) lines(body []byte) bool {
	var b bytes.Buffer
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !complete(line) {
			return false
		}
		b.WriteString("data: ")
		b.Write(line)
		b.WriteString("\n\n")
	}
	s.Events = NewEvents(&b)
	return true
}

// Cut is the fault of an answer that ended before it was complete.
func (s *Stream) Cut() error {
	if err := ended(s.parent); err != nil {
		return err
	}
	return s.network("the answer was cut off before its end")
}

// Garbage is the fault of an event that cannot be read.
func (s *Stream) Garbage(data []byte) error {
	return &Fault{Class: ClassServer, Status: 200, Err: &core.Error{
		Code: core.CodeModel, Message: s.c.o.name() + " sent what cannot be read: " + core.Short(core.CleanLine(s.c.mask(string(data[:min(len(data), 400)]))), 80),
		Hint: "is the base URL right, and does the server speak this API?",
	}}
}

func (s *Stream) network(what string) error {
	return &Fault{Class: ClassNetwork, Err: &core.Error{Code: core.CodeModel, Message: s.c.o.name() + ": " + what, Hint: "try again, or choose another model (drover models)"}}
}

// broken turns the end of a stream into what the caller should know; nil where the answer was complete.
func (s *Stream) broken(err error) error {
	if e := ended(s.parent); e != nil {
		return e
	}
	silent := context.Cause(s.ctx) == errSilent
	switch {
	case s.ending && (silent || err == io.ErrUnexpectedEOF):
		return nil
	case silent:
		return s.network(fmt.Sprintf("the stream stood still for %v", s.idle))
	case err == errHuge, err == errEndless:
		return &Fault{Class: ClassInvalid, Status: 200, Err: &core.Error{Code: core.CodeModel, Message: s.c.o.name() + ": " + err.Error(), Hint: "choose another model (drover models)"}}
	case err == io.ErrUnexpectedEOF:
		return s.Cut()
	}
	return s.network("the stream broke: " + core.CleanLine(s.c.mask(cause(err).Error())))
}

// Close gives the connection back, or closes it where the stream is not at its end.
func (s *Stream) Close() {
	s.timer.Stop()
	if s.body != nil {
		_ = s.body.Close() // it was only read
	}
	s.cancel(nil)
}
