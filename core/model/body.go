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

// reader reads it from the beginning.
func (b Body) reader() io.ReadCloser {
	return io.NopCloser(io.MultiReader(bytes.NewReader(b.parts[0]), bytes.NewReader(b.parts[1]), bytes.NewReader(b.parts[2])))
}

// put makes it the body of a request.
func (b Body) put(r *http.Request) {
	if b.Len() == 0 {
		return
	}
	r.Body, r.ContentLength = b.reader(), int64(b.Len())
	r.GetBody = func() (io.ReadCloser, error) { return b.reader(), nil }
}
