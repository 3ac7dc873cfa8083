package agents

import (
	"strings"

	"drover/core"
)

// keyLine takes a line `key: text` apart. Words that open a line of an example
// in a description are no keys.
func keyLine(line string) (key, text string, ok bool) {
	i := strings.IndexByte(line, ':')
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
		return "", "", false
	}
	key = strings.TrimRight(line[:i], " \t")
	for k := 0; k < len(key); k++ {
		c := key[k]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || k > 0 && (c == '-' || c == '.' || c >= '0' && c <= '9')) {
			return "", "", false
		}
	}
	switch strings.ToLower(key) {
	case "", "context", "user", "assistant", "commentary", "example", "examples", "note", "system":
		return "", "", false
	}
	return key, strings.TrimSpace(line[i+1:]), true
}

// block reports a value that is the header of a block scalar.
func block(text string) bool {
	return text != "" && (text[0] == '|' || text[0] == '>') && strings.Trim(text[1:], "+-0123456789 \t") == ""
}

// closed reports whether a quoted or bracketed value ends where it should.
func closed(text string) bool {
	switch text[0] {
	case '"', '\'':
		for i := 1; i < len(text); i++ {
			switch {
			case text[0] == '"' && text[i] == '\\':
				i++
			case text[i] == text[0]:
				if text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'' {
					i++
					continue
				}
				rest := strings.TrimSpace(text[i+1:])
				return rest == "" || rest[0] == '#'
			}
		}
		return false
	case '[':
		return strings.HasSuffix(text, "]") && !strings.Contains(text, "`")
	case '{':
		return strings.HasSuffix(text, "}")
	}
	return true
}

// plainFault reports whether YAML would stumble over the text as a plain value.
func plainFault(text string) bool {
	return strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, ":\t") ||
		strings.IndexByte("*&!%@`,|>?]}", text[0]) >= 0 || strings.HasPrefix(text, "- ")
}

// requote puts quotes around top-level values that YAML would stumble over,
// with the lines that continue them. The number of lines stays the same.
func requote(front string, line int) (string, []Problem) {
	lines := strings.Split(front, "\n")
	var fixes []Problem
	for i := 0; i < len(lines); i++ {
		key, text, ok := keyLine(lines[i])
		if !ok || text == "" || block(text) {
			continue
		}
		whole, last, stray, fault := continued(lines, i, text)
		ends := closed(whole)
		if strings.IndexByte(`"'[{`, text[0]) >= 0 && ends {
			i = last
			continue
		}
		if ends && !stray && !fault && !plainFault(whole) {
			continue
		}
		problem := Problem{Severity: Warning, Line: line + i, Column: len(key) + 3, Field: key, Message: "the value is not valid YAML without quotes", Repair: "read as text; put it in quotes"}
		switch {
		case !ends && text[0] == '[':
			problem.Message = "the list is not valid YAML"
			problem.Repair = "read as text between commas"
			whole = strings.TrimSuffix(strings.TrimPrefix(whole, "["), "]")
		case !ends && !strings.Contains(whole[1:], whole[:1]):
			problem.Message = "the quote is never closed"
			problem.Repair = "read up to the end of the line"
			whole, last = text[1:], i
		case stray && !strings.EqualFold(key, "description"):
			problem.Message = "lines that belong to no field follow"
			problem.Repair = "they were left out"
			whole = text
		}
		fixes = append(fixes, problem)
		lines[i] = key + ": '" + strings.ReplaceAll(whole, "'", "''") + "'"
		for k := i + 1; k <= last; k++ {
			lines[k] = ""
		}
		i = last
	}
	return strings.Join(lines, "\n"), fixes
}

// continued joins a value's line with those that continue it: the indented
// ones, and stray ones at the margin that are neither key nor comment nor item.
func continued(lines []string, i int, text string) (whole string, last int, stray, fault bool) {
	last = i
	parts := []string{text}
	for k := i + 1; k < len(lines); k++ {
		l := strings.TrimSpace(lines[k])
		if l == "" {
			continue
		}
		margin := lines[k][0] != ' ' && lines[k][0] != '\t'
		if _, _, key := keyLine(lines[k]); key || margin && l[0] == '#' {
			break
		}
		stray = stray || margin
		fault = fault || strings.Contains(l, ": ") || strings.HasSuffix(l, ":") || strings.Contains(l, " #")
		parts, last = append(parts, l), k
	}
	return strings.Join(parts, " "), last, stray, fault
}

// readLines is the last resort: key: value lines, lists of "- item" and one
// level of indented key: value under a key. The last of equal keys counts.
func readLines(front string, line int) (value, []Problem) {
	v := value{kind: object, line: line, col: 1}
	var problems []Problem
	lines := strings.Split(front, "\n")
	for i := 0; i < len(lines); i++ {
		key, text, ok := keyLine(lines[i])
		if !ok {
			if l := strings.TrimSpace(lines[i]); l != "" && l[0] != '#' {
				problems = append(problems, Problem{Severity: Warning, Line: line + i, Message: "the line belongs to no field: " + core.Short(core.CleanLine(l), 60), Repair: "it was left out"})
			}
			continue
		}
		e := entry{key: key, line: line + i, col: 1, value: value{kind: scalar, typ: 's', text: unquote(text), line: line + i, col: len(key) + 3}}
		if text == "" || block(text) {
			e.value, i = nested(lines, i, line, text)
		} else if lower := strings.ToLower(text); lower == "true" || lower == "false" {
			e.value.typ = 'b'
		}
		put(&v, e)
	}
	if len(problems) > 5 {
		problems = append(problems[:5], Problem{Severity: Warning, Message: "more lines belong to no field", Repair: "they were left out"})
	}
	return v, problems
}

func put(v *value, e entry) {
	for i := range v.object {
		if v.object[i].key == e.key {
			v.object[i] = e
			return
		}
	}
	v.object = append(v.object, e)
}

// nested reads what stands under a key without a value: a list, a block of
// text, or fields.
func nested(lines []string, i, line int, head string) (value, int) {
	v := value{kind: null, line: line + i, col: 1}
	var text []string
	k := i + 1
	for ; k < len(lines); k++ {
		l := strings.TrimSpace(lines[k])
		indented := lines[k] != "" && (lines[k][0] == ' ' || lines[k][0] == '\t')
		if l != "" && !indented && !(head == "" && strings.HasPrefix(l, "- ")) {
			break
		}
		item := value{kind: scalar, typ: 's', line: line + k, col: 1}
		switch {
		case l == "":
			text = append(text, "")
		case head != "":
			text = append(text, l)
		case strings.HasPrefix(l, "- "):
			item.text = unquote(strings.TrimSpace(l[2:]))
			v.kind, v.list = list, append(v.list, item)
		default:
			if key, val, ok := keyLine(l); ok && v.kind != list {
				item.text = unquote(val)
				v.kind = object
				put(&v, entry{key: key, line: line + k, col: 1, value: item})
			}
		}
	}
	if head != "" {
		sep := "\n"
		if head[0] == '>' {
			sep = " "
		}
		v.kind, v.typ, v.text = scalar, 's', strings.TrimSpace(strings.Join(text, sep))
	}
	return v, k - 1
}
