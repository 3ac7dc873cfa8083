package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// run is the loop of steps.
func (u *turn) run(ctx context.Context) (core.Answer, error) {
	if err := u.started(ctx); err != nil {
		return core.Answer{}, err
	}
	if calls := core.Dangling(u.entries); len(calls) > 0 { // a host died in the middle of this step
		if a, again, err := u.act(ctx, calls); err != nil || !again {
			return a, err
		}
	}
	if u.handedBefore() { // a host died between the hand-in and the end of the turn
		a, err := u.handedIn()
		if err != nil {
			return a, err
		}
		if a, again, err := u.stops(ctx, a); err != nil || !again {
			return a, err
		}
	}
	for {
		a, again, err := u.step(ctx)
		if err != nil || !again {
			return a, err
		}
	}
}

// step makes one model call and runs the calls it asks for. Again says that
// another step follows.
func (u *turn) step(ctx context.Context) (a core.Answer, again bool, err error) {
	if text, ok := u.answered(); ok { // also: a host died between the answer and the end of the turn
		a, again, err := u.ended(core.ModelReply{Text: text})
		if err != nil || again {
			return a, again, err
		}
		return u.stops(ctx, a)
	}
	force, err := u.mayAsk()
	if err != nil {
		return core.Answer{}, false, err
	}
	reply, err := u.answerTo(ctx, force)
	if err != nil {
		return core.Answer{}, false, err
	}
	if len(reply.Calls) == 0 {
		if _, last := u.answered(); !last { // something waited for this boundary
			return core.Answer{}, true, nil
		}
		a, again, err := u.ended(reply)
		if err != nil || again {
			return a, again, err
		}
		return u.stops(ctx, a)
	}
	return u.act(ctx, reply.Calls)
}

// act runs the calls of a step. One of them may end the turn.
func (u *turn) act(ctx context.Context, calls []core.ToolCall) (a core.Answer, again bool, err error) {
	end, err := u.runCalls(ctx, calls)
	if serr := u.settle(); err == nil || core.CodeOf(serr) == core.CodeStorage {
		err = serr
	}
	if err != nil {
		return core.Answer{}, false, err
	}
	if end != nil {
		if u.result == nil || !u.result.done {
			return core.Answer{Text: end.Text}, false, u.completed(ctx)
		}
		if a, err = u.handedIn(); err != nil {
			return a, false, err
		}
		return u.stops(ctx, a)
	}
	if u.result != nil && u.result.refused >= mostRefusals {
		u.graced = true
		return core.Answer{}, false, &core.Error{Code: core.CodeBadResult, Message: fmt.Sprintf("what it handed in did not fit the schema, %d times", u.result.refused), Hint: "its last try is kept; the schema may be too hard for its model"}
	}
	return core.Answer{}, true, nil
}

// mayAsk looks, before a model call, at the limits, and delivers what waits.
func (u *turn) mayAsk() (force bool, err error) {
	steps := u.stepsSoFar()
	if limit := u.due(steps); limit != nil {
		return false, limit
	}
	if err := u.near(); err != nil {
		return false, err
	}
	force, stop, err := u.requests(steps)
	if err != nil {
		return false, err
	}
	if stop != nil {
		return false, stop
	}
	if !u.delivered {
		if _, err := u.o.Registry.Boundary(u.t.ID); err != nil {
			return false, err
		}
	}
	u.delivered = false
	if u.result != nil && u.reminders("[reminder") >= mostReminders {
		force = true
	}
	return force, u.load()
}

// answerTo asks the model; a history that has grown too long is shortened first,
// and once more where the provider says so.
func (u *turn) answerTo(ctx context.Context, force bool) (core.ModelReply, error) {
	o := asking{set: u.set, begin: true}
	if force && u.result != nil {
		o.force = ResultTool
	} else if force {
		o.set = []string{} // no more work: only an answer is left
	}
	if err := u.fit(ctx, false); err != nil {
		return core.ModelReply{}, err
	}
	reply, err := u.ask(ctx, o)
	if core.CodeOf(err) != core.CodeContextTooLong {
		return reply, err
	}
	if ferr := u.fit(ctx, true); ferr != nil {
		return reply, ferr
	}
	return u.ask(ctx, o)
}

func (u *turn) stepsSoFar() (n int) {
	for _, e := range u.entries {
		if e.Turn == u.t.Turn && e.Kind == core.EntryAnswer {
			n++
		}
	}
	return n
}

