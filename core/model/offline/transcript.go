package offline

import (
	"strings"

	"drover/core"
)

// act is a tool call as the transcript holds it.
type act struct {
	call   string // its ID
	tool   string
	key    string
	at     int // index of the message that asked for it
	text   string
	failed bool
	done   bool // has a result
	raw    []byte
}

// broken reports whether the call was cut off before its result was known.
func (a *act) broken() bool {
	return !a.done || a.failed && strings.Contains(strings.ToLower(clip(a.text, 300)), "interrupted")
}

// order is what somebody wants: a message, or several that came together. It
// is open until a text answers it.
type order struct {
	at    int // index of its first message
	texts []string
	first bool   // nothing was wanted before
	left  string // the text of the order it cut short, or ""
	anew  bool   // no answer of the model has come since
}

// transcript is what the rules see of a request.
type transcript struct {
	task    core.TaskInfo
	offered map[string]bool
	acts    []act
	open    []order // not yet answered; the newest is last
	last    order   // the newest order, answered or not
	orders  int
	wake    string // who sent the last message
	wokenAt int    // its index
	woken   string // its text
	spokeAt int    // index of the last answer, -1 for none
	spoke   string // the last answer that had words
	torn    bool   // the last answer was cut short
	family  family
	news    []notice // notices since a turn was last answered
}

// interimMark ends a text that ends a turn but answers nothing yet.
const interimMark = "I go on when they report."

// cutMark is what the engine puts behind a text that a message cut short.
const cutMark = "[cut short by a message]"

func interim(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, interimMark) || strings.HasSuffix(text, cutMark)
}

// parse reads the request once, from the oldest message to the newest.
func parse(req core.ModelRequest) *transcript {
	t := &transcript{task: req.Task, offered: map[string]bool{}, spokeAt: -1}
	for _, tool := range req.Tools {
		t.offered[tool.Name] = true
	}
	byID := map[string]int{}
	for i := range req.Messages {
		m := &req.Messages[i]
		switch m.Role {
		case core.RoleUser:
			t.heard(i, m)
		case core.RoleAssistant:
			t.answered(i, m, byID)
		case core.RoleTool:
			if k, ok := byID[m.CallID]; ok {
				t.gave(k, m)
			}
		}
	}
	return t
}

func (t *transcript) heard(i int, m *core.Message) {
	sender := m.Sender
	if sender == "" {
		sender = core.SenderUser
	}
	t.wake, t.wokenAt, t.woken = sender, i, m.Text
	switch sender {
	case core.SenderSystem:
		t.news = append(t.news, t.family.hear(m.Text)...)
		return
	case core.SenderAutopilot:
		return
	}
	if len(t.open) > 0 && isContinue(m.Text) {
		return
	}
	if n := len(t.open); n > 0 && t.open[n-1].anew {
		t.open[n-1].texts = append(t.open[n-1].texts, m.Text) // several queued messages are one order
		t.last = t.open[n-1]
		return
	}
	o := order{at: i, texts: []string{m.Text}, first: t.orders == 0, anew: true}
	if n := len(t.open); n > 0 && t.midTurn() {
		o.left = t.open[n-1].texts[0]
	}
	t.orders++
	t.open, t.last = append(t.open, o), o
}

// midTurn reports whether the model's last answer asked for tools or was cut
// short, so that a message that comes now steers it.
func (t *transcript) midTurn() bool {
	n := len(t.acts)
	return n > 0 && t.acts[n-1].at == t.spokeAt || t.torn
}

func (t *transcript) answered(i int, m *core.Message, byID map[string]int) {
	t.spokeAt, t.torn = i, strings.HasSuffix(strings.TrimSpace(m.Text), cutMark)
	if strings.TrimSpace(m.Text) != "" {
		t.spoke = m.Text
	}
	t.last.anew = false
	for k := range t.open {
		t.open[k].anew = false
	}
	for _, c := range m.Calls {
		byID[c.ID] = len(t.acts)
		t.acts = append(t.acts, act{call: c.ID, tool: c.Name, key: callKey(c.Name, c.Args), at: i, raw: c.Args})
	}
	if len(m.Calls) == 0 && !interim(m.Text) {
		t.open, t.news = t.open[:max(0, len(t.open)-1)], nil
	}
}

func (t *transcript) gave(k int, m *core.Message) {
	a := &t.acts[k]
	a.text, a.failed, a.done = m.Text, m.Failed, true
	if a.tool == toolComplete && !a.failed {
		t.open, t.news = nil, nil
	}
	t.family.learn(a)
}

// since returns the acts of the tool that the message at index at or a later one asked for.
func (t *transcript) since(at int, tool string) []*act {
	var out []*act
	for i := range t.acts {
		if a := &t.acts[i]; a.at >= at && (tool == "" || a.tool == tool) {
			out = append(out, a)
		}
	}
	return out
}

// main reports whether the task is the root of its session.
func (t *transcript) main() bool {
	return t.task.Kind == core.KindMain || t.task.Kind == "" && t.task.Depth == 0
}

func isContinue(text string) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(text), ".!")) {
	case "continue", "go on":
		return true
	}
	return false
}
