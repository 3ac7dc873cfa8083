package model

import (
	"bytes"
	"encoding/json"
)

// Members walks over the members of one JSON object without decoding it: most
// events of a stream hold a few letters of text in 300 bytes of the same
// envelope. It is lenient; what it does not understand ends the walk.
type Members struct {
	b []byte
	i int
}

// MembersOf begins a walk over the object in raw.
func MembersOf(raw []byte) Members {
	i := skipSpace(raw, 0)
	if i < len(raw) && raw[i] == '{' {
		return Members{raw, i + 1}
	}
	return Members{}
}

// Next returns the next key, as it is written between its quotes, and its
// value; ok is false at the end, and at what is no JSON.
func (m *Members) Next() (key, value []byte, ok bool) {
	i := skipSpace(m.b, m.i)
	if i < len(m.b) && m.b[i] == ',' {
		i = skipSpace(m.b, i+1)
	}
	if i >= len(m.b) || m.b[i] != '"' {
		return nil, nil, false
	}
	end := skipString(m.b, i)
	if end < 0 {
		return nil, nil, false
	}
	key = m.b[i+1 : end-1]
	i = skipSpace(m.b, end)
	if i >= len(m.b) || m.b[i] != ':' {
		return nil, nil, false
	}
	i = skipSpace(m.b, i+1)
	if end = skipValue(m.b, i); end <= i {
		return nil, nil, false
	}
	m.i = end
	return key, m.b[i:end], true
}

// OnlyElement returns the element of a list that has exactly one.
func OnlyElement(raw []byte) ([]byte, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	i := skipSpace(raw, 1)
	end := skipValue(raw, i)
	if end <= i {
		return nil, false
	}
	j := skipSpace(raw, end)
	return raw[i:end], j < len(raw) && raw[j] == ']'
}

// Empty reports whether a value says nothing: null, "", [] or {}.
func Empty(value []byte) bool {
	switch string(value) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// TextOf decodes a JSON text.
func TextOf(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if plainText(inner) {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err == nil
}

// plainText reports whether the inside of a JSON text means itself.
func plainText(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the text that begins at i, or -1.
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the index after the value that begins at i, or -1.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth <= 0 {
				return -1
			}
			i++
			continue
		default: // a number, true, false, null
			for i < len(b) && bytes.IndexByte(scalarEnd, b[i]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return -1
}

var scalarEnd = []byte(",:]}[{\" \t\r\n")
