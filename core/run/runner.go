package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// Toolbox holds the tools there are.
type Toolbox interface {
	Get(name string) (core.Tool, bool)
	Names() []string
}

// Options of a Runner; Registry, Model and Tools are needed.
type Options struct {
	Registry *core.Registry
	// Model finds the model of a name such as "offline/rules" and the provider's own name of it.
	Model   func(name string) (core.Model, string, error)
	Tools   Toolbox
	Scratch string // directory for spilled output of this session
	// Exact is the whole command or the real path of a call: what a person is
	// asked about, and what rules are matched with. Nil: the tool's Subject.
	Exact func(t core.Tool, args json.RawMessage, dir string) string
	// Policy tells a model that may start agents whom there is and when to; nil: nothing.
	Policy func(ctx context.Context, agent core.Agent, dir string) (string, error)
	// MaxSteps is how many model calls one turn may make; 0 means 100.
	MaxSteps int
	// MaxDepth is the depth from which the delegation tools are taken away.
	MaxDepth int
}

// Runner is the core.Runner of local agents.
type Runner struct{ o Options }

// New makes a Runner.
func New(o Options) *Runner {
	if o.Exact == nil {
		o.Exact = func(t core.Tool, args json.RawMessage, _ string) string { return t.Subject(args) }
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 100
	}
	return &Runner{o}
}

// turn is one turn at work.
type turn struct {
	*Runner
	w       *core.Work
	t       core.Task
	info    core.TaskInfo
	spec    core.Spec
	agent   core.Agent // as the task was started with
	policy  string
	set     []string // names of the tools the task has
	entries []core.Entry
	last    int64 // seq of the last entry read
	text    string
}

// Turn performs the running turn of t (see core.Runner).
func (r *Runner) Turn(ctx context.Context, w *core.Work, t core.Task) (core.Answer, error) {
	s := r.o.Registry.Session()
	u := &turn{Runner: r, w: w, t: t, info: core.TaskInfo{
		Session: s.ID, Task: t.ID, Kind: t.Kind, Agent: t.Agent, Dir: s.Dir, Depth: t.Depth,
		Autopilot: s.Autopilot && t.Kind == core.KindMain, Pace: s.Pace,
	}}
	if err := u.prepare(ctx); err != nil {
		return core.Answer{}, err
	}
	limited, stop := u.limited(ctx)
	defer stop()
	answer, err := u.run(limited)
	if err != nil && context.Cause(ctx) == nil && limited.Err() != nil {
		return answer, context.Cause(limited)
	}
	if err != nil && context.Cause(ctx) == core.ErrInterrupted {
		if ierr := u.interrupted(); ierr != nil {
			return answer, ierr
		}
		answer.Text = u.text
	}
	return answer, err
}

// prepare reads what the task was started with.
func (u *turn) prepare(ctx context.Context) error {
	if err := u.load(); err != nil {
		return err
	}
	if u.o.Policy == nil || !slices.ContainsFunc(u.set, core.StartsAgents) {
		return nil
	}
	var err error
	u.policy, err = u.o.Policy(ctx, u.agent, u.info.Dir)
	return err
}

// limited is the context of a turn of an agent that has a time limit.
func (u *turn) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	d := u.agent.Limits.Timeout
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, &core.Error{Code: core.CodeTimeout, Message: fmt.Sprintf("the turn was stopped after %s, the limit of %s", d, u.t.Agent)})
}

func (u *turn) run(ctx context.Context) (core.Answer, error) {
	if calls := core.Dangling(u.entries); len(calls) > 0 { // a host died in the middle of this step
		if end, err := u.runCalls(ctx, calls); err != nil || end != nil {
			return answerOf(end), err
		}
	}
	if text, ok := u.answered(); ok { // a host died between the answer and the end of the turn
		return core.Answer{Text: text}, nil
	}
	for steps := u.stepsSoFar(); ; steps++ {
		if steps >= u.maxSteps() {
			return core.Answer{}, &core.Error{Code: core.CodeMaxTurns, Message: fmt.Sprintf("the turn was stopped after %d model calls", steps), Hint: "max_turns in the settings sets the limit"}
		}
		if _, err := u.o.Registry.Boundary(u.t.ID); err != nil {
			return core.Answer{}, err
		}
		if err := u.load(); err != nil {
			return core.Answer{}, err
		}
		reply, err := u.ask(ctx)
		if err != nil {
			return core.Answer{}, err
		}
		if len(reply.Calls) == 0 {
			more, err := u.o.Registry.Boundary(u.t.ID)
			if err != nil || !more {
				return core.Answer{Text: reply.Text}, err
			}
			continue
		}
		if end, err := u.runCalls(ctx, reply.Calls); err != nil || end != nil {
			return answerOf(end), err
		}
	}
}

