package core

import (
	"context"
	"fmt"
)

// Decision is a person's answer to an approval.
type Decision struct {
	Allowed bool
	Reason  string
}

// Approve returns at once where the session or a rule allows the call;
// otherwise it asks a person and waits for as long as it takes (DESIGN rule
// 10). A question asked before a crash is the same question afterwards. The
// subject is the whole command or path: what rules are matched with; rules are
// those that the task's agent brings, beside the session's.
func (r *Registry) Approve(ctx context.Context, w *Work, call ToolCall, subject string, rules []string) (Decision, error) {
	id, d, err := r.ask(w.ID, call, subject, rules)
	if err != nil || id == 0 {
		return d, err
	}
	done, err := w.Waiting(ctx, ActApproval, call.Name)
	if err != nil {
		return Decision{}, err
	}
	r.mu.Lock()
	decided := r.deciding[id]
	if decided == nil {
		decided = make(chan struct{})
		r.deciding[id] = decided
	}
	r.mu.Unlock()
	for {
		d, ok, err := r.decision(id)
		if err != nil {
			return Decision{}, err
		}
		if ok {
			return d, done()
		}
		select {
		case <-ctx.Done():
			return Decision{}, context.Cause(ctx)
		case <-decided:
		}
	}
}

func (r *Registry) allowed(s Session, tool, subject string) bool {
	return s.AllowAll || r.o.Allowed(s.Rules, tool, subject)
}

// ask returns 0 where the call is allowed without a question.
func (r *Registry) ask(task string, call ToolCall, subject string, rules []string) (id int64, d Decision, err error) {
	err = r.change(Acknowledged, func(c *change) error {
		id, d = 0, Decision{Allowed: true}
		old, err := c.tx.Approvals(ApprovalFilter{Task: task})
		if err != nil {
			return err
		}
		for _, a := range old {
			if a.CallID == call.ID {
				id = a.ID
				return nil
			}
		}
		if r.allowed(c.session, call.Name, subject) || r.o.Allowed(rules, call.Name, subject) {
			return nil
		}
		t, err := c.task(task)
		if err != nil {
			return err
		}
		a := Approval{
			Session: c.session.ID, Task: task, CallID: call.ID, Tool: call.Name, Args: call.Args, Subject: subject,
			State: AppPending, Created: c.now,
		}
		if id, err = c.tx.InsertApproval(a); err != nil {
			return err
		}
		if err := c.do(task, OpProgress, nil); err != nil {
			return err
		}
		return c.event(task, EvApproval, true, fmt.Sprintf("%s needs you: %s %s", t.Label(), call.Name, Short(CleanLine(subject), 120)), ApprovalRef(id))
	})
	return id, d, err
}

func (r *Registry) decision(id int64) (d Decision, ok bool, err error) {
	err = r.View(func(rd Reader) error {
		as, err := rd.Approvals(ApprovalFilter{IDs: []int64{id}})
		if err != nil {
			return err
		}
		if len(as) == 0 {
			return Errorf(CodeNotFound, "the approval %s has vanished", ApprovalRef(id))
		}
		d, ok = Decision{Allowed: as[0].State == AppAllowed, Reason: as[0].Reason}, as[0].State != AppPending
		return nil
	})
	return d, ok, err
}

// Decide answers an approval. "Always" adds a rule to the session and answers
// every other question that the rule covers.
func (r *Registry) Decide(id int64, allow bool, scope, reason, by string) error {
	var woken []int64
	err := r.change(Acknowledged, func(c *change) error {
		woken = nil
		as, err := c.tx.Approvals(ApprovalFilter{IDs: []int64{id}})
		if err != nil {
			return err
		}
		if len(as) == 0 {
			return &Error{Code: CodeNotFound, Message: "no approval " + ApprovalRef(id)}
		}
		a := as[0]
		if a.State != AppPending {
			return &Error{Code: CodeWrongStatus, Message: ApprovalRef(id) + " has already been decided: " + string(a.State)}
		}
		if scope == "" {
			scope = ScopeOnce
		}
		if allow && scope == ScopeAlways {
			rule := r.o.RuleFor(a.Tool, a.Subject)
			if rule == "" {
				return &Error{Code: CodeInvalidInput, Message: "no safe rule can be made of this " + a.Tool + " call", Hint: "allow it once"}
			}
			if err := c.setSession(func(s *Session) { s.Rules = append(s.Rules[:len(s.Rules):len(s.Rules)], rule) }); err != nil {
				return err
			}
			if woken, err = c.decideCovered(a.ID, by); err != nil {
				return err
			}
		}
		woken = append(woken, a.ID)
		return c.decideOne(a, allow, scope, reason, by)
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range woken {
		if ch := r.deciding[id]; ch != nil {
			close(ch)
			delete(r.deciding, id)
		}
	}
	return nil
}

func (c *change) decideOne(a Approval, allow bool, scope, reason, by string) error {
	a.State, a.Scope, a.Reason, a.By, a.Decided = AppAllowed, scope, reason, by, c.now
	kind, word := EvApproved, "allowed"
	if !allow {
		a.State, kind, word = AppDenied, EvDenied, "denied"
	}
	if err := c.tx.UpdateApproval(a); err != nil {
		return err
	}
	text := fmt.Sprintf("%s %s: %s %s", whoText(by), word, a.Tool, Short(CleanLine(a.Subject), 120))
	if reason != "" {
		text += " (" + Short(CleanLine(reason), 80) + ")"
	}
	if scope == ScopeAlways {
		text += ", always"
	}
	return c.event(a.Task, kind, true, text, ApprovalRef(a.ID))
}

func (c *change) decideCovered(except int64, by string) (ids []int64, err error) {
	others, err := c.tx.Approvals(ApprovalFilter{Session: c.session.ID, States: []ApprovalState{AppPending}})
	if err != nil {
		return nil, err
	}
	for _, a := range others {
		if a.ID == except || !c.r.allowed(c.session, a.Tool, a.Subject) {
			continue
		}
		if err := c.decideOne(a, true, ScopeAlways, "", by); err != nil {
			return nil, err
		}
		ids = append(ids, a.ID)
	}
	return ids, nil
}
