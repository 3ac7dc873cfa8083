package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drover/core"
)

// row is a hook on one line.
func row(h Hook) string {
	s := fmt.Sprintf("%s %s %s", h.State, h.Name, h.Command)
	if len(h.Args) > 0 {
		s += fmt.Sprintf(" %q", h.Args)
	}
	if h.Matcher != "" {
		s += " /" + h.Matcher + "/"
	}
	if h.State == Active && h.Timeout != DefaultTimeout {
		s += " " + h.Timeout.String()
	}
	if h.Reason != "" {
		s += " (" + h.Reason + ")"
	}
	return s
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name    string
		dialect Dialect
		text    string
		want    []string
	}{
		{"Claude", Claude, `{"permissions":{"allow":["Bash"]},"hooks":{
			"SubagentStop":[{"matcher":"Explore|Plan","hooks":[{"type":"command","command":"./a","timeout":2.5},{"type":"command","command":"b","args":["x"]}]}],
			"Stop":[{"matcher":"ignored","hooks":[{"type":"command","command":"c"}]}],
			"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"d"}]}],
			"SubagentStart":[{"matcher":"*","hooks":[{"type":"prompt","prompt":"is it?"},{"type":"http","url":"http://x"}]}]}}`,
			[]string{
				"ignored f: PreToolUse[0].hooks[0] d /Bash/ (drover has no moment of this name)",
				"active f: Stop[0].hooks[0] c",
				"ignored f: SubagentStart[0].hooks[0]  /*/ (it is of the type prompt; drover runs commands)",
				"ignored f: SubagentStart[0].hooks[1]  /*/ (it is of the type http; drover runs commands)",
				"active f: SubagentStop[0].hooks[0] ./a /Explore|Plan/ 2.5s",
				`active f: SubagentStop[0].hooks[1] b ["x"] /Explore|Plan/`,
			}},
		{"Copilot", Copilot, `{"version":1,"hooks":{"subagentStart":[
			{"type":"command","bash":"./a.sh","powershell":"./a.ps1","cwd":"scripts","env":{"A":"b"},"timeoutSec":10,"matcher":"explore"},
			{"type":"command","powershell":"./a.ps1"},{"type":"command","command":"c","required":true},{"command":"d","timeout":0}],
			"sessionStart":[{"type":"command","bash":"x"}]}}`,
			[]string{
				"ignored f: sessionStart[0] x (drover has no moment of this name)",
				"active f: subagentStart[0] ./a.sh /explore/ 10s",
				"ignored f: subagentStart[1]  (it is for PowerShell only)",
				"active f: subagentStart[2] c",
				"active f: subagentStart[3] d",
			}},
		{"Claude's groups in Copilot's file", Copilot, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"c"}]}]}}`, []string{"active f: Stop[0].hooks[0] c"}},
		{"one bad entry hides no other", Claude, `{"hooks":{"Stop":[3,{"hooks":[{"command":["a"]},{"command":"b"},null]},{"hooks":7},{"matcher":5,"hooks":[]}],"SubagentStop":{"a":1},"Notification":[{"matcher":"(","hooks":[{"command":"n"}]}]}}`,
			[]string{
				`problem f: Notification[0].hooks[0] n /(/ (the matcher "(" cannot be read: error parsing regexp: missing closing ): ` + "`(?i)(`)",
				"problem f: Stop[0]  (it is a JSON number where an object is wanted)",
				"problem f: Stop[1].hooks[0]  (command is a JSON array where a text is wanted)",
				"active f: Stop[1].hooks[1] b",
				"problem f: Stop[1].hooks[2]  (it has no command)",
				"problem f: Stop[2]  (hooks is a JSON number where a list is wanted)",
				"problem f: Stop[3]  (matcher is a JSON number where a text is wanted)",
				"problem f: SubagentStop  (it is a JSON object where a list is wanted)",
			}},
		{"nothing", Claude, `{}`, nil},
		{"hooks null", Claude, `{"hooks":null}`, nil},
		{"a mark of order", Claude, "\xef\xbb\xbf" + `{"hooks":{"Stop":[{"hooks":[{"command":"c"}]}]}}`, []string{"active f: Stop[0].hooks[0] c"}},
		{"no JSON", Claude, "{\n\"hooks\": {,}}", []string{"problem f  (it is no valid JSON, line 2: invalid character ',' looking for beginning of object key string)"}},
		{"empty", Copilot, "", []string{"problem f  (it is no valid JSON, line 1: unexpected end of JSON input)"}},
		{"binary", Copilot, "\x00\x01\xff", []string{"problem f  (it is no valid JSON, line 1: invalid character '\\x00' looking for beginning of value)"}},
		{"a list", Copilot, "[]", []string{"problem f  (it is a JSON array where an object is wanted)"}},
		{"another version", Copilot, `{"version":2,"hooks":{"agentStop":[{"bash":"x"}]}}`, []string{"problem f  (its version is not 1, the one there is)"}},
		{"hostile texts", Claude, `{"hooks":{"Stop":[{"hooks":[{"command":"a\u0000b"}]}],"\u001b[31mStop\u202e\n":[{"hooks":[{"command":"c"}]}]}}`,
			[]string{"ignored f: Stop[0].hooks[0] c (drover has no moment of this name)", "problem f: Stop[0].hooks[0] a\x00b (its command holds a NUL)"}},
		{"times", Copilot, `{"hooks":{"agentStop":[{"bash":"a","timeoutSec":-5},{"bash":"b","timeoutSec":1e300},{"bash":"c","timeout":"5"}]}}`,
			[]string{"active f: agentStop[0] a", "active f: agentStop[1] b 24h0m0s", "problem f: agentStop[2]  (timeout is a JSON string where a number of seconds is wanted)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, h := range parse(place{path: "/f", name: "f", dialect: tt.dialect}, []byte(tt.text)).hooks {
				got = append(got, row(h))
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestMatchers(t *testing.T) {
	for _, tt := range []struct {
		dialect Dialect
		matcher string
		yes, no string
	}{
		{Drover, "", "explore plan x", ""},
		{Drover, "*", "explore", ""},
		{Drover, "explore|plan", "explore plan", "explorer Explore replan"},
		{Drover, "ex.*", "explore", "hex"},
		{Copilot, "a|b", "a b", "ab ba A"},
		{Claude, "Explore|code-review", "explore Explore code-review", "explorer review"},
		{Claude, "Explore, Plan", "plan explore", "x"},
		{Claude, "^rev", "reviewer Reviewer", "preview"},
		{Claude, "view.*", "reviewer", "explore"},
	} {
		match, err := matcher(tt.matcher, tt.dialect)
		must(t, err)
		for _, s := range strings.Fields(tt.yes) {
			if !match(s) {
				t.Errorf("%s %q does not match %q", tt.dialect, tt.matcher, s)
			}
		}
		for _, s := range strings.Fields(tt.no) {
			if match(s) {
				t.Errorf("%s %q matches %q", tt.dialect, tt.matcher, s)
			}
		}
	}
}

func TestWhichAreDue(t *testing.T) {
	ask := func(e core.HookEvent, all ...Hook) []string {
		s := with(all...)
		list, err := s.Load(t.Context(), "/")
		must(t, err)
		var got []string
		for _, h := range due(list, e) {
			got = append(got, fmt.Sprint(h.Command, h.Required))
		}
		return got
	}
	one := func(command, matcher string, required bool) Hook {
		return Hook{Point: core.HookSubagentStop, Command: command, Matcher: matcher, Required: required}
	}
	got := ask(core.HookEvent{Point: core.HookSubagentStop, Agent: "explore", Dir: "/"},
		one("a", "", false), one("b", "plan", false), one("a", "explore", true), Hook{Point: core.HookAgentStop, Command: "c"},
		Hook{Point: core.HookSubagentStop, Command: "a", Dir: "tmp"}, Hook{Point: core.HookSubagentStop, Command: "a", Args: []string{}})
	if want := []string{"atrue", "afalse", "afalse"}; !slices.Equal(got, want) {
		t.Errorf("the same command once, required if one is: %v, want %v", got, want)
	}
	n := func(matcher string) Hook {
		return Hook{Point: core.HookNotification, Command: matcher, Matcher: matcher}
	}
	got = ask(core.HookEvent{Point: core.HookNotification, Topic: "approval", Agent: "explore"}, n("approval"), n("permission_prompt"), n("idle"), n("explore"))
	if want := []string{"approvalfalse", "permission_promptfalse"}; !slices.Equal(got, want) {
		t.Errorf("notifications go by topic: %v, want %v", got, want)
	}
}

const claudeFile = `{"hooks":{"SubagentStop":[{"hooks":[{"type":"command","command":"%s"}]}]}}`

func TestWhereHooksComeFrom(t *testing.T) {
	home := files(t, map[string]string{
		".claude/settings.json":              fmt.Sprintf(claudeFile, "mine"),
		".copilot/hooks/b.json":              `{"version":1,"hooks":{"agentStop":[{"bash":"./mine.sh"}]}}`,
		".copilot/hooks/readme.md":           "no hooks",
		"shop/.git/HEAD":                     "",
		"shop/.claude/settings.json":         fmt.Sprintf(claudeFile, "far"),
		"shop/.claude/settings.local.json":   fmt.Sprintf(claudeFile, "local"),
		"shop/.github/hooks/z.json":          `{"version":1,"hooks":{"agentStop":[{"bash":"./z.sh"}]}}`,
		"shop/.github/hooks/a.json":          `{"version":1,"hooks":{"agentStop":[{"bash":"./a.sh","cwd":"scripts"}]}}`,
		"shop/sub/.claude/settings.json":     fmt.Sprintf(claudeFile, "near"),
		"outside/.github/hooks/ignored.json": `{"version":1,"hooks":{"agentStop":[{"bash":"no"}]}}`,
	})
	shop, sub := filepath.Join(home, "shop"), filepath.Join(home, "shop/sub")
	s := Open(Options{Home: home, Trust: trusting(shop), Settings: func() ([]Hook, error) {
		return []Hook{{Point: core.HookSubagentStop, Command: "own"}}, nil
	}})
	list, err := s.Load(t.Context(), sub)
	must(t, err)
	var got []string
	for _, h := range list {
		got = append(got, row(h)+" in "+strings.Replace(h.where(sub), home, "~", 1))
	}
	want := []string{
		"active config.toml: subagentStop[0] own in ~/shop/sub",
		"active ~/.claude/settings.json: SubagentStop[0].hooks[0] mine in ~/shop/sub",
		"active ~/.copilot/hooks/b.json: agentStop[0] ./mine.sh in ~/shop/sub",
		"untrusted .claude/settings.json: SubagentStop[0].hooks[0] near (it is of the folder " + sub + ", which is not trusted) in ~/shop/sub",
		"active .claude/settings.local.json: SubagentStop[0].hooks[0] local in ~/shop/sub",
		"active .github/hooks/a.json: agentStop[0] ./a.sh in ~/shop/scripts",
		"active .github/hooks/z.json: agentStop[0] ./z.sh in ~/shop",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if list, err = s.Load(t.Context(), home); err != nil || len(list) != 3 {
		t.Errorf("in the home there is no project: %d hooks, %v", len(list), err)
	}
}

func TestTrustOfAContent(t *testing.T) {
	dir := files(t, map[string]string{".claude/settings.json": fmt.Sprintf(claudeFile, "touch ran")})
	var s *Set
	s = Open(Options{Environ: os.Environ()})
	list, err := s.Load(t.Context(), dir)
	must(t, err)
	s = Open(Options{Environ: os.Environ(), Trust: trusting(dir + "#" + list[0].Hash)})
	run := func() (ran bool) {
		out, err := s.At(dir).Run(t.Context(), stop(""))
		must(t, err)
		_, err = os.Stat(filepath.Join(dir, "ran"))
		if err == nil {
			must(t, os.Remove(filepath.Join(dir, "ran")))
		}
		if (err == nil) != (len(out.Ran) == 1) {
			t.Errorf("told %+v, ran: %v", out.Ran, err == nil)
		}
		return err == nil
	}
	if !run() {
		t.Error("a trusted hook did not run")
	}
	must(t, os.WriteFile(filepath.Join(dir, ".claude/settings.json"), []byte(fmt.Sprintf(claudeFile, "touch ran; true")), 0o644))
	if run() {
		t.Error("a changed hook ran")
	}
}

func TestSwitchedOff(t *testing.T) {
	off := `{"disableAllHooks":true}`
	home := files(t, map[string]string{
		".claude/settings.json":            fmt.Sprintf(claudeFile, "mine"),
		"shop/.claude/settings.json":       fmt.Sprintf(claudeFile, "team"),
		"shop/.claude/settings.local.json": off,
		"shop/.github/hooks/a.json":        `{"version":1,"hooks":{"agentStop":[{"bash":"./a.sh"}]}}`,
	})
	shop := filepath.Join(home, "shop")
	states := func(s *Set) (out []State) {
		list, err := s.Load(t.Context(), shop)
		must(t, err)
		for _, h := range list {
			out = append(out, h.State)
		}
		return out
	}
	o := Options{Home: home, Trust: trusting(shop)}
	if got := states(Open(o)); !slices.Equal(got, []State{Active, Disabled, Active}) {
		t.Errorf("a project switches off its own: %v", got)
	}
	must(t, os.WriteFile(filepath.Join(home, ".claude/settings.json"), []byte(off), 0o644))
	if got := states(Open(o)); !slices.Equal(got, []State{Disabled, Active}) {
		t.Errorf("a person switches off the dialect's: %v", got)
	}
	o.Inside = true
	if got := states(Open(o)); !slices.Equal(got, []State{Disabled, Disabled}) {
		t.Errorf("inside a hook: %v", got)
	}
}

func TestFilesAreReadAgainWhenTheyChange(t *testing.T) {
	dir := files(t, map[string]string{".claude/settings.json": fmt.Sprintf(claudeFile, "one")})
	path := filepath.Join(dir, ".claude/settings.json")
	s := Open(Options{})
	command := func() string {
		list, err := s.Load(t.Context(), dir)
		must(t, err)
		if len(list) == 0 {
			return ""
		}
		return list[0].Command + list[0].Reason
	}
	age := func() { // so old that its time tells
		then := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(path, then, then))
	}
	first := command()
	must(t, os.WriteFile(path, []byte(fmt.Sprintf(claudeFile, "two")), 0o644)) // the same size, the same second
	if second := command(); !strings.HasPrefix(first, "one") || !strings.HasPrefix(second, "two") {
		t.Errorf("%q, then %q", first, second)
	}
	age()
	if got := command(); !strings.HasPrefix(got, "two") {
		t.Errorf("aged: %q", got)
	}
	list, err := s.Load(t.Context(), dir)
	must(t, err)
	list[0].Command = "changed by a caller"
	if got := command(); !strings.HasPrefix(got, "two") {
		t.Errorf("from memory: %q", got)
	}
	must(t, os.Remove(path))
	if got := command(); got != "" {
		t.Errorf("removed: %q", got)
	}
}

func TestHostileFiles(t *testing.T) {
	dir := files(t, map[string]string{".github/hooks/ok.json": `{"version":1,"hooks":{"agentStop":[{"bash":"true"}]}}`})
	in := func(name string) string { return filepath.Join(dir, ".github/hooks", name) }
	must(t, syscall.Mkfifo(in("fifo.json"), 0o600))
	must(t, os.Mkdir(in("dir.json"), 0o700))
	must(t, os.Symlink("/dev/zero", in("zero.json")))
	must(t, os.Symlink("loop.json", in("loop.json")))
	must(t, os.Symlink("nowhere", in("dangling.json")))
	must(t, os.WriteFile(in("big.json"), make([]byte, largest+1), 0o600))
	must(t, os.WriteFile(in("deep.json"), []byte(strings.Repeat("[", 500_000)), 0o600))
	must(t, os.WriteFile(in("esc\x1b[31m\u202e.json"), []byte("{"), 0o600))
	s := Open(Options{Trust: trusting(dir), Environ: os.Environ()})
	list, err := s.Load(t.Context(), dir)
	must(t, err)
	var got []string
	for _, h := range list {
		got = append(got, strings.TrimPrefix(row(h), ".github/hooks/"))
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"fifo.json  (it cannot be read: it is no regular file)", "dir.json  (it cannot be read: it is no regular file)", "zero.json  (it cannot be read: it is no regular file)",
		"loop.json  (it cannot be read: too many levels", "big.json  (it cannot be read: it is larger than 1024 KiB)", "deep.json  (it is no valid JSON, line 1: invalid character '[' exceeded max depth)",
		"active .github/hooks/ok.json: agentStop[0] true",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// What cannot be read is told by the first run only, and cleaned.
	e := core.HookEvent{Point: core.HookAgentStop}
	for _, want := range []int{8, 1} {
		out, err := s.At(dir).Run(t.Context(), e)
		must(t, err)
		if len(out.Ran) != want {
			t.Errorf("%d told, want %d: %+v", len(out.Ran), want, out.Ran)
		}
		for _, r := range out.Ran {
			if core.Clean(r.Name+r.Problem) != r.Name+r.Problem {
				t.Errorf("not clean: %q %q", r.Name, r.Problem)
			}
		}
	}
}

func TestMissing(t *testing.T) {
	dir := files(t, map[string]string{"ok.sh": "#!/bin/sh\n", "plain.sh": "true\n"})
	path := os.Getenv("PATH")
	for _, tt := range []struct {
		h    Hook
		want string
	}{
		{Hook{Command: "./ok.sh --now"}, ""},
		{Hook{Command: "no-idea | what this is"}, ""}, // only the shell knows
		{Hook{Command: "$HOME/x.sh"}, ""},
		{Hook{Command: "./plain.sh"}, "is no executable file"},
		{Hook{Command: "./gone.sh"}, "no such file"},
		{Hook{Command: "gone", Args: []string{}}, "there is no program gone"},
		{Hook{Command: "true", Args: []string{}}, ""},
		{Hook{Command: "${CLAUDE_PROJECT_DIR}/ok.sh", Args: []string{}, Root: dir, Dialect: Claude}, ""},
		{Hook{Command: `"$CLAUDE_PROJECT_DIR"/ok.sh x`, Root: dir}, ""},
		{Hook{Command: `$CLAUDE_PROJECT_DIR/gone.sh x`, Root: dir}, "gone.sh: no such file"},
		{Hook{Command: "true", Dir: "gone"}, "its directory"},
		{Hook{Command: "true", Shell: "nosuchshell"}, "there is no program nosuchshell"},
	} {
		if tt.h.Shell == "" {
			tt.h.Shell = "sh"
		}
		got := Open(Options{}).Missing(tt.h, dir, path)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.h, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{}", fmt.Sprintf(claudeFile, "x"), `{"version":1,"hooks":{"agentStop":[{"bash":"x","timeoutSec":1,"matcher":"(","env":{"a":"b"}}]}}`, `{"hooks":{"Stop":[{"hooks":[{}]}]}}`, `{"hooks":[]}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, d := range []Dialect{Claude, Copilot} {
			for _, h := range parse(place{path: "/f", name: "f", dialect: d}, raw).hooks {
				switch h.State {
				case Active:
					if h.Point == "" || h.Command == "" || h.Timeout <= 0 || h.Timeout > longest || h.match == nil {
						t.Errorf("active: %+v", h)
					}
				case Faulty, Ignored:
					if h.Reason == "" || core.CleanLine(h.Reason) != h.Reason {
						t.Errorf("reason %q", h.Reason)
					}
				default:
					t.Errorf("state %q", h.State)
				}
			}
		}
	})
}

