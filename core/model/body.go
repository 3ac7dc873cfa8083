package model

import (
	"bytes"
	"io"
	"net/http"
)

// Body is what a request sends: its own part, and the tools, which many
// requests have in common and which are therefore not copied into each.
type Body struct{ parts [3][]byte }

// Len is how many bytes are sent.
func (b Body) Len() int { return len(b.parts[0]) + len(b.parts[1]) + len(b.parts[2]) }

// Equal reports whether the same is sent. Only bodies of one set of tools are compared.
func (b Body) Equal(o Body) bool {
	for i := range b.parts {
		if !bytes.Equal(b.parts[i], o.parts[i]) {
			return false
		}
	}
	return true
}

// bodyReader is what is still to be sent. io.MultiReader would make room for 32
// KB for each request to find its end.
type bodyReader struct{ left Body }

func (r *bodyReader) Read(p []byte) (n int, err error) {
	for i := range r.left.parts {
		some := copy(p[n:], r.left.parts[i])
		r.left.parts[i] = r.left.parts[i][some:]
		n += some
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }

// put makes it the body of a request.
func (b Body) put(r *http.Request) {
	if b.Len() == 0 {
		return
	}
	r.Body, r.ContentLength = &bodyReader{b}, int64(b.Len())
	r.GetBody = func() (io.ReadCloser, error) { return &bodyReader{b}, nil }
}
