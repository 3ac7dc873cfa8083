package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/core/hook"
	"drover/core/mask"
)

// hooks are those that stand, whenever they are due, in the directory of the event.
type hooks struct{ e *engine }

func (h hooks) Run(ctx context.Context, ev core.HookEvent) (core.HookOutcome, error) {
	return h.e.catalog.hooks.At(ev.Dir).Run(ctx, ev)
}

// openHooks makes the set of hooks; what is trusted is the catalogue's to say.
func openHooks(k *catalogue, getenv func(string) string, dir string, s config.Settings) *hook.Set {
	w := &hookSettings{getenv: getenv, file: filepath.Join(dir, "config.toml"), hooks: fromSettings(s.Hooks, dir)}
	return hook.Open(hook.Options{
		Home: getenv("HOME"), Settings: w.now, Environ: os.Environ(), Mask: mask.New(os.Environ(), getenv("HOME")).Text, Inside: getenv(hook.EnvHook) != "",
		Trust: func(ctx context.Context) (func(root, content string) bool, error) { return k.trusts, k.refresh(ctx) },
	})
}

func fromSettings(all []config.Hook, dir string) []hook.Hook {
	return each(all, func(h config.Hook) hook.Hook {
		return hook.Hook{
			Point: core.HookPoint(h.Point), Path: filepath.Join(dir, "config.toml"), Matcher: h.Matcher, Command: h.Command, Args: h.Args,
			Dir: h.Cwd, Env: h.Env, Timeout: h.Timeout, Required: h.Required,
		}
	})
}

// hookSettings reads the settings again when their file has changed. While the
// file cannot be used, the hooks of before hold.
type hookSettings struct {
	getenv func(string) string
	file   string

	mu    sync.Mutex
	seen  fs.FileInfo
	hooks []hook.Hook
	err   error
}

func (w *hookSettings) now() ([]hook.Hook, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	info, err := os.Stat(w.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.hooks, err
	}
	if err == nil && w.seen != nil && os.SameFile(info, w.seen) && info.Size() == w.seen.Size() && info.ModTime().Equal(w.seen.ModTime()) &&
		time.Since(info.ModTime()) > 2*time.Second { // below that its time does not tell
		return w.hooks, w.err
	}
	s, err := config.Load(w.getenv)
	if w.seen, w.err = info, err; err == nil {
		w.hooks = fromSettings(s.Hooks, filepath.Dir(w.file))
	}
	return w.hooks, w.err
}

// hookJSON is a hook as --json shows it. Values of its environment may be secrets.
type hookJSON struct {
	Name     string         `json:"name"`
	State    hook.State     `json:"state"`
	Reason   string         `json:"reason"`
	Point    core.HookPoint `json:"point"`
	Event    string         `json:"event"`
	Matcher  string         `json:"matcher"`
	Command  string         `json:"command"`
	Args     []string       `json:"args"`
	Cwd      string         `json:"cwd"`
	Env      []string       `json:"env"`
	Timeout  int64          `json:"timeout_ms"`
	Required bool           `json:"required"`
	Dialect  hook.Dialect   `json:"dialect"`
	Scope    string         `json:"scope"`
	Path     string         `json:"path"`
}

func shownHook(h hook.Hook) hookJSON {
	return hookJSON{
		h.Name, h.State, h.Reason, h.Point, h.Event, h.Matcher, h.Command, h.Args, h.Dir, list(slices.Sorted(maps.Keys(h.Env))), h.Timeout.Milliseconds(), h.Required,
		h.Dialect, hookScope(h), h.Path,
	}
}

func hookScope(h hook.Hook) string {
	if h.Root != "" {
		return "project"
	}
	return "user"
}

func (a *app) hooksCmd() *cobra.Command {
	var all bool
	c := flagged(&cobra.Command{
		Use: "hooks", Short: "Your own commands at moments of an agent's life: where from, when, and what keeps one from running", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listHooks(cmd.Context(), all) },
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&all, "all", false, "also those for moments that drover does not have")
	})
	c.AddCommand(&cobra.Command{
		Use: "check", Short: "What is wrong with the hooks of this directory; exit 1 where one cannot run", Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.checkHooks(cmd.Context()) },
	})
	return c
}

func (a *app) listHooks(ctx context.Context, all bool) error {
	return a.catalogued(ctx, func(k *catalogue, dir string) error {
		list, err := k.hooks.Load(ctx, dir)
		if err != nil {
			return err
		}
		shown := []hook.Hook{}
		for _, h := range list {
			if all || h.State != hook.Ignored {
				shown = append(shown, h)
			}
		}
		if a.json {
			return a.emit(each(shown, shownHook))
		}
		var b strings.Builder
		for _, h := range shown {
			b.WriteString(a.hookRow(h))
		}
		if left := len(list) - len(shown); left > 0 {
			fmt.Fprintf(&b, "%d more are not for drover: drover hooks --all says why\n", left)
		}
		if len(list) == 0 {
			b.WriteString("no hooks: README's section on them says where they go\n")
		}
		return a.print(b.String())
	})
}

