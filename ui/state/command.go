package state

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drover/core"
)

// command is one word of the command line.
type command struct {
	name, usage, help string
	key               Key                                  // does what this key does, where it takes no argument
	run               func(s *State, arg string) []Effect  // otherwise
	args              func(s *State, word string) []string // what may follow
	anywhere          bool                                 // it is about no task: the agents may stay on the screen
}

func commands() []command {
	return append([]command{
		{name: "new", usage: "new PROMPT", help: "start a session", run: (*State).cmdNew},
		{name: "fork", usage: "fork TIMES PROMPT", help: "start several sessions with the same prompt, to compare: all work in this folder", run: (*State).cmdFork},
		{name: "send", usage: "send TEXT", help: "message, after this turn", run: sendBy("m", core.Queue)},
		{name: "steer", usage: "steer TEXT", help: "message, after the current tool call", run: sendBy("s", core.Steer)},
		{name: "interrupt", usage: "interrupt TEXT", help: "message, now", run: sendBy("i", core.Interrupt)},
		{name: "cancel", usage: "cancel [only]", help: "cancel the task (asks first)", run: (*State).cmdCancel, args: oneOf("only")},
		{name: "promote", usage: "promote", help: "move to the background", key: "b"},
		{name: "approve", usage: "approve [always]", help: "allow the tool call", run: (*State).cmdApprove, args: oneOf("always")},
		{name: "deny", usage: "deny [REASON]", help: "deny the tool call", run: (*State).cmdDeny},
		{name: "resume", usage: "resume", help: "take an interrupted task up again", key: "r"},
		{name: "end", usage: "end", help: "close an idle task", key: "e"},
		{name: "withdraw", usage: "withdraw", help: "take back the last message", key: "w"},
		{name: "autopilot", usage: "autopilot on|off", help: "switch autopilot", run: (*State).cmdAutopilot, args: oneOf("on", "off")},
		{name: "model", usage: "model NAME", help: "what the session runs on from its next turn: provider/model or a tier", run: (*State).cmdModel, args: (*State).modelNames},
		{name: "go", usage: "go NAME|ID", help: "go to a task", run: (*State).cmdGo, args: (*State).taskNames},
		{name: "filter", usage: "filter [WORDS]", help: "show only the tasks that fit", run: (*State).cmdFilter},
		{name: "sort", usage: "sort [[-]WHAT]", help: "order the rows: activity, needs, age, cost, tokens, name; alone: as things are now", run: (*State).cmdSort, args: func(*State, string) []string { return each(sorts()) }},
		{name: "group", usage: "group WHAT", help: "session (trees), dir, agent or status", run: (*State).cmdGroup, args: func(*State, string) []string { return each(groups()) }},
		{name: "view", usage: "view [[save|rm] NAME]", help: "go to a saved filter and order, or save or remove one", run: (*State).cmdView, args: (*State).viewNames},
		{name: "archive", usage: "archive", help: "hide what has ended", key: "z"},
		{name: "unarchive", usage: "unarchive [ID]", help: "bring back what was archived", run: (*State).cmdUnarchive, args: (*State).archivedIDs},
		{name: "timeline", usage: "timeline", help: "timeline of the session", run: show(ShowTimeline)},
		{name: "completions", usage: "completions", help: "what was declared complete", run: show(ShowCompletions)},
		{name: "waterfall", usage: "waterfall", help: "the session's tasks over time", run: show(ShowWaterfall)},
		{name: "tab", usage: "tab NAME", help: "a page of the task: turns, definition, files …", run: (*State).cmdTab, args: tabNames},
		{name: "find", usage: "find WORDS", help: "search in the transcript", run: (*State).cmdFind},
		{name: "search", usage: "search [WORDS]", help: "find words in all transcripts; alone: what was found last", run: (*State).cmdSearch, anywhere: true},
		{name: "kind", usage: "kind NAME|all", help: "only one kind of events in timelines", run: (*State).cmdKind, args: func(*State, string) []string { return append([]string{"all"}, GroupNames()...) }},
		{name: "transcript", usage: "transcript", help: "transcript of the task", run: show(ShowTranscript)},
		{name: "copy", usage: "copy", help: "copy the last answer", key: "y"},
		{name: "agents", usage: "agents [WORDS]", help: "all agents there are, or those with these words", run: (*State).cmdAgents, anywhere: true},
		{name: "all", usage: "all TEXT", help: "message to all under the task", run: (*State).cmdAll},
		{name: "inbox", usage: "inbox", help: "all tool calls that wait for an answer", run: (*State).cmdInbox, anywhere: true},
		{name: "review", usage: "review [done|archive|open|all|1h|tomorrow|change]", help: "what was declared complete; done, archived, open again, or snoozed", run: (*State).cmdReview, args: oneOf("done", "archive", "open", "all", "1h", "tomorrow", "change"), anywhere: true},
		{name: "trust", usage: "trust", help: "trust what this folder brings (asks first)", key: "T", anywhere: true},
		{name: "theme", usage: "theme NAME", help: "change the colours", run: (*State).cmdTheme, args: func(s *State, _ string) []string { return s.Config.Themes }, anywhere: true},
		{name: "help", usage: "help", help: "show all keys", key: "?", anywhere: true},
		{name: "quit", usage: "quit", help: "leave; agents go on", key: "q", anywhere: true},
	}, homeCommands()...)
}

