package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var walls = []Wall{Namespaces, Bubblewrap, Landlock}

// each runs the test behind every wall that there is.
func each(t *testing.T, test func(*testing.T, Wall)) {
	t.Helper()
	for _, wall := range walls {
		t.Run(string(wall), func(t *testing.T) {
			usable(t, wall)
			test(t, wall)
		})
	}
}

// confinedSh runs a script behind the wall.
func confinedSh(ctx context.Context, wall Wall, script string, s Spec) (Exit, string, error) {
	var out bytes.Buffer
	s.Argv, s.ReadOnly = []string{"sh", "-c", script}, true
	if s.Output == nil {
		s.Output = func(b []byte) { out.Write(b) }
	}
	exit, err := behindWall(ctx, wall, s)
	return exit, out.String(), err
}

func TestMeans(t *testing.T) {
	r, err := Means(t.Context())
	must(t, err)
	t.Logf("%+v", r)
	if _, no := r.Faults[r.Best]; no {
		t.Errorf("the best wall is one that cannot be built: %+v", r)
	}
	if r.Best == "" && len(r.Faults) < len(walls) {
		t.Errorf("no best wall, but no fault either: %+v", r)
	}
}

// alive counts the machine's processes that have the word among their arguments.
func alive(t *testing.T, word string) int {
	t.Helper()
	all, err := processes()
	must(t, err)
	n := 0
	for _, p := range all {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if err == nil && !p.gone() && bytes.Contains(args, []byte(word)) && !bytes.Contains(args, []byte(t.Name())) {
			n++
		}
	}
	return n
}

// word is one that no other process has among its arguments: a time to sleep.
func word(t *testing.T) string {
	return fmt.Sprintf("300.%d%d", os.Getpid(), time.Now().UnixNano())
}

func TestConfinedExit(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		for _, c := range []struct {
			name, script, out string
			code              int
			signal            string
		}{
			{"success", "echo out; echo err >&2", "out\nerr\n", 0, ""},
			{"code", "exit 7", "", 7, ""},
			{"killed", "kill -KILL $$", "", 137, "SIGKILL"},
			{"terminated", "kill -TERM $$", "", 143, "SIGTERM"},
			{"input", "cat", "in", 0, ""},
			{"no descriptor of ours", "ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 ", 0, ""},
			{"written to /dev/stdout", "echo x >/dev/stdout; echo y >/dev/null", "x\n", 0, ""},
			{"a pair of sockets", "echo a | cat | cat", "a\n", 0, ""},
			{"who it is", "id -u", fmt.Sprintln(os.Getuid()), 0, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				exit, out, err := confinedSh(t.Context(), wall, c.script, Spec{Dir: "/", Scratch: t.TempDir(), Stdin: []byte("in")})
				if err != nil || exit.Code != c.code || exit.Signal != c.signal || exit.Killed || exit.Leftover != 0 || exit.Wall != wall {
					t.Errorf("%+v, %v", exit, err)
				}
				if out != c.out {
					t.Errorf("output %q, want %q", out, c.out)
				}
			})
		}
	})
}

func TestConfinedLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		for _, c := range []struct{ name, script string }{
			{"background", "sleep WORD &"},
			{"daemon by double fork", "setsid sh -c 'setsid sleep WORD &'"},
			{"clean environment", "env -i setsid sleep WORD &"},
			{"deaf", "sh -c 'trap \"\" TERM; exec sleep WORD' & sleep 0.1"},
			{"stopped", "sleep WORD & kill -STOP $!"},
		} {
			t.Run(c.name, func(t *testing.T) {
				w := word(t)
				exit, _, err := confinedSh(t.Context(), wall, strings.ReplaceAll(c.script, "WORD", w), Spec{Dir: "/", Scratch: t.TempDir()})
				if err != nil || exit.Leftover == 0 || exit.Stuck != 0 || exit.Took > 3*time.Second {
					t.Errorf("%+v %v", exit, err)
				}
				if n := alive(t, w); n > 0 {
					t.Errorf("%d processes live on", n)
				}
			})
		}
	})
}

