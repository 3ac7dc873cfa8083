package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// schema is the part of JSON Schema that tools' arguments use. Objects are
// closed: a field that is not a property is refused unless additionalProperties
// is a schema. One without a type fits any value.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	MinLength  int               `json:"minLength"`
	More       more              `json:"additionalProperties"`
}

// more is what fields beside the properties must be: nothing allows none.
type more struct{ *schema }

func (m *more) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	m.schema = &schema{}
	return json.Unmarshal(b, m.schema)
}

// check returns what is wrong with args in plain words, or "".
func (s schema) check(args json.RawMessage) string {
	if !json.Valid(args) {
		return "the arguments are not valid JSON; send one JSON object"
	}
	return s.at("", args)
}

// at checks the value at a path such as `todos[2].title`; "" is the whole.
func (s schema) at(path string, value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	name := path
	if name == "" {
		name = "the arguments"
	}
	if s.Type == "" {
		return ""
	}
	if got := kindOf(value); got != s.Type && (s.Type != "integer" || got != "number") {
		return fmt.Sprintf("%s must be %s, not %s", name, withArticle(s.Type), withArticle(got))
	}
	switch s.Type {
	case "object":
		return s.object(path, value)
	case "array":
		return s.array(path, value)
	case "string":
		return s.text(name, value)
	case "integer", "number":
		return s.number(name, value)
	}
	return ""
}

func (s schema) object(path string, value json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil {
		return "the arguments cannot be read; send one plain JSON object"
	}
	prefix := path
	if prefix != "" {
		prefix += "."
	}
	for _, name := range sortedKeys(fields) {
		if _, ok := s.Properties[name]; !ok && s.More.schema == nil {
			return fmt.Sprintf("unknown field %s; the fields are %s", strconv.Quote(prefix+cut(name, 60)), strings.Join(sortedKeys(s.Properties), ", "))
		}
	}
	for _, name := range s.Required {
		if v, ok := fields[name]; !ok || kindOf(v) == "null" && s.Properties[name].Type != "" {
			return prefix + name + " is missing"
		}
	}
	for _, name := range sortedKeys(fields) {
		if kindOf(fields[name]) == "null" {
			continue // an optional field left out in another way
		}
		of, ok := s.Properties[name]
		if !ok {
			of = *s.More.schema
		}
		if msg := of.at(prefix+name, fields[name]); msg != "" {
			return msg
		}
	}
	return ""
}

func (s schema) array(path string, value json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return path + " cannot be read"
	}
	for i, item := range items {
		if s.Items == nil {
			break
		}
		if msg := s.Items.at(fmt.Sprintf("%s[%d]", path, i), item); msg != "" {
			return msg
		}
	}
	return ""
}

func (s schema) text(name string, value json.RawMessage) string {
	var v string
	if json.Unmarshal(value, &v) != nil {
		return name + " cannot be read"
	}
	switch {
	case len(v) < s.MinLength && v == "":
		return name + " is empty"
	case len(v) < s.MinLength:
		return name + " is too short"
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, v):
		return fmt.Sprintf("%s must be one of %s", name, strings.Join(s.Enum, ", "))
	}
	return ""
}

func (s schema) number(name string, value json.RawMessage) string {
	v, err := strconv.ParseFloat(string(value), 64)
	switch {
	case err != nil:
		return name + " is too large"
	case s.Type == "integer" && (v != math.Trunc(v) || bytes.ContainsAny(value, ".eE") || math.Abs(v) > 1<<53):
		return name + " must be a whole number, written without point or exponent"
	case s.Minimum != nil && v < *s.Minimum:
		return fmt.Sprintf("%s must be at least %v", name, *s.Minimum)
	case s.Maximum != nil && v > *s.Maximum:
		return fmt.Sprintf("%s must be at most %v", name, *s.Maximum)
	}
	return ""
}

// kindOf names the type of a valid JSON value by its first byte.
func kindOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func withArticle(kind string) string {
	switch kind {
	case "null", "nothing":
		return kind
	case "object", "array":
		return "an " + kind
	case "integer":
		return "a whole number"
	}
	return "a " + kind
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
