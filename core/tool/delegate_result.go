package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"drover/core"
)

// childText is what a call tells its caller of a child that it started; bad
// where the child came to no good end.
func childText(c child, res core.AgentResult) (text string, bad bool) {
	var b strings.Builder
	switch t := res.Task; {
	case res.Why == core.WhyPromoted:
		fmt.Fprintf(&b, "%s was moved to the background and goes on there (%d tool calls so far).\n%s", t.Label(), t.ToolCalls, startedText(t))
	case res.Why == core.WhyStatus:
		b.WriteString(startedText(t))
	case len(res.Turns) > 0 && (t.Status == core.Running || t.Status == core.Idle):
		turn := res.Turns[0]
		b.WriteString(turnText(turn))
		bad = turn.Partial && turn.Response == "" && !given(turn.Result)
		fmt.Fprintf(&b, "\n\n(agent_id: %s; it is idle and takes follow-ups through write_agent)", t.ID)
	default:
		text, bad = endedText(t, res.Turns)
		b.WriteString(text)
	}
	for _, n := range c.notes {
		fmt.Fprintf(&b, "\n(note: %s)", core.CleanLine(n))
	}
	return b.String(), bad
}

func startedText(t core.Task) string {
	return fmt.Sprintf("%s works in the background.\nagent_id: %s\nA notice will tell you when it answers: go on with other work, and do not poll.", t.Label(), t.ID)
}

// turnText is a turn's answer: the result that fits a schema where there is
// one, how it was stopped, and where the whole of it lies.
func turnText(t core.Turn) string {
	var parts []string
	if t.Partial {
		line := fmt.Sprintf("(partial: the turn was stopped, %s", t.Code)
		if cause, _, _ := core.Describe(t.Code); cause != "" {
			line += ": " + cause
		}
		parts = append(parts, line+". This is what there was by then.)")
	}
	result := compact(t.Result)
	if text := strings.TrimSpace(t.Response); text != "" && compact(json.RawMessage(text)) != result || result == "" {
		parts = append(parts, t.Response)
	}
	if result != "" {
		parts = append(parts, result)
	}
	if t.Full != "" {
		parts = append(parts, "(cut; the whole text is in "+t.Full+", which read_file opens)")
	}
	return strings.Join(parts, "\n\n")
}

// compact is the JSON in one line, or "" where it is none.
func compact(v json.RawMessage) string {
	var b bytes.Buffer
	if !given(v) || json.Compact(&b, v) != nil {
		return ""
	}
	return b.String()
}

// endedText tells how a task ended, with what it had by then: text that its
// parent can use, and not an exception (cases gem-run-039).
func endedText(t core.Task, turns []core.Turn) (text string, bad bool) {
	var b strings.Builder
	switch t.Status {
	case core.Cancelled:
		fmt.Fprintf(&b, "Subagent '%s' (%s) was %s", t.Label(), t.ID, first(t.Error, "cancelled"))
	case core.Failed:
		fmt.Fprintf(&b, "Subagent '%s' failed.\nagent_id: %s\ncode: %s\nmessage: %s", t.Label(), t.ID, t.ErrorCode, t.Error)
		if _, remedy, again := core.Describe(t.ErrorCode); remedy != "" {
			fmt.Fprintf(&b, "\nremedy: %s", remedy)
			if again {
				b.WriteString(" (trying again may help)")
			}
		}
	default:
		fmt.Fprintf(&b, "%s (%s) is %s", t.Label(), t.ID, t.Status)
	}
	if n := len(turns); n > 0 {
		last := turns[n-1]
		last.Partial = false // the code above says it
		if had := strings.TrimSpace(turnText(last)); had != "" {
			b.WriteString("\n\nWhat it had by then:\n" + had)
		}
	}
	return b.String(), t.Status != core.Completed
}
