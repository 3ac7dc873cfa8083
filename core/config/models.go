package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Auto is the model that is found by what this machine has: a key, or a server that answers.
const Auto = "auto"

// Tiers are the names for "a model of that strength", the weakest first.
var Tiers = []string{"fast", "balanced", "powerful"}

const modelForms = "must be provider/model, one of fast, balanced, powerful, or auto"

// setModel takes the model of new sessions.
func setModel(s *Settings, v any) error {
	var model string
	if err := text(func(*Settings) *string { return &model })(s, v); err != nil {
		return err
	}
	if model != Auto && !slices.Contains(Tiers, model) && !fullModel(model) {
		return fmt.Errorf("%s, is %q", modelForms, model)
	}
	s.Model = model
	return nil
}

func fullModel(model string) bool {
	provider, name, ok := strings.Cut(model, "/")
	return ok && provider != "" && name != "" && !strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// setTiers takes the table of a person's own tiers.
func setTiers(s *Settings, v any) error {
	out, err := table("tiers", `fast = "openai/gpt-6-luna"`, v, func(name, model string) error {
		switch {
		case !slices.Contains(Tiers, name):
			return fmt.Errorf("no such tier; there are %s", strings.Join(Tiers, ", "))
		case !fullModel(model):
			return fmt.Errorf("must be provider/model, is %q", model)
		}
		return nil
	})
	s.Tiers = out
	return err
}

// setAgentModels takes the table of which agent runs on what.
func setAgentModels(s *Settings, v any) error {
	out, err := table("agent_models", `explore = "fast"`, v, func(name, model string) error {
		if !slices.Contains(Tiers, model) && !fullModel(model) {
			return fmt.Errorf("must be provider/model, or one of fast, balanced, powerful, is %q", model)
		}
		return nil
	})
	s.AgentModels = out
	return err
}

// table reads a table of texts, each checked.
func table(key, example string, v any, check func(name, value string) error) (map[string]string, error) {
	t, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must be a table, a line [%s] with lines such as %s below it, is %s", key, example, kind(v))
	}
	if len(t) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		value, ok := t[name].(string)
		err := error(nil)
		if !ok {
			err = fmt.Errorf("must be a text in quotes, is %s", kind(t[name]))
		} else {
			err = check(name, value)
		}
		if err != nil {
			return nil, &Error{Key: name, Problem: key + ": " + err.Error(), Hint: "below [" + key + "] a line is: " + example}
		}
		out[name] = value
	}
	return out, nil
}

// Provider is a place for models that a person's settings name.
type Provider struct {
	Name   string
	URL    string
	Key    string // the variable that holds the key; "": NAME_API_KEY
	Format string // chat, responses or anthropic; "": as the address has it
}

// Formats are what a provider may speak.
var Formats = []string{"chat", "responses", "anthropic"}

// setProviders takes a person's own providers of models.
func setProviders(s *Settings, v any) error {
	const hint = "write [providers.deepseek] on a line, and below it: url = \"https://api.deepseek.com/v1\""
	s.Providers = nil
	return tables("providers", "deepseek", hint, v, func(name string, lines map[string]any) error {
		where := "providers." + name
		if name == "offline" || name == "" || strings.ContainsFunc(name, notInName) {
			return &Error{Key: where, Problem: "a provider's name is of small letters, digits, - and _, and not offline", Hint: hint}
		}
		p := Provider{Name: name}
		for _, key := range slices.Sorted(maps.Keys(lines)) {
			if why, way := p.set(key, lines[key]); why != "" {
				return &Error{table: where, Key: key, Problem: where + ": " + why, Hint: cmp.Or(way, hint)}
			}
		}
		if p.URL == "" {
			return &Error{Key: where, Problem: "it has no url", Hint: hint}
		}
		s.Providers = append(s.Providers, p)
		return nil
	})
}

// set takes one line of a provider's table; why not, and the way out, else.
func (p *Provider) set(key string, v any) (why, way string) {
	text, ok := v.(string)
	if !ok {
		return "must be a text in quotes, is " + kind(v), ""
	}
	switch key {
	case "url":
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return "must be an address that begins with https:// or http://", ""
		}
		p.URL = text
	case "key":
		if !strings.HasSuffix(text, "KEY") && !strings.HasSuffix(text, "TOKEN") || strings.ContainsFunc(text, notInVariable) {
			return "must be the name of the variable that holds the key, which ends in KEY or TOKEN (those are masked)", "for example: key = \"" + strings.ToUpper(p.Name) + "_API_KEY\""
		}
		p.Key = text
	case "format":
		if !slices.Contains(Formats, text) {
			return "must be one of " + strings.Join(Formats, ", "), "leave it out where the address tells"
		}
		p.Format = text
	default:
		return "there is no such key", "it has url, key and format"
	}
	return "", ""
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func notInVariable(r rune) bool {
	return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
}

// setHeaders takes, for each provider, headers that every request to it carries.
func setHeaders(s *Settings, v any) error {
	const hint = "write [headers.openai] on a line, and below it: X-Team = \"search\""
	s.Headers = nil
	return tables("headers", "openai", hint, v, func(provider string, lines map[string]any) error {
		out := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			value, ok := lines[name].(string)
			if !ok || name == "" || strings.ContainsFunc(name, notInHeader) || strings.ContainsAny(value, "\r\n\x00") {
				return &Error{table: "headers." + provider, Key: name, Problem: "headers." + provider + ": must be a header's name with a text of one line", Hint: hint}
			}
			out[http.CanonicalHeaderKey(name)] = value
		}
		if s.Headers == nil {
			s.Headers = map[string]map[string]string{}
		}
		s.Headers[provider] = out
		return nil
	})
}

// tables takes tables below one another, as [key.example], in the order of their names.
func tables(key, example, hint string, v any, each func(name string, lines map[string]any) error) error {
	t, ok := v.(map[string]any)
	if !ok {
		return &Error{Key: key, Problem: "must be tables such as [" + key + "." + example + "], is " + kind(v), Hint: hint}
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		lines, ok := t[name].(map[string]any)
		if !ok {
			return &Error{Key: name, Problem: key + ": must be a table such as [" + key + "." + name + "], is " + kind(t[name]), Hint: hint}
		}
		if err := each(name, lines); err != nil {
			return err
		}
	}
	return nil
}

func notInHeader(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}
