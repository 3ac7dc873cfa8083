package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// readAll reads at most limit bytes of what open opens, or until ctx ends: a
// terminal, or a pipe that nobody writes to, must not keep a signal from
// ending the program. The read itself cannot be stopped: it ends with the
// process, which has nothing else to do.
func readAll(ctx context.Context, open func() (io.ReadCloser, error), limit int64) ([]byte, error) {
	type outcome struct {
		text []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := open()
		if err != nil {
			done <- outcome{nil, err}
			return
		}
		text, err := io.ReadAll(io.LimitReader(r, limit+1)) // one byte more than may be tells that there is too much
		_ = r.Close()                                       // it was only read
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		return o.text, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// mostSchema is the size in bytes that a schema may have.
const mostSchema = 1 << 20

// schemaOf reads the schema that a file holds; it may be a pipe.
func schemaOf(ctx context.Context, name string) ([]byte, error) {
	raw, err := readAll(ctx, func() (io.ReadCloser, error) { return os.Open(name) }, mostSchema)
	if err == nil && len(raw) > mostSchema {
		err = fmt.Errorf("%s has more than %s", name, mebibytes(mostSchema))
	}
	return raw, err
}
