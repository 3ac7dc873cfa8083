package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drover/core"
	"drover/core/model"
	"drover/core/model/retry"
)

const faultKey = "sk-loopback-0123456789"

// wrong is how a server misbehaves, on every wire.
type wrong struct {
	name  string
	serve func(wire string, w http.ResponseWriter, r *http.Request)
	class model.Class
	code  core.Code
	says  string // in the message
	hint  string // in the way out
	after bool   // the provider says how long to wait
}

// says answers with a status and the provider's words in its wire's shape.
func says(status int, kind, words string, header ...string) func(string, http.ResponseWriter, *http.Request) {
	return func(wire string, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		e := map[string]any{"error": map[string]any{"type": kind, "code": kind, "message": words + " (key " + faultKey + ")"}}
		if wire == "anthropic" {
			e["type"] = "error"
		}
		if err := json.NewEncoder(w).Encode(e); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// streams sends the beginning of a recorded stream, and then does something else.
func streams(file, until string, then func(w http.ResponseWriter, r *http.Request)) func(string, http.ResponseWriter, *http.Request) {
	return func(wire string, w http.ResponseWriter, r *http.Request) {
		body, err := os.ReadFile(filepath.Join(wire, "testdata", file))
		if i := bytes.Index(body, []byte(until)); until != "" {
			rest := bytes.Index(body[max(i, 0):], []byte("\n\n"))
			body = body[:i+rest+2] // with the whole of that event
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if _, werr := w.Write(body); err != nil || werr != nil {
			panic(http.ErrAbortHandler)
		}
		w.(http.Flusher).Flush()
		if then != nil {
			then(w, r)
		}
	}
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hang says nothing until the client has gone: were its socket not closed, the test would not end.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func text(body string) func(string, http.ResponseWriter, *http.Request) {
	return func(_ string, w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, body); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// empty is an answer that ends as it should and says nothing.
func empty(wire string, w http.ResponseWriter, r *http.Request) {
	text(map[string]string{
		"anthropic": "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		"openai":    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"responses": "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
	}[wire])(wire, w, r)
}

// inDate is a moment as Retry-After has it: in whole seconds.
func inDate(wire string, w http.ResponseWriter, r *http.Request) {
	says(429, "rate_limit_error", "slow down", "Retry-After", time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))(wire, w, r)
}

var wrongs = []wrong{
	{name: "400", serve: says(400, "invalid_request_error", "what is that?"), class: model.ClassInvalid, code: core.CodeModel, says: "answered 400: what is that?", hint: "drover models"},
	{name: "401", serve: says(401, "authentication_error", "wrong key"), class: model.ClassAuth, code: core.CodeModelAuth, says: "wrong key", hint: "set THE_KEY to a valid key"},
	{name: "402", serve: says(402, "billing", "no money"), class: model.ClassAuth, code: core.CodeModelAuth, says: "no money", hint: "no credit left"},
	{name: "403", serve: says(403, "permission_error", "not you"), class: model.ClassAuth, code: core.CodeModelAuth, says: "not you", hint: "may not use this model"},
	{name: "404 model", serve: says(404, "not_found_error", "no model m"), class: model.ClassNotFound, code: core.CodeModelNotFound, says: "no model m", hint: "drover models lists"},
	{name: "404 route", serve: func(_ string, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, class: model.ClassNotFound, code: core.CodeModelNotFound, says: "404", hint: "is the base URL right?"},
	{name: "413", serve: says(413, "request_too_large", "too big"), class: model.ClassContextTooLong, code: core.CodeContextTooLong, says: "too big", hint: "compact"},
	{name: "context too long", serve: says(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), class: model.ClassContextTooLong, code: core.CodeContextTooLong, says: "210000 tokens", hint: "compact"},
	{name: "429", serve: says(429, "rate_limit_error", "slow down"), class: model.ClassRateLimit, code: core.CodeRateLimited, says: "slow down", hint: "wait"},
	{name: "429 with seconds", serve: says(429, "rate_limit_error", "slow down", "Retry-After", "0.01"), class: model.ClassRateLimit, code: core.CodeRateLimited, says: "slow down", hint: "wait", after: true},
	{name: "429 with a date", serve: inDate, class: model.ClassRateLimit, code: core.CodeRateLimited, says: "slow down", hint: "wait", after: true},
	{name: "429 without credit", serve: says(429, "insufficient_quota", "you exceeded your current quota"), class: model.ClassAuth, code: core.CodeModelAuth, says: "quota", hint: "no credit left"},
	{name: "500", serve: says(500, "api_error", "oh no"), class: model.ClassServer, code: core.CodeModel, says: "oh no", hint: "try again later"},
	{name: "502 web page", serve: func(_ string, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(502)
		fmt.Fprint(w, "<html><title>Bad gateway</title>\x1b[2J</html>")
	}, class: model.ClassServer, code: core.CodeModel, says: "a web page: Bad gateway", hint: "try again later"},
	{name: "503", serve: says(503, "unavailable", "restarting"), class: model.ClassOverloaded, code: core.CodeModel, says: "restarting", hint: "try again later"},
	{name: "529", serve: says(529, "overloaded_error", "Overloaded"), class: model.ClassOverloaded, code: core.CodeModel, says: "Overloaded", hint: "try again later"},
	{name: "cut before the first byte", serve: func(_ string, w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); cut(w, r) }, class: model.ClassNetwork, code: core.CodeModel, says: "cut off", hint: "try again"},
	{name: "cut after the first byte", serve: streams("text.sse", "Hel", cut), class: model.ClassNetwork, code: core.CodeModel, says: "cut off", hint: "try again"},
	{name: "cut in a tool call", serve: streams("tools.sse", "path", cut), class: model.ClassNetwork, code: core.CodeModel, says: "cut off", hint: "try again"},
	{name: "ended in a tool call", serve: streams("tools.sse", "path", nil), class: model.ClassNetwork, code: core.CodeModel, says: "cut off", hint: "try again"},
	{name: "hangs before the answer", serve: func(_ string, w http.ResponseWriter, r *http.Request) { hang(w, r) }, class: model.ClassNetwork, code: core.CodeModel, says: "did not answer within", hint: "try again later"},
	{name: "hangs in the answer", serve: streams("text.sse", "Hel", hang), class: model.ClassNetwork, code: core.CodeModel, says: "stood still", hint: "try again"},
	{name: "garbage", serve: text("data: {\"x\": tru\n\n"), class: model.ClassServer, code: core.CodeModel, says: "cannot be read", hint: "base URL"},
	{name: "garbage without a stream", serve: text("{\"a\":"), class: model.ClassServer, code: core.CodeModel, says: "cannot be read", hint: "base URL"},
	{name: "web page", serve: text("<html><title>Log in</title></html>"), class: model.ClassInvalid, code: core.CodeModel, says: "web page", hint: "base URL"},
	{name: "empty answer", serve: empty, class: model.ClassServer, code: core.CodeModel, says: "empty answer", hint: "try again"},
	{name: "nothing at all", serve: text(""), class: model.ClassNetwork, code: core.CodeModel, says: "cut off", hint: "try again"},
}

// loopback is a server that goes wrong the first so many times, and a model that talks to it.
func loopback(t *testing.T, wire string, bad func(string, http.ResponseWriter, *http.Request), times int64) core.Model {
	t.Helper()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= times {
			bad(wire, w, r)
			return
		}
		streams("text.sse", "", nil)(wire, w, r)
	}))
	t.Cleanup(srv.Close)
	return at(wire, srv.URL+"/v1", srv.Client(), 300*time.Millisecond)
}

// at reaches a server that may be silent for so long.
func at(wire, base string, c *http.Client, silent time.Duration) core.Model {
	return wires[wire](model.Options{
		Name: wire, BaseURL: base, HTTP: c, KeyName: "THE_KEY", Idle: silent, First: silent,
		Key: func(context.Context) (string, error) { return faultKey, nil },
	})
}

func patient(m core.Model, tries int) core.Model {
	return retry.New(m, retry.Options{Tries: tries, Limited: tries, First: time.Millisecond, Longest: time.Millisecond, Spacing: time.Millisecond})
}

// Each fault has its class, its code, the provider's words and a way out, on each wire.
func TestFaults(t *testing.T) {
	for wire := range wires {
		for _, f := range wrongs {
			if f.code == "" {
				continue
			}
			t.Run(wire+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				o, err := answer(loopback(t, wire, f.serve, 1<<30), ask("hi"))
				fault, ok := model.FaultOf(err)
				if !ok {
					t.Fatalf("got %+v and %v, want a fault", o, err)
				}
				if fault.Class != f.class || core.CodeOf(err) != f.code {
					t.Errorf("class %s, code %s; want %s, %s: %v", fault.Class, core.CodeOf(err), f.class, f.code, err)
				}
				if !strings.Contains(err.Error(), f.says) || !strings.Contains(core.HintOf(err), f.hint) {
					t.Errorf("says %q and %q; want %q and %q", err, core.HintOf(err), f.says, f.hint)
				}
				if len(o.Reply.Calls) > 0 || o.Reply.Text != "" {
					t.Errorf("an answer beside the fault: %+v", o.Reply)
				}
				if all := err.Error() + core.HintOf(err); strings.Contains(all, faultKey) || strings.Contains(all, "\x1b") {
					t.Errorf("the key or an escape sequence is in %q", all)
				}
				if f.after != (fault.RetryAfter > 0) || fault.RetryAfter > 90*time.Second {
					t.Errorf("retry after %v", fault.RetryAfter)
				}
			})
		}
	}
}

