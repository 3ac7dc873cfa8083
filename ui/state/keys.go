package state

// Context says where a binding holds. Several are in force at once: see contexts.
type Context string

// The contexts there are, named as the help screen names them.
const (
	Everywhere  Context = "everywhere"
	InApproval  Context = "when the selected task needs you"
	InTree      Context = "task tree"
	InDetail    Context = "transcript and timeline"
	OnTask      Context = "any pane"
	InAgents    Context = "agents"
	InInbox     Context = "inbox"
	InReview    Context = "review"
	InComposer  Context = "composer"
	InCommand   Context = "command line"
	InPalette   Context = "command palette"
	InFilter    Context = "filter"
	InDenial    Context = "reason of a denial"
	InConfirm   Context = "question"
	InOverlay   Context = "help and other pages"
	InAnyEditor Context = "wherever text is typed"
)

// Binding is what a key does, as data: dispatch, footer, help screen and
// README come from it.
type Binding struct {
	Keys    []Key
	Context Context
	Name    string              // of the action
	Help    string              // what it does
	Label   string              // in the footer; "" keeps it out
	Why     func(*State) string // why it cannot act now; nil: it always can
	Do      func(*State) []Effect
}

func keys(k ...Key) []Key { return k }

// digits are the keys 1 to 9.
func digits(with string) (ks []Key) {
	for d := 1; d <= slots; d++ {
		ks = append(ks, Key(with+string(rune('0'+d))))
	}
	return ks
}

// Bindings is the key table, in the order of the help screen.
func Bindings() []Binding {
	var b []Binding
	for _, part := range [][]Binding{approvalKeys(), taskKeys(), treeKeys(), detailKeys(), pageKeys(), agentKeys(), inboxKeys(), reviewKeys(), hitKeys(), composerKeys(), lineKeys(), paletteKeys(), otherKeys(), homeKeys()} {
		b = append(b, part...)
	}
	return b
}

func approvalKeys() []Binding {
	return []Binding{
		{keys("a"), InApproval, "allow", "allow this one tool call", "allow", (*State).whyNotAnswer, (*State).allow},
		{keys("A"), InApproval, "allow always", "allow it, and calls like it for the rest of the session", "always", (*State).whyNotAlways, (*State).allowAlways},
		{keys("d"), InApproval, "deny", "deny it; asks for a reason, which the agent is told", "deny", (*State).whyNotAnswer, (*State).startDeny},
		{keys("v"), InApproval, "view call", "show the exact arguments in full", "view", nil, (*State).viewApproval},
	}
}

