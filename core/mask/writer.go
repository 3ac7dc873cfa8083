package mask

import (
	"fmt"
	"io"
)

// Writer masks what is written through it. It keeps back what may be the
// beginning of a secret, up to 16 KiB, until it can tell; Close lets it go.
// It is for one user at a time.
type Writer struct {
	m    *Masker
	to   io.Writer
	run  run
	held []byte
	out  []byte
	err  error
}

// NewWriter makes a writer that passes masked text on to w, in pieces of any size.
func (m *Masker) NewWriter(w io.Writer) *Writer { return &Writer{m: m, to: w} }

// Write takes all of p, unless w has failed; then it fails for ever.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.flush(p, false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what is left. It does not close w.
func (w *Writer) Close() error { return w.flush(nil, true) }

func (w *Writer) flush(p []byte, final bool) error {
	if w.err != nil {
		return w.err
	}
	w.held = append(w.held, p...)
	var n int
	if w.out == nil {
		w.out = []byte{}
	}
	w.out, n = w.run.feed(w.m, w.out[:0], string(w.held), final)
	w.held = append(w.held[:0], w.held[n:]...)
	if len(w.out) == 0 {
		return nil
	}
	if _, err := w.to.Write(w.out); err != nil {
		w.err = fmt.Errorf("pass on masked text: %w", err)
	}
	return w.err
}