// Transient faults end in an answer, after a wait that is told; permanent ones are asked once.
func TestFaultsPass(t *testing.T) {
	for wire := range wires {
		for _, f := range wrongs {
			if f.name == "429 with a date" || f.code == "" { // a date is seconds away
				continue
			}
			t.Run(wire+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				m := patient(loopback(t, wire, f.serve, 2), 5)
				var waits []core.ModelWait
				req := ask("hi")
				streamed := ""
				req.Wait = func(_ context.Context, w core.ModelWait) error {
					waits, streamed = append(waits, w), ""
					<-time.After(time.Until(w.Until))
					return nil
				}
				r, err := m.Stream(context.Background(), req, func(d core.Delta) { streamed += d.Text })
				if !f.class.Transient() {
					if err == nil && f.name != "404 route" || len(waits) > 0 {
						t.Fatalf("%+v, %v after %d waits: it is permanent", r, err, len(waits))
					}
					return
				}
				if err != nil || !strings.HasPrefix(r.Text, "Hello") || streamed != r.Text {
					t.Fatalf("%+v, %v; streamed %q", r, err, streamed)
				}
				if len(waits) < 2 || waits[0].Try != 1 || waits[0].Why == "" || waits[0].Parked != (f.class == model.ClassRateLimit) {
					t.Errorf("waits %+v", waits)
				}
			})
		}
	}
}

