package core

// Exit codes of the program.
const (
	ExitDone      = 0
	ExitFailed    = 1
	ExitUsage     = 2
	ExitBlocked   = 3 // blocked, or needs input
	ExitLimit     = 4
	ExitCancelled = 130
)

// TreeExit tells the truth about a whole tree: the root's own end decides
// first; a root that is done does not hide a task under it that failed, was
// stopped at a limit, was cancelled by a person, or waits for a person. A task
// that an agent cancelled on purpose counts for nothing.
func TreeExit(root TaskView, under []TaskView) int {
	code := taskExit(root)
	if code != ExitDone {
		return code
	}
	worst := func(a, b int) int {
		for _, c := range []int{ExitFailed, ExitLimit, ExitCancelled, ExitBlocked} {
			if a == c || b == c {
				return c
			}
		}
		return ExitDone
	}
	for _, t := range under {
		c := taskExit(t)
		if c == ExitCancelled && t.EndedBy != SenderUser {
			continue
		}
		code = worst(code, c)
	}
	return code
}

func taskExit(t TaskView) int {
	switch {
	case t.Status == Cancelled:
		return ExitCancelled
	case t.ErrorCode.Limit():
		return ExitLimit
	case t.Status == Failed, t.ErrorCode != "", t.Interrupted:
		return ExitFailed
	case t.Outcome == OutcomeBlocked, t.Outcome == OutcomeNeedsInput, t.NeedsApproval:
		return ExitBlocked
	}
	return ExitDone
}

// ErrorExit is the exit code for an error of a command.
func ErrorExit(err error) int {
	switch CodeOf(err) {
	case "":
		return ExitDone
	case CodeInvalidInput, CodeNotFound, CodeAmbiguous, CodeEnded, CodeWrongStatus, CodeConflict, CodeUnknownAgent:
		return ExitUsage
	case CodeCancelled:
		return ExitCancelled
	default:
		if CodeOf(err).Limit() {
			return ExitLimit
		}
		return ExitFailed
	}
}
