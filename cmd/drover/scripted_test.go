package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// leafCalls is how many tool calls, one after the other, a subagent makes.
const leafCalls = 4

// scripted is a model server on loopback that speaks streaming Chat
// Completions and plays a script that the first user message names:
//
//	FAN n leaf   starts n background subagents "leaf i", then answers when it has heard of all of them
//	LEAF i       leafCalls calls of read_file, then an answer
//	STREAM i     an answer of 100 tokens a second for streamFor
//	CHAIN n      n calls of read_file, then an answer
//	SHELL n      n calls of shell, then an answer
//	ENDLESS      an answer that never ends
//	anything     an answer
type scripted struct {
	*httptest.Server
	latency   time.Duration
	streamFor time.Duration
	calls     atomic.Int64
	began     chan struct{}  // an endless answer has begun
	gone      chan time.Time // the client of an endless answer has left
}

func newScripted(tb testing.TB, latency time.Duration) *scripted {
	s := &scripted{latency: latency, streamFor: 3 * time.Second, began: make(chan struct{}, 1), gone: make(chan time.Time, 1)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	tb.Cleanup(s.Close)
	return s
}

type sentMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	answer := time.After(s.latency) // from the request's last byte on: to read it is a part of the latency
	// Only the messages are taken apart: a provider does not work on this machine.
	_, list, _ := bytes.Cut(body, []byte(`"messages":`))
	var messages []sentMessage
	if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(bytes.NewReader(list)).Decode(&messages) != nil {
		http.NotFound(w, r)
		return
	}
	s.calls.Add(1)
	answers, prompt := 0, ""
	for _, m := range messages {
		switch {
		case m.Role == "assistant":
			answers++
		case m.Role == "user" && prompt == "":
			if err := json.Unmarshal(m.Content, &prompt); err != nil {
				prompt = ""
			}
		}
	}
	if _, own, ok := strings.Cut(prompt, "] "); ok { // a subagent's says who it is from
		prompt = own
	}
	words := append(strings.Fields(prompt), "", "", "")
	<-answer
	w.Header().Set("Content-Type", "text/event-stream")
	switch n, _ := strconv.Atoi(words[1]); {
	case words[0] == "FAN" && answers == 0:
		s.fan(w, n, words[2])
	case words[0] == "FAN":
		heard := 0
		for _, m := range messages {
			if m.Role == "user" {
				heard += strings.Count(string(m.Content), "[notice]")
			}
		}
		s.text(w, fmt.Sprintf("heard of %d of %d", heard, n))
	case words[0] == "LEAF" && answers < leafCalls, words[0] == "CHAIN" && answers < n:
		args := `{\"path\":\"note.txt\"}`
		s.event(w, `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[%s]}}]}`, toolCall(0, fmt.Sprintf("c%d", answers), "read_file", args))
		s.done(w, "tool_calls")
	case words[0] == "SHELL" && answers < n:
		s.event(w, `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[%s]}}]}`, toolCall(0, fmt.Sprintf("c%d", answers), "shell", `{\"command\":\"echo done\"}`))
		s.done(w, "tool_calls")
	case words[0] == "STREAM":
		s.stream(w, r, int(s.streamFor/(10*time.Millisecond)))
	case words[0] == "ENDLESS":
		s.began <- struct{}{}
		s.stream(w, r, 1<<30)
		s.gone <- time.Now()
	default:
		s.text(w, "This is the answer.")
	}
}

func toolCall(i int, id, name, args string) string {
	return fmt.Sprintf(`{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":"%s"}}`, i, id, name, args)
}

func (s *scripted) event(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "data: "+format+"\n\n", args...) // a client that has left is none of the server's faults
}

func (s *scripted) fan(w io.Writer, n int, leaf string) {
	for i := range n {
		args := fmt.Sprintf(`{\"agent_type\":\"explore\",\"mode\":\"background\",\"description\":\"read a note\",\"prompt\":\"%s %d\"}`, leaf, i)
		s.event(w, `{"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}`, toolCall(i, fmt.Sprintf("s%d", i), "task", args))
	}
	s.done(w, "tool_calls")
}

func (s *scripted) text(w io.Writer, text string) {
	for word := range strings.FieldsSeq(text) {
		s.event(w, `{"choices":[{"index":0,"delta":{"content":%q}}]}`, word+" ")
	}
	s.done(w, "stop")
}

func (s *scripted) done(w io.Writer, reason string) {
	s.event(w, `{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
	s.event(w, `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// stream writes tokens, one in 10 ms; where it falls behind it catches up.
func (s *scripted) stream(w http.ResponseWriter, r *http.Request, tokens int) {
	token := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"x","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
	flush := http.NewResponseController(w)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	for sent := 0; sent < tokens; {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		for due := min(tokens, int(time.Since(began)/(10*time.Millisecond))); sent < due; sent++ {
			_, err := w.Write(token)
			if err == nil {
				err = flush.Flush()
			}
			if err != nil {
				return
			}
		}
	}
	s.done(w, "stop")
}
