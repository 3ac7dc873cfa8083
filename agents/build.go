package agents

import (
	"encoding/json"
	"path"
	"strings"
	"time"

	"drover/core"
)

// A builder makes one Definition of the fields of one agent.
type builder struct {
	o    *Options
	d    *dialect
	m    meanings
	all  map[string]meanings
	def  Definition
	stem string // the name that the file gives

	tools, disallowed value
	mapped            bool // tools is a map of switches
	spawnsSet         bool
}

// setter applies one field.
type setter func(b *builder, e entry)

// setters are all that a field can mean.
func setters() map[string]setter {
	return map[string]setter{
		"name": (*builder).setName, "displayname": text(func(d *Definition) *string { return &d.DisplayName }),
		"description": (*builder).setDescription, "prompt": (*builder).setPrompt,
		"tools":           func(b *builder, e entry) { b.tools = e.value },
		"toggles":         func(b *builder, e entry) { b.tools, b.mapped = e.value, e.value.kind == object },
		"disallowedtools": func(b *builder, e entry) { b.disallowed = e.value },
		"rules":           (*builder).setRules, "permission": (*builder).setPermission, "permissionmode": (*builder).setPermissionMode,
		"sandbox": (*builder).setSandbox, "model": (*builder).setModel,
		"effort": func(b *builder, e entry) { b.setEffort(e, true) }, "oldeffort": func(b *builder, e entry) { b.setEffort(e, false) },
		"readonly":       flag(func(b *builder, is bool) { b.def.ReadOnly = is }),
		"strictreadonly": (*builder).setStrictReadOnly,
		"background":     flag(func(b *builder, is bool) { b.def.Background = is }),
		"blocking": flag(func(b *builder, is bool) {
			b.keep("blocking", is)
			b.def.Background = false
		}),
		"spawns": (*builder).setSpawns, "output": (*builder).setOutput, "mcp": (*builder).setMCP,
		"maxturns": (*builder).setMaxTurns, "timeout": (*builder).setTimeout, "temperature": (*builder).setTemperature,
		"aliases": (*builder).setAliases, "promptmode": (*builder).setPromptMode, "mode": (*builder).setMode,
		"enabled":    flag(func(b *builder, is bool) { b.disable(!is, "enabled: false") }),
		"disable":    flag(func(b *builder, is bool) { b.disable(is, "disable: true") }),
		"notoffered": flag(func(b *builder, is bool) { b.def.NotOffered = is }),
		"infer": flag(func(b *builder, is bool) {
			b.def.NotOffered = b.def.NotOffered || !is
		}),
		"userinvocable": flag(func(b *builder, is bool) { b.keep("user-invocable", is) }),
		"kind":          (*builder).setKind, "cardurl": (*builder).setCardURL, "cardjson": (*builder).setCardJSON, "auth": (*builder).setAuth,
	}
}

// maxProblems are told of one definition, errors aside.
const maxProblems = 100

func (b *builder) note(s Severity, e entry, message, repair string) {
	if s != Error && len(b.def.Problems) >= maxProblems {
		return // enough is told
	}
	at := e.line
	col := e.col
	if at == 0 {
		at, col = e.value.line, e.value.col
	}
	b.def.Problems = append(b.def.Problems, Problem{
		Severity: s, Line: at, Column: col, Field: core.Short(core.CleanLine(e.key), 60), Message: core.Short(core.CleanLine(message), 300), Repair: core.CleanLine(repair),
	})
}

func (b *builder) keep(key string, x any) {
	if b.def.Kept == nil {
		b.def.Kept = map[string]any{}
	}
	b.def.Kept[core.CleanLine(key)] = x
}

// wrong tells a value of the wrong type: refused where the dialect does.
func (b *builder) wrong(e entry, want string) {
	if b.d.strict {
		b.note(Error, e, "it must be "+want, "write "+want)
		return
	}
	b.note(Warning, e, "it must be "+want, "it was left out")
}

