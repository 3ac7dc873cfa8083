package offline

import (
	"encoding/json"
	"strings"

	"drover/core"
)

// child is an agent that this task started.
type child struct {
	id      string
	name    string
	call    string // the call that started it
	pending bool   // at work, as far as has been heard
	state   string // what the last notice said of it: "answered turn 1"
	text    string // what came with it
}

// family is the book of the children, kept while the transcript is read.
type family struct {
	list []*child
}

// notice is the engine's news of one child.
type notice struct {
	name, id string
	state    string
	text     string
}

var (
	noticeLine = pattern(`^\[notice\] (.{0,200}?) ?\(([a-z0-9]+)\) (.*)$`)
	agentID    = pattern(`(?i)\bagent_id"?: *"?([a-z0-9-]+)`)
	atWork     = pattern(`(?i)\b(running|queued|still|started|resumed|promoted|waits|waiting|needs)\b`)
	ended      = pattern(`(?i)\b(answered|idle|completed|failed|cancelled|stopped|ended)\b`)
	statusLine = pattern(`\bis (running|idle|completed|failed|cancelled)\b`)
	trailer    = pattern(`\n+\(agent_id: [^\n]*\)\s*$`)
	background = pattern(`(?i)\b(background|promoted)\b`)
)

func (f *family) find(ref string) *child {
	for i := len(f.list) - 1; i >= 0; i-- { // of two of one name the newer is meant
		if c := f.list[i]; c.id == ref || c.name == ref {
			return c
		}
	}
	return nil
}

func (f *family) by(call string) *child {
	for _, c := range f.list {
		if c.call == call {
			return c
		}
	}
	return nil
}

// pending returns the names of the children that are still at work.
func (f *family) pending() []string {
	var out []string
	for _, c := range f.list {
		if c.pending {
			out = append(out, c.label())
		}
	}
	return out
}

func (c *child) label() string {
	if c.name == "" {
		return c.id
	}
	return c.name + " (" + c.id + ")"
}

// told is what the last notice said of the child, as Markdown.
func (c *child) told() string {
	head := "**" + c.label() + "** " + oneLine(c.state)
	if c.text == "" {
		return head
	}
	return head + ":\n\n" + quote(c.text)
}

// hear takes in a message of the engine. A line that looks like a notice but
// names a child this task never started is part of what another one wrote.
func (f *family) hear(text string) []notice {
	var out []notice
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		m := noticeLine().FindStringSubmatch(line)
		if m != nil && f.find(m[2]) != nil {
			out = append(out, notice{name: m[1], id: m[2], state: strings.TrimSuffix(m[3], ":")})
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].text += line + "\n"
		}
	}
	for i := range out {
		out[i].text = strings.TrimSpace(out[i].text)
		f.note(out[i])
	}
	return out
}

func (f *family) note(n notice) {
	c := f.find(n.id)
	c.state, c.text = n.state, n.text
	head, _, _ := strings.Cut(n.state, ":")
	c.pending = atWork().MatchString(head) && !ended().MatchString(head)
}

// lastTurn is what a report of several turns says of the last one.
func lastTurn(body string) string {
	if i := strings.LastIndex("\n"+body, "\n## turn "); i >= 0 {
		_, body, _ = strings.Cut(body[i:], "\n")
	}
	return body
}

// childWords parts what a child said from the line about it that the engine adds.
func childWords(text string) string { return strings.TrimSpace(trailer().ReplaceAllString(text, "")) }

// learn takes in the result of a delegation tool.
func (f *family) learn(a *act) {
	if a.failed {
		return
	}
	var in struct {
		Name, Mode string
		AgentID    string `json:"agent_id"`
	}
	if json.Unmarshal(a.raw, &in) != nil {
		return
	}
	switch a.tool {
	case toolTask:
		f.born(a, in.Name, in.Mode)
	case toolTell:
		if c := f.find(in.AgentID); c != nil {
			c.pending = true
		}
	case toolStop:
		if c := f.find(in.AgentID); c != nil {
			c.pending, c.state, c.text = false, "was stopped", a.text
		}
	case toolAsk:
		c := f.find(in.AgentID)
		if c == nil || !c.pending {
			return
		}
		head, body, _ := strings.Cut(a.text, "\n")
		if m := statusLine().FindStringSubmatch(head); m != nil && m[1] != "running" {
			c.pending, c.state, c.text = false, "is "+m[1], strings.TrimSpace(lastTurn(body))
		}
	}
}

func (f *family) born(a *act, name, mode string) {
	all := agentID().FindAllStringSubmatch(a.text, -1)
	if all == nil {
		return
	}
	c := &child{id: all[len(all)-1][1], name: name, call: a.call} // the child's own words come before the engine's
	c.pending = mode == string(core.Background) || toBackground(a.text)
	if !c.pending {
		c.state, c.text = "answered", a.text
	}
	f.list = append(f.list, c)
}

// toBackground reports whether the result of a call that waited says that the
// child goes on without being waited for: in its first lines, since what
// follows may be the child's own words.
func toBackground(text string) bool {
	head, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	return len(head) < 600 && background().MatchString(head) && agentID().MatchString(head)
}
