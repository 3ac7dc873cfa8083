package ui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"drover/core"
	"drover/ui/state"
)

// plainHelp is what the plain view understands.
const plainHelp = `commands: N is a task's number, or the beginning of its name
  l            list the tasks
  m N TEXT     message, after this turn
  s N TEXT     message, after the current tool call
  i N TEXT     message, now
  r N          read the task's last answer
  w            who needs you, and for what
  a N          allow what the task asks for
  A N          allow it, and calls like it
  d N REASON   deny it
  x N          cancel the task and all under it; asks first
  n PROMPT     start a session
  q            leave; agents go on
  ?            this help
`

// plainView is the view without a screen: lines only, for screen readers, dumb
// terminals and pipes. It prints each change once, and moves no cursor.
type plainView struct {
	e       Engine
	st      *state.State
	out     *bufio.Writer
	numbers map[string]int    // by task; a task keeps its number
	tasks   []string          // by number, from 1
	said    map[string]string // by task: the last line printed of it
	confirm string            // the task that y cancels
	err     error             // of writing
}

// RunPlain shows the tasks as lines and takes one command a line from in, until
// it ends, a person leaves, or ctx ends. Agents go on.
func RunPlain(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &plainView{e: o.Engine, out: bufio.NewWriter(out), numbers: map[string]int{}, said: map[string]string{}}
	p.st = state.New(state.Config{Dir: o.Dir, Project: o.Project, Offline: o.Offline, Select: o.Session, Trouble: o.Trouble})
	lines := make(chan string)
	go func() { // ends with its input: a read of a terminal cannot be called back
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, core.MaxMessage)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	changed := o.Engine.Watch(ctx)
	var cur core.Cursor
	p.line("drover, plain view. ? lists the commands.")
	for {
		u, err := o.Engine.Pull(ctx, cur)
		if err != nil {
			return fmt.Errorf("read the registry: %w", err)
		}
		cur.Seq, cur.Hosts, cur.Rest = u.Seq, u.Hosts, nil
		p.apply(u)
		if err := p.flush(); err != nil {
			return err
		}
		if u.More { // of a large registry, what is at work comes in parts
			cur.Rest = u.Rest
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-changed:
			if !ok {
				return nil
			}
		case line, ok := <-lines:
			if !ok || !p.command(ctx, strings.TrimSpace(line)) {
				return p.flush()
			}
		case <-time.After(check): // whether hosts live
		}
	}
}

func (p *plainView) line(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format+"\n", args...); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *plainView) flush() error {
	if err := p.out.Flush(); p.err == nil {
		p.err = err
	}
	return p.err
}

// apply prints what has changed since the last line of each task.
func (p *plainView) apply(u core.Update) {
	first := !p.st.Loaded()
	p.st.Now = time.Now()
	p.st.Apply(u)
	if first {
		p.list()
		return
	}
	for i := range u.Tasks {
		n := p.st.Tree.Node(u.Tasks[i].ID)
		if n == nil {
			continue
		}
		if text := p.describe(n); p.said[n.Task.ID] != text {
			p.said[n.Task.ID] = text
			p.line("%s", text)
		}
	}
}

// describe is a task in one line: number, name, state in words.
func (p *plainView) describe(n *state.Node) string {
	id := n.Task.ID
	if p.numbers[id] == 0 {
		p.tasks = append(p.tasks, id)
		p.numbers[id] = len(p.tasks)
	}
	look := n.Task.Look().Word()
	doing := p.st.Doing(n)
	if !strings.HasPrefix(doing, look) {
		doing = look + ", " + doing
	}
	text := fmt.Sprintf("%d %s: %s", p.numbers[id], p.st.Title(n), doing)
	if n.Parent != nil {
		text += ", under " + strconv.Itoa(p.numbers[n.Parent.Task.ID])
	}
	return core.CleanLine(text)
}

func (p *plainView) list() {
	if p.st.Tree.Len() == 0 {
		p.line("No tasks yet. n PROMPT starts a session.")
		if t := p.st.Config.Trouble; t != "" {
			p.line("A new session cannot start yet: %s", core.CleanLine(t))
		}
		return
	}
	for _, r := range p.st.Tree.Rows {
		text := p.describe(r.Node)
		p.said[r.Node.Task.ID] = text
		p.line("%s", text)
	}
}

// find is the task with a number, or whose name begins so.
func (p *plainView) find(word string) *state.Node {
	if i, err := strconv.Atoi(word); err == nil && i >= 1 && i <= len(p.tasks) {
		return p.st.Tree.Node(p.tasks[i-1])
	}
	for _, id := range p.tasks {
		if n := p.st.Tree.Node(id); n != nil && word != "" && (strings.HasPrefix(id, word) || strings.HasPrefix(core.CleanLine(n.Task.Label()), word)) {
			return n
		}
	}
	return nil
}

