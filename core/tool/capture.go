package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"drover/core"
)

const (
	keepBytes  = 15 << 10 // of the beginning, and of the end, of an output
	spillBytes = 64 << 20 // of the file with all of it
	streamTime = 100 * time.Millisecond
	streamKeep = 8 << 10 // passed on at once; of a flood only the end is seen
)

// capture keeps the beginning and the end of an output, and spills all of it
// to a file when they are not all.
type capture struct {
	dir, name  string
	head, tail []byte
	total      int64
	masked     func(io.Writer) io.WriteCloser // takes secrets out of what the file gets; may be nil
	file       *os.File
	to         io.WriteCloser // the file, behind masked
	spilled    int64
	problem    error // of the file
}

func newCapture(env core.ToolEnv, name string) *capture {
	keep := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-' {
			return r
		}
		return -1
	}
	name = strings.Map(keep, name)
	return &capture{dir: env.Scratch, name: name[:min(len(name), 46)], masked: env.Masked}
}

func (c *capture) write(b []byte) {
	c.total += int64(len(b))
	if c.total > 2*keepBytes && c.file == nil && c.problem == nil {
		c.open()
	}
	if c.file != nil {
		c.spill(b)
	}
	if room := keepBytes - len(c.head); room > 0 {
		n := min(room, len(b))
		c.head, b = append(c.head, b[:n]...), b[n:]
	}
	if c.tail = append(c.tail, b...); len(c.tail) > 4*keepBytes {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keepBytes:]...)
	}
}

// open begins the file with what has come before.
func (c *capture) open() {
	if c.dir == "" {
		c.problem = fmt.Errorf("there is no place for it")
		return
	}
	if c.file, c.problem = os.CreateTemp(c.dir, c.name+"-*.txt"); c.problem == nil {
		c.to = c.file
		if c.masked != nil {
			c.to = c.masked(c.file)
		}
		c.spill(c.head)
		c.spill(c.tail)
	}
}

func (c *capture) spill(b []byte) {
	b = b[:min(int64(len(b)), spillBytes-c.spilled)]
	if c.problem != nil || len(b) == 0 {
		return
	}
	n, err := c.to.Write(b)
	c.spilled, c.problem = c.spilled+int64(n), err
}

// end closes the file and gives the text for the model.
func (c *capture) end() string {
	if c.file != nil {
		err := error(nil)
		if c.masked != nil {
			err = c.to.Close() // what it held back for the end of a secret
		}
		if err = errors.Join(err, c.file.Close()); c.problem == nil {
			c.problem = err
		}
	}
	if c.total == 0 {
		return "(no output)\n"
	}
	if c.total <= 2*keepBytes {
		return endLine(plain(append(c.head, c.tail...)))
	}
	tail := c.tail[max(0, len(c.tail)-keepBytes):]
	head := c.head
	if n := bytes.LastIndexByte(head, '\n'); n > len(head)-1000 {
		head = head[:n+1]
	}
	if n := bytes.IndexByte(tail, '\n'); n >= 0 && n < 1000 {
		tail = tail[n+1:]
	}
	note := fmt.Sprintf("… %s cut here; ", size(c.total-int64(len(head)+len(tail))))
	switch {
	case c.problem != nil:
		note += "the whole could not be kept: " + reason(c.problem)
	case c.spilled < c.total:
		note += fmt.Sprintf("the first %s are in %s", size(c.spilled), quoted(c.path()))
	default:
		note += "the whole is in " + quoted(c.path())
	}
	return endLine(plain(head)) + note + " …\n" + endLine(plain(tail))
}

// path of the file with the whole output, or "".
func (c *capture) path() string {
	if c.file == nil {
		return ""
	}
	path, err := filepath.Abs(c.file.Name())
	if err != nil {
		return c.file.Name()
	}
	return path
}

func endLine(s string) string {
	if strings.HasSuffix(s, "\n") || s == "" {
		return s
	}
	return s + "\n"
}

// plain is an output as a terminal would leave it: of a line that was written
// over and over (a progress bar) the last state, and no escape sequences.
func plain(b []byte) string {
	if bytes.IndexByte(b, '\r') < 0 {
		return core.Clean(string(b))
	}
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
	}
	return core.Clean(strings.Join(lines, "\n"))
}

// stream passes an output on while it comes, at most once in streamTime, by
// its own goroutine; of what came meanwhile only the end.
type stream struct {
	to    func(string)
	mu    sync.Mutex
	text  []byte
	cut   bool
	wake  chan struct{}
	done  chan struct{}
	ended sync.WaitGroup
}

func newStream(to func(string)) *stream {
	s := &stream{to: to, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if to != nil {
		s.ended.Go(s.run)
	}
	return s
}

func (s *stream) write(b []byte) {
	if s.to == nil {
		return
	}
	s.mu.Lock()
	s.text = append(s.text, b...)
	if n := len(s.text) - streamKeep; n > 0 {
		s.text, s.cut = append(s.text[:0], s.text[n:]...), true
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close passes on the rest and waits until that is done.
func (s *stream) close() {
	close(s.done)
	s.ended.Wait()
}

func (s *stream) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.done:
			s.pass(true)
			return
		case <-s.wake:
		}
		select {
		case <-s.done:
		case <-timer.C:
			s.pass(false)
			timer.Reset(streamTime)
		}
	}
}

// pass hands over what has come, up to the last whole character unless it is the end.
func (s *stream) pass(all bool) {
	s.mu.Lock()
	n := len(s.text)
	if !all {
		n = whole(s.text)
	}
	text, cut := plain(s.text[:n]), s.cut
	s.text, s.cut = append(s.text[:0], s.text[n:]...), false
	s.mu.Unlock()
	if cut {
		text = "…\n" + text
	}
	if text != "" {
		s.to(text)
	}
}
