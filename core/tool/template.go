package tool

import (
	"encoding/json"
	"slices"
	"strings"

	"drover/core"
)

var placeholder = pattern(`\$\{(\w+)\}`)

// render puts inputs in the place of ${name} in an agent's prompt
// (agent-system, "Template Substitution"). All that it asks for must be given;
// what an input says is not looked through again.
func render(template string, inputs map[string]json.RawMessage) (string, error) {
	var missing []string
	out := placeholder().ReplaceAllStringFunc(template, func(m string) string {
		name := m[2 : len(m)-1]
		v, ok := inputs[name]
		if !ok {
			if !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
			return m
		}
		return plainInput(v)
	})
	if len(missing) == 0 {
		return out, nil
	}
	there := "none"
	if len(inputs) > 0 {
		there = strings.Join(sortedKeys(inputs), ", ")
	}
	return "", core.Errorf(core.CodeInvalidInput, "Missing required input parameters: %s. Available inputs: %s", strings.Join(missing, ", "), core.Short(core.CleanLine(there), 500))
}

// plainInput is a text as it is, and any other value as JSON.
func plainInput(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
