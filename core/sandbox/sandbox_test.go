package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const asHost = "SANDBOX_TEST_HOST"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == attackArg {
		syscall.Exit(attacker(os.Args[2], os.Args[3])) // os.Exit takes a second under the race detector
	}
	if script := os.Getenv(asHost); script != "" {
		_, err := behindWall(context.Background(), Wall(os.Getenv(asHost+"_WALL")), Spec{
			Argv: []string{"sh", "-c", script}, Session: "crash", Dir: "/", Scratch: os.Getenv("TMPDIR"), ReadOnly: true,
			Output: func(b []byte) { _, _ = os.Stdout.Write(b) },
		})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// sh runs a script and returns what it wrote.
func sh(ctx context.Context, t *testing.T, script string, change func(*Spec)) (Exit, string, error) {
	t.Helper()
	var out bytes.Buffer
	s := Spec{Argv: []string{"sh", "-c", script}, Grace: 200 * time.Millisecond, Output: func(b []byte) { out.Write(b) }}
	if change != nil {
		change(&s)
	}
	exit, err := Run(ctx, s)
	return exit, out.String(), err
}

// mustEnd waits for the end of a process that need not be a child.
func mustEnd(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if p, ok := readProcess(pid); !ok || p.gone() {
		return
	}
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, int(within.Milliseconds())); n != 1 {
		t.Errorf("process %d still lives after %v (%v)", pid, within, err)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

func pids(t *testing.T, text string) []int {
	t.Helper()
	var list []int
	for _, f := range strings.Fields(text) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatalf("not a process: %q", f)
		}
		list = append(list, n)
	}
	return list
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		name, script, out string
		code              int
		signal            string
	}{
		{"success", "echo out; echo err >&2", "out\nerr\n", 0, ""},
		{"code", "exit 7", "", 7, ""},
		{"signal", "kill -KILL $$", "", 137, "SIGKILL"},
		{"no input", "cat; echo end", "end\n", 0, ""},
		{"own session, no terminal", "ps -o sid= -p $$ >/dev/null; (echo x >/dev/tty) 2>/dev/null || echo no tty", "no tty\n", 0, ""},
		{"no descriptor of ours", "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 ", 0, ""},
		{"blocking output", "grep flags /proc/self/fdinfo/1", "flags:\t01\n", 0, ""},
		{"default signals", "kill -TERM $$", "", 143, "SIGTERM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			exit, out, err := sh(t.Context(), t, c.script, nil)
			if err != nil || exit.Code != c.code || exit.Signal != c.signal || exit.Killed || exit.Leftover != 0 {
				t.Fatalf("%+v, %v", exit, err)
			}
			if out != c.out {
				t.Errorf("output %q, want %q", out, c.out)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		spec Spec
		want error
	}{
		{"unknown command", Spec{Argv: []string{"no-such-command"}}, fs.ErrNotExist},
		{"unknown path", Spec{Argv: []string{"./nothing"}, Dir: dir}, fs.ErrNotExist},
		{"not executable", Spec{Argv: []string{"./plain"}, Dir: dir}, fs.ErrPermission},
		{"no directory", Spec{Argv: []string{"true"}, Dir: filepath.Join(dir, "gone")}, fs.ErrNotExist},
		{"argument too long", Spec{Argv: []string{"echo", strings.Repeat("x", 1<<20)}}, unix.E2BIG},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(t.Context(), c.spec)
			if _, ok := errors.AsType[*fs.PathError](err); !ok || !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	if _, err := Run(t.Context(), Spec{}); err == nil {
		t.Error("an empty command ran")
	}
}

func TestStreamsAndInput(t *testing.T) {
	var errs bytes.Buffer
	big := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	exit, out, err := sh(t.Context(), t, "echo oops >&2; cat", func(s *Spec) {
		s.Stdin, s.Stderr = big, func(b []byte) { errs.Write(b) }
	})
	if err != nil || exit.Code != 0 || out != string(big) || errs.String() != "oops\n" {
		t.Fatalf("%+v %v, %d bytes, %q", exit, err, len(out), errs.String())
	}
	exit, _, err = sh(t.Context(), t, "exec <&-; exit 3", func(s *Spec) { s.Stdin = big })
	if err != nil || exit.Code != 3 {
		t.Fatalf("unread input: %+v %v", exit, err)
	}
}

func TestFlood(t *testing.T) {
	n := 0
	exit, err := Run(t.Context(), Spec{Argv: []string{"sh", "-c", "head -c 50000000 /dev/zero"}, Output: func(b []byte) { n += len(b) }})
	if err != nil || exit.Code != 0 || n != 50_000_000 {
		t.Fatalf("%+v %v, %d bytes", exit, err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	exit, err = Run(ctx, Spec{Argv: []string{"yes"}, Grace: 100 * time.Millisecond, Output: func([]byte) { cancel() }})
	if !errors.Is(err, context.Canceled) || !exit.Killed {
		t.Fatalf("%+v %v", exit, err)
	}
}

func TestLeftovers(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         int
	}{
		{"background sleep holds the output", "sleep 300 & echo $!", 1},
		{"session of its own", "setsid sleep 300 & echo $!", 1},
		{"daemon by double fork", "setsid sh -c 'setsid sleep 300 & echo $!'", 1},
		{"clean environment", "env -i setsid sleep 300 & echo $!", 1},
		{"deaf to SIGTERM", "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 300; done' & sleep 0.2", 2},
		{"stopped", "sleep 300 & kill -STOP $!; echo $!", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			exit, out, err := sh(t.Context(), t, c.script, nil)
			if err != nil || exit.Code != 0 || exit.Killed || exit.Leftover != c.want || exit.Stuck != 0 {
				t.Errorf("%+v %v", exit, err)
			}
			if exit.Took > 3*time.Second {
				t.Errorf("took %v", exit.Took)
			}
			for _, pid := range pids(t, out) {
				mustEnd(t, pid, 0)
			}
		})
	}
	exit, out, err := sh(t.Context(), t, "(sleep 0.03; echo late) &", nil)
	if err != nil || exit.Leftover != 0 || out != "late\n" {
		t.Errorf("what was about to end: %+v %v %q", exit, err, out)
	}
	exit, out, err = sh(t.Context(), t, "(sleep 0.4; echo late) &", func(s *Spec) { s.Wait = true })
	if err != nil || exit.Leftover != 0 || out != "late\n" {
		t.Errorf("waiting: %+v %v %q", exit, err, out)
	}
}

func TestCancel(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"plain", "echo $$; exec sleep 300"},
		{"deaf", "trap '' TERM INT HUP; echo $$; while :; do sleep 300; done"},
		{"tree", "sleep 300 & setsid sh -c 'echo $$; setsid sleep 300 & echo $!; wait' & wait"},
		{"stopped", "echo $$; kill -STOP $$"},
		{"stops its supervisor", "kill -STOP $PPID; echo $$; sleep 300"},
		{"forks for ever", "echo $$; while :; do setsid sleep 300 & sleep 0.01; done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out bytes.Buffer
			exit, err := Run(ctx, Spec{
				Argv: []string{"sh", "-c", c.script}, Session: "cancel-" + c.name, Grace: 100 * time.Millisecond,
				Output: func(b []byte) { out.Write(b); cancel() },
			})
			if !errors.Is(err, context.Canceled) || !exit.Killed || exit.Stuck != 0 || exit.Took > 4*time.Second {
				t.Errorf("%+v %v", exit, err)
			}
			for _, pid := range pids(t, out.String()) {
				mustEnd(t, pid, 0)
			}
			left, err := marked(orphaned("cancel-" + c.name))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v %v", left, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Spec{Argv: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// TestHostKilled kills a host with SIGKILL and looks for what is left.
func TestHostKilled(t *testing.T) {
	for _, c := range []struct {
		name, script string
		count        int
	}{
		{"plain", "echo $$; echo $PPID; echo end; sleep 300", 2},
		{"daemons", "setsid sh -c 'setsid sleep 300 & echo $!'; env -i setsid sleep 300 & echo $!; echo $$; echo end; wait", 3},
		{"deaf", "trap '' TERM; echo $$; echo end; while :; do sleep 300; done", 1},
		{"supervisor stopped", "kill -STOP $PPID; echo $$; echo $PPID; echo end; sleep 300", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := exec.Command("/proc/self/exe")
			host.Env = append(os.Environ(), asHost+"="+c.script)
			pipe, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			var out []byte
			for buf := make([]byte, 1024); !bytes.Contains(out, []byte("end\n")); {
				n, err := pipe.Read(buf)
				if out = append(out, buf[:n]...); err != nil {
					t.Fatalf("%v after %q", err, out)
				}
			}
			if err := host.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = host.Wait()
			list := pids(t, strings.TrimSuffix(string(out), "end\n"))
			if len(list) != c.count {
				t.Fatalf("%d processes in %q", len(list), out)
			}
			for _, pid := range list {
				mustEnd(t, pid, 5*time.Second)
			}
		})
	}
}

func TestSupervisorKilled(t *testing.T) {
	exit, out, err := sh(t.Context(), t, "echo $$; setsid sleep 300 & echo $!; kill -KILL $PPID; sleep 300", nil)
	if err == nil || exit.Code != -1 {
		t.Errorf("%+v %v", exit, err)
	}
	for _, pid := range pids(t, out) {
		mustEnd(t, pid, time.Second)
	}
}

func TestOrphans(t *testing.T) {
	orphan := exec.Command("sleep", "300")
	orphan.Env = []string{EnvSession + "=orphans"}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	inside := -1
	_, _, err := sh(t.Context(), t, "sleep 300 & echo $!", func(s *Spec) {
		s.Session = "orphans"
		s.Output = func(b []byte) {
			list, err := Orphans("orphans")
			if err != nil || !slices.Equal(list, []int{orphan.Process.Pid}) {
				t.Errorf("orphans %v %v, want only %d", list, err, orphan.Process.Pid)
			}
			inside = pids(t, string(b))[0]
		}
	})
	if err != nil || inside < 0 {
		t.Fatal(err)
	}
	for _, other := range []string{"", "orphan", "orphans2"} {
		if n, err := KillOrphans(other); n != 0 || err != nil {
			t.Errorf("session %q: killed %d, %v", other, n, err)
		}
	}
	if n, err := KillOrphans("orphans"); n != 1 || err != nil {
		t.Errorf("killed %d, %v", n, err)
	}
	if err := <-ended; err == nil {
		t.Error("the orphan ended by itself")
	}
}

func TestEnviron(t *testing.T) {
	got := Environ([]string{
		"PATH=/bin", "PATH=/usr/bin", "HOME=/h", "LC_ALL=C", "TERM=xterm", "ANTHROPIC_API_KEY=k", "GITHUB_TOKEN=t", "AWS_SECRET_ACCESS_KEY=s",
		"SSH_AUTH_SOCK=/s", "HTTPS_PROXY=http://user:pass@proxy", "http_proxy=http://proxy:1", "BASH_ENV=/evil", "LD_PRELOAD=/evil.so",
		"DROVER_SESSION=outer", "malformed", "=x", "TZ=UTC\x00X=1",
	})
	want := []string{
		"GIT_EDITOR=true", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "HOME=/h", "LC_ALL=C", "NO_COLOR=1", "PAGER=cat",
		"PATH=/usr/bin", "TERM=dumb", "http_proxy=http://proxy:1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	_, out, err := sh(t.Context(), t, "echo $DROVER_SESSION $DROVER_TASK", func(s *Spec) { s.Session, s.Task = "s1", "t1" })
	if err != nil || out != "s1 t1\n" {
		t.Errorf("%q %v", out, err)
	}
}

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		in   string
		want process
		ok   bool
	}{
		{"12 (sh) S 3 12 12 0", process{12, 3, 'S'}, true},
		{"12 (a) R 9 (b\n) Z 4 1", process{12, 4, 'Z'}, true},
		{"", process{}, false},
		{"12 (sh)", process{}, false},
		{")12 (", process{}, false},
		{"x (sh) S 3", process{}, false},
	} {
		got, ok := parseStat([]byte(c.in))
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %+v %v", c.in, got, ok)
		}
	}
}

func TestByHand(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", execArg, "{}", "true")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not for use by hand") {
		t.Errorf("%v %q", err, out)
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := Run(b.Context(), Spec{Argv: []string{"sh", "-c", "true"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloor is the same command without supervision.
func BenchmarkFloor(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("sh", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
