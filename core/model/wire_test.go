package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"drover/core"
	"drover/core/model"
	"drover/core/model/anthropic"
	"drover/core/model/openai"
	"drover/core/model/responses"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var wires = map[string]func(model.Options) core.Model{
	"anthropic": anthropic.New,
	"openai":    openai.New,
	"responses": responses.New,
}

// canned answers every request with one body, without a socket.
type canned struct {
	body func() io.Reader
	sent [][]byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.sent = append(c.sent, b)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(c.body()), Request: r}, nil
}

func cannedModel(wire string, body func() io.Reader) (core.Model, *canned) {
	c := &canned{body: body}
	return wires[wire](model.Options{
		Name: wire, BaseURL: "http://model.test", HTTP: &http.Client{Transport: c},
		Prices: model.Prices{wire + "/m": {In: 1, Out: 10, CacheRead: 0.1, CacheWrite: 2}},
	}), c
}

var toolbox = []core.ToolSpec{{Name: "read_file", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "grep_files"}}

func ask(text string) core.ModelRequest {
	return core.ModelRequest{Model: "m", System: "Be brief.", Tools: toolbox, Messages: []core.Message{{Role: core.RoleUser, Text: text}}}
}

// outcome is what a golden file shows of one answer.
type outcome struct {
	Reply    core.ModelReply
	Streamed core.Delta
	Error    string      `json:",omitempty"`
	Class    model.Class `json:",omitempty"`
}

var madeID = regexp.MustCompile(`call_[a-z2-7]{20}`)

func answer(m core.Model, req core.ModelRequest) (outcome, error) {
	var o outcome
	var err error
	o.Reply, err = m.Stream(context.Background(), req, func(d core.Delta) {
		o.Streamed.Text += d.Text
		o.Streamed.Reasoning += d.Reasoning
	})
	for i, c := range o.Reply.Calls {
		o.Reply.Calls[i].ID = madeID.ReplaceAllString(c.ID, "call_made")
	}
	if err != nil {
		o.Error = err.Error()
		if f, ok := model.FaultOf(err); ok {
			o.Class = f.Class
		}
	}
	return o, err
}

func fixtures(t testing.TB, wire string) []string {
	files, err := filepath.Glob(filepath.Join(wire, "testdata", "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures of %s: %v", wire, err)
	}
	return files
}

// Each recorded stream gives the same answer in one piece and byte for byte.
func TestStreams(t *testing.T) {
	for wire := range wires {
		for _, file := range fixtures(t, wire) {
			t.Run(strings.TrimSuffix(file, ".sse"), func(t *testing.T) {
				stream, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				m, _ := cannedModel(wire, func() io.Reader { return bytes.NewReader(stream) })
				got, err := answer(m, ask("hi"))
				if err == nil && (got.Streamed.Text != got.Reply.Text || got.Streamed.Reasoning != got.Reply.Reasoning) {
					t.Errorf("streamed %+v, answered %q and %q", got.Streamed, got.Reply.Text, got.Reply.Reasoning)
				}
				slow, _ := cannedModel(wire, func() io.Reader { return iotest.OneByteReader(bytes.NewReader(stream)) })
				if again, _ := answer(slow, ask("hi")); !reflect.DeepEqual(got, again) {
					t.Errorf("byte for byte it is another answer:\n%+v\n%+v", got, again)
				}
				golden(t, strings.TrimSuffix(file, ".sse")+".golden", got)
			})
		}
	}
}

func golden(t *testing.T, file string, v any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s is not what came:\n%s", file, b.String())
	}
}

// A stream that is cut anywhere gives all of the answer's calls or an error:
// never half a call, never fewer.
func TestCutStreams(t *testing.T) {
	for wire := range wires {
		for _, file := range fixtures(t, wire) {
			stream, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := cannedModel(wire, func() io.Reader { return bytes.NewReader(stream) })
			whole, _ := answer(m, ask("hi"))
			for cut := range stream {
				for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
					m, _ := cannedModel(wire, func() io.Reader {
						return io.MultiReader(bytes.NewReader(stream[:cut]), iotest.ErrReader(end))
					})
					got, err := answer(m, ask("hi"))
					if err != nil {
						if got.Class == "" || len(got.Reply.Calls) > 0 {
							t.Fatalf("%s cut at %d: %+v", file, cut, got)
						}
						continue
					}
					if !reflect.DeepEqual(got.Reply.Calls, whole.Reply.Calls) || got.Reply.Text != whole.Reply.Text {
						t.Fatalf("%s cut at %d gives\n%+v\nand not\n%+v", file, cut, got.Reply, whole.Reply)
					}
				}
			}
		}
	}
}

// What a model has answered can be sent back to it, and to every other one.
func TestAnswersGoBack(t *testing.T) {
	for wire := range wires {
		for _, file := range fixtures(t, wire) {
			stream, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := cannedModel(wire, func() io.Reader { return bytes.NewReader(stream) })
			got, err := answer(m, ask("hi"))
			if err != nil {
				continue
			}
			req := ask("hi")
			r := got.Reply
			req.Messages = append(req.Messages, core.Message{Role: core.RoleAssistant, Text: r.Text, Reasoning: r.Reasoning, Calls: r.Calls, Opaque: r.Opaque})
			for _, c := range r.Calls {
				req.Messages = append(req.Messages, core.Message{Role: core.RoleTool, CallID: c.ID, Tool: c.Name, Text: "done"})
			}
			req.Messages = append(req.Messages, core.Message{Role: core.RoleUser, Sender: core.SenderSystem, Text: "a child has ended"})
			for other := range wires {
				m, c := cannedModel(other, func() io.Reader { return strings.NewReader("") })
				if _, err := m.Stream(context.Background(), req, func(core.Delta) {}); err == nil {
					t.Fatal("an empty stream is no answer")
				}
				if other == wire {
					var v any
					if err := json.Unmarshal(c.sent[0], &v); err != nil {
						t.Fatal(err)
					}
					golden(t, strings.TrimSuffix(file, ".sse")+".back.golden", v)
				} else if !json.Valid(c.sent[0]) {
					t.Errorf("%s to %s is no JSON: %s", file, other, c.sent[0])
				}
			}
		}
	}
}