func TestConfinedCancel(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		for _, c := range []struct{ name, script string }{
			{"plain", "echo; exec sleep WORD"},
			{"deaf", "trap '' TERM INT HUP; echo; while :; do sleep WORD; done"},
			{"tree", "sleep WORD & setsid sh -c 'setsid sleep WORD & echo; wait' & wait"},
			{"stops its supervisor", "kill -STOP $PPID; echo; sleep WORD"},
			{"forks for ever", "echo; while :; do setsid sleep WORD & sleep 0.01; done"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := word(t)
				exit, _, err := confinedSh(ctx, wall, strings.ReplaceAll(c.script, "WORD", w), Spec{
					Dir: "/", Scratch: t.TempDir(), Output: func([]byte) { cancel() },
				})
				if !errors.Is(err, context.Canceled) || !exit.Killed || exit.Stuck != 0 || exit.Took > 4*time.Second {
					t.Errorf("%+v %v", exit, err)
				}
				if n := alive(t, w); n > 0 {
					t.Errorf("%d processes live on", n)
				}
			})
		}
	})
}

// TestConfinedHostKilled kills a host with SIGKILL and looks for what is left.
func TestConfinedHostKilled(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		for _, c := range []struct{ name, script string }{
			{"plain", "echo end; sleep WORD"},
			{"daemons", "setsid sh -c 'setsid sleep WORD &'; env -i setsid sleep WORD & echo end; wait"},
			{"deaf", "trap '' TERM; echo end; while :; do sleep WORD; done"},
			{"supervisor stopped", "kill -STOP $PPID; echo end; sleep WORD"},
		} {
			t.Run(c.name, func(t *testing.T) {
				w := word(t)
				host := exec.Command("/proc/self/exe")
				host.Env = append(os.Environ(), asHost+"="+strings.ReplaceAll(c.script, "WORD", w), asHost+"_WALL="+string(wall), "TMPDIR="+t.TempDir())
				pipe, err := host.StdoutPipe()
				must(t, err)
				must(t, host.Start())
				if n, err := pipe.Read(make([]byte, 10)); n == 0 {
					t.Errorf("the host has not started: %v", err)
				}
				must(t, host.Process.Kill())
				_ = host.Wait()
				for end := time.Now().Add(5 * time.Second); alive(t, w) > 0; {
					if time.Now().After(end) {
						t.Fatalf("%d processes live on", alive(t, w))
					}
					_, _ = unix.Poll(nil, 10)
				}
			})
		}
	})
}

// TestConfinedSupervisorKilled finds that behind namespaces nobody inside can, and that outside everything ends with it.
func TestConfinedSupervisorKilled(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		exit, out, err := confinedSh(t.Context(), wall, "kill -KILL $PPID; kill -STOP $PPID; echo on; exit 3", Spec{Dir: "/", Scratch: t.TempDir()})
		if wall != Landlock && (err != nil || exit.Code != 3 || out != "on\n") {
			t.Errorf("%+v %v %q", exit, err, out)
		}
		if wall == Landlock && err == nil {
			t.Errorf("%+v", exit)
		}
	})
}