func FuzzSaid(f *testing.F) {
	for _, s := range []string{"", "{}", `{"decision":"block","reason":"x"}`, `{"hookSpecificOutput":{"additionalContext":"x"}}`, `{"continue":false}`, "text", "{", "{}{}"} {
		f.Add(0, []byte(s), []byte(s), true, true)
		f.Add(2, []byte(s), []byte(s), false, false)
	}
	f.Fuzz(func(t *testing.T, code int, out, fault []byte, start, cut bool) {
		a := said(ended{code: code, out: out, err: fault, answersText: start, mayBlock: !start, outCut: cut})
		if a.block && (a.reason == "" || start) || a.context != "" && !start || a.problem != "" && a.block {
			t.Errorf("%+v", a)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	dir := files(b, map[string]string{".git/HEAD": "", ".claude/settings.json": fmt.Sprintf(claudeFile, "x"), ".github/hooks/a.json": `{"version":1,"hooks":{"agentStop":[{"bash":"x"}]}}`})
	for _, name := range []string{".claude/settings.json", ".github/hooks/a.json"} {
		then := time.Now().Add(-time.Hour)
		must(b, os.Chtimes(filepath.Join(dir, name), then, then))
	}
	s := Open(Options{Home: b.TempDir(), Trust: trusting(dir)})
	for b.Loop() {
		if _, err := s.Load(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is one hook that does nothing, beside a set that has none.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	for name, s := range map[string]*Set{"none": with(), "one": sh(core.HookSubagentStop, "true")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.At(dir).Run(b.Context(), stop(dir)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
