package offline

import (
	"fmt"
	"strings"
	"time"

	"drover/core"
)

const (
	workStep     = 5 * time.Second // of demo work, where it does not take too many of them
	mostSteps    = 80              // a turn has a limit of steps
	steerStep    = 2 * time.Second
	steerSeconds = 30
	longestWork  = 24 * 3600 // seconds
	mostChildren = 500
	quickSteps   = 4
	floodLines   = 2000
)

func demoUnknown(s *script, rest string) (final, bool) {
	return final{text: s.say.of("demo-unknown", "name", headline(rest)) + "\n\n" + Help(), plain: true}, true
}

func workPrompt(seconds int) string { return fmt.Sprintf("demo work %d", seconds) }

// demoSlow starts a child that works for a while, and answers when it has.
func demoSlow(s *script, rest string) (final, bool) {
	n := number(rest, 60, longestWork)
	return s.startAndAwait(start(agentKind, "slow", "Work for "+count(n, "second", "seconds"), workPrompt(n), core.Background))
}

func demoSync(s *script, rest string) (final, bool) {
	n := number(rest, 60, longestWork)
	return s.waitFor("slow", start(agentKind, "slow", "Work for "+count(n, "second", "seconds"), workPrompt(n), core.Sync))
}

func demoFail(s *script, _ string) (final, bool) {
	return s.startAndAwait(start(agentKind, "failing", "Fail", "demo error", core.Background))
}

// startAndAwait starts background children, waits for their notices and tells them.
func (s *script) startAndAwait(calls ...call) (final, bool) {
	var names []string
	for _, c := range calls {
		names = append(names, fmt.Sprint(c.args["name"]))
	}
	r, ok := s.do(s.say.of("start", "names", strings.Join(names, ", ")), calls...)
	if !ok || !s.await(r...) {
		return final{}, false
	}
	var parts []string
	for i, x := range r {
		c := s.family.by(x.call)
		if c == nil {
			parts = append(parts, s.output(names[i], x))
			continue
		}
		parts = append(parts, c.told())
	}
	return final{text: strings.Join(parts, "\n\n")}, true
}

// demoWork streams slowly in steps, with a tool call between two of them.
func demoWork(s *script, rest string) (final, bool) {
	total := time.Duration(number(rest, 60, longestWork)) * time.Second
	return s.work(total, max(workStep, total/mostSteps))
}

func (s *script) work(total, step time.Duration) (final, bool) {
	steps := max(1, int((total+step-1)/step))
	if !s.offered[toolList] {
		return final{text: s.say.of("worked", "time", count(int(total.Seconds()), "second", "seconds")), over: total}, true
	}
	for i := range steps {
		left := total - time.Duration(i)*step
		s.over = min(step, left)
		saying := s.say.of("working", "step", fmt.Sprint(i+1), "steps", fmt.Sprint(steps), "left", left.String())
		if _, ok := s.one(saying, list(".", 1)); !ok {
			return final{}, false
		}
	}
	s.over = 0
	return final{text: s.say.of("worked", "time", count(int(total.Seconds()), "second", "seconds"))}, true
}

func demoQuick(s *script, _ string) (final, bool) {
	for i := range quickSteps {
		if _, ok := s.one(s.say.of("quick", "step", fmt.Sprint(i+1)), list(".", 1)); !ok {
			return final{}, false
		}
	}
	return final{text: s.say.of("quick-done", "steps", fmt.Sprint(quickSteps))}, true
}

func demoError(s *script, _ string) (final, bool) {
	s.out = plan{err: &core.Error{Code: core.CodeModel, Message: "the offline model was asked to fail"}}
	return final{}, false
}

// demoNested starts a chain of agents, each waiting for the next one.
func demoNested(s *script, rest string) (final, bool) {
	return s.nest(2, number(rest, 30, longestWork))
}

// demoNest is what an agent of the chain is told: how many more agents of its
// kind come below it, and how long the last one works.
func demoNest(s *script, rest string) (final, bool) {
	more, seconds := cutWord(rest)
	return s.nest(number(more, 0, 8), number(seconds, 30, longestWork))
}

func (s *script) nest(more, seconds int) (final, bool) {
	if more == 0 {
		return s.waitFor("deepest", start(agentKind, "deepest", "Work for "+count(seconds, "second", "seconds"), workPrompt(seconds), core.Sync))
	}
	name := fmt.Sprintf("level-%d", s.task.Depth+1)
	prompt := fmt.Sprintf("demo nest %d %d", more-1, seconds)
	return s.waitFor(name, start(middleKind, name, "Hand on to the next level", prompt, core.Sync))
}

func demoApproval(s *script, _ string) (final, bool) {
	return runCommand(s, `printf 'approved\n'`)
}

func demoNever(s *script, _ string) (final, bool) {
	return final{text: s.say.of("never"), plain: true}, true
}

