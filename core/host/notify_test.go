package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

func toolCall(id, name, args string) core.ModelReply {
	return core.ModelReply{Calls: []core.ToolCall{{ID: id, Name: name, Args: json.RawMessage(args)}}}
}

// TestNotify is cases smd-run-010, -011 and -013: a child tells of its progress,
// people see all of it, its parent hears of it at most once in five seconds and
// is not woken by it; a tool outside the child's set is refused as a result.
func TestNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := 0
		w := newWorld(t, func(ctx context.Context, req core.ModelRequest) (core.ModelReply, error) {
			if req.Task.Agent != "main" {
				step++
				switch step {
				case 1:
					return toolCall("n1", "notify", `{"message":"half\u001b[31m"}`), nil
				case 2:
					return toolCall("n2", "notify", `{"message":"a little more"}`), nil
				case 3:
					time.Sleep(10 * time.Second)
					return toolCall("x", "shell_exec", `{"command":"id"}`), nil
				case 4:
					if r := req.Messages[len(req.Messages)-1]; !r.Failed || !strings.Contains(r.Text, "not available") {
						t.Errorf("outside the set: %+v", r)
					}
					return toolCall("n3", "notify", `{"message":"nearly there"}`), nil
				}
				return core.ModelReply{Text: "done"}, nil
			}
			if len(req.Messages) == 1 {
				return toolCall("t1", "task", `{"description":"look","prompt":"look","agent_type":"explore","mode":"background"}`), nil
			}
			if len(req.Messages) == 3 {
				return core.ModelReply{Text: "I wait"}, nil
			}
			return core.ModelReply{Text: "all told"}, nil
		})
		w.start(core.NewSession{Prompt: "go"})
		w.pass(5 * time.Second)
		if main := w.tree()[0]; main.Status != core.Idle || main.Turn != 1 {
			t.Errorf("progress woke the parent: %v %d", main.Status, main.Turn)
		}
		w.pass(time.Minute)
		var told []string
		err := w.store.View(w.ctx, func(r core.Reader) error {
			events, err := r.Events(core.EventFilter{Session: w.root.ID, Kinds: []core.EventKind{core.EvNotify}, Notable: true})
			for _, e := range events {
				told = append(told, e.Text)
			}
			return err
		})
		if err != nil || len(told) != 3 || !strings.HasSuffix(told[0], ": half") {
			t.Errorf("shown: %q %v", told, err)
		}
		last := w.seen[len(w.seen)-1].Messages
		var heard string
		for _, m := range last {
			if m.Role == core.RoleUser {
				heard += m.Text + "\n"
			}
		}
		if !strings.Contains(heard, "half") || strings.Contains(heard, "a little more") || !strings.Contains(heard, "nearly there") || strings.Contains(heard, "\x1b") {
			t.Errorf("the parent heard %q", heard)
		}
		for _, req := range w.seen {
			if req.Task.Agent != "main" {
				for _, s := range req.Tools {
					if s.Name == "write_file" || s.Name == "task" {
						t.Errorf("the child was shown %s", s.Name)
					}
				}
			}
		}
		w.close()
	})
}

// TestRecord replays what was done, and rows from before tasks had a type.
func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var replies []string
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			last := req.Messages[len(req.Messages)-1]
			replies = append(replies, last.Text)
			switch {
			case last.Text == "one":
				return toolCall("p", "probe", `{"fail":"two\nlines"}`), nil
			case last.Text == "look":
				return toolCall("l", "task_list", `{}`), nil
			case last.Tool == "task_list":
				return toolCall("r", "task_replay", `{"task":"`+req.Task.Task+`","turn":1}`), nil
			}
			return core.ModelReply{Text: "so it is"}, nil
		})
		w.start(core.NewSession{Prompt: "one"})
		w.settle()
		err := w.store.Update(w.ctx, core.Acknowledged, func(tx core.Tx) error {
			s, err := tx.Session(w.root.ID)
			if err != nil {
				return err
			}
			s.ID = "old1"
			if err := tx.InsertSession(s); err != nil {
				return err
			}
			return tx.InsertTask(core.Task{ID: "old1", Session: "old1", Kind: core.KindMain, Description: "long ago", State: core.State{Status: core.Completed}}, core.Spec{})
		})
		if err != nil {
			t.Fatal(err)
		}
		w.send(w.root.ID, "look", core.Queue)
		w.settle()
		all := strings.Join(replies, "\n---\n")
		for _, want := range []string{"old1 (general, session old1, not begun): completed", "## turn 1", "1 user writes: one", "calls probe", "result of probe, failed: two\n    lines", "the agent answers: so it is", "(end)"} {
			if !strings.Contains(all, want) {
				t.Errorf("no %q in:\n%s", want, all)
			}
		}
		w.close()
	})
}

// TestSleepIsNoEscape holds that a sleeping agent is not taken for one that
// hangs, and that it cannot sleep past its hard timeout.
func TestSleepIsNoEscape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept atomic.Int64
		at := time.Now()
		w := newWorld(t, func(_ context.Context, req core.ModelRequest) (core.ModelReply, error) {
			switch {
			case req.Task.Agent == "main" && len(req.Messages) == 1:
				return toolCall("t1", "task", `{"description":"wait","prompt":"wait","agent_type":"general-purpose","name":"sleeper"}`), nil
			case req.Task.Agent == "main":
				return core.ModelReply{Text: "done"}, nil
			}
			n := slept.Add(1)
			return toolCall(fmt.Sprint("s", n), "sleep", `{"seconds":600}`), nil
		})
		w.start(core.NewSession{Prompt: "go"})
		w.pass(time.Minute)
		if v := w.tree()[1]; v.Activity != core.ActTool || !strings.HasPrefix(v.Detail, "asleep until ") {
			t.Errorf("%s %q", v.Activity, v.Detail)
		}
		w.pass(10 * time.Minute)
		if slept.Load() != 2 {
			t.Errorf("after %v: %d sleeps, %+v", time.Since(at), slept.Load(), w.tree()[1].State())
		}
		w.pass(10 * time.Minute)
		if v := w.tree()[1]; v.Activity == core.ActTool {
			t.Errorf("it sleeps on after %v", time.Since(at))
		}
		if text := w.timeline(); !strings.Contains(text, "15 minutes") {
			t.Errorf("the hard timeout does not show:\n%s", text)
		}
		w.close()
	})
}
