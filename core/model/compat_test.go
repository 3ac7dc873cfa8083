package model_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"drover/core"
	"drover/core/model"
)

// oddity is how a server that somebody wrote differs from what the wire's
// inventor says. The answer is text "hi", or a call of read_file with the path a.go.
type oddity struct {
	name, wire, body string
	call             bool
	fails            string // in the error, where it is one
}

const (
	chatHi   = `{"choices":[{"index":0,"delta":{"content":"hi"}}]}`
	chatStop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

// sse makes a stream of these events.
func sse(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

var oddities = []oddity{
	{name: "DONE without a space", wire: "openai", body: "data:" + chatHi + "\n\ndata:" + chatStop + "\n\ndata:[DONE]\n\n"},
	{name: "CRLF", wire: "openai", body: strings.ReplaceAll(sse(chatHi, chatStop, "[DONE]"), "\n", "\r\n")},
	{name: "comments and a byte order mark", wire: "openai", body: "\xef\xbb\xbf: OPENROUTER PROCESSING\n\n" + sse(chatHi) + ": ping\n\n" + sse(chatStop)},
	{name: "names of events, ids and retry", wire: "openai", body: "retry: 10\nid: 1\nevent: message\n" + sse(chatHi, chatStop)},
	{name: "single line ends", wire: "openai", body: "data: " + chatHi + "\n\ndata: " + chatStop},
	{name: "reason null and empty, then DONE", wire: "openai", body: sse(`{"choices":[{"delta":{"content":"hi"},"finish_reason":null}]}`, `{"choices":[{"delta":{"content":""},"finish_reason":""}]}`, "[DONE]")},
	{name: "no index, no role, no object", wire: "openai", body: sse(`{"choices":[{"delta":{"content":"hi"}}]}`, `{"choices":[{"finish_reason":"stop"}]}`)},
	{name: "everything null", wire: "openai", body: sse(`{"id":null,"error":null,"usage":null,"choices":[{"index":null,"logprobs":null,"delta":{"role":null,"content":"hi","tool_calls":null,"refusal":null,"reasoning":null,"reasoning_content":null,"reasoning_details":null},"finish_reason":null}]}`,
		`{"choices":null}`, `{"choices":[{"delta":null,"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":null,"prompt_tokens_details":null}}`)},
	{name: "content null before it comes", wire: "openai", body: sse(`{"choices":[{"delta":{"role":"assistant","content":null}}]}`, chatHi, chatStop)},
	{name: "usage of fractions and texts", wire: "openai", body: sse(chatHi, chatStop, `{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":"3","total_tokens":15.0,"cost":"0.5"}}`, "[DONE]")},
	{name: "reasoning_content", wire: "openai", body: sse(`{"choices":[{"delta":{"reasoning_content":"hm","content":null}}]}`, chatHi, chatStop)},
	{name: "reasoning", wire: "openai", body: sse(`{"choices":[{"delta":{"reasoning":"hm","content":""}}]}`, chatHi, chatStop)},
	{name: "one JSON answer", wire: "openai", body: "\n\n " + `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`},
	{name: "one JSON answer as an event", wire: "openai", body: sse(`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)},
	{name: "call without an ID and an index", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]}}]}`, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)},
	{name: "call with an empty ID in pieces", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"read_file","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"{\"path\":"}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a.go\"}"}}]}}]}`, chatStop)},
	{name: "arguments as an object", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"content":null,"tool_calls":[{"id":7,"function":{"name":"read_file","arguments":{"path":"a.go"}}}]},"finish_reason":"stop"}]}`)},
	{name: "arguments as an object in one JSON answer", wire: "openai", call: true, body: `{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"read_file","arguments":{"path":"a.go"}}}]},"finish_reason":null}]}`},
	{name: "arguments in a text in a text", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"\"{\\\"path\\\":\\\"a.go\\\"}\""}}]},"finish_reason":"tool_calls"}]}`)},
	{name: "name whole in every piece", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read_file","arguments":"\"a.go\"}"}}]}}]}`, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)},
	{name: "number of the call as a text", wire: "openai", call: true, body: sse(`{"choices":[{"index":"0","delta":{"tool_calls":[{"index":"0","id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]},"finish_reason":"tool_calls"}]}`)},
	{name: "error object in a stream", wire: "openai", fails: "slow down", body: sse(chatHi, `{"error":{"message":"slow down","code":429}}`)},
	{name: "error text in a stream", wire: "openai", fails: "out of memory", body: sse(`{"error":"out of memory"}`)},
	{name: "error of vLLM", wire: "openai", fails: "too long", body: sse(`{"object":"error","message":"too long","code":400}`, "[DONE]")},
	{name: "error as an event", wire: "openai", fails: "broke", body: "event: error\ndata: {\"message\":\"broke\"}\n\n"},
	{name: "error in one JSON answer", wire: "openai", fails: "no such", body: `{"error":{"message":"no such thing","type":null,"code":null}}`},
	{name: "web page", wire: "openai", fails: "web page", body: "<!doctype html><title>Welcome</title>"},
	{name: "JSON lines", wire: "openai", body: chatHi + "\n" + chatStop + "\n"},
	{name: "JSON lines with DONE", wire: "openai", body: chatHi + "\n\n" + chatStop + "\n[DONE]\n"},
	{name: "half a JSON line", wire: "openai", fails: "cannot be read", body: chatHi + "\n" + chatStop[:20]},
	{name: "plain words", wire: "openai", fails: "Internal trouble", body: "Internal trouble"},
	{name: "name with what the model was taught", wire: "openai", call: true, body: sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"functions.read_file","arguments":"{\"path\":\"a.go\"}"}}]},"finish_reason":"tool_calls"}]}`)},
	{name: "nothing", wire: "openai", fails: "cut off", body: ""},

	{name: "no beginning of the block, no index", wire: "anthropic", body: sse(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}`, `{"type":"message_stop"}`)},
	{name: "no end but the reason", wire: "anthropic", body: sse(`{"type":"message_start","message":{}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)},
	{name: "type in the name of the event only", wire: "anthropic", body: "event: content_block_delta\r\ndata:{\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\r\n\r\nevent: message_stop\r\ndata: {}\r\n\r\n"},
	{name: "DONE instead of an end", wire: "anthropic", body: sse(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`, "[DONE]")},
	{name: "usage of fractions and texts", wire: "anthropic", body: sse(`{"type":"message_start","message":{"usage":{"input_tokens":"9","output_tokens":1.0,"cache_read_input_tokens":null}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`, `{"type":"message_stop"}`)},
	{name: "call whole at its beginning, without an ID", wire: "anthropic", call: true, body: sse(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"read_file","input":{"path":"a.go"}}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":null}`, `{"type":"message_stop"}`)},
	{name: "one JSON answer without a type", wire: "anthropic", body: `{"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`},
	{name: "error object in a stream", wire: "anthropic", fails: "Overloaded", body: "event: error\n" + sse(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)},
	{name: "error of another shape", wire: "anthropic", fails: "slow down", body: sse(`{"error":{"message":"slow down"}}`)},
}

