package core_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"drover/core"
)

func TestErrorThroughWrapping(t *testing.T) {
	e := &core.Error{Code: core.CodeStorage, Message: "writing the task", Hint: "drover doctor", Err: io.ErrShortWrite}
	err := fmt.Errorf("starting: %w", e)
	if got := core.CodeOf(err); got != core.CodeStorage {
		t.Errorf("CodeOf = %q", got)
	}
	if got := core.HintOf(err); got != "drover doctor" {
		t.Errorf("HintOf = %q", got)
	}
	if !errors.Is(err, io.ErrShortWrite) {
		t.Error("the cause is not reachable")
	}
	if got, want := err.Error(), "starting: writing the task: short write"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want core.Code
	}{
		{nil, ""},
		{io.EOF, core.CodeInternal},
		{core.Errorf(core.CodeDenied, "no"), core.CodeDenied},
		{errors.Join(io.EOF, core.Errorf(core.CodeDenied, "no")), core.CodeDenied},
	} {
		if got := core.CodeOf(tt.err); got != tt.want {
			t.Errorf("CodeOf(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
	if got := core.HintOf(io.EOF); got != "" {
		t.Errorf("HintOf(EOF) = %q", got)
	}
}

func TestErrorfKeepsTheCause(t *testing.T) {
	err := core.Errorf(core.CodeStorage, "reading: %w", io.EOF)
	if got, want := err.Error(), "reading: EOF"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("a wrapped error does not stay reachable")
	}
}

func TestLimits(t *testing.T) {
	limits := []core.Code{core.CodeTimeout, core.CodeIdleTimeout, core.CodeMaxTurns, core.CodeBudgetExceeded,
		core.CodeNoResult, core.CodeNoProgress, core.CodeMaxContinues, core.CodeSubagentTimeout}
	for _, c := range limits {
		if !c.Limit() {
			t.Errorf("%s is a limit", c)
		}
	}
	for _, c := range []core.Code{"", core.CodeModel, core.CodeCancelled, core.CodeDenied, core.CodeInterrupted, core.CodeSubagentFailed} {
		if c.Limit() {
			t.Errorf("%s is no limit", c)
		}
	}
}
