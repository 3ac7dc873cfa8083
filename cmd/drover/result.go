package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"drover/core"
)

func (a *app) resultCmd() *cobra.Command {
	turn := 0
	return flagged(&cobra.Command{
		Use: "result ID", Short: "What a task came to: its last answer, or with --json all there is to say of it", Args: takes("ID"),
		ValidArgsFunction: a.complete(nil),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			d, err := c.Show(ctx, args[0])
			if err != nil {
				return err
			}
			r, err := d.ResultOf(turn)
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(r)
			}
			if r.Output != "" {
				if err := a.print(core.Clean(r.Output) + "\n"); err != nil {
					return err
				}
			}
			return a.note(resultNote(r))
		}),
	}, func(c *cobra.Command) {
		c.Flags().IntVar(&turn, "turn", 0, "of this turn; the last one that is answered")
	})
}

// resultNote says, beside the output, what is not whole about it.
func resultNote(r core.Result) string {
	text := fmt.Sprintf("%s, turn %d, exit code %d", r.Status, r.Turn, r.ExitCode)
	if r.ErrorCode != "" {
		text += ", " + string(r.ErrorCode)
	}
	if r.Partial {
		text += "; it was stopped, this is what there was"
	}
	if r.OutputPath != "" {
		text += "; all of it is in " + r.OutputPath
	}
	return text
}
