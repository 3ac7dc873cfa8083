package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drover/core"
	"drover/core/config"
	"drover/core/host"
	"drover/core/mask"
	"drover/core/run"
	"drover/core/sandbox"
	"drover/core/schema"
	"drover/core/tool"
	"drover/store"
)

// engine is everything there is, wired: what starts sessions and hosts them.
type engine struct {
	*core.Client
	store    *store.Store
	dir      string // of the state
	settings config.Settings
	catalog  *catalogue
	getenv   func(string) string
	choice   *choice
	newID    func() string // nil: random
}

// openRegistry opens what reading and asking need: the store, and hosts as processes.
func (a *app) openRegistry(ctx context.Context) (client, func() error, error) {
	e, err := a.registry(ctx, store.Options{})
	if err != nil {
		return nil, nil, err
	}
	return e.Client, e.store.Close, nil
}

func (a *app) registry(ctx context.Context, o store.Options) (*engine, error) {
	dir, err := config.StateDir(a.getenv)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &engine{Client: &core.Client{Store: s, Hosts: &host.Launcher{Dir: dir, Args: []string{"host", "--detach"}}}, store: s, dir: dir}, nil
}

// engine opens all of it. Settings come first: a mistake in them leaves no trace.
func (a *app) engine(ctx context.Context, o store.Options) (*engine, error) {
	settings, err := config.Load(a.getenv)
	if err != nil {
		return nil, err
	}
	// The bundled agents are read while the registry is opened.
	var agents *catalogue
	var fault error
	read := make(chan struct{})
	go func() {
		defer close(read)
		agents, fault = openCatalogue(a.getenv, settings)
	}()
	e, err := a.registry(ctx, o)
	<-read
	if err != nil {
		return nil, err
	}
	e.settings, e.getenv, e.catalog = settings, a.getenv, agents
	if err = fault; err == nil {
		e.catalog.client = e.Client
		e.choice, err = openChoice(a.getenv, settings)
	}
	if err != nil {
		return nil, errors.Join(err, e.store.Close())
	}
	return e, nil
}

// In a host the hooks and agents of a directory count for so long without a look at the files.
const (
	hookRest  = 50 * time.Millisecond
	agentRest = 2 * time.Millisecond // a model may write an agent in one step and start it in the next
)

// host makes the host of a session. One that runs a single prompt ends the
// session when it is idle. log may be nil.
func (e *engine) host(session string, oneShot bool, log io.Writer) (*host.Host, error) {
	if e.getenv("GOGC") == "" {
		tuneGarbage()
	}
	e.catalog.hooks.Rest(hookRest)
	e.catalog.Rest(agentRest)
	scratch := filepath.Join(e.dir, "scratch", session)
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory for long outputs: %w", err)
	}
	o := host.Options{
		Store: e.store, Dir: e.dir, Session: session, IdleExit: e.settings.HostIdle, Autopilot: autopilot, Sweep: sweep, Hooks: hooks{e},
		Tidy: func(ctx context.Context) error { return e.Client.Tidy(ctx, time.Now().Add(-e.settings.KeepProgress)) },
		Registry: core.Options{
			Slots: core.NewSlots(e.settings.Concurrency), MaxDepth: e.settings.MaxDepth, OneShot: oneShot, NewID: e.newID,
			Allowed: tool.Allowed, RuleFor: tool.RuleFor, Model: e.choice.switched,
		},
	}
	if log != nil {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	builtin, delegation, masks := e.builtin(), e.delegation(), mask.New(os.Environ(), e.getenv("HOME"))
	o.Runner = func(r *core.Registry) core.Runner {
		return run.New(run.Options{
			Registry: r, Model: e.choice.Resolve, Scratch: scratch, Limits: limits(e.settings), MaxDepth: e.settings.MaxDepth,
			Tools: tool.NewBox(slices.Concat(builtin, tool.Delegation(r, e.catalog, delegation), tool.Record(r))...), Exact: tool.Exact, Denied: tool.Denied, Policy: e.catalog.policy,
			Effort: strings.TrimPrefix(e.settings.Effort, config.Auto), Schema: compile, Mask: masks.Text, Masked: func(w io.Writer) io.WriteCloser { return masks.NewWriter(w) }, Hooks: hooks{e}, Window: e.choice.window,
		})
	}
	return host.New(o), nil
}

// limits are those of the settings, where 0 means none.
func limits(s config.Settings) run.Limits {
	none := func(d time.Duration) time.Duration {
		if d == 0 {
			return -1
		}
		return d
	}
	return run.Limits{
		MaxTurns: s.MaxTurns, Timeout: none(s.Timeout), Idle: none(s.IdleTimeout), Requests: s.RequestBudget,
		Tokens: int64(s.BudgetTokens), Cost: s.BudgetCost, Grace: s.Grace,
	}
}

func compile(raw json.RawMessage) (func(json.RawMessage) []string, error) {
	return schema.Compile(raw)
}

// sweep ends processes of a host that was killed together with their supervisors.
func sweep(session string) error {
	if _, err := sandbox.KillOrphans(session); err != nil {
		return fmt.Errorf("stopping what an earlier host left behind: %w", err)
	}
	return nil
}

func autopilot(s core.Session, main core.Task, turns []core.Turn) (reminder string, stop core.Code, why string) {
	d := run.Autopilot(s, main, main.Outcome != "", turns)
	if d.Continue {
		return run.Reminder(), "", ""
	}
	return "", d.Stop, d.Why
}

// checkDatabase lets SQLite look over its pages and indexes.
func checkDatabase(ctx context.Context, dir string) (err error) {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "drover.db")+"?mode=ro&_query_only=1")
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	if result != "ok" {
		return &core.Error{Code: core.CodeStorage, Message: "the database is damaged: " + result, Hint: "stop every drover, then: sqlite3 drover.db .recover"}
	}
	return nil
}

// hostLog prints what the host of a session has logged.
func (a *app) hostLog(session string) error {
	dir, err := config.StateDir(a.getenv)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(host.LogPath(dir, session))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.note("session " + session + " has had no host of its own: it has no log")
	case err != nil:
		return fmt.Errorf("reading the host's log: %w", err)
	case a.json:
		return a.emit(strings.Split(strings.TrimRight(string(text), "\n"), "\n"))
	}
	_, err = io.WriteString(a.out, core.Clean(string(text)))
	return err
}
