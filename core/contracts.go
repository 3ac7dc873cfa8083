package core

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Durability says what a commit survives.
type Durability int

const (
	// Progress survives a crash of the process, not necessarily one of the machine.
	Progress Durability = iota
	// Acknowledged survives both: a person's request, a terminal change.
	Acknowledged
)

// Store keeps the registry. Every implementation passes coretest.TestStore.
type Store interface {
	// Update runs fn in one write transaction, serialised against every other
	// writer of every process. An error of fn rolls all of it back and is
	// returned as it is. fn must not call the Store. After the commit every
	// Watch of every process is nudged.
	Update(ctx context.Context, d Durability, fn func(Tx) error) error
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// Watch returns a channel that receives (never blocking the writer, merged
	// when not yet read) after commits by anybody, and is closed when ctx ends.
	// A receive means "something may have changed": read what is newer.
	Watch(ctx context.Context) <-chan struct{}
	Close() error
}

// TaskFilter selects tasks. The zero value selects all.
type TaskFilter struct {
	Session  string
	Sessions []string // nil: all
	IDs      []string
	Live     bool // running or idle only
	Limit    int  // 0: no limit
}

// Rollup sums up the tasks of a session without its main task.
type Rollup struct {
	Session             string
	Tasks               int
	Running, Idle       int
	Failed              int // the others are completed or cancelled
	TokensIn, TokensOut int64
	Cost                float64 // of those whose price is known
	Unpriced            int     // the others
}

// RequestFilter selects requests. The zero value selects all.
type RequestFilter struct {
	Session string
	Task    string
	IDs     []int64
	States  []RequestState
	Kinds   []RequestKind
	Limit   int // newest first when set, else oldest first
}

// EventFilter selects events with Seq > After, oldest first; with Last set,
// the newest Last of them, still oldest first.
type EventFilter struct {
	After   int64
	Session string
	Task    string
	Kinds   []EventKind
	Notable bool
	Limit   int
	Last    int
}

// ApprovalFilter selects approvals. The zero value selects all.
type ApprovalFilter struct {
	Session string
	Task    string
	IDs     []int64
	States  []ApprovalState
}

// Reader reads one snapshot. A missing row is a *Error with CodeNotFound.
type Reader interface {
	Session(id string) (Session, error)
	// Sessions are newest first (by Updated); limit 0 means all.
	Sessions(limit int) ([]Session, error)
	Task(id string) (Task, error)
	// Tasks come in order of creation, so parents come before children.
	Tasks(f TaskFilter) ([]Task, error)
	// Sizes tells how many tasks each of these sessions has, its main task among them.
	Sizes(sessions []string) (map[string]int, error)
	// Rollups sums up these sessions; one without a task beside its main task is left out.
	Rollups(sessions []string) ([]Rollup, error)
	// TaskIDs returns up to limit task IDs that begin with prefix, in order.
	TaskIDs(prefix string, limit int) ([]string, error)
	Spec(task string) (Spec, error)
	// Turns with N > after, oldest first.
	Turns(task string, after int) ([]Turn, error)
	// Entries with Seq > after, oldest first; limit 0 means all.
	Entries(task string, after int64, limit int) ([]Entry, error)
	// Tail returns the last n entries before seq before (0: the end), oldest first.
	Tail(task string, before int64, n int) ([]Entry, error)
	Requests(f RequestFilter) ([]Request, error)
	Events(f EventFilter) ([]Event, error)
	LastSeq() (int64, error)
	Approvals(f ApprovalFilter) ([]Approval, error)
	Todos(session string) ([]Todo, error)
	// Usage adds up by one of UsageGroups, or "": everything, in one group.
	Usage(by string) ([]UsageSum, error)
	// Facts whose key begins with prefix.
	Facts(prefix string) (map[string]string, error)
	// Search finds words in transcripts, the newest hit first. Where the index is not
	// there (it is not built in), indexed is false: all transcripts were read instead.
	Search(q Search) (hits []Hit, indexed bool, err error)
	// LiveTexts of those of the tasks that have one; nil means all.
	LiveTexts(tasks []string) ([]Live, error)
}

// Tx reads and writes in one transaction.
type Tx interface {
	Reader
	InsertSession(Session) error
	UpdateSession(Session) error
	InsertTask(Task, Spec) error
	// UpdateTask writes t where the row's revision is still t.Rev, and returns
	// the new revision. Otherwise CodeConflict.
	UpdateTask(t Task) (rev int64, err error)
	DeleteTask(id string) error
	// AddUsage counts what one call of a model has used, on the day of at.
	AddUsage(task, model string, at time.Time, t Tokens) error
	PutTurn(Turn) error
	// EndTurn completes a turn's row: response, what was handed in and the time.
	// ToolCalls are those of the task so far; the row keeps those since it began.
	EndTurn(Turn) error
	// AppendEntry gives the entry the next Seq of its task, unless it has one, and returns it.
	AppendEntry(Entry) (seq int64, err error)
	InsertRequest(Request) (id int64, err error)
	// UpdateRequest writes r where the row's state is still from. Otherwise CodeConflict.
	UpdateRequest(r Request, from RequestState) error
	// FinishRequests makes queued requests done, in that turn. CodeConflict where one is not queued any more.
	FinishRequests(ids []int64, turn int, at time.Time) error
	AppendEvent(Event) (seq int64, err error)
	InsertApproval(Approval) (id int64, err error)
	// UpdateApproval writes a where the row is still pending. Otherwise CodeConflict.
	UpdateApproval(Approval) error
	PutTodos(session string, todos []Todo) error
	// PutFact sets what a person has decided once; an empty value removes it.
	PutFact(key, value string) error
	// Index takes up to max more transcript rows into the index that Search asks,
	// and tells whether there are more.
	Index(max int) (more bool, err error)
	// Prune looks at the next span events, going round, and removes those that
	// only tell of progress (activity, steps, intent), are older than before, and
	// belong to a session in which nothing runs or has changed since. It tells how many.
	Prune(before time.Time, span int) (int, error)
	// PutLive replaces the task's live text; an empty Text and Reasoning removes it.
	PutLive(Live) error
}

