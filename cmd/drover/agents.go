package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drover/agents"
	"drover/core"
	"drover/store"
)

func (a *app) agentsCmd() *cobra.Command {
	var all bool
	c := flagged(&cobra.Command{
		Use: "agents", Short: "Which agents there are, from every tool's directories", Args: takes(),
		Long: "The agents that can be used in this directory, with where each came from. --all adds those that cannot: shadowed, untrusted,\n" +
			"disabled, or with a problem, each with the reason.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listAgents(cmd.Context(), all) },
	}, func(c *cobra.Command) { c.Flags().BoolVarP(&all, "all", "a", false, "with those that cannot be used") })
	c.AddCommand(&cobra.Command{
		Use: "show NAME", Short: "One agent: its definition as it counts, and why it cannot be used", Args: takes("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.showAgent(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use: "check FILE|DIR", Short: "What is wrong with agent files, line by line; exit 1 where one cannot be loaded", Args: takes("FILE|DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.checkAgents(cmd.Context(), args[0]) },
	})
	return c
}

// catalogued opens the catalogue for one command in this directory.
func (a *app) catalogued(ctx context.Context, f func(k *catalogue, dir string) error) (err error) {
	e, err := a.engine(ctx, store.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := e.store.Close(); err == nil {
			err = cerr
		}
	}()
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	return f(e.catalog, dir)
}

func (a *app) listAgents(ctx context.Context, all bool) error {
	return a.catalogued(ctx, func(k *catalogue, dir string) error {
		s, err := k.Load(ctx, dir)
		if err != nil {
			return err
		}
		shown := []agents.Definition{}
		for _, d := range s.Definitions {
			if all || d.State == agents.Available {
				shown = append(shown, d)
			}
		}
		if a.json {
			return a.emit(shown)
		}
		var b strings.Builder
		width := 12
		for _, d := range shown {
			width = min(max(width, len(core.CleanLine(d.Name))), 30)
		}
		for _, d := range shown {
			b.WriteString(a.agentRow(d, width, dir))
		}
		if left := len(s.Definitions) - len(shown); left > 0 {
			fmt.Fprintf(&b, "%d more cannot be used here: drover agents --all says why\n", left)
		}
		return a.print(b.String())
	})
}

var agentMarks = map[agents.State][2]string{
	agents.Available: {"●", green}, agents.Shadowed: {"◌", dim}, agents.Untrusted: {"?", yellow}, agents.Disabled: {"⊘", dim}, agents.Faulty: {"✗", red},
}

func (a *app) agentRow(d agents.Definition, width int, dir string) string {
	mark := agentMarks[d.State]
	name := pad(fit(core.CleanLine(d.Name), width), width)
	head := fmt.Sprintf("%s %s  ", mark[0], name)
	tail := core.CleanLine(d.Description)
	if d.State != agents.Available {
		head += pad(string(d.State), 10) + " "
		tail = core.CleanLine(d.Reason)
	}
	room := 0 // without a terminal all of it
	if a.paint.width > 0 {
		room = max(20, a.paint.width-len([]rune(head))-1)
	}
	line := a.paint.in(mark[1], head) + fit(tail, room) + "\n"
	return line + strings.Repeat(" ", width+4) + a.paint.in(dim, place(d, dir)+faults(d)) + "\n"
}

// place says where a definition came from, shortly.
func place(d agents.Definition, dir string) string {
	path := d.Path
	if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		path = rel
	}
	return fmt.Sprintf("%s · %s · %s", d.Scope, d.Dialect, core.CleanLine(path))
}

