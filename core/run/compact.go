package run

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"drover/core"
)

//go:embed summarise.md
var summariseText string

// visible is the transcript as the model sees it: the first message, the last
// summary, and what came after the rows it stands for.
func visible(entries []core.Entry) []core.Entry {
	at := -1
	for i := len(entries) - 1; i >= 0 && at < 0; i-- {
		if entries[i].Kind == core.EntrySummary {
			at = i
		}
	}
	if at < 0 {
		return entries
	}
	out := []core.Entry{entries[0], entries[at]}
	for i, e := range entries {
		if e.Seq > entries[at].Upto && i > 0 && e.Kind != core.EntrySummary {
			out = append(out, e)
		}
	}
	return out
}

// tokens is a guess, on the safe side, of what a text costs a model.
func tokens(n int) int64 { return int64(n)/3 + 1 }

func weigh(e *core.Entry) int64 {
	switch e.Kind {
	case core.EntryCall, core.EntryNote:
		return 0
	}
	n := len(e.Text) + len(e.Opaque)
	for _, c := range e.Calls {
		n += len(c.Name) + len(c.Args) + 20
	}
	return tokens(n) + 4
}

// weight is a guess of how many tokens the next model call sends.
func (u *turn) weight() (n int64) {
	n = tokens(len(u.system()))
	for _, name := range u.set {
		if tool, ok := u.o.Tools.Get(name); ok {
			spec := tool.Spec()
			n += tokens(len(spec.Description) + len(spec.Schema))
		}
	}
	for _, e := range visible(u.entries) {
		n += weigh(&e)
	}
	return n
}

// fit shortens the history where the next call would fill more than four
// fifths of the model's window (must: the provider has refused it).
func (u *turn) fit(ctx context.Context, must bool) error {
	window := int64(0)
	if u.o.Window != nil {
		window = u.o.Window(u.t.Model)
	}
	if window <= 0 && !must {
		return nil
	}
	heavy := u.weight()
	if must && (window <= 0 || window > heavy) {
		window = heavy // it was too much for the model, whatever its window is said to be
	}
	if heavy < window*4/5 {
		return nil
	}
	return u.compact(ctx, window, must || heavy >= window*19/20)
}

// compact puts a summary in the place of the older rows. A model writes it; where
// that fails a list of the steps has to do, at once if it is urgent, else at the
// next step. The system prompt, the task, open todos and the last steps stay;
// no call is parted from its result.
func (u *turn) compact(ctx context.Context, window int64, urgent bool) error {
	old := u.older(window * 3 / 10)
	if len(old) == 0 {
		return nil
	}
	if err := u.o.Registry.SetActivity(u.t.ID, core.ActCompacting, ""); err != nil {
		return err
	}
	summary, err := "", error(nil)
	if !u.digest {
		if summary, err = u.summary(ctx, old, window); err != nil {
			if ctx.Err() != nil || core.CodeOf(err) == core.CodeStorage {
				return err
			}
			u.digest = true
			if nerr := u.o.Registry.Note(u.t.ID, core.EvCompacted, u.t.Label()+": the model could not shorten the history: "+err.Error(), ""); nerr != nil {
				return nerr
			}
			if !urgent {
				return u.o.Registry.SetActivity(u.t.ID, core.ActModel, "")
			}
		}
	}
	how := "by its model"
	if summary == "" {
		summary, how, u.digest = digest(old, int(window/2)), "to a list of its steps", false
	}
	todos, err := u.todos()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("[summary] What came before was shortened to this:\n%s%s", summary, todos)
	row := core.Entry{Kind: core.EntrySummary, Sender: core.SenderSystem, Text: u.o.Mask(text), Upto: old[len(old)-1].Seq}
	if err := u.o.Registry.Append(u.t.ID, core.Step{Entries: []core.Entry{row}, Activity: core.ActModel}); err != nil {
		return err
	}
	before := u.weight()
	if err := u.load(); err != nil {
		return err
	}
	return u.o.Registry.Note(u.t.ID, core.EvCompacted, fmt.Sprintf("%s: the history was shortened %s, from about %d to %d tokens", u.t.Label(), how, before, u.weight()), "")
}

