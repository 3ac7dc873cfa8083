package run

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"

	"drover/core"
)

//go:embed system.md
var systemText string

//go:embed autopilot.md
var autopilotText string

// What the model reads of a call that has no result of its own.
const (
	interruptedByMessage = "interrupted: a message arrived before this call had ended. It may have had an effect; look before you do it again."
	interruptedByCrash   = "interrupted: drover was stopped while this call ran. It may have had an effect; look before you do it again."
)

// history turns a transcript into the messages of a model call. What a summary
// stands for is left out, but for the task itself; the context that a hook
// gives goes before the prompt it was given for.
func history(entries []core.Entry) []core.Message {
	seen := visible(entries)
	out := make([]core.Message, 0, len(seen))
	for i := range seen {
		e := &seen[i]
		switch e.Kind {
		case core.EntrySummary:
			out = append(out, core.Message{Role: core.RoleUser, Text: e.Text, Sender: core.SenderSystem})
		case core.EntryMessage, core.EntryNotice:
			if e.Sender == core.SenderHook && len(out) == 1 {
				out[0].Text = e.Text + "\n\n" + out[0].Text
				continue
			}
			out = append(out, core.Message{Role: core.RoleUser, Text: e.Text, Sender: e.Sender})
		case core.EntryAnswer:
			m := core.Message{Role: core.RoleAssistant, Text: e.Text, Reasoning: e.Reasoning, Calls: e.Calls, Opaque: e.Opaque}
			if e.Failed {
				m.Text += "\n[cut short]"
			}
			out = append(out, m)
		case core.EntryResult:
			out = append(out, core.Message{Role: core.RoleTool, Text: e.Text, CallID: e.CallID, Tool: e.Tool, Failed: e.Failed})
		}
	}
	return out
}

// begun reports whether the call may have run: its row was written.
func (u *turn) begun(call string) bool {
	for i := len(u.entries) - 1; i >= 0; i-- {
		switch e := u.entries[i]; {
		case e.Kind == core.EntryCall && e.CallID == call:
			return true
		case e.Kind == core.EntryAnswer:
			return false
		}
	}
	return false
}

// system is the whole system prompt: the same in every call of a task, so that
// it can be cached, and the longer alike among tasks, the better: a task's own
// name comes last, and the day is the one on which it began.
func (u *turn) system() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(u.spec.System))
	fmt.Fprintf(&b, "\n\n%s\n\n- working directory: %s\n- platform: %s\n- date: %s\n", strings.TrimSpace(systemText), u.info.Dir, runtime.GOOS, u.t.Created.Format("2006-01-02, Monday"))
	if u.policy != "" {
		b.WriteString("\n" + strings.TrimSpace(u.policy) + "\n")
	}
	if u.info.Autopilot {
		b.WriteString("\n" + strings.TrimSpace(autopilotText) + "\n")
	}
	fmt.Fprintf(&b, "\nYou are task %s (%s).\n", u.t.ID, u.t.Label())
	return b.String()
}

// answered returns the turn's answer where the rows end with it.
func (u *turn) answered() (string, bool) {
	if len(u.entries) == 0 {
		return "", false
	}
	e := u.entries[len(u.entries)-1]
	return e.Text, e.Kind == core.EntryAnswer && e.Turn == u.t.Turn && len(e.Calls) == 0 && !e.Failed
}
