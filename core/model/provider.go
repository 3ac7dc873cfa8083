package model

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
)

// tiers are names for "a model of that strength, whichever there is".
var tiers = []string{"fast", "balanced", "powerful"}

// Tier reports whether name is that of a tier.
func Tier(name string) bool { return slices.Contains(tiers, name) }

// Provider is a place that models can be had from. Everything but Name, Wire
// and BaseURL may be empty.
type Provider struct {
	Name    string // the part of "provider/model" before the slash
	Wire    Wire
	BaseURL string
	Key     func(ctx context.Context) (string, error)
	KeyName string // the variable that holds the key, or should
	Bearer  bool
	Headers map[string]string
	Tiers   map[string]string // its own names of the models of each tier
	Local   bool              // on this machine or near it: no key needed, its models have to be asked for
	Usable  bool              // configured, so far as can be told without asking it
	Quiet   bool              // not spoken of until it is configured
	Moved   bool              // at an address of a person's own, where other models may be
}

// kind is a provider that is known before anybody has configured it.
type kind struct {
	Provider
	keys    []string // variables, the first one is told to people
	bases   []string
	address string // of the settings, for where no variable has one
	format  Wire   // of the settings; "": the address tells
}

func kinds() []kind {
	return []kind{
		{Provider: Provider{Name: "anthropic", Wire: WireAnthropic, BaseURL: "https://api.anthropic.com",
			Tiers: tierOf("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")},
			keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}, bases: []string{"ANTHROPIC_BASE_URL"}},
		{Provider: Provider{Name: "openai", Wire: WireResponses, BaseURL: "https://api.openai.com/v1",
			Tiers: tierOf("gpt-6-luna", "gpt-6.1-terra", "gpt-6.1-sol")},
			keys: []string{"OPENAI_API_KEY"}, bases: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}},
		{Provider: Provider{Name: "gemini", Wire: WireChat, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			Tiers: tierOf("gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3.1-pro-preview")},
			keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, bases: []string{"GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"}},
		{Provider: Provider{Name: "openrouter", Wire: WireChat, BaseURL: "https://openrouter.ai/api/v1",
			Tiers: tierOf("anthropic/claude-haiku-5.5", "anthropic/claude-sonnet-5.5", "anthropic/claude-opus-5.5")},
			keys: []string{"OPENROUTER_API_KEY"}, bases: []string{"OPENROUTER_BASE_URL"}},
		{Provider: Provider{Name: "mistral", Wire: WireChat, BaseURL: "https://api.mistral.ai/v1", Quiet: true}, keys: []string{"MISTRAL_API_KEY"}},
		{Provider: Provider{Name: "deepseek", Wire: WireChat, BaseURL: "https://api.deepseek.com/v1", Quiet: true}, keys: []string{"DEEPSEEK_API_KEY"}},
		{Provider: Provider{Name: "xai", Wire: WireChat, BaseURL: "https://api.x.ai/v1", Quiet: true}, keys: []string{"XAI_API_KEY"}},
		{Provider: Provider{Name: "groq", Wire: WireChat, BaseURL: "https://api.groq.com/openai/v1", Quiet: true}, keys: []string{"GROQ_API_KEY"}},
		{Provider: Provider{Name: "cerebras", Wire: WireChat, BaseURL: "https://api.cerebras.ai/v1", Quiet: true}, keys: []string{"CEREBRAS_API_KEY"}},
		{Provider: Provider{Name: "together", Wire: WireChat, BaseURL: "https://api.together.xyz/v1", Quiet: true}, keys: []string{"TOGETHER_API_KEY"}},
		{Provider: Provider{Name: "fireworks", Wire: WireChat, BaseURL: "https://api.fireworks.ai/inference/v1", Quiet: true}, keys: []string{"FIREWORKS_API_KEY"}},
		{Provider: Provider{Name: "ollama", Wire: WireChat, BaseURL: "http://127.0.0.1:11434/v1", Local: true},
			keys: []string{"OLLAMA_API_KEY"}, bases: []string{"OLLAMA_BASE_URL", "OLLAMA_HOST"}},
		{Provider: Provider{Name: "vllm", Wire: WireChat, BaseURL: "http://127.0.0.1:8000/v1", Local: true},
			keys: []string{"VLLM_API_KEY"}, bases: []string{"VLLM_BASE_URL"}},
		{Provider: Provider{Name: "lmstudio", Wire: WireChat, BaseURL: "http://127.0.0.1:1234/v1", Local: true},
			keys: []string{"LMSTUDIO_API_KEY"}, bases: []string{"LMSTUDIO_BASE_URL"}},
	}
}

