package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"drover/core"
	"drover/core/model"
)

func TestPlainSchema(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:   `{"properties":{},"type":"object"}`,
		`true`: `{"type":"object","properties":{}}`,
		`{"$schema":"x","type":"object","additionalProperties":false,"required":["a",1],"properties":{"a":{"type":["null","integer"],"minimum":1,"enum":[1,2]},"b":true}}`:             `{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"type":"object"}`,
		`{"$defs":{"p":{"type":"string","format":"uri","description":"d"}},"properties":{"a":{"$ref":"#/$defs/p"},"b":{"$ref":"#/nowhere"},"c":{"$ref":"http://x/y"}}}`:                `{"properties":{"a":{"description":"d","type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"type":"object"}`,
		`{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"oneOf":[{"const":"x"}]}}]},"b":{"type":"array"},"format":{"type":"string"},"type":{"type":"number"}}}`: `{"properties":{"a":{"items":{"enum":["x"],"type":"string"},"type":"array"},"b":{"items":{"type":"string"},"type":"array"},"format":{"type":"string"},"type":{"type":"number"}},"type":"object"}`,
	} {
		if got := string(model.PlainSchema(json.RawMessage(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	self := `{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"anyOf":[{"$ref":"#"}]}}}`
	if got := model.PlainSchema(json.RawMessage(self)); !json.Valid(got) || len(got) > 100_000 {
		t.Errorf("%d bytes of a schema that refers to itself", len(got))
	}
}

func FuzzPlainSchema(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#"},"b":{"allOf":[{"$ref":"#/properties/a"},{"type":["null"]}]}}}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		out := model.PlainSchema(json.RawMessage(in))
		var v map[string]any
		if err := json.Unmarshal(out, &v); err != nil || v["type"] != "object" || v["properties"] == nil {
			t.Errorf("%q gives %s, %v", in, out, err)
		}
	})
}

// Reasoning between tags is parted from the text, wherever the pieces end; what only looks like a tag is text.
func TestThinkTags(t *testing.T) {
	for in, want := range map[string][2]string{
		"<think>a</think>b":                {"a", "b"},
		"\n <think>\na < b\n</think>\n\nc": {"\na < b\n", "c"},
		"<think></think>\n\nb":             {"", "b"},
		"<thinking>b":                      {"", "<thinking>b"},
		"b <think>c</think>":               {"", "b <think>c</think>"},
		"<think>a</think>b</think>":        {"a", "b</think>"},
		"<thi":                             {"", "<thi"},
	} {
		for size := 1; size <= len(in); size++ {
			var events []string
			for at := 0; at < len(in); at += size {
				piece, err := json.Marshal(in[at:min(at+size, len(in))])
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%s}}]}`, piece))
			}
			m, _ := cannedModel("openai", func() io.Reader { return strings.NewReader(sse(append(events, chatStop)...)) })
			var streamed core.Delta
			r, err := m.Stream(t.Context(), ask("hi"), func(d core.Delta) { streamed.Text += d.Text; streamed.Reasoning += d.Reasoning })
			if err != nil || r.Text != want[1] || r.Reasoning != want[0] || streamed.Text != r.Text || streamed.Reasoning != r.Reasoning {
				t.Errorf("%q in pieces of %d: %q and %q, streamed %+v, %v", in, size, r.Reasoning, r.Text, streamed, err)
			}
		}
	}
}
