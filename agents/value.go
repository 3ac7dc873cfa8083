package agents

import (
	"strconv"
	"strings"
)

// kind of a value, whatever notation it was written in.
type kind uint8

const (
	null kind = iota
	scalar
	list
	object
)

// A value of front matter, JSON or TOML, with its place in the file.
type value struct {
	kind      kind
	text      string // of a scalar
	typ       byte   // of a scalar: s text, i integer, f float, b boolean
	list      []value
	object    []entry
	line, col int
}

// An entry of an object.
type entry struct {
	key       string
	line, col int
	value     value
}

func (v value) get(key string) (value, bool) {
	for _, e := range v.object {
		if e.key == key {
			return e.value, true
		}
	}
	return value{}, false
}

// text of a scalar at key, or "".
func (v value) textAt(key string) string {
	e, _ := v.get(key)
	return e.text
}

// boolean reads true and false, also where they were quoted.
func (v value) boolean() (is, ok bool) {
	if v.kind != scalar {
		return false, false
	}
	switch strings.ToLower(strings.TrimSpace(v.text)) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

func (v value) number() (float64, bool) {
	if v.kind != scalar {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(v.text), 64)
	return f, err == nil && f == f && f < 1e15 && f > -1e15
}

// any gives the value as encoding/json would read it.
func (v value) any() any {
	switch v.kind {
	case scalar:
		switch v.typ {
		case 'b':
			is, _ := v.boolean()
			return is
		case 'i', 'f':
			if f, ok := v.number(); ok {
				return f
			}
		}
		return v.text
	case list:
		out := make([]any, 0, len(v.list))
		for _, e := range v.list {
			out = append(out, e.any())
		}
		return out
	case object:
		out := make(map[string]any, len(v.object))
		for _, e := range v.object {
			out[e.key] = e.value.any()
		}
		return out
	}
	return nil
}

// splitOutside splits at commas that stand in no bracket or quote, trims, and
// leaves out what is empty.
func splitOutside(s string) []string {
	out := []string{}
	depth, from := 0, 0
	var quote byte
	add := func(to int) {
		if part := strings.TrimSpace(s[from:to]); part != "" {
			out = append(out, part)
		}
		from = to + 1
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			if strings.IndexByte(s[i+1:], c) >= 0 {
				quote = c
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth = max(0, depth-1)
		case c == ',' && depth == 0:
			add(i)
		}
	}
	add(len(s))
	return out
}

// unquote takes one pair of matching quotes off.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
