package tool

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"drover/core"
)

const (
	dataMax  = 1 << 20 // of a file whose bytes are turned into text
	jsonMax  = 16 << 20
	hexShown = 256 // bytes of what is no text
)

// source gives the text of a call: as it stands in the arguments, or from a file.
func source(env core.ToolEnv, text *string, path string, limit int64) (b []byte, refusal string) {
	switch {
	case text != nil && path != "":
		return nil, "give text or path, not both"
	case text != nil:
		return []byte(*text), ""
	case path == "":
		return nil, "give text, or a path"
	}
	full := absolute(env.Dir, path)
	f, info, refusal := guardOf(env).openFile(full, 0)
	if refusal != "" {
		return nil, "cannot read " + shown(env.Dir, full) + ": " + refusal
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Sprintf("%s has %s; %s is the most", shown(env.Dir, full), size(info.Size()), size(limit))
	}
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, "cannot read " + shown(env.Dir, full) + ": " + reason(err)
	}
	return b, ""
}

// kept is a text for the model: in full where it is short, else its beginning
// and end, with all of it in a file.
func kept(env core.ToolEnv, kind, text string) core.ToolResult {
	out := newCapture(env, kind+"-"+env.CallID)
	out.write([]byte(text))
	return core.ToolResult{Text: valid(out.end()), Full: out.path()}
}

type jsonParse struct{ def }

func (t jsonParse) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(strings.TrimSpace(field(args, "path")+" "+field(args, "pointer"))), subjectBytes)
}

func (t jsonParse) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Text    *string
		Path    string
		Pointer string
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	b, refusal := source(env, a.Text, a.Path, jsonMax)
	if refusal != "" {
		return failed("json_parse: %s", refusal), nil
	}
	if err := ctx.Err(); err != nil {
		return core.ToolResult{}, err
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if fault := jsonFault(b); fault != "" {
		return failed("this is not JSON: %s", fault), nil
	}
	part, refusal := pointTo(b, a.Pointer)
	if refusal != "" {
		return failed("json_parse: %s", refusal), nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, part, "", "  "); err != nil {
		return failed("this cannot be shown: %v", err), nil
	}
	return kept(env, "json", out.String()), nil
}

// jsonFault says what is wrong with a JSON text and where, or "".
func jsonFault(b []byte) string {
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err.Error()
	}
	at := b[:max(0, min(int(e.Offset)-1, len(b)))]
	line := bytes.Count(at, []byte("\n")) + 1
	column := utf8.RuneCount(at[bytes.LastIndexByte(at, '\n')+1:]) + 1
	return fmt.Sprintf("%s, in line %d, column %d", e.Error(), line, column)
}

// pointTo finds the part of valid JSON that a pointer (RFC 6901) names.
func pointTo(b json.RawMessage, pointer string) (part json.RawMessage, refusal string) {
	if pointer == "" {
		return b, ""
	}
	if pointer[0] != '/' {
		return nil, "a pointer begins with /, as in /items/0/name"
	}
	for i, name := range strings.Split(pointer[1:], "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		at := "at " + strconv.Quote("/"+strings.Join(strings.Split(pointer[1:], "/")[:i], "/"))
		switch got := kindOf(b); got {
		case "object":
			var fields map[string]json.RawMessage
			if json.Unmarshal(b, &fields) != nil {
				return nil, at + " it cannot be read"
			}
			next, ok := fields[name]
			if !ok {
				return nil, fmt.Sprintf("%s there is no %s; there is %s", at, strconv.Quote(cut(name, 60)), cut(strings.Join(sortedKeys(fields), ", "), 500))
			}
			b = next
		case "array":
			var items []json.RawMessage
			n, err := strconv.Atoi(name)
			if err != nil || json.Unmarshal(b, &items) != nil || n < 0 || n >= len(items) {
				return nil, fmt.Sprintf("%s there is a list of %d; %s is none of its numbers", at, len(items), strconv.Quote(cut(name, 60)))
			}
			b = items[n]
		default:
			return nil, at + " there is " + withArticle(got) + ", which has no parts"
		}
	}
	return b, ""
}

type jsonStringify struct{ def }

func (t jsonStringify) Subject(json.RawMessage) string { return "" }

func (t jsonStringify) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Value  json.RawMessage
		Indent int
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	var out bytes.Buffer
	err := json.Compact(&out, a.Value)
	if a.Indent > 0 {
		out.Reset()
		err = json.Indent(&out, a.Value, "", strings.Repeat(" ", a.Indent))
	}
	if err != nil {
		return failed("this cannot be written: %v", err), nil
	}
	return kept(env, "json", out.String()), ctx.Err()
}

type base64Encode struct{ def }

func (t base64Encode) Subject(args json.RawMessage) string { return pathSubject(args) }

func (t base64Encode) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct {
		Text *string
		Path string
		URL  bool
	}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	b, refusal := source(env, a.Text, a.Path, dataMax)
	if refusal != "" {
		return failed("base64_encode: %s", refusal), nil
	}
	enc := base64.StdEncoding
	if a.URL {
		enc = base64.RawURLEncoding
	}
	if len(b) == 0 {
		return done("(nothing to encode: the Base64 of nothing is empty)"), nil
	}
	return kept(env, "base64", enc.EncodeToString(b)), ctx.Err()
}

type base64Decode struct{ def }

func (t base64Decode) Subject(json.RawMessage) string { return "" }

func (t base64Decode) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Text string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	drop := func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Map(drop, a.Text), "="))
	if err != nil {
		return failed("this is not Base64: %v", err), nil
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		text := fmt.Sprintf("(no text, but %s of bytes; it begins:)\n%s", size(int64(len(b))), hex.Dump(b[:min(len(b), hexShown)]))
		return done(text), ctx.Err()
	}
	return kept(env, "base64", string(b)), ctx.Err()
}
