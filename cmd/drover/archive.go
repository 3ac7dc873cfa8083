package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"drover/core"
)

func archivable(t core.TaskView) bool { return t.Status.Terminal() }

func (a *app) archiveCmd() *cobra.Command {
	return a.archiving("archive ID…", "Hide ended tasks, with all under them, from the screen's tree", archivable, true)
}

func (a *app) unarchiveCmd() *cobra.Command {
	return a.archiving("unarchive ID…", "Show archived tasks in the screen's tree again", nil, false)
}

func (a *app) archiving(use, short string, keep func(core.TaskView) bool, on bool) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: atLeast("ID"), ValidArgsFunction: a.complete(keep),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			var tasks []core.TaskView
			var ids []string
			for _, ref := range args {
				d, err := c.Show(ctx, ref)
				if err != nil {
					return err
				}
				tasks, ids = append(tasks, d.Task), append(ids, d.Task.ID)
			}
			if err := c.Archive(ctx, ids, on); err != nil {
				return err
			}
			if a.json {
				return a.emit(map[string]any{"tasks": ids, "archived": on})
			}
			word := map[bool]string{true: "archived", false: "back in the tree"}[on]
			for _, t := range tasks {
				if err := a.print(fmt.Sprintf("%s %s: %s\n", t.ID, core.CleanLine(t.Label()), word)); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}
