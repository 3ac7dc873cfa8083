package core

// CodeDoc is what a person or a program may know of a code.
type CodeDoc struct {
	Code      Code   `json:"code"`
	Cause     string `json:"cause"`
	Remedy    string `json:"remedy"`
	Retryable bool   `json:"retryable"` // the same again may succeed
}

// Describe says what an error's code means, what helps, and whether the same
// may succeed when it is tried again. A code that there is not is described by "".
func Describe(c Code) (cause, remedy string, retryable bool) {
	for _, d := range Codes() {
		if d.Code == c {
			return d.Cause, d.Remedy, d.Retryable
		}
	}
	return "", "", false
}

// Codes are all there are, in the order of errors.go.
func Codes() []CodeDoc {
	return []CodeDoc{
		{CodeInvalidInput, "a field is missing or has a value that cannot be used", "mend the named field; the message says how", false},
		{CodeSubagentsDisabled, "the settings keep agents from starting others", "do the work in this task, or set subagents = true and max_depth above 0", false},
		{CodeUnknownAgent, "no agent has this name or alias here", "choose one of the names that the message lists; drover agents shows them", false},
		{CodeSubagentDisabled, "the agent exists and cannot be used: switched off, not trusted, or its file has a fault", "choose another agent; drover agents show NAME says why", false},
		{CodeDepthExceeded, "subagents are nested as deep as max_depth allows", "do the work in this task", false},
		{CodeSubagentTimeout, "the subagent ran out of time, by its hard or its idle limit", "ask for less at once, or raise the limit; what it had is in the result", true},
		{CodeSubagentFailed, "the subagent ended in an error", "read the message; start it anew, or do the work another way", true},
		{CodeOutputTruncated, "the answer was longer than is passed on", "open the named file for the whole text, or ask for a shorter answer", true},

		{CodeTimeout, "a turn took longer than its hard limit", "ask for less at once, or raise the agent's timeout", true},
		{CodeIdleTimeout, "nothing finished for as long as the idle limit: no answer, no tool call", "look at what it waited for (drover log ID), or raise idle_timeout", true},
		{CodeMaxTurns, "a turn made as many model calls as it may", "ask for less at once, or raise max_turns", true},
		{CodeBudgetExceeded, "the requests, tokens or cost allowed for the task and those under it are used up", "raise the budget, or split the work", false},
		{CodeNoResult, "the agent stopped without handing in a result, although it was reminded", "read what it said, and ask anew, more plainly", true},
		{CodeBadResult, "what the agent handed in does not fit the schema, to the last try", "read what it handed in; simplify the schema or choose a stronger model", true},
		{CodeNoProgress, "the agent repeated itself without getting on", "tell it what is missing, or start anew with a clearer prompt", false},
		{CodeMaxContinues, "autopilot reminded the agent as often as it may, and it did not complete", "send it a message that says what is missing, or raise max_continues", false},

		{CodeNotFound, "nothing has this ID or name", "drover ps --all, or the tool list_agents, shows what there is", false},
		{CodeAmbiguous, "the name or the beginning of an ID means several", "type one more character, or the whole ID", false},
		{CodeEnded, "the task has ended, and ended tasks do not come back", "start a new task", false},
		{CodeWrongStatus, "the task's state does not allow it", "look at its state first (drover show ID)", false},
		{CodeConflict, "somebody else changed the row first", "look again, and repeat it if it is still wanted", true},
		{CodeStorage, "the registry could not be read or written: a full disk, a damaged or locked file", "make room, then: drover doctor", true},
		{CodeNewer, "a newer drover has written this registry", "use that version", false},

		{CodeModel, "the model call failed", "read the message: the provider's own words; drover models says what can be reached", true},
		{CodeModelAuth, "the provider took no key of ours, or the account has no right or no credit", "set the key the message names, or choose another model", false},
		{CodeModelNotFound, "the provider has no such model", "drover models lists those there are", false},
		{CodeRateLimited, "the provider's rate limit held longer than there is patience for", "wait, or choose another model", true},
		{CodeContextTooLong, "the conversation does not fit into the model's context", "start a new task with a shorter prompt, or choose a model with a larger context", false},
		{CodeInterrupted, "the host was stopped in the middle", "drover resume ID takes it up where the rows end", true},
		{CodeHookFailed, "a hook that is marked as required broke", "mend the hook, or take its mark away", false},
		{CodeCancelled, "somebody stopped it", "none is needed; start a new task if it is still wanted", false},
		{CodeDenied, "a person or the policy said no", "do it another way; do not repeat the same", false},
		{CodeToolRefused, "the call is not allowed now, or the tool is not in the agent's set", "read the reason; do first what it names", false},
		{CodeInternal, "a fault of drover", "try again; if it stays, report it with drover doctor and the host's log", true},
	}
}
