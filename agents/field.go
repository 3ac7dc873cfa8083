package agents

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// text makes a setter of a field that is one line of text.
func text(of func(*Definition) *string) setter {
	return func(b *builder, e entry) {
		if e.value.kind != scalar {
			b.wrong(e, "text")
			return
		}
		*of(&b.def) = core.CleanLine(e.value.text)
	}
}

// flag makes a setter of a field that is true or false, quoted or not.
func flag(set func(*builder, bool)) setter {
	return func(b *builder, e entry) {
		is, ok := e.value.boolean()
		if !ok {
			b.wrong(e, "true or false")
			return
		}
		set(b, is)
	}
}

func (b *builder) setName(e entry) {
	switch {
	case e.value.kind != scalar:
		b.note(Error, e, "the name must be text", "write name: a-name")
	case e.value.typ != 's' && b.d.typed:
		b.note(Error, e, "the name must be text, not a number or true or false", "put it in quotes")
	default:
		b.def.Name = core.CleanLine(e.value.text)
	}
}

func (b *builder) setDescription(e entry) {
	switch e.value.kind {
	case scalar:
		b.def.Description = strings.TrimSpace(e.value.text)
	case list:
		b.def.Description = strings.Join(b.names(e.value), " ")
		b.note(Warning, e, "it must be text", "the items were joined")
	default:
		b.wrong(e, "text")
	}
}

func (b *builder) setPrompt(e entry) {
	if e.value.kind != scalar {
		b.wrong(e, "text")
		return
	}
	if b.d.name == "gemini" {
		b.note(Info, e, "newer versions of Gemini CLI refuse it: the prompt is the body", "it is the prompt, and the body is taken as notes")
	}
	b.def.Prompt = strings.TrimSpace(e.value.text)
}

func (b *builder) setModel(e entry) {
	switch e.value.kind {
	case scalar, list:
	default:
		b.wrong(e, "a model's name or a list of them")
		return
	}
	for _, m := range b.names(e.value) {
		if m = core.CleanLine(m); m != "" {
			b.def.Declared.Models = append(b.def.Declared.Models, m)
		}
	}
}

func (b *builder) setEffort(e entry, over bool) {
	if b.def.Effort != "" && !over {
		return
	}
	level := strings.ToLower(strings.TrimSpace(e.value.text))
	switch level {
	case "false", "none":
		level = "off"
	case "auto": // the setting's
		return
	}
	if e.value.kind != scalar || !slices.Contains(core.Efforts, level) {
		b.note(Warning, e, "no level of thinking that drover knows: "+core.Short(e.value.text, 40), "it was left out; there are "+strings.Join(core.Efforts, " "))
		return
	}
	b.def.Effort = level
}

func (b *builder) setStrictReadOnly(e entry) {
	switch e.value.text {
	case "true", "1":
		b.def.ReadOnly = true
	case "false", "0":
	default:
		b.note(Warning, e, "only true and 1 make an agent read-only", "it is not; write readonly: true")
	}
}

func (b *builder) setSpawns(e entry) {
	b.spawnsSet = true
	b.def.Spawns = []string{}
	switch e.value.kind {
	case scalar, list:
		for _, n := range b.names(e.value) {
			switch n = core.CleanLine(n); {
			case n == "*":
				b.def.Spawns = []string{"*"}
				return
			case n == "none" || n == "false" || n == "":
			default:
				b.def.Spawns = append(b.def.Spawns, n)
			}
		}
	default:
		b.wrong(e, "*, none or a list of names")
	}
}

// setOutput takes a JSON schema, also as text.
func (b *builder) setOutput(e entry) {
	if e.value.kind == scalar {
		if text := strings.TrimSpace(e.value.text); json.Valid([]byte(text)) && strings.HasPrefix(text, "{") {
			b.def.Output = json.RawMessage(text)
			return
		}
		b.wrong(e, "a JSON schema")
		return
	}
	b.def.Output = b.raw(e)
}

func (b *builder) setMCP(e entry) {
	if b.d.strict && strings.Contains(e.key, "S") {
		b.note(Info, e, "Gemini CLI itself reads mcp_servers only", "read as mcp_servers")
	}
	switch e.value.kind {
	case object, list:
		b.def.MCPServers = b.raw(e)
	default:
		b.wrong(e, "servers by name")
	}
}

func (b *builder) setMaxTurns(e entry) {
	n, ok := e.value.number()
	if !ok || n < 1 || n != float64(int(n)) || n > 1e6 {
		b.wrong(e, "a whole number above 0")
		return
	}
	b.def.Limits.MaxTurns = int(n)
}

func (b *builder) setTimeout(e entry) {
	n, ok := e.value.number()
	if !ok || n <= 0 || n > float64(365*24*60) || b.d.strict && n != float64(int(n)) {
		b.wrong(e, "a number of minutes above 0")
		return
	}
	b.def.Limits.Timeout = max(minutes(n), time.Second)
}

func (b *builder) setTemperature(e entry) {
	n, ok := e.value.number()
	if !ok || n < 0 || n > 2 {
		b.wrong(e, "a number from 0 to 2")
		return
	}
	b.def.Limits.Temperature = &n
}

func (b *builder) setAliases(e entry) {
	for _, n := range b.names(e.value) {
		if n = core.CleanLine(n); n != "" && !strings.ContainsAny(n, "/\\") {
			b.def.Aliases = append(b.def.Aliases, n)
		}
	}
}

func (b *builder) setPromptMode(e entry) {
	switch e.value.text {
	case "append":
		b.def.Append = true
	case "replace":
	default:
		b.wrong(e, "append or replace")
	}
}

// setMode reads opencode's roles: a primary agent leads a session.
func (b *builder) setMode(e entry) {
	switch e.value.text {
	case "primary":
		b.def.LeadOnly = true
	case "subagent", "all":
	default:
		b.wrong(e, "primary, subagent or all")
	}
}

func (b *builder) setPermissionMode(e entry) {
	switch e.value.text {
	case "plan":
		b.def.ReadOnly = true
	case "default":
	default:
		b.note(Info, e, "not supported by drover: "+e.value.text, "calls are asked about as the session says")
		b.keep(e.key, e.value.text)
	}
}

func (b *builder) setSandbox(e entry) {
	b.keep(e.key, e.value.text)
	switch e.value.text {
	case "read-only":
		b.def.ReadOnly = true
	case "workspace-write":
	case "danger-full-access":
		b.note(Info, e, "not supported by drover: danger-full-access", "calls are asked about as the session says")
	default:
		b.wrong(e, "read-only, workspace-write or danger-full-access")
	}
}

// names reads a list of words: a list, or text between commas.
func (b *builder) names(v value) []string {
	switch v.kind {
	case scalar:
		return splitOutside(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(v.text), "["), "]"))
	case list:
		out := []string{}
		for _, item := range v.list {
			if item.kind == scalar {
				out = append(out, splitOutside(item.text)...)
			}
		}
		return out
	}
	return nil
}
