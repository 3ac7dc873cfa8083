package tool

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"drover/core"
)

// A rule lets calls run without asking:
//
//	*                      every call
//	shell                  every call of the tool; mcp_* every tool named so
//	shell(go test*)        commands that fit; * never stands for what chains
//	                       commands or redirects (; & | < > $( ` newline)
//	write_file(docs/**)    paths that fit; of move_file both
//	http_get(*.test.org)   hosts that fit; http_request(GET api.test.org)
//	set_env(CI=1)          the variable with this value
//
// In a rule for a command or a variable \* is a star and \\ a backslash.

const (
	ruleBytes = 8 << 10
	ruleStars = 16
)

// Rule is a rule taken apart.
type Rule struct {
	Tool string // drover's name, may hold *
	Glob string // of the subject
	Any  bool   // no glob: every subject
}

// ParseRule reads a rule. Tools may have the names of other vocabularies.
func ParseRule(rule string) (Rule, error) {
	rule = strings.TrimSpace(rule)
	name, glob, has := strings.Cut(rule, "(")
	bad := func(why string) (Rule, error) {
		return Rule{}, &core.Error{
			Code: core.CodeInvalidInput, Message: "the rule " + quoted(cut(rule, 200)) + " is not valid: " + why,
			Hint: "a rule is tool or tool(glob): shell(go test*), write_file(docs/**), read_file, *",
		}
	}
	switch name = strings.TrimSpace(name); {
	case name == "":
		return bad("it names no tool")
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || strings.ContainsRune(")[]{}?\\\"'`", r) }):
		return bad("the tool's name holds a character that no tool's name has")
	case has && !strings.HasSuffix(glob, ")"):
		return bad("the parenthesis is not closed")
	}
	if len(name) > 200 {
		return bad("the tool's name is too long")
	}
	name, _ = Canonical(name)
	if !has {
		return Rule{Tool: name, Any: true}, nil
	}
	glob = strings.TrimSuffix(glob, ")")
	switch {
	case strings.TrimSpace(glob) == "":
		return bad("there is nothing between the parentheses")
	case len(rule) > ruleBytes:
		return bad("it is too long")
	case strings.Count(glob, "*")-strings.Count(glob, `\*`) > ruleStars:
		return bad("it has too many stars")
	case isPath(name) && globFault(glob) != "":
		return bad(globFault(glob))
	case strings.HasSuffix(glob, cutMark):
		return bad("it ends in " + cutMark + ", so it does not hold the whole command")
	}
	return Rule{Tool: name, Glob: glob}, nil
}

// Allowed reports whether a rule lets a call of the tool run without asking.
// The subject should be Exact's. Rules that are not valid allow nothing.
func Allowed(rules []string, tool, subject string) bool {
	tool, _ = Canonical(tool)
	for _, text := range rules {
		rule, err := ParseRule(text)
		if err == nil && rule.allows(tool, subject) {
			return true
		}
	}
	return false
}

func (r Rule) allows(tool, subject string) bool {
	switch {
	case !wildcard(r.Tool, `.*`, tool):
		return false
	case r.Any:
		return true
	case subject == "" || strings.HasSuffix(subject, cutMark):
		return false // not the whole of it
	case isCommand(tool):
		return wildcard(r.Glob, unchained, subject)
	case isPath(tool):
		paths := pathsOf(tool, subject)
		if tool == "move_file" && len(paths) != 2 {
			return false // one of them holds the sign between them
		}
		for _, path := range paths {
			clean := filepath.Clean(path)
			ok, err := doublestar.Match(strings.TrimPrefix(r.Glob, "./"), clean)
			if !ok || err != nil || !filepath.IsLocal(clean) {
				return false
			}
		}
		return true
	}
	if isNet(tool) { // Claude Code writes WebFetch(domain:x)
		return wildcard(strings.Replace(strings.ToLower(r.Glob), "domain:", "", 1), `[^/]*`, strings.ToLower(subject))
	}
	return wildcard(r.Glob, `.*`, subject)
}

