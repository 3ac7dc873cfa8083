package agents

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"drover/core"
)

const (
	maxNodes = 20_000  // of one document, aliases followed
	maxText  = 1 << 20 // of its scalars together, aliases followed
	maxDepth = 64
)

// errBomb is what aliases that multiply come to: nothing is guessed from such a file.
var errBomb = errors.New("its aliases or nesting make it too large")

// parseFront reads front matter: as YAML, else as YAML with the faults that
// people's files have mended, else line by line. line is that of its first
// line in the file. The error is for what cannot be read at all.
func parseFront(front string, line int) (value, []Problem, error) {
	if strings.TrimSpace(front) == "" {
		return value{kind: object, line: line, col: 1}, nil, nil
	}
	v, probs, cause := loadYAML(front, line)
	if cause == nil || errors.Is(cause, errBomb) {
		return v, probs, cause
	}
	if v, probs, ok := retry(front, line, cause); ok {
		return v, probs, nil
	}
	v, probs = readLines(front, line)
	if len(v.object) == 0 {
		return v, nil, cause
	}
	at, field := locate(front, line, cause)
	return v, append([]Problem{{
		Severity: Warning, Line: at, Field: field, Message: "the front matter is not valid YAML (" + reason(cause) + ")", Repair: "read line by line as key: value",
	}}, probs...), nil
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// retry mends what is known to go wrong, the least first, and loads again.
func retry(front string, line int, cause error) (value, []Problem, bool) {
	try := front
	var probs []Problem
	at, field := locate(front, line, cause)
	add := func(message, repair string) {
		probs = append(probs, Problem{Severity: Warning, Line: at, Field: field, Message: message, Repair: repair})
	}
	if strings.Contains(try, "\t") {
		try = strings.ReplaceAll(try, "\t", "  ")
		if v, more, err := loadYAML(try, line); err == nil {
			add("the front matter holds tabs", "read as blanks")
			return v, append(probs, more...), true
		}
	}
	if strings.Contains(try, "<!--") {
		try = comment.ReplaceAllStringFunc(try, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
		if v, more, err := loadYAML(try, line); err == nil {
			add("the front matter holds an HTML comment", "it was left out")
			return v, append(probs, more...), true
		}
	}
	mended, fixes := requote(try, line)
	if len(fixes) == 0 {
		return value{}, nil, false
	}
	v, more, err := loadYAML(mended, line)
	if err != nil {
		return value{}, nil, false
	}
	return v, append(fixes, more...), true
}

// loadYAML reads one document of YAML. Repeated keys are told; the last counts.
func loadYAML(text string, line int) (value, []Problem, error) {
	var n yaml.Node
	if err := yaml.Load([]byte(text), &n); err != nil {
		if strings.Contains(err.Error(), "no documents") {
			return value{kind: object, line: line, col: 1}, nil, nil
		}
		return value{}, nil, err
	}
	c := converter{line: line - 1}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 {
		return value{}, nil, errors.New("it holds no mapping")
	}
	v := c.convert(n.Content[0], 0)
	switch {
	case c.bomb:
		return value{}, nil, errBomb
	case c.complex:
		return value{}, nil, errors.New("a key is not plain text")
	case v.kind == scalar:
		return value{}, nil, errors.New("it holds no mapping")
	case v.kind == null:
		v.kind = object
	}
	return v, c.problems, nil
}

type converter struct {
	line     int
	nodes    int
	bytes    int
	bomb     bool
	complex  bool
	problems []Problem
}

func (c *converter) convert(n *yaml.Node, depth int) value {
	c.nodes++
	if n != nil {
		c.bytes += len(n.Value)
	}
	if c.nodes > maxNodes || c.bytes > maxText || depth > maxDepth || n == nil {
		c.bomb = true
		return value{}
	}
	v := value{line: n.Line + c.line, col: n.Column}
	switch n.Kind {
	case yaml.AliasNode:
		return c.convert(n.Alias, depth+1)
	case yaml.SequenceNode:
		v.kind = list
		for _, item := range n.Content {
			if c.bomb {
				break
			}
			v.list = append(v.list, c.convert(item, depth+1))
		}
	case yaml.MappingNode:
		v.kind = object
		for i := 0; i+1 < len(n.Content) && !c.bomb; i += 2 {
			c.entry(&v, n.Content[i], n.Content[i+1], depth)
		}
	default:
		v.kind, v.text, v.typ = scalar, n.Value, 's'
		switch n.ShortTag() {
		case "!!null":
			v.kind = null
		case "!!int":
			v.typ = 'i'
		case "!!float":
			v.typ = 'f'
		case "!!bool":
			v.typ = 'b'
		}
	}
	return v
}

func (c *converter) entry(v *value, key, val *yaml.Node, depth int) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key == nil || key.Kind != yaml.ScalarNode {
		c.complex = true
		return
	}
	e := entry{key: key.Value, line: key.Line + c.line, col: key.Column, value: c.convert(val, depth+1)}
	for i := range v.object {
		if v.object[i].key == e.key {
			c.problems = append(c.problems, Problem{
				Severity: Warning, Line: e.line, Column: e.col, Field: core.CleanLine(e.key), Message: "the key stands twice", Repair: "the last one counts",
			})
			v.object[i] = e
			return
		}
	}
	v.object = append(v.object, e)
}

// locate finds line and field of an error of the YAML library.
func locate(front string, line int, err error) (at int, field string) {
	le, ok := errors.AsType[*yaml.LoadError](err)
	if !ok || le.Mark.Line < 1 {
		return line, ""
	}
	lines := strings.Split(front, "\n")
	n := min(le.Mark.Line, len(lines))
	for i := n - 1; i >= 0; i-- {
		if key, _, ok := keyLine(lines[i]); ok {
			field = key
			break
		}
	}
	return line + n - 1, field
}

// reason is the library's message without its place, which would be the front matter's.
func reason(err error) string {
	if le, ok := errors.AsType[*yaml.LoadError](err); ok {
		return core.Short(core.CleanLine(le.Message), 200)
	}
	return core.Short(core.CleanLine(err.Error()), 200)
}

func badFront(err error, front string, line int) Problem {
	at, field := locate(front, line, err)
	return Problem{Severity: Error, Line: at, Field: field, Message: fmt.Sprintf("the front matter cannot be read: %s", reason(err)), Repair: "write it as YAML: key: value, one a line"}
}
