package offline

import "strings"

const around = 12 // lines shown about the best hit

// surveyDir is the directory that a prompt of the shape "Survey DIR" or
// "Survey DIR: ..." names, or "".
func surveyDir(prompt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	rest, ok := after(first, "survey")
	if !ok {
		return ""
	}
	if dir, _, named := strings.Cut(rest+" ", ": "); named {
		return strings.TrimSpace(dir)
	}
	if one(rest) {
		return unquoted(rest)
	}
	return ""
}

// question searches for the words of a message and shows the best place.
func question(s *script, text string) (final, bool) {
	words := significant(text)
	if len(words) == 0 {
		return final{text: s.say.of("no-words")}, true
	}
	var calls []call
	for _, w := range words {
		calls = append(calls, grep(literal(w), "", true))
	}
	r, ok := s.do(s.say.of("question", "words", strings.Join(words, ", ")), calls...)
	if !ok {
		return final{}, false
	}
	f := &findings{words: words, wordHits: map[string][]hit{}}
	var all []hit
	for i, w := range words {
		f.wordHits[w] = f.search(s, w, r[i])
		all = append(all, f.wordHits[w]...)
	}
	unseen := ""
	if len(f.unseen) > 0 {
		unseen = "\n\n" + bullets(f.unseen, "")
	}
	if len(all) == 0 {
		return final{text: s.say.of("no-hits", "words", strings.Join(words, ", ")) + unseen}, true
	}
	best := ranked(all, words)[0]
	shown, ok := s.one(s.say.of("read", "path", best.path), read(best.path, max(1, best.line-around/3), around))
	if !ok {
		return final{}, false
	}
	answer := s.say.of("answer", "best", best.String(), "lines", s.output(best.path, shown), "words", s.wordsOf(f)) + unseen
	return final{text: answer + "\n\n" + s.say.of("rules"), summary: "The best match is " + best.String() + "."}, true
}
