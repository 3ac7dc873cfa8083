package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// SchemaWords are how a server speaks that does not take the schema of a tool.
var SchemaWords = []string{
	"schema", "additionalproperties", "function_declarations", "function parameters", "function.parameters", "unknown name", "unsupported keyword",
}

// plainKeys are the members of a schema that every server takes.
var plainKeys = map[string]bool{"type": true, "description": true, "properties": true, "required": true, "items": true, "enum": true}

// PlainSchema is a schema of arguments with its plainest part alone, which all
// servers take: types, properties, items, enumerations of texts and what is
// required. The tool itself still sees to the rest. Of alternatives it keeps
// the first that is not null, of several types the same.
func PlainSchema(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if d.Decode(&v) != nil {
		return noArguments
	}
	p := plainer{root: v, left: mostSchemas}
	v = p.schema(v, 0)
	v["type"] = "object"
	if _, ok := v["properties"]; !ok {
		v["properties"] = map[string]any{}
	}
	b, err := Encode(v)
	if err != nil {
		return noArguments
	}
	return bytes.TrimSpace(b)
}

// deepest is how deep a schema is followed: one that refers to itself has no end.
const deepest = 12

// mostSchemas is how many schemas within one are kept: one that refers to itself twice doubles at each step.
const mostSchemas = 500

type plainer struct {
	root map[string]any
	left int
}

func (p *plainer) schema(in map[string]any, depth int) map[string]any {
	if p.left--; depth > deepest || p.left < 0 {
		return map[string]any{"type": "object"}
	}
	in = resolved(in, p.root)
	out := map[string]any{}
	for k, v := range in {
		if !plainKeys[k] {
			continue
		}
		switch v := v.(type) {
		case map[string]any:
			if k == "items" {
				out[k] = p.schema(v, depth+1)
			} else if k == "properties" {
				of := map[string]any{}
				for name, s := range v {
					if s, ok := s.(map[string]any); ok {
						of[name] = p.schema(s, depth+1)
					} else {
						of[name] = map[string]any{"type": "string"} // true: anything
					}
				}
				out[k] = of
			}
		case []any:
			if v = plainList(k, v); k == "type" && len(v) > 0 {
				out[k] = v[0]
			} else if len(v) > 0 {
				out[k] = v
			}
		default:
			out[k] = v
		}
	}
	if c, ok := in["const"].(string); ok {
		out["enum"] = []any{c}
	}
	return typed(out)
}

// plainList is a list of texts: names that are required, the values of an enumeration, types but null.
func plainList(key string, in []any) []any {
	var out []any
	for _, v := range in {
		if s, ok := v.(string); ok && !(key == "type" && s == "null") {
			out = append(out, s)
		}
	}
	return out
}

// typed gives a schema the type that its other members tell of.
func typed(s map[string]any) map[string]any {
	if s["type"] == nil {
		switch {
		case s["properties"] != nil:
			s["type"] = "object"
		case s["items"] != nil:
			s["type"] = "array"
		default:
			s["type"] = "string"
		}
	}
	if s["type"] == "array" && s["items"] == nil {
		s["items"] = map[string]any{"type": "string"}
	}
	if s["type"] != "string" {
		delete(s, "enum")
	}
	return s
}

// resolved follows a reference within the schema, and takes the first alternative that is not null.
func resolved(in, root map[string]any) map[string]any {
	for range deepest {
		next, ok := target(in["$ref"], root)
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			list, isList := in[key].([]any)
			for i := 0; isList && !ok && i < len(list); i++ {
				if next, ok = list[i].(map[string]any); ok {
					ok = next["type"] != "null"
				}
			}
		}
		if !ok {
			return in
		}
		merged := map[string]any{}
		for _, from := range []map[string]any{next, in} {
			for k, v := range from {
				merged[k] = v
			}
		}
		for _, key := range []string{"$ref", "anyOf", "oneOf", "allOf"} {
			if v, more := next[key]; more && in[key] == nil {
				merged[key] = v
			} else {
				delete(merged, key)
			}
		}
		in = merged
	}
	return in
}

// target is what a reference such as #/$defs/name means.
func target(ref any, root map[string]any) (map[string]any, bool) {
	text, _ := ref.(string)
	path, ok := strings.CutPrefix(text, "#/")
	if !ok {
		return nil, false
	}
	at := root
	for _, name := range strings.Split(path, "/") {
		if at, ok = at[name].(map[string]any); !ok {
			return nil, false
		}
	}
	return at, true
}