// asking is how a model is asked: with which tools, and which one it must call.
type asking struct {
	set   []string
	force string
	begin bool // with the commit of the answer calls that need no approval begin; where there are none, what waits is delivered
}

// streamBeat is how often the row of a task says that its answer is still arriving.
const streamBeat = 30 * time.Second

// ask makes one model call and commits its answer.
func (u *turn) ask(ctx context.Context, o asking) (core.ModelReply, error) {
	model, name, err := u.o.Model(u.t.Model)
	if err != nil {
		return core.ModelReply{}, err
	}
	req := core.ModelRequest{
		Model: name, System: u.system(), Messages: history(u.entries), Task: u.info,
		Force: o.force, Temperature: u.agent.Limits.Temperature, Effort: cmp.Or(u.agent.Effort, u.o.Effort),
	}
	if req.Tools, err = u.specs(o.set); err != nil {
		return core.ModelReply{}, err
	}
	var text, reasoning strings.Builder
	began := time.Now()
	var rev int64
	u.text = ""
	req.Wait = func(ctx context.Context, m core.ModelWait) error { // what has streamed is void: the call is made again
		text.Reset()
		reasoning.Reset()
		rev++
		u.o.Registry.SetLive(core.Live{Task: u.t.ID, Rev: rev})
		return u.wait(ctx, m)
	}
	seen, lost := began, error(nil)
	reply, err := model.Stream(ctx, req, func(d core.Delta) {
		u.clock.touch()
		lost = errors.Join(lost, u.goesOn())
		if now := time.Now(); now.Sub(seen) > streamBeat { // else a long answer looks like a stall
			seen = now
			lost = errors.Join(lost, u.o.Registry.SetActivity(u.t.ID, core.ActModel, ""))
		}
		text.WriteString(d.Text)
		reasoning.WriteString(d.Reasoning)
		rev++
		u.o.Registry.SetLive(core.Live{Task: u.t.ID, Text: text.String(), Reasoning: reasoning.String(), Rev: rev})
	})
	if err == nil {
		err = errors.Join(lost, u.goesOn())
		if err != nil {
			return reply, err
		}
	}
	if err != nil {
		u.text = u.sound(text.String(), mostSaid)
		if ctx.Err() != nil {
			return reply, context.Cause(ctx)
		}
		return reply, modelError(err)
	}
	u.clock.touch()
	reply.Text = u.sound(reply.Text, mostSaid)
	e := core.Entry{
		Kind: core.EntryAnswer, Text: reply.Text, Reasoning: reply.Reasoning, Calls: reply.Calls,
		Took: u.o.Registry.Took(began), Tokens: reply.Tokens, Opaque: reply.Opaque,
	}
	step := core.Step{Entries: []core.Entry{e}, Tokens: reply.Tokens, NewStep: true}
	if len(reply.Calls) > 0 {
		var rows []core.Entry
		if o.begin {
			rows, u.just = u.plain(reply.Calls)
		}
		step.Entries, step.Calls = append(step.Entries, rows...), len(rows)
		step.Activity, step.Detail = core.ActTool, callsDetail(reply.Calls, rows)
	} else {
		step.Boundary = o.begin
	}
	if len(u.just) > 0 && u.onlyRead(reply.Calls) {
		u.hold(step)
		return reply, nil
	}
	if err := u.o.Registry.Append(u.t.ID, step); err != nil {
		return reply, err
	}
	return reply, u.load()
}

// specs describes tools to the model: mostly the same in each step.
func (u *turn) specs(set []string) ([]core.ToolSpec, error) {
	if u.described != nil && slices.Equal(set, u.describes) {
		return u.described, nil
	}
	specs := make([]core.ToolSpec, 0, len(set))
	for _, n := range set {
		if n == ResultTool && u.result != nil {
			spec, err := u.result.spec()
			if err != nil {
				return nil, err
			}
			specs = append(specs, spec)
		} else if tool, ok := u.o.Tools.Get(n); ok {
			specs = append(specs, tool.Spec())
		}
	}
	u.describes, u.described = set, specs
	return specs, nil
}

func modelError(err error) error {
	if core.CodeOf(err) != core.CodeInternal {
		return err
	}
	return &core.Error{Code: core.CodeModel, Message: "the model call failed", Err: err}
}

func callNames(calls []core.ToolCall) string {
	var names []string
	for _, c := range calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, core.Short(core.CleanLine(c.Name), 30))
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}