// What has streamed cannot be taken back where nobody is told: then there is no second answer.
func TestNoSecondAnswerUntold(t *testing.T) {
	for wire := range wires {
		streamed := ""
		_, err := patient(loopback(t, wire, streams("text.sse", "Hel", cut), 1), 5).Stream(context.Background(), ask("hi"), func(d core.Delta) { streamed += d.Text })
		if f, ok := model.FaultOf(err); !ok || f.Class != model.ClassNetwork || !strings.HasPrefix("Hello", streamed) || streamed == "" {
			t.Errorf("%s: %v after %q", wire, err, streamed)
		}
	}
}

func TestUnreached(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	open := httptest.NewServer(http.NotFoundHandler())
	open.Config.ErrorLog = quiet
	t.Cleanup(open.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, base string
		class      model.Class
		says, hint string
	}{
		{"refused", nobody, model.ClassNetwork, "nothing listens", "running there"},
		{"certificate", secure.URL, model.ClassTLS, "certificate", "SSL_CERT_FILE"},
		{"no TLS", "https" + strings.TrimPrefix(open.URL, "http"), model.ClassTLS, "", "speaks no TLS"},
		{"no URL", "nonsense", model.ClassInvalid, "base URL", "https://host/v1"},
	} {
		for wire := range wires {
			waits := 0
			req := ask("hi")
			req.Wait = func(context.Context, core.ModelWait) error { waits++; return nil }
			_, err := patient(at(wire, tt.base, model.NewHTTP(), time.Minute), 3).Stream(context.Background(), req, func(core.Delta) {})
			f, ok := model.FaultOf(err)
			if !ok || f.Class != tt.class || !strings.Contains(err.Error(), tt.says) || !strings.Contains(core.HintOf(err), tt.hint) {
				t.Errorf("%s at %s: %v (%s)", tt.name, wire, err, core.HintOf(err))
			}
			if want := map[bool]int{true: 2}[tt.class.Transient()]; waits != want {
				t.Errorf("%s at %s: %d waits, want %d", tt.name, wire, waits, want)
			}
		}
	}
}

// A tool that must be called and a temperature are sent, and left out where a server will have none.
func TestForceAndTemperature(t *testing.T) {
	for wire := range wires {
		var bodies []map[string]any
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			bodies = append(bodies, body)
			switch {
			case body["tool_choice"] != nil:
				says(400, "invalid_request_error", "tool_choice: not here")(wire, w, r)
			case body["temperature"] != nil:
				says(400, "invalid_request_error", "temperature: not here")(wire, w, r)
			default:
				streams("text.sse", "", nil)(wire, w, r)
			}
		}))
		req := ask("hi")
		req.Force, req.Temperature = "read_file", new(0.25)
		if _, err := at(wire, srv.URL, srv.Client(), time.Minute).Stream(context.Background(), req, func(core.Delta) {}); err != nil {
			t.Fatal(wire, err)
		}
		srv.Close()
		choice, err := json.Marshal(bodies[0]["tool_choice"])
		if err != nil || !strings.Contains(string(choice), `"name":"read_file"`) || bodies[0]["temperature"] != 0.25 {
			t.Errorf("%s: sent %s and %v, %v", wire, choice, bodies[0]["temperature"], err)
		}
		if len(bodies) != 3 {
			t.Errorf("%s: asked %d times, want 3", wire, len(bodies))
		}
	}
}
