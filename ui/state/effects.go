package state

import (
	"time"

	"drover/core"
)

// Effect is something a person wants done outside the State. Effects are plain
// values; whoever runs them reports with State.Done.
type Effect interface{ effect() }

type (
	// Send gives a task a message.
	Send struct {
		Task     string
		Text     string
		Delivery core.Delivery
	}
	// Cancel stops a task: core.ScopeTree or core.ScopeOnly.
	Cancel struct{ Task, Scope string }
	// Promote moves a task whose parent waits for it to the background.
	Promote struct{ Task string }
	// Approve allows a tool call: core.ScopeOnce or core.ScopeAlways.
	Approve struct {
		Task     string
		Approval int64
		Scope    string
	}
	// Deny refuses a tool call; the agent is told the reason.
	Deny struct {
		Task     string
		Approval int64
		Reason   string
	}
	// Resume takes an interrupted task up again.
	Resume struct{ Task string }
	// Autopilot switches a session's autopilot.
	Autopilot struct {
		Task string
		On   bool
	}
	// Model changes what a session's main agent runs on from its next turn.
	Model struct{ Task, Name string }
	// End closes an idle task: it is completed.
	End struct{ Task string }
	// Withdraw takes a message back that is not delivered yet.
	Withdraw struct {
		Task    string
		Request int64
		Text    string
	}
	// EditRequest changes a message that is not delivered yet.
	EditRequest struct {
		Task    string
		Request int64
		Text    string
	}
	// NewSession starts a session.
	NewSession struct {
		Prompt    string
		Agent     string // leads it; "": the usual one
		Model     string // "provider/model"; "": the usual one
		Autopilot bool
		AllowAll  bool
	}
	// PutNote notes something for all screens; Old is what it was before.
	PutNote struct{ Key, Value, Old string }
	// Archive hides ended tasks from the tree, or brings them back.
	Archive struct {
		Tasks []string
		On    bool
	}
	// Trust trusts the agents and commands of the project.
	Trust struct{}
	// Reload reads the catalogue again.
	Reload struct{}
	// OpenFile opens a file in the person's editor.
	OpenFile struct{ Path string }
	// LoadTimeline fetches the newest events of a session.
	LoadTimeline struct{ Session string }
	// LoadInside reads what a task was started with, and its turns.
	LoadInside struct{ Task string }
	// LoadChanges reads transcripts for changes of files.
	LoadChanges struct {
		Root  string
		Tasks []ChangesSince
	}
	// LoadChart reads the progress of a session since an event.
	LoadChart struct {
		Session string
		After   int64
	}
	// Swap lets two messages that wait change places.
	Swap struct {
		Task          string
		Request, With int64
	}
	// Pick does something with the row under the cursor of a page: State.Picked.
	Pick struct{ Do string }
	// Goto shows that moment of a task's transcript.
	Goto struct {
		Task string
		At   time.Time
	}
	// Find goes to the next place with the words, or to the next error; without either it ends a search.
	Find struct {
		Words string
		Back  bool
		Error bool
	}
	// MarkReviews says what the person has made of completions.
	MarkReviews struct {
		IDs  []string
		Mark core.ReviewMark
	}
	// LoadCompletion fetches what led to a completion.
	LoadCompletion struct{ ID string }
	// LoadModels asks the providers which models they have.
	LoadModels struct{}
	// LoadFiles names the files of a folder.
	LoadFiles struct{ Dir string }
	// CopyAnswer puts the task's last answer on the clipboard.
	CopyAnswer struct{ Task string }
	// EditExternally opens the draft in the person's editor.
	EditExternally struct{ Draft string }
	// Theme changes the colours.
	Theme struct{ Name string }
	// Scroll moves what the detail pane or an overlay shows.
	Scroll struct {
		Overlay bool
		Move    Move
	}
	// Toggle opens or closes what is folded in the transcript.
	Toggle struct{}
	// Quit leaves the screen; agents go on.
	Quit struct{}
	// Suspend stops the program, as Ctrl-Z does for any other.
	Suspend struct{}
	// Redraw paints the whole terminal anew.
	Redraw struct{}
)

// Move is a way to scroll.
type Move string

// The moves there are.
const (
	LineUp   Move = "line up"
	LineDown Move = "line down"
	HalfUp   Move = "half a page up"
	HalfDown Move = "half a page down"
	PageUp   Move = "page up"
	PageDown Move = "page down"
	ToTop    Move = "top"
	ToBottom Move = "bottom"
)

func (Send) effect()           {}
func (Cancel) effect()         {}
func (Promote) effect()        {}
func (Approve) effect()        {}
func (Deny) effect()           {}
func (Resume) effect()         {}
func (Autopilot) effect()      {}
func (Model) effect()          {}
func (End) effect()            {}
func (Withdraw) effect()       {}
func (EditRequest) effect()    {}
func (NewSession) effect()     {}
func (PutNote) effect()        {}
func (Archive) effect()        {}
func (Trust) effect()          {}
func (Reload) effect()         {}
func (OpenFile) effect()       {}
func (LoadTimeline) effect()   {}
func (LoadInside) effect()     {}
func (LoadChanges) effect()    {}
func (LoadChart) effect()      {}
func (Swap) effect()           {}
func (Pick) effect()           {}
func (Goto) effect()           {}
func (Find) effect()           {}
func (MarkReviews) effect()    {}
func (LoadCompletion) effect() {}
func (LoadFiles) effect()      {}
func (LoadModels) effect()     {}
func (CopyAnswer) effect()     {}
func (EditExternally) effect() {}
func (Theme) effect()          {}
func (Scroll) effect()         {}
func (Toggle) effect()         {}
func (Quit) effect()           {}
func (Suspend) effect()        {}
func (Redraw) effect()         {}
