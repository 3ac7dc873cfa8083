package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// terminal is drover in a real terminal: a window of a tmux server of its own.
type terminal struct {
	t             *testing.T
	socket, state string
}

// screenPatience is how long something may take to show up on a screen.
const screenPatience = 20 * time.Second

func (w *terminal) tmux(args ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), screenPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", w.socket, "-f", os.DevNull}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (w *terminal) must(args ...string) string {
	w.t.Helper()
	out, err := w.tmux(args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// keys types; names such as Enter and Escape are keys.
func (w *terminal) keys(keys ...string) {
	w.t.Helper()
	w.must(append([]string{"send-keys", "-t", "d"}, keys...)...)
}

// text types text as it is.
func (w *terminal) text(s string) {
	w.t.Helper()
	w.must("send-keys", "-t", "d", "-l", s)
}

func (w *terminal) screen() string {
	w.t.Helper()
	return w.must("capture-pane", "-t", "d", "-p")
}

// see waits until the screen shows all of the patterns.
func (w *terminal) see(patterns ...string) string {
	w.t.Helper()
	return w.wait(patterns, func(s string) bool {
		for _, p := range patterns {
			if !regexp.MustCompile("(?m)" + p).MatchString(s) {
				return false
			}
		}
		return true
	})
}

func (w *terminal) wait(what any, ok func(string) bool) string {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(screenPatience)
	for {
		s := w.screen()
		if ok(s) {
			return s
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("never seen: %q\n%s", what, s)
		}
	}
}

// press types a key until the screen shows the pattern: what has only just
// appeared takes no answer, so that nobody allows what he has not seen.
func (w *terminal) press(key, pattern string) {
	w.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for range int(screenPatience / (250 * time.Millisecond)) {
		w.keys(key)
		<-tick.C
		if re.MatchString(w.screen()) {
			return
		}
	}
	w.t.Fatalf("pressed %s, and never saw %q\n%s", key, pattern, w.screen())
}

// cli runs a command beside the screen.
func (w *terminal) cli(exe string, args ...string) string {
	w.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), screenPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), "DROVER_STATE="+w.state, "DROVER_HOST_IDLE=500ms")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("drover %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// build makes the program as make build does.
func build(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "drover")
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("building drover: %v\n%s", err, out)
	}
	return exe
}

// repository is a small project under git.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cart/total.go": "package cart\n\n// Total adds the prices up.\nfunc Total() int { return 0 } // TODO: VAT\n",
		"api/serve.go":  "package api\n\nfunc main() {}\n",
		"README.md":     "# shop\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if git, err := exec.LookPath("git"); err == nil {
		if out, err := exec.Command(git, "-C", dir, "init", "-q").CombinedOutput(); err != nil {
			t.Fatalf("git init: %v\n%s", err, out)
		}
	}
	return dir
}

// start opens the screen in a terminal of this size.
func start(t *testing.T, exe, dir, size string) *terminal {
	t.Helper()
	w := shell(t, t.TempDir(), dir, size)
	w.text(exe)
	w.keys("Enter")
	return w
}

// shell opens a terminal of this size, with a home of its own.
func shell(t *testing.T, home, dir, size string) *terminal {
	t.Helper()
	w := &terminal{t: t, socket: filepath.Join(home, "tmux"), state: filepath.Join(home, "state")}
	cols, rows, _ := strings.Cut(size, "x")
	w.must("new-session", "-d", "-s", "d", "-x", cols, "-y", rows, "-c", dir,
		"env", "HOME="+home, "TERM=screen-256color", "LANG=C.UTF-8", "DROVER_STATE="+w.state, "DROVER_CONFIG="+home, "DROVER_HOST_IDLE=500ms", "DROVER_MODEL=offline/rules", "PS1=shell> ", "sh", "-i")
	t.Cleanup(func() {
		if _, err := w.tmux("kill-server"); err != nil {
			t.Log(err)
		}
		if err := stopHosts(w.state); err != nil {
			t.Error(err)
		}
	})
	w.see("^shell>")
	return w
}

// TestTerminal does the main job in a real terminal, at the sizes people have.
func TestTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("short: no real terminal")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED, THE SCREEN WAS NOT TESTED IN A REAL TERMINAL: tmux is not installed (apt-get install tmux)")
	}
	exe := build(t)
	for _, s := range []struct {
		name, size string
		tell       func(w *terminal, exe string)
	}{{"work", "80x24", work}, {"desk", "120x40", desk}, {"hand", "200x60", hand}} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.tell(start(t, exe, repository(t), s.size), exe)
		})
	}
}

