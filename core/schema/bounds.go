package schema

import (
	"encoding/json"
	"fmt"

	"drover/core"
)

// How large a schema may be, in bytes and in levels of nesting: it may come
// from a model, and checking one of thousands of levels takes minutes.
const (
	maxBytes  = 64 << 10
	maxLevels = 100
)

// bounded refuses a schema that would take too long to check.
func bounded(raw json.RawMessage) error {
	switch {
	case len(raw) > maxBytes:
		return &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("the output schema has %d bytes, the limit is %d", len(raw), maxBytes)}
	case nested(raw) > maxLevels:
		return &core.Error{Code: core.CodeInvalidInput, Message: fmt.Sprintf("the output schema is nested more than %d levels deep", maxLevels)}
	}
	return nil
}

// nested is how many objects and arrays lie within each other at most; in
// what is no JSON, any number.
func nested(raw json.RawMessage) (most int) {
	depth, quoted, escaped := 0, false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
			most = max(most, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	return most
}
