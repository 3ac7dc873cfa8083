package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"drover/core"
)

// A schema may come from a model: it opens no file, calls nobody, and takes no minutes.
func TestHostileSchemas(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}}}`: true, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`: true,
		`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"k":{"$ref":"#/$defs/n"}}}}}`: true, ``: false, `{}`: true, `true`: true,
		`{"$ref":"file:///etc/passwd"}`: false, `{"$ref":"http://127.0.0.1:1/x"}`: false, `{"$schema":"file:///etc/passwd"}`: false, `{"$ref":"other.json"}`: false,
		`[]`: false, `{"type":"nonsense"}`: false, `{"pattern":"(?=x)"}`: false, `{"a":`: false,
		`{"a":"` + strings.Repeat("x", maxBytes) + `"}`: false, strings.Repeat(`{"not":`, 90) + `{}` + strings.Repeat(`}`, 90): true, strings.Repeat(`{"not":`, 5000) + `{}` + strings.Repeat(`}`, 5000): false,
	} {
		if _, err := Compile(json.RawMessage(text)); (err == nil) != ok || err != nil && core.CodeOf(err) != core.CodeInvalidInput {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

// A reference that leads back to itself without going into the value is a fault, and takes no stack.
func TestCircles(t *testing.T) {
	for _, text := range []string{`{"$ref":"#"}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`} {
		check, err := Compile(json.RawMessage(text))
		if err != nil {
			continue
		}
		if faults := check(json.RawMessage(`{"a":1}`)); len(faults) == 0 {
			t.Errorf("%s fits anything", text)
		}
	}
}
