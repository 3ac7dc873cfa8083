package model_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/core/model"
)

func TestEffortWord(t *testing.T) {
	for _, c := range []struct{ base, level, want string }{
		{"https://api.openai.com/v1", "", ""}, {"https://api.openai.com/v1", "off", "none"}, {"https://api.openai.com/v1", "minimal", "minimal"},
		{"https://api.openai.com/v1", "max", "xhigh"}, {"http://127.0.0.1:8000/v1", "max", "high"}, {"http://127.0.0.1:8000/v1", "xhigh", "high"},
		{"http://127.0.0.1:8000/v1", "minimal", "low"}, {"http://127.0.0.1:8000/v1", "medium", "medium"}, {"http://127.0.0.1:8000/v1", "off", "none"},
	} {
		if got := model.EffortWord(c.base, c.level); got != c.want {
			t.Errorf("%s at %s is %q, want %q", c.level, c.base, got, c.want)
		}
	}
}

// How hard a model shall try is sent in each format's words, and left out where a server will have none.
func TestEffort(t *testing.T) {
	for _, c := range []struct{ wire, name, level, want, not string }{
		{"openai", "m", "high", `"reasoning_effort":"high"`, ""},
		{"openai", "m", "", "", "reasoning_effort"},
		{"responses", "m", "max", `"reasoning":{"effort":"high"`, ""},
		{"responses", "m", "off", `"reasoning":{"effort":"none"`, ""},
		{"anthropic", "claude-opus-5-5", "xhigh", `"output_config":{"effort":"max"}`, ""},
		{"anthropic", "claude-opus-5-5", "", `"thinking":{"type":"adaptive"`, "output_config"},
		{"anthropic", "claude-opus-5-5", "off", "", "thinking"},
		{"anthropic", "claude-sonnet-4-0", "low", `"thinking":{"type":"enabled","budget_tokens":4096}`, ""},
		{"anthropic", "claude-sonnet-4-0", "", "", "thinking"},
	} {
		var bodies []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body json.RawMessage
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			bodies = append(bodies, string(body))
			if c.want != "" && strings.Contains(string(body), `effort"`) && len(bodies) == 1 {
				says(400, "invalid_request_error", "reasoning_effort, reasoning, output_config: not here")(c.wire, w, r)
				return
			}
			streams("text.sse", "", nil)(c.wire, w, r)
		}))
		req := ask("hi")
		req.Model, req.Effort = c.name, c.level
		if _, err := at(c.wire, srv.URL, srv.Client(), time.Minute).Stream(context.Background(), req, func(core.Delta) {}); err != nil {
			t.Error(c.wire, c.level, err)
		}
		srv.Close()
		if first := bodies[0]; !strings.Contains(first, c.want) || c.not != "" && strings.Contains(first, c.not) {
			t.Errorf("%s %s: sent %s, want %s and no %s", c.wire, c.level, first, c.want, c.not)
		}
		if last := bodies[len(bodies)-1]; len(bodies) > 1 && strings.Contains(last, `effort"`) {
			t.Errorf("%s %s: sent again what was refused: %s", c.wire, c.level, last)
		}
	}
}
