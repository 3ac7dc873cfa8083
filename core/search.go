package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Search asks for transcript rows that hold all of the words: what people and
// agents said, and what tools were called for.
type Search struct {
	Words   []string // beginnings of words; upper and lower case are the same
	Session string   // "": all
	Agent   string   // "": all
	Limit   int      // 0: all
}

// Hit is a transcript row that was found.
type Hit struct {
	Task    string    `json:"task"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Name    string    `json:"name"`
	Seq     int64     `json:"seq"`
	Turn    int       `json:"turn"`
	Kind    EntryKind `json:"kind"`
	At      time.Time `json:"at"`
	Sender  string    `json:"sender"` // of a message
	Tool    string    `json:"tool"`   // of a call
	Text    string    `json:"-"`      // its beginning
	Snippet string    `json:"snippet"`
	// Marks are the places of the words in Snippet, in bytes.
	Marks [][2]int `json:"marks"`
}

// Found is the answer to a Search.
type Found struct {
	Hits    []Hit `json:"hits"`
	Indexed bool  `json:"indexed"` // false: this drover has no index (it is built without FTS5), and a word is found inside others too
	Behind  bool  `json:"behind"`  // the index is still being filled: the newest words may be missing
}

const (
	indexBatch  = 500 // transcript rows that are indexed in one transaction: some 10 ms
	snippetLong = 160 // characters
)

// Words splits what a person typed.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// Search brings the index up to date as far as patience reaches, and asks it.
func (c *Client) Search(ctx context.Context, q Search, patience time.Duration) (f Found, err error) {
	words := q.Words[:0:0]
	for _, w := range q.Words {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			words = append(words, w)
		}
	}
	if q.Words = words; len(words) == 0 {
		return f, &Error{Code: CodeInvalidInput, Message: "there is no word to search for", Hint: "such as: drover search coupon total"}
	}
	if f.Behind, err = c.Index(ctx, patience); err != nil {
		return f, err
	}
	err = c.Store.View(ctx, func(r Reader) (err error) {
		f.Hits, f.Indexed, err = r.Search(q)
		return err
	})
	for i := range f.Hits {
		h := &f.Hits[i]
		h.Snippet, h.Marks = Snippet(h.Text, words, snippetLong)
		h.Name, h.Agent, h.Tool = CleanLine(h.Name), CleanLine(h.Agent), CleanLine(h.Tool)
	}
	slices.SortStableFunc(f.Hits, func(a, b Hit) int { return cmp.Compare(b.At.UnixMilli(), a.At.UnixMilli()) })
	return f, err
}

// Index takes into the index what transcripts have got since, batch by batch,
// so that no writer waits long; for at most patience. Behind: there is more.
func (c *Client) Index(ctx context.Context, patience time.Duration) (behind bool, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, nil)
	defer stop()
	for {
		more := false
		err = c.Store.Update(ctx, Progress, func(tx Tx) (err error) {
			more, err = tx.Index(indexBatch)
			return err
		})
		switch {
		case ctx.Err() == context.DeadlineExceeded:
			return true, nil
		case err != nil || !more:
			return false, err
		}
	}
}

// Snippet is one line of at most n characters of the text, cleaned, around the
// first of the words, and where in it words begin that begin so.
func Snippet(text string, words []string, n int) (line string, marks [][2]int) {
	line = CleanLine(text)
	if marks = wordMarks(line, words); len(marks) > 0 && utf8.RuneCountInString(line) > n {
		if head := []rune(line[:marks[0][0]]); len(head) > n/3 {
			line = "…" + string(head[len(head)-n/4:]) + line[marks[0][0]:]
		}
	}
	line = Short(line, n)
	return line, wordMarks(line, words)
}

// wordMarks are the places of words that begin with one of the words, in order.
func wordMarks(line string, words []string) [][2]int {
	marks := [][2]int{}
	inside := false
	for i, r := range line {
		letter := unicode.IsLetter(r) || unicode.IsNumber(r)
		if letter && !inside {
			if n := begins(line[i:], words); n > 0 {
				marks = append(marks, [2]int{i, i + n})
			}
		}
		inside = letter
	}
	return marks
}

// begins is how many bytes of the text are the longest of the words; 0 for none.
func begins(text string, words []string) (long int) {
	for _, w := range words {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		n := 0
		for _, want := range w {
			r, size := utf8.DecodeRuneInString(text[n:])
			if unicode.ToLower(r) != unicode.ToLower(want) {
				n = 0
				break
			}
			n += size
		}
		long = max(long, n)
	}
	return long
}

// pruneSpan is how many events one Prune looks at: some 20 ms.
const pruneSpan = 20_000

// Tidy does, for a short time, what nobody waits for: it fills the full-text
// index, and removes events older than before that only told of progress.
func (c *Client) Tidy(ctx context.Context, before time.Time) error {
	if _, err := c.Index(ctx, time.Second); err != nil {
		return err
	}
	return c.Store.Update(ctx, Progress, func(tx Tx) error {
		_, err := tx.Prune(before, pruneSpan)
		return err
	})
}
