package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"drover/agents"
	"drover/core"
	"drover/core/config"
	"drover/core/sandbox"
)

// How a finding of the doctor stands.
const (
	fine = "ok"
	warn = "warn"
	fail = "fail"
)

// finding is one line of the doctor.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warn, fail
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

func (a *app) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "What is wrong here, and how to mend it", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := a.examine(cmd.Context())
			failed := 0
			for _, f := range all {
				if f.State == fail {
					failed++
				}
			}
			var err error
			if a.json {
				err = a.emit(all)
			} else {
				err = a.print(a.findings(all))
			}
			if err == nil && failed > 0 {
				err = &exit{code: core.ExitFailed}
			}
			return err
		},
	}
}

func (a *app) findings(all []finding) string {
	var b strings.Builder
	colors := map[string]string{fine: green, warn: yellow, fail: red}
	for _, f := range all {
		b.WriteString(a.paint.in(colors[f.State], pad(f.State, 5)) + " " + pad(f.Check, 11) + core.CleanLine(f.Text) + "\n")
		if f.Remedy != "" {
			b.WriteString(strings.Repeat(" ", 17) + "→ " + core.CleanLine(f.Remedy) + "\n")
		}
	}
	return b.String()
}

// examine makes every check; one that fails does not hide the others.
func (a *app) examine(ctx context.Context) []finding {
	all := []finding{{"version", fine, version, ""}}
	settings, err := config.Load(a.getenv)
	all = append(all, a.checkSettings(err))
	all = append(all, a.checkOwn(settings, err == nil)...)
	if err == nil {
		all = append(all, a.checkModel(ctx, settings))
	}
	dir, err := config.StateDir(a.getenv)
	if err != nil {
		_, message, hint := a.describe(err)
		return append(all, finding{"state", fail, message, hint})
	}
	state := checkState(dir)
	all = append(all, state)
	if state.State != fail {
		all = append(all, a.checkRegistry(ctx, dir)...)
		all = append(all, a.checkCatalogue(ctx)...)
		all = append(all, a.checkHooksHere(ctx))
		all = append(all, checkNotify(dir))
	}
	return append(all, checkWalls(ctx), a.checkTerminal(), checkGit())
}

func (a *app) checkSettings(err error) finding {
	if err != nil {
		_, message, hint := a.describe(err)
		return finding{"settings", fail, message, hint}
	}
	dir, err := config.Dir(a.getenv)
	if err != nil {
		return finding{"settings", fail, err.Error(), ""}
	}
	file := filepath.Join(dir, "config.toml")
	if _, err := os.Stat(file); err != nil {
		return finding{"settings", fine, "the defaults; " + file + " does not exist", ""}
	}
	return finding{"settings", fine, file, ""}
}

// checkCatalogue sums up what is wrong with the agents of this directory.
func (a *app) checkCatalogue(ctx context.Context) (out []finding) {
	err := a.catalogued(ctx, func(k *catalogue, dir string) error {
		s, err := k.Load(ctx, dir)
		if err != nil {
			return err
		}
		counts := map[agents.State]int{}
		for _, d := range s.Definitions {
			counts[d.State]++
		}
		f := finding{"agents", fine, fmt.Sprintf("%d can be used", counts[agents.Available]), ""}
		if n := counts[agents.Faulty]; n > 0 {
			f = finding{"agents", warn, fmt.Sprintf("%s; %d files cannot be loaded", f.Text, n), "drover agents --all says why"}
		}
		out = append(out, f)
		if n := counts[agents.Untrusted]; n > 0 {
			out = append(out, finding{"trust", warn, fmt.Sprintf("%d agents of this project's folders are not trusted", n), "look at them with drover agents --all, then: drover trust"})
		}
		return nil
	})
	if err != nil {
		_, message, hint := a.describe(err)
		return append(out, finding{"agents", fail, message, hint})
	}
	return out
}

// checkWalls says what keeps a read-only agent's commands from writing.
func checkWalls(ctx context.Context) finding {
	r, err := sandbox.Means(ctx)
	switch {
	case err != nil:
		return finding{"walls", warn, err.Error(), ""}
	case r.Best == "":
		return finding{"walls", warn, "no sandbox works here: read-only agents run no commands", "install bubblewrap, or allow user namespaces"}
	case r.Best == sandbox.Landlock:
		return finding{"walls", warn, sandbox.Weak, "install bubblewrap, or allow user namespaces"}
	}
	return finding{"walls", fine, fmt.Sprintf("commands of read-only agents are confined by %s and Landlock %d", r.Best, r.Landlock), ""}
}

func (a *app) checkModel(ctx context.Context, s config.Settings) finding {
	c, err := openChoice(a.getenv, s)
	if err != nil {
		_, message, hint := a.describe(err)
		return finding{"model", fail, message, hint}
	}
	full, note, err := c.named(ctx, s.Model)
	switch {
	case err != nil:
		return finding{"model", fail, err.Error(), core.HintOf(err)}
	case full == offlineModel:
		if note = strings.TrimPrefix(note, "model "); note == "" {
			note = full
		}
		return finding{"model", fine, note + ": rules, not a language model; needs no key and no network", ""}
	case note != "":
		return finding{"model", fine, strings.TrimPrefix(note, "model ") + "; drover models asks whether it can be reached", ""}
	}
	return finding{"model", fine, core.CleanLine(full) + "; drover models asks whether it can be reached", ""}
}

// fewBytes is how little free space is worth a warning.
const fewBytes = 200 << 20