func oneOf(words ...string) func(*State, string) []string {
	return func(*State, string) []string { return words }
}

// runCommand does what was typed after ":".
func (s *State) runCommand() []Effect {
	text := strings.TrimSpace(s.Input.Line.String())
	s.View.Mode = Normal
	if text == "" {
		return nil
	}
	s.Input.typed = remember(s.Input.typed, text)
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	var fit []command
	for _, c := range commands() {
		if c.name == word {
			fit = []command{c}
			break
		}
		if strings.HasPrefix(c.name, word) {
			fit = append(fit, c)
		}
	}
	switch {
	case len(fit) == 0:
		s.fail("no command " + word + "; :help lists them")
		return nil
	case len(fit) > 1:
		var all []string
		for _, c := range fit {
			all = append(all, c.name)
		}
		s.fail(word + " could be: " + strings.Join(all, ", "))
		return nil
	}
	if s.Listing() && !fit[0].anywhere { // what it does is to be seen
		s.closeLists()
	}
	if fit[0].key != "" {
		return s.press(fit[0].key)
	}
	return fit[0].run(s, arg)
}

// press does what the key of a task usually does, whatever keys a person has given it, or says why it cannot.
func (s *State) press(k Key) []Effect {
	for i := range s.given {
		b := &s.given[i]
		if b.Context != OnTask && b.Context != InTree || !slices.Contains(b.Keys, k) {
			continue
		}
		if b.Why != nil {
			if why := b.Why(s); why != "" {
				s.fail(why)
				return nil
			}
		}
		return b.Do(s)
	}
	return nil
}

func sendBy(k Key, d core.Delivery) func(*State, string) []Effect {
	return func(s *State, text string) []Effect {
		effects := s.press(k)
		if s.View.Mode != Composing || text == "" {
			return effects
		}
		kept := s.keepDraft()
		s.View.Mode = Normal
		s.Input.sent = remember(s.Input.sent, text)
		return append(kept, Send{Task: s.Input.Compose.Target, Text: text, Delivery: d})
	}
}

func show(w Show) func(*State, string) []Effect {
	return func(s *State, _ string) []Effect {
		if why := s.whyNoTask(); why != "" {
			s.fail(why)
			return nil
		}
		return s.turnTo(w)
	}
}

func (s *State) cmdNew(prompt string) []Effect {
	if prompt == "" {
		return s.startNew()
	}
	return []Effect{NewSession{Prompt: prompt}}
}

// mostForks is how many sessions one word starts: each costs.
const mostForks = 9

func (s *State) cmdFork(arg string) []Effect {
	count, prompt, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(count)
	if prompt = strings.TrimSpace(prompt); err != nil || n < 2 || n > mostForks || prompt == "" {
		s.fail(fmt.Sprintf("fork needs how many, 2 to %d, and what to do: fork 3 PROMPT", mostForks))
		return nil
	}
	return slices.Repeat([]Effect{NewSession{Prompt: prompt}}, n)
}

func (s *State) cmdAgents(words string) []Effect {
	s.openAgents()
	s.Agents.Filter = words
	s.Agents.rebuild()
	return nil
}

func (s *State) cmdCancel(arg string) []Effect {
	switch arg {
	case "":
		return s.press("x")
	case "only":
		return s.press("X")
	}
	s.fail("cancel takes nothing or: only")
	return nil
}

