package offline

import (
	"encoding/json"
	"strings"

	"drover/core"
)

const maxTries = 3 // of task_complete, for one order

var openTodos = pattern(`(?i)\bopen todos?\b|\btodos? (is|are) open`)

// close makes the reply of a rule's end: the text, and in autopilot the
// declaration. Where that was refused it does what the reason asks.
func (s *script) close(f final) {
	if len(s.missing) > 0 {
		f.text += "\n\n" + s.say.of("missing", "tools", strings.Join(s.missing, ", "))
	}
	f.text += s.meanwhile()
	if interim(f.text) {
		f.text += "\n\n" + s.say.of("rules")
	}
	s.out = plan{text: f.text, over: f.over}
	if f.plain || !s.offered[toolComplete] {
		return
	}
	tries := s.since(s.from, toolComplete)
	if len(tries) == 0 {
		s.out.calls = []call{completion(f)}
		return
	}
	s.retry(f, tries)
}

// retry goes on after a refused task_complete.
func (s *script) retry(f final, tries []*act) {
	last := tries[len(tries)-1]
	if openTodos().MatchString(last.text) {
		if closed, ok := s.closeTodos(last.at); ok {
			s.out = plan{text: s.say.of("close-todos"), calls: []call{closed}}
			return
		}
	}
	if len(s.family.pending()) > 0 {
		s.wait()
		return
	}
	acted := last.broken() || s.wokenAt > last.at || len(s.since(last.at+1, s.todoTool())) > 0
	if len(tries) >= maxTries || !acted {
		s.out.text = s.say.of("not-completed", "reason", headline(last.text)) + s.meanwhile()
		return
	}
	s.out = plan{text: s.say.of("complete-again") + s.meanwhile(), calls: []call{completion(f)}}
}

// meanwhile is the news that no rule has told.
func (s *script) meanwhile() string {
	var b strings.Builder
	for _, c := range s.family.newest(s.news) {
		if !s.told[c.id] {
			b.WriteString("\n\n" + c.told())
		}
	}
	return b.String()
}

func completion(f final) call {
	if f.outcome == "" {
		f.outcome = core.OutcomeDone
	}
	if f.summary == "" {
		f.summary = summaryOf(f.text)
	}
	if f.notDone == nil {
		f.notDone = []string{}
	}
	return call{toolComplete, args{"outcome": string(f.outcome), "summary": f.summary, "not_done": f.notDone}}
}

type todo struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

// closeTodos is the call that closes the todos this task wrote last, unless
// that has been done since the message at index at.
func (s *script) closeTodos(at int) (call, bool) {
	written := s.since(0, s.todoTool())
	if len(written) == 0 || written[len(written)-1].at > at || !s.offered[s.todoTool()] {
		return call{}, false
	}
	var in struct{ Todos []todo }
	if json.Unmarshal(written[len(written)-1].raw, &in) != nil {
		return call{}, false
	}
	for i := range in.Todos {
		in.Todos[i].Status = "done"
	}
	return s.todos(in.Todos), true
}

func (s *script) todos(list []todo) call { return call{s.todoTool(), args{"todos": list}} }

// todoTool is the name that the tool for todos was offered by.
func (t *transcript) todoTool() string {
	if t.offered[toolTodosToo] && !t.offered[toolTodos] {
		return toolTodosToo
	}
	return toolTodos
}

// idle is the rule where nothing is wanted: close tells the news.
func (s *script) idle() (final, bool) {
	waits := len(s.family.pending()) > 0
	switch {
	case s.wake == core.SenderAutopilot && waits:
		var all []result
		for _, c := range s.family.list {
			all = append(all, result{call: c.call})
		}
		return final{}, s.await(all...)
	case s.wake == core.SenderAutopilot:
		return final{text: s.say.of("nothing-left"), summary: summaryOf(s.spoke)}, true
	case len(s.news) > 0:
		return final{text: s.say.of("news"), plain: waits}, true
	case strings.TrimSpace(s.woken) != "":
		return final{text: s.say.of("heard") + "\n\n" + quote(s.woken), plain: waits}, true
	}
	return final{text: s.say.of("nothing-new"), plain: waits}, true
}

// newest returns the children the notices are about, each once.
func (f *family) newest(news []notice) []*child {
	var out []*child
	for _, c := range f.list {
		for _, n := range news {
			if n.id == c.id {
				out = append(out, c)
				break
			}
		}
	}
	return out
}
