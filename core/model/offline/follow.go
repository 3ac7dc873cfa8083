package offline

import (
	"fmt"
	"path"
	"strings"

	"drover/core"
)

const (
	quoted     = 200 // lines of output in an answer
	readLines  = 200 // lines of a file where no range is named
	mostLines  = 5000
	agentKind  = "explore"
	middleKind = "general-purpose"
)

func help(s *script, _ string) (final, bool) {
	return final{text: Help(), summary: "Told what the offline model can do."}, true
}

func sayText(_ *script, text string) (final, bool) { return final{text: text, plain: true}, true }

func readFile(s *script, rest string) (final, bool) {
	name, lines := cutArg(rest)
	from, to, _ := lineRange(lines)
	limit := readLines
	if to > 0 {
		limit = min(to-from+1, mostLines)
	}
	return s.show(s.say.of("read", "path", name), name, read(name, from, limit))
}

func grepFiles(s *script, rest string) (final, bool) {
	pattern, dir := cutArg(rest)
	return s.show(s.say.of("grep", "pattern", pattern), "matches of "+pattern, grep(pattern, unquoted(dir), false))
}

func listFiles(s *script, rest string) (final, bool) {
	dir := unquoted(rest)
	if dir == "" {
		dir = "."
	}
	return s.show(s.say.of("list", "path", dir), dir, list(dir, 2))
}

func findFiles(s *script, rest string) (final, bool) {
	pattern := unquoted(rest)
	return s.show(s.say.of("find", "pattern", pattern), pattern, glob(pattern))
}

func runCommand(s *script, command string) (final, bool) {
	return s.show(s.say.of("run", "command", command), "`"+command+"`", call{toolShell, args{"command": command}})
}

func writeFile(s *script, rest string) (final, bool) {
	name, text := cutArg(rest)
	return s.show(s.say.of("write", "path", name), name, call{toolWrite, args{"path": name, "content": text + "\n"}})
}

func listAgents(s *script, _ string) (final, bool) {
	return s.show(s.say.of("agents"), "agents", call{toolAgents, args{}})
}

func tellAgent(s *script, rest string) (final, bool) {
	ref, text := cutArg(rest)
	c := call{toolTell, args{"agent_id": s.agent(ref), "message": text}}
	return s.show(s.say.of("tell", "name", ref), ref, c)
}

func stopAgent(s *script, rest string) (final, bool) {
	ref := unquoted(rest)
	return s.show(s.say.of("stop", "name", ref), ref, call{toolStop, args{"agent_id": s.agent(ref)}})
}

// agent is the ID of a child by its name; what no child is called stays as it is.
func (s *script) agent(ref string) string {
	if c := s.family.find(ref); c != nil {
		return c.id
	}
	return ref
}

func writeTodos(s *script, rest string) (final, bool) {
	var all []todo
	for title := range strings.SplitSeq(rest, ";") {
		if title = strings.TrimSpace(title); title != "" {
			all = append(all, todo{ID: fmt.Sprintf("t%d", len(all)+1), Title: title, Status: "pending"})
		}
	}
	return s.show(s.say.of("todos"), "todos", s.todos(all))
}

// show makes one call and answers with its output as it is.
func (s *script) show(saying, title string, c call) (final, bool) {
	r, ok := s.one(saying, c)
	if !ok {
		return final{}, false
	}
	return final{text: s.output(title, r)}, true
}

// output is the Markdown of a call's result under a title.
func (s *script) output(title string, r result) string {
	switch {
	case r.missing:
		return s.say.of("no-tool", "title", title)
	case r.failed:
		return s.say.of("failed", "title", title) + "\n\n" + fence(r.text, quoted)
	case strings.TrimSpace(r.text) == "":
		return s.say.of("nothing", "title", title)
	}
	return "**" + oneLine(title) + "**\n\n" + fence(r.text, quoted)
}

func exploreInBackground(s *script, rest string) (final, bool) {
	c, name := exploreCall(unquoted(rest), core.Background)
	r, ok := s.one(s.say.of("start", "names", name), c)
	if !ok {
		return final{}, false
	}
	if !r.ok() {
		return final{text: s.output(name, r)}, true
	}
	id := name
	if c := s.family.by(r.call); c != nil {
		id = c.label()
	}
	return final{text: s.say.of("started", "name", id)}, true
}

func exploreAndWait(s *script, rest string) (final, bool) {
	c, name := exploreCall(unquoted(rest), core.Sync)
	return s.waitFor(name, c)
}

// waitFor makes a sync call of the task tool and tells what came of it.
func (s *script) waitFor(name string, c call) (final, bool) {
	r, ok := s.one(s.say.of("start-sync", "name", name), c)
	if !ok {
		return final{}, false
	}
	if !r.ok() {
		return final{text: s.output(name, r)}, true
	}
	if toBackground(r.text) {
		return final{text: s.say.of("promoted", "name", name) + "\n\n" + quote(r.text)}, true
	}
	return final{text: "**" + name + "** answered:\n\n" + quote(childWords(r.text))}, true
}

// exploreCall starts an explore agent on a directory.
func exploreCall(dir string, mode core.Mode) (call, string) {
	dir = strings.TrimSuffix(dir, "/")
	name := agentKind + "-" + slug(path.Base(dir))
	return start(agentKind, name, "Survey "+oneLine(dir), surveyPrompt(dir), mode), name
}

const surveyAsk = "tell its files by language, the largest and the central ones, and the open TODOs"

func surveyPrompt(dir string) string { return "Survey " + dir + ": " + surveyAsk + "." }

func unquoted(s string) string {
	arg, rest := cutArg(s)
	if rest != "" {
		return s
	}
	return arg
}
