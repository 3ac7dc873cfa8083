package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drover/core"
)

// mostVetoes of stop hooks in one turn; then the answer stands.
const mostVetoes = 8

// hook runs a person's commands for one moment; every one that has something
// to tell is an event. The task holds no slot meanwhile.
func (u *turn) hook(ctx context.Context, e core.HookEvent) (core.HookOutcome, error) {
	if u.o.Hooks == nil {
		return core.HookOutcome{}, nil
	}
	e.Session, e.Task, e.Parent, e.Kind, e.Dir = u.info.Session, u.t.ID, u.t.Parent, u.t.Kind, u.info.Dir
	e.Agent, e.DisplayName, e.Description = u.t.Agent, u.agent.DisplayName, u.agent.Description
	if e.DisplayName == "" {
		e.DisplayName = e.Agent
	}
	e.Transcript = u.writeTranscript
	defer u.clock.hold(core.ActHook)()
	out, err := u.o.Hooks.Run(ctx, e)
	if len(out.Ran) > 0 { // that took time
		u.delivered = false
	}
	for _, ran := range out.Ran {
		if ran.Problem == "" {
			continue
		}
		text := fmt.Sprintf("hook %s at %s broke: %s", ran.Name, e.Point, ran.Problem)
		if nerr := u.o.Registry.Note(u.t.ID, core.EvHook, text, ""); nerr != nil {
			return out, nerr
		}
	}
	return out, err
}

// started runs subagentStart before a subagent's first turn begins.
func (u *turn) started(ctx context.Context) error {
	if u.o.Hooks == nil || u.t.Kind == core.KindMain || u.t.Turn != 1 || u.stepsSoFar() > 0 || u.hooked() > 0 {
		return nil
	}
	out, err := u.hook(ctx, core.HookEvent{Point: core.HookSubagentStart})
	if err != nil || strings.TrimSpace(out.Context) == "" {
		return err
	}
	return u.fromHook(out.Context, u.t.Label()+" was given more context by a hook")
}

// fromHook puts a hook's words into the transcript.
func (u *turn) fromHook(text, event string) error {
	row := core.Entry{Kind: core.EntryMessage, Sender: core.SenderHook, Delivery: core.Steer, Text: core.Clean(text)}
	if err := u.o.Registry.Append(u.t.ID, core.Step{Entries: []core.Entry{row}}); err != nil {
		return err
	}
	if err := u.o.Registry.Note(u.t.ID, core.EvHook, event, ""); err != nil {
		return err
	}
	return u.load()
}

// hooked counts the messages of hooks in this turn.
func (u *turn) hooked() (n int) {
	for _, e := range u.entries {
		if e.Turn == u.t.Turn && e.Kind == core.EntryMessage && e.Sender == core.SenderHook {
			n++
		}
	}
	return n
}

// vetoes counts those that came after an answer.
func (u *turn) vetoes() (n int) {
	answered := false
	for _, e := range u.entries {
		if e.Turn != u.t.Turn {
			continue
		}
		answered = answered || e.Kind == core.EntryAnswer
		if answered && e.Kind == core.EntryMessage && e.Sender == core.SenderHook {
			n++
		}
	}
	return n
}

// stops asks the stop hooks about an answer: a veto with a reason is another
// round of the same turn (agent-and-task-orchestration, "Stop hooks").
func (u *turn) stops(ctx context.Context, a core.Answer) (core.Answer, bool, error) {
	if u.o.Hooks == nil {
		return a, false, nil
	}
	vetoes := u.vetoes()
	out, err := u.hook(ctx, core.HookEvent{Point: u.stopPoint(), StopReason: "end_turn", Response: a.Text, Active: vetoes > 0})
	switch {
	case err != nil || !out.Block:
		return a, false, err
	case vetoes >= mostVetoes:
		return a, false, u.o.Registry.Note(u.t.ID, core.EvHook, fmt.Sprintf("hooks have blocked this turn %d times: the answer stands", vetoes), "")
	}
	reason := out.Reason
	if strings.TrimSpace(reason) == "" {
		reason = "A stop hook does not let you stop yet; it gave no reason."
	}
	if u.result != nil {
		u.result.done, u.result.handed = false, nil
	}
	return a, true, u.fromHook(reason, u.t.Label()+" would stop, and a hook blocked it: "+core.Short(core.CleanLine(reason), 160))
}

// stopped tells the stop hooks of a turn that was stopped at a limit; they cannot undo it.
func (u *turn) stopped(ctx context.Context, limit *core.Error) error {
	if u.o.Hooks == nil {
		return nil
	}
	_, err := u.hook(ctx, core.HookEvent{Point: u.stopPoint(), StopReason: string(limit.Code), Response: u.lastText()})
	if core.CodeOf(err) == core.CodeHookFailed {
		return nil // the turn has failed already, and the event says so
	}
	return err
}

func (u *turn) stopPoint() core.HookPoint {
	if u.t.Kind == core.KindMain {
		return core.HookAgentStop
	}
	return core.HookSubagentStop
}

// completed tells the hooks of a completion.
func (u *turn) completed(ctx context.Context) error {
	if u.o.Hooks == nil {
		return nil
	}
	t, err := u.o.Registry.Task(u.t.ID)
	if err != nil || t.Outcome == "" {
		return err
	}
	_, err = u.hook(ctx, core.HookEvent{Point: core.HookTaskComplete, Outcome: t.Outcome, Summary: t.Summary, NotDone: t.NotDone})
	return err
}

// writeTranscript writes the rows so far as JSON lines, where a hook can read them.
func (u *turn) writeTranscript() (string, error) {
	path := filepath.Join(u.o.Scratch, "transcript-"+u.t.ID+".jsonl")
	var b bytes.Buffer
	for _, e := range u.entries {
		line, err := json.Marshal(e)
		if err != nil {
			return "", err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return path, os.WriteFile(path, b.Bytes(), 0o600)
}
