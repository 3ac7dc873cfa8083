package config

import (
	"fmt"
	"maps"
	"net/http"
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

// setHeaders takes, for each provider, headers that every request to it carries.
func setHeaders(s *Settings, v any) error {
	const hint = "write [headers.openai] on a line, and below it: X-Team = \"search\""
	t, ok := v.(map[string]any)
	if !ok {
		return &Error{Key: "headers", Problem: "must be tables such as [headers.openai], is " + kind(v), Hint: hint}
	}
	s.Headers = nil
	for _, provider := range slices.Sorted(maps.Keys(t)) {
		one, ok := t[provider].(map[string]any)
		if !ok {
			return &Error{Key: provider, Problem: "headers: must be a table such as [headers." + provider + "], is " + kind(t[provider]), Hint: hint}
		}
		out := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(one)) {
			value, ok := one[name].(string)
			if !ok || name == "" || strings.ContainsFunc(name, notInHeader) || strings.ContainsAny(value, "\r\n\x00") {
				return &Error{Key: name, Problem: "headers." + provider + ": must be a header's name with a text of one line", Hint: hint}
			}
			out[http.CanonicalHeaderKey(name)] = value
		}
		if s.Headers == nil {
			s.Headers = map[string]map[string]string{}
		}
		s.Headers[provider] = out
	}
	return nil
}

func notInHeader(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}
