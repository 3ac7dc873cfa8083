package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drover/core"
	"drover/core/config"
	"drover/core/tool"
)

// chosen is the choice of a machine with these settings and this environment.
func chosen(t *testing.T, s config.Settings, env map[string]string) *choice {
	t.Helper()
	for _, name := range []string{"OLLAMA_BASE_URL", "VLLM_BASE_URL", "LMSTUDIO_BASE_URL"} {
		if env[name] == "" {
			env[name] = "http://127.0.0.1:1/v1"
		}
	}
	env["DROVER_CONFIG"] = t.TempDir()
	c, err := openChoice(func(name string) string { return env[name] }, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAuto holds the order: Anthropic, OpenAI, Gemini, a server that answers,
// else the offline model; where a key is there, nobody is asked.
func TestAuto(t *testing.T) {
	for _, tt := range []struct {
		name      string
		env       map[string]string
		want      string
		why       string
		untouched bool
	}{
		{"nothing", map[string]string{}, "offline/rules", "no local server answers", true},
		{"all keys", map[string]string{"GEMINI_API_KEY": "c", "OPENAI_API_KEY": "b", "ANTHROPIC_API_KEY": "a", "OLLAMA_BASE_URL": "SERVER"}, "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY is set", true},
		{"two keys", map[string]string{"GEMINI_API_KEY": "c", "OPENAI_API_KEY": "b", "OLLAMA_BASE_URL": "SERVER"}, "openai/gpt-6.1-terra", "OPENAI_API_KEY is set", true},
		{"Gemini", map[string]string{"GOOGLE_API_KEY": "c"}, "gemini/gemini-3.8-flash", "GOOGLE_API_KEY is set", true},
		{"a key before an address", map[string]string{"GEMINI_API_KEY": "c", "OPENAI_BASE_URL": "SERVER"}, "gemini/gemini-3.8-flash", "GEMINI_API_KEY", true},
		{"an address", map[string]string{"OPENAI_BASE_URL": "SERVER"}, "openai/big-model", "openai answers at", false},
		{"vLLM", map[string]string{"VLLM_BASE_URL": "SERVER"}, "vllm/big-model", "vllm answers at", false},
		{"a key and an address", map[string]string{"ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "SERVER"}, "anthropic/big-model", "ANTHROPIC_API_KEY is set", false},
		{"no server there", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1"}, "offline/rules", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModelServer()
			defer m.Close()
			for k, v := range tt.env {
				tt.env[k] = strings.Replace(v, "SERVER", m.URL, 1)
			}
			full, why := chosen(t, config.Settings{}, tt.env).auto(t.Context())
			if full != tt.want || !strings.Contains(why, tt.why) {
				t.Errorf("got %s (%s), want %s (%s)", full, why, tt.want, tt.why)
			}
			if asked := strings.TrimSpace(m.requests()) != ""; asked == tt.untouched {
				t.Errorf("asked: %v", m.requests())
			}
		})
	}
}

// TestChildModel holds whose word counts for a subagent's model.
func TestChildModel(t *testing.T) {
	m := newModelServer()
	defer m.Close()
	own := config.Settings{Tiers: map[string]string{"fast": "ollama/small-model"}, AgentModels: map[string]string{"scout": "fast", "lost": "nowhere/x"}}
	env := func() map[string]string {
		return map[string]string{"ANTHROPIC_API_KEY": "a", "OLLAMA_BASE_URL": m.URL}
	}
	for _, tt := range []struct {
		name      string
		s         config.Settings
		w         tool.Wish
		want      string
		note, bad string
	}{
		{"the parent's", own, tool.Wish{Agent: "x", Parent: "anthropic/claude-opus-5-5"}, "anthropic/claude-opus-5-5", "", ""},
		{"the file's tier", config.Settings{}, tool.Wish{Declared: "haiku", Parent: "anthropic/claude-opus-5-5"}, "anthropic/claude-haiku-5-5", "", ""},
		{"one's own tier", own, tool.Wish{Declared: "fast", Parent: "anthropic/claude-opus-5-5"}, "ollama/small-model", "", ""},
		{"the settings before the file", own, tool.Wish{Agent: "scout", Declared: "powerful", Parent: "anthropic/claude-opus-5-5"}, "ollama/small-model", "", ""},
		{"the call before the settings", own, tool.Wish{Agent: "scout", Asked: "balanced", Parent: "anthropic/claude-opus-5-5"}, "anthropic/claude-sonnet-5-5", "", ""},
		{"inherit", own, tool.Wish{Asked: "inherit", Parent: "ollama/big-model"}, "ollama/big-model", "", ""},
		{"a tier nobody knows", own, tool.Wish{Asked: "powerful", Parent: "ollama/big-model"}, "ollama/big-model", "no model beside ollama/big-model is known as powerful", ""},
		{"offline has one", config.Settings{}, tool.Wish{Asked: "powerful", Parent: "offline/rules"}, "offline/rules", "", ""},
		{"a name alone", own, tool.Wish{Asked: "claude-haiku-5-5", Parent: "anthropic/claude-opus-5-5"}, "anthropic/claude-haiku-5-5", "", ""},
		{"of another provider", own, tool.Wish{Asked: "ollama/big-model", Parent: "anthropic/claude-opus-5-5"}, "ollama/big-model", "", ""},
		{"Ollama's latest", own, tool.Wish{Asked: "ollama/big-model:latest", Parent: "anthropic/claude-opus-5-5"}, "ollama/big-model:latest", "", ""},
		{"not there", own, tool.Wish{Asked: "ollama/other", Parent: "anthropic/claude-opus-5-5"}, "", "", `ollama has no model "other"`},
		{"no key", own, tool.Wish{Asked: "openai/gpt-6-luna", Parent: "anthropic/claude-opus-5-5"}, "", "", "there is no key for openai"},
		{"no provider", own, tool.Wish{Asked: "nowhere/x", Parent: "anthropic/claude-opus-5-5"}, "", "", `no model provider "nowhere"`},
		{"a file for another program", own, tool.Wish{Declared: "openai/gpt-5", Parent: "anthropic/claude-opus-5-5"}, "anthropic/claude-opus-5-5", "", ""},
		{"a file with a word", own, tool.Wish{Declared: "gpt-4.1", Parent: "ollama/big-model"}, "ollama/big-model", "", ""},
		{"a mistake of the settings", own, tool.Wish{Agent: "lost", Parent: "anthropic/claude-opus-5-5"}, "", "", `the settings give lost a model it cannot have: no model provider "nowhere"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			full, note, err := chosen(t, tt.s, env()).child(tt.w)
			if tt.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tt.bad) {
					t.Fatalf("got %q, %v, want the error %q", full, err, tt.bad)
				}
				return
			}
			if err != nil || full != tt.want || !strings.Contains(note, tt.note) || (note == "") != (tt.note == "") {
				t.Errorf("got %q, %q, %v, want %q, %q", full, note, err, tt.want, tt.note)
			}
		})
	}
}

// A server without a key that has gone is not chosen for ever; a key is.
func TestAutoLooksAgain(t *testing.T) {
	m := newModelServer()
	defer m.Close()
	local := chosen(t, config.Settings{}, map[string]string{"OLLAMA_BASE_URL": m.URL})
	keyed := chosen(t, config.Settings{}, map[string]string{"OPENAI_BASE_URL": m.URL, "OPENAI_API_KEY": "k"})
	for _, c := range []*choice{local, keyed} {
		if full, _ := c.auto(t.Context()); !strings.HasSuffix(full, "/big-model") {
			t.Fatal(full)
		}
	}
	m.Close()
	if full, _ := local.auto(t.Context()); full != "ollama/big-model" {
		t.Errorf("looked again at once: %s", full)
	}
	for c, want := range map[*choice]string{local: offlineModel, keyed: "openai/big-model"} {
		c.foundAt = c.foundAt.Add(-2 * lookAgain)
		if full, _ := c.auto(t.Context()); full != want {
			t.Errorf("%s, want %s", full, want)
		}
	}
}

// A server may have to load its model first: how long it is waited for is a setting.
func TestAnswerWait(t *testing.T) {
	t.Parallel()
	ends := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ends:
		}
	}))
	defer s.Close()
	defer close(ends)
	env := map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": s.URL + "/v1", "DROVER_CONFIG": t.TempDir(), "DROVER_ANSWER_WAIT": "1s"}
	getenv := func(k string) string { return env[k] }
	settings, err := config.Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	c, err := openChoice(getenv, settings)
	if err != nil {
		t.Fatal(err)
	}
	m, name, err := c.Resolve("openai/x")
	if err != nil {
		t.Fatal(err)
	}
	var why string
	enough := errors.New("enough")
	_, err = m.Stream(t.Context(), core.ModelRequest{Model: name, Messages: []core.Message{{Role: core.RoleUser, Text: "hi"}}, Wait: func(_ context.Context, w core.ModelWait) error {
		why = w.Why
		return enough
	}}, func(core.Delta) {})
	if !errors.Is(err, enough) || !strings.Contains(why, "did not answer within 1s") {
		t.Errorf("%v: %q", err, why)
	}
}
