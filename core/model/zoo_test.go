package model_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/core/model"
)

// beast imitates a server of somebody's: what it demands of a request, and how
// it answers. The first answer calls read_file, or two tools; what follows the
// results is the text "done".
type beast struct {
	name, wire, base string // base is what a person sets, after the server's address
	moved            bool
	key              string
	// demand returns the status and the body of a refusal, or 0.
	demand func(r *http.Request, body map[string]any) (int, string)
	calls  string // the stream that calls
	done   string
	whole  []string // arguments of the calls that must come of it
	think  string   // reasoning that must come of it
	gzip   bool
	asks   int // requests until the calls have come; 0: 1
}

func at404(path string, then func(r *http.Request, body map[string]any) (int, string)) func(*http.Request, map[string]any) (int, string) {
	return func(r *http.Request, body map[string]any) (int, string) {
		if r.URL.Path != path {
			return 404, `{"detail":"Not Found"}`
		}
		if then != nil {
			return then(r, body)
		}
		return 0, ""
	}
}

// wants refuses a request that has a member, in these words.
func wants(status int, without, words string) func(*http.Request, map[string]any) (int, string) {
	return func(_ *http.Request, body map[string]any) (int, string) {
		if _, has := body[without]; has {
			return status, words
		}
		return 0, ""
	}
}

func header(name, value string, status int, words string) func(*http.Request, map[string]any) (int, string) {
	return func(r *http.Request, _ map[string]any) (int, string) {
		if r.Header.Get(name) != value {
			return status, words
		}
		return 0, ""
	}
}

func both(a, b func(*http.Request, map[string]any) (int, string)) func(*http.Request, map[string]any) (int, string) {
	return func(r *http.Request, body map[string]any) (int, string) {
		if status, words := a(r, body); status != 0 {
			return status, words
		}
		return b(r, body)
	}
}

// messagesOf are the messages of a request by their roles.
func messagesOf(body map[string]any, role string) (out []map[string]any) {
	list, _ := body["messages"].([]any)
	for _, m := range list {
		if m, ok := m.(map[string]any); ok && m["role"] == role {
			out = append(out, m)
		}
	}
	return out
}

const (
	oneCall    = `{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]}}]}`
	callsEnd   = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	chatDone   = `{"choices":[{"index":0,"delta":{"content":"done"}}]}`
	messageHi  = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}`
	messageEnd = `{"type":"message_stop"}`
)

// claude makes a stream of Anthropic's without names of events.
func claude(events ...string) string {
	return sse(append(append([]string{messageHi}, events...), messageEnd)...)
}

var claudeCall = claude(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a.go\"}"}}`,
	`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":9,"output_tokens":3}}`)

var claudeDone = claude(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"ping"}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)

var responsesDone = sse(`{"type":"response.output_text.delta","output_index":0,"delta":"done"}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`)

func delta(calls string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + calls + `]}}]}`
}

