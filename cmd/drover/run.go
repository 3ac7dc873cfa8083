package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"drover/agents"
	"drover/core"
	"drover/core/config"
	"drover/core/host"
	"drover/store"
)

// runFlags are what a person says of a new session.
type runFlags struct {
	autopilot, allowAll, detach bool
	plan                        bool
	agent, model                string
	format, schema              string
	output                      json.RawMessage // the schema, read
	continues                   int
	rules                       []string
	limits                      core.SessionLimits
	tell                        func(string) error // hears which model was found; nil: nobody
	around                      func() string      // the surroundings, where they were asked for already; nil: they were not
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run PROMPT", Short: "Run a session without the screen; prints what the main agent answers", Args: atLeast("PROMPT"),
		Long: "Run a session in this process and this directory: what the main agent answers goes to standard output, what happens besides to standard error.\n" +
			"It ends when nothing runs any more, background work included; the exit code tells the truth about the whole tree.\n" +
			"PROMPT may be - for standard input. With --detach the session runs by itself, and only its ID is printed.\n" +
			"^C cancels all of it and says what was stopped; a second ^C leaves at once.\n" +
			`--output-format json: one object at the end, {"type":"result",…}; stream-json (the same as --json): a JSON value a line, that object last.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.checkRun(cmd.Context(), &f)
			if err == nil {
				err = a.runSession(cmd.Context(), args, f)
			}
			return a.unstarted(err, f)
		},
	}
	c.Flags().BoolVar(&f.autopilot, "autopilot", false, "go on until the agent declares the task complete")
	c.Flags().IntVar(&f.continues, "max-continues", -1, "how often autopilot reminds it (default: the setting's)")
	c.Flags().StringVar(&f.agent, "agent", agents.Main, "the agent that leads the session")
	c.Flags().StringVar(&f.model, "model", "", "provider/model or a tier (default: the setting's)")
	c.Flags().BoolVar(&f.allowAll, "allow-all", false, "no tool call needs approval")
	c.Flags().StringArrayVar(&f.rules, "allow", nil, "tool calls that need no approval: `TOOL` or \"TOOL(pattern)\"; may be repeated")
	c.Flags().BoolVar(&f.plan, "plan", false, "only plan: no agent of the session has a tool that changes anything")
	c.Flags().IntVar(&f.limits.MaxTurns, "max-turns", 0, "model calls in one turn (default: the setting's)")
	c.Flags().DurationVar(&f.limits.Timeout, "timeout", 0, "how long all of it may take, such as 10m (with --detach: one turn)")
	c.Flags().Int64Var(&f.limits.Tokens, "budget-tokens", 0, "tokens the whole session may use")
	c.Flags().Float64Var(&f.limits.Cost, "budget-cost", 0, "US dollars the whole session may cost")
	c.Flags().StringVar(&f.format, "output-format", "", "`text`, json or stream-json")
	c.Flags().StringVar(&f.schema, "schema", "", "JSON Schema that the result must fit: a `FILE`, or the JSON itself; nothing but the result is printed")
	c.Flags().BoolVar(&f.detach, "detach", false, "start it in the background and print its ID")
	return c
}

func (a *app) runSession(ctx context.Context, args []string, f runFlags) (err error) {
	prompt, err := a.message(ctx, args)
	if err != nil {
		return err
	}
	around, leave := surroundingsOfThis(ctx)
	defer leave()
	f.around = around
	e, err := a.engine(ctx, store.Options{Brief: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.store.Close()) }()
	if l := &f.limits; l.Timeout > 0 && !f.detach {
		l.Until, l.Timeout = a.now().Add(l.Timeout).UnixMilli(), 0
	}
	f.tell = a.note
	n, err := e.newSession(ctx, prompt, f)
	if err != nil {
		return err
	}
	if _, known := e.choice.prices.Of(n.Model); f.limits.Cost > 0 && !known {
		if err := a.note("no price is known of " + core.CleanLine(n.Model) + ": --budget-cost counts only what the provider itself says that a call costs"); err != nil {
			return err
		}
	}
	t, err := e.Create(ctx, n)
	if err != nil {
		return err
	}
	if f.detach {
		return a.detached(ctx, e, t)
	}
	return a.prompted(ctx, e, t, n, f.format)
}

// newSession is the session that a person asks for.
func (e *engine) newSession(ctx context.Context, prompt string, f runFlags) (core.NewSession, error) {
	dir, err := os.Getwd()
	if err != nil {
		return core.NewSession{}, fmt.Errorf("finding the working directory: %w", err)
	}
	prompt, command, err := e.catalog.expand(ctx, dir, prompt)
	if err != nil {
		return core.NewSession{}, err
	}
	if f.agent == "" || f.agent == agents.Main && command.Agent != "" {
		f.agent = first(command.Agent, agents.Main)
	}
	agent, err := e.catalog.Find(ctx, dir, f.agent)
	if err != nil {
		return core.NewSession{}, err
	}
	if err := agents.Recursion(e.getenv(agents.BlockedEnv), agent.Name); err != nil {
		return core.NewSession{}, err
	}
	if f.plan {
		agent = agents.PlanMode(agent)
	}
	model, note, err := e.choice.session(ctx, f.model, agent)
	if err != nil {
		return core.NewSession{}, err
	}
	if note != "" && f.tell != nil {
		if err := f.tell(note); err != nil {
			return core.NewSession{}, err
		}
	}
	own, err := config.Dir(e.getenv)
	if err != nil {
		return core.NewSession{}, err
	}
	more, err := instructions(own, dir, e.settings.Instructions)
	if err != nil {
		return core.NewSession{}, err
	}
	if f.around == nil {
		f.around = func() string { return surroundings(ctx, dir) }
	}
	agent.Prompt += more + f.around()
	continues := e.settings.MaxContinues
	if f.continues >= 0 {
		continues = f.continues
	}
	return core.NewSession{
		Dir: dir, Prompt: prompt, Agent: agent, Model: model, Autopilot: f.autopilot, AllowAll: f.allowAll, Plan: f.plan,
		Limits: f.limits, Output: f.output, Rules: f.rules, MaxContinues: continues, Pace: f.detach && e.settings.OfflinePace > 0,
	}, nil
}

func (a *app) detached(ctx context.Context, e *engine, t core.Task) error {
	if err := e.Hosts.Ensure(ctx, t.Session); err != nil {
		return err
	}
	if a.json {
		return a.emit(map[string]string{"type": "session", "session": t.Session})
	}
	return a.print(t.Session + "\n")
}

func (a *app) hostCmd() *cobra.Command {
	var detach bool
	return flagged(&cobra.Command{
		Use: "host SESSION", Short: "Own a session and run its tasks", Hidden: true, Args: takes("SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if detach {
				return a.detachHost(args[0])
			}
			return a.hostSession(cmd.Context(), args[0])
		},
	}, func(c *cobra.Command) { c.Flags().BoolVar(&detach, "detach", false, "leave it behind and return") })
}

func (a *app) detachHost(session string) error {
	dir, err := config.StateDir(a.getenv)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	return host.Detach(dir, session, exe, []string{"host", session})
}

func (a *app) hostSession(ctx context.Context, session string) error {
	e, err := a.engine(ctx, store.Options{})
	if err != nil {
		return err
	}
	h, err := e.host(session, false, a.err)
	if err == nil {
		err = h.Run(ctx)
	}
	if errors.Is(err, host.ErrHeld) { // somebody was faster: all is well
		err = nil
	}
	return errors.Join(err, e.store.Close())
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
