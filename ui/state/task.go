package state

import (
	"hash/maphash"
	"time"

	"drover/core"
)

// Task is what the tree keeps of a core.TaskView. There may be a hundred
// thousand of them: what many tasks have in common is in memory once.
type Task struct {
	*Kin
	*Doing
	ID, Name, Description              string
	Turn, Steps, ToolCalls             int
	TokensIn, TokensOut                int64
	Cost                               float64 // of what is Priced
	ElapsedMS                          int64
	Created, Started, Ended, LastEvent At
	ActiveSince                        At // 0 unless running: elapsed grows from here
	Rev                                int64
	Priced                             bool
}

// Kin is what a task has in common with its siblings. It is shared: nobody changes it.
type Kin struct {
	Session, Parent   string
	Agent, Model, Dir string
	Kind              core.Kind
	Mode              core.Mode
	Depth             int
}

// Doing is what a task does or how it has ended. It is shared: nobody changes it.
type Doing struct {
	Status                     core.Status
	Activity                   core.Activity
	Outcome                    core.Outcome
	Detail, Intent, Error      string
	ErrorCode                  core.Code
	EndedBy                    string
	Interrupted, NeedsApproval bool
}

// At is a moment in nanoseconds since 1970; 0 is none.
type At int64

func at(t *time.Time) At {
	if t == nil || t.IsZero() {
		return 0
	}
	return At(t.UnixNano())
}

// IsZero reports whether there is none.
func (a At) IsZero() bool { return a == 0 }

// Time is the moment; the zero time for none.
func (a At) Time() time.Time {
	if a == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(a))
}

func (a At) stamp() *time.Time {
	if a == 0 {
		return nil
	}
	t := a.Time()
	return &t
}

// shared finds what is in memory already, among what was asked for last: it
// forgets, so it never grows.
type shared struct {
	seed  maphash.Seed
	kin   [512]*Kin
	doing [512]*Doing
	texts [512]string
}

func newShared() *shared { return &shared{seed: maphash.MakeSeed()} }

func (h *shared) text(s string) string {
	if s == "" {
		return ""
	}
	slot := &h.texts[maphash.String(h.seed, s)%uint64(len(h.texts))]
	if *slot != s {
		*slot = s
	}
	return *slot
}

// pack makes what the tree keeps.
func (h *shared) pack(v *core.TaskView) Task {
	kin := Kin{
		Session: v.Session, Parent: v.Parent, Agent: v.Agent, Model: v.Model, Dir: v.Dir, Kind: v.Kind, Mode: v.Mode, Depth: v.Depth,
	}
	doing := Doing{
		Status: v.Status, Activity: v.Activity, Outcome: v.Outcome, Detail: v.Detail, Intent: v.Intent, Error: v.Error,
		ErrorCode: v.ErrorCode, EndedBy: v.EndedBy, Interrupted: v.Interrupted, NeedsApproval: v.NeedsApproval,
	}
	t := Task{
		Kin: find(h.seed, h.kin[:], &kin), Doing: find(h.seed, h.doing[:], &doing), ID: v.ID, Name: h.text(v.Name), Description: h.text(v.Description),
		Turn: v.Turn, Steps: v.Steps, ToolCalls: v.ToolCalls, TokensIn: v.TokensIn, TokensOut: v.TokensOut, ElapsedMS: v.ElapsedMS,
		Created: at(v.Created), Started: at(v.Started), Ended: at(v.Ended), LastEvent: at(v.LastEvent), ActiveSince: at(&v.ActiveSince), Rev: v.Rev,
	}
	if v.Cost != nil {
		t.Cost, t.Priced = *v.Cost, true
	}
	return t
}

func find[T comparable](seed maphash.Seed, in []*T, v *T) *T {
	slot := &in[maphash.Comparable(seed, *v)%uint64(len(in))]
	if *slot == nil || **slot != *v {
		own := *v
		*slot = &own
	}
	return *slot
}

// View is the task as it came, without what the tree does not keep.
func (t *Task) View() core.TaskView {
	v := core.TaskView{
		ID: t.ID, Session: t.Session, Parent: t.Parent, Kind: t.Kind, Agent: t.Agent, Name: t.Name, Description: t.Description,
		Status: t.Status, Activity: t.Activity, Detail: t.Detail, Interrupted: t.Interrupted, Mode: t.Mode, Model: t.Model,
		Turn: t.Turn, Steps: t.Steps, ToolCalls: t.ToolCalls, TokensIn: t.TokensIn, TokensOut: t.TokensOut, Intent: t.Intent, Depth: t.Depth,
		Created: t.Created.stamp(), Started: t.Started.stamp(), Ended: t.Ended.stamp(), LastEvent: t.LastEvent.stamp(),
		ElapsedMS: t.ElapsedMS, Error: t.Error, ErrorCode: t.ErrorCode, EndedBy: t.EndedBy, Outcome: t.Outcome, NeedsApproval: t.NeedsApproval, Dir: t.Dir, ActiveSince: t.ActiveSince.Time(), Rev: t.Rev,
	}
	if t.Priced {
		v.Cost = &t.Cost
	}
	return v
}

// Label is the task's name for people.
func (t *Task) Label() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Agent
}

// State is the one word for the task: its status, or interrupted.
func (t *Task) State() string {
	if t.Interrupted {
		return "interrupted"
	}
	return string(t.Status)
}

// ElapsedAt is the working time at now, for a screen that ticks.
func (t *Task) ElapsedAt(now time.Time) time.Duration {
	v := core.TaskView{ElapsedMS: t.ElapsedMS, ActiveSince: t.ActiveSince.Time(), Interrupted: t.Interrupted}
	return v.ElapsedAt(now)
}

// Look is how the task is shown.
func (t *Task) Look() Look { return lookOf(t.Status, t.Activity, t.Interrupted, t.NeedsApproval) }