func taskKeys() []Binding {
	return []Binding{
		{keys("n"), OnTask, "new session", "start a new session", "new", nil, (*State).startNew},
		{keys("m"), OnTask, "message", "write to the task; it arrives after this turn", "message", (*State).whyNotMessage, (*State).startMessage},
		{keys("s"), OnTask, "steer", "write to the task; it arrives after the current tool call", "", (*State).whyNotSteer, (*State).startSteer},
		{keys("i"), OnTask, "interrupt", "write to the task and cut its turn short", "", (*State).whyNotSteer, (*State).startInterrupt},
		{keys("M"), OnTask, "message many", "write to the marked tasks, or to all under this one", "", (*State).whyNotMany, (*State).startMany},
		{keys("x"), OnTask, "cancel", "cancel the task and everything under it (asks first)", "cancel", (*State).whyNotCancel, (*State).cancelTree},
		{keys("X"), OnTask, "cancel only", "cancel the task and let its children go on (asks first)", "", (*State).whyNotCancel, (*State).cancelOnly},
		{keys("b"), OnTask, "background", "move it to the background: its parent goes on", "background", (*State).whyNotPromote, (*State).promote},
		{keys("r"), OnTask, "resume", "take an interrupted task up again", "resume", (*State).whyNotResume, (*State).resume},
		{keys("o"), OnTask, "autopilot", "switch the session's autopilot on or off", "", (*State).whyNoTask, (*State).autopilot},
		{keys("e"), OnTask, "end", "close an idle task: it is completed", "", (*State).whyNotEnd, (*State).end},
		{keys("w"), OnTask, "withdraw", "take back the last message that has not arrived", "withdraw", (*State).whyNotWithdraw, (*State).withdraw},
		{keys("W"), OnTask, "rewrite", "change the last message that has not arrived", "", (*State).whyNotWithdraw, (*State).rewrite},
		{keys("y", "c"), OnTask, "copy", "copy the task's last answer", "", (*State).whyNoTask, (*State).copyAnswer},
		{keys("t"), OnTask, "timeline", "timeline of the session; again: completions only, waterfall, transcript", "timeline", (*State).whyNoTask, (*State).timeline},
		{keys(">"), OnTask, "next tab", "next page of the task: transcript, turns, timeline, definition, files", "", (*State).whyNoTask, (*State).nextTab},
		{keys("<"), OnTask, "previous tab", "page before", "", (*State).whyNoTask, (*State).prevTab},
		{keys("!"), OnTask, "next in inbox", "go to the next task that needs you", "needs you", (*State).whyNoInbox, (*State).nextNeed},
		{keys("I"), OnTask, "inbox", "all tool calls that wait for an answer, of all sessions", "", nil, (*State).openInbox},
		{keys("R"), OnTask, "review", "what was declared complete: review, snooze, archive, follow up", "", nil, (*State).openReview},
		{keys("]"), OnTask, "next session", "go to the next session", "", (*State).whyNoTask, (*State).nextSession},
		{keys("["), OnTask, "previous session", "go to the previous session", "", (*State).whyNoTask, (*State).prevSession},
		{keys("/"), OnTask, "filter", "show only the tasks that fit: words, ~letters, !not, status:idle agent:x cost:>0.5 age:>1h is:stuck …; {complete-filter} completes", "filter", (*State).whyNothing, (*State).startFilter},
		{keys("f"), OnTask, "finished", "hide or show tasks that have ended", "", (*State).whyNothing, (*State).toggleDone},
		{keys(":"), OnTask, "command", "type a command; {complete} completes it", "command", nil, (*State).startCommand},
		{keys("Tab", "Shift-Tab"), OnTask, "other pane", "go to the other pane", "", nil, (*State).otherPane},
		{keys("Esc"), OnTask, "back", "one level up", "", nil, (*State).back},
		{keys("?"), OnTask, "help", "show all keys", "help", nil, (*State).help},
		{keys("q"), OnTask, "quit", "leave the screen; agents go on", "quit", nil, (*State).quit},
		{keys("@"), OnTask, "agents", "all agents there are: where from, what shadows them, what is wrong with them", "agents", nil, (*State).openAgents},
		{keys("T"), OnTask, "trust", "trust the agents and commands that this folder brings (asks first)", "trust", (*State).whyNotTrust, (*State).startTrust},
	}
}

func treeKeys() []Binding {
	return []Binding{
		{keys("j", "Down"), InTree, "down", "next row", "", nil, moves(1, false)},
		{keys("k", "Up"), InTree, "up", "previous row", "", nil, moves(-1, false)},
		{keys("g", "Home"), InTree, "first", "first row", "", nil, moves(-1<<30, false)},
		{keys("G", "End"), InTree, "last", "last row", "", nil, moves(1<<30, false)},
		{keys("Ctrl-D"), InTree, "half down", "half a page down", "", nil, func(s *State) []Effect { return s.step(max(1, s.View.Page/2)) }},
		{keys("Ctrl-U"), InTree, "half up", "half a page up", "", nil, func(s *State) []Effect { return s.step(-max(1, s.View.Page/2)) }},
		{keys("PgDn"), InTree, "page down", "a page down", "", nil, moves(1, true)},
		{keys("PgUp"), InTree, "page up", "a page up", "", nil, moves(-1, true)},
		{keys("h", "Left"), InTree, "fold", "fold it, or go to its parent", "", nil, (*State).fold},
		{keys("l", "Right"), InTree, "unfold", "unfold it, or go to its first child", "", nil, (*State).unfold},
		{keys(" "), InTree, "fold or unfold", "fold or unfold it", "", nil, (*State).toggleFold},
		{keys("S"), InTree, "sort", "order by the next: activity, needs, age, cost, tokens, name", "", (*State).whyNothing, (*State).nextSort},
		{keys("="), InTree, "group", "group by the next: session, dir, agent, status", "", (*State).whyNothing, (*State).nextGroup},
		{keys("Ctrl-R"), InTree, "order anew", "order the rows as things are now: they do not move by themselves", "", (*State).whyNothing, (*State).orderAnew},
		{keys(","), InTree, "mark", "mark it, or take the mark away: {cancel}, {cancel-only}, {end} and {archive-task} then act on all that is marked", "", (*State).whyNoTask, (*State).markTask},
		{keys("."), InTree, "mark range", "mark all rows from the last mark to here", "", (*State).whyNoTask, (*State).markRange},
		{keys("\\"), InTree, "clear marks", "take all marks away", "", (*State).whyNoMarks, (*State).clearMarks},
		{keys("z"), InTree, "archive task", "archive what has ended: hidden until {archived}; on an archived one: bring it back", "", (*State).whyNotArchive, (*State).archive},
		{keys("u"), InTree, "undo archive", "bring back what was archived in the last 30 seconds", "", (*State).whyNoUndo, (*State).undoArchive},
		{keys("Z"), InTree, "archived", "show or hide what is archived", "", (*State).whyNothing, (*State).toggleArchived},
		{keys("'"), InTree, "pin", "pin it to the lowest free digit, or take it from its digit", "", (*State).whyNoTask, (*State).pinFree},
		{digits("Alt-"), InTree, "pin to digit", "pin it to this digit", "", (*State).whyNoTask, (*State).pin},
		{digits(""), InTree, "jump", "go to the task that is pinned to the digit", "", (*State).whyNothing, (*State).jump},
		{keys("Enter"), InTree, "open", "open the task: its transcript fills the screen", "open", (*State).whyNoTask, (*State).openTask},
	}
}

