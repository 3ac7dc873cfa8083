package run

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"drover/core"
)

//go:embed budget.md
var budgetText string

// Limits of turns where neither the session nor the agent sets one
// (subagents-reference, "Configuration effects").
type Limits struct {
	MaxTurns int           // model calls in one turn; 0: 100
	Timeout  time.Duration // of a subagent's turn; 0: 15 min; < 0: none
	Idle     time.Duration // of a subagent without an event; 0: 3 min; < 0: none
	Requests int           // soft budget of a subagent's model calls in one turn; 0: none
	Tokens   int64         // of a whole session; 0: none
	Cost     float64       // of a whole session, US dollars; 0: none
	Grace    time.Duration // to hand in what there is, at a limit; 0: 60 s
}

// limits of one turn, as they have come out.
type limits struct {
	turns    int
	hard     time.Duration
	idle     time.Duration
	requests int
	grace    time.Duration
	budgets  []budget
}

// budget holds for a task and everything under it.
type budget struct {
	task, label string
	tokens      int64
	cost        float64
}

// hardRequests are the model calls that follow a forced hand-in before the turn is stopped.
const hardRequests = 5

// figure works out what limits this turn has: an agent's own before the
// setting's, and the session's on top of both. The main task has timeouts only
// where it, or its session, asks for them.
func (o *Options) figure(t core.Task, a core.AgentLimits, s core.SessionLimits) limits {
	l := limits{turns: o.Limits.MaxTurns, grace: o.Limits.Grace}
	if l.turns == 0 {
		l.turns = 100
	}
	if a.MaxTurns > 0 {
		l.turns = min(l.turns, a.MaxTurns)
	}
	if s.MaxTurns > 0 {
		l.turns = min(l.turns, s.MaxTurns)
	}
	if l.grace == 0 {
		l.grace = time.Minute
	}
	l.hard, l.idle, l.requests = a.Timeout, a.IdleTimeout, a.Requests
	if t.Kind != core.KindMain {
		l.hard = either(l.hard, either(o.Limits.Timeout, 15*time.Minute))
		l.idle = either(l.idle, either(o.Limits.Idle, 3*time.Minute))
		if l.requests == 0 {
			l.requests = o.Limits.Requests
		}
	}
	if s.Timeout > 0 && (l.hard <= 0 || s.Timeout < l.hard) {
		l.hard = s.Timeout
	}
	return l
}

