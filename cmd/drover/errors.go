package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"drover/core"
	"drover/core/config"
)

// exit ends the program with a code, and without a word where it has no message.
type exit struct {
	code    int
	message string
	hint    string
}

func (e *exit) Error() string { return e.message }

func usage(hint, format string, args ...any) error {
	return &exit{code: core.ExitUsage, message: fmt.Sprintf(format, args...), hint: hint}
}

// finish tells of the error and returns the program's exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return core.ExitDone
	}
	code, message, hint := a.describe(err)
	if message = core.CleanLine(message); message != "" {
		fmt.Fprintf(a.err, "drover: %s\n", message)
	}
	if hint = core.CleanLine(hint); hint != "" {
		fmt.Fprintf(a.err, "hint: %s\n", hint)
	}
	return code
}

func (a *app) describe(err error) (code int, message, hint string) {
	if e, ok := errors.AsType[*exit](err); ok {
		return e.code, e.message, e.hint
	}
	if e, ok := errors.AsType[*config.Error](err); ok {
		return core.ExitUsage, e.Error(), e.Hint
	}
	if _, ok := errors.AsType[*core.Error](err); ok {
		return core.ErrorExit(err), err.Error(), core.HintOf(err)
	}
	if errors.Is(err, context.Canceled) {
		return core.ExitCancelled, "", ""
	}
	if !a.ran { // of cobra: an unknown flag, a wrong number of arguments
		return core.ExitUsage, err.Error(), "drover help"
	}
	return core.ExitFailed, err.Error(), ""
}

// message makes the text of a message out of the arguments, or reads it from
// standard input where they are a single "-".
func (a *app) message(ctx context.Context, args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		raw, err := readAll(ctx, func() (io.ReadCloser, error) { return io.NopCloser(a.in), nil }, core.MaxMessage)
		if err != nil {
			return "", fmt.Errorf("reading the message from standard input: %w", err)
		}
		text = strings.TrimRight(string(raw), "\r\n")
		if len(raw) > core.MaxMessage {
			return "", tooLong("more than " + mebibytes(core.MaxMessage))
		}
	}
	switch {
	case len(text) > core.MaxMessage:
		return "", tooLong(mebibytes(len(text)))
	case !utf8.ValidString(text):
		return "", usage("a message is UTF-8 text; let the agent read a binary file itself, by its path", "the message is binary: byte %d is no UTF-8 text; nothing was sent", invalidAt(text))
	case strings.ContainsRune(text, 0):
		return "", usage("a message is text; let the agent read a binary file itself, by its path", "the message is binary: byte %d is NUL; nothing was sent", strings.IndexByte(text, 0)+1)
	case strings.TrimSpace(text) == "":
		return "", usage("write it as an argument, or - to read standard input", "the message is empty; nothing was sent")
	}
	return text, nil
}

func tooLong(size string) error {
	return usage("put it into a file and name the file: the agent reads it in parts", "the message has %s, a task takes at most %s; nothing was sent, and what you have is unchanged", size, mebibytes(core.MaxMessage))
}

func mebibytes(n int) string { return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20)) }

// invalidAt is the place, from 1, of the first byte that is no UTF-8.
func invalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i + 1
			}
		}
	}
	return len(s)
}
