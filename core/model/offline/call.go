package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"drover/core"
)

// Names of the tools the rules know.
const (
	toolRead     = "read_file"
	toolList     = "list_files"
	toolGlob     = "glob_files"
	toolGrep     = "grep_files"
	toolWrite    = "write_file"
	toolShell    = "shell"
	toolIntent   = "report_intent"
	toolTodos    = "todo_write"
	toolTodosToo = "todos" // the same tool by another of its names
	toolTask     = "task"
	toolAsk      = "read_agent"
	toolTell     = "write_agent"
	toolAgents   = "list_agents"
	toolStop     = "stop_agent"
	toolComplete = "task_complete"
)

// again reports whether a call that was interrupted may simply be made again.
func again(tool string) bool {
	switch tool {
	case toolRead, toolList, toolGlob, toolGrep, toolIntent, toolTodos, toolTodosToo, toolAsk, toolAgents:
		return true
	}
	return false
}

type args map[string]any

// call is a tool call a rule wants.
type call struct {
	name string
	args args
}

func (c call) raw() json.RawMessage {
	b, err := json.Marshal(c.args)
	if err != nil || c.args == nil { // args are strings, numbers and lists: this cannot fail
		return json.RawMessage("{}")
	}
	return b
}

// key is what makes two calls the same one: the tool and what it is asked.
func (c call) key() string { return callKey(c.name, c.raw()) }

func callKey(name string, raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return name + "\x00" + string(raw)
	}
	b, err := json.Marshal(v) // sorts the keys
	if err != nil {
		return name + "\x00" + string(raw)
	}
	return name + "\x00" + string(b)
}

func list(path string, depth int) call {
	return call{toolList, args{"path": path, "depth": depth}}
}

func glob(pattern string) call { return call{toolGlob, args{"pattern": pattern}} }

func grep(pattern, path string, fold bool) call {
	a := args{"pattern": pattern}
	if path != "" && path != "." {
		a["path"] = path
	}
	if fold {
		a["ignore_case"] = true
	}
	return call{toolGrep, a}
}

func read(path string, offset, limit int) call {
	a := args{"path": path}
	if offset > 1 {
		a["offset"] = offset
	}
	if limit > 0 {
		a["limit"] = limit
	}
	return call{toolRead, a}
}

func intent(text string) call { return call{toolIntent, args{"intent": text}} }

// start is a call of the task tool.
func start(agent, name, description, prompt string, mode core.Mode) call {
	return call{toolTask, args{
		"agent_type": agent, "name": name, "description": description, "prompt": prompt, "mode": string(mode),
	}}
}

func callID(n, i int) string { return fmt.Sprintf("c%d-%d", n, i) }

// nextCallNumber is one more than the answers so far, and than any number used
// already: a shortened history must not make an ID appear twice.
func nextCallNumber(msgs []core.Message) int {
	answers, highest := 0, 0
	for i := range msgs {
		if msgs[i].Role == core.RoleAssistant {
			answers++
		}
		for _, c := range msgs[i].Calls {
			if s, ok := strings.CutPrefix(c.ID, "c"); ok {
				s, _, _ = strings.Cut(s, "-")
				if n, err := strconv.Atoi(s); err == nil && n < 1<<30 {
					highest = max(highest, n)
				}
			}
		}
	}
	return max(answers, highest) + 1
}