func (s *State) cmdApprove(arg string) []Effect {
	a, _ := s.Approval()
	switch {
	case a == nil:
		s.fail(s.Keyed("the selected task asks for nothing; {next-in-inbox} goes to the next that does"))
		return nil
	case s.whyNotAnswer() != "":
		s.fail(s.whyNotAnswer())
		return nil
	case arg == "":
		return s.approve(core.ScopeOnce)
	case arg == "always":
		return s.approve(core.ScopeAlways)
	}
	s.fail("approve takes nothing or: always")
	return nil
}

func (s *State) cmdDeny(reason string) []Effect {
	a, _ := s.Approval()
	if a == nil {
		s.fail(s.Keyed("the selected task asks for nothing; {next-in-inbox} goes to the next that does"))
		return nil
	}
	s.answer(a.Task, a.ID)
	return []Effect{Deny{Task: a.Task, Approval: a.ID, Reason: reason}}
}

func (s *State) cmdAutopilot(arg string) []Effect {
	if why := s.whyNoTask(); why != "" {
		s.fail(why)
		return nil
	}
	if arg != "on" && arg != "off" {
		s.fail("autopilot takes on or off")
		return nil
	}
	return []Effect{Autopilot{Task: s.selected().Session, On: arg == "on"}}
}

func (s *State) cmdModel(name string) []Effect {
	if why := s.whyNoTask(); why != "" {
		s.fail(why)
		return nil
	}
	if name == "" {
		s.fail("the session runs on " + s.sessionModel() + "; model takes provider/model, fast, balanced or powerful (drover models lists them)")
		return nil
	}
	return []Effect{Model{Task: s.selected().Session, Name: name}}
}

func (s *State) sessionModel() string {
	ses, _ := s.Tree.Session(s.selected().ID)
	return ses.Model
}

func (s *State) cmdTheme(name string) []Effect {
	if !slices.Contains(s.Config.Themes, name) {
		s.fail("themes: " + strings.Join(s.Config.Themes, ", "))
		return nil
	}
	s.Home.tried = ""
	return []Effect{Theme{Name: name}}
}

func (s *State) cmdFilter(words string) []Effect {
	s.Tree.Filter = words
	s.Tree.rebuild()
	return nil
}

// cmdGo takes an ID, a beginning of one, or a name; names in the selected session first.
func (s *State) cmdGo(to string) []Effect {
	if to == "" {
		s.fail("go where? a task's name or ID")
		return nil
	}
	s.Tree.parts.seek = ""
	best, rank := s.seek(to)
	switch {
	case rank < goExact && len(s.Tree.parts.rest) > 0: // an older session may have a better one
		s.Tree.parts.seek = to
		s.say("looking through older sessions for " + to + " …")
	case best == nil:
		s.fail("no task " + to)
	default:
		s.Tree.goTo(best.Task.ID)
	}
	return nil
}

// How well a task fits what was asked for.
const (
	goInTitle = iota + 1
	goIDBegins
	goName
	goExact // a name in the selected session
	goID
)

// seek finds the task that fits best, and how well it does.
func (s *State) seek(to string) (best *Node, rank int) {
	here := ""
	if n := s.Selected(); n != nil {
		here = n.Task.Session
	}
	for id, n := range s.Tree.nodes {
		r := 0
		switch name := core.CleanLine(n.Task.Label()); {
		case id == to:
			r = goID
		case name == to && n.Task.Session == here:
			r = goExact
		case name == to:
			r = goName
		case strings.HasPrefix(id, to):
			r = goIDBegins
		case strings.Contains(strings.ToLower(s.Title(n)), strings.ToLower(to)):
			r = goInTitle
		}
		if r > rank || r == rank && r > 0 && nearer(n, best) {
			best, rank = n, r
		}
	}
	return best, rank
}

// nearer reports of two tasks that fit alike whether a is meant rather than b: one at work, else the younger.
func nearer(a, b *Node) bool {
	if x, y := a.Task.Status == core.Running, b.Task.Status == core.Running; x != y {
		return x
	}
	if a.Task.Created != b.Task.Created {
		return a.Task.Created > b.Task.Created
	}
	return a.Task.ID < b.Task.ID
}

func (s *State) taskNames(string) []string {
	var l []string
	for _, n := range s.Tree.nodes {
		if name := core.CleanLine(n.Task.Label()); name != "main" {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return slices.Compact(l)
}