// Servers that nobody here wrote are understood.
func TestOddServers(t *testing.T) {
	for _, o := range oddities {
		t.Run(o.wire+"/"+o.name, func(t *testing.T) {
			m, _ := cannedModel(o.wire, func() io.Reader { return strings.NewReader(o.body) })
			r, err := m.Stream(context.Background(), ask("hi"), func(core.Delta) {})
			switch {
			case o.fails != "":
				if err == nil || !strings.Contains(err.Error(), o.fails) {
					t.Errorf("%+v, %v", r, err)
				}
			case err != nil:
				t.Error(err)
			case o.call:
				if len(r.Calls) != 1 || r.Calls[0].Name != "read_file" || r.Calls[0].ID == "" || strings.ReplaceAll(string(r.Calls[0].Args), " ", "") != `{"path":"a.go"}` {
					t.Errorf("%+v", r.Calls)
				}
			case r.Text != "hi" || len(r.Calls) > 0:
				t.Errorf("%+v", r)
			}
			if strings.HasPrefix(o.name, "reasoning") && r.Reasoning != "hm" {
				t.Errorf("reasoning %q", r.Reasoning)
			}
		})
	}
}

// onlyAt answers at one address and says 404 at every other.
type onlyAt struct {
	path, body string
	asked      []string
}

func (o *onlyAt) RoundTrip(r *http.Request) (*http.Response, error) {
	o.asked = append(o.asked, r.URL.Path)
	res := &http.Response{StatusCode: 404, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("404 page not found")), Request: r}
	if r.URL.Path == o.path {
		res.StatusCode, res.Body = 200, io.NopCloser(strings.NewReader(o.body))
	}
	return res, nil
}