func TestConfinedScratch(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		work, scratch := t.TempDir(), t.TempDir()
		must(t, os.WriteFile(work+"/file", []byte("text\n"), 0o644))
		script := `set -e; pwd; cat file; echo $HOME $TMPDIR; cd; mkdir -p a/b c; echo 1 >a/b/x; mv a/b/x c/y; ln c/y c/z; f=$(mktemp); rm $f; cat c/z; : >a/b/log; truncate -s 5 c/y`
		exit, out, err := confinedSh(t.Context(), wall, script, Spec{Dir: work, Scratch: scratch})
		if want := fmt.Sprintf("%s\ntext\n%s %s\n1\n", work, scratch, scratch); err != nil || exit.Code != 0 || out != want {
			t.Errorf("%+v %v\n%s\n%s", exit, err, out, want)
		}
		if st, err := os.Stat(scratch + "/c/y"); err != nil || st.Size() != 5 {
			t.Errorf("the scratch is not the host's: %v", err)
		}
	})
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(Environ(os.Environ()), "HOME="+t.TempDir(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// TestConfinedGit works in a repository that lies where everything else is hidden.
func TestConfinedGit(t *testing.T) {
	each(t, func(t *testing.T, wall Wall) {
		home := t.TempDir()
		t.Setenv("HOME", home)
		repo := home + "/repo"
		must(t, os.MkdirAll(repo+"/sub", 0o755))
		must(t, os.WriteFile(repo+"/sub/f", []byte("1\n"), 0o644))
		git(t, repo, "init", "-q", "-b", "main")
		git(t, repo, "add", ".")
		git(t, repo, "commit", "-qm", "first")
		git(t, repo, "worktree", "add", "-q", home+"/linked")
		must(t, os.WriteFile(home+"/linked/sub/f", []byte("2\n"), 0o644))
		for _, dir := range []string{repo, repo + "/sub", home + "/linked", home + "/linked/sub"} {
			exit, out, err := confinedSh(t.Context(), wall, "git log --format=%s && git status --short && git diff --stat && git ls-files && ! git commit -qam x 2>/dev/null",
				Spec{Dir: dir, Scratch: t.TempDir()})
			if err != nil || exit.Code != 0 || !strings.HasPrefix(out, "first\n") || strings.Contains(dir, "linked") != strings.Contains(out, " M ") {
				t.Errorf("%s: %+v %v\n%s", dir, exit, err, out)
			}
		}
	})
}

// TestTreacherousProject has projects that name a hidden directory as their repository.
func TestTreacherousProject(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	must(t, os.MkdirAll(home+"/.ssh", 0o700))
	must(t, os.WriteFile(home+"/.ssh/HEAD", []byte("ref: x"), 0o600))
	project := home + "/project"
	must(t, os.MkdirAll(project+"/fake", 0o755))
	must(t, os.WriteFile(project+"/fake/gitdir", []byte(project+"/.git\n"), 0o644))
	must(t, os.WriteFile(project+"/fake/commondir", []byte(home+"/.ssh\n"), 0o644))
	must(t, os.WriteFile(project+"/fake/HEAD", []byte("ref: x"), 0o644))
	must(t, os.Symlink(home+"/.ssh", project+"/keys"))
	for _, gitdir := range []string{home + "/.ssh", home, "../.ssh", project + "/fake", "/", project + "/keys"} {
		must(t, os.WriteFile(project+"/.git", []byte("gitdir: "+gitdir+"\n"), 0o644))
		for _, p := range places(Spec{Dir: project, Scratch: t.TempDir(), Argv: []string{"sh"}}, hideouts(os.Environ())) {
			if p.Kind != hide && contains(p.Path, home+"/.ssh/HEAD") {
				t.Errorf("%s: shows %s", gitdir, p.Path)
			}
		}
	}
	must(t, os.Remove(project+"/.git"))
	must(t, unix.Mkfifo(project+"/.git", 0o644))
	_ = places(Spec{Dir: project, Scratch: t.TempDir(), Argv: []string{"sh"}}, hideouts(os.Environ()))
}

func TestPlaces(t *testing.T) {
	base := t.TempDir()
	for _, d := range []string{"home/work/deep", "home/bin", "home/state", "outside", "tmp/s"} {
		must(t, os.MkdirAll(filepath.Join(base, d), 0o755))
	}
	at := func(p string) string { return filepath.Join(base, p) }
	hidden := []string{at("home"), at("home/state"), at("tmp")}
	for _, c := range []struct {
		name string
		spec Spec
		want string
	}{
		{"work in the home", Spec{Dir: at("home/work"), Scratch: at("tmp/s")}, "hide tmp, hide home, own tmp/s, show home/work"},
		{"work is the home", Spec{Dir: at("home"), Scratch: at("tmp/s")}, "hide tmp, show home, own tmp/s, hide home/state"},
		{"work outside", Spec{Dir: at("outside"), Scratch: at("tmp/s")}, "hide tmp, hide home, own tmp/s"},
		{"scratch in the work", Spec{Dir: at("home/work"), Scratch: at("home/work/deep")}, "hide tmp, hide home, show home/work, own home/work/deep"},
		{"work in the scratch", Spec{Dir: at("home/work/deep"), Scratch: at("home/work")}, "hide tmp, hide home, own home/work, show home/work/deep"},
		{"work is the scratch", Spec{Dir: at("home/work"), Scratch: at("home/work")}, "hide tmp, hide home, own home/work"},
		{"programs", Spec{Dir: at("outside"), Scratch: at("tmp/s"), Env: []string{"PATH=" + at("home/bin") + ":" + at("home") + ":rel:/"}}, "hide tmp, hide home, own tmp/s, show home/bin"},
		{"readable", Spec{Dir: at("outside"), Scratch: at("tmp/s"), Readable: []string{at("home/state"), at("gone"), "rel"}}, "hide tmp, hide home, own tmp/s, show home/state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Argv = []string{"sh"}
			var got []string
			for _, p := range places(c.spec, hidden) {
				rel, err := filepath.Rel(base, p.Path)
				must(t, err)
				got = append(got, string(p.Kind)+" "+rel)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestNoMeans asks for a read-only command where there are no means: inside of one.
func TestNoMeans(t *testing.T) {
	usable(t, Namespaces)
	scratch := t.TempDir()
	for _, c := range []struct {
		weak bool
		want string
	}{
		{false, "no sandbox: this machine cannot confine a command (namespaces: fork/exec /proc/self/exe: no space left on device; bubblewrap:"},
		{true, "landlock, code 0: inner"},
	} {
		var out bytes.Buffer
		exit, err := behindWall(t.Context(), Namespaces, Spec{
			Argv: []string{self(t), attackArg, "nested", fmt.Sprint(c.weak) + "|" + scratch}, Dir: "/", Scratch: scratch, ReadOnly: true, NoNet: true,
			Output: func(b []byte) { out.Write(b) },
		})
		if err != nil || exit.Code != 0 || !strings.Contains(out.String(), c.want) {
			t.Errorf("weak %v: %+v %v %q", c.weak, exit, err, out.String())
		}
	}
}

// nested is what runs inside.
func nested(where string) int {
	weak, scratch, _ := strings.Cut(where, "|")
	var out bytes.Buffer
	exit, err := Run(context.Background(), Spec{
		Argv: []string{"echo", "inner"}, Dir: "/", Scratch: scratch, ReadOnly: true, Weak: weak == "true", Output: func(b []byte) { out.Write(b) },
	})
	if err != nil && !errors.Is(err, ErrNoWall) {
		return 3
	}
	fmt.Printf("%v %v, code %d: %s", err, exit.Wall, exit.Code, out.String())
	return 0
}

func TestNoNetAlone(t *testing.T) {
	s := stage(t)
	for _, a := range attacks {
		if !a.net && a.name != "UNIX socket with a path" && a.name != "UNIX datagram through a pair" && a.name != "write" {
			continue
		}
		exit, err := Run(t.Context(), Spec{Argv: []string{self(t), attackArg, a.name, s.String()}, NoNet: true, Dir: s.work})
		if err != nil || exit.Wall != Seccomp || (exit.Code == 0) != (a.name == "write") {
			t.Errorf("%s: %+v %v", a.name, exit, err)
		}
	}
}

func TestConfinedCannotStart(t *testing.T) {
	scratch := t.TempDir()
	for _, c := range []struct {
		name string
		spec Spec
		want error
	}{
		{"unknown command", Spec{Argv: []string{"no-such-command"}, Dir: "/", Scratch: scratch}, os.ErrNotExist},
		{"no directory", Spec{Argv: []string{"true"}, Dir: scratch + "/gone", Scratch: scratch}, os.ErrNotExist},
		{"no scratch", Spec{Argv: []string{"true"}, Dir: "/", Scratch: scratch + "/gone"}, os.ErrNotExist},
		{"argument too long", Spec{Argv: []string{"echo", strings.Repeat("x", 1<<20)}, Dir: "/", Scratch: scratch}, unix.E2BIG},
	} {
		t.Run(c.name, func(t *testing.T) {
			usable(t, Namespaces)
			c.spec.ReadOnly = true
			if _, err := Run(t.Context(), c.spec); !errors.Is(err, c.want) || errors.Is(err, ErrNoWall) {
				t.Errorf("%v", err)
			}
		})
	}
}

func BenchmarkConfined(b *testing.B) {
	for _, wall := range append([]Wall{"", Seccomp}, walls...) {
		b.Run(string(wall), func(b *testing.B) {
			for b.Loop() {
				_, err := behindWall(b.Context(), wall, Spec{Argv: []string{"sh", "-c", "true"}, Dir: "/", Scratch: b.TempDir(), ReadOnly: true, NoNet: true})
				if err != nil {
					b.Skip(err)
				}
			}
		})
	}
}
