package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drover/core"
)

// world is a tiny engine over a directory with real files: enough of one to
// drive the model. Children run to their answer as soon as they are started;
// their notices wait until deliver.
type world struct {
	t       *testing.T
	model   core.Model
	dir     string
	tools   []string
	next    int
	tasks   map[string]*fakeTask
	notices []string
	refuse  []string // reasons of the next refusals of task_complete
	todos   []todo
	promote bool                           // sync children are moved to the background
	stuck   bool                           // background children do not run
	real    func(string) (core.Tool, bool) // tools to use instead of those here
	calls   int
}

type fakeTask struct {
	info  core.TaskInfo
	msgs  []core.Message
	tools []string
	turns int
	done  string // outcome of an accepted task_complete
	err   error
}

var (
	fileTools = []string{toolRead, toolList, toolGlob, toolGrep, toolIntent}
	mainTools = append(slices.Clone(fileTools), toolWrite, toolShell, toolTodos, toolTask, toolAsk, toolTell, toolAgents, toolStop)
	autoTools = append(slices.Clone(mainTools), toolComplete)
)

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, model: New(Options{}), dir: filepath.Join(t.TempDir(), "shop"), tools: mainTools, tasks: map[string]*fakeTask{}}
	for name, text := range files {
		p := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.tasks["main"] = &fakeTask{info: core.TaskInfo{Task: "main", Kind: core.KindMain, Dir: w.dir}, tools: mainTools}
	return w
}

func (w *world) main() *fakeTask { return w.tasks["main"] }

// send gives the main task a message and runs its turn; the answer comes back.
func (w *world) send(sender, text string) string { return w.turn(w.main(), sender, text) }

func (w *world) turn(ft *fakeTask, sender, text string) string {
	w.t.Helper()
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleUser, Sender: sender, Text: text})
	return w.run(ft)
}

// run makes steps until the turn ends.
func (w *world) run(ft *fakeTask) string {
	w.t.Helper()
	ft.turns++
	for range 60 {
		text, more := w.step(ft)
		if !more {
			return text
		}
	}
	w.t.Fatalf("the turn does not end; last message: %+v", ft.msgs[len(ft.msgs)-1])
	return ""
}

func (w *world) request(ft *fakeTask) core.ModelRequest {
	req := core.ModelRequest{Model: "rules", System: "You are an agent.", Messages: slices.Clone(ft.msgs), Task: ft.info}
	for _, n := range ft.tools {
		req.Tools = append(req.Tools, core.ToolSpec{Name: n, Schema: json.RawMessage(`{}`)})
	}
	return req
}

func (w *world) step(ft *fakeTask) (answer string, more bool) {
	w.t.Helper()
	var streamed strings.Builder
	r, err := w.model.Stream(context.Background(), w.request(ft), func(d core.Delta) { streamed.WriteString(d.Text) })
	if err != nil {
		ft.err = err
		return "", false
	}
	if streamed.String() != r.Text {
		w.t.Fatalf("streamed %q, answered %q", streamed.String(), r.Text)
	}
	ft.msgs = append(ft.msgs, core.Message{Role: core.RoleAssistant, Text: r.Text, Calls: r.Calls})
	for _, c := range r.Calls {
		if !slices.Contains(ft.tools, c.Name) {
			w.t.Fatalf("called %s, which was not offered", c.Name)
		}
		w.calls++
		res := w.exec(ft, c)
		ft.msgs = append(ft.msgs, core.Message{Role: core.RoleTool, CallID: c.ID, Tool: c.Name, Text: res.Text, Failed: res.Failed})
		if res.End {
			return res.Text, false
		}
	}
	return r.Text, len(r.Calls) > 0
}

// deliver wakes the main task with all notices, as one message.
func (w *world) deliver() string {
	w.t.Helper()
	text := strings.Join(w.notices, "\n\n")
	w.notices = nil
	return w.send(core.SenderSystem, text)
}

func no(format string, a ...any) core.ToolResult {
	return core.ToolResult{Text: fmt.Sprintf(format, a...), Failed: true}
}

func (w *world) exec(ft *fakeTask, c core.ToolCall) core.ToolResult {
	w.t.Helper()
	var a struct {
		Path, Pattern, Glob, Content, Command, Intent, Name, Prompt, Mode, Message, Outcome, Summary string
		AgentType                                                                                    string `json:"agent_type"`
		AgentID                                                                                      string `json:"agent_id"`
		Offset, Limit, Depth                                                                         int
		IgnoreCase                                                                                   bool `json:"ignore_case"`
		Todos                                                                                        []todo
	}
	if w.real != nil {
		if tool, ok := w.real(c.Name); ok {
			res, err := tool.Run(w.t.Context(), core.ToolEnv{TaskInfo: ft.info, CallID: c.ID, Scratch: w.t.TempDir()}, c.Args)
			if err != nil {
				w.t.Fatalf("%s: %v", c.Name, err)
			}
			return res
		}
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		w.t.Fatalf("arguments of %s: %v: %s", c.Name, err, c.Args)
	}
	switch c.Name {
	case toolRead:
		return w.read(a.Path, max(1, a.Offset), a.Limit)
	case toolList:
		return w.list(cmp.Or(a.Path, "."))
	case toolGlob:
		return w.glob(a.Pattern)
	case toolGrep:
		return w.grep(a.Pattern, cmp.Or(a.Path, "."), a.IgnoreCase)
	case toolWrite:
		if err := os.WriteFile(filepath.Join(w.dir, a.Path), []byte(a.Content), 0o644); err != nil {
			return no("%v", err)
		}
		return core.ToolResult{Text: "wrote " + a.Path}
	case toolShell:
		return core.ToolResult{Text: "ran: " + a.Command + "\nexit code 0"}
	case toolIntent:
		return core.ToolResult{Text: "noted"}
	case toolTodos, toolTodosToo:
		w.todos = a.Todos
		return core.ToolResult{Text: "saved"}
	case toolTask:
		return w.delegate(ft, a.AgentType, a.Name, a.Prompt, a.Mode)
	case toolAsk, toolTell, toolStop:
		return w.steer(c.Name, a.AgentID, a.Message)
	case toolAgents:
		return core.ToolResult{Text: fmt.Sprintf("%d agents", len(w.tasks)-1)}
	case toolComplete:
		return w.complete(ft, a.Outcome, a.Summary)
	}
	w.t.Fatalf("unknown tool %s", c.Name)
	return core.ToolResult{}
}

