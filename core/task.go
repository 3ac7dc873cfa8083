package core

import (
	"encoding/json"
	"time"
)

// Session is a tree of tasks; its root is the main task, which has the session's ID.
type Session struct {
	ID           string   `json:"id"`
	Dir          string   `json:"dir"`   // absolute working directory of every task in it
	Title        string   `json:"title"` // the first line of its first prompt
	Agent        string   `json:"agent"` // definition of the main task
	Model        string   `json:"model"` // "provider/model"
	Autopilot    bool     `json:"autopilot"`
	AllowAll     bool     `json:"allow_all"`     // no tool call needs approval
	Rules        []string `json:"rules"`         // tool calls that need none: "tool" or "tool(glob)"
	MaxContinues int      `json:"max_continues"` // autopilot's continuations before it stops
	Continues    int      `json:"continues"`     // used since the last message of a person
	Plan         bool     `json:"plan"`          // it only plans: no agent of it has a tool that changes anything
	Pace         bool     `json:"pace"`          // the offline model streams at a pace a person can follow
	// Limits of the whole session, beside those of the settings and of each agent.
	Limits  SessionLimits   `json:"limits,omitzero"`
	Output  json.RawMessage `json:"output_schema,omitzero"` // what a subagent's result must fit where neither agent nor call says
	Created time.Time       `json:"created,omitzero"`
	Updated time.Time       `json:"updated,omitzero"`
}

// SessionLimits hold for a session beside those of the settings and of each
// agent: turns and time for each turn of each task, budgets and an end for all
// tasks together. Zero means none of its own.
type SessionLimits struct {
	MaxTurns int           `json:"max_turns,omitempty"`
	Timeout  time.Duration `json:"timeout_ns,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	Cost     float64       `json:"cost_usd,omitempty"`
	Until    int64         `json:"until_ms,omitempty"` // Unix milliseconds at which every turn of every task has reached its limit
	Slots    int           `json:"slots,omitempty"`    // tasks that work at once, where a person has changed it
}

// Task is one run of an agent: a row of the registry. Rev grows by one with
// every change; a change names the revision it saw.
type Task struct {
	ID          string
	Session     string
	Parent      string // "" for the main task
	Kind        Kind
	Agent       string
	Name        string // short, for people; addresses the task where it is unique in its session
	Description string
	Depth       int // 0 for main
	Mode        Mode
	Model       string
	CallID      string // the parent's tool call that started it
	Created     time.Time
	Rev         int64
	State
	Usage
	Times
	Ending
}

// State is what a task is at this moment.
type State struct {
	Status   Status
	Activity Activity
	Detail   string // of the activity: the tool's name, who is waited for, until when
	Intent   string // what the agent says it is doing
	Turn     int    // the turn that runs, or the last one; 1 is the first
	Opener   string // who opened that turn: a sender
}

// Usage counts what a task (not its subtree) has used.
type Usage struct {
	Steps        int
	ToolCalls    int
	TokensIn     int64
	TokensOut    int64
	TokensCached int64
	Cost         float64 // US dollars; meaningful only while CostKnown
	CostKnown    bool
}

// Times of a task. A zero time means "not yet".
type Times struct {
	Started     time.Time     // first turn began
	ActiveSince time.Time     // the running turn began
	Active      time.Duration // time in finished turns; idle time does not count
	LastEvent   time.Time
	Ended       time.Time
}

// Ending says how a task ended, or what it last declared.
type Ending struct {
	ErrorCode Code
	Error     string
	Outcome   Outcome // of an accepted task_complete
	Summary   string
	NotDone   []string
	EndedBy   string // a sender
}

// Elapsed is the time the task has worked, without its idle time.
func (t *Task) Elapsed(now time.Time) time.Duration {
	d := t.Active
	if t.Status == Running && !t.ActiveSince.IsZero() {
		d += now.Sub(t.ActiveSince)
	}
	return max(d, 0)
}

// Label is the task's name for people: its name, else its agent.
func (t *Task) Label() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Agent
}

// Spec is what a task was started with and never changes: too large for the hot row.
type Spec struct {
	Prompt string          `json:"prompt"`          // the first message
	System string          `json:"system"`          // the agent's system prompt
	Tools  []string        `json:"tools"`           // names of the tools the model is shown; nil means every tool
	Output json.RawMessage `json:"output,omitzero"` // JSON Schema the result must fit, or nil
	Agent  json.RawMessage `json:"agent,omitzero"`  // the definition as found, for show
}

// Turn is one message answered.
type Turn struct {
	Task      string    `json:"task"`
	N         int       `json:"n"` // 1 is the first
	Prompt    string    `json:"prompt"`
	Sender    string    `json:"sender"`
	Response  string    `json:"response"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"` // zero while it runs
	ToolCalls int       `json:"tool_calls"`     // in the turn; while it runs, those of the task before it
	Handed
}

