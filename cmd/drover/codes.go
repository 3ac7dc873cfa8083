package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drover/core"
)

// codesCmd prints what every error code means.
func (a *app) codesCmd() *cobra.Command {
	return &cobra.Command{
		Use: "codes [CODE]", Short: "What the error codes mean, what helps, and which may be tried again", Args: upTo(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all := core.Codes()
			if len(args) == 1 {
				cause, remedy, again := core.Describe(core.Code(args[0]))
				if cause == "" {
					return usage("drover codes lists them", "no code %q", core.Short(core.CleanLine(args[0]), 60))
				}
				all = []core.CodeDoc{{Code: core.Code(args[0]), Cause: cause, Remedy: remedy, Retryable: again}}
			}
			if a.json {
				return a.emit(all)
			}
			var b strings.Builder
			for _, d := range all {
				again := ""
				if d.Retryable {
					again = a.paint.in(dim, "  (may be tried again)")
				}
				fmt.Fprintf(&b, "%s%s\n    %s\n    → %s\n", d.Code, again, d.Cause, d.Remedy)
			}
			return a.print(b.String())
		},
	}
}
