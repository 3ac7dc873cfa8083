package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"drover/core"
	"drover/core/config"
	"drover/core/model/offline"
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
	e, err := a.engine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.store.Close()) }()
	own, err := themeDir(a.getenv)
	if err != nil {
		return err
	}
	load := func(name string) (themes.Theme, error) {
		t, err := themes.Load(name, own)
		return t, themeError(err)
	}
	theme, err := load(e.settings.ThemeName(a.getenv))
	if err != nil {
		return err
	}
	names, err := themes.Names(own)
	if err != nil {
		return themeError(err)
	}
	s := screenEngine{e.Client, e}
	session := ""
	if len(args) > 0 {
		prompt, err := a.message(args)
		if err != nil {
			return err
		}
		if session, err = s.NewSession(ctx, state.NewSession{Prompt: prompt}); err != nil {
			return err
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return ui.Run(ctx, ui.Options{
		Engine: s, Theme: theme, Session: session, Dir: dir, Version: version, Offline: strings.HasPrefix(e.settings.Model, offline.Name+"/"),
		NoColor: a.getenv("NO_COLOR") != "", Out: a.out, Outside: ui.Outside{Themes: names, LoadTheme: load},
	})
}

// screenEngine is the client with the one thing a screen needs beside it.
type screenEngine struct {
	*core.Client
	e *engine
}

// NewSession starts a session in this directory and returns its main task.
func (s screenEngine) NewSession(ctx context.Context, ask state.NewSession) (string, error) {
	n, err := s.e.newSession(ctx, ask.Prompt, runFlags{agent: ask.Agent, autopilot: ask.Autopilot, allowAll: ask.AllowAll, continues: -1, detach: true})
	if err != nil {
		return "", err
	}
	t, err := s.e.Create(ctx, n)
	if err != nil {
		return "", err
	}
	return t.ID, s.e.Hosts.Ensure(ctx, t.Session)
}

// Agents lists what the catalogue knows.
func (s screenEngine) Agents(ctx context.Context) ([]state.Agent, error) {
	if s.e == nil {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	all, err := s.e.catalog.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	return each(all, func(g core.Agent) state.Agent {
		return state.Agent{
			Name: g.Name, Display: g.DisplayName, Description: g.Description, Dialect: "drover", Family: "drover", Scope: "bundled",
			Path: g.Source, State: "available", Model: g.Model, Tools: g.Tools, ReadOnly: g.ReadOnly, Background: g.Background,
			PromptChars: utf8.RuneCountInString(g.Prompt),
			Limits:      state.Limits{MaxTurns: g.Limits.MaxTurns, TimeoutMinutes: int(g.Limits.Timeout.Minutes())},
		}
	}), nil
}

// Commands lists the workflow commands: none are known yet.
func (s screenEngine) Commands(context.Context) ([]state.Command, error) { return nil, nil }

// Trust is refused: nothing comes from a project yet.
func (s screenEngine) Trust(context.Context) (string, error) {
	return "", core.Errorf(core.CodeInvalidInput, "there is nothing to trust here")
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