func faults(d agents.Definition) string {
	n := 0
	for _, p := range d.Problems {
		if p.Severity != agents.Info {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" · %d problems", n)
}

func (a *app) showAgent(ctx context.Context, name string) error {
	return a.catalogued(ctx, func(k *catalogue, dir string) error {
		s, err := k.Load(ctx, dir)
		if err != nil {
			return err
		}
		d, err := s.Find(name)
		if err != nil && core.CodeOf(err) == core.CodeUnknownAgent {
			return err
		}
		if a.json {
			return a.emit(d)
		}
		return a.print(a.agentDetail(d, s))
	})
}

func (a *app) agentDetail(d agents.Definition, s agents.Snapshot) string {
	var b strings.Builder
	row := func(what, text string) {
		if text = core.CleanLine(text); text != "" {
			fmt.Fprintf(&b, "%s %s\n", pad(what, 11), text)
		}
	}
	b.WriteString(a.paint.in(bold, core.CleanLine(d.Name)) + "  " + a.paint.in(agentMarks[d.State][1], agentMarks[d.State][0]+" "+string(d.State)) + "\n")
	row("", d.Description)
	row("why", d.Reason)
	row("source", fmt.Sprintf("%s (%s, %s)", d.Path, d.Scope, d.Dialect))
	for _, o := range s.Definitions {
		if o.Name == d.Name && o.ShadowedBy == d.Path && o.Path != d.Path {
			row("shadows", o.Path)
		}
	}
	tools := "every tool"
	if d.Tools != nil {
		if tools = strings.Join(d.Tools, ", "); tools == "" {
			tools = "none"
		}
	}
	row("tools", tools)
	row("declared", strings.Join(d.Declared.Tools, ", "))
	row("disallowed", strings.Join(d.Declared.Disallowed, ", "))
	row("may run", strings.Join(d.Rules, ", "))
	row("denied", strings.Join(core.Denials(d.Permissions), ", "))
	row("model", d.Model)
	row("effort", d.Effort)
	if names, every := agents.Spawns(d.Agent); every {
		row("may start", "any agent")
	} else {
		row("may start", first(strings.Join(names, ", "), "nobody"))
	}
	if n := d.Limits.MaxTurns; n > 0 {
		row("max turns", fmt.Sprint(n))
	}
	if t := d.Limits.Timeout; t > 0 {
		row("timeout", t.String())
	}
	if d.ReadOnly {
		row("read-only", "yes: it has no tool that writes")
	}
	after := ""
	if d.Append {
		after = ", after that of the agent that starts it"
	}
	row("prompt", fmt.Sprintf("%d characters%s", len([]rune(d.Prompt)), after))
	b.WriteString(a.problemLines(d))
	return b.String()
}

var severities = map[agents.Severity]string{agents.Error: red, agents.Warning: yellow, agents.Info: dim}

func (a *app) problemLines(d agents.Definition) string {
	var b strings.Builder
	for _, p := range d.Problems {
		at := core.CleanLine(d.Path)
		if p.Line > 0 {
			at += fmt.Sprintf(":%d", p.Line)
			if p.Column > 0 {
				at += fmt.Sprintf(":%d", p.Column)
			}
		}
		text := core.CleanLine(p.Message)
		if p.Field != "" {
			text = core.CleanLine(p.Field) + ": " + text
		}
		fmt.Fprintf(&b, "%s: %s %s\n", at, a.paint.in(severities[p.Severity], string(p.Severity)), text)
		if p.Repair != "" {
			fmt.Fprintf(&b, "    → %s\n", core.CleanLine(p.Repair))
		}
	}
	return b.String()
}

func (a *app) checkAgents(ctx context.Context, path string) error {
	return a.catalogued(ctx, func(k *catalogue, _ string) error {
		defs, err := k.Check(ctx, path)
		if err != nil {
			return err
		}
		bad, warned := 0, 0
		var b strings.Builder
		for _, d := range defs {
			if d.State == agents.Faulty {
				bad++
			} else if faults(d) != "" {
				warned++
			}
			b.WriteString(a.problemLines(d))
		}
		if a.json {
			if defs == nil {
				defs = []agents.Definition{}
			}
			err = a.emit(defs)
		} else {
			fmt.Fprintf(&b, "%d definitions: %d sound, %d with warnings, %d that cannot be loaded\n", len(defs), len(defs)-bad-warned, warned, bad)
			err = a.print(b.String())
		}
		if err == nil && bad > 0 {
			err = &exit{code: core.ExitFailed}
		}
		return err
	})
}

func (a *app) trustCmd() *cobra.Command {
	var remove, list bool
	return flagged(&cobra.Command{
		Use: "trust [DIR]", Short: "Let the agents, commands and hooks that a project's folder brings be used", Args: upTo(1),
		Long: "Agents, commands, hooks and servers that a project's folder brings are listed, but not used, until its folder is trusted:\n" +
			"they tell a model what to do and may let it run commands. Yours and the bundled ones are used at once.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.trust(cmd.Context(), args, remove, list) },
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&remove, "remove", false, "take it back")
		c.Flags().BoolVar(&list, "list", false, "the folders that are trusted")
	})
}

func (a *app) trust(ctx context.Context, args []string, remove, list bool) error {
	return a.catalogued(ctx, func(k *catalogue, dir string) error {
		if list {
			return a.trustedFolders(ctx, k)
		}
		if len(args) > 0 {
			info, err := os.Stat(args[0])
			if err != nil || !info.IsDir() {
				return usage("name a directory, or none for this one", "%s is no directory", core.CleanLine(args[0]))
			}
			if dir, err = filepath.Abs(args[0]); err != nil {
				return err
			}
		}
		done, err := k.trust(ctx, dir, !remove)
		if err != nil {
			return err
		}
		if a.json {
			if done == nil {
				done = []brought{}
			}
			return a.emit(done)
		}
		word := "trusted"
		if remove {
			word = "no longer trusted"
		}
		var b strings.Builder
		for _, r := range done {
			hooks := ""
			if len(r.Hooks) > 0 {
				hooks = fmt.Sprintf(", %d hooks", len(r.Hooks))
			}
			fmt.Fprintf(&b, "%s: %s (%d agents, %d commands%s)\n", word, core.CleanLine(r.Root), len(r.Agents), len(r.Cmds), hooks)
			for _, command := range r.Hooks { // they run without being asked for
				fmt.Fprintf(&b, "    hook: %s\n", core.Short(command, 4000))
			}
		}
		if len(done) == 0 {
			fmt.Fprintf(&b, "%s brings no agents, commands or hooks: there is nothing to trust\n", core.CleanLine(dir))
		}
		return a.print(b.String())
	})
}

func (a *app) trustedFolders(ctx context.Context, k *catalogue) error {
	all, err := k.client.Trusted(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(all)
	}
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if !strings.Contains(dir, "#") {
			fmt.Fprintf(&b, "%s  since %s\n", core.CleanLine(dir), all[dir])
		}
	}
	return a.print(b.String())
}
