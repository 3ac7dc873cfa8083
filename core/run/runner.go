package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

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
	// Denied reports whether an agent's permissions deny it a call; nil: none does.
	Denied func(all []core.Permission, t core.Tool, args json.RawMessage, dir string) bool
	// Policy tells a model that may start agents whom there is and when to; nil: nothing.
	Policy func(ctx context.Context, agent core.Agent, dir string) (string, error)
	// Schema compiles a JSON Schema into a check that lists what is wrong with a value.
	Schema func(raw json.RawMessage) (func(json.RawMessage) []string, error)
	// Mask takes secrets out of what tools and models have said; nil: nothing is.
	Mask func(string) string
	// Masked does the same on the way into a file; nil: nothing is.
	Masked func(io.Writer) io.WriteCloser
	// Window is how many tokens a model takes at once; nil or 0: not known.
	Window func(model string) int64
	Hooks  core.Hooks // a person's own commands; nil: none
	Limits Limits
	Effort string // of agents that say nothing of it (see core.Efforts); "": the provider's
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
	if o.Denied == nil {
		o.Denied = func([]core.Permission, core.Tool, json.RawMessage, string) bool { return false }
	}
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	return &Runner{o}
}

// turn is one turn at work.
type turn struct {
	*Runner
	w       *core.Work
	session core.Session // as the turn began
	above   []core.Task  // the task, its parent, and so on up to main
	t       core.Task
	info    core.TaskInfo
	spec    core.Spec
	agent   core.Agent // as the task was started with
	policy  string
	set     []string // names of the tools the task has
	// described are the tools as the model was told of them last, describes their names.
	described []core.ToolSpec
	describes []string
	entries   []core.Entry
	last      int64  // seq of the last entry read
	text      string // what had arrived of an answer that was cut off
	limits    limits
	clock     *clock
	just      map[string]bool // calls that have begun with the commit of their answer
	held      *held           // the step at work, as long as its answer may not be committed
	// delivered says that what waited for this step's boundary came with the last
	// result of the step before, or with the beginning of the turn's work.
	delivered bool
	warned    map[string]bool // budgets that were told to be nearly used up
	graced    bool            // there is no grace turn any more
	handing   sync.Mutex      // of result: two calls of one step may hand in
	result    *result         // nil: the answer is the result
	digest    bool            // compaction by a model has failed: the next is without one
	parked    bool            // it waited for a rate limit, and no model has answered since
}

// Turn performs the running turn of t (see core.Runner).
func (r *Runner) Turn(ctx context.Context, w *core.Work, t core.Task) (core.Answer, error) {
	s := r.o.Registry.Session()
	u := &turn{Runner: r, w: w, t: t, session: s, delivered: true, warned: map[string]bool{}, info: core.TaskInfo{
		Session: s.ID, Task: t.ID, Kind: t.Kind, Agent: t.Agent, Dir: s.Dir, Depth: t.Depth,
		Autopilot: s.Autopilot && t.Kind == core.KindMain, Pace: s.Pace,
	}}
	if err := u.prepare(ctx); err != nil {
		return core.Answer{}, err
	}
	timed, stop := u.timed(ctx)
	answer, err := u.run(timed)
	stop()
	if limit := limitOf(ctx, timed, err); limit != nil {
		answer, err = u.grace(ctx, limit)
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, u.stopped(ctx, limit))
		}
	}
	if err != nil && context.Cause(ctx) == core.ErrInterrupted {
		if ierr := u.cutShort(interruptedByMessage); ierr != nil {
			return answer, ierr
		}
		answer.Text = u.text
	}
	return u.bounded(answer), err
}

// prepare reads what the task was started with.
func (u *turn) prepare(ctx context.Context) error {
	for id := u.t.ID; id != ""; {
		t, err := u.o.Registry.Task(id)
		if err != nil {
			return err
		}
		u.above = append(u.above, t)
		id = t.Parent
	}
	if err := u.begin(); err != nil {
		return err
	}
	if err := u.load(); err != nil {
		return err
	}
	if wantsResult(u.spec) {
		var err error
		if u.result, err = u.o.newResult(u.spec.Output); err != nil {
			return err
		}
		u.set = append(slices.DeleteFunc(u.set, isResult), ResultTool)
	}
	if u.o.Policy == nil || !slices.ContainsFunc(u.set, core.StartsAgents) {
		return nil
	}
	var err error
	u.policy, err = u.o.Policy(ctx, u.agent, u.info.Dir)
	return err
}

// load reads the entries that are newer than those it has.
func (u *turn) load() error {
	es, err := u.o.Registry.EntriesAfter(u.t.ID, u.last)
	if len(es) > 0 {
		u.last = es[len(es)-1].Seq
		u.entries = append(u.entries, es...)
	}
	return err
}

// begin reads what never changes.
func (u *turn) begin() error {
	o, err := u.o.Registry.Origin(u.t.ID)
	if err != nil {
		return err
	}
	u.spec, u.agent = o.Spec, o.Agent
	u.info.ReadOnly = u.agent.ReadOnly
	u.set = u.toolset(u.spec.Tools)
	u.limits = u.o.figure(u.t, u.agent.Limits, u.session.Limits)
	return u.findBudgets()
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

func isResult(name string) bool { return slices.Contains(resultNames, name) }
