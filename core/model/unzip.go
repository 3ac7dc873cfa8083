package model

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// unzip reads a body that is zipped; it begins with the first read, which has a watch on it.
type unzip struct {
	io.ReadCloser
	plain *gzip.Reader
}

func (u *unzip) Read(p []byte) (int, error) {
	if u.plain == nil {
		plain, err := gzip.NewReader(u.ReadCloser)
		if err != nil {
			return 0, err
		}
		u.plain = plain
	}
	return u.plain.Read(p)
}

// unpacked is the body of an answer, unzipped where the server, or a proxy
// before it, has zipped it unasked.
func unpacked(res *http.Response) io.ReadCloser {
	if strings.Contains(strings.ToLower(res.Header.Get("Content-Encoding")), "gzip") {
		return &unzip{ReadCloser: res.Body}
	}
	return res.Body
}