var many = func() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "data: %s\n\n", delta(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"read_file","arguments":""}}`, i, i)))
	}
	for i := range 1000 {
		fmt.Fprintf(&b, "data: %s\n\n", delta(fmt.Sprintf(`{"index":%d,"function":{"arguments":"{\"path\":\"%d\"}"}}`, i, i)))
	}
	return b.String() + sse(callsEnd, "[DONE]")
}()

var big = strings.Repeat("x", 10<<20)

var zoo = []beast{
	{name: "Ollama", wire: "openai", base: "/", moved: true,
		calls: sse(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, "[DONE]")},
	{name: "Ollama, two calls under one number", wire: "openai", whole: []string{`{"path":"a.go"}`, `{"path":"b.go"}`},
		calls: sse(delta(`{"id":"call_a","index":0,"function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}},{"id":"call_b","index":0,"function":{"name":"read_file","arguments":"{\"path\":\"b.go\"}"}}`), callsEnd)},
	{name: "vLLM, ID and name once, usage in each", wire: "openai", whole: []string{`{"path":"a.go"}`, `{}`},
		calls: sse(`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"read_file"}}]},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":5,"total_tokens":6,"completion_tokens":1}}`,
			delta(`{"index":0,"function":{"arguments":"{\"path\": "}}`), delta(`{"index":0,"function":{"arguments":"\"a.go\"}"}}`), delta(`{"index":1,"id":"chatcmpl-tool-2","function":{"name":"grep_files","arguments":""}}`),
			`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","stop_reason":null}],"usage":{"prompt_tokens":5,"completion_tokens":9}}`, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":9}}`, "[DONE]")},
	{name: "vLLM without a parser of reasoning", wire: "openai", think: "I should read.\n",
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			for _, m := range messagesOf(body, "assistant") {
				if s, _ := m["content"].(string); !strings.HasPrefix(s, "<think>I should read.") {
					return 400, `{"error":{"message":"where is its reasoning?"}}`
				}
			}
			return 0, ""
		},
		calls: sse(`{"choices":[{"index":0,"delta":{"role":"assistant","content":"\n"}}]}`, `{"choices":[{"index":0,"delta":{"content":"<th"}}]}`, `{"choices":[{"index":0,"delta":{"content":"ink>I should "}}]}`, `{"choices":[{"index":0,"delta":{"content":"read.\n</"}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"think>"}}]}`, `{"choices":[{"index":0,"delta":{"content":"\n\n"}}]}`, oneCall, callsEnd)},
	{name: "llama.cpp refuses null", wire: "openai",
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			for _, m := range messagesOf(body, "assistant") {
				if m["content"] == nil {
					return 500, `{"error":{"code":500,"message":"Invalid type for 'content': must be a string","type":"server_error"}}`
				}
			}
			return 0, ""
		},
		calls: sse(oneCall, callsEnd, `{"choices":[],"usage":null,"timings":{"prompt_n":1}}`, "[DONE]")},
	{name: "LM Studio", wire: "openai", base: "/v1/", calls: "event: message\n" + sse(delta(`{"index":0,"id":"316","type":"function","function":{"name":"read_file","arguments":""}}`), delta(`{"index":0,"id":"316","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}`), callsEnd, "[DONE]")},
	{name: "OpenRouter", wire: "openai", base: "/api/v1", key: "sk-or-v1-0123456789", think: "hm",
		demand: at404("/api/v1/chat/completions", header("Authorization", "Bearer sk-or-v1-0123456789", 401, `{"error":{"message":"No auth credentials found","code":401}}`)),
		calls: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + sse(`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","format":"x","index":0}]}}]}`,
			oneCall, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","native_finish_reason":"tool_use"}]}`, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":1,"cost":0.001}}`, "[DONE]")},
	{name: "Gemini refuses keywords", wire: "openai", asks: 2,
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			b, _ := json.Marshal(body["tools"])
			for _, word := range []string{"$schema", "additionalProperties", "format", "anyOf", "$ref", "pattern"} {
				if strings.Contains(string(b), `"`+word+`"`) {
					return 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"` + word + `\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}]`
				}
			}
			return 0, ""
		},
		calls: sse(`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"AB=="}},"function":{"arguments":"{\"path\":\"a.go\"}","name":"read_file"},"id":"","type":"function"}]},"index":0}]}`, `{"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop","index":0}]}`, "[DONE]")},
	{name: "Groq", wire: "openai", base: "/openai/v1", demand: at404("/openai/v1/chat/completions", nil),
		calls: sse(oneCall, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"id":"r","usage":{"prompt_tokens":3,"completion_tokens":4}}}`, "[DONE]")},
	{name: "Mistral", wire: "openai", asks: 2, moved: true,
		demand: both(wants(422, "stream_options", `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted","input":{"include_usage":true}}]}`),
			func(_ *http.Request, body map[string]any) (int, string) {
				for _, m := range messagesOf(body, "tool") {
					if id, _ := m["tool_call_id"].(string); len(id) != 9 {
						return 400, `{"object":"error","message":"Tool call id was ` + id + ` but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`
					}
				}
				return 0, ""
			}),
		calls: sse(`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}`, oneCall, callsEnd), think: "hm"},
	{name: "DeepSeek", wire: "openai", think: "hm", calls: sse(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"hm"}}]}`, oneCall, callsEnd, "[DONE]"),
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			for _, m := range messagesOf(body, "assistant") {
				if m["reasoning_content"] != "hm" {
					return 400, `{"error":{"message":"Missing reasoning_content field in the assistant message"}}`
				}
			}
			return 0, ""
		}},
	{name: "Azure, deployment", wire: "openai", base: "/openai/deployments/gpt?api-version=2024-10-21", key: "azure-key-0123456789", moved: true, asks: 2,
		demand: at404("/openai/deployments/gpt/chat/completions", both(header("Api-Key", "azure-key-0123456789", 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`),
			func(r *http.Request, _ map[string]any) (int, string) {
				if r.URL.Query().Get("api-version") != "2024-10-21" || r.Header.Get("Authorization") != "" {
					return 400, `{"error":{"message":"api-version"}}`
				}
				return 0, ""
			})),
		calls: sse(`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`, oneCall, `{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"tool_calls","index":0}]}`, "[DONE]")},
	{name: "key in a header of Azure's at any address", wire: "openai", key: "other-key-0123456789", moved: true, asks: 2,
		demand: header("Api-Key", "other-key-0123456789", 401, `{"statusCode":401,"message":"Access denied due to missing subscription key."}`), calls: sse(oneCall, callsEnd)},
	{name: "Together, legacy function_call", wire: "openai", calls: sse(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"read_file","arguments":""}}}]}`,
		`{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"path\":"}}}]}`, `{"choices":[{"index":0,"delta":{"function_call":{"arguments":"\"a.go\"}"}}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}`, "[DONE]")},
	{name: "xAI, all of a call in one", wire: "openai", calls: sse(`{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`, oneCall, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, "[DONE]"), think: "hm"},
	{name: "LiteLLM, an ID of 900 letters goes back", wire: "openai", moved: true,
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			for _, m := range messagesOf(body, "tool") {
				if m["tool_call_id"] != "call_1__thought__"+strings.Repeat("A/+=", 220) {
					return 400, fmt.Sprintf(`{"error":{"message":"no call %v"}}`, m["tool_call_id"])
				}
			}
			return 0, ""
		},
		calls: sse(strings.Replace(oneCall, "call_1", "call_1__thought__"+strings.Repeat("A/+=", 220), 1), callsEnd)},
	{name: "zipped unasked", wire: "openai", gzip: true, calls: sse(oneCall, callsEnd, "[DONE]")},
	{name: "events without an empty line between", wire: "openai", calls: "data: " + oneCall + "\ndata: " + callsEnd + "\ndata: [DONE]\n"},
	{name: "empty events and pings", wire: "openai", calls: "data:\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: heartbeat\ndata: alive\n\n" + sse(oneCall, callsEnd, " [DONE] ")},
	{name: "message repeats all so far", wire: "openai", calls: sse(`{"choices":[{"index":0,"delta":{"content":"I "},"message":{"content":"I "}}]}`, `{"choices":[{"index":0,"delta":{"content":"read"},"message":{"content":"I read"}}]}`, oneCall, callsEnd)},
	{name: "name in pieces, ID later", wire: "openai", calls: sse(delta(`{"index":0,"function":{"name":"read"}}`), delta(`{"index":0,"function":{"name":"_file"}}`), delta(`{"index":0,"id":"x","function":{"arguments":"{\"path\":\"a.go\"}"}}`), callsEnd)},
	{name: "name grows", wire: "openai", calls: sse(delta(`{"index":0,"id":"x","function":{"name":"read"}}`), delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}`), callsEnd)},
	{name: "several calls in one event without numbers and IDs", wire: "openai", whole: []string{`{}`, `{}`, `{"path":"a.go"}`},
		calls: sse(delta(`{"function":{"name":"grep_files","arguments":""}},{"function":{"name":"grep_files","arguments":"{}"}},{"function":{"name":"read_file","arguments":{"path":"a.go"}}}`), callsEnd)},
	{name: "the same ID for every call", wire: "openai", whole: []string{`{"path":"a.go"}`, `{"path":"b.go"}`},
		calls: sse(delta(`{"id":"call_0","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}`), delta(`{"id":"call_0","function":{"name":"read_file","arguments":"{\"path\":\"b.go\"}"}}`), callsEnd)},
	{name: "the same ID for every call of one JSON answer", wire: "openai", whole: []string{`{"path":"a.go"}`, `{"path":"b.go"}`},
		calls: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"0","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}},{"id":"0","function":{"name":"read_file","arguments":"{\"path\":\"b.go\"}"}}]},"finish_reason":"tool_calls"}]}`},
	{name: "a line of 10 MiB", wire: "openai", whole: []string{`{"path":"` + big + `"}`}, calls: sse(delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"`+big+`\"}"}}`), callsEnd)},
	{name: "a thousand calls", wire: "openai", calls: many},
	{name: "no system role", wire: "openai", asks: 2, calls: sse(oneCall, callsEnd),
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			if len(messagesOf(body, "system")) > 0 {
				return 400, `{"object":"error","message":"System role not supported","type":"BadRequestError","code":400}`
			}
			return 0, ""
		}},
	{name: "refusal within the stream", wire: "openai", asks: 2, calls: sse(oneCall, callsEnd),
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			if _, has := body["stream_options"]; has {
				return 200, "event: error\n" + sse(`{"error":{"message":"unsupported parameter: stream_options","type":"invalid_request_error"}}`)
			}
			return 0, ""
		}},
	{name: "a redirect on the same server", wire: "openai", base: "/v1", asks: 1, calls: sse(oneCall, callsEnd), demand: func(r *http.Request, _ map[string]any) (int, string) {
		if !strings.HasSuffix(r.URL.Path, "/") {
			return 307, r.URL.Path + "/"
		}
		return 0, ""
	}},
	{name: "LiteLLM", wire: "anthropic", base: "/anthropic", moved: true, asks: 2, calls: claudeCall, demand: at404("/anthropic/messages", nil)},
	{name: "z.ai, a bearer token", wire: "anthropic", base: "/api/anthropic", moved: true, key: "zai-key-0123456789", asks: 2, calls: claudeCall,
		demand: both(at404("/api/anthropic/v1/messages", nil), header("Authorization", "Bearer zai-key-0123456789", 401, `{"error":{"message":"token expired or incorrect","type":"401"}}`))},
	{name: "a token where a key is wanted", wire: "anthropic", moved: true, key: "kimi-key-0123456789", asks: 1, calls: claudeCall, demand: header("X-Api-Key", "kimi-key-0123456789", 401, `{}`)},
	{name: "Bedrock proxy refuses cache_control", wire: "anthropic", asks: 2, calls: claudeCall,
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			if b, _ := json.Marshal(body); strings.Contains(string(b), "cache_control") {
				return 400, `{"type":"error","error":{"type":"invalid_request_error","message":"system.0.cache_control: Extra inputs are not permitted"}}`
			}
			return 0, ""
		}},
	{name: "system as a text", wire: "anthropic", asks: 2, calls: claudeCall,
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			if _, ok := body["system"].(string); !ok {
				return 422, `{"error":{"message":"system: Input should be a valid string"}}`
			}
			return 0, ""
		}},
	{name: "claude-code-router, one number for all", wire: "anthropic", whole: []string{`{"path":"a.go"}`, `{"path":"b.go"}`},
		calls: claude(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I read"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a.go\"}"}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"read_file"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"b.go\"}"}}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`)},
	{name: "Kimi, IDs with dots go back", wire: "anthropic", calls: strings.ReplaceAll(claudeCall, "toolu_1", "functions.read_file:0"),
		demand: func(_ *http.Request, body map[string]any) (int, string) {
			b, _ := json.Marshal(body["messages"])
			if strings.Contains(string(b), "tool_result") && !strings.Contains(string(b), `"tool_use_id":"functions.read_file:0"`) {
				return 400, `{"error":{"message":"unknown tool_use_id"}}`
			}
			return 0, ""
		}},
	{name: "vLLM, all items under one number", wire: "responses", whole: []string{`{"path":"a.go"}`, `{"path":"b.go"}`}, base: "/v1/responses",
		demand: at404("/v1/responses", nil),
		calls: sse(`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning"}}`, `{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read_file","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":"{\"path\":\"a.go\"}"}`, `{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"read_file","arguments":"{\"path\":\"a.go\"}"}}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"id":"fc_2","type":"function_call","call_id":"c2","name":"read_file","arguments":""}}`, `{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"path\":\"b.go\"}"}`,
			`{"type":"response.completed","response":{"status":"completed","output":null}}`, "[DONE]")},
	{name: "LM Studio refuses what it does not know", wire: "responses", asks: 4, whole: []string{`{"path":"a.go"}`},
		demand: both(both(wants(400, "include", `{"error":{"message":"Unrecognized value in 'include': reasoning.encrypted_content","type":"invalid_request_error"}}`), wants(400, "store", `{"error":{"message":"Unrecognized key(s) in object: 'store'"}}`)),
			func(_ *http.Request, body map[string]any) (int, string) {
				if b, _ := json.Marshal(body["tools"]); strings.Contains(string(b), "strict") {
					return 422, `{"detail":[{"loc":["body","tools",0,"strict"],"msg":"Extra inputs are not permitted"}]}`
				}
				return 0, ""
			}),
		calls: `{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"c1","name":"read_file","arguments":"{\"path\":\"a.go\"}"}]}`},
	{name: "MiniMax, events with CRLF and their names", wire: "anthropic", calls: strings.ReplaceAll("event: message_start\n"+claudeCall, "\n", "\r\n")},
}

// serve answers as the beast does, and counts the requests.
func (b *beast) serve(t *testing.T, asked *int) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var body map[string]any
		if err != nil || json.Unmarshal(raw, &body) != nil {
			t.Errorf("%s was sent %q, %v", b.name, raw, err)
		}
		*asked++
		status, answer := 0, ""
		if b.demand != nil {
			status, answer = b.demand(r, body)
		}
		if status/100 == 3 {
			*asked--
			http.Redirect(w, r, answer, status)
			return
		}
		if status == 0 {
			status, answer = 200, b.calls
			if all, _ := json.Marshal([]any{body["messages"], body["input"]}); strings.Contains(string(all), "the result") {
				answer = b.done
			}
		}
		if !b.gzip {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, answer)
		_ = z.Close()
	}))
	t.Cleanup(srv.Close)
	return srv
}

// pickyTools have schemas with all that servers refuse.
var pickyTools = []core.ToolSpec{
	{Name: "read_file", Schema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["path"],"$defs":{"p":{"type":"string","format":"uri","pattern":"^a"}},"properties":{"path":{"$ref":"#/$defs/p"},"n":{"anyOf":[{"type":"null"},{"type":["integer","null"],"minimum":1}]}}}`)},
	{Name: "grep_files"},
}

