package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"drover/core"
)

// parseJSON reads JSON, with the comments and trailing commas that opencode's
// files may have. Lines are those of the file.
func parseJSON(text string) (value, error) {
	p := &jsonParser{src: []byte(plainJSON(text))}
	p.dec = json.NewDecoder(bytes.NewReader(p.src))
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return v, fmt.Errorf("line %d: %w", p.line(), err)
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return v, fmt.Errorf("line %d: more follows after the end", p.line())
	}
	return v, nil
}

type jsonParser struct {
	src   []byte
	dec   *json.Decoder
	nodes int
	seen  int64 // up to where lines were counted
	lines int
}

// line of the token that was read last.
func (p *jsonParser) line() int {
	at := min(p.dec.InputOffset(), int64(len(p.src)))
	p.lines += bytes.Count(p.src[p.seen:at], []byte("\n"))
	p.seen = at
	return p.lines + 1
}

func (p *jsonParser) value(depth int) (value, error) {
	t, err := p.dec.Token()
	if err != nil {
		return value{}, err
	}
	p.nodes++
	if depth > maxDepth || p.nodes > maxNodes {
		return value{}, errBomb
	}
	v := value{kind: scalar, line: p.line()}
	switch x := t.(type) {
	case nil:
		v.kind = null
	case string:
		v.typ, v.text = 's', x
	case bool:
		v.typ, v.text = 'b', fmt.Sprint(x)
	case json.Number:
		v.typ, v.text = 'f', x.String()
		if !strings.ContainsAny(v.text, ".eE") {
			v.typ = 'i'
		}
	case json.Delim:
		return p.inside(v, x, depth)
	}
	return v, nil
}

func (p *jsonParser) inside(v value, open json.Delim, depth int) (value, error) {
	v.kind = list
	if open == '{' {
		v.kind = object
	}
	for p.dec.More() {
		e := entry{}
		if open == '{' {
			t, err := p.dec.Token()
			if err != nil {
				return v, err
			}
			e.key, _ = t.(string)
			e.line = p.line()
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		if open == '{' {
			e.value = item
			put(&v, e)
		} else {
			v.list = append(v.list, item)
		}
	}
	_, err := p.dec.Token()
	return v, err
}

// plainJSON blanks out comments and trailing commas; offsets stay.
func plainJSON(s string) string {
	b := []byte(s)
	comma := -1
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			comma = -1
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '/':
			for ; i < len(b) && b[i] != '\n'; i++ {
				b[i] = ' '
			}
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '*':
			end := bytes.Index(b[i+2:], []byte("*/"))
			if end < 0 {
				return string(b)
			}
			for k := i; k < i+end+4; k++ {
				if b[k] != '\n' {
					b[k] = ' '
				}
			}
			i += end + 3
		case b[i] == ',':
			comma = i
		case (b[i] == '}' || b[i] == ']') && comma >= 0:
			b[comma], comma = ' ', -1
		case b[i] != ' ' && b[i] != '\t' && b[i] != '\n':
			comma = -1
		}
	}
	return string(b)
}

// parseTOML reads TOML; keys come in their order in the file.
func parseTOML(text string) (value, error) {
	var m map[string]any
	md, err := toml.Decode(text, &m)
	if err != nil {
		return value{}, err
	}
	t := tomlReader{rank: map[string]int{}, lines: map[string]int{}}
	for i, l := range strings.Split(text, "\n") {
		head, _, ok := strings.Cut(l, "=")
		if head = strings.TrimSpace(head); (ok || strings.HasPrefix(head, "[")) && t.lines[head] == 0 {
			t.lines[head] = i + 1
		}
	}
	for i, k := range md.Keys() {
		if _, ok := t.rank[k.String()]; !ok {
			t.rank[k.String()] = i
		}
	}
	return t.value(nil, m, 0)
}

type tomlReader struct {
	rank  map[string]int
	lines map[string]int // of what stands before =, and of tables
	nodes int
}

func (t *tomlReader) value(path toml.Key, x any, depth int) (value, error) {
	t.nodes++
	if depth > maxDepth || t.nodes > maxNodes {
		return value{}, errBomb
	}
	v := value{kind: scalar, typ: 's', line: t.line(path)}
	switch x := x.(type) {
	case string:
		v.text = x
	case bool:
		v.typ, v.text = 'b', fmt.Sprint(x)
	case int64:
		v.typ, v.text = 'i', fmt.Sprint(x)
	case float64:
		v.typ, v.text = 'f', fmt.Sprint(x)
		if math.IsInf(x, 0) || math.IsNaN(x) {
			v.typ = 's'
		}
	case time.Time:
		v.text = x.Format(time.RFC3339)
	case []any:
		return t.items(v, path, x, depth)
	case []map[string]any:
		all := make([]any, len(x))
		for i := range x {
			all[i] = x[i]
		}
		return t.items(v, path, all, depth)
	case map[string]any:
		return t.table(v, path, x, depth)
	}
	return v, nil
}

func (t *tomlReader) items(v value, path toml.Key, all []any, depth int) (value, error) {
	v.kind = list
	for _, item := range all {
		e, err := t.value(path, item, depth+1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, e)
	}
	return v, nil
}

func (t *tomlReader) table(v value, path toml.Key, m map[string]any, depth int) (value, error) {
	v.kind = object
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	at := func(k string) int { return t.rank[append(path[:len(path):len(path)], k).String()] }
	sort.Slice(keys, func(i, j int) bool {
		if a, b := at(keys[i]), at(keys[j]); a != b {
			return a < b
		}
		return keys[i] < keys[j]
	})
	for _, k := range keys {
		sub := append(path[:len(path):len(path)], k)
		e, err := t.value(sub, m[k], depth+1)
		if err != nil {
			return v, err
		}
		v.object = append(v.object, entry{key: k, line: t.line(sub), value: e})
	}
	return v, nil
}

// line is where a key seems to be written, or 0; the library does not tell.
func (t *tomlReader) line(path toml.Key) int {
	if len(path) == 0 {
		return 0
	}
	if n := t.lines["["+path.String()+"]"]; n > 0 {
		return n
	}
	return t.lines[path[len(path)-1]]
}

// badNotation tells a syntax error of JSON or TOML with its line.
func badNotation(what string, err error) Problem {
	p := Problem{Severity: Error, Message: fmt.Sprintf("it is not valid %s: %s", what, core.Short(core.CleanLine(err.Error()), 200)), Repair: "mend the syntax"}
	if pe, ok := errors.AsType[toml.ParseError](err); ok {
		p.Line, p.Column, p.Field = pe.Position.Line, pe.Position.Col, core.CleanLine(pe.LastKey)
		p.Message = "it is not valid TOML: " + core.Short(core.CleanLine(pe.Message), 200)
	}
	var line int
	if _, rest, ok := strings.Cut(err.Error(), "line "); ok && p.Line == 0 {
		if _, scan := fmt.Sscanf(rest, "%d:", &line); scan == nil {
			p.Line = line
		}
	}
	return p
}
