package offline

import (
	"strconv"
	"strings"
	"unicode"
)

// rule is what is done about a message that begins with certain words.
type rule struct {
	words  string                 // lower case, one or more
	fits   func(rest string) bool // nil: anything may follow
	run    func(s *script, rest string) (final, bool)
	sticky bool // an autopilot's continuation runs it again
}

// rules lists every word a message may begin with. Of two that match the
// longer wins. What fits none is a task (the first message) or a question.
func rules() []rule {
	return []rule{
		{words: "help", fits: none, run: help},
		{words: "read", fits: isRead, run: readFile},
		{words: "grep", fits: some, run: grepFiles},
		{words: "list", fits: upToOne, run: listFiles},
		{words: "find", fits: one, run: findFiles},
		{words: "run", fits: some, run: runCommand},
		{words: "write", fits: isWrite, run: writeFile},
		{words: "explore", fits: one, run: exploreInBackground},
		{words: "wait explore", fits: one, run: exploreAndWait},
		{words: "tell", fits: twoOrMore, run: tellAgent},
		{words: "agents", fits: none, run: listAgents},
		{words: "stop", fits: one, run: stopAgent},
		{words: "todo", fits: some, run: writeTodos},
		{words: "say", fits: some, run: sayText},
		{words: "survey", run: surveyOrExplore},
		{words: "demo", run: demoUnknown},
		{words: "demo slow", fits: upToNumber, run: demoSlow},
		{words: "demo sync", fits: upToNumber, run: demoSync},
		{words: "demo work", fits: upToNumber, run: demoWork},
		{words: "demo quick", fits: none, run: demoQuick},
		{words: "demo fail", fits: none, run: demoFail},
		{words: "demo error", fits: none, run: demoError},
		{words: "demo nested", fits: upToNumber, run: demoNested},
		{words: "demo nest", fits: twoOrMore, run: demoNest},
		{words: "demo approval", fits: none, run: demoApproval},
		{words: "demo never", fits: none, run: demoNever, sticky: true},
		{words: "demo restless", fits: none, run: demoRestless, sticky: true},
		{words: "demo blocked", fits: none, run: demoBlocked},
		{words: "demo input", fits: none, run: demoInput},
		{words: "demo todo", fits: none, run: demoTodo},
		{words: "demo steer", fits: none, run: demoSteer},
		{words: "demo flood", fits: none, run: demoFlood},
		{words: "demo hostile", fits: none, run: demoHostile},
		{words: "demo fan", fits: upToNumber, run: demoFan},
	}
}

// match finds the rule that the message means and what follows its words.
func match(text string) (r rule, rest string, ok bool) {
	for _, c := range rules() {
		after, hit := after(text, c.words)
		if hit && len(c.words) > len(r.words) && (c.fits == nil || c.fits(after)) {
			r, rest, ok = c, after, true
		}
	}
	return r, rest, ok
}

// after returns what follows the words at the beginning of text, in any case.
func after(text, words string) (string, bool) {
	rest := strings.TrimSpace(text)
	for w := range strings.FieldsSeq(words) {
		head, tail := cutWord(rest)
		if !strings.EqualFold(head, w) {
			return "", false
		}
		rest = tail
	}
	return rest, true
}

// cutWord parts the first word of s from the rest, which begins with no blank.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// cutArg is cutWord for an argument that may stand in quotes of either kind.
func cutArg(s string) (arg, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if i := strings.IndexByte(s[1:], s[0]); i >= 0 {
			return s[1 : i+1], strings.TrimSpace(s[i+2:])
		}
	}
	return cutWord(s)
}

func none(rest string) bool { return rest == "" }
func some(rest string) bool { return rest != "" }

func one(rest string) bool {
	arg, more := cutArg(rest)
	return arg != "" && more == ""
}

func upToOne(rest string) bool { return rest == "" || one(rest) }

func twoOrMore(rest string) bool {
	_, more := cutArg(rest)
	return more != ""
}

func upToNumber(rest string) bool {
	n, err := strconv.Atoi(rest)
	return rest == "" || err == nil && n >= 0
}

// isRead tells "read PATH [FROM-TO]" from a sentence that begins with read.
func isRead(rest string) bool {
	path, lines := cutArg(rest)
	if lines == "" {
		return path != ""
	}
	_, _, ok := lineRange(lines)
	return ok
}

// isWrite tells "write PATH TEXT" from a sentence: a path has a dot or a slash.
func isWrite(rest string) bool {
	path, text := cutArg(rest)
	return text != "" && strings.ContainsAny(path, "./")
}

// lineRange reads 12, 12- or 12-40; to is 0 where it is open.
func lineRange(s string) (from, to int, ok bool) {
	a, b, ranged := strings.Cut(s, "-")
	from, err := strconv.Atoi(a)
	if err != nil || from < 1 {
		return 0, 0, false
	}
	if !ranged {
		return from, from, true
	}
	if b == "" {
		return from, 0, true
	}
	to, err = strconv.Atoi(b)
	if err != nil || to < from {
		return 0, 0, false
	}
	return from, to, true
}

// number reads a count within bounds; rest is empty or digits already.
func number(rest string, otherwise, most int) int {
	n, err := strconv.Atoi(rest)
	if err != nil {
		return otherwise
	}
	return min(max(n, 0), most)
}
