package hook

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"drover/core"
)

// events are the moments in the spelling of Claude Code.
var events = map[core.HookPoint]string{
	core.HookSubagentStart: "SubagentStart", core.HookSubagentStop: "SubagentStop", core.HookAgentStop: "Stop",
	core.HookTaskComplete: "TaskCompleted", core.HookNotification: "Notification",
}

// payload is what a hook gets on its input: one flat JSON object in which each
// field stands in both spellings.
func payload(e core.HookEvent, dir string, now time.Time) ([]byte, error) {
	transcript := ""
	if e.Transcript != nil {
		var err error
		if transcript, err = e.Transcript(); err != nil {
			return nil, fmt.Errorf("writing the transcript for hooks: %w", err)
		}
	}
	both := map[string]any{ // in snake case
		"session_id": e.Session, "cwd": dir, "transcript_path": transcript,
		"agent_id": e.Task, "agent_type": e.Agent, "agent_name": e.Agent, "kind": e.Kind,
	}
	set := func(name, value string) {
		if value != "" {
			both[name] = value
		}
	}
	set("parent_agent_id", e.Parent)
	set("agent_display_name", e.DisplayName)
	set("agent_description", e.Description)
	switch e.Point {
	case core.HookSubagentStop:
		set("agent_transcript_path", transcript)
		fallthrough
	case core.HookAgentStop:
		maps.Copy(both, map[string]any{
			"stop_reason": e.StopReason, "last_assistant_message": e.Response, "response": e.Response, "stop_hook_active": e.Active,
		})
	case core.HookTaskComplete:
		notDone := e.NotDone
		if notDone == nil {
			notDone = []string{}
		}
		maps.Copy(both, map[string]any{
			"task_id": e.Task, "task_subject": e.Description, "outcome": e.Outcome, "summary": e.Summary, "not_done": notDone,
		})
	case core.HookNotification:
		kind := e.Topic
		if others := topics[e.Topic]; len(others) > 0 {
			kind = others[len(others)-1]
		}
		maps.Copy(both, map[string]any{"topic": e.Topic, "notification_type": kind, "message": e.Message, "title": "drover"})
	}
	all := map[string]any{
		"hook_event_name": events[e.Point], "hookEventName": e.Point, "timestamp": now.UnixMilli(),
	}
	for name, value := range both {
		all[name], all[camel(name)] = value, value
	}
	return json.Marshal(all)
}

// camel is the other spelling of a name: session_id, sessionId.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