func either(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// findBudgets lists the budgets that this task's work counts for: its own,
// those of the tasks above it, and the session's.
func (u *turn) findBudgets() error {
	s := u.session
	whole := budget{task: s.ID, label: "the session", tokens: s.Limits.Tokens, cost: s.Limits.Cost}
	if whole.tokens == 0 {
		whole.tokens = u.o.Limits.Tokens
	}
	if whole.cost == 0 {
		whole.cost = u.o.Limits.Cost
	}
	u.limits.budgets = appendBudget(u.limits.budgets, whole)
	for i, t := range u.above {
		agent := u.agent
		if i > 0 {
			o, err := u.o.Registry.Origin(t.ID)
			if err != nil {
				return err
			}
			agent = o.Agent
		}
		u.limits.budgets = appendBudget(u.limits.budgets, budget{task: t.ID, label: t.Label(), tokens: agent.Limits.Tokens, cost: agent.Limits.Cost})
	}
	return nil
}

func appendBudget(bs []budget, b budget) []budget {
	if b.tokens > 0 || b.cost > 0 {
		return append(bs, b)
	}
	return bs
}

// due says, before a model call, whether a limit has been reached, and tells
// of a budget that is nearly used up. Steps are the turn's model calls so far.
func (u *turn) due(steps int) *core.Error {
	if ms := u.session.Limits.Until; ms > 0 && time.Now().UnixMilli() >= ms { // whoever's timer was first
		return overError()
	}
	if steps >= u.limits.turns {
		return &core.Error{Code: core.CodeMaxTurns, Message: fmt.Sprintf("stopped after %d model calls, the limit of a turn", steps), Hint: "max_turns of the agent or in the settings sets the limit"}
	}
	for i := range u.limits.budgets {
		b := &u.limits.budgets[i]
		s := u.o.Registry.SubtreeSpent(b.task)
		switch {
		case b.tokens > 0 && s.Tokens >= b.tokens:
			return &core.Error{Code: core.CodeBudgetExceeded, Message: fmt.Sprintf("%s has used %d tokens, its budget is %d", b.label, s.Tokens, b.tokens), Hint: "give it a larger token budget, or start a new session"}
		case b.cost > 0 && s.Cost >= b.cost:
			return &core.Error{Code: core.CodeBudgetExceeded, Message: fmt.Sprintf("%s has cost $%.4f, its budget is $%.4f", b.label, s.Cost, b.cost), Hint: "give it a larger budget, or start a new session"}
		}
	}
	return nil
}

// near tells once a turn that a budget is four fifths used.
func (u *turn) near() error {
	for _, b := range u.limits.budgets {
		s := u.o.Registry.SubtreeSpent(b.task)
		if u.warned[b.task] || !(b.tokens > 0 && s.Tokens*5 >= b.tokens*4 || b.cost > 0 && s.Cost*5 >= b.cost*4) {
			continue
		}
		u.warned[b.task] = true
		text := fmt.Sprintf("%s has used %d tokens ($%.4f): more than four fifths of its budget", b.label, s.Tokens, s.Cost)
		if err := u.o.Registry.Note(u.t.ID, core.EvLimit, text, ""); err != nil {
			return err
		}
	}
	return nil
}

// requests acts on the soft budget of model calls: a notice when it is passed,
// a forced hand-in at one and a half times, a stop after five more.
func (u *turn) requests(steps int) (force bool, stop *core.Error, err error) {
	b := u.limits.requests
	if b <= 0 {
		return false, nil, nil
	}
	at := (3*b + 1) / 2
	switch {
	case steps >= at+hardRequests:
		u.graced = true // it has had its chances
		return false, &core.Error{Code: core.CodeBudgetExceeded, Message: fmt.Sprintf("soft request budget exceeded: %d model calls, the budget was %d", steps, b), Hint: "requests of the agent or request_budget in the settings sets it"}, nil
	case steps+1 >= at:
		return true, nil, nil
	case steps >= b && !u.said(budgetMark):
		return false, nil, u.tell(fmt.Sprintf("%s %s", budgetMark, fmt.Sprintf(strings.TrimSpace(budgetText), steps, b)), core.EvLimit, fmt.Sprintf("%s has made %d model calls, its budget is %d", u.t.Label(), steps, b))
	}
	return false, nil, nil
}

const budgetMark = "[budget notice]"

// said reports whether drover has told the agent something of this kind in this turn.
func (u *turn) said(mark string) bool {
	for i := len(u.entries) - 1; i >= 0 && u.entries[i].Turn == u.t.Turn; i-- {
		if e := u.entries[i]; e.Kind == core.EntryMessage && e.Sender == core.SenderSystem && strings.HasPrefix(e.Text, mark) {
			return true
		}
	}
	return false
}

// tell puts a message from drover itself into the transcript, with an event for people.
func (u *turn) tell(text string, k core.EventKind, event string) error {
	row := core.Entry{Kind: core.EntryMessage, Sender: core.SenderSystem, Delivery: core.Steer, Text: text}
	if err := u.o.Registry.Append(u.t.ID, core.Step{Entries: []core.Entry{row}}); err != nil {
		return err
	}
	if event != "" {
		if err := u.o.Registry.Note(u.t.ID, k, event, ""); err != nil {
			return err
		}
	}
	return u.load()
}

// limitOf finds the limit that ended run, or nil: err says so itself, or the
// turn's clock did, while ctx, the one of the host, goes on.
func limitOf(ctx, timed context.Context, err error) *core.Error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if e, ok := errors.AsType[*core.Error](context.Cause(timed)); ok && e.Code.Limit() {
		return e
	}
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code.Limit() {
		return e
	}
	return nil
}

func timeoutError(d time.Duration) *core.Error {
	return &core.Error{Code: core.CodeTimeout, Message: fmt.Sprintf("timed out after %g minutes", d.Minutes()), Hint: "timeout of the agent or in the settings sets the limit"}
}

// overError is the end of the whole session.
func overError() *core.Error {
	return &core.Error{Code: core.CodeTimeout, Message: "the time for the whole run is over", Hint: "ask for less at once, or give it a longer --timeout"}
}

func idleError(d time.Duration) *core.Error {
	return &core.Error{Code: core.CodeIdleTimeout, Message: fmt.Sprintf("nothing happened for %g minutes", d.Minutes()), Hint: "idle_timeout of the agent or in the settings sets the limit; output alone does not count"}
}