// Handed is what a turn handed in, beside its response.
type Handed struct {
	Result  json.RawMessage `json:"result,omitzero"` // fits the schema, where one was asked for
	Full    string          `json:"full,omitzero"`   // path of the whole response where it was cut, or ""
	Partial bool            `json:"partial"`         // the turn was stopped: the response is what there was by then
	Code    Code            `json:"code,omitzero"`   // why it was stopped, cut or salvaged
}

// Senders that are not a task's ID.
const (
	SenderUser      = "user"
	SenderAutopilot = "autopilot"
	SenderSystem    = "system"
	SenderHook      = "hook"
)

// EntryKind is what a row of a transcript is.
type EntryKind string

const (
	EntryMessage EntryKind = "message" // somebody's words to the task (Sender, Delivery)
	EntryNotice  EntryKind = "notice"  // the engine tells of children: goes to the model as a message
	EntryAnswer  EntryKind = "answer"  // the model's reply: Text, Reasoning, Calls, Tokens
	EntryCall    EntryKind = "call"    // the tool call CallID begins, Text is its subject: from here on it may have run
	EntryResult  EntryKind = "result"  // what the tool call CallID gave
	EntrySummary EntryKind = "summary" // stands, for the model, for the entries up to Upto
	EntryNote    EntryKind = "note"    // for people only; the model never sees it
)

// Entry is one row of a task's transcript. A step is one EntryAnswer with the
// EntryCalls and EntryResults it asked for. Seq counts from 1 in each task.
type Entry struct {
	Task      string          `json:"task,omitzero"`
	Seq       int64           `json:"seq"`
	Turn      int             `json:"turn"`
	Step      int             `json:"step"`
	Kind      EntryKind       `json:"kind"`
	At        time.Time       `json:"at,omitzero"`
	Sender    string          `json:"sender,omitzero"`
	Delivery  Delivery        `json:"delivery,omitzero"`
	Text      string          `json:"text,omitzero"`
	Reasoning string          `json:"reasoning,omitzero"`
	Calls     []ToolCall      `json:"calls,omitzero"`
	CallID    string          `json:"call_id,omitzero"`
	Tool      string          `json:"tool,omitzero"`
	Failed    bool            `json:"failed,omitzero"`  // the result is an error, the answer was cut off
	Took      time.Duration   `json:"took_ns,omitzero"` // of a call or a model call
	Full      string          `json:"full,omitzero"`    // path of the file with the untruncated text, or ""
	Tokens    Tokens          `json:"tokens,omitzero"`
	Opaque    json.RawMessage `json:"opaque,omitzero"` // what the provider wants back unchanged
	Upto      int64           `json:"upto,omitzero"`   // of a summary: the last entry it stands for
}

// Tokens of one model call.
type Tokens struct {
	In        int64   `json:"in"`
	Out       int64   `json:"out"`
	Cached    int64   `json:"cached"`
	Cost      float64 `json:"cost"`
	CostKnown bool    `json:"cost_known"`
}

// RequestKind is what is wanted of a task.
type RequestKind string

const (
	ReqMessage   RequestKind = "message"   // Text to the task, by Delivery
	ReqNotice    RequestKind = "notice"    // the engine's news of a child, to its parent
	ReqCancel    RequestKind = "cancel"    // Scope
	ReqPromote   RequestKind = "promote"   //
	ReqApprove   RequestKind = "approve"   // Ref is the approval, Scope "always" adds a rule
	ReqDeny      RequestKind = "deny"      // Ref is the approval, Text the reason
	ReqResume    RequestKind = "resume"    //
	ReqAutopilot RequestKind = "autopilot" // Text is "on" or "off"
	ReqSlots     RequestKind = "slots"     // Text is how many tasks of the session work at once
	ReqModel     RequestKind = "model"     // Text is what the session's main agent runs on from its next turn
	ReqEnd       RequestKind = "end"       // the person closes the task: completed
)

// Delivery says when a message reaches its task.
type Delivery string

const (
	Queue     Delivery = "queue"     // after this turn
	Steer     Delivery = "steer"     // after the current tool call
	Interrupt Delivery = "interrupt" // now: the turn is cut short
	Quiet     Delivery = "quiet"     // a notice that does not wake an idle parent
)

// RequestState is how far a request has come.
type RequestState string

const (
	ReqQueued    RequestState = "queued"
	ReqDelivered RequestState = "delivered" // the task has it
	ReqDone      RequestState = "done"
	ReqRefused   RequestState = "refused" // Outcome says why
	ReqWithdrawn RequestState = "withdrawn"
)

// Scopes of a cancel, and of an approval.
const (
	ScopeTree   = "tree"   // the task and everything under it
	ScopeOnly   = "only"   // the task; its children go on
	ScopeOnce   = "once"   // this call
	ScopeAlways = "always" // this call, and a rule for the session
)

