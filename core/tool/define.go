package tool

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"drover/core"
)

//go:embed desc/*.md desc/*.json
var desc embed.FS

// def is what all tools here have in common: spec and checked arguments.
type def struct {
	spec   core.ToolSpec
	schema func() (schema, error) // read when the tool is first called
	broken error                  // of the embedded files; a test keeps it nil
}

// define reads the files desc/NAME.md and desc/NAME.json.
func define(name string, e core.Effect) def {
	d := def{spec: core.ToolSpec{Name: name, Effect: e, Again: e == core.Reads}}
	text, err := desc.ReadFile("desc/" + name + ".md")
	if err != nil {
		d.broken = err
		return d
	}
	d.spec.Description = strings.TrimSpace(string(text))
	if d.spec.Schema, d.broken = desc.ReadFile("desc/" + name + ".json"); d.broken != nil {
		return d
	}
	d.schema = sync.OnceValues(func() (s schema, err error) {
		if err = json.Unmarshal(d.spec.Schema, &s); err != nil {
			err = fmt.Errorf("schema of %s: %w", name, err)
		}
		return s, err
	})
	return d
}

func (d def) Spec() core.ToolSpec { return d.spec }

// decode checks args against the schema and puts them into the struct v
// points to. A result that is not nil is the refusal, for the model.
func (d def) decode(args json.RawMessage, v any) (*core.ToolResult, error) {
	if d.broken != nil {
		return nil, d.broken
	}
	if len(strings.TrimSpace(string(args))) == 0 {
		args = json.RawMessage("{}")
	}
	shape, err := d.schema()
	if err != nil {
		return nil, err
	}
	if msg := shape.check(args); msg != "" {
		r := failed("%s: %s", d.spec.Name, msg)
		return &r, nil
	}
	if err := json.Unmarshal(args, v); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", d.spec.Name, err)
	}
	return nil, nil
}

// field reads one string of args that need not be valid, for show.
func field(args json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	var s string
	if json.Unmarshal(args, &all) != nil || json.Unmarshal(all[name], &s) != nil {
		return ""
	}
	return s
}

// failed makes a result that the model should read and act on.
func failed(format string, args ...any) core.ToolResult {
	return core.ToolResult{Text: valid(fmt.Sprintf(format, args...)), Failed: true}
}

func done(text string) core.ToolResult { return core.ToolResult{Text: valid(text)} }
