package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Small pieces that Client and Registry write rows with.

func freshID(r Reader, next func() string) (string, error) {
	for range idRetries {
		id := next()
		if _, err := r.Task(id); CodeOf(err) == CodeNotFound {
			return id, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", Errorf(CodeInternal, "no free task ID after %d tries", idRetries)
}

// insertTask writes a task with its first turn and that one's first entry, the spec's prompt.
func insertTask(tx Tx, t *Task, sp Spec) (first []Entry, err error) {
	if err := tx.InsertTask(*t, sp); err != nil || t.Turn == 0 {
		return nil, err
	}
	if err := tx.PutTurn(Turn{Task: t.ID, N: t.Turn, Prompt: sp.Prompt, Sender: t.Opener, Started: t.Created}); err != nil {
		return nil, err
	}
	e := Entry{Task: t.ID, Seq: 1, Turn: t.Turn, Kind: EntryMessage, At: t.Created, Sender: t.Opener, Text: storable(sp.Prompt)}
	_, err = tx.AppendEntry(e)
	return []Entry{e}, err
}

func insertRequest(tx Tx, r *Request) error {
	id, err := tx.InsertRequest(*r)
	if err != nil {
		return err
	}
	r.ID = id
	return requestEvent(tx, *r, r.Created)
}

// undelivered are the messages of a session that wait for a host, or a task.
func undelivered(r Reader, session string) ([]Request, error) {
	return r.Requests(RequestFilter{Session: session, States: []RequestState{ReqQueued}, Kinds: []RequestKind{ReqMessage}})
}

// leftBehind reports whether a session without a host has work: a task that was
// running, or a message that waits. An idle task of it stands for the session.
func leftBehind(r Reader, session string) (bool, error) {
	waiting, err := undelivered(r, session)
	if err != nil || len(waiting) > 0 {
		return len(waiting) > 0, err
	}
	live, err := r.Tasks(TaskFilter{Session: session, Live: true})
	return slices.ContainsFunc(live, func(t Task) bool { return t.Status == Running }), err
}

func requestEvent(tx Tx, r Request, at time.Time) error {
	text := string(r.Kind) + " " + string(r.State)
	if r.State == ReqRefused {
		text += ": " + r.Outcome
	}
	_, err := tx.AppendEvent(Event{
		Session: r.Session, Task: r.Task, At: at, Kind: EvRequest, Text: text, Ref: RequestRef(r.ID),
		Notable: r.State == ReqRefused || r.State == ReqWithdrawn,
	})
	return err
}

func checkMessage(s string) (string, error) {
	switch {
	case len(s) > MaxMessage:
		return "", &Error{Code: CodeInvalidInput, Message: fmt.Sprintf("the message is %d bytes long; the limit is %d", len(s), MaxMessage), Hint: "put the text in a file and name the file in the message"}
	case strings.TrimSpace(s) == "":
		return "", &Error{Code: CodeInvalidInput, Message: "the message is empty", Hint: "say what the agent should do"}
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return "", &Error{Code: CodeInvalidInput, Message: "the message is not text (it holds bytes that are no UTF-8, or NUL)", Hint: "put the data in a file and name the file in the message"}
	}
	return strings.TrimRight(s, " \t\r\n"), nil
}

func title(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return Short(CleanLine(line), 80)
}

// Short cuts s to at most n runes, with an ellipsis where something is missing.
func Short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

func jsonOf(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil // only plain data comes here
	}
	return b
}

func quote(s string) string { return fmt.Sprintf("%q", Short(CleanLine(s), 40)) }

// named puts the task's ID and name before a refusal.
func named(err error, t *Task) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("%s (%s): %s", t.ID, t.Label(), e.Message)
	return &c
}

func promotable(t *Task) error {
	if t.Mode == Background {
		return named(&Error{Code: CodeWrongStatus, Message: "it is in the background already: nobody waits for it"}, t)
	}
	return nil
}

func endable(t *Task, tasks []Task) error {
	if t.Status == Running {
		return named(&Error{Code: CodeWrongStatus, Message: "the task is still running", Hint: "wait for it, or cancel it"}, t)
	}
	for _, d := range Descendants(tasks, t.ID) {
		if d.Status == Running {
			return named(&Error{Code: CodeWrongStatus, Message: "its child " + d.ID + " (" + d.Label() + ") is still running", Hint: "wait for it, or cancel it"}, t)
		}
	}
	return nil
}

func decidable(r Reader, ref string) error {
	id, ok := ParseRef('a', ref)
	if !ok {
		return &Error{Code: CodeInvalidInput, Message: quote(ref) + " is no approval", Hint: "drover ps shows which tasks need you"}
	}
	as, err := r.Approvals(ApprovalFilter{IDs: []int64{id}})
	if err != nil {
		return err
	}
	if len(as) == 0 {
		return &Error{Code: CodeNotFound, Message: "no approval " + ApprovalRef(id), Hint: "drover ps shows which tasks need you"}
	}
	if as[0].State != AppPending {
		return &Error{Code: CodeWrongStatus, Message: ApprovalRef(id) + " has already been decided: " + string(as[0].State)}
	}
	return nil
}

// Descendants returns the tasks under id, parents before children; tasks must come so too.
func Descendants(tasks []Task, id string) []Task {
	in := map[string]bool{id: true}
	var out []Task
	for _, t := range tasks {
		if t.Parent != "" && in[t.Parent] {
			in[t.ID] = true
			out = append(out, t)
		}
	}
	return out
}
