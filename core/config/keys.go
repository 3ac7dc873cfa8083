package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Key is one setting: the table of them is all that reading, the error
// messages and the README know.
type Key struct {
	Name    string
	Default string // as it would stand in the file
	Env     string // the variable that overrides it, or ""
	Doc     string
	set     func(*Settings, any) error
}

// Keys are all settings, in the order in which people read of them.
var Keys = []Key{
	{"model", `"auto"`, "DROVER_MODEL", "model of new sessions: `provider/model`, a tier (`fast`, `balanced`, `powerful`), or `auto`, which finds one", setModel},
	{"theme", `"auto"`, "DROVER_THEME", "colours: the name of a theme, or `auto`: light or dark, as the terminal is", text(func(s *Settings) *string { return &s.Theme })},
	{"mouse", "true", "", "`true`, `false`: the terminal has the mouse, `\"wheel\"`: clicks do nothing", setMouse},
	{"notify", `"auto"`, "", "how you are told while you look elsewhere: `auto` (what the terminal knows), `osc9`, `osc777`, `osc99`, `bell`, `off`", oneOf(func(s *Settings) *string { return &s.Notify }, "auto", "osc9", "osc777", "osc99", "bell", "off")},
	{"title", "true", "", "the terminal's title says who needs you and what runs", yesNo(func(s *Settings) *bool { return &s.Title })},
	{"progress", "false", "", "the terminal's task bar shows that something runs (OSC 9;4)", yesNo(func(s *Settings) *bool { return &s.Progress })},
	{"synchronised", "true", "", "frames are sent as one (mode 2026); off for a terminal that stumbles over it", yesNo(func(s *Settings) *bool { return &s.Synchronised })},
	{"concurrency", "128", "", "how many tasks of a session work at once; more wait in the queue", number(func(s *Settings) *int { return &s.Concurrency }, 1, 10_000)},
	{"max_depth", "6", "", "levels of subagents under the main agent; 0 is none, -1 is no limit", number(func(s *Settings) *int { return &s.MaxDepth }, -1, 100)},
	{"subagents", "true", "", "whether agents may start others at all", yesNo(func(s *Settings) *bool { return &s.Subagents })},
	{"nested_background", "true", "", "whether a subagent's own subagents may work in the background; else it waits for them, and is told so", yesNo(func(s *Settings) *bool { return &s.NestedBackground })},
	{"delegation_tools", "[]", "", "further ways to start agents that every agent is shown: `delegate_to_agent`, `subagent`, `spawn_subagent`; an agent whose tools name one has it anyway", severalOf(func(s *Settings) *[]string { return &s.DelegationTools }, "delegate_to_agent", "subagent", "spawn_subagent")},
	{"max_continues", "5", "", "how often autopilot reminds an agent that has not completed", number(func(s *Settings) *int { return &s.MaxContinues }, 0, 1000)},
	{"max_turns", "100", "", "model calls in one turn", number(func(s *Settings) *int { return &s.MaxTurns }, 1, 100_000)},
	{"timeout", `"15m"`, "", "how long one turn of a subagent may take, without the time a person is asked; 0 is without end", duration(func(s *Settings) *time.Duration { return &s.Timeout }, 0, 240*time.Hour)},
	{"idle_timeout", `"3m"`, "", "how long a subagent may go without an event; output alone does not count; 0 is without end", duration(func(s *Settings) *time.Duration { return &s.IdleTimeout }, 0, 240*time.Hour)},
	{"effort", `"auto"`, "DROVER_EFFORT", "how hard a model that reasons tries, where the agent's file does not say: `off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, or `auto`: as its provider does", oneOf(func(s *Settings) *string { return &s.Effort }, Auto, "off", "minimal", "low", "medium", "high", "xhigh", "max")},
	{"answer_wait", `"5m"`, "DROVER_ANSWER_WAIT", "how long a model may take until its answer begins (a server may have to load it); a subagent's `idle_timeout` counts all the same", duration(func(s *Settings) *time.Duration { return &s.AnswerWait }, time.Second, 24*time.Hour)},
	{"grace", `"60s"`, "", "how long an agent at a limit has to hand in what there is", duration(func(s *Settings) *time.Duration { return &s.Grace }, time.Second, time.Hour)},
	{"request_budget", "0", "", "model calls in a subagent's turn after which it is told to come to an end, at half as many again made to, and five later stopped; 0 is none", number(func(s *Settings) *int { return &s.RequestBudget }, 0, 100_000)},
	{"budget_tokens", "0", "", "tokens that a session may use with everything under it; 0 is none", number(func(s *Settings) *int { return &s.BudgetTokens }, 0, 1<<53)},
	{"budget_cost", "0.0", "", "US dollars that a session may cost with everything under it; 0 is none", amount(func(s *Settings) *float64 { return &s.BudgetCost })},
	{"host_idle", `"60s"`, "DROVER_HOST_IDLE", "a host with nothing to do exits after this", duration(func(s *Settings) *time.Duration { return &s.HostIdle }, 0, 24*time.Hour)},
	{"keep_progress", `"336h"`, "", "events that only tell of progress are removed when their session has rested for so long; transcripts, and all that a timeline shows, stay", duration(func(s *Settings) *time.Duration { return &s.KeepProgress }, time.Hour, 10*365*24*time.Hour)},
	{"stall_after", `"2m"`, "", "after this long without an event a running task is said to be stalled", duration(func(s *Settings) *time.Duration { return &s.StallAfter }, time.Second, 7*24*time.Hour)},
	{"instructions", `["AGENTS.md"]`, "", "files that tell the main agent what you and the project want, in this order: `AGENTS.md`, `CLAUDE.md`, `GEMINI.md`, `.github/copilot-instructions.md`", severalOf(func(s *Settings) *[]string { return &s.Instructions }, "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")},
	{"trust", `"folder"`, "", "what `drover trust` trusts: the `folder`, or the `content` its files have now: a changed one asks again", oneOf(func(s *Settings) *string { return &s.Trust }, "folder", "content")},
	{"agent_order", "[]", "", "families of agent files in the order that counts, as `[\".claude\", \".drover\"]`; those left out come after, as in Agents", texts(func(s *Settings) *[]string { return &s.AgentOrder })},
	{"agents_disabled", "[]", "", "agents that are switched off, by name", texts(func(s *Settings) *[]string { return &s.AgentsDisabled })},
	{"search_url", `""`, "DROVER_SEARCH_URL", "search service of `web_search`: an address with `{query}` in it that answers with JSON (SearXNG and alike), HTML or Markdown; without it, `BRAVE_API_KEY` or `TAVILY_API_KEY`", setSearch},
	{"private_hosts", "[]", "", "host names that may lead to addresses of this machine or its network when an agent asks for them, as `[\"*.corp.test\"]`; others are refused, `localhost` and plain addresses only asked about", texts(func(s *Settings) *[]string { return &s.PrivateHosts })},
	{"hooks", `{}`, "", "your own commands at moments of an agent's life, see Hooks", setHooks},
	{"tiers", `{}`, "", "your own model of a tier, see Models", setTiers},
	{"agent_models", `{}`, "", "which agent runs on which model or tier, see Models", setAgentModels},
	{"providers", `{}`, "", "further places to have models from, by address, see Models", setProviders},
	{"headers", `{}`, "", "headers that every request to a provider carries, see Models", setHeaders},
	{"offline_pace", "240", "DROVER_PACE", "characters a second of the offline model on a screen; 0 is full speed", number(func(s *Settings) *int { return &s.OfflinePace }, 0, 1_000_000)},
}