// Role of a message to a model.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a model call, in drover's own shape; provider
// types are converted at the edge and never stored.
type Message struct {
	Role      Role
	Text      string
	Reasoning string
	Calls     []ToolCall      // of an assistant
	CallID    string          // of a tool's result
	Tool      string          // of a tool's result
	Failed    bool            // of a tool's result
	Sender    string          // of a user's message: who wrote it
	Opaque    json.RawMessage // of an assistant: what the provider wants back unchanged
}

// ToolCall is a model's wish to run a tool. Args is a JSON object, or whatever the model wrote.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ModelRequest is one call of a model.
type ModelRequest struct {
	Model    string // the provider's own name of the model
	System   string
	Messages []Message
	Tools    []ToolSpec
	Task     TaskInfo // who asks; providers may ignore it
	// Force names the tool that the answer must call, where the provider can
	// be told; "" lets the model choose.
	Force       string
	Temperature *float64
	Effort      string // one of Efforts; "": the provider's default
	// Wait waits until a call may be made again, instead of a timer: it shows
	// the wait, and gives the task's slot back at a rate limit. What has been
	// streamed before is void: the answer begins anew. It returns early, with
	// the cause, when ctx ends. Nil: a timer, and an answer that has begun to
	// stream is not asked for again.
	Wait func(ctx context.Context, w ModelWait) error
}

// ModelWait is a wait before a model call is made again.
type ModelWait struct {
	Parked bool // at a rate limit: the task holds no slot meanwhile
	Try    int  // which try failed; the first is 1, 0 where another task met the limit
	Most   int  // how many there will be
	Why    string
	Until  time.Time
}

// TaskInfo is what a model or a tool may know of the task it works for.
type TaskInfo struct {
	Session   string
	Task      string
	Kind      Kind
	Agent     string
	Dir       string
	Depth     int
	Autopilot bool
	ReadOnly  bool // its processes are read-only to the kernel too
	Pace      bool // stream at a pace a person can follow
}

// Delta is a piece of an answer as it arrives.
type Delta struct {
	Text      string
	Reasoning string
}

// ModelReply is a whole answer. Calls is empty when the model is done.
type ModelReply struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
	Tokens    Tokens
	Stop      string // the provider's reason, for the log
	Opaque    json.RawMessage
}

// Model answers. Stream calls on (never concurrently, never after it has
// returned) with what arrives and returns the whole; it ends at once when ctx
// does. A failure is a *Error (CodeModel where nothing better is known).
type Model interface {
	Stream(ctx context.Context, req ModelRequest, on func(Delta)) (ModelReply, error)
}

// Effect says what a tool does to the world.
type Effect int

const (
	Reads   Effect = iota // changes nothing: never needs approval
	Writes                // changes files: needs approval
	Runs                  // starts processes: needs approval
	Steers                // acts on drover's own tasks and notes: never needs approval
	Reaches               // talks to a server elsewhere: needs approval, host by host
)

// ToolSpec describes a tool to a model and to the engine.
type ToolSpec struct {
	Name        string
	Description string          // Markdown, for the model
	Schema      json.RawMessage // JSON Schema of the arguments
	Effect      Effect
	// Again: a call that may have run before a crash is simply made again.
	// Otherwise it is answered to the model as interrupted.
	Again bool
	// Hidden: not among "all tools"; an agent has it only where its list names it.
	Hidden bool
}

// ToolEnv is what a tool call may know and do.
type ToolEnv struct {
	TaskInfo
	CallID  string
	Scratch string // an existing directory for spilled output, of this session
	// Waiting tells the engine that the call waits (for children, a person)
	// and holds no slot until the returned function is called.
	Waiting func(a Activity, detail string) (done func() error, err error)
	// Rank is the place of the call among those of its step that start agents;
	// nil: it is the only one.
	Rank *Rank
	// Intent tells what the agent is doing, in a few words.
	Intent func(string) error
	// Masked takes secrets out of what is written to a file; nil: nothing is.
	Masked func(io.Writer) io.WriteCloser
	// Output shows output of a long call while it runs.
	Output func(string)
}

// ToolResult is what a call gave. Text goes to the model, already capped;
// Full names the file with all of it where it was cut. Failed marks an error
// the model should read and act on.
type ToolResult struct {
	Text   string
	Failed bool
	Full   string
	// End ends the turn with Text as its answer (an accepted task_complete).
	End bool
}

// Tool is one thing an agent can do. Run returns an error only for a fault of
// drover itself or the end of ctx; what the model should know is a Failed result.
type Tool interface {
	Spec() ToolSpec
	// Subject is the one line of args that matters: the path, the command.
	Subject(args json.RawMessage) string
	Run(ctx context.Context, env ToolEnv, args json.RawMessage) (ToolResult, error)
}

// Answer is how a turn ended. Beside an error it is what there was by then.
type Answer struct {
	Text string
	Handed
}

// Runner performs one turn of a task and returns; waiting between turns is the
// registry's. ctx ends when the turn must stop, with the cause: ErrCancelled,
// ErrInterrupted or ErrClosing. The transcript as committed is all it has.
// An interrupted turn returns the text it had beside the error.
type Runner interface {
	Turn(ctx context.Context, w *Work, t Task) (Answer, error)
}
