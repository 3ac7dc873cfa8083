package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"drover/core"
	"drover/core/config"
)

// Providers of the settings are asked at their address, in their format, with
// the key of their variable; a variable's address counts more than one of the settings.
func TestOwnProviders(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")))
		switch {
		case strings.HasSuffix(r.URL.Path, "/models") && strings.HasPrefix(r.URL.Path, "/bare"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, "/models"):
			_, _ = fmt.Fprint(w, `{"data":[{"id":"m1"},{"id":"m2"}]}`)
		case strings.HasSuffix(r.URL.Path, "/messages"):
			_, _ = fmt.Fprint(w, `{"content":[{"type":"text","text":"claude-like"}],"stop_reason":"end_turn"}`)
		case strings.HasSuffix(r.URL.Path, "/responses"):
			_, _ = fmt.Fprint(w, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"responses-like"}]}]}`)
		default:
			_, _ = fmt.Fprint(w, `{"choices":[{"message":{"content":"chat-like"},"finish_reason":"stop"}]}`)
		}
	}))
	defer s.Close()
	c := chosen(t, config.Settings{Providers: []config.Provider{
		{Name: "deep-seek", URL: s.URL + "/v1"},
		{Name: "zai", URL: s.URL + "/anthropic", Key: "ZAI_TOKEN"},
		{Name: "far", URL: s.URL + "/far/v1", Format: "responses"},
		{Name: "bare", URL: s.URL + "/bare"},
		{Name: "openai", URL: s.URL + "/elsewhere/v1"},
		{Name: "gemini", URL: s.URL + "/never"},
	}}, map[string]string{"DEEP_SEEK_API_KEY": "d", "ZAI_TOKEN": "z", "OPENAI_API_KEY": "o", "GEMINI_BASE_URL": s.URL + "/google"})
	for _, tt := range []struct{ model, says, asked string }{
		{"deep-seek/m1", "chat-like", "POST /v1/chat/completions Bearer d"},
		{"zai/glm", "claude-like", "POST /anthropic/v1/messages z"},
		{"far/m", "responses-like", "POST /far/v1/responses"},
		{"openai/m", "chat-like", "POST /elsewhere/v1/chat/completions Bearer o"},
		{"gemini/m", "chat-like", "POST /google/v1/chat/completions"},
	} {
		mu.Lock()
		asked = nil
		mu.Unlock()
		m, name, err := c.Resolve(tt.model)
		if err != nil {
			t.Errorf("%s: %v", tt.model, err)
			continue
		}
		reply, err := m.Stream(t.Context(), core.ModelRequest{Model: name, Messages: []core.Message{{Role: core.RoleUser, Text: "hi"}}, Wait: noWait}, func(core.Delta) {})
		if err != nil || reply.Text != tt.says || asked[0] != tt.asked {
			t.Errorf("%s: %q, %v, asked %q", tt.model, reply.Text, err, asked)
		}
	}
	if full, _ := c.auto(t.Context()); full != "openai/m1" {
		t.Errorf("auto is %s", full)
	}
	text := (&app{}).modelsText(c.listed(t.Context()))
	for _, want := range []string{"deep-seek  ● 2 models", "    deep-seek/m1", "bare       ○ it answers, but lists no models: name one, as bare/NAME", "anthropic  ✗ no key: set ANTHROPIC_API_KEY"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func noWait(_ context.Context, w core.ModelWait) error { return fmt.Errorf("%s", w.Why) }