// fields applies all fields of an agent.
func (b *builder) fields(v value, set map[string]setter) {
	for _, e := range v.object {
		key := plainKey(e.key)
		meaning, own := b.m.own[key]
		if !own {
			meaning = b.m.common[key]
		}
		switch {
		case b.d.strict && !own && meaning == "" && !anywhere(b.all, key):
			b.note(Error, e, b.d.title+" has no such field", "remove it")
		case meaning != "" && set[meaning] != nil:
			if !own {
				b.note(Info, e, b.d.title+" has no such field", "drover goes by it all the same")
			}
			if e.value.kind != null {
				set[meaning](b, e)
			}
		case b.m.kept[key] || anywhere(b.all, key):
			b.keep(e.key, e.value.any())
			b.note(Info, e, "not supported by drover", "it is kept and has no effect")
		default:
			b.keep(e.key, e.value.any())
			b.note(Info, e, "no field that "+b.d.title+" or drover knows", "it is kept and has no effect")
		}
	}
}

// finish settles what depends on several fields, and checks what must be there.
func (b *builder) finish(body string) Definition {
	d := &b.def
	if d.Prompt == "" || b.d.name == "opencode" && body != "" {
		d.Prompt = strings.TrimSpace(body)
	}
	if d.Name == "" && b.d.nameless {
		d.Name = b.stem
	}
	b.settleTools()
	b.settleModel()
	b.checkRemote()
	b.require()
	if d.Name == "" {
		d.Name = b.stem
	}
	if p := d.fault(); p != nil {
		d.State, d.Reason = Faulty, p.Message
		if p.Field != "" {
			d.Reason = p.Field + ": " + p.Message
		}
	}
	return *d
}

func (b *builder) require() {
	d := &b.def
	top := entry{line: 1, key: "name"}
	if d.Name == "" && d.fault() == nil {
		b.note(Error, top, b.d.title+" needs a name", "add a line name: "+b.stem)
	}
	b.checkName(top)
	top.key = "description"
	switch {
	case d.Description != "" || d.Remote != nil:
	case b.d.needText:
		b.note(Error, top, "a description is needed: a model chooses by it", "add a line description: what it is for")
	default:
		b.note(Warning, top, "there is no description for a model to choose by", "add a line description: what it is for")
	}
	if b.d.name == "factory" && len([]rune(d.Description)) > 500 {
		b.note(Warning, top, "Factory takes 500 characters at most", "it is loaded whole")
	}
	top.key = ""
	if d.Prompt == "" && d.Remote == nil {
		if b.d.needBody || b.d.name == "codex" {
			b.note(Error, top, "there is no prompt", "write it below the front matter")
		} else {
			b.note(Warning, top, "there is no prompt", "the agent has its description only")
			d.Prompt = d.Description
		}
	}
}

// checkName refuses what would be read as a path, and names that are drover's own.
func (b *builder) checkName(at entry) {
	name := b.def.Name
	refuse := func(message string) { b.note(Error, at, message, "choose another name") }
	low := strings.ToLower(strings.TrimSpace(name))
	switch {
	case name == "":
	case name == ".":
		refuse("the name reads as a path")
	case len(name) > 200:
		refuse("the name is longer than 200 bytes")
	case strings.Contains(name, "\\") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || path.Clean(name) != name || strings.HasPrefix(name, ".."):
		refuse("the name reads as a path")
	case b.d.name == "xcsh" && (low == "main" || low == "sub"), low == Main && b.d.name != "drover":
		refuse("the name is reserved")
	case b.d.name == "gemini" && !slug(name, "_-", 0):
		refuse("the name must be of a-z, 0-9, - and _")
	case b.d.name == "subagent" && (!slug(name, "-", 64) || name[0] == '-'):
		refuse("the name must be of a-z, 0-9 and -, begin with a letter or digit, and have 64 characters at most")
	}
	if b.d.name == "subagent" && name != b.stem && b.def.fault() == nil {
		b.note(Warning, at, "the name is not that of its directory, "+b.stem, "the name in the file counts")
	}
}

func slug(s, extra string, most int) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune(extra, r)) {
			return false
		}
	}
	return most == 0 || len(s) <= most
}

func (b *builder) disable(is bool, why string) {
	if is {
		b.def.off = "its file says " + why
	}
}

func (b *builder) raw(e entry) json.RawMessage {
	raw, err := json.Marshal(e.value.any())
	if err != nil {
		b.note(Warning, e, "it cannot be kept: "+err.Error(), "it was left out")
		return nil
	}
	return raw
}

func minutes(f float64) time.Duration { return time.Duration(f * float64(time.Minute)) }
