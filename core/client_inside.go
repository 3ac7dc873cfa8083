package core

import "context"

// Inside is what a task was started with and what it has been asked: the parts
// of a Detail that a row does not hold.
type Inside struct {
	Spec     Spec
	Turns    []Turn
	Requests []Request // messages, oldest first
	Parent   *Spec     // what its parent was started with; nil for the main task
}

// Inside reads it in one snapshot.
func (c *Client) Inside(ctx context.Context, task string) (Inside, error) {
	return view(ctx, c.Store, func(r Reader) (in Inside, err error) {
		if in.Spec, err = r.Spec(task); err != nil {
			return in, err
		}
		if in.Turns, err = r.Turns(task, 0); err != nil {
			return in, err
		}
		t, err := r.Task(task)
		if err != nil {
			return in, err
		}
		if t.Parent != "" {
			sp, err := r.Spec(t.Parent)
			if err != nil {
				return in, err
			}
			in.Parent = &sp
		}
		in.Requests, err = r.Requests(RequestFilter{Task: task, Kinds: []RequestKind{ReqMessage}})
		return in, err
	})
}

// SwapRequests lets two messages that wait for the same task change places:
// each keeps its ID and takes the other's text and delivery. Both must be a
// person's own, and neither delivered.
func (c *Client) SwapRequests(ctx context.Context, a, b int64) error {
	return c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		rs, err := tx.Requests(RequestFilter{IDs: []int64{a, b}})
		if err != nil {
			return err
		}
		if len(rs) != 2 || rs[0].Task != rs[1].Task {
			return &Error{Code: CodeNotFound, Message: RequestRef(a) + " and " + RequestRef(b) + " are not two messages to one task", Hint: "drover requests lists them"}
		}
		for _, r := range rs {
			switch {
			case r.Kind != ReqMessage || r.Sender != SenderUser:
				return &Error{Code: CodeWrongStatus, Message: RequestRef(r.ID) + " is no message of yours: only those can be moved"}
			case r.State != ReqQueued:
				return &Error{Code: CodeWrongStatus, Message: RequestRef(r.ID) + " is already " + string(r.State) + ": it cannot be moved"}
			}
		}
		rs[0].Text, rs[1].Text = rs[1].Text, rs[0].Text
		rs[0].Delivery, rs[1].Delivery = rs[1].Delivery, rs[0].Delivery
		for _, r := range rs {
			if err := tx.UpdateRequest(r, ReqQueued); err != nil {
				return err
			}
			if err := requestEvent(tx, r, c.now()); err != nil {
				return err
			}
		}
		return nil
	})
}
