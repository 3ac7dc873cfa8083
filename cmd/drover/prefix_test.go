package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// anthropicCalls and anthropicSays are the events of an answer of Anthropic's API.
func anthropicCalls(id, name, args string) string {
	b, _ := json.Marshal(args)
	return anthropicEvents(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"`+id+`","name":"`+name+`","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+string(b)+`}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`)
}

func anthropicSays(text string) string {
	return anthropicEvents(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+text+`"}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`)
}

func anthropicEvents(events ...string) string {
	var b strings.Builder
	for _, e := range append(append([]string{`{"type":"message_start","message":{"usage":{"input_tokens":9}}}`}, events...), `{"type":"message_stop"}`) {
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

// What a provider can cache stays the same, to the byte: tools, system prompt,
// and the messages so far, while files and git state change below it.
func TestPromptCanBeCached(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		call, say := calls, says
		if wire == "anthropic" {
			call, say = func(name, args string) string { return anthropicCalls("c"+name, name, args) }, anthropicSays
		}
		s := newWireServer(t, func(n int) string {
			switch n {
			case 1:
				return call("write_file", `{"path":"new.txt","content":"x"}`)
			case 2:
				return call("list_files", `{"path":"."}`)
			}
			return say("done")
		})
		p := newPerson(t, strings.ToUpper(wire)+"_BASE_URL="+s.URL, strings.ToUpper(wire)+"_API_KEY=k")
		if _, err := exec.LookPath("git"); err == nil {
			if out, err := exec.Command("git", "init", "-q", "-b", "trunk", p.work()).CombinedOutput(); err != nil {
				t.Fatal(string(out))
			}
		}
		if err := os.WriteFile(filepath.Join(p.work(), "AGENTS.md"), []byte("Use tabs."), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, fault, code := p.runs("run", "--allow-all", "--model", wire+"/m", "write a file"); code != 0 {
			t.Fatal(fault)
		}
		var bodies []map[string]json.RawMessage
		var systems []string
		var messages [][]json.RawMessage
		for _, raw := range s.sent {
			var body map[string]json.RawMessage
			var ms []json.RawMessage
			if err := json.Unmarshal(raw, &body); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(body["messages"], &ms); err != nil {
				t.Fatal(err)
			}
			system := string(body["system"])
			if wire == "openai" {
				system = string(ms[0])
			}
			bodies, systems, messages = append(bodies, body), append(systems, system), append(messages, ms)
		}
		if len(bodies) != 3 {
			t.Fatalf("%s: %d requests", wire, len(bodies))
		}
		for i := 1; i < len(bodies); i++ {
			if systems[i] != systems[0] || string(bodies[i]["tools"]) != string(bodies[0]["tools"]) {
				t.Errorf("%s: system prompt or tools of call %d differ:\n%s\n%s", wire, i+1, systems[0], systems[i])
			}
			for j, m := range messages[i-1] {
				if uncached(m) != uncached(messages[i][j]) {
					t.Errorf("%s: message %d of call %d differs:\n%s\n%s", wire, j, i+1, m, messages[i][j])
				}
			}
		}
		for _, want := range []string{"Use tabs.", "git branch: trunk", "platform: ", "date: " + time.Now().Format("2006-01-"), "working directory: "} {
			if !strings.Contains(systems[0], want) {
				t.Errorf("%s: the system prompt has no %q:\n%s", wire, want, systems[0])
			}
		}
		if wire == "anthropic" && (strings.Count(string(bodies[0]["tools"]), "cache_control") != 1 || strings.Count(systems[0], "cache_control") != 1) {
			t.Error("tools and system prompt are not marked for the cache")
		}
	}
}

// uncached is a message without the marks of Anthropic's cache, which move on.
func uncached(m json.RawMessage) string {
	return strings.ReplaceAll(string(m), `,"cache_control":{"type":"ephemeral"}`, "")
}
