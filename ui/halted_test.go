package ui

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"drover/core"
)

// TestInterruptedCallsDoNotRun: when the host has died, the call it was in the middle of is not shown as running.
func TestInterruptedCallsDoNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shop(f)
		f.change(func() {
			f.say("gtest", core.Entry{Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{{ID: "1", Name: "shell", Args: json.RawMessage(`{"command":"npm test"}`)}}})
			f.say("gtest", core.Entry{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: "1", Tool: "shell"})
			f.task("gtest").Activity = core.ActTool
			f.task("gtest").Rev++
		})
		d := drive(t, f, 120, 40, nil)
		d.keys(":go run-tests<Enter>")
		d.sees("npm test", "  running │")
		f.change(func() {
			r := f.task("gtest")
			r.Interrupted, r.Rev = true, r.Rev+1
			f.touch("gtest")
		})
		d.settle()
		d.lacks("  running │")
		d.sees("  interrupted │")
		d.quit()
	})
}
