package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/core/config"
	"drover/store"
	"drover/themes"
	"drover/ui"
	"drover/ui/state"
)

// lookForNews is how often the person's own files (keys, themes) are looked at
// while the screen is open: a few stats, and what was saved is there at once.
const lookForNews = time.Second

// keymap is the key table with the person's own keys.
func keymap(getenv func(string) string) ([]state.Binding, error) {
	file, rows, err := config.LoadKeymap(getenv)
	if err != nil {
		if c, ok := errors.AsType[*config.Error](err); ok {
			return nil, &core.Error{Code: core.CodeInvalidInput, Message: c.Error(), Hint: c.Hint}
		}
		return nil, err
	}
	return state.Keymap(each(rows, func(r config.KeyRow) state.Rebind {
		return state.Rebind{Command: r.Command, Keys: r.Keys, Where: fmt.Sprintf("%s:%d", file, r.Line)}
	}))
}

func (a *app) keysCmd() *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "All commands of the screen with their keys, as a keys.toml to start from", Args: takes(),
		RunE: func(*cobra.Command, []string) error { return a.print(state.KeysTOML()) },
	}
}

// outfit watches the person's keys and themes and sends what has changed. The
// channel is closed when ctx has ended.
func (a *app) outfit(ctx context.Context, themeDir string) <-chan ui.Outfit {
	out := make(chan ui.Outfit)
	keysFile := filepath.Join(filepath.Dir(themeDir), config.KeymapFile)
	go func() {
		defer close(out)
		keys, colours := fileStamp(keysFile), stamps(themeDir)
		tick := time.NewTicker(lookForNews)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var o ui.Outfit
			if now := fileStamp(keysFile); now != keys {
				keys, o.Rekeyed = now, true
				o.Keys, o.KeysErr = keymap(a.getenv)
			}
			if now := stamps(themeDir); now != colours {
				colours = now
				if names, err := themes.Names(themeDir); err == nil {
					o.Themes = names
				}
			}
			if !o.Rekeyed && o.Themes == nil {
				continue
			}
			select {
			case out <- o:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// fileStamp tells one state of a file from another.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Name(), info.Size(), info.ModTime().UnixNano())
}

// stamps is the stamp of all files in a directory.
func stamps(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var all []string
	for _, e := range entries {
		all = append(all, fileStamp(filepath.Join(dir, e.Name())))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// begin starts a session where there is a prompt, and returns its main task.
func (a *app) begin(ctx context.Context, s screenEngine, args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	prompt, err := a.message(ctx, args)
	if err != nil {
		return "", err
	}
	return s.NewSession(ctx, state.NewSession{Prompt: prompt})
}

// plainly shows the tasks as lines and takes commands as lines.
func (a *app) plainly(ctx context.Context, args []string) (err error) {
	if a.json {
		return usage("drover ps --json", "the plain view has no JSON")
	}
	e, err := a.engine(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.store.Close()) }()
	s := screenEngine{Client: e.Client, e: e}
	session, err := a.begin(ctx, s, args)
	if err != nil {
		return err
	}
	_, _, modelErr := e.choice.named(ctx, e.settings.Model)
	return ui.RunPlain(ctx, ui.Options{Engine: s, Session: session, Trouble: told(modelErr)}, a.in, a.out)
}
