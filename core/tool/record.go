package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"drover/core"
)

const (
	sessionsRead = 500       // of task_list, the newest
	replayBytes  = 24 << 10  // of one page
	replayEntry  = 1500      // of one row of a transcript
	replayRows   = 2000      // read for one page
	oldType      = "general" // of rows from before tasks had a type
	notifyRunes  = 2000
)

// recorder is what the tools for the record need; *core.Registry is one.
type recorder interface {
	View(func(core.Reader) error) error
	Session() core.Session
	Notify(id, text string) (told bool, err error)
}

// Record makes the tools that look at what has been done, in any session, and
// the one that tells of progress.
func Record(e recorder) []core.Tool {
	return []core.Tool{
		taskList{define("task_list", core.Reads), e}, taskReplay{define("task_replay", core.Reads), e}, notify{define("notify", core.Steers), e},
	}
}

type taskList struct {
	def
	e recorder
}

type taskListArgs struct {
	Session    string
	Status     string
	AgentType  string `json:"agent_type"`
	Words      string
	Everywhere bool
	Limit      int
	Offset     int
}

func (t taskList) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(strings.TrimSpace(field(args, "session")+" "+field(args, "words"))), subjectBytes)
}

func (t taskList) Run(ctx context.Context, _ core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := taskListArgs{Limit: 20}
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	var b strings.Builder
	found := 0
	dir := t.e.Session().Dir // before rows are read: the lock of the registry is not taken while a reader is held
	err := t.e.View(func(r core.Reader) error {
		sessions, err := a.sessions(r, dir)
		if err != nil {
			return err
		}
		for _, s := range sessions {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			tasks, err := r.Tasks(core.TaskFilter{Session: s.ID})
			if err != nil {
				return err
			}
			for _, o := range tasks {
				if !a.wants(o) {
					continue
				}
				if found++; found > a.Offset && found <= a.Offset+a.Limit {
					b.WriteString(taskLine(s, o))
				}
			}
		}
		return nil
	})
	switch {
	case core.CodeOf(err) == core.CodeNotFound:
		return refusal(err), nil
	case err != nil:
		return core.ToolResult{}, err
	case found == 0:
		return done("no such tasks"), nil
	case b.Len() == 0:
		return done(fmt.Sprintf("there are only %s", plural(found, "such task"))), nil
	case found > a.Offset+a.Limit:
		fmt.Fprintf(&b, "(%d to %d of %d; offset %d goes on)\n", a.Offset+1, a.Offset+a.Limit, found, a.Offset+a.Limit)
	}
	return done(b.String()), nil
}

func (a taskListArgs) sessions(r core.Reader, dir string) ([]core.Session, error) {
	if a.Session != "" {
		s, err := r.Session(a.Session)
		return []core.Session{s}, err
	}
	all, err := r.Sessions(sessionsRead)
	if a.Everywhere {
		return all, err
	}
	return slices.DeleteFunc(all, func(s core.Session) bool { return s.Dir != dir }), err
}

func (a taskListArgs) wants(t core.Task) bool {
	text := strings.ToLower(t.Name + " " + t.Description + " " + t.Error + " " + t.Summary)
	for word := range strings.FieldsSeq(strings.ToLower(a.Words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return (a.Status == "" || string(t.Status) == a.Status) && (a.AgentType == "" || strings.EqualFold(typeOf(t), a.AgentType))
}

// typeOf is a task's agent type; rows from before there were types are general.
func typeOf(t core.Task) string { return cmp.Or(t.Agent, oldType) }

func taskLine(s core.Session, t core.Task) string {
	what := string(t.Status)
	if t.ErrorCode != "" {
		what += ", " + string(t.ErrorCode)
	}
	started := "not begun"
	if !t.Started.IsZero() {
		started = t.Started.Local().Format("2006-01-02 15:04")
	}
	name := ""
	if t.Name != "" {
		name = " " + cut(core.CleanLine(t.Name), 60)
	}
	return fmt.Sprintf("- %s%s%s (%s, session %s, %s): %s; %s, %d tool calls: %s\n", strings.Repeat("  ", min(t.Depth, 8)), t.ID, name,
		core.CleanLine(typeOf(t)), s.ID, started, what, plural(t.Turn, "turn"), t.ToolCalls, cut(core.CleanLine(t.Description), 150))
}

type taskReplay struct {
	def
	e recorder
}

type replayArgs struct {
	Task  string
	After int64
	Turn  int
}

func (t taskReplay) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "task")), subjectBytes)
}

