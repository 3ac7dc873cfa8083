package tool

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"drover/core"
)

// How large a result's schema may be, in bytes and in levels of nesting:
// checking one of thousands of levels takes minutes.
const (
	maxSchema = 64 << 10
	maxNested = 100
)

// checkSchema refuses a schema for a result that is none (2020-12 where it
// does not say, older drafts where it does), or that refers to another file or host.
func checkSchema(raw json.RawMessage) error {
	if !given(raw) {
		return nil
	}
	fault := func(what string) error {
		return &core.Error{Code: core.CodeInvalidInput, Message: "the output schema cannot be used: " + core.Short(core.CleanLine(what), 400), Hint: "it is a JSON Schema of the result, with no references to other documents"}
	}
	if len(raw) > maxSchema {
		return fault(fmt.Sprintf("it has %d bytes, the limit is %d", len(raw), maxSchema))
	}
	if kindOf(raw) != "object" {
		return fault("it must be an object, not " + withArticle(kindOf(raw)))
	}
	if nested(raw) > maxNested {
		return fault(fmt.Sprintf("it is nested more than %d levels deep", maxNested))
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fault(err.Error())
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{}) // the default one reads files
	const name = "drover:///result"
	if err := c.AddResource(name, doc); err != nil {
		return fault(err.Error())
	}
	if _, err := c.Compile(name); err != nil {
		return fault(err.Error())
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
