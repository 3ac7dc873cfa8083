package core

import (
	"context"
	"time"
)

// HookPoint is a moment at which a person's own commands run
// (agent-and-task-orchestration, "Hooks around agent orchestration").
type HookPoint string

// The moments there are, spelled as hook files spell them.
const (
	HookSubagentStart HookPoint = "subagentStart" // before a subagent's first turn; may add context
	HookSubagentStop  HookPoint = "subagentStop"  // a subagent would end its turn; may block with a reason
	HookAgentStop     HookPoint = "agentStop"     // the main agent would end its turn; may block with a reason
	HookTaskComplete  HookPoint = "taskComplete"  // a completion was recorded
	HookNotification  HookPoint = "notification"  // a person is needed, or something has ended
)

// HookEvent is what a hook is told. Empty fields do not apply to its point.
type HookEvent struct {
	Point       HookPoint
	Session     string
	Task        string
	Parent      string
	Kind        Kind
	Agent       string // matchers are matched with it
	DisplayName string
	Description string
	Dir         string
	// Transcript writes the task's transcript as JSON lines and returns its
	// path; it is asked only where a command will run. Nil: there is none.
	Transcript func() (string, error)
	StopReason string // of a stop: end_turn, or a Code
	Response   string // of a stop: the answer
	Active     bool   // of a stop: a hook has blocked this turn before
	Outcome    Outcome
	Summary    string
	NotDone    []string
	Topic      string // of a notification: approval, idle, completed, failed
	Message    string // of a notification
}

// HookRun is one command that ran, for the timeline.
type HookRun struct {
	Name     string // the file and the place in it, or the setting
	Took     time.Duration
	Problem  string // it broke: why; "" where it did not
	Required bool
}

// HookOutcome is what all commands of a point have said.
type HookOutcome struct {
	Context string // to be put before the prompt
	Block   bool
	Reason  string // of a block: becomes the next message to the agent
	Ran     []HookRun
}

// Hooks runs a person's commands. Run returns an error only where a required
// one broke (CodeHookFailed) or ctx ended; every other fault is in Ran.
type Hooks interface {
	Run(ctx context.Context, e HookEvent) (HookOutcome, error)
}
