package ui

import (
	"context"

	"drover/core"
	"drover/ui/state"
)

// job is something for the worker.
type job struct {
	effect state.Effect
	do     func(context.Context) func(*view) // instead of an effect; what it returns runs on the UI goroutine
}

// timelineTail is how many events of a session are read at first.
const timelineTail = 1000

// work carries effects out, one after the other, in the order of the keys. It
// acknowledges what is durable; waiting for the outcome holds nothing up.
func (p *program) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-p.jobs:
			if j.do != nil {
				p.report(ctx, j.do(ctx))
				continue
			}
			p.carryOut(ctx, j.effect)
		}
	}
}

// report hands a result to the pump.
func (p *program) report(ctx context.Context, f func(*view)) {
	select {
	case p.back <- f:
	case <-ctx.Done():
	}
}

func (p *program) carryOut(ctx context.Context, e state.Effect) {
	if p.load(ctx, e) {
		return
	}
	if r, ok := requestOf(e); ok {
		p.submit(ctx, e, r)
		return
	}
	var r core.Request
	var err error
	switch e := e.(type) {
	case state.Withdraw:
		r, err = p.o.Engine.Withdraw(ctx, e.Request)
	case state.EditRequest:
		r, err = p.o.Engine.EditRequest(ctx, e.Request, e.Text)
	case state.Swap:
		err = p.o.Engine.SwapRequests(ctx, e.Request, e.With)
	case state.NewSession:
		p.remember(ctx, e.Prompt)
		task, err := p.o.Engine.NewSession(ctx, e)
		p.report(ctx, func(v *view) {
			if task != "" { // with an error too: the session is there, its host is not
				v.st.Started(task)
			}
			switch {
			case err == nil:
				v.st.Say("session " + task + " has started")
			case task != "":
				v.st.Fail(err)
			default:
				v.st.Done(e, core.Request{}, err)
			}
		})
		return
	case state.PutNote:
		err = p.o.Engine.PutNote(ctx, e.Key, e.Value)
	case state.Archive:
		err = p.o.Engine.Archive(ctx, e.Tasks, e.On)
	case state.Trust:
		p.trust(ctx)
		return
	case state.MarkReviews:
		rs, err := p.o.Engine.MarkReviews(ctx, e.Mark, e.IDs...)
		p.report(ctx, func(v *view) { v.do(v.st.Reviewed(e, rs, err)) })
		return
	case state.LoadModels:
		p.start(ctx, func(ctx context.Context) { // they may be far away
			names, err := p.o.Engine.Models(ctx)
			p.report(ctx, func(v *view) { v.st.SetModels(names, err) })
		})
		return
	case state.LoadFiles:
		p.start(ctx, func(ctx context.Context) { // a large folder takes a while
			names, err := p.o.Engine.Files(ctx, e.Dir)
			p.report(ctx, func(v *view) { v.st.SetFiles(e.Dir, names, err) })
		})
		return
	case state.LoadCompletion:
		p.start(ctx, func(ctx context.Context) { // a long session takes a while to read
			d, err := p.o.Engine.Completion(ctx, e.ID)
			p.report(ctx, func(v *view) { v.st.SetLed(e.ID, d, err) })
		})
		return
	case state.LoadTimeline:
		evs, err := p.o.Engine.Events(ctx, core.EventFilter{Session: e.Session, Notable: true, Last: timelineTail})
		p.report(ctx, func(v *view) {
			if err != nil {
				v.st.Fail(err)
			}
			v.st.AddEvents(evs)
		})
		return
	}
	if err != nil {
		r = core.Request{}
	}
	p.report(ctx, func(v *view) { v.st.Done(e, r, err) })
}

func (p *program) submit(ctx context.Context, e state.Effect, r core.Request) {
	got, err := p.o.Engine.Submit(ctx, r)
	p.report(ctx, func(v *view) { v.st.Done(e, got, err) })
	if r.Kind == core.ReqMessage {
		p.remember(ctx, r.Text)
	}
	if err != nil {
		return
	}
	p.start(ctx, func(ctx context.Context) {
		end, err := p.o.Engine.Await(ctx, got.ID)
		if ctx.Err() != nil {
			return
		}
		p.report(ctx, func(v *view) {
			if err != nil {
				v.st.Fail(err)
				return
			}
			v.st.Done(e, end, nil)
		})
	})
}

// remember keeps what a person has sent, for the next screen too.
func (p *program) remember(ctx context.Context, text string) {
	if err := p.o.Engine.Remember(ctx, text); err != nil {
		p.report(ctx, func(v *view) { v.st.Fail(err) })
	}
}

// requestOf is the request that an effect makes, where it makes one.
func requestOf(e state.Effect) (core.Request, bool) {
	r := core.Request{Sender: core.SenderUser}
	switch e := e.(type) {
	case state.Send:
		r.Task, r.Kind, r.Text, r.Delivery = e.Task, core.ReqMessage, e.Text, e.Delivery
	case state.Cancel:
		r.Task, r.Kind, r.Scope = e.Task, core.ReqCancel, e.Scope
	case state.Promote:
		r.Task, r.Kind = e.Task, core.ReqPromote
	case state.Approve:
		r.Task, r.Kind, r.Ref, r.Scope = e.Task, core.ReqApprove, core.ApprovalRef(e.Approval), e.Scope
	case state.Deny:
		r.Task, r.Kind, r.Ref, r.Text = e.Task, core.ReqDeny, core.ApprovalRef(e.Approval), e.Reason
	case state.Resume:
		r.Task, r.Kind = e.Task, core.ReqResume
	case state.Autopilot:
		r.Task, r.Kind, r.Text = e.Task, core.ReqAutopilot, map[bool]string{true: "on", false: "off"}[e.On]
	case state.Model:
		r.Task, r.Kind, r.Text = e.Task, core.ReqModel, e.Name
	case state.End:
		r.Task, r.Kind = e.Task, core.ReqEnd
	default:
		return r, false
	}
	return r, true
}
