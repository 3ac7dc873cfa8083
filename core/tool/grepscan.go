package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// worker searches one file after another in the same memory.
type worker struct {
	*search
	buf   []byte
	lower []byte
}

// load reads a file whole, unless its beginning says that it is binary.
func (w *worker) load(f *os.File, size int64) (text []byte, binary bool, err error) {
	if need := int(size) + 1; cap(w.buf) < need { // one more, to see the end
		w.buf = make([]byte, max(need, 64<<10))
	}
	buf, n := w.buf[:cap(w.buf)], 0
	for n < len(buf) { // a file that grows meanwhile is searched as far as it was
		m, err := f.Read(buf[n:])
		if probed := n > probe; !probed && bytes.IndexByte(buf[n:min(n+m, max(n, probe))], 0) >= 0 {
			return nil, true, nil
		}
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, err
		}
	}
	return buf[:n], false, nil
}

// hit is a line of a file: a match, or its surroundings.
type hit struct {
	line  int
	text  string
	match bool
}

// scan finds the matching lines, keeping the first of them only.
func (w *worker) scan(ctx context.Context, text []byte) fileHits {
	var found fileHits
	candidates := w.candidates(text)
	line, counted, after := 1, 0, 0 // line is the number of the line that begins at counted
	for pos, n := 0, 0; pos < len(text); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return found
		}
		begin := candidates.next(pos)
		if begin < 0 {
			break
		}
		end := lineEnd(text, begin)
		loc := w.re.FindIndex(bytes.TrimSuffix(text[begin:end], []byte("\r")))
		pos = end + 1
		if loc == nil {
			continue
		}
		found.count++
		if found.count > w.limit {
			continue
		}
		line += bytes.Count(text[counted:begin], []byte("\n"))
		counted = begin
		found.hits = append(found.hits, w.around(text, begin, line, after)...)
		found.hits = append(found.hits, hit{line, excerpt(text[begin:end], loc), true})
		after = line
	}
	if w.context > 0 {
		found.hits = behind(text, found.hits, w.context)
	}
	return found
}

// candidates gives the beginnings of the lines that may match.
type candidates struct {
	text, literal []byte
}

func (w *worker) candidates(text []byte) candidates {
	if len(w.literal) == 0 {
		return candidates{text: text}
	}
	if !w.fold {
		return candidates{text, w.literal}
	}
	// Beyond ASCII two signs fold to k and s; where they stand the filter would be wrong.
	if bytes.Contains(text, []byte("\u212a")) || bytes.Contains(text, []byte("\u017f")) {
		return candidates{text: text}
	}
	w.lower = append(w.lower[:0], text...)
	for i, c := range w.lower {
		if 'A' <= c && c <= 'Z' {
			w.lower[i] = c + 'a' - 'A'
		}
	}
	return candidates{w.lower, w.literal}
}

// next is where the next such line at or after pos (a line's beginning) begins, or -1.
func (c candidates) next(pos int) int {
	if c.literal == nil {
		return pos
	}
	at := bytes.Index(c.text[pos:], c.literal)
	if at < 0 {
		return -1
	}
	return pos + bytes.LastIndexByte(c.text[pos:pos+at], '\n') + 1
}

func lineEnd(text []byte, begin int) int {
	if n := bytes.IndexByte(text[begin:], '\n'); n >= 0 {
		return begin + n
	}
	return len(text)
}

// around gives the lines before a match that were not shown yet.
func (w *worker) around(text []byte, begin, line, after int) []hit {
	var lines []hit
	for n := line - 1; n >= line-w.context && n > 0 && begin > 0; n-- {
		end := begin - 1
		begin = bytes.LastIndexByte(text[:end], '\n') + 1
		if n <= after {
			break
		}
		lines = append([]hit{{n, excerpt(text[begin:end], nil), false}}, lines...)
	}
	return lines
}

// behind adds the lines after each match, where they are not there yet.
func behind(text []byte, hits []hit, context int) []hit {
	var all []hit
	line, pos := 1, 0
	for i, h := range hits {
		if len(all) > 0 && all[len(all)-1].line >= h.line {
			if all[len(all)-1].line == h.line {
				all[len(all)-1] = h
			}
			if !h.match {
				continue
			}
		} else {
			all = append(all, h)
		}
		if !h.match {
			continue
		}
		for ; line <= h.line && pos < len(text); line++ {
			pos = lineEnd(text, pos) + 1
		}
		stop := h.line + context
		if i+1 < len(hits) {
			stop = min(stop, hits[i+1].line-1)
		}
		for ; line <= stop && pos < len(text); line++ {
			end := lineEnd(text, pos)
			all = append(all, hit{line, excerpt(text[pos:end], nil), false})
			pos = end + 1
		}
	}
	return all
}

// excerpt is a line cut to what can be shown, around the match.
func excerpt(line []byte, loc []int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= grepLine {
		return valid(string(line))
	}
	begin := 0
	if loc != nil && loc[1] > grepLine {
		begin = max(0, min(loc[0]-grepLine/4, len(line)-grepLine))
	}
	text := strings.ToValidUTF8(string(line[begin:min(begin+grepLine, len(line))]), "")
	if begin > 0 {
		text = "…" + text
	}
	if begin+grepLine < len(line) {
		text += "…"
	}
	return text
}

// grepReport writes hits as text, up to the caps.
type grepReport struct {
	dir     string
	limit   int
	context int
	text    strings.Builder
	notes   []string
	shown   int // matches
	total   int
	files   int // with matches
}

func (r *grepReport) add(path string, f *fileHits) {
	name := shown(r.dir, path)
	if f.note != "" {
		r.notes = append(r.notes, name+": "+f.note)
	}
	if f.count == 0 {
		return
	}
	r.files++
	r.total += f.count
	last := 0
	for _, h := range f.hits {
		if r.shown >= r.limit || r.text.Len() > grepBytes {
			return
		}
		sep := "-"
		if h.match {
			sep = ":"
			r.shown++
		}
		if r.context > 0 && r.text.Len() > 0 && h.line != last+1 {
			r.text.WriteString("--\n")
		}
		fmt.Fprintf(&r.text, "%s%s%d%s %s\n", name, sep, h.line, sep, h.text)
		last = h.line
	}
}

func (r *grepReport) end(pattern string, searched int, full bool) string {
	if r.total == 0 {
		fmt.Fprintf(&r.text, "(no match for %s in %s)\n", quoted(cut(pattern, 200)), plural(searched, "file"))
	}
	if r.shown < r.total {
		fmt.Fprintf(&r.text, "(%d of %d matching lines in %s shown; %d left out: narrow the pattern, the path or the glob)\n",
			r.shown, r.total, plural(r.files, "file"), r.total-r.shown)
	}
	for _, note := range r.notes[:min(5, len(r.notes))] {
		fmt.Fprintf(&r.text, "(%s)\n", note)
	}
	if more := len(r.notes) - 5; more > 0 {
		fmt.Fprintf(&r.text, "(%d more files not searched)\n", more)
	}
	if full {
		fmt.Fprintf(&r.text, "(only the first %d files were searched)\n", treeMax)
	}
	return r.text.String()
}
