package agents

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drover/core"
)

// Command is a prompt that a person calls as /name args: a workflow command, or
// a skill. Expand makes the text of it. Nothing in it is executed.
type Command struct {
	Origin
	Name        string
	Description string
	Hint        string   // which arguments it takes, for a person to read
	Prompt      string   // with the placeholders for arguments
	Agent       string   // which agent does it; "" is the session's
	Model       string   // as for agents
	Tools       []string // that it asks for, in drover's words; nil says nothing
	Skill       bool
	State       State
	Reason      string
	ShadowedBy  string
	Problems    []Problem
}

// commandFamilies are the directories of commands and skills, by family.
var commandFamilies = []family{
	{name: ".drover", dialect: "drover", project: []string{".drover/commands"}, user: []string{".drover/commands"}, deep: true, ends: markdownOnly},
	{name: ".xcsh", dialect: "xcsh", project: []string{".xcsh/commands"}, user: []string{".xcsh/agent/commands"}, ends: markdownOnly},
	{name: ".claude", dialect: "claude", project: []string{".claude/commands"}, user: []string{".claude/commands"}, deep: true, ends: markdownOnly},
	{name: ".codex", dialect: "codex", project: []string{".codex/prompts"}, user: []string{".codex/prompts"}, ends: markdownOnly},
	{name: ".gemini", dialect: "gemini", project: []string{".gemini/commands"}, user: []string{".gemini/commands"}, deep: true, ends: []string{".toml"}},
	{name: ".github", dialect: "copilot", project: []string{".github/prompts"}, level: true, deep: true, ends: []string{".prompt.md"}},
	{name: ".opencode", dialect: "opencode", project: []string{".opencode/command", ".opencode/commands"},
		user: []string{".config/opencode/command", ".config/opencode/commands"}, deep: true, pathName: true, ends: markdownOnly},
	{name: ".pi", dialect: "pi", project: []string{".pi/prompts"}, user: []string{".pi/agent/prompts"}, ends: markdownOnly},
	{name: ".cursor", dialect: "cursor", project: []string{".cursor/commands"}, user: []string{".cursor/commands"}, deep: true, ends: markdownOnly},
	{name: ".factory", dialect: "factory", project: []string{".factory/commands"}, user: []string{".factory/commands"}, ends: markdownOnly},
	{name: ".omp", dialect: "xcsh", project: []string{".omp/commands"}, user: []string{".omp/agent/commands"}, ends: markdownOnly},
}

// skillFamilies come after all commands.
var skillFamilies = []family{
	skills(".drover", "drover"), skills(".xcsh", "xcsh"), skills(".claude", "claude"), skills(".codex", "codex"), skills(".gemini", "gemini"),
	skills(".github", "copilot"), skills(".opencode", "opencode"), skills(".pi", "pi"), skills(".agents", "pi"), skills(".cursor", "cursor"),
	skills(".factory", "factory"),
}

func skills(name, dialect string) family {
	return family{name: name, dialect: dialect, project: []string{name + "/skills"}, user: []string{name + "/skills"}, deep: true, ends: []string{"SKILL.md"}}
}

// Commands looks for all commands and skills that count in dir, in the order
// that counts, commands first; the first of a name wins. It fails only where
// ctx ends.
func (c *Catalog) Commands(ctx context.Context, dir string) ([]Command, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for commands: %w", err)
	}
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	up := parents(dir, c.o.Home)
	var places []place
	for _, all := range [][]family{commandFamilies, skillFamilies} {
		for _, f := range inOrder(all, c.o.Order) {
			places = append(places, c.inProject(&f, up, f.project, false)...)
			if f.name == ".drover" && c.o.Config != "" {
				places = append(places, c.at(&f, ScopeUser, "", filepath.Join(c.o.Config, filepath.Base(f.project[0])), false))
			}
			places = append(places, c.inHome(&f, f.user, false)...)
		}
	}
	var jobs []job
	for i := range places {
		places[i].command = true
		jobs = append(jobs, c.list(&places[i])...)
	}
	if _, err := c.load(ctx, jobs); err != nil {
		return nil, err
	}
	var all []Command
	for _, j := range jobs {
		if j.cmd.Path != "" {
			all = append(all, j.cmd)
		}
	}
	return c.resolveCommands(all), nil
}

func (c *Catalog) resolveCommands(all []Command) []Command {
	taken := map[string]string{}
	for i := range all {
		m := &all[i]
		by, named := taken[m.Name]
		switch {
		case m.State == Faulty:
		case m.Scope == ScopeProject && (c.o.Trusted == nil || !c.o.Trusted(m.Root, m.Hash)):
			m.State, m.Reason = Untrusted, "it is of the folder "+core.CleanLine(m.Root)+", which is not trusted"
		case named:
			m.State, m.ShadowedBy, m.Reason = Shadowed, by, "shadowed by "+core.CleanLine(by)
		default:
			taken[m.Name] = m.Path
		}
	}
	return all
}

