package core_test

import (
	"strings"
	"testing"

	"drover/core"
)

// Every status with every operation, by hand: an empty result is a refusal.
var transitions = []struct {
	from core.Status
	op   core.Op
	to   core.Status
	code core.Code // of the refusal
	hint string    // a part of the way out, where one is named
}{
	{core.Running, core.OpMessage, core.Running, "", ""},
	{core.Running, core.OpAnswer, core.Idle, "", ""},
	{core.Running, core.OpComplete, core.Completed, "", ""},
	{core.Running, core.OpFail, core.Failed, "", ""},
	{core.Running, core.OpCancel, core.Cancelled, "", ""},
	{core.Running, core.OpPromote, core.Running, "", ""},
	{core.Running, core.OpResume, core.Running, "", ""},
	{core.Running, core.OpProgress, core.Running, "", ""},
	{core.Running, core.OpRemove, "", core.CodeWrongStatus, "cancel it first"},

	{core.Idle, core.OpMessage, core.Running, "", ""},
	{core.Idle, core.OpAnswer, "", core.CodeWrongStatus, ""},
	{core.Idle, core.OpComplete, core.Completed, "", ""},
	{core.Idle, core.OpFail, core.Failed, "", ""},
	{core.Idle, core.OpCancel, core.Cancelled, "", ""},
	{core.Idle, core.OpPromote, "", core.CodeWrongStatus, "message"},
	{core.Idle, core.OpResume, "", core.CodeWrongStatus, "message"},
	{core.Idle, core.OpProgress, "", core.CodeWrongStatus, ""},
	{core.Idle, core.OpRemove, "", core.CodeWrongStatus, "cancel it first"},

	{core.Completed, core.OpMessage, "", core.CodeEnded, "drover run"},
	{core.Completed, core.OpAnswer, "", core.CodeEnded, ""},
	{core.Completed, core.OpComplete, "", core.CodeEnded, ""},
	{core.Completed, core.OpFail, "", core.CodeEnded, ""},
	{core.Completed, core.OpCancel, "", core.CodeEnded, ""},
	{core.Completed, core.OpPromote, "", core.CodeEnded, ""},
	{core.Completed, core.OpResume, "", core.CodeEnded, ""},
	{core.Completed, core.OpProgress, "", core.CodeEnded, ""},
	{core.Completed, core.OpRemove, core.Completed, "", ""},

	{core.Failed, core.OpMessage, "", core.CodeEnded, "drover run"},
	{core.Failed, core.OpAnswer, "", core.CodeEnded, ""},
	{core.Failed, core.OpComplete, "", core.CodeEnded, ""},
	{core.Failed, core.OpFail, "", core.CodeEnded, ""},
	{core.Failed, core.OpCancel, "", core.CodeEnded, ""},
	{core.Failed, core.OpPromote, "", core.CodeEnded, ""},
	{core.Failed, core.OpResume, "", core.CodeEnded, ""},
	{core.Failed, core.OpProgress, "", core.CodeEnded, ""},
	{core.Failed, core.OpRemove, core.Failed, "", ""},

	{core.Cancelled, core.OpMessage, "", core.CodeEnded, "drover run"},
	{core.Cancelled, core.OpAnswer, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpComplete, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpFail, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpCancel, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpPromote, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpResume, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpProgress, "", core.CodeEnded, ""},
	{core.Cancelled, core.OpRemove, core.Cancelled, "", ""},
}

func TestNextEveryPair(t *testing.T) {
	type pair struct {
		core.Status
		core.Op
	}
	seen := map[pair]bool{}
	for _, tt := range transitions {
		seen[pair{tt.from, tt.op}] = true
		got, err := core.Next(tt.from, tt.op)
		if tt.to != "" {
			if err != nil || got != tt.to {
				t.Errorf("Next(%s, %s) = %s, %v; want %s", tt.from, tt.op, got, err, tt.to)
			}
			continue
		}
		switch {
		case err == nil:
			t.Errorf("Next(%s, %s) = %s; want a refusal", tt.from, tt.op, got)
		case got != tt.from:
			t.Errorf("Next(%s, %s) refuses but says %s", tt.from, tt.op, got)
		case core.CodeOf(err) != tt.code:
			t.Errorf("Next(%s, %s): code %s, want %s", tt.from, tt.op, core.CodeOf(err), tt.code)
		case !strings.Contains(core.HintOf(err), tt.hint):
			t.Errorf("Next(%s, %s): hint %q, want %q in it", tt.from, tt.op, core.HintOf(err), tt.hint)
		case !strings.Contains(err.Error(), string(tt.from)):
			t.Errorf("Next(%s, %s): %q does not say what the task is", tt.from, tt.op, err)
		}
	}
	for _, s := range core.Statuses {
		for _, op := range core.Ops {
			if !seen[pair{s, op}] {
				t.Errorf("%s × %s is not in the table", s, op)
			}
		}
	}
	if want := len(core.Statuses) * len(core.Ops); len(transitions) != want {
		t.Errorf("%d rows, want %d", len(transitions), want)
	}
}

func TestNextUnknown(t *testing.T) {
	for _, s := range core.Statuses {
		if got, err := core.Next(s, "explode"); err == nil || got != s {
			t.Errorf("Next(%s, explode) = %s, %v; want a refusal", s, got, err)
		}
	}
	for _, op := range core.Ops {
		if got, err := core.Next("zombie", op); err == nil || got != "zombie" {
			t.Errorf("Next(zombie, %s) = %s, %v; want a refusal", op, got, err)
		}
	}
}

func TestTerminal(t *testing.T) {
	want := map[core.Status]bool{core.Running: false, core.Idle: false, core.Completed: true, core.Failed: true, core.Cancelled: true}
	for _, s := range core.Statuses {
		if s.Terminal() != want[s] {
			t.Errorf("%s.Terminal() = %v", s, s.Terminal())
		}
	}
}
