package run

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"drover/core"
)

//go:embed grace.md
var graceText string

//go:embed remind.md
var remindText string

//go:embed empty.md
var emptyText string

// grace is the one answer an agent may give at a limit (agent-system,
// "Termination & Recovery"): what it hands in counts, anything else does not.
func (u *turn) grace(ctx context.Context, limit *core.Error) (core.Answer, error) {
	if err := u.cutShort("stopped at a limit before this call had ended. It may have had an effect."); err != nil {
		return core.Answer{}, err
	}
	partial := core.Answer{Text: u.lastText()}
	if u.graced {
		return partial, limit
	}
	u.graced = true
	if err := u.w.Reclaim(ctx); err != nil {
		return partial, err
	}
	if err := u.tell(fmt.Sprintf(strings.TrimSpace(graceText), limit.Message), core.EvLimit, u.t.Label()+" reached a limit: "+limit.Message); err != nil {
		return partial, err
	}
	gctx, stop := context.WithTimeout(ctx, u.limits.grace)
	defer stop()
	o := asking{set: []string{}}
	if u.result != nil {
		o.set, o.force = []string{ResultTool}, ResultTool
	}
	reply, err := u.ask(gctx, o)
	if ctx.Err() != nil {
		return partial, context.Cause(ctx)
	}
	if err != nil { // the grace is over, or the model fails: the limit is what counts
		if errors.Is(gctx.Err(), context.DeadlineExceeded) || core.CodeOf(err) != core.CodeStorage {
			return partial, limit
		}
		return partial, err
	}
	if u.result == nil {
		if strings.TrimSpace(reply.Text) == "" || len(reply.Calls) > 0 {
			return partial, limit
		}
		return u.late(reply.Text, limit)
	}
	if _, err := u.runCalls(gctx, u.only(reply.Calls)); err != nil {
		return partial, limit
	}
	if !u.result.done && !u.result.salvage([]string{reply.Text}) || u.result.failed != "" {
		return partial, limit
	}
	return u.late(u.result.text(), limit)
}

// late is an answer that was given at a limit.
func (u *turn) late(text string, limit *core.Error) (core.Answer, error) {
	a := core.Answer{Text: text, Handed: core.Handed{Partial: u.result == nil, Code: limit.Code}}
	if u.result != nil {
		a.Result = u.result.handed
	}
	return a, u.o.Registry.Note(u.t.ID, core.EvLimit, u.t.Label()+" handed in what it had at the limit", "")
}

// only leaves, of the calls of a grace turn, none but hand-ins: the set the
// turn is checked against is that of the result tool.
func (u *turn) only(calls []core.ToolCall) []core.ToolCall {
	u.set = []string{}
	return calls
}

// lastText is the last thing the agent said, or handed in in vain, in this turn.
func (u *turn) lastText() string {
	if strings.TrimSpace(u.text) != "" {
		return u.text
	}
	if u.result != nil && len(u.result.given) > 0 {
		return string(u.result.given)
	}
	texts := u.texts()
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// texts is what the agent has said in this turn, oldest first.
func (u *turn) texts() (out []string) {
	for _, e := range u.entries {
		if e.Turn == u.t.Turn && e.Kind == core.EntryAnswer && strings.TrimSpace(e.Text) != "" {
			out = append(out, e.Text)
		}
	}
	return out
}

// ended decides about an answer without calls: it is the turn's answer, or the
// agent is reminded (again), or the turn has failed.
func (u *turn) ended(reply core.ModelReply) (a core.Answer, again bool, err error) {
	switch {
	case u.result != nil:
		return u.missing()
	case strings.TrimSpace(reply.Text) == "" && u.t.Kind != core.KindMain:
		return u.empty(reply)
	}
	return core.Answer{Text: reply.Text}, false, nil
}

// missing reminds an agent that stopped without handing in, three times; then
// what it said is searched for a result; then the turn has failed.
func (u *turn) missing() (core.Answer, bool, error) {
	n := u.reminders("[reminder")
	if n < mostReminders {
		return core.Answer{}, true, u.tell(fmt.Sprintf(strings.TrimSpace(remindText), n+1, mostReminders), core.EvResult, fmt.Sprintf("%s stopped without a result: reminded (%d of %d)", u.t.Label(), n+1, mostReminders))
	}
	if u.result.salvage(u.texts()) {
		err := u.o.Registry.Note(u.t.ID, core.EvResult, u.t.Label()+" did not hand in: its result was taken from what it said", "")
		return core.Answer{Text: u.result.text(), Handed: core.Handed{Result: u.result.handed}}, false, err
	}
	u.graced = true
	return core.Answer{}, false, &core.Error{Code: core.CodeNoResult, Message: fmt.Sprintf("it stopped without handing in a result, after %d reminders", n), Hint: "read what it said; its result schema may be too hard for its model"}
}

// empty asks an agent that said nothing to say something.
func (u *turn) empty(reply core.ModelReply) (core.Answer, bool, error) {
	n := u.reminders("[reminder")
	if n < mostEmpty {
		return core.Answer{}, true, u.tell(fmt.Sprintf(strings.TrimSpace(emptyText), n+1, mostEmpty), core.EvResult, u.t.Label()+" gave an empty answer: asked again")
	}
	u.graced = true
	why := ""
	if reply.Stop != "" {
		why = " (the model stopped because of: " + core.Short(core.CleanLine(reply.Stop), 60) + ")"
	}
	return core.Answer{}, false, &core.Error{Code: core.CodeNoResult, Message: "there is no final answer, only empty ones" + why, Hint: "look at its transcript, or ask it again"}
}

func (u *turn) reminders(mark string) (n int) {
	for _, e := range u.entries {
		if e.Turn == u.t.Turn && e.Kind == core.EntryMessage && e.Sender == core.SenderSystem && strings.HasPrefix(e.Text, mark) {
			n++
		}
	}
	return n
}

// handedIn is the answer of a turn whose result was handed in.
func (u *turn) handedIn() (core.Answer, error) {
	r := u.result
	if r.failed != "" {
		u.graced = true
		return core.Answer{Text: u.lastText()}, &core.Error{Code: core.CodeSubagentFailed, Message: "the agent gave up: " + r.failed}
	}
	return core.Answer{Text: r.text(), Handed: core.Handed{Result: r.handed}}, nil
}

// cutShort commits what a turn leaves that is cut short: the text so far, and
// a result for every call that has none, so that the history stays sound.
func (u *turn) cutShort(why string) error {
	if err := u.load(); err != nil {
		return err
	}
	var out []core.Entry
	for _, c := range core.Dangling(u.entries) {
		out = append(out, core.Entry{Kind: core.EntryResult, CallID: c.ID, Tool: c.Name, Failed: true, Text: why})
	}
	if strings.TrimSpace(u.text) != "" {
		out = append(out, core.Entry{Kind: core.EntryAnswer, Text: u.text, Failed: true})
	}
	if len(out) == 0 {
		return nil
	}
	if err := u.o.Registry.Append(u.t.ID, core.Step{Entries: out}); err != nil {
		return err
	}
	return u.load()
}
