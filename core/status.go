package core

import "fmt"

// Status is where a task stands in its life. Nothing else is a status: what a
// running task is doing is its Activity (DESIGN section 3).
type Status string

const (
	// Running: entered by a start or by a message to an idle task; left when the turn is answered or ended.
	Running Status = "running"
	// Idle: entered when a turn has been answered; left by a message, or ended. Holds no slot, costs no memory.
	Idle Status = "idle"
	// Completed: entered when the task's owner ends it in success. Final.
	Completed Status = "completed"
	// Failed: entered when a turn, or the session, ends in an error or at a limit. Final.
	Failed Status = "failed"
	// Cancelled: entered when a person or an ancestor stops it. Final.
	Cancelled Status = "cancelled"
)

// Statuses lists every status, in the order of a life.
var Statuses = []Status{Running, Idle, Completed, Failed, Cancelled}

// Terminal reports whether the status is final.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Op is something that may be done to a task.
type Op string

const (
	OpMessage  Op = "message"  // a message opens a turn, or joins the one that runs
	OpAnswer   Op = "answer"   // the turn is answered
	OpComplete Op = "complete" // the task is over, in success
	OpFail     Op = "fail"     // the turn ended in an error or at a limit
	OpCancel   Op = "cancel"   // somebody stops it
	OpPromote  Op = "promote"  // a sync child goes to the background
	OpResume   Op = "resume"   // an interrupted task is taken up again
	OpProgress Op = "progress" // a step, an activity, a counter
	OpRemove   Op = "remove"   // the ended task is taken out of sight
)

// Ops lists every operation.
var Ops = []Op{OpMessage, OpAnswer, OpComplete, OpFail, OpCancel, OpPromote, OpResume, OpProgress, OpRemove}

// Next decides: the status after op, or an error that says why op cannot be
// done. It is pure; Registry.apply is the only place that acts on it.
//
//	           message  answer  complete   fail    cancel     promote  resume   progress  remove
//	running    running  idle    completed  failed  cancelled  running  running  running   -
//	idle       running  -       completed  failed  cancelled  -        -        -         -
//	terminal   -        -       -          -       -          -        -        -         same
func Next(s Status, op Op) (Status, error) {
	switch {
	case s == Running:
		switch op {
		case OpMessage, OpPromote, OpResume, OpProgress:
			return Running, nil
		case OpAnswer:
			return Idle, nil
		case OpComplete:
			return Completed, nil
		case OpFail:
			return Failed, nil
		case OpCancel:
			return Cancelled, nil
		}
	case s == Idle:
		switch op {
		case OpMessage:
			return Running, nil
		case OpComplete:
			return Completed, nil
		case OpFail: // its last turn ended at a limit, and the session is over
			return Failed, nil
		case OpCancel:
			return Cancelled, nil
		}
	case s.Terminal() && op == OpRemove:
		return s, nil
	}
	return s, refusal(s, op)
}

func refusal(s Status, op Op) error {
	e := &Error{Code: CodeWrongStatus, Message: fmt.Sprintf("the task is %s: %s is not possible", s, op)}
	switch {
	case s.Terminal() && op == OpMessage:
		e.Code, e.Hint = CodeEnded, "an ended task takes no message; start a new one with: drover run PROMPT"
	case s.Terminal():
		e.Code, e.Message = CodeEnded, fmt.Sprintf("the task has already ended (%s)", s)
	case op == OpRemove:
		e.Hint = "cancel it first"
	case s == Idle && op == OpPromote:
		e.Message, e.Hint = "the task is idle: nobody waits for it, so there is nothing to move to the background", "send it a message instead"
	case s == Idle && op == OpResume:
		e.Message, e.Hint = "the task is idle: nothing was interrupted", "send it a message to start its next turn"
	}
	return e
}

// Activity is what a running task is doing.
type Activity string

const (
	ActNone       Activity = ""
	ActQueued     Activity = "queued"     // waits for a slot
	ActModel      Activity = "model"      // the model answers
	ActTool       Activity = "tool"       // a tool runs
	ActApproval   Activity = "approval"   // a person is asked
	ActParked     Activity = "parked"     // the provider's rate limit, until a time
	ActChildren   Activity = "children"   // waits for its children
	ActHook       Activity = "hook"       // a person's own command runs
	ActCompacting Activity = "compacting" // a long history is shortened
)

// Kind says what performs a task.
type Kind string

const (
	KindMain   Kind = "main"   // the root of a session
	KindAgent  Kind = "agent"  // a subagent of the local loop
	KindShell  Kind = "shell"  // a command
	KindMCP    Kind = "mcp"    // a task of an MCP server
	KindRemote Kind = "remote" // an agent elsewhere, over ACP or A2A
)

// Mode says whether somebody waits inside a tool call for the task.
type Mode string

const (
	Sync       Mode = "sync"
	Background Mode = "background"
)

// Outcome is what task_complete declared.
type Outcome string

const (
	OutcomeDone       Outcome = "done"
	OutcomeBlocked    Outcome = "blocked"
	OutcomeNeedsInput Outcome = "needs_input"
)
