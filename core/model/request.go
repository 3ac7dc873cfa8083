package model

import (
	"bytes"
	"encoding/json"

	"drover/core"
)

// Encode is JSON without the escapes that a browser would need.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, &Fault{Class: ClassInvalid, Err: core.Errorf(core.CodeInternal, "writing the request: %w", err)}
	}
	return b.Bytes(), nil
}

var noArguments = json.RawMessage(`{"type":"object","properties":{}}`)

// Schema is a tool's schema of arguments; of a tool that has none, that of an empty object.
func Schema(t core.ToolSpec) json.RawMessage {
	if Empty(bytes.TrimSpace(t.Schema)) {
		return noArguments
	}
	return t.Schema
}