var hookMarks = map[hook.State][2]string{
	hook.Active: {"●", green}, hook.Untrusted: {"?", yellow}, hook.Disabled: {"⊘", dim}, hook.Ignored: {"◌", dim}, hook.Faulty: {"✗", red},
}

func (a *app) hookRow(h hook.Hook) string {
	mark := hookMarks[h.State]
	head := mark[0] + " " + pad(fit(core.CleanLine(first(string(h.Point), h.Event, "?")), 14), 14) + "  "
	if h.State != hook.Active {
		head += pad(string(h.State), 10)
	}
	head += pad(fit(core.CleanLine(first(h.Matcher, "*")), 16), 16) + " "
	room := 0 // without a terminal all of it
	if a.paint.width > 0 {
		room = max(20, a.paint.width-len([]rune(head))-1)
	}
	line := a.paint.in(mark[1], head) + fit(hookCommand(h), room)
	about := fmt.Sprintf("%s · %s · %s", hookScope(h), h.Dialect, core.CleanLine(h.Name))
	if h.Timeout > 0 {
		about += " · " + h.Timeout.String()
	}
	if h.Required {
		about += " · required"
	}
	if h.Reason != "" {
		about += " · " + core.CleanLine(h.Reason)
	}
	return strings.TrimRight(line, " ") + "\n    " + a.paint.in(dim, about) + "\n"
}

// hookCommand is what a hook would run, on one line. A person decides by it, so
// that nothing of it may be invisible: what is no plain text is quoted.
func hookCommand(h hook.Hook) string {
	return strings.Join(each(append([]string{h.Command}, h.Args...), func(word string) string {
		if core.CleanLine(word) != word {
			word = strconv.Quote(word)
		}
		return core.CleanLine(word)
	}), " ")
}

// hookProblem says why a hook cannot run here, "" where nothing speaks against it.
func hookProblem(s *hook.Set, h hook.Hook, dir string) string {
	switch h.State {
	case hook.Faulty:
		return h.Reason
	case hook.Active, hook.Untrusted:
		return s.Missing(h, dir, os.Getenv("PATH"))
	}
	return ""
}

func (a *app) checkHooks(ctx context.Context) error {
	return a.catalogued(ctx, func(k *catalogue, dir string) error {
		list, err := k.hooks.Load(ctx, dir)
		if err != nil {
			return err
		}
		var b strings.Builder
		counts := map[hook.State]int{}
		bad := []hookJSON{}
		for _, h := range list {
			counts[h.State]++
			if problem := hookProblem(k.hooks, h, dir); problem != "" {
				h.Reason = problem
				bad = append(bad, shownHook(h))
				fmt.Fprintf(&b, "%s: %s %s\n", core.CleanLine(h.Name), a.paint.in(red, "error"), core.CleanLine(problem))
			}
		}
		if a.json {
			err = a.emit(bad)
		} else {
			fmt.Fprintf(&b, "%d hooks: %d active, %d not trusted, %d disabled, %d not for drover, %d that cannot run\n",
				len(list), counts[hook.Active], counts[hook.Untrusted], counts[hook.Disabled], counts[hook.Ignored], len(bad))
			err = a.print(b.String())
		}
		if err == nil && len(bad) > 0 {
			err = &exit{code: core.ExitFailed}
		}
		return err
	})
}

// checkHooksHere sums up the hooks of this directory for the doctor.
func (a *app) checkHooksHere(ctx context.Context) (f finding) {
	err := a.catalogued(ctx, func(k *catalogue, dir string) error {
		list, err := k.hooks.Load(ctx, dir)
		if err != nil {
			return err
		}
		active, waiting, bad := 0, 0, 0
		for _, h := range list {
			switch {
			case hookProblem(k.hooks, h, dir) != "":
				bad++
			case h.State == hook.Active:
				active++
			case h.State == hook.Untrusted:
				waiting++
			}
		}
		f = finding{"hooks", fine, fmt.Sprintf("%d run here", active), ""}
		if waiting > 0 {
			f = finding{"hooks", warn, fmt.Sprintf("%s; %d from this project's folders are not trusted", f.Text, waiting), "look at them with drover hooks, then: drover trust"}
		}
		if bad > 0 {
			f = finding{"hooks", warn, fmt.Sprintf("%s; %d cannot run", f.Text, bad), "drover hooks check says why"}
		}
		return nil
	})
	if err != nil {
		_, message, hint := a.describe(err)
		return finding{"hooks", fail, message, hint}
	}
	return f
}