// Request is something a person or an agent wants of a task: a durable row.
type Request struct {
	ID        int64        `json:"id"` // shown as r<ID>
	Session   string       `json:"session"`
	Task      string       `json:"task"`
	Kind      RequestKind  `json:"kind"`
	Text      string       `json:"text"`
	Delivery  Delivery     `json:"delivery,omitzero"`
	Scope     string       `json:"scope"`
	Ref       string       `json:"ref"` // approval ID, or the child a notice is about
	Sender    string       `json:"sender"`
	State     RequestState `json:"state"`
	Outcome   string       `json:"outcome"` // the reason of a refusal, the receipt of a cancel as JSON
	Turn      int          `json:"turn"`    // the turn that took it
	Created   time.Time    `json:"created,omitzero"`
	Delivered time.Time    `json:"delivered,omitzero"`
	Done      time.Time    `json:"done,omitzero"`
}

// EventKind names a row of the timeline.
type EventKind string

const (
	EvSessionStart EventKind = "session.start"
	EvSessionIdle  EventKind = "session.idle"          // nothing runs, nothing is queued
	EvTaskComplete EventKind = "session.task_complete" // a completion
	EvRefused      EventKind = "session.completion_refused"
	EvContinue     EventKind = "autopilot.continue"
	EvAutoStop     EventKind = "autopilot.stopped"
	EvAutopilot    EventKind = "autopilot.set"
	EvStart        EventKind = "task.start"
	EvIdle         EventKind = "task.idle" // a turn was answered
	EvTurn         EventKind = "task.turn" // another turn began
	EvCompleted    EventKind = "task.completed"
	EvFailed       EventKind = "task.failed"
	EvCancelled    EventKind = "task.cancelled"
	EvPromoted     EventKind = "task.promoted"
	EvResumed      EventKind = "task.resumed"
	EvActivity     EventKind = "task.activity" // progress
	EvStep         EventKind = "task.step"     // progress: transcript rows were added
	EvIntent       EventKind = "task.intent"   // progress
	EvRequest      EventKind = "request"       // a request was made or changed its state
	EvApproval     EventKind = "approval"      // asked
	EvApproved     EventKind = "approval.allowed"
	EvDenied       EventKind = "approval.denied"
	EvTodos        EventKind = "todos"
	EvReview       EventKind = "review"         // a person reviewed, snoozed or archived the completion Ref
	EvRetry        EventKind = "task.retry"     // a model call failed and is made again
	EvParked       EventKind = "task.parked"    // at a rate limit, until a time
	EvUnparked     EventKind = "task.unparked"  //
	EvLimit        EventKind = "task.limit"     // a limit was reached, or a budget is near
	EvResult       EventKind = "task.result"    // handed in, refused by its schema, salvaged, cut
	EvCompacted    EventKind = "task.compacted" // a long history was shortened for the model
	EvModel        EventKind = "task.model"     // it runs on another model than was asked for
	EvHook         EventKind = "hook"           // a person's command ran, blocked or broke
	EvToolRefused  EventKind = "tool.refused"   // a call outside the agent's set
	EvSlots        EventKind = "session.slots"  // how many tasks work at once was changed
	EvNotify       EventKind = "notify"         // an agent tells of its progress
)

// Event is one row of a session's timeline. Seq grows in the order of commits
// over the whole registry, so a reader that has seen Seq asks for what is newer.
type Event struct {
	Seq     int64     `json:"seq"`
	Session string    `json:"session"`
	Task    string    `json:"task"`
	At      time.Time `json:"at,omitzero"`
	Kind    EventKind `json:"kind"`
	Notable bool      `json:"notable"` // belongs in the timeline a person reads; progress does not
	Text    string    `json:"text"`    // in plain words
	Ref     string    `json:"ref"`     // request, approval or child it is about
}

// ApprovalState is how far an approval has come. It never expires by itself.
type ApprovalState string

const (
	AppPending ApprovalState = "pending"
	AppAllowed ApprovalState = "allowed"
	AppDenied  ApprovalState = "denied"
	AppGone    ApprovalState = "gone" // its task was stopped before an answer
)

// Approval asks a person whether one tool call may run.
type Approval struct {
	ID      int64           `json:"id"` // shown as a<ID>
	Session string          `json:"session"`
	Task    string          `json:"task"`
	CallID  string          `json:"call_id"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args,omitzero"` // exactly what would run
	Subject string          `json:"subject"`       // the one line that matters: the command, the path
	State   ApprovalState   `json:"state"`
	Scope   string          `json:"scope"`  // once or always
	Reason  string          `json:"reason"` // of a denial
	By      string          `json:"by"`
	Created time.Time       `json:"created,omitzero"`
	Decided time.Time       `json:"decided,omitzero"`
}

// Todo is one line of a session's plan. Completion is refused while one is open.
type Todo struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"` // pending, in_progress, done, blocked
}

// Open reports whether the todo still stands in the way of completion.
func (t Todo) Open() bool { return t.Status == "pending" || t.Status == "in_progress" }

// Live is the part of a model's answer that has arrived so far; it is gone when the answer is committed.
type Live struct {
	Task      string
	Text      string
	Reasoning string
	Rev       int64
}
