package core

import (
	"context"
	"encoding/json"
	"time"
)

// Hosts knows which sessions a living process owns, and starts one where none does.
type Hosts interface {
	// Held reports whether a living process owns the session.
	Held(session string) bool
	// Ensure starts a host for the session where none lives. It does not wait for it.
	Ensure(ctx context.Context, session string) error
}

// Client is a person's side of the registry: screen and command line alike.
// It writes requests and reads rows; it never changes a task.
type Client struct {
	Store Store
	Hosts Hosts
	Now   func() time.Time // nil: time.Now
	NewID func() string    // nil: NewID
}

// NewSession describes a session to be.
type NewSession struct {
	Dir          string
	Prompt       string
	Agent        Agent // the main task's definition
	Model        string
	Autopilot    bool
	AllowAll     bool
	Rules        []string
	MaxContinues int
	Pace         bool
	Limits       SessionLimits
	Output       json.RawMessage // JSON Schema that the main task's result must fit, and its children's where nothing else is said; nil: none
	Plan         bool            // Agent is restricted already; its children will be
}

// MaxMessage is the largest message a task takes, in bytes.
const MaxMessage = 4 << 20

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// Create writes a session and its main task, running and queued for its first
// turn; whoever hosts the session takes it from there.
func (c *Client) Create(ctx context.Context, n NewSession) (Task, error) {
	prompt, err := checkMessage(n.Prompt)
	if err != nil {
		return Task{}, err
	}
	now := c.now()
	s := Session{
		Dir: n.Dir, Title: title(prompt), Agent: n.Agent.Name, Model: n.Model, Autopilot: n.Autopilot,
		AllowAll: n.AllowAll, Rules: n.Rules, MaxContinues: n.MaxContinues, Pace: n.Pace, Plan: n.Plan, Limits: n.Limits, Output: n.Output, Created: now, Updated: now,
	}
	t := Task{
		Kind: KindMain, Agent: n.Agent.Name, Name: "main", Description: s.Title, Mode: Background, Model: n.Model, Created: now,
		State: State{Status: Running, Activity: ActQueued, Turn: 1, Opener: SenderUser},
		Times: Times{ActiveSince: now, LastEvent: now},
		Usage: Usage{CostKnown: true},
	}
	id := c.NewID
	if id == nil {
		id = NewID
	}
	err = c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		if t.ID, err = freshID(tx, id); err != nil {
			return err
		}
		t.Session, s.ID = t.ID, t.ID
		if err := tx.InsertSession(s); err != nil {
			return err
		}
		sp := Spec{Prompt: prompt, System: n.Agent.Prompt, Tools: n.Agent.Tools, Output: n.Output, Agent: jsonOf(n.Agent)}
		if _, err := insertTask(tx, &t, sp); err != nil {
			return err
		}
		_, err := tx.AppendEvent(Event{Session: s.ID, Task: t.ID, At: now, Kind: EvSessionStart, Notable: true, Text: s.Title})
		return err
	})
	return t, err
}

// Submit checks what a person (or an agent) wants against the task as it is,
// writes it durably and makes sure that a host will see it. What it returns
// has been acknowledged: it is a row.
func (c *Client) Submit(ctx context.Context, r Request) (Request, error) {
	if err := c.prepare(&r); err != nil {
		return r, err
	}
	err := c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		t, err := tx.Task(r.Task)
		if err != nil {
			return err
		}
		if err := c.acceptable(tx, &t, r); err != nil {
			return err
		}
		r.Session = t.Session
		return insertRequest(tx, &r)
	})
	if err != nil {
		return r, err
	}
	return r, c.ensure(ctx, r.Session)
}

func (c *Client) prepare(r *Request) error {
	if r.Sender == "" {
		r.Sender = SenderUser
	}
	r.State, r.Created = ReqQueued, c.now()
	switch r.Kind {
	case ReqMessage:
		if r.Delivery == "" {
			r.Delivery = Queue
		}
		text, err := checkMessage(r.Text)
		r.Text = text
		return err
	case ReqCancel:
		if r.Scope == "" {
			r.Scope = ScopeTree
		}
	case ReqSlots:
		if _, err := slotsOf(r.Text); err != nil {
			return err
		}
	case ReqModel:
		if r.Text = CleanLine(r.Text); r.Text == "" || len(r.Text) > maxModelName {
			return &Error{Code: CodeInvalidInput, Message: "a model's name is missing, or is too long", Hint: "drover models lists them"}
		}
	case ReqAutopilot:
		if r.Text != "on" && r.Text != "off" {
			return &Error{Code: CodeInvalidInput, Message: "autopilot is set to on or off, not to " + quote(r.Text)}
		}
	}
	return nil
}

