package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
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
		if bytes.IndexByte(buf[n:max(n, min(n+m, probe))], 0) >= 0 {
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
	line, counted, checked := 1, 0, 0 // line is the number of the line that begins at counted
	for pos := 0; pos < len(text); {
		begin := candidates.next(pos)
		if begin < 0 {
			break
		}
		if begin-checked >= longLine {
			if checked = begin; ctx.Err() != nil {
				return found
			}
		}
		end := lineEnd(text, begin)
		loc := w.find(ctx, bytes.TrimSuffix(text[begin:end], []byte("\r")))
		pos = end + 1
		if loc == nil {
			continue
		}
		if found.count++; found.count > w.limit {
			continue
		}
		line += bytes.Count(text[counted:begin], []byte("\n"))
		counted = begin
		found.hits = append(found.hits, hit{line, excerpt(text[begin:end], loc), true})
	}
	if w.context > 0 {
		found.hits = surround(text, found.hits, w.context)
	}
	return found
}

// longLine is searched through a reader that ends with the context: an
// expression may be slow, and a line as long as its file.
const longLine = 4 << 10

func (w *worker) find(ctx context.Context, line []byte) []int {
	if len(line) < longLine {
		return w.re.FindIndex(line)
	}
	return w.re.FindReaderIndex(&runes{ctx: ctx, text: line})
}

type runes struct {
	ctx  context.Context
	text []byte
	n    int
}

func (r *runes) ReadRune() (rune, int, error) {
	if len(r.text) == 0 {
		return 0, 0, io.EOF
	}
	if r.n++; r.n%256 == 0 && r.ctx.Err() != nil {
		return 0, 0, r.ctx.Err()
	}
	c, size := utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	return c, size, nil
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

// surround adds up to n lines before and after each match, each line once.
func surround(text []byte, matches []hit, n int) []hit {
	var all []hit
	until := 0
	for pos, line := 0, 1; pos < len(text) && (len(matches) > 0 || line <= until); line++ {
		end := lineEnd(text, pos)
		switch {
		case len(matches) > 0 && line == matches[0].line:
			all = append(all, matches[0])
			matches, until = matches[1:], line+n
		case line <= until || line >= matches[0].line-n:
			all = append(all, hit{line, excerpt(text[pos:end], nil), false})
		}
		pos = end + 1
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