// RuleFor is the rule that "always allow" makes of a call: the exact command,
// the directory of a file, else the tool. The subject should be Exact's; "" is
// returned where it is not whole and no rule would be safe.
func RuleFor(tool, subject string) string {
	tool, _ = Canonical(tool)
	switch {
	case isExact(tool) && (subject == "" || strings.HasSuffix(subject, cutMark)):
		return ""
	case isExact(tool):
		rule := tool + "(" + strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(subject) + ")"
		if _, err := ParseRule(rule); err != nil {
			return "" // too long to be kept
		}
		return rule
	case isNet(tool) && subject == "":
		return ""
	case isNet(tool):
		return tool + "(" + subject + ")"
	case !isPath(tool) || subject == "" || strings.HasSuffix(subject, cutMark):
		return tool
	}
	paths := pathsOf(tool, subject)
	dir := filepath.Dir(filepath.Clean(paths[0]))
	same := true
	for _, path := range paths {
		clean := filepath.Clean(path)
		if !filepath.IsLocal(clean) {
			return tool
		}
		for same = same && filepath.Dir(clean) == dir; dir != "." && !strings.HasPrefix(clean, dir+"/"); {
			dir = filepath.Dir(dir)
		}
	}
	switch {
	case dir != ".":
		return tool + "(" + escapeGlob(dir) + "/**)"
	case same:
		return tool + "(*)"
	}
	return tool + "(**)"
}

// pathsOf are the paths of a subject: a move has two.
func pathsOf(tool, subject string) []string {
	if tool == "move_file" {
		return strings.Split(subject, moveSign)
	}
	return []string{subject}
}

// Exact is the whole subject of a call, as rules judge it: the command as it
// stands; the file where links lead, relative to dir; else what Subject shows.
func Exact(t core.Tool, args json.RawMessage, dir string) string {
	switch name := t.Spec().Name; {
	case isCommand(name):
		return strings.TrimSpace(field(args, "command"))
	case isPath(name):
		return exactPath(name, args, dir)
	case name == "set_env":
		return field(args, "name") + "=" + field(args, "value")
	case isNet(name):
		return exactHost(name, args)
	}
	return t.Subject(args)
}

// exactPath is "" where no rule is for the path.
func exactPath(name string, args json.RawMessage, dir string) string {
	resolve, fields := writable, []string{"path"}
	switch name {
	case "delete_file":
		resolve = entry
	case "move_file":
		resolve, fields = entry, []string{"from", "to"}
	}
	var paths []string
	for _, f := range fields {
		_, rel, refusal := resolve(dir, field(args, f))
		if refusal != "" || len(fields) > 1 && strings.Contains(rel, moveSign) {
			return ""
		}
		paths = append(paths, rel)
	}
	return strings.Join(paths, moveSign)
}

func isCommand(tool string) bool { return tool == "shell" }

// isExact reports whether "always" means this very call and no other.
func isExact(tool string) bool { return isCommand(tool) || tool == "set_env" }

func isPath(tool string) bool {
	return slices.Contains([]string{"write_file", "edit_file", "delete_file", "move_file"}, tool)
}

// unchained is what * stands for in a command: nothing that could begin
// another command, or redirect.
const unchained = "(?:[^;&|<>`$\\x00-\\x08\\x0a-\\x1f\\x7f]|\\$[^(;&|<>`$\\x00-\\x1f\\x7f])*"

// wildcard matches text with a pattern of literal parts and stars, which stand
// for the expression.
func wildcard(pattern, star, text string) bool {
	var b strings.Builder
	b.WriteString(`\A`)
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			b.WriteString(star)
		case c == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		case c < 0x80:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteByte(c)
		}
	}
	re, err := regexp.Compile(`(?s)` + b.String() + `\z`)
	return err == nil && re.MatchString(text)
}

func escapeGlob(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`*?[]{}\!^`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cutMark ends a subject that does not show all there is.
const cutMark = "…"

// commandSubject shows a command on one line, with cutMark where that is not all of it.
func commandSubject(command string) string {
	command = strings.TrimSpace(command)
	first, _, more := strings.Cut(command, "\n")
	line := core.CleanLine(first)
	short := cut(line, subjectBytes)
	if short == line && (more || line != command) {
		short = line + " " + cutMark
	}
	return short
}