// acceptable says at once what the host would refuse later; the host checks again.
func (c *Client) acceptable(r Reader, t *Task, req Request) error {
	op := map[RequestKind]Op{ReqMessage: OpMessage, ReqCancel: OpCancel, ReqPromote: OpPromote, ReqResume: OpResume, ReqEnd: OpComplete, ReqModel: OpMessage}[req.Kind]
	if req.Kind == ReqResume && t.Status == Idle {
		left, err := leftBehind(r, t.Session)
		if err != nil {
			return err
		}
		if left {
			op = ""
		}
	}
	if op != "" {
		if _, err := Next(t.Status, op); err != nil {
			return named(err, t)
		}
	}
	switch req.Kind {
	case ReqPromote:
		return promotable(t)
	case ReqResume:
		if c.Hosts != nil && c.Hosts.Held(t.Session) {
			return named(&Error{Code: CodeWrongStatus, Message: "the task is not interrupted: its host is alive", Hint: "drover show " + t.ID + " says what it is doing"}, t)
		}
	case ReqEnd:
		live, err := r.Tasks(TaskFilter{Session: t.Session, Live: true})
		if err != nil {
			return err
		}
		return endable(t, live)
	case ReqAutopilot, ReqSlots, ReqModel:
		if t.Kind != KindMain {
			return named(&Error{Code: CodeWrongStatus, Message: string(req.Kind) + " belongs to a session", Hint: "name its main task: " + t.Session}, t)
		}
	case ReqApprove, ReqDeny:
		return decidable(r, req.Ref)
	}
	return nil
}

func (c *Client) ensure(ctx context.Context, session string) error {
	if c.Hosts == nil {
		return nil
	}
	if err := c.Hosts.Ensure(ctx, session); err != nil {
		return &Error{Code: CodeOf(err), Message: "the request is safe in the registry, but no host could be started for session " + session, Hint: HintOf(err), Err: err}
	}
	return nil
}

// Withdraw takes a request back that has not been delivered.
func (c *Client) Withdraw(ctx context.Context, id int64) (Request, error) {
	return c.revise(ctx, id, "withdrawn", func(r *Request) { r.State, r.Done = ReqWithdrawn, c.now() })
}

// EditRequest changes the text of a message that has not been delivered.
func (c *Client) EditRequest(ctx context.Context, id int64, text string) (Request, error) {
	text, err := checkMessage(text)
	if err != nil {
		return Request{}, err
	}
	return c.revise(ctx, id, "edited", func(r *Request) { r.Text = text })
}

func (c *Client) revise(ctx context.Context, id int64, verb string, f func(*Request)) (Request, error) {
	var r Request
	err := c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		rs, err := tx.Requests(RequestFilter{IDs: []int64{id}})
		if err != nil {
			return err
		}
		if len(rs) == 0 {
			return &Error{Code: CodeNotFound, Message: "no request " + RequestRef(id), Hint: "drover requests lists them"}
		}
		r = rs[0]
		if r.Kind != ReqMessage {
			return &Error{Code: CodeWrongStatus, Message: RequestRef(id) + " is a " + string(r.Kind) + ": only a message can be " + verb}
		}
		if r.State != ReqQueued {
			return &Error{Code: CodeWrongStatus, Message: RequestRef(id) + " is already " + string(r.State) + ": it cannot be " + verb}
		}
		f(&r)
		if err := tx.UpdateRequest(r, ReqQueued); err != nil {
			return err
		}
		return requestEvent(tx, r, c.now())
	})
	return r, err
}

// Await returns the request once it is done, refused or withdrawn; a message already when it is delivered.
func (c *Client) Await(ctx context.Context, id int64) (Request, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := c.Store.Watch(ctx)
	for {
		rs, err := c.Requests(ctx, RequestFilter{IDs: []int64{id}})
		if err != nil {
			return Request{}, err
		}
		if len(rs) == 0 {
			return Request{}, &Error{Code: CodeNotFound, Message: "no request " + RequestRef(id)}
		}
		if r := rs[0]; r.State != ReqQueued && (r.State != ReqDelivered || r.Kind == ReqMessage) {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return rs[0], context.Cause(ctx)
		case <-changed:
		}
	}
}

// trustKey is the fact that a person trusts a folder.
const trustKey = "trust "

// Trust records that the person trusts what a project's folder brings: agents,
// commands, hooks, servers. On is false to take it back.
func (c *Client) Trust(ctx context.Context, dir string, on bool) error {
	value := ""
	if on {
		value = c.now().UTC().Format(time.RFC3339)
	}
	return c.Store.Update(ctx, Acknowledged, func(tx Tx) error { return tx.PutFact(trustKey+dir, value) })
}

// Trusted lists the folders that the person trusts, with when.
func (c *Client) Trusted(ctx context.Context) (map[string]string, error) {
	facts, err := view(ctx, c.Store, func(r Reader) (map[string]string, error) { return r.Facts(trustKey) })
	dirs := make(map[string]string, len(facts))
	for key, when := range facts {
		dirs[key[len(trustKey):]] = when
	}
	return dirs, err
}
