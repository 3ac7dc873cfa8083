package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drover/core"
	"drover/ui/state"
)

// reviewFlags say what to make of the completions that are named.
type reviewFlags struct {
	done, archive, open, all bool
	snooze                   string
}

func (a *app) reviewCmd() *cobra.Command {
	var f reviewFlags
	return flagged(&cobra.Command{
		Use: "review [ID…]", Short: "What was declared complete and is to be reviewed; with ID mark it",
		Long: `List what autopilot declared complete and nobody has reviewed: outcome, summary,
what was not done, the files it wrote. ID is SESSION#NUMBER as it is listed, or a
session: its newest completion.`,
		Example: `  drover review                       what is to be reviewed
  drover review ab12c --done          done with it
  drover review ab12c#81 --snooze 1h  again in an hour; also: tomorrow, change
  drover review ab12c --archive`,
		ValidArgsFunction: a.complete(isMain),
		RunE: a.do(func(ctx context.Context, c client, args []string) error {
			m, err := f.mark(a.now())
			switch {
			case err != nil:
				return err
			case m.State != "" && len(args) == 0:
				return usage("drover review lists them", "which completion? An ID is missing")
			case m.State == "":
				return a.listReviews(ctx, c, args, f.all)
			}
			return a.markReviews(ctx, c, m, args)
		}),
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&f.done, "done", false, "it is reviewed")
		c.Flags().BoolVar(&f.archive, "archive", false, "archive it")
		c.Flags().BoolVar(&f.open, "open", false, "it is to be reviewed again")
		c.Flags().StringVar(&f.snooze, "snooze", "", "hide it for `TIME`: 1h, 30m, tomorrow, change (until the session changes)")
		c.Flags().BoolVar(&f.all, "all", false, "list those that are done with too")
		c.MarkFlagsMutuallyExclusive("done", "archive", "open", "snooze", "all")
	})
}

func (f *reviewFlags) mark(now time.Time) (m core.ReviewMark, err error) {
	switch {
	case f.done:
		m.State = core.ReviewReviewed
	case f.archive:
		m.State = core.ReviewArchived
	case f.open:
		m.State = core.ReviewOpen
	case f.snooze != "":
		m.State = core.ReviewSnoozed
		m.Until, err = core.ParseSnooze(f.snooze, now)
	}
	return m, err
}

// reviewIDs finds the completions that are meant: by ID, or the newest of a session.
func reviewIDs(ctx context.Context, c client, all []core.Review, refs []string) (ids []string, err error) {
	for _, ref := range refs {
		session, _, whole := strings.Cut(ref, "#")
		if session, err = c.Resolve(ctx, session); err != nil {
			return nil, err
		}
		found := ""
		for _, r := range all { // newest first
			if id := r.ID(); r.Session == session && found == "" && (!whole || id == session+ref[strings.Index(ref, "#"):]) {
				found = id
			}
		}
		if found == "" {
			return nil, &core.Error{Code: core.CodeNotFound, Message: fmt.Sprintf("no completion %q", core.CleanLine(ref)), Hint: "drover review --all lists them"}
		}
		ids = append(ids, found)
	}
	return ids, nil
}

func (a *app) markReviews(ctx context.Context, c client, m core.ReviewMark, refs []string) error {
	all, err := c.Reviews(ctx)
	if err != nil {
		return err
	}
	ids, err := reviewIDs(ctx, c, all, refs)
	if err != nil {
		return err
	}
	marked, err := c.MarkReviews(ctx, m, ids...)
	if err != nil {
		return err
	}
	if a.json {
		return a.listReviews(ctx, c, ids, true)
	}
	for _, r := range marked {
		if err := a.print(r.ID() + ": " + string(r.State) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// reviewJSON is one completion of review --json.
type reviewJSON struct {
	ID        string            `json:"id"`
	Session   string            `json:"session"`
	Title     string            `json:"title"`
	Dir       string            `json:"dir"`
	At        *time.Time        `json:"at"`
	Outcome   core.Outcome      `json:"outcome"`
	Summary   string            `json:"summary"`
	NotDone   []string          `json:"not_done"`
	Files     []core.FileChange `json:"files"`
	TokensIn  int64             `json:"tokens_in"`
	TokensOut int64             `json:"tokens_out"`
	Cost      *float64          `json:"cost_usd"`
	ActiveMS  int64             `json:"active_ms"`
	State     core.ReviewState  `json:"state"`
	Until     *time.Time        `json:"until"`
	Marked    *time.Time        `json:"marked"`
	Open      bool              `json:"open"`
}

func ofReview(d core.CompletionView, open bool) reviewJSON {
	return reviewJSON{d.ID(), d.Session, d.Title, d.Dir, when(d.At), d.Outcome, d.Summary, list(d.NotDone), list(d.Files), d.TokensIn, d.TokensOut,
		d.Cost, d.Active.Milliseconds(), d.State, when(d.Until), when(d.Marked), open}
}

func (a *app) listReviews(ctx context.Context, c client, refs []string, done bool) error {
	all, err := c.Reviews(ctx)
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		ids, err := reviewIDs(ctx, c, all, refs)
		if err != nil {
			return err
		}
		want := map[string]bool{}
		for _, id := range ids {
			want[id] = true
		}
		var some []core.Review
		for _, r := range all {
			if want[r.ID()] {
				some = append(some, r)
			}
		}
		all, done = some, true
	}
	var out []reviewJSON
	for _, r := range all {
		if !done && (r.State == core.ReviewReviewed || r.State == core.ReviewArchived) { // nothing else has to be read for these
			continue
		}
		d, err := c.Completion(ctx, r.ID())
		if err != nil {
			return err
		}
		if open := d.Open(a.now(), d.Changed); open || done {
			out = append(out, ofReview(d, open))
		}
	}
	switch {
	case a.json:
		return a.emit(list(out))
	case len(out) == 0:
		return a.note("nothing is to be reviewed")
	}
	for i := range out {
		if err := a.print(reviewText(&out[i], a.now())); err != nil {
			return err
		}
	}
	return nil
}

func reviewText(r *reviewJSON, now time.Time) string {
	glyph, word := state.OutcomeLook(r.Outcome)
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s %s  %s", r.ID, glyph, word, core.CleanLine(r.Title))
	if !r.Open {
		fmt.Fprintf(&b, "  (%s)", r.State)
	}
	line := func(label, text string) { fmt.Fprintf(&b, "\n    %-9s %s", label, text) }
	fmt.Fprintf(&b, "\n    %s", indent(strings.TrimSpace(core.Clean(r.Summary)), "    "))
	for _, x := range r.NotDone {
		line("not done", core.CleanLine(x))
	}
	var files []string
	for _, f := range r.Files {
		files = append(files, core.CleanLine(f.Path))
	}
	if len(files) > 0 {
		line("files", fmt.Sprintf("%d: %s", len(files), strings.Join(files, ", ")))
	}
	used := state.Elapsed(time.Duration(r.ActiveMS)*time.Millisecond) + " · " + state.Tokens(r.TokensIn+r.TokensOut) + " tokens"
	if r.Cost != nil {
		used += fmt.Sprintf(" · $%.2f", *r.Cost)
	}
	line("used", used+" · "+state.Elapsed(now.Sub(*r.At))+" ago")
	return b.String() + "\n"
}
