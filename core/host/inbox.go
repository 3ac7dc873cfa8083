package host

import (
	"context"
	"encoding/json"

	"drover/core"
)

// inbox takes up every queued request that is not in hand yet, oldest first.
// Messages to running tasks are left for their next boundary.
// Gathering says that news waits for more to come, so look again in NoticeRest.
func (h *Host) inbox() (gathering bool, err error) {
	reqs, err := h.reg.Inbox()
	if err != nil {
		return false, err
	}
	news := map[string][]core.Request{}
	for _, q := range reqs {
		if q.Kind == core.ReqNotice {
			news[q.Task] = append(news[q.Task], q)
		}
	}
	for _, q := range reqs {
		if h.handling[q.ID] {
			continue
		}
		if q.Kind == core.ReqNotice && h.reg.Gathering(q.Task, news[q.Task]) {
			gathering = true
			continue
		}
		if err := h.take(q); err != nil {
			return false, err
		}
	}
	return gathering, nil
}

func (h *Host) take(q core.Request) error {
	t, err := h.reg.Task(q.Task)
	if err != nil {
		return h.settle(q, "", err)
	}
	switch q.Kind {
	case core.ReqNotice:
		if t.Status == core.Idle && q.Delivery != core.Quiet {
			return h.reg.Wake(t.ID)
		}
	case core.ReqMessage:
		return h.message(q, t)
	case core.ReqCancel:
		h.handling[q.ID] = true
		if !h.working() {
			return h.cancel(q) // before the first turn: nothing to wait for, and nothing may start
		}
		h.busy.Go(func() { h.note(h.cancel(q)) })
	case core.ReqPromote:
		return h.settle(q, "in the background", h.reg.PromoteAgentToBackground(q.Task, q.Sender))
	case core.ReqApprove, core.ReqDeny:
		id, _ := core.ParseRef('a', q.Ref)
		allow := q.Kind == core.ReqApprove
		word := "denied"
		if allow {
			word = "allowed"
		}
		return h.settle(q, word, h.reg.Decide(id, allow, q.Scope, q.Text, q.Sender))
	case core.ReqAutopilot:
		return h.settle(q, "autopilot is "+q.Text, h.reg.SetAutopilot(q.Text == "on", q.Sender))
	case core.ReqSlots:
		return h.settle(q, q.Text+" tasks at once", h.reg.SetSlots(q.Text, q.Sender))
	case core.ReqModel: // it may take a while to hear whether there is such a model
		h.handling[q.ID] = true
		h.busy.Go(func() { h.note(h.remodel(q)) })
	case core.ReqEnd:
		return h.settle(q, "completed", h.reg.EndTask(q.Task, q.Sender))
	case core.ReqResume:
		return h.settle(q, "resumed", nil) // the host is alive: Load has resumed everything
	default:
		return h.settle(q, "", core.Errorf(core.CodeInvalidInput, "unknown request %q", string(q.Kind)))
	}
	return nil
}

func (h *Host) message(q core.Request, t core.Task) error {
	switch {
	case t.Status.Terminal():
		_, err := core.Next(t.Status, core.OpMessage)
		return h.settle(q, "", err)
	case t.Status == core.Idle:
		return h.reg.Wake(t.ID)
	case q.Delivery == core.Interrupt:
		h.handling[q.ID] = true
		return h.reg.InterruptTurn(t.ID)
	}
	return nil
}

func (h *Host) cancel(q core.Request) error {
	stop := h.reg.CancelRecursive
	if q.Scope == core.ScopeOnly {
		stop = h.reg.Cancel
	}
	receipt, err := stop(context.Background(), q.Task, q.Sender)
	if err != nil {
		return h.settle(q, "", err)
	}
	out, err := json.Marshal(receipt)
	if err != nil {
		return err
	}
	return h.settle(q, string(out), nil)
}

func (h *Host) remodel(q core.Request) error {
	full, err := h.reg.SetModel(q.Text, q.Sender)
	if hint := core.HintOf(err); hint != "" { // it names the models there are
		err = core.Errorf(core.CodeOf(err), "%w (%s)", err, hint)
	}
	return h.settle(q, "the model is "+full+" from the next turn on", err)
}

// settle writes how the request went; a refusal is an outcome, not a fault of the host.
func (h *Host) settle(q core.Request, outcome string, err error) error {
	state := core.ReqDone
	if err != nil {
		if core.CodeOf(err) == core.CodeStorage {
			return err
		}
		state, outcome = core.ReqRefused, err.Error()
	}
	if err := h.reg.Settle(q, state, outcome); err != nil && core.CodeOf(err) != core.CodeConflict {
		return err
	}
	return nil
}