func (t taskReplay) Run(ctx context.Context, _ core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a replayArgs
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	var text string
	err := t.e.View(func(r core.Reader) (err error) {
		text, err = a.replay(r)
		return err
	})
	switch code := core.CodeOf(err); {
	case err == nil:
		return done(text), ctx.Err()
	case code == core.CodeNotFound || code == core.CodeInvalidInput:
		return refusal(err), nil
	}
	return core.ToolResult{}, err
}

func (a replayArgs) replay(r core.Reader) (string, error) {
	task, err := anyTask(r, a.Task)
	if err != nil {
		return "", err
	}
	s, err := r.Session(task.Session)
	if err != nil {
		return "", err
	}
	entries, err := r.Entries(task.ID, a.After, replayRows)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(taskLine(s, task), "- "))
	if task.Error != "" {
		fmt.Fprintf(&b, "error: %s\n", cut(core.CleanLine(task.Error), 500))
	}
	turn, shown := 0, 0
	for i, e := range entries {
		if a.Turn > 0 && e.Turn != a.Turn {
			continue
		}
		text := entryText(e)
		if shown > 0 && b.Len()+len(text) > replayBytes {
			fmt.Fprintf(&b, "\n(there is more; after %d goes on)\n", entries[i-1].Seq)
			return b.String(), nil
		}
		if e.Turn != turn {
			turn = e.Turn
			fmt.Fprintf(&b, "\n## turn %d\n", turn)
		}
		b.WriteString(text)
		shown++
	}
	switch {
	case len(entries) == replayRows:
		fmt.Fprintf(&b, "\n(there may be more; after %d goes on)\n", entries[len(entries)-1].Seq)
	case shown == 0:
		b.WriteString("\n(nothing more)\n")
	default:
		b.WriteString("\n(end)\n")
	}
	return b.String(), nil
}

// anyTask finds a task of any session by its ID or the beginning of one.
func anyTask(r core.Reader, ref string) (core.Task, error) {
	ref = strings.TrimSpace(ref)
	ids, err := r.TaskIDs(ref, 5)
	switch {
	case err != nil:
		return core.Task{}, err
	case ref == "" || len(ids) == 0:
		return core.Task{}, &core.Error{Code: core.CodeNotFound, Message: "no task " + quoted(cut(core.CleanLine(ref), 60)), Hint: "task_list shows the tasks there are"}
	case len(ids) > 1 && !slices.Contains(ids, ref):
		return core.Task{}, core.Errorf(core.CodeInvalidInput, "several tasks begin so: %s", strings.Join(ids, ", "))
	case slices.Contains(ids, ref):
		return r.Task(ref)
	}
	return r.Task(ids[0])
}

// entryText is one row of a transcript, marked so that no text in it looks like another row.
func entryText(e core.Entry) string {
	text := core.Clean(e.Text)
	if len(text) > replayEntry {
		text = cut(text, replayEntry) + " (" + size(int64(len(e.Text))) + ")"
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
	took := ""
	if e.Took >= time.Millisecond {
		took = ", " + e.Took.Round(time.Millisecond).String()
	}
	head := ""
	switch e.Kind {
	case core.EntryMessage:
		head = cmp.Or(e.Sender, "somebody") + " writes"
	case core.EntryNotice:
		head = "drover tells"
	case core.EntryAnswer:
		head = "the agent answers"
	case core.EntryCall:
		head = "calls " + e.Tool
	case core.EntryResult:
		head = "result of " + e.Tool
	default:
		head = "note"
	}
	if e.Failed {
		head += ", failed"
	}
	if e.Kind == core.EntryAnswer && text == "" { // its calls follow as rows of their own
		return ""
	}
	return fmt.Sprintf("%d %s%s: %s\n", e.Seq, core.CleanLine(head), took, text)
}

type notify struct {
	def
	e recorder
}

func (t notify) Subject(args json.RawMessage) string {
	return cut(core.CleanLine(field(args, "message")), subjectBytes)
}

func (t notify) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	var a struct{ Message string }
	if r, err := t.decode(args, &a); r != nil || err != nil {
		return orNone(r), err
	}
	text := strings.TrimSpace(core.Clean(a.Message))
	switch {
	case text == "":
		return failed("notify: message is empty"), nil
	case utf8.RuneCountInString(text) > notifyRunes:
		return failed("notify: the message is longer than %d characters; say the rest in your answer", notifyRunes), nil
	}
	told, err := t.e.Notify(env.Task, text)
	switch {
	case err != nil:
		return core.ToolResult{}, err
	case told:
		return done("shown, and told to the agent that started you"), ctx.Err()
	}
	return done("shown"), ctx.Err()
}
