package core

import "time"

// TaskView is a task as people and programs see it: the flat object of
// `ps --json` and `show --json`. Times are RFC 3339 in UTC, null where not yet.
type TaskView struct {
	ID             string     `json:"id"`
	Session        string     `json:"session"`
	Parent         string     `json:"parent"` // "" for the main task
	Kind           Kind       `json:"kind"`
	Agent          string     `json:"agent"`
	Name           string     `json:"name"`
	Description    string     `json:"description"`
	Status         Status     `json:"status"`
	Activity       Activity   `json:"activity"` // "" unless running
	Detail         string     `json:"activity_detail"`
	Interrupted    bool       `json:"interrupted"` // running by its row, but no host holds its session
	Mode           Mode       `json:"mode"`
	Model          string     `json:"model"`
	Turn           int        `json:"turn"`
	Steps          int        `json:"steps"`
	ToolCalls      int        `json:"tool_calls"`
	TokensIn       int64      `json:"tokens_in"`
	TokensOut      int64      `json:"tokens_out"`
	Cost           *float64   `json:"cost_usd"` // null where a price is unknown
	Intent         string     `json:"intent"`
	Depth          int        `json:"depth"`
	Created        *time.Time `json:"created"`
	Started        *time.Time `json:"started"`
	Ended          *time.Time `json:"ended"`
	LastEvent      *time.Time `json:"last_event"`
	ElapsedMS      int64      `json:"elapsed_ms"` // working time, without idle time
	ErrorCode      Code       `json:"error_code"`
	Error          string     `json:"error"`
	EndedBy        string     `json:"ended_by"`
	Outcome        Outcome    `json:"outcome"`
	Summary        string     `json:"summary"`
	NotDone        []string   `json:"not_done"`
	QueuedRequests int        `json:"queued_requests"`
	NeedsApproval  bool       `json:"needs_approval"`
	Dir            string     `json:"dir"`
	Autopilot      bool       `json:"autopilot"`

	ActiveSince time.Time `json:"-"` // zero unless running: elapsed grows from here
	Rev         int64     `json:"-"`
}

// ElapsedAt is the working time at now, for a screen that ticks.
func (v *TaskView) ElapsedAt(now time.Time) time.Duration {
	d := time.Duration(v.ElapsedMS) * time.Millisecond
	if !v.ActiveSince.IsZero() && !v.Interrupted {
		return max(0, d+now.Sub(v.ActiveSince))
	}
	return d
}

// Label is the task's name for people.
func (v *TaskView) Label() string {
	if v.Name != "" {
		return v.Name
	}
	return v.Agent
}

// State is the one word for the task: its status, or interrupted.
func (v *TaskView) State() string {
	if v.Interrupted {
		return "interrupted"
	}
	return string(v.Status)
}

// Update is what has changed in the registry since a reader last asked. A
// reader keeps Seq and asks with it again; the zero Cursor asks for all there is.
type Update struct {
	Seq       int64
	Sessions  []Session         // changed ones, whole
	Tasks     []TaskView        // changed ones, whole, parents before children
	Requests  []Request         // of the changed tasks: every one still queued, and every one of the focused task
	Approvals []Approval        // pending ones of the changed tasks
	Changed   []string          // IDs whose Requests and Approvals the lists above replace
	Events    []Event           // notable ones since the cursor, of all sessions
	Reviews   []Review          // new and changed completions, the newest first
	Focus     *Focus            // nil where nothing of the focused task was asked for
	Hosts     map[string]bool   // hand it back in the next Cursor
	Notes     map[string]string // all notes (see Client.PutNote) where one has changed since Cursor.NotesRev, else nil
	NotesRev  int64             // hand it back in the next Cursor

	// Rest are the quiet sessions of which only the main task is known to the
	// reader, and what of their other tasks; hand it back.
	Rest   map[string]Part
	Rolled []Rollup // of sessions in Rest, new ones
	Whole  []string // sessions that come whole in Tasks, and are not in Rest any more
	More   bool     // there is more to say at once: Pull again
}

// Cursor is how far a reader has come.
type Cursor struct {
	Seq   int64
	Focus string // the task whose transcript is on screen, or ""
	Entry int64  // last entry of it that the reader has; 0 asks for the tail
	Tail  int    // with Entry 0: how many entries of the tail
	// Hosts is Update.Hosts of the last Pull: sessions at work, and whether a
	// process held them, so that the death of a host is seen without an event.
	Hosts map[string]bool
	// NotesRev is Update.NotesRev of the last Pull.
	NotesRev int64
	// Rest is Update.Rest of the last Pull; Want are those of them that are
	// wanted whole, WantAll wants all.
	Rest    map[string]Part
	Want    []string
	WantAll bool
}

// Focus is the transcript of one task, as far as it is new.
type Focus struct {
	Task    string
	Entries []Entry // with Seq > Cursor.Entry
	Live    Live    // what has arrived of the answer that is being written
	First   int64   // sequence of the first entry when this was a tail; earlier ones can be asked for
}

// Detail is one task with everything around it.
type Detail struct {
	Task      TaskView   `json:"task"`
	Spec      Spec       `json:"spec"`
	Turns     []Turn     `json:"turns"`
	Requests  []Request  `json:"requests"`
	Approvals []Approval `json:"approvals"`
	Children  []TaskView `json:"children"`
}

// Receipt is what a cancel achieved; it is the Outcome of its request, as JSON.
type Receipt struct {
	Stopped    []Stopped `json:"stopped"`
	NotStopped []Stopped `json:"not_stopped"`
}

// Stopped is one line of a receipt.
type Stopped struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Was  string `json:"was"` // its status and activity before
	MS   int64  `json:"ms"`  // until its work had returned
	Why  string `json:"why,omitempty"`
}
