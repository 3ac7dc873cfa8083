package main

import (
	"context"
	"io"
	"time"

	"drover/core"
)

// client is what the commands need of the registry; *core.Client is the one there is.
type client interface {
	Create(ctx context.Context, n core.NewSession) (core.Task, error)
	Submit(ctx context.Context, r core.Request) (core.Request, error)
	Await(ctx context.Context, id int64) (core.Request, error)
	Withdraw(ctx context.Context, id int64) (core.Request, error)
	EditRequest(ctx context.Context, id int64, text string) (core.Request, error)
	Archive(ctx context.Context, tasks []string, on bool) error
	Watch(ctx context.Context) <-chan struct{}
	List(ctx context.Context, all bool) ([]core.TaskView, error)
	Show(ctx context.Context, ref string) (core.Detail, error)
	Resolve(ctx context.Context, ref string) (string, error)
	Entries(ctx context.Context, task string, after int64, limit int) ([]core.Entry, error)
	Events(ctx context.Context, f core.EventFilter) ([]core.Event, error)
	Requests(ctx context.Context, f core.RequestFilter) ([]core.Request, error)
	Approvals(ctx context.Context, f core.ApprovalFilter) ([]core.Approval, error)
	Reviews(ctx context.Context) ([]core.Review, error)
	Completion(ctx context.Context, id string) (core.CompletionView, error)
	MarkReviews(ctx context.Context, m core.ReviewMark, ids ...string) ([]core.Review, error)
	Usage(ctx context.Context, by string) (groups []core.UsageSum, total core.UsageSum, err error)
	Tree(ctx context.Context, session string) ([]core.TaskView, error)
	Search(ctx context.Context, q core.Search, patience time.Duration) (core.Found, error)
	News(ctx context.Context, session string, entry, event int64) (core.News, error)
}

var _ client = (*core.Client)(nil)

// app is one run of the program: where it reads and writes, and how it reaches the registry.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	open     func(ctx context.Context) (client, func() error, error)

	json  bool // --json
	ran   bool // a command has begun: what fails from here on is no wrong usage
	paint paint

	resulted bool // a run has written its result as JSON
}

// with opens the registry for one command.
func (a *app) with(ctx context.Context, f func(client) error) (err error) {
	c, closeAll, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := closeAll(); err == nil {
			err = cerr
		}
	}()
	return f(c)
}

// print writes text for people; nothing of it may come from outside uncleaned.
func (a *app) print(text string) error {
	_, err := io.WriteString(a.out, text)
	return err
}

// note tells a person something beside the output.
func (a *app) note(text string) error {
	_, err := io.WriteString(a.err, "drover: "+text+"\n")
	return err
}
