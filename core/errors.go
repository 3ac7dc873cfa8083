package core

import (
	"errors"
	"fmt"
)

// Code is a machine's name for an error. The set is closed: a caller may
// decide by it, and it is carried unchanged to model, row, JSON and screen.
type Code string

const (
	// Codes of *subagents-reference*, with its spelling.
	CodeInvalidInput      Code = "INVALID_INPUT"
	CodeSubagentsDisabled Code = "SUBAGENTS_DISABLED"
	CodeUnknownAgent      Code = "UNKNOWN_AGENT"
	CodeSubagentDisabled  Code = "SUBAGENT_DISABLED"
	CodeDepthExceeded     Code = "SUBAGENT_DEPTH_EXCEEDED"
	CodeSubagentTimeout   Code = "SUBAGENT_TIMEOUT"
	CodeSubagentFailed    Code = "SUBAGENT_FAILED"
	CodeOutputTruncated   Code = "SUBAGENT_OUTPUT_TRUNCATED"

	// Limits: the task was stopped by one, and this says which.
	CodeTimeout        Code = "timeout"
	CodeIdleTimeout    Code = "idle_timeout"
	CodeMaxTurns       Code = "max_turns"
	CodeBudgetExceeded Code = "budget_exceeded"
	CodeNoResult       Code = "no_result"
	CodeBadResult      Code = "bad_result" // what was handed in does not fit the schema, up to the end
	CodeNoProgress     Code = "no_progress"
	CodeMaxContinues   Code = "max_continues"

	// The registry.
	CodeNotFound    Code = "not_found"
	CodeAmbiguous   Code = "ambiguous"
	CodeEnded       Code = "ended"
	CodeWrongStatus Code = "wrong_status"
	CodeConflict    Code = "conflict"
	CodeStorage     Code = "storage"
	CodeNewer       Code = "newer_database"

	// Running.
	CodeModel          Code = "model_error" // where none of the four below fits
	CodeModelAuth      Code = "model_auth"  // no key, a wrong one, no right, or no credit
	CodeModelNotFound  Code = "model_not_found"
	CodeRateLimited    Code = "rate_limited"     // after all the waiting there was
	CodeContextTooLong Code = "context_too_long" // the conversation does not fit into the model
	CodeInterrupted    Code = "interrupted"
	CodeHookFailed     Code = "hook_failed" // a hook that is marked as required broke
	CodeCancelled      Code = "cancelled"
	CodeDenied         Code = "denied"
	CodeToolRefused    Code = "tool_refused"
	CodeInternal       Code = "internal"
)

// Limit reports whether the code means "stopped at a limit".
func (c Code) Limit() bool {
	switch c {
	case CodeTimeout, CodeIdleTimeout, CodeMaxTurns, CodeBudgetExceeded, CodeNoResult, CodeBadResult, CodeNoProgress, CodeMaxContinues, CodeSubagentTimeout:
		return true
	}
	return false
}

// Error is an error a caller decides by (Code) or a person reads (Message, Hint).
type Error struct {
	Code    Code
	Message string
	Hint    string // the way out, where there is one
	Err     error  // the cause, told after the message

	cause error // the cause that the message already tells
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return e.cause
}

// Errorf makes an Error with a code; a wrapped error (%w) stays reachable.
func Errorf(c Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Message: err.Error(), cause: errors.Unwrap(err)}
}

// CodeOf finds the code of err, CodeInternal where it has none, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// HintOf finds the way out that err names, or "".
func HintOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Hint
	}
	return ""
}
