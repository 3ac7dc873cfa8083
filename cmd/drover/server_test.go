package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelServer is a model server on loopback that speaks Chat Completions and
// answers with the name of the model it was asked for. It keeps what it was sent.
type modelServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // a line a request: method, path, model, headers
}

// Its models: what each used is 1000 tokens in, of them 200 cached, and 100 out.
const (
	serverModels = `{"data":[{"id":"big-model"},{"id":"small-model","context_length":8000},{"id":"text-embed"}]}`
	serverUsage  = `{"prompt_tokens":1000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":200}}`
)

func newModelServer() *modelServer {
	m := &modelServer{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Model string `json:"model"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost {
			err = json.Unmarshal(body, &ask)
		}
		m.mu.Lock()
		m.seen = append(m.seen, fmt.Sprintf("%s %s model=%s %v", r.Method, r.URL.Path, ask.Model, r.Header))
		m.mu.Unlock()
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case strings.HasSuffix(r.URL.Path, "/v1/models"):
			_, _ = io.WriteString(w, serverModels) // who hangs up is gone
		case strings.HasSuffix(r.URL.Path, "/v1/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%q},\"finish_reason\":null}]}\n\n", "this is "+ask.Model)
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":%s}\n\ndata: [DONE]\n\n", serverUsage)
		default:
			http.NotFound(w, r)
		}
	}))
	return m
}

func (m *modelServer) requests() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.seen, "\n") + "\n"
}

// modelEnv are the variables that say which providers there are.
var modelEnv = []string{
	"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GEMINI_API_KEY", "GOOGLE_API_KEY",
	"GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "OLLAMA_API_KEY", "OLLAMA_BASE_URL", "OLLAMA_HOST",
	"MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY", "GROQ_API_KEY", "CEREBRAS_API_KEY", "TOGETHER_API_KEY", "FIREWORKS_API_KEY", "OPENAI_API_KEY_COMMAND", "VLLM_API_KEY", "VLLM_BASE_URL", "LMSTUDIO_API_KEY", "LMSTUDIO_BASE_URL",
}

// serve starts a script's model server; the environment names no provider, and
// nothing listens where the local ones would.
func serve(e *testscript.Env) {
	m := newModelServer()
	e.Defer(m.Close)
	e.Values["models"] = m
	e.Setenv("SERVER", m.URL)
	for _, name := range modelEnv {
		e.Setenv(name, "")
	}
	for _, name := range []string{"OLLAMA_BASE_URL", "VLLM_BASE_URL", "LMSTUDIO_BASE_URL"} {
		e.Setenv(name, "http://127.0.0.1:1/v1")
	}
}

// asked FILE: writes what the model server was sent, a line a request.
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	m, ok := ts.Value("models").(*modelServer)
	if neg || len(args) != 1 || !ok {
		ts.Fatalf("usage: asked FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(m.requests()), 0o600))
}
