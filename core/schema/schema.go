package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"drover/core"
)

// Check lists what is wrong with a value, "POINTER: fault" each; nothing where it fits.
type Check func(value json.RawMessage) (faults []string)

// Compile makes the check of a schema. A schema that is none is CodeInvalidInput.
func Compile(raw json.RawMessage) (Check, error) {
	if err := bounded(raw); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, &core.Error{Code: core.CodeInvalidInput, Message: "the output schema is no JSON", Err: err}
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(closed{})
	const at = "result.json"
	if err := c.AddResource(at, doc); err != nil {
		return nil, &core.Error{Code: core.CodeInvalidInput, Message: "the output schema cannot be used", Err: err}
	}
	s, err := c.Compile(at)
	if err != nil {
		return nil, &core.Error{Code: core.CodeInvalidInput, Message: "the output schema is no valid JSON Schema", Err: err}
	}
	return func(value json.RawMessage) []string { return check(s, value) }, nil
}

// closed loads nothing.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, and other documents are not loaded", url)
}

func check(s *jsonschema.Schema, value json.RawMessage) []string {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return []string{"/: it is no JSON: " + err.Error()}
	}
	err = s.Validate(doc)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []string{"/: " + err.Error()}
	}
	var faults []string
	for _, u := range invalid.BasicOutput().Errors {
		if u.Error == nil {
			continue
		}
		at := u.InstanceLocation
		if at == "" {
			at = "/"
		}
		if line := at + ": " + core.Short(core.CleanLine(u.Error.String()), 300); !slices.Contains(faults, line) {
			faults = append(faults, line)
		}
	}
	if len(faults) == 0 {
		faults = []string{"/: it does not fit"}
	}
	return faults
}