// A base URL may be written with the version and without, with a slash at its
// end, or as the whole address, and the server may want either.
func TestBaseURLs(t *testing.T) {
	for wire, end := range map[string]string{"openai": "chat/completions", "anthropic": "messages"} {
		body := sse(chatHi, chatStop)
		if wire == "anthropic" {
			body = sse(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}`, `{"type":"message_stop"}`)
		}
		for _, at := range []string{"/v1/", "/", "/api/v1/", "/proxy/", "/v1beta/openai/"} {
			dir := strings.TrimSuffix(at, "/")
			bases := []string{dir, dir + "/", dir + "/" + end}
			if short, ok := strings.CutSuffix(dir, "/v1"); ok {
				bases = append(bases, short, short+"/")
			} else if !strings.Contains(dir, "v1") {
				bases = append(bases, dir+"/v1", dir+"/v1/")
			}
			for _, base := range bases {
				o := &onlyAt{path: at + end, body: body}
				m := wires[wire](model.Options{Name: wire, BaseURL: "https://model.test" + base, HTTP: &http.Client{Transport: o}})
				for range 2 {
					if r, err := m.Stream(context.Background(), ask("hi"), func(core.Delta) {}); err != nil || r.Text != "hi" {
						t.Errorf("%s: base %q of a server at %q: %v, asked %v", wire, base, at, err, o.asked)
					}
				}
				if len(o.asked) > 3 || len(o.asked) == 0 {
					t.Errorf("%s: base %q of a server at %q: what answered is not remembered: %v", wire, base, at, o.asked)
				}
			}
		}
	}
}

// A list of models comes in several shapes.
func TestModelLists(t *testing.T) {
	for body, want := range map[string]string{
		`{"object":"list","data":[{"id":"a","object":"model"},{"id":"models/b","context_length":8192.0}]}`:                                  "a b",
		`[{"id":"a","pricing":{"prompt":0.1,"completion":0.2}},{"id":"b","max_model_len":null,"pricing":{"prompt":"-1","completion":"x"}}]`: "a b",
		`{"models":[{"name":"a:latest","model":"a:latest"}]}`:                                                                               "a:latest",
		`{"data":["a","b"]}`:            "a b",
		`{"object":"list","data":null}`: "",
		`{"data":[{"id":3},{"id":"b","pricing":null,"context_length":"4096"}]}`: "b",
	} {
		o := &onlyAt{path: "/v1/models", body: body}
		c := model.NewClient(model.Options{Name: "p", BaseURL: "http://model.test", HTTP: &http.Client{Transport: o}}, model.WireChat, "models")
		list, err := c.Models(context.Background())
		var names []string
		for _, l := range list {
			names = append(names, l.Model)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v", body, got, err)
		}
	}
}

// The address in the environment may lack its scheme.
func TestAddressesWithoutScheme(t *testing.T) {
	for base, want := range map[string]string{"localhost:8080/v1": "localhost:8080", "0.0.0.0:11434": "127.0.0.1:11434", "https://x.test/": "x.test"} {
		for _, p := range model.Detect(func(name string) string { return map[string]string{"OPENAI_BASE_URL": base}[name] }, nil) {
			if u, err := url.Parse(p.BaseURL); p.Name == "openai" && (err != nil || u.Host != want || !p.Usable || p.Wire != model.WireChat) {
				t.Errorf("%s: %+v, %v", base, p, err)
			}
		}
	}
}

// The whole address tells the wire format; a host far away is asked over TLS; Azure's has a path of its own.
func TestAddressesTell(t *testing.T) {
	for base, want := range map[string]struct {
		wire model.Wire
		at   string
	}{
		"http://x.test/v1/responses":                     {model.WireResponses, "http://x.test/v1/responses"},
		"https://api.openai.com/v1/":                     {model.WireResponses, "https://api.openai.com/v1/"},
		"https://api.openai.com/v1/chat/completions":     {model.WireChat, "https://api.openai.com/v1/chat/completions"},
		"https://x.test/api.openai.com":                  {model.WireChat, "https://x.test/api.openai.com"},
		"api.x.test/v1":                                  {model.WireChat, "https://api.x.test/v1"},
		"192.168.1.5/v1":                                 {model.WireChat, "http://192.168.1.5/v1"},
		"box.local":                                      {model.WireChat, "http://box.local"},
		"[::1]:8080/v1":                                  {model.WireChat, "http://[::1]:8080/v1"},
		"https://x.openai.azure.com/openai/v1/responses": {model.WireResponses, "https://x.openai.azure.com/openai/v1/responses"},
	} {
		for _, p := range model.Detect(func(name string) string { return map[string]string{"OPENAI_BASE_URL": base}[name] }, nil) {
			if p.Name == "openai" && (p.Wire != want.wire || p.BaseURL != want.at) {
				t.Errorf("%s: %s at %s", base, p.Wire, p.BaseURL)
			}
		}
	}
	o := &onlyAt{path: "/openai/v1/chat/completions", body: sse(chatHi, chatStop)}
	m := wires["openai"](model.Options{Name: "openai", BaseURL: "https://x.openai.azure.com/", HTTP: &http.Client{Transport: o}})
	if _, err := m.Stream(t.Context(), ask("hi"), func(core.Delta) {}); err != nil || len(o.asked) != 1 {
		t.Errorf("%v, asked %v", err, o.asked)
	}
}
