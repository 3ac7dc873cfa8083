package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// MaxEvent is the size in bytes that one event of a stream may have.
const MaxEvent = 32 << 20

var errHuge = errors.New("the stream has an event of more than 32 MiB")

// Events reads server-sent events: CR, LF or CRLF, comments, data of several
// lines, a byte order mark, an end without the last empty line. An event that
// is cut off is io.ErrUnexpectedEOF.
type Events struct {
	r          io.Reader
	buf        []byte
	start, end int // what is unread
	seen       int // how much of that has no line end
	name, data []byte
	begun      bool   // the first line was looked at
	afterCR    bool   // an LF that comes next belongs to the line before
	held       []byte // data of an event that was not parted from the one before
	err        error
}

// NewEvents reads the events of r.
func NewEvents(r io.Reader) *Events { return &Events{r: r} }

var bom = []byte("\xef\xbb\xbf")

// Next returns the next event: its name ("" where it has none) and its data,
// both valid until the next call. At the end the error is io.EOF.
func (e *Events) Next() (name, data []byte, err error) {
	e.name, e.data = e.name[:0], e.data[:0]
	lines := 0
	if len(e.held) > 0 {
		e.data, e.held, lines = append(e.data, e.held...), e.held[:0], 1
	}
	for {
		line, err := e.line()
		if err != nil {
			return e.last(err, lines)
		}
		if !e.begun {
			e.begun, line = true, bytes.TrimPrefix(line, bom)
		}
		switch field, v := cutField(line); string(field) {
		case "":
			if len(line) > 0 { // a comment
				continue
			}
			if lines > 0 {
				return e.name, e.data, nil
			}
			e.name = e.name[:0]
		case "data":
			if lines == 1 && complete(e.data) && complete(v) { // no empty line between two events
				e.held = append(e.held[:0], v...)
				return e.name, e.data, nil
			}
			if lines++; lines > 1 {
				e.data = append(e.data, '\n')
			}
			if e.data = append(e.data, v...); len(e.data) > MaxEvent {
				return nil, nil, errHuge
			}
		case "event":
			e.name = append(e.name[:0], v...)
		}
	}
}

// complete reports whether a line of data is an event of its own.
func complete(v []byte) bool { return json.Valid(v) || IsDone(v) }

// IsDone reports whether data is the mark at the end of a stream.
func IsDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// Pulse reports whether an event only says that the server is alive.
func Pulse(name, data []byte) bool {
	switch string(name) {
	case "ping", "heartbeat", "keepalive", "keep-alive":
		return true
	}
	return len(bytes.TrimSpace(data)) == 0
}

// cutField cuts a line at its colon, less one space.
func cutField(line []byte) (field, v []byte) {
	field, v, _ = bytes.Cut(line, []byte(":"))
	if len(v) > 0 && v[0] == ' ' {
		v = v[1:]
	}
	return field, v
}

// last returns the event that the end of the stream leaves, where it is whole.
func (e *Events) last(err error, lines int) ([]byte, []byte, error) {
	if err != io.EOF {
		return nil, nil, err
	}
	rest := e.buf[e.start:e.end]
	e.start, e.seen = e.end, 0
	if len(rest) > 0 {
		field, v := cutField(rest)
		if lines > 1 || string(field) != "data" || !complete(v) || lines == 1 && !complete(e.data) {
			return nil, nil, io.ErrUnexpectedEOF
		}
		if lines == 1 {
			e.held = append(e.held, v...)
			return e.name, e.data, nil
		}
		e.data = append(e.data, v...)
		return e.name, e.data, nil
	}
	if lines > 0 {
		return e.name, e.data, nil
	}
	return nil, nil, io.EOF
}

// line returns the next line without its end, valid until the next call.
func (e *Events) line() ([]byte, error) {
	for {
		if e.afterCR && e.start < e.end {
			if e.buf[e.start] == '\n' {
				e.start++
			}
			e.afterCR = false
		}
		if n := lineEnd(e.buf[e.start+e.seen : e.end]); n >= 0 {
			from, to := e.start, e.start+e.seen+n
			e.afterCR = e.buf[to] == '\r'
			e.start, e.seen = to+1, 0
			return e.buf[from:to], nil
		}
		e.seen = e.end - e.start
		if err := e.fill(); err != nil {
			return nil, err
		}
	}
}

func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n >= 0 {
		b = b[:n]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return n
}

// fill reads more. An error is told when what was read with it is used up.
func (e *Events) fill() error {
	if e.err != nil {
		return e.err
	}
	if e.start > 0 {
		copy(e.buf, e.buf[e.start:e.end])
		e.start, e.end = 0, e.end-e.start
	}
	if e.end == len(e.buf) {
		if len(e.buf) > MaxEvent {
			return errHuge
		}
		e.buf = append(e.buf, make([]byte, max(4096, len(e.buf)))...)
	}
	n, err := e.r.Read(e.buf[e.end:])
	e.end += n
	e.err = err
	return nil
}

// first returns the first byte that is no white space, without using it up.
func (e *Events) first() (byte, error) {
	for {
		rest := bytes.TrimLeft(bytes.TrimPrefix(e.buf[e.start:e.end], bom), " \t\r\n")
		if len(rest) > 0 {
			return rest[0], nil
		}
		if err := e.fill(); err != nil {
			return 0, err
		}
	}
}

// rest reads all that is left, as it is.
func (e *Events) rest() ([]byte, error) {
	for {
		if err := e.fill(); err == io.EOF {
			return bytes.TrimPrefix(e.buf[e.start:e.end], bom), nil
		} else if err != nil {
			return nil, err
		}
	}
}