func detailKeys() []Binding {
	return []Binding{
		{keys("j", "Down"), InDetail, "scroll down", "a line down", "", nil, scrolls(LineDown)},
		{keys("k", "Up"), InDetail, "scroll up", "a line up", "", nil, scrolls(LineUp)},
		{keys("g", "Home"), InDetail, "beginning", "to the beginning", "", nil, scrolls(ToTop)},
		{keys("G", "End"), InDetail, "end of it", "to the end, and follow what comes", "follow", nil, scrolls(ToBottom)},
		{keys("Ctrl-D"), InDetail, "scroll half down", "half a page down", "", nil, scrolls(HalfDown)},
		{keys("Ctrl-U"), InDetail, "scroll half up", "half a page up", "", nil, scrolls(HalfUp)},
		{keys("PgDn", " "), InDetail, "scroll page down", "a page down", "", nil, scrolls(PageDown)},
		{keys("PgUp"), InDetail, "scroll page up", "a page up", "", nil, scrolls(PageUp)},
		{keys("Enter"), InDetail, "unfold output", "unfold or fold long output", "unfold", nil, func(*State) []Effect { return []Effect{Toggle{}} }},
		{keys("h", "Left"), InDetail, "to the tree", "back to the task tree", "tree", nil, (*State).toTree},
	}
}

func composerKeys() []Binding {
	return []Binding{
		{keys("Enter"), InComposer, "send", "send it", "send", (*State).whyNotSend, (*State).send},
		{keys("Alt-Enter", "Ctrl-J"), InComposer, "new line", "begin a new line", "new line", nil, (*State).newLine},
		{keys("Tab"), InComposer, "how", "message: after this turn, steer, interrupt; new session: ask, autopilot, allow all; in a /command, an @agent or an @file: completes it", "mode", nil, (*State).how},
		{keys("Up"), InComposer, "line up", "a line up; on the first: what was sent before", "", nil, (*State).composeUp},
		{keys("Down"), InComposer, "line down", "a line down; on the last: what was sent after", "", nil, (*State).composeDown},
		{keys("Ctrl-P"), InComposer, "sent before", "what was sent before from this folder", "", nil, (*State).sentBefore},
		{keys("Ctrl-N"), InComposer, "sent after", "what was sent after it", "", nil, (*State).sentAfter},
		{keys("Ctrl-Y", "Ctrl-_"), InComposer, "undo", "undo: what was deleted, pasted or recalled last", "", (*State).whyNotUndo, (*State).undoText},
		{keys("Ctrl-G"), InComposer, "editor", "write it in $VISUAL or $EDITOR", "editor", nil, (*State).external},
		{keys("Esc"), InComposer, "put aside", "back; the draft is kept", "back", nil, (*State).putAside},
	}
}