// demoRestless makes one tool call for each message, so that there is always
// progress and never an end.
func demoRestless(s *script, _ string) (final, bool) {
	if len(s.since(s.wokenAt, toolList)) == 0 && s.offered[toolList] {
		s.out = plan{text: s.say.of("restless-step"), calls: []call{list(".", 1)}}
		return final{}, false
	}
	return final{text: s.say.of("restless", "n", fmt.Sprint(len(s.since(s.from, toolList)))), plain: true}, true
}

func demoBlocked(s *script, _ string) (final, bool) {
	return final{
		text: s.say.of("blocked"), summary: s.say.of("blocked"), outcome: core.OutcomeBlocked,
		notDone: []string{s.say.of("blocked-not-done")},
	}, true
}

func demoInput(s *script, _ string) (final, bool) {
	return final{
		text: s.say.of("input"), summary: s.say.of("input"), outcome: core.OutcomeNeedsInput,
		notDone: []string{s.say.of("input-not-done")},
	}, true
}

// demoTodo leaves todos open, so that completion is refused, and then closes them.
func demoTodo(s *script, _ string) (final, bool) {
	list := []todo{
		{ID: "t1", Title: "Look at the directory", Status: "in_progress"},
		{ID: "t2", Title: "Tell what is there", Status: "pending"},
	}
	if _, ok := s.one(s.say.of("todo-open"), s.todos(list)); !ok {
		return final{}, false
	}
	if !s.offered[toolComplete] {
		for i := range list {
			list[i].Status = "done"
		}
		if _, ok := s.one(s.say.of("close-todos"), s.todos(list)); !ok {
			return final{}, false
		}
	}
	return final{text: s.say.of("todo-done"), summary: s.say.of("todo-done")}, true
}

// demoSteer works in short steps: a message that comes meanwhile is a new
// order, which the next step begins.
func demoSteer(s *script, _ string) (final, bool) {
	return s.work(steerSeconds*time.Second, steerStep)
}

// demoFlood answers with more lines than any screen has.
func demoFlood(s *script, _ string) (final, bool) {
	var b strings.Builder
	b.WriteString(s.say.of("flood"))
	b.WriteString("\n\n")
	for i := 1; i <= floodLines; i++ {
		switch {
		case i%100 == 1:
			fmt.Fprintf(&b, "\n## Part %d\n\n", i/100+1)
		case i%25 == 0:
			fmt.Fprintf(&b, "- line %d has `code`, *emphasis* and a word of **weight**, and it is long enough to wrap on a screen of eighty columns\n", i)
		default:
			fmt.Fprintf(&b, "- line %d of %d\n", i, floodLines)
		}
	}
	return final{text: b.String(), summary: s.say.of("flood")}, true
}

// demoHostile answers with what a screen must not obey.
func demoHostile(s *script, _ string) (final, bool) {
	text := s.say.of("hostile") + "\n\n" + strings.Join([]string{
		"- colour and clear: \x1b[31mred\x1b[0m \x1b[2J\x1b[H",
		"- title and clipboard: \x1b]0;owned\x07 \x1b]52;c;b3duZWQ=\x07",
		"- a link that lies: \x1b]8;;https://evil.example\x1b\\https://good.example\x1b]8;;\x1b\\ and [https://good.example](https://evil.example)",
		"- an address that runs code: [click](javascript:alert(1))",
		"- screen tags: [red]red[-] [::b]bold[::-] [\"region\"]region[\"\"] [#ff0000]hex",
		"- an escape without an end: \x1b[",
		"- eight-bit controls: \u009b31m and \u009d0;title\u009c",
		"- direction: abc\u202edcba\u202c \u2066isolated\u2069 \u200fmark",
		"- invisible: a\u200bb\u2060c\ufeffd\u00ade",
		"- bell and backspace: \a\b\b\b overwritten\rcarriage",
		"- a false notice: [notice] nobody (zzzzz) completed:",
		"- an unclosed fence follows",
	}, "\n") + "\n\n````\nunclosed"
	return final{text: text, summary: "Answered with hostile text."}, true
}

// demoFan starts many children at once.
func demoFan(s *script, rest string) (final, bool) {
	n := max(1, number(rest, 10, mostChildren))
	var calls []call
	for i := range n {
		calls = append(calls, start(agentKind, fmt.Sprintf("fan-%03d", i+1), "Four quick steps", "demo quick", core.Background))
	}
	r, ok := s.do(s.say.of("fan", "n", fmt.Sprint(n)), calls...)
	if !ok || !s.await(r...) {
		return final{}, false
	}
	states := map[string]int{}
	for _, x := range r {
		if c := s.family.by(x.call); c != nil {
			states[c.state]++
		} else {
			states["not started: "+headline(x.text)]++
		}
	}
	return final{text: s.say.of("fan-done", "n", fmt.Sprint(n)) + "\n\n" + bullets(tally(states), "")}, true
}
