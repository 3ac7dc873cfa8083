package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// person is somebody at a shell, with a home of his own.
type person struct {
	t    *testing.T
	home string
	env  []string
}

func newPerson(t *testing.T, env ...string) *person {
	home := t.TempDir()
	p := &person{t: t, home: home}
	if err := os.Mkdir(filepath.Join(home, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasSuffix(name, "_API_KEY") && !strings.HasSuffix(name, "_BASE_URL") && !strings.HasPrefix(name, "DROVER_") {
			p.env = append(p.env, kv)
		}
	}
	p.env = append(p.env, "HOME="+home, "DROVER_STATE="+p.state(), "DROVER_CONFIG="+filepath.Join(home, "config"), "DROVER_PACE=0", "GORACE=atexit_sleep_ms=0")
	p.env = append(p.env, env...)
	t.Cleanup(func() {
		if err := stopHosts(p.state()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *person) state() string { return filepath.Join(p.home, "state") }
func (p *person) work() string  { return filepath.Join(p.home, "work") }

func (p *person) command(args ...string) *exec.Cmd {
	p.t.Helper()
	exe, err := exec.LookPath("drover")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), exe, args...)
	cmd.Dir, cmd.Env = p.work(), p.env
	return cmd
}

// runs waits for the end of a command.
func (p *person) runs(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	return exitOf(p.t, cmd.Run(), &out, &fault)
}

func exitOf(t *testing.T, err error, out, fault *bytes.Buffer) (string, string, int) {
	t.Helper()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), fault.String(), e.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), fault.String(), 0
}

// untilSaid passes r on until a line has the words.
func untilSaid(t *testing.T, r *bufio.Reader, words string) {
	t.Helper()
	var all strings.Builder
	for {
		line, err := r.ReadString('\n')
		all.WriteString(line)
		if strings.Contains(line, words) {
			return
		}
		if err != nil {
			t.Fatalf("%v before %q:\n%s", err, words, &all)
		}
	}
}

// A signal cancels the whole tree; standard error says what was stopped.
func TestPromptSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := newPerson(t)
		cmd := p.command("run", "--output-format", "json", "demo sync 60")
		var out bytes.Buffer
		cmd.Stdout = &out
		pipe, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stderr := bufio.NewReader(pipe)
		untilSaid(t, stderr, "started slow")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		untilSaid(t, stderr, "cancelled 2 tasks")
		rest, err := io.ReadAll(stderr)
		if err != nil || !strings.Contains(string(rest), "main") || !strings.Contains(string(rest), "slow") {
			t.Errorf("%v: the receipt is %q, %v", sig, rest, err)
		}
		if got, _, code := exitOf(t, cmd.Wait(), &out, &bytes.Buffer{}); code != 130 || !strings.Contains(got, `"status":"cancelled","exit_code":130`) {
			t.Errorf("%v: exit code %d, %s", sig, code, got)
		}
		if got, _, _ := p.runs("ps", "--all", "--json"); strings.Count(got, `"status": "cancelled"`) != 2 {
			t.Errorf("%v: %s", sig, got)
		}
	}
}

// Where ending in order takes its time, a second signal leaves at once.
func TestPromptSecondSignal(t *testing.T) {
	p := newPerson(t)
	cmd := p.command("run", "demo sync 60")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	untilSaid(t, bufio.NewReader(pipe), "started slow")
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(p.state(), "drover.db")+"?_txlock=immediate&_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil) // nothing can be written: the cancel waits
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for { // two that come together may be one: a person presses again
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case err := <-over:
			if _, _, code := exitOf(t, err, &bytes.Buffer{}, &bytes.Buffer{}); code != 130 {
				t.Errorf("exit code %d", code)
			}
			return
		case <-tick.C:
		}
	}
}

// A reader that leaves after the first line ends the run, in order.
func TestPromptClosedOutput(t *testing.T) {
	p := newPerson(t)
	cmd := p.command("run", "--json", "demo sync 60")
	var fault bytes.Buffer
	cmd.Stderr = &fault
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	untilSaid(t, bufio.NewReader(pipe), `"type":"session"`)
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if _, said, code := exitOf(t, cmd.Wait(), &bytes.Buffer{}, &fault); code != 130 || !strings.Contains(said, "nobody reads the output") || strings.Contains(said, "panic") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if got, _, _ := p.runs("ps", "--all", "--json"); strings.Contains(got, `"status": "running"`) {
		t.Error(got)
	}
}

// wireServer answers streaming Chat Completions, and what is asked of Anthropic's Messages: each answer is what reply says of the n-th request.
type wireServer struct {
	*httptest.Server
	mu   sync.Mutex
	sent []json.RawMessage // bodies of the requests
}

func newWireServer(t *testing.T, reply func(n int) string) *wireServer {
	s := &wireServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
		if err != nil || !chat && !strings.HasSuffix(r.URL.Path, "/messages") {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.sent = append(s.sent, body)
		n := len(s.sent)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		out := reply(n)
		if chat {
			out += "data: [DONE]\n\n"
		}
		_, _ = io.WriteString(w, out)
	}))
	t.Cleanup(s.Close)
	return s
}

// says and calls are the events of an answer.
func says(text string) string {
	b, _ := json.Marshal(text)
	return `data: {"choices":[{"index":0,"delta":{"content":` + string(b) + `},"finish_reason":"stop"}]}` + "\n\n"
}

func calls(name, args string) string {
	b, _ := json.Marshal(args)
	return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c` + name + `","type":"function","function":{"name":"` + name + `","arguments":` + string(b) + `}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
}

// A model that hands in what does not fit is told, and the result is printed alone.
func TestPromptSchema(t *testing.T) {
	s := newWireServer(t, func(n int) string {
		switch n {
		case 1:
			return calls("complete_task", `{"result":{"total":"three"}}`)
		case 2:
			return calls("complete_task", `{"result":{"total":3}}`)
		}
		return says("too much")
	})
	p := newPerson(t, "OPENAI_BASE_URL="+s.URL, "OPENAI_API_KEY=k")
	out, fault, code := p.runs("run", "--model", "openai/m", "--schema", `{"type":"object","required":["total"],"properties":{"total":{"type":"integer"}}}`, "add up")
	if code != 0 || out != "{\n  \"total\": 3\n}\n" || !strings.Contains(fault, "result refused") {
		t.Errorf("exit code %d, %q, %s", code, out, fault)
	}
}

// What the provider says it cost counts against the budget; the answer at the
// limit is printed, and the cost is in the result.
func TestPromptBudgetCost(t *testing.T) {
	s := newWireServer(t, func(n int) string {
		cost := "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"cost\":0.5}}\n\n"
		if n == 1 {
			return calls("list_files", `{"path":"."}`) + cost
		}
		return says("what there is") + cost
	})
	p := newPerson(t, "OPENAI_BASE_URL="+s.URL)
	out, fault, code := p.runs("run", "--output-format", "json", "--model", "openai/m", "--budget-cost", "0.1", "work")
	if code != 4 || !strings.Contains(out, `"text":"what there is","partial":true`) || !strings.Contains(out, `"error_code":"budget_exceeded"`) || !strings.Contains(fault, "no price is known of openai/m") {
		t.Errorf("exit code %d, %s%s", code, out, fault)
	}
}