// older are the visible rows that a summary may stand for: all but the first
// message and the last steps, which may weigh up to keep. It ends where a step ends.
func (u *turn) older(keep int64) []core.Entry {
	rows := visible(u.entries)
	if len(rows) < 3 {
		return nil
	}
	cut, weight := len(rows), int64(0)
	for i := len(rows) - 1; i > 0; i-- {
		weight += weigh(&rows[i])
		if weight > keep && cut < len(rows) {
			break
		}
		if begins(rows[i]) {
			cut = i
		}
	}
	if cut == len(rows) || cut < 2 {
		return nil
	}
	if rows[1].Kind == core.EntrySummary && cut == 2 {
		return nil // nothing but the last summary would be shortened
	}
	return rows[1:cut]
}

// begins reports whether a step begins here, so that everything before it is whole.
func begins(e core.Entry) bool {
	return e.Kind == core.EntryAnswer || e.Kind == core.EntryMessage || e.Kind == core.EntryNotice
}

// summary asks the model to shorten the rows.
func (u *turn) summary(ctx context.Context, old []core.Entry, window int64) (string, error) {
	model, name, err := u.o.Model(u.t.Model)
	if err != nil {
		return "", err
	}
	record := digest(old, int(window)) // three bytes a token: a third of the window
	req := core.ModelRequest{
		Model: name, System: strings.TrimSpace(summariseText), Task: u.info, Wait: u.wait,
		Messages: []core.Message{{Role: core.RoleUser, Text: "The record:\n\n" + record}},
	}
	reply, err := model.Stream(ctx, req, func(core.Delta) { u.clock.touch() })
	if err != nil {
		return "", err
	}
	if err := u.o.Registry.Append(u.t.ID, core.Step{Tokens: reply.Tokens}); err != nil {
		return "", err
	}
	text := strings.TrimSpace(reply.Text)
	switch {
	case text == "":
		return "", core.Errorf(core.CodeModel, "it gave no summary")
	case len(text) > len(record):
		return "", core.Errorf(core.CodeModel, "its summary is longer than what it stands for")
	}
	return text, nil
}

// digest lists rows in at most about room bytes: of long texts the beginning.
func digest(rows []core.Entry, room int) string {
	each := max(room/max(len(rows), 1), 120)
	var b strings.Builder
	for _, e := range rows {
		text := core.Short(strings.TrimSpace(e.Text), each)
		switch e.Kind {
		case core.EntrySummary:
			fmt.Fprintf(&b, "(earlier) %s\n", core.Short(e.Text, max(each, room/3)))
		case core.EntryMessage, core.EntryNotice:
			fmt.Fprintf(&b, "%s: %s\n", e.Sender, text)
		case core.EntryAnswer:
			if text != "" {
				fmt.Fprintf(&b, "agent: %s\n", text)
			}
			for _, c := range e.Calls {
				fmt.Fprintf(&b, "agent calls %s %s\n", c.Name, core.Short(string(c.Args), min(each, 300)))
			}
		case core.EntryResult:
			word := "gave"
			if e.Failed {
				word = "failed"
			}
			fmt.Fprintf(&b, "%s %s: %s\n", e.Tool, word, text)
		}
	}
	return b.String()
}

// todos lists the session's open todos for the main task.
func (u *turn) todos() (string, error) {
	if u.t.Kind != core.KindMain {
		return "", nil
	}
	list, err := u.o.Registry.Todos()
	var b strings.Builder
	for _, d := range list {
		if d.Open() {
			fmt.Fprintf(&b, "\n- %s: %s (%s)", d.ID, d.Title, d.Status)
		}
	}
	if b.Len() == 0 {
		return "", err
	}
	return "\n\nOpen todos:" + b.String(), err
}
