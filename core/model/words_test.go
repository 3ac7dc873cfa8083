package model_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/core/model"
)

// What providers really say at their limits and refusals, and what kind of failure it is.
func TestProvidersWords(t *testing.T) {
	soon := time.Now().Add(40 * time.Second)
	for _, tt := range []struct {
		name, body string
		status     int
		headers    []string
		class      model.Class
		hint       string
		from, to   time.Duration // the wait that it asks for
	}{
		{name: "OpenAI without credit", status: 429, body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, class: model.ClassAuth, hint: "no credit left"},
		{name: "OpenAI at its limit", status: 429, body: `{"error":{"message":"Rate limit reached for gpt-x in organization org-1 on requests per min. Limit: 3 / min. Please try again in 20s.","type":"requests","code":"rate_limit_exceeded"}}`, class: model.ClassRateLimit, from: 20 * time.Second, to: 20 * time.Second},
		{name: "OpenAI, too large for a minute", status: 429, body: `{"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000.","code":"rate_limit_exceeded"}}`, class: model.ClassContextTooLong, hint: "compact"},
		{name: "Gemini at its limit speaks of billing", status: 429, body: `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 23.5s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"23s"}]}}]`, class: model.ClassRateLimit, from: 23 * time.Second, to: 23 * time.Second},
		{name: "Groq, minutes", status: 429, body: `{"error":{"message":"Rate limit reached. Please try again in 7m12.5s. Need more tokens? Visit https://console.groq.com/settings/billing","type":"tokens","code":"rate_limit_exceeded"}}`, headers: []string{"Retry-After", "433"}, class: model.ClassRateLimit, from: 433 * time.Second, to: 433 * time.Second},
		{name: "Groq, too large", status: 413, body: `{"error":{"message":"Request too large for model x: TPM Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}`, class: model.ClassContextTooLong, hint: "compact"},
		{name: "counters as durations", status: 429, body: `{}`, headers: []string{"X-Ratelimit-Remaining-Requests", "5", "X-Ratelimit-Reset-Requests", "1h", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"}, class: model.ClassRateLimit, from: 6 * time.Minute, to: 6 * time.Minute},
		{name: "counter in milliseconds since 1970", status: 429, body: `{}`, headers: []string{"X-Ratelimit-Reset", itoa(soon.UnixMilli())}, class: model.ClassRateLimit, from: 30 * time.Second, to: 41 * time.Second},
		{name: "counter in seconds since 1970", status: 429, body: `{}`, headers: []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", itoa(soon.Unix())}, class: model.ClassRateLimit, from: 30 * time.Second, to: 41 * time.Second},
		{name: "Anthropic's counters", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, headers: []string{"anthropic-ratelimit-requests-remaining", "0", "anthropic-ratelimit-requests-reset", soon.UTC().Format(time.RFC3339)}, class: model.ClassRateLimit, from: 30 * time.Second, to: 41 * time.Second},
		{name: "milliseconds", status: 429, body: `{}`, headers: []string{"Retry-After-Ms", "1500.5", "Retry-After", "900"}, class: model.ClassRateLimit, from: 1500 * time.Millisecond, to: 1501 * time.Millisecond},
		{name: "nonsense", status: 429, body: `{}`, headers: []string{"Retry-After", "soon", "X-Ratelimit-Reset", "-5"}, class: model.ClassRateLimit},
		{name: "Anthropic without credit", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, class: model.ClassAuth, hint: "no credit left"},
		{name: "DeepSeek without credit", status: 402, body: `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, class: model.ClassAuth, hint: "no credit left"},
		{name: "Moonshot without credit", status: 429, body: `{"error":{"message":"Your account is suspended, please check your plan","type":"exceeded_current_quota_error"}}`, class: model.ClassAuth, hint: "no credit left"},
		{name: "MiniMax without credit", status: 200, body: `{"id":"x","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, class: model.ClassAuth, hint: "no credit left"},
		{name: "xAI, wrong key", status: 400, body: `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***yz."}`, class: model.ClassAuth, hint: "set THE_KEY"},
		{name: "Gemini, wrong key", status: 400, body: `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, class: model.ClassAuth, hint: "set THE_KEY"},
		{name: "Mistral, wrong key", status: 401, body: `{"detail":"Unauthorized"}`, class: model.ClassAuth, hint: "set THE_KEY"},
		{name: "Ollama, no such model", status: 404, body: `{"error":{"message":"model 'x' not found","type":"api_error","param":null,"code":null}}`, class: model.ClassNotFound, hint: "drover models lists"},
		{name: "Azure, no such deployment", status: 404, body: `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, class: model.ClassNotFound, hint: "drover models lists"},
		{name: "OpenRouter, no tools", status: 404, body: `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, class: model.ClassNotFound, hint: "drover models lists"},
		{name: "Ollama, no tools", status: 400, body: `{"error":{"message":"gemma does not support tools","type":"api_error"}}`, class: model.ClassInvalid, hint: "use tools"},
		{name: "LM Studio, unknown address", status: 200, body: `{"error":"Unexpected endpoint or method. (POST /x)"}`, class: model.ClassInvalid},
		{name: "llama.cpp, too long", status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, class: model.ClassContextTooLong, hint: "compact"},
		{name: "Mistral, too long", status: 400, body: `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`, class: model.ClassContextTooLong, hint: "compact"},
		{name: "Kimi, too long", status: 400, body: `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144","type":"invalid_request_error"}}`, class: model.ClassContextTooLong, hint: "compact"},
		{name: "Bedrock throttles", status: 400, body: `{"message":"ThrottlingException: Too many requests"}`, class: model.ClassRateLimit},
		{name: "llama.cpp without templates", status: 500, body: `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, class: model.ClassInvalid, hint: "use tools"},
		{name: "Azure at its limit", status: 429, body: `{"error":{"code":"429","message":"Requests have exceeded the token rate limit. Please retry after 12 seconds."}}`, class: model.ClassRateLimit, from: 12 * time.Second, to: 12 * time.Second},
		{name: "text", status: 404, body: "404 page not found\n", class: model.ClassNotFound, hint: "base URL"},
		{name: "408", status: 408, class: model.ClassServer},
		{name: "409", status: 409, class: model.ClassServer},
		{name: "422", status: 422, body: `{"detail":[{"msg":"bad"}]}`, class: model.ClassInvalid},
		{name: "425", status: 425, class: model.ClassServer},
		{name: "499", status: 499, class: model.ClassServer},
		{name: "501", status: 501, class: model.ClassInvalid},
		{name: "504 web page", status: 504, body: "<HTML><HEAD><TITLE>504 Gateway Time-out</TITLE></HEAD></HTML>", class: model.ClassServer},
		{name: "520", status: 520, body: "error code: 520", class: model.ClassServer},
		{name: "524", status: 524, class: model.ClassServer},
		{name: "529 of Cloudflare", status: 529, class: model.ClassOverloaded},
		{name: "elsewhere", status: 302, headers: []string{"Location", "https://elsewhere.test/login"}, class: model.ClassInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(tt.headers); i += 2 {
					w.Header().Set(tt.headers[i], tt.headers[i+1])
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(srv.Close)
			_, err := at("openai", srv.URL, srv.Client(), time.Minute).Stream(t.Context(), ask("hi"), func(core.Delta) {})
			f, ok := model.FaultOf(err)
			if !ok || f.Class != tt.class || !strings.Contains(core.HintOf(err), tt.hint) || f.RetryAfter < tt.from || f.RetryAfter > tt.to {
				t.Fatalf("%v\n%q, %+v", err, core.HintOf(err), f)
			}
			if !strings.HasPrefix(err.Error(), "openai") {
				t.Errorf("who says it? %v", err)
			}
		})
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// A key never goes to another server, and never shows in an error, whichever way a server says it back.
func TestKeyStays(t *testing.T) {
	const secret = "sk-secret/0123456789+="
	var stolen string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.Header.Get("Api-Key") + r.URL.RawQuery
	}))
	t.Cleanup(thief.Close)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", thief.URL+r.URL.Path+"?"+r.URL.RawQuery)
		w.WriteHeader(307)
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	t.Cleanup(srv.Close)
	for wire, open := range wires {
		for _, status := range []string{"", "garbage", "error"} {
			echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				said := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + " " + r.URL.RawQuery
				switch status {
				case "garbage":
					_, _ = io.WriteString(w, "data: {"+said+"\n\n")
				case "error":
					w.WriteHeader(400)
					_, _ = io.WriteString(w, said)
				default:
					http.Redirect(w, r, srv.URL+r.URL.RequestURI(), http.StatusTemporaryRedirect)
				}
			}))
			_, err := open(model.Options{Name: wire, BaseURL: echo.URL + "/v1?key=hidden-in-the-query", Moved: true, HTTP: model.NewHTTP(), Key: func(context.Context) (string, error) { return secret, nil }}).
				Stream(t.Context(), ask("hi"), func(core.Delta) {})
			echo.Close()
			if err == nil || stolen != "" {
				t.Fatalf("%s: %v, stolen %q", wire, err, stolen)
			}
			if all := err.Error() + core.HintOf(err); strings.Contains(all, "secret") || strings.Contains(all, "hidden-in") {
				t.Errorf("%s, %s: %s", wire, status, all)
			}
		}
	}
}

// A server that for ever says only that it is alive has failed too.
func TestOnlyPulses(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-r.Context().Done(): // were the socket not closed, the test would not end
				return
			case <-tick.C:
				_, _ = io.WriteString(w, ": alive\n\n")
				w.(http.Flusher).Flush()
			}
		}
	}))
	t.Cleanup(srv.Close)
	for wire := range wires {
		_, err := at(wire, srv.URL, srv.Client(), 30*time.Millisecond).Stream(t.Context(), ask("hi"), func(core.Delta) {})
		if f, ok := model.FaultOf(err); !ok || f.Class != model.ClassNetwork || !strings.Contains(err.Error(), "stood still") {
			t.Errorf("%s: %v", wire, err)
		}
	}
}

// An answer that does not end is given up before it fills the memory, and not asked for again.
func TestEndless(t *testing.T) {
	word := strings.Repeat("x", 1<<20)
	for wire, event := range map[string]string{
		"openai":    `{"choices":[{"index":0,"delta":{"content":"` + word + `"}}]}`,
		"anthropic": `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + word + `"}}`,
		"responses": `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"` + word + `"}`,
	} {
		m, _ := cannedModel(wire, func() io.Reader { return endless{strings.NewReader(sse(event)), sse(event)} })
		_, err := m.Stream(t.Context(), ask("hi"), func(core.Delta) {})
		if f, ok := model.FaultOf(err); !ok || f.Class.Transient() || !strings.Contains(err.Error(), "does not end") {
			t.Errorf("%s: %v", wire, err)
		}
	}
}

// endless says the same for ever.
type endless struct {
	*strings.Reader
	all string
}

func (e endless) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF {
		e.Reset(e.all)
		return n, nil
	}
	return n, err
}