func checkState(dir string) finding {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return finding{"state", fail, err.Error(), "make it writable, or set DROVER_STATE to a directory of yours"}
	}
	f, err := os.CreateTemp(dir, ".doctor")
	if err != nil {
		return finding{"state", fail, err.Error(), "make it writable, or set DROVER_STATE to a directory of yours"}
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return finding{"state", fail, err.Error(), "the disk may be full"}
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err == nil {
		if free := fs.Bavail * uint64(fs.Bsize); free < fewBytes {
			return finding{"state", warn, fmt.Sprintf("%s is writable, but only %d MB are free", dir, free>>20), "make room: nothing can be acknowledged on a full disk"}
		}
	}
	return finding{"state", fine, dir + " is writable", ""}
}

func (a *app) checkRegistry(ctx context.Context, dir string) []finding {
	var all []finding
	err := a.with(ctx, func(c client) error {
		if err := checkDatabase(ctx, dir); err != nil {
			return err
		}
		tasks, err := c.List(ctx, true)
		if err != nil {
			return err
		}
		all = append(all, finding{"registry", fine, fmt.Sprintf("the database is whole: %d tasks", len(tasks)), ""})
		waiting, err := c.Requests(ctx, core.RequestFilter{States: []core.RequestState{core.ReqQueued}, Kinds: []core.RequestKind{core.ReqMessage}})
		if err != nil {
			return err
		}
		all = append(all, checkInterrupted(tasks), checkWaiting(tasks, waiting), checkProcesses(tasks))
		return nil
	})
	if err != nil {
		_, message, hint := a.describe(err)
		all = append(all, finding{"registry", fail, message, hint})
	}
	return all
}

func checkInterrupted(tasks []core.TaskView) finding {
	var sessions []string
	for _, t := range tasks {
		if t.Interrupted && (len(sessions) == 0 || sessions[len(sessions)-1] != t.Session) {
			sessions = append(sessions, t.Session)
		}
	}
	if len(sessions) == 0 {
		return finding{"sessions", fine, "none is interrupted", ""}
	}
	return finding{"sessions", warn, "interrupted, their host is gone: " + strings.Join(sessions, ", "), "drover resume " + sessions[0] + " goes on from the last committed step; drover cancel " + sessions[0] + " gives it up"}
}

// checkWaiting looks for messages to idle tasks: whoever sent one was stopped
// before a host was there to deliver it.
func checkWaiting(tasks []core.TaskView, waiting []core.Request) finding {
	for _, q := range waiting {
		for _, t := range tasks {
			if t.ID == q.Task && t.Status == core.Idle && time.Since(q.Created) > time.Minute {
				return finding{"messages", warn, fmt.Sprintf("%s to %s waits and nobody delivers it: %s", core.RequestRef(q.ID), q.Task, core.Short(core.CleanLine(q.Text), 60)),
					"drover resume " + q.Task + " delivers it; drover withdraw " + core.RequestRef(q.ID) + " takes it back"}
			}
		}
	}
	return finding{"messages", fine, "none waits for a host", ""}
}

// checkProcesses looks for processes whose supervisor was killed.
func checkProcesses(tasks []core.TaskView) finding {
	seen := map[string]bool{}
	var pids []string
	for _, t := range tasks {
		if seen[t.Session] || t.Status.Terminal() && t.Kind == core.KindMain {
			seen[t.Session] = true
			continue
		}
		seen[t.Session] = true
		left, err := sandbox.Orphans(t.Session)
		if err != nil {
			return finding{"processes", warn, "cannot look for processes left behind: " + err.Error(), ""}
		}
		for _, pid := range left {
			pids = append(pids, strconv.Itoa(pid))
		}
	}
	if len(pids) > 0 {
		return finding{"processes", warn, "left behind by agents' commands: " + strings.Join(pids, " "), "kill " + strings.Join(pids, " ")}
	}
	return finding{"processes", fine, "none is left behind", ""}
}

func checkNotify(dir string) finding {
	const remedy = "sysctl fs.inotify.max_user_instances=1024; until then changes show up a little later"
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return finding{"notices", warn, "changes cannot be watched: " + err.Error(), remedy}
	}
	defer w.Close()
	if err := w.Add(dir); err != nil {
		return finding{"notices", warn, dir + " cannot be watched: " + err.Error(), remedy}
	}
	return finding{"notices", fine, "changes are seen at once", ""}
}

func (a *app) checkTerminal() finding {
	name := a.getenv("TERM")
	if !a.paint.tty {
		return finding{"terminal", fine, "standard output is no terminal: plain text, no escape codes", ""}
	}
	if name == "" || name == "dumb" {
		return finding{"terminal", warn, fmt.Sprintf("TERM is %q: the screen cannot be drawn", name), "export TERM=xterm-256color"}
	}
	w, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return finding{"terminal", warn, "its size is unknown: " + err.Error(), ""}
	}
	colors := "16 colours"
	switch {
	case a.getenv("NO_COLOR") != "":
		colors = "no colours (NO_COLOR)"
	case a.getenv("COLORTERM") == "truecolor" || a.getenv("COLORTERM") == "24bit":
		colors = "true colour"
	case strings.Contains(name, "256color"):
		colors = "256 colours"
	}
	f := finding{"terminal", fine, fmt.Sprintf("%s, %dx%d, %s", name, w, h, colors), ""}
	if w < 80 || h < 24 {
		f.State, f.Remedy = warn, "80x24 or more shows everything; the screen works down to 20x5"
	}
	return f
}

func checkGit() finding {
	path, err := exec.LookPath("git")
	if err != nil {
		return finding{"git", warn, "not found: files that .gitignore names cannot be told from the others", "install git"}
	}
	return finding{"git", fine, path, ""}
}
