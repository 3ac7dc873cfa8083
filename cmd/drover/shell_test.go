package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to keeps no signal from ending the run; one that
// somebody writes to holds the schema or the message.
func TestRunReadsPipes(t *testing.T) {
	s := newWireServer(t, func(int) string { return calls("complete_task", `{"result":{}}`) })
	p := newPerson(t, "OPENAI_BASE_URL="+s.URL)
	fifo := filepath.Join(p.home, "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	for _, args := range [][]string{{"run", "--schema", fifo, "hi"}, {"run", "-"}} {
		cmd := p.command(args...)
		cmd.Stdin = reader
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		tick := time.NewTicker(100 * time.Millisecond)
		for ended := false; !ended; { // the first may come before anybody listens
			select {
			case err := <-over:
				if _, _, code := exitOf(t, err, &bytes.Buffer{}, &bytes.Buffer{}); code != 130 && code != -1 {
					t.Errorf("%v: exit code %d", args, code)
				}
				ended = true
			case <-tick.C:
				_ = cmd.Process.Signal(syscall.SIGINT) // it may just have ended
			}
		}
		tick.Stop()
	}
	cmd := p.command("run", "--model", "openai/m", "--schema", "/dev/stdin", "hi")
	cmd.Stdin = strings.NewReader(`{"type":"object"}`)
	if out, err := cmd.Output(); err != nil || string(out) != "{}\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, fault, code := p.runs("run", "--schema", p.home, "hi"); code != 2 || !strings.Contains(fault, "is a directory") {
		t.Errorf("exit code %d, %s", code, fault)
	}
	if _, fault, code := p.runs("run", "--schema", "/dev/zero", "hi"); code != 2 || !strings.Contains(fault, "more than 1 MiB") {
		t.Errorf("exit code %d, %s", code, fault)
	}
}

// What cannot be written is an error, whoever prints it.
func TestOutputFull(t *testing.T) {
	s := newWireServer(t, func(int) string { return says("an answer") })
	p := newPerson(t, "OPENAI_BASE_URL="+s.URL)
	for _, args := range [][]string{{"run", "--model", "openai/m", "hi"}, {"run", "--model", "openai/m", "--output-format", "json", "hi"}, {"run", "--model", "openai/m", "--json", "hi"}, {"ps", "--all"}, {"help"}, {"completion", "bash"}} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		cmd := p.command(args...)
		var fault bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &fault
		if _, _, code := exitOf(t, cmd.Run(), &bytes.Buffer{}, &fault); code != 1 || !strings.Contains(fault.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", args, code, &fault)
		}
		_ = full.Close()
	}
}

// An error before the session begins is a result too, where JSON is wanted.
func TestErrorsAsJSON(t *testing.T) {
	p := newPerson(t)
	for _, args := range [][]string{{"--model", "nope/x", "hi"}, {"--max-turns", "-1", "hi"}, {"--schema", "/nope", "hi"}, {"--agent", "nope\x1b[31m", "hi"}, {" "}} {
		for _, format := range []string{"json", "stream-json"} {
			out, fault, code := p.runs(append([]string{"run", "--output-format", format}, args...)...)
			var line resultLine
			if err := json.Unmarshal([]byte(out), &line); err != nil || code != 2 || line.ExitCode != 2 || line.Error == "" || line.Status != "failed" || fault == "" {
				t.Errorf("%v: exit code %d, %v, %s%s", args, code, err, out, fault)
			}
		}
	}
}

// A turn that was stopped at its limit is not forgotten where the end of a child wakes the agent again.
func TestLimitThenWoken(t *testing.T) {
	var at atomic.Pointer[wireServer]
	var limited atomic.Bool
	released := make(chan struct{})
	s := newWireServer(t, func(n int) string {
		s := at.Load()
		s.mu.Lock()
		raw := s.sent[n-1]
		s.mu.Unlock()
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		last, told := body.Messages[len(body.Messages)-1], ""
		for _, m := range body.Messages {
			if m.Role == "user" {
				told = m.Content
			}
		}
		switch {
		case strings.Contains(told, "[notice]"):
			return says("woken")
		case strings.Contains(told, "[limit]"):
			if limited.CompareAndSwap(false, true) {
				close(released)
			}
			return says("what there is")
		case strings.Contains(told, "the child's work"):
			<-released
			return says("child")
		case last.Role == "tool":
			return calls("list_files", `{"path":"."}`)
		}
		return calls("task", `{"description":"a","prompt":"the child's work","agent_type":"general-purpose","mode":"background"}`)
	})
	at.Store(s)
	p := newPerson(t, "OPENAI_BASE_URL="+s.URL)
	out, fault, code := p.runs("run", "--model", "openai/m", "--max-turns", "2", "--output-format", "json", "work")
	if code != 4 || !strings.Contains(out, `"text":"woken"`) || !strings.Contains(out, `"error_code":"max_turns"`) || !strings.Contains(out, `"exit_code":4`) {
		t.Errorf("exit code %d, %s%s", code, out, fault)
	}
}