func defaults() Settings {
	return Settings{
		Model: Auto, Effort: Auto, Theme: "auto", Concurrency: 128, MaxDepth: 6, MaxContinues: 5, MaxTurns: 100,
		KeepProgress: 14 * 24 * time.Hour, AnswerWait: 5 * time.Minute,
		Timeout: 15 * time.Minute, IdleTimeout: 3 * time.Minute, Grace: time.Minute, HostIdle: time.Minute, StallAfter: 2 * time.Minute, OfflinePace: 240, Trust: "folder",
		Mouse: "on", Notify: "auto", Title: true, Synchronised: true,
		Subagents: true, NestedBackground: true, Instructions: []string{"AGENTS.md"},
	}
}

func find(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case int64:
		return "a number"
	case float64:
		return "a number with a fraction"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any, []map[string]any:
		return "a table"
	}
	return "a date"
}

func text(field func(*Settings) *string) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		t, ok := v.(string)
		switch {
		case !ok:
			return fmt.Errorf("must be a text in quotes, is %s", kind(v))
		case strings.TrimSpace(t) == "":
			return fmt.Errorf("must not be empty")
		}
		*field(s) = t
		return nil
	}
}

// oneOf takes one of a few words.
func oneOf(field func(*Settings) *string, words ...string) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		t, ok := v.(string)
		if !ok || !slices.Contains(words, t) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		*field(s) = t
		return nil
	}
}

