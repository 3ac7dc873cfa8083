package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"drover/core"
)

// batch is the tool calls of one step, at work at the same time.
type batch struct {
	*turn
	ctx  context.Context
	left atomic.Int32
	mu   sync.Mutex
	end  *core.ToolResult
	errs []error
}

// runCalls runs the calls in parallel, each one committed when it begins and
// when it has its result. It returns the result that ends the turn, if one does.
func (u *turn) runCalls(ctx context.Context, calls []core.ToolCall) (*core.ToolResult, error) {
	b := &batch{turn: u, ctx: ctx}
	b.left.Store(int32(len(calls)))
	begun := u.just
	if u.just = nil; begun == nil { // of an answer that was committed before
		var err error
		if begun, err = u.beginPlain(calls); err != nil {
			return nil, err
		}
	}
	if len(calls) == 1 { // mostly: the loop itself is the only part
		err := b.one(calls[0], begun[calls[0].ID], nil)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return b.end, err
	}
	u.w.Spread(len(calls) + 1)
	var wg sync.WaitGroup
	var starts core.Sequence
	for _, c := range calls {
		var rank *core.Rank
		if core.StartsAgents(c.Name) {
			rank = starts.Next()
		}
		wg.Go(func() {
			defer u.w.Done()
			defer rank.Leave()
			if err := b.one(c, begun[c.ID], rank); err != nil {
				b.mu.Lock()
				b.errs = append(b.errs, err)
				b.mu.Unlock()
			}
		})
	}
	u.w.Done() // the loop itself only waits
	wg.Wait()
	defer u.clock.hold(core.ActQueued)() // what follows may wait for a slot
	if err := u.w.Join(ctx); err != nil {
		b.errs = append(b.errs, err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return b.end, errors.Join(b.errs...)
}

// plain are the rows with which those of the calls begin that need no approval.
func (u *turn) plain(calls []core.ToolCall) (rows []core.Entry, begun map[string]bool) {
	begun = map[string]bool{}
	for _, c := range calls {
		if tool, ok := u.tool(c.Name); ok && !asks(tool) {
			begun[c.ID] = true
			rows = append(rows, callRow(c, tool))
		}
	}
	return rows, begun
}

// beginPlain commits, in one go, the beginning of all calls that need no
// approval and have not begun before.
func (u *turn) beginPlain(calls []core.ToolCall) (map[string]bool, error) {
	rows, begun := u.plain(slices.DeleteFunc(slices.Clone(calls), func(c core.ToolCall) bool { return u.begun(c.ID) }))
	if len(rows) == 0 {
		return begun, nil
	}
	return begun, u.o.Registry.Append(u.t.ID, core.Step{Entries: rows, Calls: len(rows), Activity: core.ActTool, Detail: callsDetail(calls, rows)})
}

// callRow marks the beginning of a call; its text is the line that matters of the arguments.
func callRow(c core.ToolCall, t core.Tool) core.Entry {
	return core.Entry{Kind: core.EntryCall, CallID: c.ID, Tool: c.Name, Text: core.Short(core.CleanLine(t.Subject(c.Args)), 500)}
}

// callsDetail says what a step runs: of one call that has begun the whole, else the names.
func callsDetail(calls []core.ToolCall, begun []core.Entry) string {
	if len(calls) == 1 && len(begun) == 1 {
		return callDetail(begun[0])
	}
	return callNames(calls)
}

// callDetail says what is run, for those who see that it takes long.
func callDetail(row core.Entry) string {
	return core.Short(strings.TrimSpace(row.Tool+" "+row.Text), 80)
}

func asks(t core.Tool) bool {
	e := t.Spec().Effect
	return e == core.Writes || e == core.Runs || e == core.Reaches
}

// tool finds a tool of the task's set: the second wall. The name must be one
// the model was shown.
func (u *turn) tool(name string) (core.Tool, bool) {
	if u.result != nil && isResult(name) {
		spec, err := u.result.spec()
		return resultTool{u, spec}, err == nil
	}
	if !slices.Contains(u.set, name) {
		return nil, false
	}
	return u.o.Tools.Get(name)
}

func (b *batch) one(c core.ToolCall, begun bool, rank *core.Rank) error {
	tool, ok := b.tool(c.Name)
	if !ok {
		text := b.refusal(c.Name)
		if err := b.o.Registry.Note(b.t.ID, core.EvToolRefused, b.t.Label()+": "+text, ""); err != nil {
			return err
		}
		return b.result(c, core.ToolResult{Failed: true, Text: text}, 0)
	}
	if !begun && b.begun(c.ID) && !tool.Spec().Again {
		return b.result(c, core.ToolResult{Failed: true, Text: interruptedByCrash}, 0)
	}
	if b.o.Denied(b.agent.Permissions, tool, c.Args, b.info.Dir) {
		if err := b.o.Registry.Note(b.t.ID, core.EvToolRefused, fmt.Sprintf("%s: its definition denies %s %s", b.t.Label(), c.Name, core.Short(core.CleanLine(tool.Subject(c.Args)), 120)), ""); err != nil {
			return err
		}
		return b.result(c, core.ToolResult{Failed: true, Text: "The definition of this agent denies this call, and nobody can allow it here. Do not try it in another form: go on without it, and say so."}, 0)
	}
	if asks(tool) {
		subject := b.o.Exact(tool, c.Args, b.info.Dir)
		if subject == "" {
			subject = tool.Subject(c.Args)
		}
		release := b.clock.hold(core.ActApproval)
		d, err := b.o.Registry.Approve(b.ctx, b.w, c, subject, b.agent.Rules)
		release()
		if err != nil {
			return err
		}
		if !d.Allowed {
			text := "User rejected this operation"
			if d.Reason != "" {
				text += ", saying: " + d.Reason
			}
			text += ". Do not try the same again: rethink your strategy."
			return b.result(c, core.ToolResult{Failed: true, Text: text}, 0)
		}
	}
	if !begun && !b.begun(c.ID) {
		row := callRow(c, tool)
		if err := b.o.Registry.Append(b.t.ID, core.Step{Entries: []core.Entry{row}, Calls: 1, Activity: core.ActTool, Detail: callDetail(row)}); err != nil {
			return err
		}
	}
	start := time.Now()
	res, err := tool.Run(b.ctx, b.env(c, rank), c.Args)
	if err != nil {
		if b.ctx.Err() != nil {
			return context.Cause(b.ctx)
		}
		res = core.ToolResult{Failed: true, Text: "the tool failed: " + err.Error()}
	}
	if res.End {
		b.mu.Lock()
		b.end = &res
		b.mu.Unlock()
	}
	return b.result(c, res, b.o.Registry.Took(start))
}

func (b *batch) result(c core.ToolCall, res core.ToolResult, took time.Duration) error {
	b.clock.touch()
	row := core.Entry{Kind: core.EntryResult, CallID: c.ID, Tool: c.Name, Text: b.sound(res.Text, mostResult), Failed: res.Failed, Full: res.Full, Took: took}
	step := core.Step{Entries: []core.Entry{row}}
	last := b.left.Add(-1) == 0
	if last {
		step.Activity = core.ActModel
		b.delivered = b.goesOn()
		step.Boundary = b.delivered
	}
	if b.held != nil {
		if joined, err := b.held.join(step, last); joined {
			return err
		}
	}
	return b.o.Registry.Append(b.t.ID, step)
}

// goesOn reports whether another model call follows this step, as far as can be
// told: then what waits for its boundary is delivered with the last result.
func (b *batch) goesOn() bool {
	b.mu.Lock()
	ends := b.end != nil
	b.mu.Unlock()
	steps := b.stepsSoFar()
	if b.held != nil { // its answer is not read yet
		steps++
	}
	return !ends && !b.graced && (b.turn.result == nil || b.turn.result.refused < mostRefusals) && b.due(steps) == nil
}

func (b *batch) refusal(name string) string {
	return fmt.Sprintf("the tool %q is not available to this agent. Available: %s", core.Short(core.CleanLine(name), 60), strings.Join(b.set, ", "))
}

func (b *batch) env(c core.ToolCall, rank *core.Rank) core.ToolEnv {
	return core.ToolEnv{
		TaskInfo: b.info, CallID: c.ID, Scratch: b.o.Scratch, Masked: b.o.Masked,
		Waiting: b.waiting,
		Intent:  func(s string) error { return b.o.Registry.SetIntent(b.t.ID, s) },
		Output:  b.output(),
		Rank:    rank,
	}
}

// waiting lets the turn's clock stand as its activity asks for.
func (b *batch) waiting(a core.Activity, detail string) (func() error, error) {
	if b.held != nil { // what it waits for is shown from now on
		if err := b.held.now(); err != nil {
			return nil, err
		}
	}
	done, err := b.w.Waiting(b.ctx, a, detail)
	if err != nil {
		return nil, err
	}
	release := b.clock.hold(a)
	return func() error {
		defer release()
		return done()
	}, nil
}

// shownOutput is how much of a running call's output is kept for the screen, in bytes.
const shownOutput = 4000

// output shows the end of what a call has printed so far as the task's live text.
func (b *batch) output() func(string) {
	var shown string
	var rev int64
	return func(more string) {
		shown += more
		if cut := len(shown) - shownOutput; cut > 0 {
			if nl := strings.IndexByte(shown[cut:], '\n'); nl >= 0 {
				cut += nl + 1
			}
			shown = strings.ToValidUTF8(shown[cut:], "")
		}
		rev++
		b.o.Registry.SetLive(core.Live{Task: b.t.ID, Text: "~~~~\n" + b.o.Mask(shown) + "\n~~~~", Rev: rev})
	}
}
