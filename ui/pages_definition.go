package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// definitionBlocks say what the task is, what it may do and why not more.
func (v *view) definitionBlocks(n *state.Node) []*block {
	in, ok := v.st.Inside()
	if !ok {
		return []*block{words("reading …")}
	}
	a, t := state.Definition(in.Spec), &n.Task
	ses, _ := v.st.Tree.Session(t.ID)
	var out []*block
	row := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, &block{build: func(w int) []Line { return field(name, text, themes.Text, w) }})
		}
	}
	row("agent", join2(t.Agent, a.DisplayName))
	row("", a.Description)
	row("from", v.source(a.Source))
	model := t.Model
	if a.Model != "" && a.Model != t.Model {
		model = strings.TrimPrefix(model+" · the definition says "+a.Model, " · ")
	}
	row("model", model)
	how := "in the background"
	if t.Mode == core.Sync {
		how = "its parent waits for it"
	}
	row("runs", fmt.Sprintf("%s · depth %d · in %s", how, t.Depth, t.Dir))
	row("limits", limits(a.Limits))
	row("session", sessionLimits(ses))
	switch {
	case in.Spec.Tools == nil:
		row("tools", "every tool")
	case len(in.Spec.Tools) == 0:
		row("tools", "none")
	default:
		row("tools", fmt.Sprintf("%d: %s", len(in.Spec.Tools), strings.Join(in.Spec.Tools, ", ")))
	}
	if a.ReadOnly {
		row("read-only", "its processes are read-only to the kernel too")
	}
	for _, x := range v.st.TakenAway(in) {
		row("taken away", strings.Join(x.Tools, ", ")+" · "+x.Why)
	}
	row("needs no ok", strings.Join(append(append([]string{}, a.Rules...), ses.Rules...), ", "))
	if ses.AllowAll {
		row("", "no tool call of the session needs one")
	}
	row("denied", strings.Join(core.Denials(a.Permissions), ", "))
	row("effort", a.Effort)
	row("may start", state.Spawns(in.Spec))
	if len(in.Spec.Output) > 0 {
		out = append(out, long("result must fit", pretty(in.Spec.Output), true))
	}
	if len(a.MCPServers) > 0 {
		out = append(out, long("MCP servers", pretty(a.MCPServers), true))
	}
	out = append(out, long("system prompt", in.Spec.System, false), long("first message", in.Spec.Prompt, false))
	return out
}

const fieldWidth = 12

// field is a name and, beside it, what there is.
func field(name, text string, role themes.Role, w int) []Line {
	if w < 30 {
		return append(Wrap(Line{{Text: name, Role: themes.Muted}}, w), indented(capped(text, max(1, w-2), Span{Role: role}), Span{Text: "  "}, w)...)
	}
	return indented(capped(text, w-fieldWidth-1, Span{Role: role}), Span{Text: padRight(name, fieldWidth) + " ", Role: themes.Muted}, w)
}

// long is a text under a heading, as code or as Markdown.
func long(name, text string, code bool) *block {
	return &block{build: func(w int) []Line {
		if strings.TrimSpace(text) == "" {
			return []Line{nil}
		}
		lines := []Line{nil, {{Text: truncate(name, w), Role: themes.Heading, Attr: Bold}}}
		if code {
			return append(lines, verbatim(text, w, 400)...)
		}
		shown, more := capText(text)
		return append(append(lines, Markdown(shown, w)...), more...)
	}}
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func (v *view) source(s string) string {
	if s == "" || s == "bundled" {
		return "drover itself"
	}
	return s + v.st.Keyed(" · {edit-definition} opens it")
}

func limits(l core.AgentLimits) string {
	var parts []string
	add := func(set bool, format string, x any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, x))
		}
	}
	add(l.MaxTurns > 0, "%d model calls a turn", l.MaxTurns)
	add(l.Timeout > 0, "%s a turn", l.Timeout.Round(time.Second))
	add(l.IdleTimeout > 0, "%s without an event", l.IdleTimeout.Round(time.Second))
	add(l.Requests > 0, "%d model calls in all", l.Requests)
	add(l.Tokens > 0, "%s tokens with all under it", state.Tokens(l.Tokens))
	add(l.Cost > 0, "$%.2f with all under it", l.Cost)
	if l.Temperature != nil {
		add(true, "temperature %g", *l.Temperature)
	}
	if parts == nil {
		return "those of the settings"
	}
	return strings.Join(parts, " · ")
}

func sessionLimits(s core.Session) string {
	var parts []string
	if s.Plan {
		parts = append(parts, "it only plans")
	}
	if s.Limits.MaxTurns > 0 {
		parts = append(parts, fmt.Sprintf("%d model calls a turn", s.Limits.MaxTurns))
	}
	if s.Limits.Timeout > 0 {
		parts = append(parts, fmt.Sprintf("%s a turn", s.Limits.Timeout.Round(time.Second)))
	}
	if s.Limits.Tokens > 0 {
		parts = append(parts, state.Tokens(s.Limits.Tokens)+" tokens")
	}
	if s.Limits.Cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", s.Limits.Cost))
	}
	if s.MaxContinues > 0 && s.Autopilot {
		parts = append(parts, fmt.Sprintf("autopilot may continue %d times, %d used", s.MaxContinues, s.Continues))
	}
	return strings.Join(parts, " · ")
}
