package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"drover/core"
)

const (
	readLines = 2000     // lines of one answer, unless told otherwise
	readBytes = 48 << 10 // text of one answer
	lineBytes = 2000     // of one line; the rest is cut
	probe     = 8 << 10  // where a NUL makes a file binary
	countMax  = 64 << 20 // how far lines are counted behind those shown
)

type readFile struct{ def }

func (t readFile) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t readFile) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Path          string
		Offset, Limit int
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	path := absolute(env.Dir, a.Path)
	f, info, refusal := guardOf(env).openFile(path, 0)
	if refusal != "" {
		return unreadable(env.Dir, path, refusal), nil
	}
	defer f.Close()
	name := shown(env.Dir, path)
	p := page{first: max(1, a.Offset), limit: a.Limit}
	if p.limit == 0 {
		p.limit = readLines
	}
	room := int(min(64<<10, info.Size()+1))
	if info.Size() == 0 { // it may be one that the kernel writes when it is read
		room = probe
	}
	r := bufio.NewReaderSize(contextReader{ctx, f}, room)
	head, err := r.Peek(min(probe, r.Size()))
	if err != nil && !errors.Is(err, io.EOF) {
		return failed("%s: %s", name, reason(err)), ctx.Err()
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return failed("%s is binary (%s); use the shell to look into it", name, size(info.Size())), nil
	}
	if err := p.read(r); err != nil {
		return failed("%s: %s", name, reason(err)), ctx.Err()
	}
	return p.result(name), nil
}

// unreadable says why a file cannot be read, and what may have been meant.
func unreadable(dir, path, refusal string) core.ToolResult {
	hint := ""
	if info, err := os.Stat(path); err != nil {
		hint = near(dir, path)
	} else if info.IsDir() {
		hint = "; use list_files"
	}
	return failed("cannot read %s: %s%s", shown(dir, path), refusal, hint)
}

func orNone(r *core.ToolResult) core.ToolResult {
	if r == nil {
		return core.ToolResult{}
	}
	return *r
}

func pathSubject(args json.RawMessage) string {
	path := field(args, "path")
	if path == "" {
		return ""
	}
	return cut(core.CleanLine(quoted(filepath.Clean(path))), subjectBytes)
}

// page is a part of a file with numbered lines.
type page struct {
	first, limit int
	text         strings.Builder
	line         int // the last one that was read
	last         int // the last one shown
	total        int // of the file, or as far as was counted
	more         bool
	crlf         bool
	odd          bool // not valid UTF-8
}

func (p *page) read(r *bufio.Reader) error {
	for {
		line, length, err := readLine(r)
		if length == 0 && err != nil {
			p.total = p.line
			return ignoreEOF(err)
		}
		p.line++
		if p.line < p.first {
			continue
		}
		if p.line >= p.first+p.limit || p.text.Len()+len(line) > readBytes && p.last > 0 {
			return p.count(r)
		}
		p.add(line, length)
	}
}

func (p *page) add(line []byte, length int) {
	p.last = p.line
	line = bytes.TrimSuffix(line, []byte("\n"))
	if bytes.HasSuffix(line, []byte("\r")) {
		line, p.crlf = line[:len(line)-1], true
	}
	text := string(line)
	if v := valid(text); v != text && length <= lineBytes {
		text, p.odd = v, true
	}
	fmt.Fprintf(&p.text, "%6d\t%s", p.line, valid(text))
	if length > lineBytes {
		fmt.Fprintf(&p.text, "… (cut: this line has %s)", size(int64(length)))
	}
	p.text.WriteByte('\n')
}

// readLine reads a line, of which it keeps the beginning; length is that of the whole.
func readLine(r *bufio.Reader) (line []byte, length int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		length += len(part)
		if room := lineBytes - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, length, err
		}
	}
}

// count counts the lines behind the page; the first of them has been read.
func (p *page) count(r *bufio.Reader) error {
	p.total = p.line
	buf := make([]byte, 64<<10)
	ended := true // with a newline
	for seen := 0; ; {
		n, err := r.Read(buf)
		p.total += bytes.Count(buf[:n], []byte("\n"))
		if n > 0 {
			ended = buf[n-1] == '\n'
		}
		if seen += n; seen > countMax {
			p.more = true
			return nil
		}
		if err != nil {
			if !ended {
				p.total++
			}
			return ignoreEOF(err)
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (p *page) result(name string) core.ToolResult {
	switch {
	case p.total == 0:
		return done("(" + name + " is empty)")
	case p.last == 0:
		return failed("%s has only %s; offset %d is behind its end", name, plural(p.total, "line"), p.first)
	}
	var notes []string
	if p.first > 1 || p.last < p.total {
		total := plural(p.total, "line")
		if p.more {
			total = "more than " + total
		}
		note := fmt.Sprintf("lines %d to %d of %s", p.first, p.last, total)
		if p.last < p.total {
			note += fmt.Sprintf("; offset %d goes on", p.last+1)
		}
		notes = append(notes, note)
	}
	if p.crlf {
		notes = append(notes, "lines end in CRLF")
	}
	if p.odd {
		notes = append(notes, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	if len(notes) > 0 {
		p.text.WriteString("(" + strings.Join(notes, ". ") + ")\n")
	}
	return done(p.text.String())
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
