package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"drover/core"
)

// longestWait is how long read_agent waits at most.
const longestWait = 600 * time.Second

type readAgent struct {
	def
	e Engine
}

type readArgs struct {
	AgentID   string  `json:"agent_id"`
	Wait      bool    `json:"wait"`
	Timeout   float64 `json:"timeout"`
	SinceTurn int     `json:"since_turn"`
}

func (t readAgent) Subject(args json.RawMessage) string { return field(args, "agent_id") }

// Run reads, and consumes nothing: the next reader finds the same.
func (t readAgent) Run(ctx context.Context, env core.ToolEnv, args json.RawMessage) (core.ToolResult, error) {
	a := readArgs{Timeout: 30}
	if refused, err := t.decode(args, &a); refused != nil || err != nil {
		return deref(refused), err
	}
	task, err := t.e.Find(a.AgentID)
	switch {
	case core.CodeOf(err) == core.CodeNotFound: // asking is no error (case smd-run-021)
		return done(fmt.Sprintf("status: not_found\nThere is no agent %q in this session; list_agents shows those there are.", core.Short(core.CleanLine(a.AgentID), 60))), nil
	case err != nil:
		return told(err)
	case a.Wait && task.ID == env.Task:
		return refusal(core.Errorf(core.CodeInvalidInput, "an agent does not wait for itself")), nil
	}
	w := core.WaitFor{Since: a.SinceTurn, Reader: env.Task}
	if a.Wait {
		w.Timeout = seconds(a.Timeout, longestWait)
	}
	read := func() (core.AgentResult, error) { return t.e.GetAgentResult(ctx, task.ID, w) }
	var res core.AgentResult
	if w.Timeout > 0 {
		res, err = waiting(env, core.ActChildren, task.Label(), read)
	} else {
		res, err = read()
	}
	if err != nil {
		return core.ToolResult{}, err
	}
	return done(resultText(res, a.SinceTurn, w.Timeout)), nil
}

// resultText is a task's state in a line, how it ended, and its turns.
func resultText(res core.AgentResult, since int, waited time.Duration) string {
	t := res.Task
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s) is %s, turn %d, %d tool calls, %s of work.", t.Label(), t.ID, t.Agent, stateText(t), t.Turn, t.ToolCalls, elapsed(t))
	switch {
	case res.Why == core.WhyTimeout:
		fmt.Fprintf(&b, " The wait of %s ran out, which is no error; a notice will come when it answers.", waited)
	case res.Why == core.WhyCircle:
		fmt.Fprintf(&b, " You cannot wait for it: it waits for you (%s). End your turn with your answer, or go on with other work.", core.CleanLine(strings.Join(res.Circle, " → ")))
	case res.Why == core.WhyPromoted:
		b.WriteString(" It was moved to the background; a notice will come when it answers.")
	case t.Status == core.Running:
		b.WriteString(" A notice will come when it answers: go on with other work, and do not poll.")
	case t.Status.Terminal():
		text, _ := endedText(t, nil)
		b.WriteString("\n" + text)
	case t.ErrorCode != "":
		fmt.Fprintf(&b, " Its last turn failed (%s): %s", t.ErrorCode, t.Error)
	}
	if since > t.Turn {
		fmt.Fprintf(&b, "\nThere is no turn after %d yet: the last is %d.", since, t.Turn)
	}
	for _, turn := range res.Turns {
		fmt.Fprintf(&b, "\n\n## turn %d", turn.N)
		if turn.N > 1 {
			fmt.Fprintf(&b, " (%s: %s)", turn.Sender, core.Short(core.CleanLine(turn.Prompt), 200))
		}
		b.WriteString("\n" + turnText(turn))
	}
	return b.String()
}

// stateText is the status, and what a running task is doing.
func stateText(t core.Task) string {
	if t.Activity == core.ActNone {
		return string(t.Status)
	}
	return fmt.Sprintf("%s (%s)", t.Status, core.CleanLine(strings.TrimSpace(string(t.Activity)+" "+t.Detail)))
}

func elapsed(t core.Task) string { return t.Elapsed(time.Now()).Round(time.Second).String() }
