package model_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"drover/core/model"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A provider that is quiet is used once its key is there, and not spoken of before.
func TestQuietProviders(t *testing.T) {
	env := map[string]string{"GROQ_API_KEY": "k"}
	var asked []string
	r := model.NewRegistry(model.RegistryOptions{
		Providers: model.Detect(func(name string) string { return env[name] }, nil),
		HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Hostname() == "127.0.0.1" {
				return nil, fmt.Errorf("nobody there")
			}
			asked = append(asked, r.URL.String()+" "+r.Header.Get("Authorization"))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"data":[{"id":"whisper-1"},{"id":"llama"}]}`)), Request: r}, nil
		})},
	})
	if full, why := r.Default(t.Context()); full != "groq/llama" || why != "GROQ_API_KEY is set" {
		t.Errorf("%s, %s", full, why)
	}
	if len(asked) != 1 || asked[0] != "https://api.groq.com/openai/v1/models Bearer k" {
		t.Errorf("asked %q", asked)
	}
	var names []string
	for _, p := range r.List(t.Context()) {
		names = append(names, p.Provider.Name)
	}
	if got := strings.Join(names, " "); got != "anthropic openai gemini openrouter groq ollama vllm lmstudio" {
		t.Errorf("it lists %s", got)
	}
}
