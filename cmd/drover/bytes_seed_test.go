package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drover/core"
	"drover/store"
)

// hostileRegistry is one in which every text that comes from elsewhere is a payload.
func hostileRegistry(t *testing.T, state, dir string) {
	t.Helper()
	s, err := store.Open(t.Context(), state, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	at := func(n int) time.Time { return now.Add(time.Duration(n-600) * time.Second) }
	task := func(id, parent, name string, st core.Status, act core.Activity) core.Task {
		t := core.Task{
			ID: id, Session: "mevil", Parent: parent, Kind: core.KindAgent, Agent: payload("qagent"), Name: payload(name), Description: payload("qabout"), Depth: 1, Mode: core.Background, Model: payload("qmodel"), Created: at(0),
			State:  core.State{Status: st, Activity: act, Detail: payload("qdetail"), Intent: payload("qintent"), Turn: 1, Opener: "mevil"},
			Times:  core.Times{Started: at(1), Active: time.Minute, LastEvent: at(60)},
			Ending: core.Ending{Summary: payload("qsummary"), Error: payload("qerror")},
		}
		if st == core.Running {
			t.ActiveSince = at(1)
		}
		if st.Terminal() {
			t.Ended = at(90)
		}
		return t
	}
	main := task("mevil", "", "qmain", core.Idle, "")
	main.Kind, main.Depth = core.KindMain, 0
	args, err := json.Marshal(map[string]string{"command": payload("qcommand"), payload("qfield"): payload("qvalue")})
	if err != nil {
		t.Fatal(err)
	}
	def, err := json.Marshal(map[string]any{"name": payload("qdef"), "description": payload("qdefabout"), "tools": []string{payload("qtool")}, "source": payload("/qsource")})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(context.Background(), core.Acknowledged, func(tx core.Tx) error {
		var errs []error
		ok := func(err error) { errs = append(errs, err) }
		ok(tx.InsertSession(core.Session{ID: "mevil", Dir: dir, Title: payload("qtitle"), Agent: "main", Model: payload("qmodel"), Created: at(0), Updated: at(60)}))
		for _, x := range []core.Task{main, task("cidle", "mevil", "qidle", core.Idle, ""), task("cbusy", "mevil", "qbusy", core.Running, core.ActApproval), task("cdead", "mevil", "qdead", core.Failed, "")} {
			ok(tx.InsertTask(x, core.Spec{Prompt: payload("qprompt"), System: payload("qsystem"), Tools: []string{payload("qtool")}, Agent: def}))
		}
		ok(tx.PutTurn(core.Turn{Task: "cidle", N: 1, Prompt: payload("qprompt"), Sender: payload("qsender"), Response: payload("qresponse"), Started: at(1), Ended: at(60), ToolCalls: 1}))
		for i, e := range []core.Entry{
			{Kind: core.EntryMessage, Sender: payload("qsender"), Text: payload("qmessage")},
			{Kind: core.EntryAnswer, Step: 1, Reasoning: payload("qthought"), Text: payload("qsaid") + "\n\n```" + payload("qlang") + "\n" + payload("qcode") + "\n```\n| " + payload("qhead") + " | b |\n| --- | --- |\n| [" + payload("qlabel") + "](http://x/" + payload("qurl") + ") | c |\n",
				Calls: []core.ToolCall{{ID: "1", Name: payload("qcall"), Args: args}, {ID: "2", Name: "write_file", Args: json.RawMessage(`{"path":"qfile.md","content":"qwritten \u001b[199m \u009b199m \u202e\n"}`)}}},
			{Kind: core.EntryCall, Step: 1, CallID: "1", Tool: payload("qcall")},
			{Kind: core.EntryResult, Step: 1, CallID: "1", Tool: payload("qcall"), Text: payload("qoutput"), Failed: true, Full: payload("/qfull")},
			{Kind: core.EntryCall, Step: 1, CallID: "2", Tool: "write_file"},
			{Kind: core.EntryResult, Step: 1, CallID: "2", Tool: "write_file", Text: payload("qwrote")},
			{Kind: core.EntryAnswer, Step: 2, Text: payload("qlast")},
		} {
			e.Task, e.Turn, e.At = "cidle", 1, at(2+i)
			_, err := tx.AppendEntry(e)
			ok(err)
		}
		_, err := tx.InsertApproval(core.Approval{Session: "mevil", Task: "cbusy", CallID: "9", Tool: payload("qasks"), Args: args, Subject: payload("qsubject"), State: core.AppPending, Created: at(70)})
		ok(err)
		_, err = tx.InsertRequest(core.Request{Session: "mevil", Task: "cbusy", Kind: core.ReqMessage, Text: payload("qwaits"), Delivery: core.Queue, Sender: payload("qsender"), State: core.ReqQueued, Created: at(71)})
		ok(err)
		for i, k := range []core.EventKind{core.EvSessionStart, core.EvStart, core.EvRetry, core.EvRefused, core.EvHook, core.EvNotify, core.EvFailed} {
			_, err = tx.AppendEvent(core.Event{Session: "mevil", Task: "cidle", At: at(5 + i), Kind: k, Notable: true, Text: payload("qevent")})
			ok(err)
		}
		seq, err := tx.AppendEvent(core.Event{Session: "mevil", Task: "mevil", At: at(80), Kind: core.EvTaskComplete, Notable: true, Text: "done: " + payload("qdeclared")})
		ok(err)
		v := core.Review{Session: "mevil", Seq: seq, At: at(80), Outcome: core.Outcome(payload("qoutcome")), Summary: payload("qdone"), NotDone: []string{payload("qnotdone")}, State: core.ReviewOpen}
		b, err := json.Marshal(v)
		ok(err)
		ok(tx.PutFact("review "+v.ID(), string(b)))
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// hostileFolder is a project whose name and whose agents are hostile.
func hostileFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "qdir\x1b[199m\x1b]0;PWNED\x07\u202e\u009b199m")
	agents := filepath.Join(dir, ".drover", "agents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"evil\x1b]0;PWNED\x07.md": "---\nname: qevil\ndescription: \"qfolder \\e[199m\\e]0;PWNED\\a \\u202e \\u009b199m\"\n---\n" + payload("qbody"),
		"bad.md":                  "---\nname: [\n" + payload("qbad") + "\n---\n",
	} {
		if err := os.WriteFile(filepath.Join(agents, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
