package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"drover/agents"
	"drover/core"
	"drover/core/config"
	"drover/core/tool"
	"drover/store"
	"drover/themes"
	"drover/ui"
	"drover/ui/state"
)

// screen opens the full screen, with a new session where there is a prompt.
func (a *app) screen(ctx context.Context, args []string) (err error) {
	if a.json {
		return usage("drover ps --json", "the screen has no JSON")
	}
	if !a.paint.tty || !term.IsTerminal(int(os.Stdin.Fd())) {
		return usage("drover ps shows the tree as text; drover run PROMPT works without a screen", "the screen needs a terminal")
	}
	loaded := holdGarbage()
	e, err := a.engine(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.store.Close()) }()
	first, wait := pullAhead(ctx, e.Client)
	defer wait()
	own, err := themeDir(a.getenv)
	if err != nil {
		return err
	}
	load := func(name string) (themes.Theme, error) {
		t, err := themes.Load(name, own)
		return t, themeError(err)
	}
	keys, err := keymap(a.getenv)
	if err != nil {
		return err
	}
	themeName := e.settings.ThemeName(a.getenv, lightTerminal)
	theme, err := load(themeName)
	if err != nil {
		return err
	}
	names, err := themes.Names(own)
	if err != nil {
		return themeError(err)
	}
	s := screenEngine{Client: e.Client, e: e, ahead: first}
	session, err := a.begin(ctx, s, args)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	bring, err := e.catalog.brings(ctx, dir, true)
	if err != nil {
		return err
	}
	full, found, modelErr := e.choice.named(ctx, e.settings.Model) // without a model one can still look
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	outfit := a.outfit(ctx, own)
	defer func() {
		stop()
		for range outfit { // until its watcher has ended
		}
	}()
	return ui.Run(ctx, ui.Options{
		Mouse: state.Mouse(e.settings.Mouse), Notify: ui.NoticesFor(e.settings.Notify, a.getenv), Title: e.settings.Title, Progress: e.settings.Progress,
		Steady: !e.settings.Synchronised, Trouble: told(modelErr), Keys: keys, ThemeName: themeName, Outfit: outfit,
		Project: folders(bring), Engine: s, Theme: theme, Session: session, Dir: dir, Version: version, Offline: full == offlineModel, Found: found,
		Stall: e.settings.StallAfter, RuleFor: tool.RuleFor, NoColor: a.getenv("NO_COLOR") != "", Out: a.out, Outside: ui.Outside{Themes: names, LoadTheme: load, NoCopy: ui.NoClipboard(a.getenv)}, Loaded: loaded,
	})
}

// screenEngine is the client with the one thing a screen needs beside it.
type screenEngine struct {
	*core.Client
	e     *engine
	ahead *ahead // nil: nothing is read ahead
}

// NewSession starts a session in this directory and returns its main task.
func (s screenEngine) NewSession(ctx context.Context, ask state.NewSession) (string, error) {
	n, err := s.e.newSession(ctx, ask.Prompt, runFlags{agent: ask.Agent, model: ask.Model, autopilot: ask.Autopilot, allowAll: ask.AllowAll, continues: -1, detach: true})
	if err != nil {
		return "", err
	}
	t, err := s.e.Create(ctx, n)
	if err != nil {
		return "", err
	}
	return t.ID, s.e.Hosts.Ensure(ctx, t.Session)
}

// Files names the files of a folder, those that git ignores left out.
func (s screenEngine) Files(ctx context.Context, dir string) ([]string, error) {
	return tool.Files(ctx, dir, maxFiles)
}

// modelsWithin is how long a person at the screen waits for providers to list their models.
const modelsWithin = 3 * time.Second

// Models names what the providers have that can be reached.
func (s screenEngine) Models(ctx context.Context) (names []string, err error) {
	ctx, stop := context.WithTimeout(ctx, modelsWithin)
	defer stop()
	for _, p := range s.e.choice.listed(ctx) {
		for _, m := range p.Models {
			names = append(names, m.Model)
		}
	}
	return names, nil
}

// maxFiles is how many files of a folder can be named in a message.
const maxFiles = 20_000

// History are the texts that were sent from this folder.
func (s screenEngine) History(ctx context.Context) ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return s.Sent(ctx, dir)
}

// Remember adds one.
func (s screenEngine) Remember(ctx context.Context, text string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return s.RememberSent(ctx, dir, text)
}

// Agents lists every definition there is for this directory, whatever its state.
func (s screenEngine) Agents(ctx context.Context) ([]state.Agent, error) {
	if s.e == nil {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	all, err := s.e.catalog.Load(ctx, dir)
	if err != nil {
		return nil, err
	}
	return each(all.Definitions, shownAgent), nil
}

func shownAgent(d agents.Definition) state.Agent {
	return state.Agent{
		Name: d.Name, Display: d.DisplayName, Description: d.Description, Dialect: d.Dialect, Family: d.Family, Scope: string(d.Scope),
		Path: d.Path, State: string(d.State), Reason: d.Reason, ShadowedBy: d.ShadowedBy, Model: d.Model, Tools: d.Tools,
		ReadOnly: d.ReadOnly, Background: d.Background, PromptChars: utf8.RuneCountInString(d.Prompt),
		Limits: state.Limits{MaxTurns: d.Limits.MaxTurns, TimeoutMinutes: int(d.Limits.Timeout.Minutes())},
		Problems: each(d.Problems, func(p agents.Problem) state.Problem {
			return state.Problem{Severity: string(p.Severity), Line: p.Line, Field: p.Field, Message: p.Message, Repair: p.Repair}
		}),
	}
}

// Commands lists every workflow command there is for this directory.
func (s screenEngine) Commands(ctx context.Context) ([]state.Command, error) {
	if s.e == nil {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	all, err := s.e.catalog.Commands(ctx, dir)
	return each(all, func(c agents.Command) state.Command {
		return state.Command{Name: c.Name, Description: c.Description, Hint: c.Hint, Path: c.Path, State: string(c.State), Reason: c.Reason}
	}), err
}

// Trust trusts what this directory's folders bring.
func (s screenEngine) Trust(ctx context.Context) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	done, err := s.e.catalog.trust(ctx, dir, true)
	return folders(done), err
}

// folders names the folders that bring something.
func folders(all []brought) string {
	return strings.Join(each(all, func(b brought) string { return b.Root }), " and ")
}

// Submit puts a workflow command's prompt in its place first.
func (s screenEngine) Submit(ctx context.Context, r core.Request) (core.Request, error) {
	if s.e == nil || r.Kind != core.ReqMessage || !strings.HasPrefix(r.Text, "/") {
		return s.Client.Submit(ctx, r)
	}
	d, err := s.Show(ctx, r.Task)
	if err != nil {
		return r, err
	}
	if r.Text, _, err = s.e.catalog.expand(ctx, d.Task.Dir, r.Text); err != nil {
		return r, err
	}
	return s.Client.Submit(ctx, r)
}

func themeDir(getenv func(string) string) (string, error) {
	dir, err := config.Dir(getenv)
	return filepath.Join(dir, "themes"), err
}

// themeError gives a theme's fault the shape in which people are told.
func themeError(err error) error {
	if f, ok := errors.AsType[*themes.Fault](err); ok {
		return &core.Error{Code: core.CodeInvalidInput, Message: f.Error(), Hint: f.Hint}
	}
	return err
}