func (w *world) complete(ft *fakeTask, outcome, summary string) core.ToolResult {
	if len(w.refuse) > 0 {
		r := w.refuse[0]
		w.refuse = w.refuse[1:]
		return no("%s", r)
	}
	if slices.ContainsFunc(w.todos, func(t todo) bool { return t.Status != "done" }) {
		return no("refused: 2 todos are open")
	}
	ft.done = outcome
	return core.ToolResult{Text: summary, End: true}
}

func (w *world) delegate(parent *fakeTask, agent, name, prompt, mode string) core.ToolResult {
	w.t.Helper()
	w.next++
	id := fmt.Sprintf("k%dvqd", w.next)
	info := core.TaskInfo{Task: id, Kind: core.KindAgent, Agent: agent, Dir: w.dir, Depth: parent.info.Depth + 1}
	child := &fakeTask{info: info, tools: fileTools}
	if agent != agentKind {
		child.tools = mainTools
	}
	w.tasks[id] = child
	if mode == string(core.Background) || w.promote {
		if !w.stuck {
			w.notice(name, id, w.turn(child, parent.info.Task, prompt), child)
		}
		return core.ToolResult{Text: name + " works in the background.\nagent_id: " + id + "\nA notice will tell you when it answers."}
	}
	text := w.turn(child, parent.info.Task, prompt)
	if child.err != nil {
		return no("%s (%s) failed: %v", name, id, child.err)
	}
	return core.ToolResult{Text: text + "\n\n(agent_id: " + id + "; it is idle and takes follow-ups through write_agent)"}
}

func (w *world) notice(name, id, text string, child *fakeTask) {
	if child.err != nil {
		w.notices = append(w.notices, fmt.Sprintf("[notice] %s (%s) failed: %v", name, id, child.err))
		return
	}
	w.notices = append(w.notices, fmt.Sprintf("[notice] %s (%s) answered turn %d:\n%s", name, id, child.turns, text))
}

func (w *world) steer(tool, id, message string) core.ToolResult {
	child, ok := w.tasks[id]
	switch {
	case !ok:
		return no("no agent %q", id)
	case tool == toolTell:
		w.notice("child", id, w.turn(child, "main", message), child)
		return core.ToolResult{Text: "delivered"}
	case tool == toolStop:
		return core.ToolResult{Text: "stopped"}
	case w.stuck:
		return core.ToolResult{Text: "child (" + id + ", explore) is running, turn 1, 3 tool calls."}
	}
	return core.ToolResult{Text: "child (" + id + ", explore) is idle, turn 1, 3 tool calls.\n\n## turn 1\n" + child.msgs[len(child.msgs)-1].Text}
}

func (w *world) walk(dir string, fn func(rel string, isDir bool)) error {
	return filepath.WalkDir(filepath.Join(w.dir, dir), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.dir, p)
		if err == nil && rel != "." && rel != filepath.Clean(dir) {
			fn(filepath.ToSlash(rel), d.IsDir())
		}
		return err
	})
}

func (w *world) list(dir string) core.ToolResult {
	var b strings.Builder
	err := w.walk(dir, func(rel string, isDir bool) {
		if isDir {
			rel += "/"
		}
		b.WriteString(rel + "\n")
	})
	if err != nil {
		return no("%s: there is no such directory", dir)
	}
	return core.ToolResult{Text: b.String()}
}

func (w *world) glob(pattern string) core.ToolResult {
	dir := strings.TrimSuffix(strings.TrimSuffix(pattern, "**/*"), "/")
	var b strings.Builder
	err := w.walk(cmp.Or(dir, "."), func(rel string, isDir bool) {
		if !isDir {
			b.WriteString(rel + "\n")
		}
	})
	if err != nil {
		return core.ToolResult{Text: "no files match"}
	}
	return core.ToolResult{Text: b.String()}
}

func (w *world) grep(pattern, dir string, fold bool) core.ToolResult {
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return no("bad pattern: %v", err)
	}
	var b strings.Builder
	err = w.walk(dir, func(rel string, isDir bool) {
		if isDir {
			return
		}
		data, err := os.ReadFile(filepath.Join(w.dir, rel))
		if err != nil {
			return
		}
		for i, l := range strings.Split(string(data), "\n") {
			if re.MatchString(l) {
				fmt.Fprintf(&b, "%s:%d: %s\n", rel, i+1, l)
			}
		}
	})
	if err != nil {
		return no("%s: there is no such directory", dir)
	}
	if b.Len() == 0 {
		return core.ToolResult{Text: "no matches"}
	}
	return core.ToolResult{Text: b.String()}
}

func (w *world) read(name string, offset, limit int) core.ToolResult {
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return no("%s: there is no such file", name)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var b strings.Builder
	for i, l := range lines {
		if n := i + 1; n >= offset && (limit == 0 || n < offset+limit) {
			fmt.Fprintf(&b, "%6d\t%s\n", n, l)
		}
	}
	return core.ToolResult{Text: b.String()}
}