func lineKeys() []Binding {
	b := []Binding{
		{keys("Enter"), InCommand, "do", "do it", "do it", nil, (*State).runCommand},
		{keys("Tab"), InCommand, "complete", "complete the word; again: the next that fits; on an empty line: all commands", "complete", nil, (*State).complete},
		{keys("Up"), InCommand, "older", "the command before", "", nil, func(s *State) []Effect { s.older(&s.Input.Line, s.Input.typed); return nil }},
		{keys("Down"), InCommand, "newer", "the command after", "", nil, func(s *State) []Effect { s.newer(&s.Input.Line, s.Input.typed); return nil }},
		{keys("Esc"), InCommand, "leave the line", "back", "back", nil, (*State).toNormal},
		{keys("Enter"), InFilter, "keep", "keep the filter", "keep", nil, (*State).keepFilter},
		{keys("Tab"), InFilter, "complete filter", "complete the field or its value; again: the next that fits", "complete", nil, (*State).completeFilter},
		{keys("Down"), InFilter, "filtered down", "next row", "", nil, moves(1, false)},
		{keys("Up"), InFilter, "filtered up", "previous row", "", nil, moves(-1, false)},
		{keys("Esc"), InFilter, "drop", "drop the filter", "drop it", nil, (*State).dropFilter},
		{keys("Enter"), InDenial, "deny now", "deny; without a reason too", "deny", nil, (*State).denyNow},
		{keys("Esc"), InDenial, "do not deny", "back; the call waits on", "back", nil, (*State).toNormal},
	}
	edit := func(help string, do func(*State, *Editor), k ...Key) {
		b = append(b, Binding{k, InAnyEditor, "edit: " + help, help, "", nil, func(s *State) []Effect { return s.edit(do) }})
	}
	edit("character left", (*State).goLeft, "Left", "Ctrl-B")
	edit("character right", func(_ *State, e *Editor) { e.Pos = e.right() }, "Right", "Ctrl-F")
	edit("word left", func(_ *State, e *Editor) { e.Pos = e.wordLeft() }, "Ctrl-Left", "Alt-b")
	edit("word right", func(_ *State, e *Editor) { e.Pos = e.wordRight() }, "Ctrl-Right", "Alt-f")
	edit("beginning of the line", func(_ *State, e *Editor) { e.Pos = e.lineStart() }, "Home", "Ctrl-A")
	edit("end of the line", func(_ *State, e *Editor) { e.Pos = e.lineEnd() }, "End", "Ctrl-E")
	edit("delete the character before", func(s *State, e *Editor) { s.backspace(e) }, "Backspace")
	edit("delete the character after", func(_ *State, e *Editor) { e.cut(e.right()) }, "Delete", "Ctrl-D")
	edit("delete the word before", func(_ *State, e *Editor) { e.cut(e.wordLeft()) }, "Ctrl-W", "Alt-Backspace")
	edit("delete to the beginning of the line", func(_ *State, e *Editor) { e.cut(e.lineStart()) }, "Ctrl-U")
	edit("delete to the end of the line", func(_ *State, e *Editor) { e.cut(e.lineEnd()) }, "Ctrl-K")
	return b
}

func otherKeys() []Binding {
	over := func(m Move) func(*State) []Effect {
		return func(*State) []Effect { return []Effect{Scroll{Overlay: true, Move: m}} }
	}
	return []Binding{
		{keys("y", "Y"), InConfirm, "yes", "yes, do it", "yes", nil, (*State).yes},
		{keys("n", "N", "Esc", "q"), InConfirm, "no", "no, leave it as it is", "no", nil, (*State).toNormal},
		{keys("j", "Down"), InOverlay, "read down", "a line down", "down", nil, over(LineDown)},
		{keys("k", "Up"), InOverlay, "read up", "a line up", "up", nil, over(LineUp)},
		{keys("PgDn", " ", "Ctrl-D"), InOverlay, "read page down", "a page down", "page", nil, over(PageDown)},
		{keys("PgUp", "Ctrl-U"), InOverlay, "read page up", "a page up", "", nil, over(PageUp)},
		{keys("g", "Home"), InOverlay, "read top", "to the beginning", "", nil, over(ToTop)},
		{keys("G", "End"), InOverlay, "read end", "to the end", "", nil, over(ToBottom)},
		{keys("/"), InOverlay, "search actions", "of the help: search all there is, and run it", "search", (*State).whyNotHelp, (*State).searchHelp},
		{keys("Esc", "q", "?", "Enter", "v"), InOverlay, "close", "close it", "close", nil, (*State).closeOverlay},
		{keys("F1"), Everywhere, "keys", "show all keys, also while typing", "", nil, (*State).help},
		{keys("Ctrl-C"), Everywhere, "leave", "twice: leave the screen; agents go on", "", nil, (*State).ctrlC},
		{keys("Ctrl-L"), Everywhere, "redraw", "paint the screen anew", "", nil, func(*State) []Effect { return []Effect{Redraw{}} }},
		{keys("Ctrl-Z"), Everywhere, "suspend", "suspend drover; fg brings it back", "", nil, func(*State) []Effect { return []Effect{Suspend{}} }},
	}
}

func moves(by int, page bool) func(*State) []Effect {
	return func(s *State) []Effect {
		if page {
			return s.step(by * max(1, s.View.Page-1))
		}
		return s.step(by)
	}
}

func scrolls(m Move) func(*State) []Effect {
	return func(*State) []Effect { return []Effect{Scroll{Move: m}} }
}