func tierOf(fast, balanced, powerful string) map[string]string {
	return map[string]string{"fast": fast, "balanced": balanced, "powerful": powerful}
}

// Detect returns every provider drover knows of, as the environment configures
// it, the likeliest to be meant first, and after them a person's own: of those
// Name, BaseURL, KeyName and Wire count, the latter two where they are set; one
// with the name of another is that one at another address. Keys are read when
// they are needed. Where X_API_KEY is not set, X_API_KEY_COMMAND is a command
// that prints it: say runs one, and is asked once for a key that it gave.
func Detect(getenv func(string) string, say func(ctx context.Context, command string) (string, error), own ...Provider) []Provider {
	all := kinds()
	for _, p := range own {
		i := slices.IndexFunc(all, func(k kind) bool { return k.Name == p.Name })
		if i < 0 {
			if i = len(all); p.Wire == "" {
				p.Wire = WireChat
				if strings.HasSuffix(strings.TrimRight(p.BaseURL, "/"), "/messages") || strings.Contains(p.BaseURL, "anthropic") {
					p.Wire = WireAnthropic
				}
			}
			name := strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(p.Name))
			all = append(all, kind{Provider: Provider{Name: p.Name, Wire: p.Wire}, keys: []string{name + "_API_KEY"}})
		}
		k := &all[i]
		k.address, k.format = p.BaseURL, p.Wire
		if p.KeyName != "" {
			k.keys = []string{p.KeyName}
		}
	}
	var out []Provider
	for _, k := range all {
		out = append(out, k.detected(getenv, say))
	}
	return out
}

// detected is the provider as the environment and the settings have it, the environment first.
func (k kind) detected(getenv func(string) string, say func(ctx context.Context, command string) (string, error)) Provider {
	p := k.Provider
	p.KeyName = k.keys[0]
	base := ""
	for _, name := range k.bases {
		if v := strings.TrimSpace(getenv(name)); v != "" && base == "" {
			base = v
		}
	}
	format := Wire("")
	if base == "" {
		base, format = k.address, k.format
	}
	if base != "" {
		p.BaseURL, p.Moved = configured(p, base), true
		if p.Wire = wireAt(p); format != "" {
			p.Wire = format
		}
	}
	for _, name := range k.keys {
		if strings.TrimSpace(getenv(name)) == "" {
			continue
		}
		p.KeyName, p.Key = name, func(context.Context) (string, error) { return getenv(name), nil }
		p.Bearer = name == "ANTHROPIC_AUTH_TOKEN"
		break
	}
	for _, name := range k.keys {
		if command := strings.TrimSpace(getenv(name + commandSuffix)); command != "" && p.Key == nil {
			p.KeyName, p.Key = name+commandSuffix, saidOnce(command, say)
			p.Bearer = name == "ANTHROPIC_AUTH_TOKEN"
		}
	}
	p.Usable = p.Key != nil || base != ""
	return p
}

// configured makes a base URL of what people set: Ollama's variable is an
// address to listen at, Google's is one without the compatible part.
func configured(p Provider, base string) string {
	if !strings.Contains(base, "://") {
		host, port, err := net.SplitHostPort(base)
		if err != nil {
			host, port = strings.Trim(base, "[]"), ""
		}
		if host == "" || host == "0.0.0.0" || host == "::" {
			host = "127.0.0.1"
		}
		if port == "" && p.Name == "ollama" {
			port = "11434"
		}
		if port != "" {
			host = net.JoinHostPort(host, port)
		}
		base = "http://" + host
		if port == "" && far(host) { // a key does not go there in the clear
			base = "https://" + host
		}
	}
	if u, err := url.Parse(base); err == nil && strings.HasSuffix(u.Hostname(), "googleapis.com") && !strings.Contains(u.Path, "openai") {
		u.Path = "/v1beta/openai"
		base = u.String()
	}
	return base
}

// far reports whether a host, with a path or without, is none of this machine or its network.
func far(host string) bool {
	name, _, _ := strings.Cut(host, "/")
	at := strings.LastIndexByte(name, '.')
	return at > 0 && net.ParseIP(name) == nil && !slices.Contains([]string{"local", "lan", "internal", "home"}, name[at+1:])
}

// wireAt is the wire format at another address: what imitates OpenAI speaks
// Chat Completions, and few of them Responses; the whole address tells which.
func wireAt(p Provider) Wire {
	u, err := url.Parse(p.BaseURL)
	if err != nil || p.Wire == WireAnthropic {
		return p.Wire
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasSuffix(path, "/responses"):
		return WireResponses
	case strings.HasSuffix(path, "/chat/completions"), u.Hostname() != "api.openai.com":
		return WireChat
	}
	return p.Wire
}
