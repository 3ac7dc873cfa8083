package offline

import (
	"slices"
	"strings"
	"time"

	"drover/core"
)

// plan is the next reply.
type plan struct {
	text  string
	calls []call
	over  time.Duration // stream the text over this time; 0: as usual
	err   error         // fail instead
}

// final is how a rule ends: what it answers, and what it would declare.
type final struct {
	text    string
	summary string // "": made from the text
	outcome core.Outcome
	notDone []string
	plain   bool          // never declares completion
	over    time.Duration // stream the text over this time
}

// result of one call, for a rule.
type result struct {
	text    string
	failed  bool
	missing bool // the tool was not offered, so there was no call
	call    string
}

func (r result) ok() bool { return !r.failed && !r.missing }

// script runs a rule from its beginning. Steps that the transcript holds give
// their results; the first that is missing is the reply, and the rule returns.
type script struct {
	*transcript
	say     phrases
	from    int             // only acts at or after this message count
	used    map[string]int  // how many acts of a key the rule has taken
	out     plan            // the reply, once a step was missing
	missing []string        // tools that were wanted and not offered
	over    time.Duration   // of the next step
	told    map[string]bool // children whose news the rule itself tells
}

// do makes the calls in one step, saying text. Where ok is false the reply is
// settled and the rule must return. A tool that is not offered is not called.
func (s *script) do(text string, calls ...call) (results []result, ok bool) {
	results = make([]result, len(calls))
	var todo []call
	for i, c := range calls {
		a := s.take(c)
		switch {
		case a != nil:
			results[i] = result{text: a.text, failed: a.failed || !a.done, call: a.call}
		case s.offered[c.name]:
			todo = append(todo, c)
		default:
			results[i] = result{missing: true}
			if !slices.Contains(s.missing, c.name) {
				s.missing = append(s.missing, c.name)
			}
		}
	}
	if len(todo) > 0 {
		s.out = plan{text: text, calls: todo, over: s.over}
		return nil, false
	}
	return results, true
}

// one is do for a single call.
func (s *script) one(text string, c call) (result, bool) {
	r, ok := s.do(text, c)
	if !ok {
		return result{}, false
	}
	return r[0], true
}

// take finds the act that answers c and that the rule has not taken yet. One
// that was cut off is passed over once, where it can be made again.
func (s *script) take(c call) *act {
	key, skip := c.key(), s.used[c.key()]
	n := 0
	for i := range s.acts {
		a := &s.acts[i]
		if a.at < s.from || a.key != key {
			continue
		}
		if n++; n <= skip {
			continue
		}
		s.used[key] = n
		if a.broken() && again(a.tool) && n-skip == 1 {
			continue
		}
		return a
	}
	return nil
}

// wait ends the turn without an answer: a notice will begin the next one.
func (s *script) wait() bool {
	names := s.family.pending()
	s.out = plan{text: s.say.of("waiting", "n", count(len(names), "agent is", "agents are"), "names", strings.Join(names, ", "))}
	return false
}

// await returns true once none of the children that the calls started is at
// work any more, as far as has been heard. Where something other than a notice
// woke the task, it asks the children instead of believing its own book.
func (s *script) await(started ...result) bool {
	var asks []call
	for _, r := range started {
		c := s.family.by(r.call)
		if c == nil {
			continue
		}
		s.told[c.id] = true
		if c.pending {
			asks = append(asks, call{toolAsk, args{"agent_id": c.id}})
		}
	}
	if len(asks) == 0 {
		return true
	}
	if s.doubted() && s.offered[toolAsk] {
		s.out = plan{text: s.say.of("ask-children"), calls: asks}
		return false
	}
	return s.wait()
}

// doubted reports whether somebody wants the task to go on although it waits.
func (s *script) doubted() bool {
	return s.wake != core.SenderSystem && s.spokeAt < s.wokenAt
}

// decide is the whole model: the reply to the request.
func decide(say phrases, req core.ModelRequest) plan {
	t := parse(req)
	o, ok := t.current()
	s := &script{transcript: t, say: say, from: o.at, used: map[string]int{}, told: map[string]bool{}}
	var f final
	if ok {
		f, ok = s.obey(o)
	} else {
		s.from = t.wokenAt
		f, ok = s.idle()
	}
	if ok {
		s.close(f)
	}
	if o.anew && o.left != "" {
		s.out.text = s.say.of("steered", "left", headline(o.left), "order", headline(strings.Join(o.texts, "; "))) + "\n\n" + s.out.text
	}
	return s.out
}

// current is the order to work on: the newest that is open; at a continuation
// also the last one where its rule wants that.
func (t *transcript) current() (order, bool) {
	if n := len(t.open); n > 0 {
		return t.open[n-1], true
	}
	if t.wake == core.SenderAutopilot && t.orders > 0 {
		if r, _, ok := match(t.last.texts[0]); ok && r.sticky {
			return t.last, true
		}
	}
	return order{}, false
}

// obey runs the rule of each text of the order, and joins their answers.
func (s *script) obey(o order) (final, bool) {
	var all final
	for i, text := range o.texts {
		f, ok := s.rule(o, text)
		if !ok {
			return final{}, false
		}
		if i == 0 {
			all = f
			continue
		}
		all.text += "\n\n---\n\n" + f.text
		all.summary, all.outcome, all.notDone, all.plain = f.summary, f.outcome, f.notDone, f.plain
	}
	return all, true
}

func (s *script) rule(o order, text string) (final, bool) {
	if r, rest, ok := match(text); ok {
		return r.run(s, rest)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return final{text: s.say.of("empty")}, true
	case o.first && s.main():
		return survey(s, text)
	case o.first:
		return explore(s, text)
	}
	return question(s, text)
}