// command does what a line says; false leaves.
func (p *plainView) command(ctx context.Context, line string) bool {
	if id := p.confirm; id != "" {
		p.confirm = ""
		if line == "y" || line == "yes" {
			p.submit(ctx, state.Cancel{Task: id, Scope: core.ScopeTree})
		} else {
			p.line("Not cancelled.")
		}
		return true
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "":
	case "q", "quit":
		return false
	case "?", "help":
		p.line("%s", strings.TrimRight(plainHelp, "\n"))
	case "l":
		p.list()
	case "w":
		p.waiting()
	case "n":
		p.start(ctx, rest)
	default:
		p.act(ctx, word, rest)
	}
	return true
}

func (p *plainView) waiting() {
	if len(p.st.Wants.Inbox) == 0 {
		p.line("Nobody needs you.")
	}
	for i := range p.st.Wants.Inbox {
		a := &p.st.Wants.Inbox[i]
		p.line("%d %s asks for %s, since %s", p.numbers[a.Task], p.st.Path(a.Task), state.Ask(a), state.Elapsed(time.Since(a.Created)))
		for _, arg := range state.Arguments(a) {
			p.line("  %s", core.CleanLine(arg))
		}
	}
}

func (p *plainView) start(ctx context.Context, prompt string) {
	if prompt == "" {
		p.line("Say what you want done: n PROMPT")
		return
	}
	if _, err := p.e.NewSession(ctx, state.NewSession{Prompt: prompt}); err != nil {
		p.fail(err)
	}
}

func (p *plainView) fail(err error) {
	text := "Error: " + core.CleanLine(err.Error())
	if hint := core.HintOf(err); hint != "" {
		text += ". " + core.CleanLine(hint)
	}
	p.line("%s", text)
}

// act is a command about one task.
func (p *plainView) act(ctx context.Context, word, rest string) {
	who, text, _ := strings.Cut(rest, " ")
	text = strings.TrimSpace(text)
	n := p.find(who)
	deliveries := map[string]core.Delivery{"m": core.Queue, "s": core.Steer, "i": core.Interrupt}
	switch {
	case !strings.Contains("msiraAdx", word) || len(word) != 1:
		p.line("There is no command %s; ? lists them.", core.CleanLine(core.Short(word, 40)))
	case n == nil:
		p.line("There is no task %s; l lists them.", core.CleanLine(core.Short(who, 40)))
	case deliveries[word] != "" && text == "":
		p.line("Say what: %s %s TEXT", word, core.CleanLine(who))
	case deliveries[word] != "":
		p.submit(ctx, state.Send{Task: n.Task.ID, Text: text, Delivery: deliveries[word]})
	case word == "r":
		p.read(ctx, n.Task.ID)
	case word == "x":
		p.confirm = n.Task.ID
		p.line("Cancel %s and all under it? y or n", p.st.Title(n))
	default:
		p.answer(ctx, word, n.Task.ID, text)
	}
}

func (p *plainView) answer(ctx context.Context, word, task, text string) {
	for i := range p.st.Wants.Inbox {
		a := &p.st.Wants.Inbox[i]
		if a.Task != task {
			continue
		}
		switch word {
		case "a":
			p.submit(ctx, state.Approve{Task: task, Approval: a.ID, Scope: core.ScopeOnce})
		case "A":
			p.submit(ctx, state.Approve{Task: task, Approval: a.ID, Scope: core.ScopeAlways})
		default:
			p.submit(ctx, state.Deny{Task: task, Approval: a.ID, Reason: text})
		}
		return
	}
	p.line("It asks for nothing; w lists who does.")
}

func (p *plainView) submit(ctx context.Context, e state.Effect) {
	r, _ := requestOf(e)
	got, err := p.e.Submit(ctx, r)
	if err != nil {
		p.fail(err)
		return
	}
	p.line("%s is %s.", core.RequestRef(got.ID), got.State)
}

// read prints the task's last answer.
func (p *plainView) read(ctx context.Context, task string) {
	entries, err := p.e.Tail(ctx, task, 0, tail)
	if err != nil {
		p.fail(err)
		return
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if e := &entries[i]; e.Kind == core.EntryAnswer && strings.TrimSpace(e.Text) != "" {
			p.line("%s", core.Clean(e.Text))
			return
		}
	}
	p.line("It has not answered yet.")
}