// work is the story: a prompt, the live tree, a follow-up, a cancel, leaving and coming back.
func work(w *terminal, exe string) {
	w.see("No tasks yet", `n       new session`, "rules, not a language model", "q quit")

	// A prompt: the main agent hands work to background subagents, live.
	w.keys("n")
	w.text("where is Total computed")
	w.keys("Enter")
	w.see("where is Total", `explore-cart`, `explore-api`)
	w.see(`explore-cart +idle`, `explore-api +idle`, `where is Total.* idle`)
	w.see("Survey|Entry points|TODO")

	// A follow-up to an idle subagent: it answers again.
	w.keys("j", "m")
	w.text("grep Total")
	w.keys("Enter")
	w.see(`turn 2`, `grep_files|matches of Total`)

	// A tree three deep, cancelled with everything under it.
	w.keys("n")
	w.text("demo nested 60")
	w.keys("Enter")
	w.see(`demo nested`, `level-1`, `level-2`, `deepest`)
	w.keys("x")
	w.see(`cancel\?`, `y yes`)
	w.keys("y")
	w.see(`⊘ demo nested|demo nested.*cancelled`)
	w.see(`⊘ deepest|deepest +cancelled`)

	// A child its parent waits for goes to the background; the parent goes on.
	w.keys("n")
	w.text("demo sync 60")
	w.keys("Enter")
	w.see(`demo sync 60 +waits for`, `● slow`)
	w.keys("j")
	w.see(`slow · explore · ● running`)
	w.keys("b")
	w.see(`demo sync 60.* idle`, `● slow`)
	w.keys("k")
	w.see(`demo sync 60 · main · ○ idle`)
	w.keys("x")
	w.see(`cancel\?`)
	w.keys("y")
	w.see(`⊘ slow`)

	// An approval, with its exact arguments, answered from the keyboard.
	w.keys("n")
	w.text("demo approval")
	w.keys("Enter")
	w.see(`may it run shell\?`, `printf 'approved`)
	w.press("a", `demo approval.* idle`)

	// Autopilot, to the completion in the timeline.
	w.keys("n", "Tab")
	w.see(`autopilot`)
	w.text("demo blocked")
	w.keys("Enter")
	w.see(`idle · blocked`)
	w.keys("t")
	w.see(`declared complete: blocked`, `I was asked to be blocked`)
	w.keys("t", "t")
	w.see(`critical path`)
	w.keys("t")

	// Help, and back.
	w.keys("?")
	w.see("Agents run outside this screen", "cancel the task and everything under it")
	w.keys("Escape")
	w.wait("the help closed", func(s string) bool { return !strings.Contains(s, "Agents run outside") })

	// Leaving while an agent works: it goes on, and is there again.
	w.keys("n")
	w.text("demo slow 3")
	w.keys("Enter")
	w.see(`demo slow`, `● slow`)
	w.keys("q")
	w.see(`agents? go(es)? on; drover brings you back`, `^shell> ?$`)
	if ps := w.cli(exe, "ps"); !strings.Contains(ps, "slow") {
		w.t.Fatalf("ps does not know of the agent that goes on:\n%s", ps)
	}
	w.text("clear; " + exe)
	w.keys("Enter")
	w.see(`demo slow`, `slow`, `where is Total`)
	w.see(`○ slow +idle|slow +idle`)
	w.resize()
	w.keys("q")
	w.see(`^shell> ?$`)
	w.quiet()
}

// resize makes the terminal tiny and large again: nothing breaks.
func (w *terminal) resize() {
	w.t.Helper()
	for _, size := range [][2]string{{"20", "5"}, {"250", "80"}, {"80", "24"}} {
		w.must("resize-window", "-t", "d", "-x", size[0], "-y", size[1])
		w.wait("the size "+size[0]+"x"+size[1], func(s string) bool {
			return strings.TrimSpace(s) != "" && !strings.Contains(s, "shell>")
		})
	}
	w.see(`demo slow`)
}

// quiet checks that nothing the story started is left running.
func (w *terminal) quiet() {
	w.t.Helper()
	if err := stopHosts(w.state); err != nil {
		w.t.Error(err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(screenPatience)
	for left := w.processes(); len(left) > 0; left = w.processes() { // a lock is gone a little before its holder
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("processes left behind: %v", left)
		}
	}
}

// processes are those of drover that work on this terminal's state, by their ID.
func (w *terminal) processes() map[int]string {
	w.t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[int]string{}
	for _, p := range procs {
		env, err := os.ReadFile(p)
		if err != nil { // of somebody else, or gone
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(p), "cmdline"))
		argv := strings.Split(string(cmdline), "\x00")
		if err == nil && bytes.Contains(env, []byte("DROVER_STATE="+w.state)) && filepath.Base(argv[0]) == "drover" {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(p)))
			if err != nil {
				w.t.Fatal(err)
			}
			out[id] = strings.Join(argv[1:], " ")
		}
	}
	return out
}