func (u *turn) maxSteps() int {
	if n := u.agent.Limits.MaxTurns; n > 0 {
		return min(n, u.o.MaxSteps)
	}
	return u.o.MaxSteps
}

func answerOf(end *core.ToolResult) core.Answer {
	if end == nil {
		return core.Answer{}
	}
	return core.Answer{Text: end.Text}
}

// load reads the entries that are newer than those it has.
func (u *turn) load() error {
	return u.o.Registry.View(func(r core.Reader) error {
		if u.last == 0 {
			var err error
			if u.spec, err = r.Spec(u.t.ID); err != nil {
				return err
			}
			if len(u.spec.Agent) > 0 {
				if err := json.Unmarshal(u.spec.Agent, &u.agent); err != nil {
					return fmt.Errorf("reading the definition of %s: %w", u.t.Agent, err)
				}
			}
			u.info.ReadOnly = u.agent.ReadOnly
			u.set = u.toolset(u.spec.Tools)
		}
		es, err := r.Entries(u.t.ID, u.last, 0)
		if len(es) > 0 {
			u.last = es[len(es)-1].Seq
			u.entries = append(u.entries, es...)
		}
		return err
	})
}

// toolset is what the task may use: its definition's tools, less what its place does not allow.
func (u *turn) toolset(names []string) []string {
	if names == nil {
		names = u.o.Tools.Names()
	}
	var out []string
	for _, n := range names {
		switch {
		case n == "task_complete" && !u.info.Autopilot:
		case core.StartsAgents(n) && u.o.MaxDepth > 0 && u.t.Depth >= u.o.MaxDepth:
		case slices.Contains(out, n):
		default:
			if _, ok := u.o.Tools.Get(n); ok {
				out = append(out, n)
			}
		}
	}
	if u.info.Autopilot && !slices.Contains(out, "task_complete") {
		out = append(out, "task_complete")
	}
	return out
}

func (u *turn) stepsSoFar() (n int) {
	for _, e := range u.entries {
		if e.Turn == u.t.Turn && e.Kind == core.EntryAnswer {
			n++
		}
	}
	return n
}

// ask makes one model call and commits its answer.
func (u *turn) ask(ctx context.Context) (core.ModelReply, error) {
	model, name, err := u.o.Model(u.t.Model)
	if err != nil {
		return core.ModelReply{}, err
	}
	req := core.ModelRequest{Model: name, System: u.system(), Messages: history(u.entries), Task: u.info}
	for _, n := range u.set {
		if tool, ok := u.o.Tools.Get(n); ok {
			req.Tools = append(req.Tools, tool.Spec())
		}
	}
	var text, reasoning strings.Builder
	began := time.Now()
	var rev int64
	reply, err := model.Stream(ctx, req, func(d core.Delta) {
		text.WriteString(d.Text)
		reasoning.WriteString(d.Reasoning)
		rev++
		u.o.Registry.SetLive(core.Live{Task: u.t.ID, Text: text.String(), Reasoning: reasoning.String(), Rev: rev})
	})
	if err != nil {
		u.text = text.String()
		if ctx.Err() != nil {
			return reply, context.Cause(ctx)
		}
		return reply, modelError(err)
	}
	e := core.Entry{
		Kind: core.EntryAnswer, Text: reply.Text, Reasoning: reply.Reasoning, Calls: reply.Calls,
		Took: u.o.Registry.Took(began), Tokens: reply.Tokens, Opaque: reply.Opaque,
	}
	step := core.Step{Entries: []core.Entry{e}, Tokens: reply.Tokens, NewStep: true}
	if len(reply.Calls) > 0 {
		step.Activity, step.Detail = core.ActTool, callNames(reply.Calls)
	}
	return reply, u.o.Registry.Append(u.t.ID, step)
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

// interrupted commits what an interrupted turn leaves: the text so far, and a
// result for every call that has none, so that the history stays sound.
func (u *turn) interrupted() error {
	if err := u.load(); err != nil {
		return err
	}
	var out []core.Entry
	for _, c := range core.Dangling(u.entries) {
		out = append(out, core.Entry{Kind: core.EntryResult, CallID: c.ID, Tool: c.Name, Failed: true, Text: interruptedByMessage})
	}
	if strings.TrimSpace(u.text) != "" {
		out = append(out, core.Entry{Kind: core.EntryAnswer, Text: u.text, Failed: true})
	}
	if len(out) == 0 {
		return nil
	}
	return u.o.Registry.Append(u.t.ID, core.Step{Entries: out})
}
