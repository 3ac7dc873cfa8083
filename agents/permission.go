package agents

import (
	"path"
	"slices"
	"strings"

	"drover/core"
)

const maxPermissions = 500 // of one definition

func (b *builder) setRules(e entry) {
	for _, r := range b.names(e.value) {
		b.def.Rules = append(b.def.Rules, core.CleanLine(r))
	}
}

// setPermission reads opencode's map: tool to decision, or to decisions by pattern.
func (b *builder) setPermission(e entry) {
	if e.value.kind == scalar {
		b.permit(e, "*", e.value.text)
		return
	}
	if e.value.kind != object {
		b.wrong(e, "decisions by tool")
		return
	}
	for _, t := range e.value.object {
		if t.value.kind != object {
			b.permit(t, "*", t.value.text)
			continue
		}
		for _, p := range t.value.object {
			b.permit(entry{key: t.key, line: p.line, col: p.col, value: p.value}, p.key, p.value.text)
		}
	}
}

func (b *builder) permit(e entry, pattern, decision string) {
	switch decision {
	case "allow", "ask", "deny":
	default:
		b.note(Warning, e, "it must be allow, ask or deny", "it was left out")
		return
	}
	tools := []string{"*"}
	if e.key != "*" && plainKey(e.key) != "permission" {
		tool, _ := b.known(core.CleanLine(e.key))
		if tools = []string{tool}; tool == "edit_file" {
			tools = append(tools, "write_file")
		}
	}
	for _, t := range tools {
		b.allow(e, core.Permission{Tool: t, Pattern: core.CleanLine(pattern), Decision: decision})
	}
}

// denied are the tools of which every call is denied.
func (b *builder) denied() []string {
	var out []string
	for _, t := range toolNames(b.o) {
		last := ""
		for _, p := range b.def.Permissions {
			if !core.Matches(p.Tool, t) {
				continue
			}
			if p.Pattern == "*" {
				last = p.Decision
			} else if p.Decision != "deny" {
				last = "some"
			}
		}
		if last == "deny" {
			out = append(out, t)
		}
	}
	return out
}

// safeRules are the permissions that a list of "needs no asking" can tell: those
// that allow, and that no later one takes back.
func safeRules(all []core.Permission) []string {
	var out []string
	for i, p := range all {
		if p.Decision != "allow" || p.Tool == "*" || strings.Contains(p.Pattern, "?") || path.IsAbs(p.Pattern) {
			continue
		}
		taken := slices.ContainsFunc(all[i+1:], func(q core.Permission) bool {
			return q.Decision != "allow" && (core.Matches(q.Tool, p.Tool) || core.Matches(p.Tool, q.Tool)) && overlap(p.Pattern, q.Pattern)
		})
		if taken {
			continue
		}
		rule := p.Tool
		if p.Pattern != "*" {
			pattern := p.Pattern
			if p.Tool == "shell" {
				pattern = strings.ReplaceAll(pattern, `\`, `\\`)
			}
			rule += "(" + pattern + ")"
		}
		if !slices.Contains(out, rule) {
			out = append(out, rule)
		}
	}
	return out
}

// overlap reports whether some text may fit both patterns, by what stands before their first star.
func overlap(a, b string) bool {
	a, _, _ = strings.Cut(strings.ReplaceAll(a, "?", "*"), "*")
	b, _, _ = strings.Cut(strings.ReplaceAll(b, "?", "*"), "*")
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// allow adds a permission.
func (b *builder) allow(at entry, p core.Permission) {
	switch n := len(b.def.Permissions); {
	case n < maxPermissions:
		b.def.Permissions = append(b.def.Permissions, p)
	case n == maxPermissions: // a denial may be among the rest
		b.note(Error, at, "there are more than 500 permissions", "shorten them")
		b.def.Permissions = append(b.def.Permissions, p)
	}
}