// command loads one file of a command or skill.
func (l *loader) command(j *job, raw []byte) Command {
	from := j.place.from
	from.Path, from.Hash = j.path, hashOf(raw)
	m := Command{Origin: from, State: Available, Skill: filepath.Base(j.path) == "SKILL.md", Name: commandName(j)}
	var v value
	if strings.HasSuffix(j.path, ".toml") {
		var doc document
		var err error
		v, err = parseTOML(doc.readable(raw))
		m.Problems = doc.problems
		if err != nil {
			m.Problems = append(m.Problems, badNotation("TOML", err))
		}
		m.Prompt = strings.TrimSpace(v.textAt("prompt"))
	} else {
		doc := split(raw)
		m.Problems, m.Prompt = doc.problems, doc.body
		if doc.has {
			var err error
			var more []Problem
			v, more, err = parseFront(doc.front, doc.line)
			m.Problems = append(m.Problems, more...)
			if err != nil {
				m.Problems = append(m.Problems, badFront(err, doc.front, doc.line))
			}
		}
	}
	l.commandFields(&m, v)
	if m.Prompt == "" {
		m.Problems = append(m.Problems, Problem{Severity: Error, Line: 1, Message: "there is no prompt", Repair: "write what shall be done"})
	}
	if i := slices.IndexFunc(m.Problems, func(p Problem) bool { return p.Severity == Error }); i >= 0 {
		m.State, m.Reason = Faulty, m.Problems[i].Message
	}
	return m
}

func (l *loader) commandFields(m *Command, v value) {
	b := l.builder(m.Dialect, m.Origin, m.Name)
	for _, e := range v.object {
		text := core.CleanLine(e.value.text)
		switch plainKey(e.key) {
		case "name":
			if m.Skill && text != "" && !strings.ContainsAny(text, "/\\ ") {
				m.Name = text
			}
		case "description":
			m.Description = text
		case "argumenthint":
			m.Hint = text
		case "agent":
			m.Agent = text
		case "model":
			if m.Model = text; text != "" {
				if t, ok := Tier(text); ok {
					m.Model = t
				}
			}
		case "allowedtools", "tools":
			if names, given := b.declared(e.value, e); given {
				m.Tools = b.resolve(names, e, true).names
			}
		case "prompt":
		default:
			m.Problems = append(m.Problems, Problem{Severity: Info, Line: e.line, Column: e.col, Field: core.CleanLine(e.key), Message: "not supported by drover", Repair: "it has no effect"})
		}
	}
	m.Problems = append(m.Problems, b.def.Problems...)
	if m.Description == "" {
		first, _, _ := strings.Cut(strings.TrimLeft(m.Prompt, "# \n"), "\n")
		m.Description = core.Short(core.CleanLine(first), 100)
	}
	for _, mark := range []string{"!{", "!`", "@{"} {
		if strings.Contains(m.Prompt, mark) {
			m.Problems = append(m.Problems, Problem{Severity: Info, Line: 1, Field: "prompt", Message: "not supported by drover: " + mark + " runs a command or reads a file", Repair: "it stays as it is written"})
		}
	}
}

// commandName is a file's name as a command: that of the file, after the
// directories below the family's with a colon, or with opencode's slash.
func commandName(j *job) string {
	if filepath.Base(j.path) == "SKILL.md" {
		return core.CleanLine(filepath.Base(filepath.Dir(j.path)))
	}
	name := stemOf("copilot", j.path)
	sep := ":"
	if j.place.family.pathName {
		sep = "/"
	}
	if dir := filepath.Dir(j.rel); dir != "." {
		name = core.CleanLine(strings.ReplaceAll(filepath.ToSlash(dir), "/", sep)) + sep + name
	}
	return name
}

// Expand is the command's prompt with the arguments in their places: all of
// them for $ARGUMENTS and {{args}}, the n-th word for $1 to $9. Where there is
// no place for them they follow the prompt.
func (m Command) Expand(args string) string {
	words := argWords(args)
	var out strings.Builder
	placed := false
	for text := m.Prompt; text != ""; {
		i := strings.IndexAny(text, "${")
		if i < 0 {
			out.WriteString(text)
			break
		}
		out.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "$ARGUMENTS"):
			out.WriteString(args)
			text, placed = text[len("$ARGUMENTS"):], true
		case strings.HasPrefix(text, "{{args}}"):
			out.WriteString(args)
			text, placed = text[len("{{args}}"):], true
		case len(text) > 1 && text[0] == '$' && text[1] >= '1' && text[1] <= '9' && (len(text) == 2 || text[2] < '0' || text[2] > '9'):
			if n, err := strconv.Atoi(text[1:2]); err == nil && n <= len(words) {
				out.WriteString(words[n-1])
			}
			text, placed = text[2:], true
		default:
			out.WriteByte(text[0])
			text = text[1:]
		}
	}
	if !placed && strings.TrimSpace(args) != "" {
		out.WriteString("\n\n" + args)
	}
	return out.String()
}

// argWords splits at blanks outside of quotes.
func argWords(s string) []string {
	var words []string
	var w strings.Builder
	var quote rune
	begun := false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, w.String())
				w.Reset()
			}
			begun = false
		default:
			w.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, w.String())
	}
	return words
}
