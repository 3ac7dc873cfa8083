package themes

// Role is what a cell means. A theme gives every role a style.
type Role uint8

// The roles. The comments name where they show.
const (
	Text              Role = iota // everything else; its background is the screen's
	Muted                         // what matters less: times, counts, separators
	Border                        // frames of panes
	BorderFocus                   // frame of the pane that has the keys
	Title                         // titles of panes
	Header                        // the top line
	Selected                      // the row under the cursor, in the pane that has the keys
	SelectedUnfocused             // the row under the cursor, in another pane
	Running                       // states of a task: glyph and word
	Idle
	Completed
	Failed
	Cancelled
	Interrupted
	NeedsYou   // waits for a person: approvals, questions
	Queued     // waits for a slot, or not yet delivered
	User       // who speaks: a person
	Agent      // who speaks: an agent
	Tool       // a tool call's name
	Notice     // news of children, notes of the engine
	Error      // what went wrong
	Warning    // what may go wrong
	Code       // code in a line of text
	CodeBlock  // code in lines of its own
	Heading    // headings of Markdown
	Link       // links
	Quote      // quoted text
	DiffAdd    // added lines
	DiffDel    // removed lines
	Key        // a key in the footer and in help
	KeyLabel   // what it does
	Match      // what a search found
	Composer   // where a person types
	CursorLine // the line under the cursor in texts

	Count = int(CursorLine) + 1 // how many roles there are
)

var roleNames = [Count]string{
	"text", "muted", "border", "border_focus", "title", "header", "selected", "selected_unfocused",
	"running", "idle", "completed", "failed", "cancelled", "interrupted", "needs_you", "queued",
	"user", "agent", "tool", "notice", "error", "warning", "code", "code_block", "heading", "link",
	"quote", "diff_add", "diff_del", "key", "key_label", "match", "composer", "cursor_line",
}

// String is the role's name in a theme file.
func (r Role) String() string {
	if int(r) < Count {
		return roleNames[r]
	}
	return "unknown"
}

// RoleOf finds the role of that name.
func RoleOf(name string) (Role, bool) {
	for i, n := range roleNames {
		if n == name {
			return Role(i), true
		}
	}
	return 0, false
}
