package ui

import (
	"context"
	"io"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/core"
	"drover/themes"
	"drover/ui/state"
)

// Engine is what the screen needs of the rest of drover. Every method may be
// called from any goroutine and ends soon after its ctx does.
type Engine interface {
	// Watch receives after something may have changed; it is closed when ctx ends.
	Watch(ctx context.Context) <-chan struct{}
	// Pull returns what is newer than the cursor.
	Pull(ctx context.Context, c core.Cursor) (core.Update, error)
	// Tail returns the last n entries of a transcript before seq before, oldest first.
	Tail(ctx context.Context, task string, before int64, n int) ([]core.Entry, error)
	// Entries of a transcript after seq, oldest first, at most limit.
	Entries(ctx context.Context, task string, after int64, limit int) ([]core.Entry, error)
	// Inside is what a task was started with, its turns and its messages.
	Inside(ctx context.Context, task string) (core.Inside, error)
	// SwapRequests lets two messages that wait for the same task change places.
	SwapRequests(ctx context.Context, a, b int64) error
	// Search finds words in all transcripts, the newest first, waiting for the index at most for patience.
	Search(ctx context.Context, q core.Search, patience time.Duration) (core.Found, error)
	// Events of the timeline, oldest first.
	Events(ctx context.Context, f core.EventFilter) ([]core.Event, error)
	// Submit writes a request durably; one with an ID is safe even beside an error.
	Submit(ctx context.Context, r core.Request) (core.Request, error)
	// Await waits until the request is settled: done, refused, withdrawn; a message: delivered.
	Await(ctx context.Context, id int64) (core.Request, error)
	// Withdraw takes a message back that is not delivered.
	Withdraw(ctx context.Context, id int64) (core.Request, error)
	// EditRequest changes a message that is not delivered.
	EditRequest(ctx context.Context, id int64, text string) (core.Request, error)
	// PutNote notes something of the person's for all screens; an empty value takes it back.
	PutNote(ctx context.Context, key, value string) error
	// Archive hides ended tasks from the tree, or brings them back.
	Archive(ctx context.Context, tasks []string, on bool) error
	// NewSession starts a session and returns its main task, also beside an error where it is there.
	NewSession(ctx context.Context, n state.NewSession) (task string, err error)
	// Completion reads what led to a completion.
	Completion(ctx context.Context, id string) (core.CompletionView, error)
	// MarkReviews says what the person has made of completions, of all or of none.
	MarkReviews(ctx context.Context, m core.ReviewMark, ids ...string) ([]core.Review, error)
	// Models names what the providers that can be reached say they have, as provider/model.
	Models(ctx context.Context) ([]string, error)
	// Files names the files of a folder, those that git ignores left out.
	Files(ctx context.Context, dir string) ([]string, error)
	// History are the texts that were sent before from Dir's project, the oldest first.
	History(ctx context.Context) ([]string, error)
	// Remember adds one.
	Remember(ctx context.Context, text string) error
	// Agents returns every definition that Dir sees, those that cannot run too, in
	// the order of the search. It is asked about once a second while it is on the
	// screen: it has to be cheap where nothing has changed. The caller keeps the slice.
	Agents(ctx context.Context) ([]state.Agent, error)
	// Commands returns the workflow commands likewise.
	Commands(ctx context.Context) ([]state.Command, error)
	// Trust trusts the agents and commands of Dir's project, and names its root.
	Trust(ctx context.Context) (root string, err error)
}

// Options are what Run needs. Only Engine and Theme must be set.
type Options struct {
	Engine  Engine
	Theme   themes.Theme
	Screen  tcell.Screen  // nil: the terminal
	Session string        // select this task first
	Frame   time.Duration // the least time between two frames; 0: 33 ms
	Dir     string        // where a new session works
	Project string        // the root of its project, which trust is for; "": Dir
	Version string
	Offline bool                              // a new session runs on the offline model
	Found   string                            // which model a new session runs on and why, where it was found; "": it is set
	Stall   time.Duration                     // after this long without an event a running task is said to be stalled; 0: 2 minutes
	NoColor bool                              // attributes only
	Zone    *time.Location                    // of the timeline's clock; nil: the local one
	Out     io.Writer                         // gets the farewell once the terminal is restored; nil: nobody
	RuleFor func(tool, subject string) string // the rule that "always" makes of a call; nil: not shown
	Outside Outside

	Keys      []state.Binding // the key table; nil: the usual one
	ThemeName string          // of Theme, to read it again when its file changes
	Outfit    <-chan Outfit   // keys and themes that have changed; nil: they do not
	Mouse     state.Mouse     // what the mouse may do; "": nothing
	Notify    Notices         // how a person who looks elsewhere is told; "": not at all
	Title     bool            // the terminal's title says how things are
	Progress  bool            // the terminal shows whether something runs (OSC 9;4)
	Steady    bool            // no synchronised output (mode 2026)
	Loaded    func()          // called once the first frame stands, and after each that much has been read for; nil: nobody wants to know
	Trouble   string          // why no session can start, with the remedy; "" for none
}

// Outfit is what a person has changed of keys and themes while the screen is open.
type Outfit struct {
	Rekeyed bool
	Keys    []state.Binding
	KeysErr error    // the keys stay as they were
	Themes  []string // the names there are now; nil: no theme has changed
}

// Outside is what lies beyond screen and engine. All of it may be nil.
type Outside struct {
	Themes    []string                                                // names for :theme
	LoadTheme func(name string) (themes.Theme, error)                 // nil: there is no :theme
	Edit      func(ctx context.Context, draft string) (string, error) // nil: $VISUAL, $EDITOR or vi, on the terminal
	Open      func(ctx context.Context, path string) error            // nil: the same, for a file of an agent
	Write     func(sequence string) error                             // nil: to the terminal; for notices and progress
	Copy      func(text string) error                                 // nil: the terminal's clipboard (OSC 52)
	NoCopy    string                                                  // why the terminal has no clipboard; "": it may have one
	Stop      func() error                                            // nil: SIGTSTP to the process group, as Ctrl-Z does
}