// texts takes a list of texts.
func texts(field func(*Settings) *[]string) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("must be a list of texts, is %s", kind(v))
		}
		out := make([]string, len(list))
		for i, e := range list {
			if out[i], ok = e.(string); !ok {
				return fmt.Errorf("must be a list of texts, holds %s", kind(e))
			}
		}
		*field(s) = out
		return nil
	}
}

// severalOf takes a list of some of a few words.
func severalOf(field func(*Settings) *[]string, words ...string) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		var list []string
		if err := texts(func(*Settings) *[]string { return &list })(s, v); err != nil {
			return err
		}
		for _, w := range list {
			if !slices.Contains(words, w) {
				return fmt.Errorf("must hold only %s, holds %q", strings.Join(words, ", "), w)
			}
		}
		*field(s) = list
		return nil
	}
}

func yesNo(field func(*Settings) *bool) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		is, ok := v.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, is %s", kind(v))
		}
		*field(s) = is
		return nil
	}
}

func setMouse(s *Settings, v any) error {
	switch v {
	case true:
		s.Mouse = "on"
	case false:
		s.Mouse = "off"
	case "wheel":
		s.Mouse = "wheel"
	default:
		return fmt.Errorf(`must be true, false or "wheel", is %s`, kind(v))
	}
	return nil
}

// setSearch takes an address with a place for the query; nothing is none.
func setSearch(s *Settings, v any) error {
	t, ok := v.(string)
	if !ok {
		return fmt.Errorf("must be a text in quotes, is %s", kind(v))
	}
	u, err := url.Parse(t)
	if t != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.Contains(t, "{query}")) {
		return fmt.Errorf("must be an http or https address with {query} in it, is %q", t)
	}
	s.SearchURL = t
	return nil
}

func number(field func(*Settings) *int, low, high int64) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		n, ok := v.(int64)
		switch {
		case !ok:
			return fmt.Errorf("must be a whole number, is %s", kind(v))
		case n < low || n > high:
			return fmt.Errorf("must be %d to %d, is %d", low, high, n)
		}
		*field(s) = int(n)
		return nil
	}
}

func amount(field func(*Settings) *float64) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		var f float64
		switch n := v.(type) {
		case int64:
			f = float64(n)
		case float64:
			f = n
		default:
			return fmt.Errorf("must be a number, is %s", kind(v))
		}
		if !(f >= 0 && f < 1e9) {
			return fmt.Errorf("must be 0 or more, is %v", v)
		}
		*field(s) = f
		return nil
	}
}

func duration(field func(*Settings) *time.Duration, low, high time.Duration) func(*Settings, any) error {
	return func(s *Settings, v any) error {
		t, ok := v.(string)
		if !ok {
			return fmt.Errorf(`must be a time such as "90s" or "2m", is %s`, kind(v))
		}
		d, err := time.ParseDuration(t)
		switch {
		case err != nil:
			return fmt.Errorf(`must be a time such as "90s" or "2m", is %q`, t)
		case d < low || d > high:
			return fmt.Errorf("must be %s to %s, is %s", low, high, d)
		}
		*field(s) = d
		return nil
	}
}

// nearest names the setting that was probably meant, else all of them.
func nearest(name string) string {
	best, at := "", 4 // further than three letters apart is another word
	var names []string
	for _, k := range Keys {
		names = append(names, k.Name)
		if d := distance(strings.ToLower(name), k.Name); d < at {
			best, at = k.Name, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "the settings are " + strings.Join(names, ", ")
}

// distance is the number of letters to insert, remove or replace from a to b.
func distance(a, b string) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		diagonal := prev[0]
		prev[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = prev[j+1]
			prev[j+1] = min(prev[j+1]+1, prev[j]+1, cost)
		}
	}
	return prev[len(b)]
}
