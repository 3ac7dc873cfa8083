package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drover/core"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files writes files into a new directory. Those that begin with #! can be run.
func files(t testing.TB, all map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, text := range all {
		path, mode := filepath.Join(dir, name), os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), mode))
	}
	return dir
}

func trusting(roots ...string) func(context.Context) (func(string, string) bool, error) {
	return func(context.Context) (func(string, string) bool, error) {
		return func(root, content string) bool {
			for _, r := range roots {
				if r == root || r == root+"#"+content {
					return true
				}
			}
			return false
		}, nil
	}
}

// sh is a set of hooks of the settings: lines for the shell at one point.
func sh(point core.HookPoint, lines ...string) *Set {
	var all []Hook
	for _, l := range lines {
		all = append(all, Hook{Point: point, Command: l})
	}
	return with(all...)
}

func with(all ...Hook) *Set {
	return Open(Options{Settings: func() ([]Hook, error) { return all, nil }, Environ: os.Environ()})
}

func stop(dir string) core.HookEvent {
	return core.HookEvent{
		Point: core.HookSubagentStop, Session: "s1", Task: "t2", Parent: "t1", Kind: core.KindAgent, Agent: "explore", Dir: dir,
		StopReason: "end_turn", Response: "it is so",
	}
}

func TestAnswers(t *testing.T) {
	long := `head -c 70000 /dev/zero | tr '\0' x`
	for _, tt := range []struct {
		name    string
		point   core.HookPoint
		line    string
		context string
		reason  string // of a block
		problem string
	}{
		{name: "nothing", line: "true"},
		{name: "text at a stop says nothing", line: "echo all is well"},
		{name: "block", line: `echo '{"decision":"block","reason":"run the tests"}'`, reason: "run the tests"},
		{name: "deny", line: `echo '{"decision":"deny","reason":"no"}'`, reason: "no"},
		{name: "specific", line: `echo '{"hookSpecificOutput":{"decision":"block","reason":"no"}}'`, reason: "no"},
		{name: "approve", line: `echo '{"decision":"approve","reason":"fine"}'`},
		{name: "code 2", line: "echo not yet >&2; exit 2", reason: "not yet"},
		{name: "code 2 beats the output", line: `echo '{"decision":"approve"}'; echo not yet >&2; exit 2`, reason: "not yet"},
		{name: "code 2 without a reason", line: "exit 2", problem: "it blocks and gives no reason"},
		{name: "block without a reason", line: `echo '{"decision":"block"}'`, problem: "it blocks and gives no reason"},
		{name: "continue false lets it stop", line: `echo '{"continue":false,"decision":"block","reason":"x"}'`},
		{name: "continue true", line: `echo '{"continue":true,"decision":"block","reason":"x"}'`, reason: "x"},
		{name: "unknown decision", line: `echo '{"decision":"maybe"}'`, problem: `its decision "maybe" is neither block nor allow`},
		{name: "no JSON", line: `echo '{"decision":'`, problem: "its answer cannot be used: it is no valid JSON, line 1"},
		{name: "wrong type", line: `echo '{"decision":3}'`, problem: "decision is a JSON number where a text is wanted"},
		{name: "JSON and more", line: `echo '{} {}'`, problem: "no valid JSON"},
		{name: "too long", line: "echo '{'; " + long, problem: "longer than 64 KiB"},
		{name: "code 1", line: "echo boom >&2; exit 1", problem: "it ended with exit code 1: boom"},
		{name: "killed", line: "kill -9 $$", problem: "it ended with exit code 137"},
		{name: "not found", line: "no-such-program-here", problem: "was not found"},
		{name: "escape codes", line: `printf '{"decision":"block","reason":"\\u001b[31mred\\u0007 \\u202etxt"}'`, reason: "red txt"},
		{name: "no UTF-8", line: `printf 'a\377b' >&2; exit 2`, reason: "a\ufffdb"},
		{name: "secret", line: "echo hush-hush >&2; exit 2", reason: "[secret]"},

		{name: "text is context", point: core.HookSubagentStart, line: "echo 'use tabs'", context: "use tabs"},
		{name: "both places", point: core.HookSubagentStart, line: `echo '{"additionalContext":"a","hookSpecificOutput":{"additionalContext":"b"}}'`, context: "a\n\nb"},
		{name: "long text", point: core.HookSubagentStart, line: long, context: strings.Repeat("x", most) + "\n[the rest was cut: a hook may say 64 KiB]"},
		{name: "a start cannot be blocked", point: core.HookSubagentStart, line: "echo no >&2; exit 2", problem: "it blocks, which this point cannot do: no"},
		{name: "nor stopped", point: core.HookSubagentStart, line: `echo '{"continue":false,"stopReason":"quota"}'`, problem: "(continue: false), which this point cannot do: quota"},
		{name: "nor a completion", point: core.HookTaskComplete, line: `echo '{"decision":"block","reason":"x"}'`, problem: "which this point cannot do: x"},
		{name: "context elsewhere says nothing", point: core.HookNotification, line: `echo '{"additionalContext":"a"}'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			point := tt.point
			if point == "" {
				point = core.HookSubagentStop
			}
			s := sh(point, tt.line)
			s.o.Mask = func(t string) string { return strings.ReplaceAll(t, "hush-hush", "[secret]") }
			e := stop(t.TempDir())
			e.Point = point
			out, err := s.At(e.Dir).Run(t.Context(), e)
			must(t, err)
			if out.Context != tt.context || out.Block != (tt.reason != "") || out.Reason != tt.reason {
				t.Errorf("got context %.80q, block %v, reason %q", out.Context, out.Block, out.Reason)
			}
			if len(out.Ran) != 1 || (out.Ran[0].Problem == "") != (tt.problem == "") || !strings.Contains(out.Ran[0].Problem, tt.problem) {
				t.Errorf("ran %+v, want the problem %q", out.Ran, tt.problem)
			}
		})
	}
}

func TestAllRunInOrderAndOneBreaksNone(t *testing.T) {
	dir := t.TempDir()
	s := sh(core.HookSubagentStop, "echo a >>log", "exit 7", "echo b >>log; echo first >&2; exit 2", "echo a >>log", "echo c >>log; echo second >&2; exit 2")
	out, err := s.At(dir).Run(t.Context(), stop(""))
	must(t, err)
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	must(t, err)
	if string(log) != "a\nb\nc\n" || out.Reason != "first" || len(out.Ran) != 4 || !strings.Contains(out.Ran[1].Problem, "exit code 7") {
		t.Errorf("log %q, outcome %+v", log, out)
	}
	s = sh(core.HookSubagentStart, "echo one", "true", "echo two")
	out, err = s.At(dir).Run(t.Context(), core.HookEvent{Point: core.HookSubagentStart})
	if err != nil || out.Context != "one\n\ntwo" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestRequired(t *testing.T) {
	s := with(Hook{Point: core.HookSubagentStop, Command: "echo no disk >&2; exit 3", Required: true}, Hook{Point: core.HookSubagentStop, Command: "echo go on >&2; exit 2"})
	out, err := s.At(t.TempDir()).Run(t.Context(), stop(""))
	if core.CodeOf(err) != core.CodeHookFailed || !strings.Contains(err.Error(), "config.toml: subagentStop[0] broke: it ended with exit code 3: no disk") || core.HintOf(err) == "" {
		t.Errorf("error %v, hint %q", err, core.HintOf(err))
	}
	if len(out.Ran) != 2 || !out.Ran[0].Required || out.Reason != "go on" {
		t.Errorf("the others ran? %+v", out)
	}
}

func TestTimeLimitAndCancel(t *testing.T) {
	dir := t.TempDir()
	s := with(Hook{Point: core.HookSubagentStop, Command: "trap '' TERM; setsid sleep 1000 & echo $! >pid; wait", Timeout: 300 * time.Millisecond})
	out, err := s.At(dir).Run(t.Context(), stop(""))
	must(t, err)
	if len(out.Ran) != 1 || out.Ran[0].Problem != "it took longer than 300ms and was stopped" {
		t.Errorf("%+v", out)
	}
	var pid int
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	must(t, err)
	if _, err := fmt.Sscan(string(text), &pid); err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		t.Errorf("process %d of the hook is left behind (%v)", pid, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := sh(core.HookSubagentStop, "sleep 1000").At(dir).Run(ctx, stop("")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled turn: %v", err)
	}
}

func TestWhatAHookIsTold(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MY_API_KEY", "sk-very-secret")
	told := func(e core.HookEvent) (map[string]any, string) {
		s := with(Hook{Point: e.Point, Command: `cat >in; env >env; pwd >>env`, Env: map[string]string{"MINE": "yes"}})
		out, err := s.At(dir).Run(t.Context(), e)
		must(t, err)
		if len(out.Ran) != 1 || out.Ran[0].Problem != "" {
			t.Fatalf("%+v", out)
		}
		in, err := os.ReadFile(filepath.Join(dir, "in"))
		must(t, err)
		env, err := os.ReadFile(filepath.Join(dir, "env"))
		must(t, err)
		var m map[string]any
		must(t, json.Unmarshal(in, &m))
		return m, string(env)
	}
	e := stop(dir)
	e.Response = strings.Repeat("long ", 100_000) + "\xff"
	m, env := told(e)
	for name, want := range map[string]any{
		"session_id": "s1", "sessionId": "s1", "cwd": dir, "hook_event_name": "SubagentStop", "hookEventName": "subagentStop", "agent_name": "explore",
		"agentType": "explore", "agentId": "t2", "parentAgentId": "t1", "stopReason": "end_turn", "stop_hook_active": false, "stopHookActive": false,
	} {
		if !reflect.DeepEqual(m[name], want) {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	if got := m["last_assistant_message"].(string); got != strings.Repeat("long ", 100_000)+"\ufffd" {
		t.Errorf("the answer has %d bytes", len(got))
	}
	for _, want := range []string{"DROVER_SESSION=s1\n", "DROVER_TASK=t2\n", "DROVER_HOOK=subagentStop\n", "DROVER_AGENT=explore\n", "MINE=yes\n", "CLAUDE_PROJECT_DIR=" + dir + "\n", "\n" + dir + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("the environment has no %q", want)
		}
	}
	if strings.Contains(env, "sk-very-secret") {
		t.Error("the environment holds a secret of the host's")
	}
	m, _ = told(core.HookEvent{Point: core.HookTaskComplete, Outcome: core.OutcomeBlocked, Summary: "s"})
	if m["outcome"] != "blocked" || m["summary"] != "s" || !reflect.DeepEqual(m["not_done"], []any{}) || m["notDone"] == nil {
		t.Errorf("completion: %v", m)
	}
	m, _ = told(core.HookEvent{Point: core.HookNotification, Topic: "approval", Message: "may it?"})
	if m["notification_type"] != "permission_prompt" || m["topic"] != "approval" || m["message"] != "may it?" {
		t.Errorf("notification: %v", m)
	}
}

func TestNothingToStart(t *testing.T) {
	for _, tt := range []struct {
		h    Hook
		want string
	}{
		{Hook{Command: "/no/such/program", Args: []string{}}, "cannot be started: no such file or directory"},
		{Hook{Command: "no-such-program", Args: []string{"x"}}, "cannot be started"},
		{Hook{Command: "true", Dir: "nowhere"}, "its directory"},
		{Hook{Command: "true", Env: map[string]string{"A": "b\x00c"}}, ""},
	} {
		tt.h.Point = core.HookSubagentStop
		out, err := with(tt.h).At(t.TempDir()).Run(t.Context(), stop(""))
		if err != nil || len(out.Ran) != 1 || out.Ran[0].Problem == "" || !strings.Contains(out.Ran[0].Problem, tt.want) {
			t.Errorf("%+v: %+v, %v", tt.h, out, err)
		}
	}
}

func TestAHookNeedNotReadItsInput(t *testing.T) {
	e := stop("")
	e.Response = strings.Repeat("x", 4<<20)
	out, err := sh(core.HookSubagentStop, "exec 0<&-; sleep 0.1; echo no >&2; exit 2").At(t.TempDir()).Run(t.Context(), e)
	if err != nil || out.Reason != "no" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhatIsTrustedCannotBeRead(t *testing.T) {
	dir := files(t, map[string]string{".claude/settings.json": fmt.Sprintf(claudeFile, "echo team >&2; exit 2")})
	s := sh(core.HookSubagentStop, "echo own >&2; exit 2")
	s.o.Trust = func(context.Context) (func(string, string) bool, error) { return nil, errors.New("disk I/O error") }
	out, err := s.At(dir).Run(t.Context(), stop(""))
	if err != nil || out.Reason != "own" || len(out.Ran) != 2 || !strings.Contains(out.Ran[0].Problem, "disk I/O error") {
		t.Errorf("a person's own run, the project's do not: %+v, %v", out, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	dir := files(t, map[string]string{".claude/settings.json": fmt.Sprintf(claudeFile, "echo team >&2; exit 2")})
	s := Open(Options{Trust: trusting(dir), Environ: os.Environ()})
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			if i%3 == 0 {
				if err := os.WriteFile(filepath.Join(dir, ".claude/settings.json"), []byte(fmt.Sprintf(claudeFile, "echo team >&2; exit 2")), 0o644); err != nil {
					t.Error(err)
				}
				return
			}
			out, err := s.At(dir).Run(t.Context(), stop(""))
			if err != nil || out.Block && out.Reason != "team" {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	group.Wait()
}