// Servers of many makers are asked, answer with calls, and take the results.
func TestZoo(t *testing.T) {
	for _, b := range zoo {
		t.Run(b.wire+"/"+b.name, func(t *testing.T) {
			t.Parallel()
			if b.done == "" {
				b.done = map[string]string{"openai": sse(chatDone, chatStop, "[DONE]"), "anthropic": claudeDone, "responses": responsesDone}[b.wire]
			}
			if b.whole == nil && b.calls != many {
				b.whole = []string{`{"path":"a.go"}`}
			}
			asked := 0
			srv := b.serve(t, &asked)
			o := model.Options{Name: b.wire, BaseURL: srv.URL + b.base, HTTP: srv.Client(), Moved: b.moved, Idle: time.Minute, First: time.Minute}
			if b.key != "" {
				o.Key = func(context.Context) (string, error) { return b.key, nil }
			}
			m := wires[b.wire](o)
			req := ask("hi")
			req.Tools = pickyTools
			r, err := m.Stream(t.Context(), req, func(core.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			ids := map[string]bool{}
			for _, c := range r.Calls {
				got = append(got, string(c.Args))
				ids[c.ID] = true
			}
			if b.whole != nil && strings.ReplaceAll(strings.Join(got, "|"), " ", "") != strings.Join(b.whole, "|") || b.calls == many && len(got) != 1000 || len(ids) != len(got) {
				t.Errorf("%d calls, %d IDs: %.300v", len(got), len(ids), got)
			}
			if r.Reasoning != b.think || strings.Contains(r.Text, "think") || strings.HasPrefix(strings.TrimSpace(r.Text), "I ") && strings.TrimSpace(r.Text) != "I read" {
				t.Errorf("reasoning %q, text %q", r.Reasoning, r.Text)
			}
			if want := max(b.asks, 1); asked != want {
				t.Errorf("asked %d times, want %d", asked, want)
			}
			req.Messages = append(req.Messages, core.Message{Role: core.RoleAssistant, Text: r.Text, Reasoning: r.Reasoning, Calls: r.Calls, Opaque: r.Opaque})
			for _, c := range r.Calls {
				req.Messages = append(req.Messages, core.Message{Role: core.RoleTool, CallID: c.ID, Tool: c.Name, Text: "the result"})
			}
			for i := range 2 {
				before := asked
				done, err := m.Stream(t.Context(), req, func(core.Delta) {})
				if err != nil || done.Text != "done" {
					t.Fatalf("after the results: %+v, %v", done, err)
				}
				if i == 1 && asked != before+1 {
					t.Errorf("asked %d times more: what was learned is forgotten", asked-before)
				}
			}
		})
	}
}

// Whatever its form, a stream that is cut gives all of its calls or an error.
func TestZooCut(t *testing.T) {
	bodies := map[string]string{}
	for _, b := range zoo {
		bodies[b.wire+"/"+b.name] = b.calls
	}
	for _, o := range oddities {
		if o.call {
			bodies[o.wire+"/"+o.name] = o.body
		}
	}
	bodies["openai/JSON lines"] = oneCall + "\n" + callsEnd + "\n"
	for name, stream := range bodies {
		if len(stream) > 5000 {
			continue
		}
		wire, _, _ := strings.Cut(name, "/")
		m, _ := cannedModel(wire, func() io.Reader { return strings.NewReader(stream) })
		whole, err := answer(m, ask("hi"))
		if err != nil {
			t.Fatal(name, err)
		}
		for cut := range stream {
			m, _ := cannedModel(wire, func() io.Reader { return strings.NewReader(stream[:cut]) })
			got, err := answer(m, ask("hi"))
			if err == nil && !reflect.DeepEqual(got.Reply.Calls, whole.Reply.Calls) {
				t.Fatalf("%s cut at %d of %d gives %+v", name, cut, len(stream), got.Reply.Calls)
			}
		}
	}
}

// IDs that one server gave and the next at the same address refuses are made into ones that all take.
func TestForeignIDs(t *testing.T) {
	long := strings.Repeat("x.", 300)
	for wire, words := range map[string]string{
		"openai":    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
		"anthropic": "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
		"responses": "Invalid 'input[2].call_id': string too long.",
	} {
		asked := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, err := io.ReadAll(r.Body)
			if asked++; err != nil || strings.Contains(string(raw), long) {
				w.WriteHeader(400)
				_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, words)
				return
			}
			_, _ = io.WriteString(w, map[string]string{"openai": sse(chatDone, chatStop), "anthropic": claudeDone, "responses": responsesDone}[wire])
		}))
		req := ask("hi")
		by := map[string]string{"openai": "chat:"}[wire]
		if by == "" {
			by = wire + ":"
		}
		calls := []core.ToolCall{{ID: long, Name: "read_file", Args: json.RawMessage("{}")}}
		req.Messages = append(req.Messages, core.Message{Role: core.RoleAssistant, Calls: calls, Opaque: model.Layout(by+wire, "m", []model.Part{model.CallPart(1, long)})},
			core.Message{Role: core.RoleTool, CallID: long, Tool: "read_file", Text: "the result"})
		m := at(wire, srv.URL+"/v1", srv.Client(), time.Minute)
		for range 2 {
			if r, err := m.Stream(t.Context(), req, func(core.Delta) {}); err != nil || r.Text != "done" {
				t.Errorf("%s: %+v, %v", wire, r, err)
			}
		}
		if srv.Close(); asked != 3 {
			t.Errorf("%s: asked %d times", wire, asked)
		}
	}
}
