package coretest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/core/coretest"
)

func ask(t *testing.T, m core.Model, task, agent string) (core.ModelReply, []core.Delta, error) {
	t.Helper()
	var deltas []core.Delta
	req := core.ModelRequest{Task: core.TaskInfo{Task: task, Agent: agent}}
	reply, err := m.Stream(t.Context(), req, func(d core.Delta) { deltas = append(deltas, d) })
	return reply, deltas, err
}

func TestScriptList(t *testing.T) {
	s := coretest.NewList(map[string][]coretest.Reply{
		"main":    {coretest.Use(coretest.Call("c1", "task", map[string]any{"name": "x"})), coretest.Say("done")},
		"explore": {coretest.Say("found")},
		"k9":      {{Chunks: []string{"a", "b"}, Reasoning: "hm", Tokens: core.Tokens{In: 3}}},
	})
	reply, deltas, err := ask(t, s, "m", "main")
	if err != nil || len(deltas) != 0 || len(reply.Calls) != 1 || string(reply.Calls[0].Args) != `{"name":"x"}` {
		t.Errorf("first: %+v, %v, %v", reply, deltas, err)
	}
	for _, task := range []string{"e1", "e2"} { // each task has the list to itself
		if reply, _, err := ask(t, s, task, "explore"); err != nil || reply.Text != "found" {
			t.Errorf("%s: %+v, %v", task, reply, err)
		}
	}
	reply, deltas, err = ask(t, s, "k9", "explore")
	if err != nil || reply.Text != "ab" || reply.Reasoning != "hm" || reply.Tokens.In != 3 || len(deltas) != 2 || deltas[0].Reasoning != "hm" {
		t.Errorf("chunks: %+v, %v, %v", reply, deltas, err)
	}
	if reply, _, err := ask(t, s, "m", "main"); err != nil || reply.Text != "done" {
		t.Errorf("second: %+v, %v", reply, err)
	}
	if _, _, err := ask(t, s, "m", "main"); core.CodeOf(err) != core.CodeModel || !strings.Contains(err.Error(), `"main"`) {
		t.Errorf("one too many: %v", err)
	}
	if _, _, err := ask(t, s, "x", "stranger"); core.CodeOf(err) != core.CodeModel || !strings.Contains(err.Error(), `"stranger"`) {
		t.Errorf("no script: %v", err)
	}
	if all, main, k9 := len(s.Requests()), len(s.RequestsOf("main")), len(s.RequestsOf("k9")); all != 7 || main != 3 || k9 != 1 {
		t.Errorf("recorded %d, %d, %d requests", all, main, k9)
	}
}

func TestScriptWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		broken := errors.New("broken")
		s := coretest.NewScript(func(_ core.ModelRequest, call int) coretest.Reply {
			return []coretest.Reply{
				{Chunks: []string{"a", "b", "c"}, Delay: time.Second},
				{Text: "held", Hold: hold},
				{Text: "never", Delay: time.Hour},
				{Chunks: []string{"half"}, Err: broken},
			}[call-1]
		})
		begin := time.Now()
		if _, deltas, err := ask(t, s, "t", "a"); err != nil || len(deltas) != 3 || time.Since(begin) != 3*time.Second {
			t.Errorf("%v, %v after %v", deltas, err, time.Since(begin))
		}
		var held sync.WaitGroup
		held.Go(func() {
			if reply, _, err := ask(t, s, "t", "a"); err != nil || reply.Text != "held" || time.Since(begin) != time.Minute {
				t.Errorf("%+v, %v after %v", reply, err, time.Since(begin))
			}
		})
		time.Sleep(time.Minute - time.Since(begin))
		close(hold)
		held.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		req := core.ModelRequest{Task: core.TaskInfo{Task: "t"}}
		if _, err := s.Stream(ctx, req, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if _, deltas, err := ask(t, s, "t", "a"); !errors.Is(err, broken) || len(deltas) != 1 {
			t.Errorf("%v, %v", deltas, err)
		}
	})
}

// What is recorded stays as it was, though the caller goes on appending.
func TestScriptRecords(t *testing.T) {
	s := coretest.NewScript(func(core.ModelRequest, int) coretest.Reply { return coretest.Say("x") })
	messages := make([]core.Message, 1, 9)
	if _, err := s.Stream(t.Context(), core.ModelRequest{Messages: messages}, nil); err != nil {
		t.Fatal(err)
	}
	messages[0].Text = "changed"
	if got := s.Requests()[0].Messages; len(got) != 1 || got[0].Text != "" {
		t.Errorf("recorded %+v", got)
	}
	raw := coretest.Call("1", "shell", json.RawMessage(`{"broken`))
	if string(raw.Args) != `{"broken` {
		t.Errorf("args %s", raw.Args)
	}
}
