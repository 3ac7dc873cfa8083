package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"drover/core"
)

// newRoot builds the whole command line.
func newRoot(a *app) *cobra.Command {
	var plain bool
	root := &cobra.Command{
		Use:   "drover [PROMPT]",
		Short: "A task manager for AI agents: run them, watch the live tree, steer it, review what was completed",
		Long: `drover opens the screen: every running agent as a live tree. With a PROMPT it
also starts a new session in this directory. Agents go on when the screen is
closed; press ? there for the keys.

Tasks are named by the beginning of their ID, as "drover ps" shows it.
With --json every command prints JSON. Exit codes: 0 done, 1 failed, 2 wrong
usage, 3 blocked or needs input, 4 stopped at a limit, 130 cancelled.`,
		Example: `  drover                                   the screen
  drover "Find out how totals are computed"  the screen, with a new session
  drover run "…"                             no screen: runs to the end, prints the answer
  drover ps                                  what runs`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          func(cmd *cobra.Command, args []string) error { return notACommand(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if plain || a.getenv("TERM") == "dumb" && a.paint.tty {
				return a.plainly(cmd.Context(), args)
			}
			return a.screen(cmd.Context(), args)
		},
	}
	root.Flags().BoolVar(&plain, "plain", false, "lines instead of the screen: for screen readers and dumb terminals")
	root.SuggestionsMinimumDistance = 2
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON: one value, or a value a line where it follows")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.AddGroup(&cobra.Group{ID: "see", Title: "See what happens:"}, &cobra.Group{ID: "steer", Title: "Start and steer:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("see", a.psCmd(), a.showCmd(), a.resultCmd(), a.logCmd(), a.timelineCmd(), a.searchCmd(), a.reportCmd(), a.reviewCmd(), a.requestsCmd(), a.usageCmd(), a.waitCmd())
	add("steer", a.runCmd(), a.sendCmd(), a.editCmd(), a.withdrawCmd(), a.cancelCmd(), a.promoteCmd(), a.approveCmd(), a.denyCmd(),
		a.resumeCmd(), a.autopilotCmd(), a.slotsCmd(), a.modelCmd(), a.endCmd(), a.archiveCmd(), a.unarchiveCmd())
	root.AddCommand(a.agentsCmd(), a.hooksCmd(), a.trustCmd(), a.modelsCmd(), a.codesCmd(), a.keysCmd(), a.doctorCmd(), a.versionCmd(), a.hostCmd())
	root.InitDefaultCompletionCmd()
	a.mark(root)
	return root
}

// mark makes every command say when it begins: an error before that is wrong usage.
func (a *app) mark(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			a.ran = true
			return run(cmd, args)
		}
	} else if c.HasSubCommands() { // "completion" alone: help; with an unknown shell: an error
		c.Args = takes()
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	for _, sub := range c.Commands() {
		a.mark(sub)
	}
}

// notACommand keeps a mistyped command from becoming the prompt of a new session.
func notACommand(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || strings.ContainsAny(args[0], " \n\t") || cmd.ArgsLenAtDash() == 0 {
		return nil
	}
	hint := "drover help lists the commands; as a prompt of one word write: drover -- " + args[0]
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean drover " + strings.Join(near, ", or drover ") + "? As a prompt write: drover -- " + args[0]
	}
	return usage(hint, "no command %q", args[0])
}

// takes demands exactly these arguments, by name.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage("usage: "+cmd.UseLine(), "missing: %s", strings.Join(names[len(args):], " "))
		case len(args) > len(names):
			return usage("usage: "+cmd.UseLine(), "%q is too much", args[len(names)])
		}
		return nil
	}
}

// upTo allows at most n arguments.
func upTo(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("usage: "+cmd.UseLine(), "%q is too much", args[n])
		}
		return nil
	}
}

// atLeast demands these arguments; the last may have many words.
func atLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usage("usage: "+cmd.UseLine(), "missing: %s", strings.Join(names[len(args):], " "))
		}
		return nil
	}
}

// do makes the RunE of a command that needs the registry.
func (a *app) do(f func(ctx context.Context, c client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(c client) error { return f(cmd.Context(), c, args) })
	}
}

// version is set by the linker (make build).
var version = "unknown"

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: takes(),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.emit(map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			return a.print(fmt.Sprintf("drover %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}

// complete offers task IDs with descriptions for the first argument.
func (a *app) complete(keep func(core.TaskView) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		err := a.with(cmd.Context(), func(c client) error {
			tasks, err := c.List(cmd.Context(), true)
			for _, t := range tasks {
				if keep == nil || keep(t) {
					out = append(out, cobra.CompletionWithDesc(t.ID, core.CleanLine(t.State()+" "+t.Label()+" "+t.Description)))
				}
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// Which tasks a command can act on.
func live(t core.TaskView) bool        { return !t.Status.Terminal() }
func waiting(t core.TaskView) bool     { return t.NeedsApproval }
func interrupted(t core.TaskView) bool { return t.Interrupted }
func isMain(t core.TaskView) bool      { return t.Kind == core.KindMain }
func synced(t core.TaskView) bool      { return t.Status == core.Running && t.Mode == core.Sync }

// flagged gives a command its flags in the same breath.
func flagged(c *cobra.Command, set func(*cobra.Command)) *cobra.Command {
	set(c)
	return c
}
