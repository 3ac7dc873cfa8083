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
