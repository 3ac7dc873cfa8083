package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"drover/core"
)

const (
	maxAreas  = 4
	maxReads  = 4
	maxWiden  = 40 // directories whose files are asked for one by one
	readHead  = 60 // lines of a file that is looked at
	todoRegex = `(^|//|#|--|/\*|\*|;|%|<!--)\s*(TODO|FIXME)\b|\b(TODO|FIXME)[(:]`
	mainRegex = `^func main\(|^if __name__ ==|^fn main\(|^(int|void) main\(|^\s*public static void main\(`
	defRegex  = `^(func|type|class|def|fn|struct|enum|trait|interface|module|export|pub (fn|struct|enum|trait)) `
)

// findings is what a survey has learnt, all of it from tools.
type findings struct {
	dir      string
	asked    string
	files    []file
	left     left // what the list of files lacks
	words    []string
	wordHits map[string][]hit
	todos    []hit
	mains    []hit
	areas    []area
	read     []reading
	unseen   []string // what could not be seen, in plain words
}

// area is a directory that was given to an agent.
type area struct {
	dir  string
	name string // of the agent
	made result // of the call that started it
}

// reading is the head of a file.
type reading struct {
	path  string
	lines int // of the whole file; 0 where not known
	text  string
}

func surveyOrExplore(s *script, rest string) (final, bool) {
	if s.main() {
		return survey(s, rest)
	}
	return explore(s, "Survey "+rest)
}

// survey is the main agent's work on a prompt that no rule knows.
func survey(s *script, prompt string) (final, bool) {
	f := &findings{dir: path.Base(s.task.Dir), asked: prompt, wordHits: map[string][]hit{}}
	r, ok := s.do(s.say.of("survey-list"), intent("survey the directory"), list(".", 2), glob("**/*"))
	if !ok {
		return final{}, false
	}
	s.takeFiles(f, ".", r[1], r[2])
	if f.left.cut && !s.widen(f, r[1]) {
		return final{}, false
	}
	if !s.searchAndStart(f) || !s.readHeads(f) {
		return final{}, false
	}
	made := make([]result, 0, len(f.areas))
	for _, a := range f.areas {
		made = append(made, a.made)
	}
	if !s.await(made...) {
		return final{}, false
	}
	return s.report(f), true
}

// takeFiles takes the files from glob's list, with the sizes of the listing;
// where glob failed the listing has to do.
func (s *script) takeFiles(f *findings, dir string, listed, globbed result) {
	known, _, cut := paths(listed.text, dir)
	switch {
	case globbed.ok():
		f.files, _, f.left = paths(globbed.text, "")
	case listed.ok():
		f.files, f.left = known, cut
		f.unseen = append(f.unseen, s.say.of("unseen-glob"))
	default:
		f.unseen = append(f.unseen, s.say.of("unseen-list", "why", headline(listed.text)))
		return
	}
	sizes := map[string]int64{}
	for _, k := range known {
		sizes[k.path] = k.size
	}
	for i := range f.files {
		if n, ok := sizes[f.files[i].path]; ok {
			f.files[i].size = n
		}
	}
}

// widen asks for the files of each top directory where one list could not hold them all.
func (s *script) widen(f *findings, listed result) bool {
	if !listed.ok() || !s.offered[toolGlob] {
		return true
	}
	_, dirs, _ := paths(listed.text, "")
	var calls []call
	for _, d := range dirs {
		if !strings.Contains(d, "/") && len(calls) < maxWiden {
			calls = append(calls, glob(escapeGlob(d)+"/**/*"))
		}
	}
	r, ok := s.do(s.say.of("survey-widen"), calls...)
	if !ok {
		return false
	}
	seen := map[string]bool{}
	for _, x := range f.files {
		seen[x.path] = true
	}
	before := len(f.files)
	var l left
	for _, x := range r {
		more, _, cut := paths(x.text, "")
		l.cut, l.more = l.cut || cut.cut || !x.ok(), l.more+cut.more
		for _, y := range more {
			if x.ok() && !seen[y.path] {
				seen[y.path] = true
				f.files = append(f.files, y)
			}
		}
	}
	f.left.more -= len(f.files) - before
	f.left.cut = f.left.more > 0 || l.cut
	slices.SortFunc(f.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return true
}

// searchAndStart starts an agent for each area and, in the same step, searches.
func (s *script) searchAndStart(f *findings) bool {
	f.words = significant(f.asked)
	f.areas = pickAreas(f.files, s.task.Dir)
	var calls []call
	var names []string
	for i, a := range f.areas {
		c, _ := exploreCall(a.dir, core.Background)
		c.args["name"] = a.name
		calls = append(calls, c)
		names = append(names, f.areas[i].name)
	}
	for _, w := range f.words {
		calls = append(calls, grep(literal(w), "", true))
	}
	calls = append(calls, grep(todoRegex, "", false), grep(mainRegex, "", false))
	saying := s.say.of("survey-search", "words", strings.Join(append(slices.Clone(f.words), "TODO", "FIXME"), ", "))
	if len(names) > 0 {
		saying = s.say.of("start", "names", strings.Join(names, ", ")) + " " + saying
	}
	r, ok := s.do(saying, calls...)
	if !ok {
		return false
	}
	for i := range f.areas {
		f.areas[i].made = r[i]
	}
	r = r[len(f.areas):]
	for i, w := range f.words {
		f.wordHits[w] = f.search(s, w, r[i])
	}
	f.todos = f.search(s, "TODO", r[len(f.words)])
	f.mains = inCode(f.search(s, "main", r[len(f.words)+1]))
	return true
}

// search reads the hits of one grep and remembers what was not seen of them.
func (f *findings) search(s *script, what string, r result) []hit {
	if !r.ok() {
		f.unseen = append(f.unseen, s.say.of("unseen-grep", "what", what, "why", headline(r.text)))
		return nil
	}
	found, cut := hits(r.text)
	if cut {
		f.unseen = append(f.unseen, s.say.of("unseen-hits", "what", what, "n", fmt.Sprint(len(found))))
	}
	return found
}

// readHeads reads the beginnings of the README and the main entry points.
func (s *script) readHeads(f *findings) bool {
	names := centralFiles(f.files, f.mains)
	if len(names) == 0 {
		return true
	}
	calls := []call{intent("read the central files")}
	for _, n := range names {
		calls = append(calls, read(n, 0, readHead))
	}
	r, ok := s.do(s.say.of("survey-read", "names", strings.Join(names, ", ")), calls...)
	if !ok {
		return false
	}
	f.addReadings(s, names, r[1:])
	return true
}

func (f *findings) addReadings(s *script, names []string, r []result) {
	for i, n := range names {
		if !r[i].ok() {
			f.unseen = append(f.unseen, s.say.of("unseen-file", "path", n, "why", headline(r[i].text)))
			continue
		}
		f.read = append(f.read, reading{n, linesIn(r[i].text), r[i].text})
	}
}

// centralFiles picks what to read: READMEs at the top, entry points, manifests.
func centralFiles(files []file, mains []hit) []string {
	var out []string
	add := func(name string) {
		if len(out) < maxReads && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, f := range files {
		if readmeName().MatchString(f.path) && len(out) == 0 {
			add(f.path)
		}
	}
	for _, h := range mains {
		if isCode(h.path) && !isLesser(h.path) && !isTest(h.path) {
			add(h.path)
		}
	}
	for _, f := range files {
		if isEntry(f.path) && !isLesser(f.path) {
			add(f.path)
		}
	}
	for _, f := range files {
		switch f.path {
		case "go.mod", "package.json", "pyproject.toml", "Cargo.toml", "Makefile":
			add(f.path)
		}
	}
	return out
}

// pickAreas chooses the directories worth an agent: those with most code. One
// that holds all is parted into what is below it; where there is no directory
// at all one agent takes the whole.
func pickAreas(files []file, root string) []area {
	if len(files) == 0 {
		return nil
	}
	prefix := ""
	scores := scoreDirs(files, prefix)
	for len(scores) == 1 {
		only := prefix + scores[0].dir + "/"
		below := scoreDirs(files, only)
		if len(below) < 2 {
			break
		}
		prefix, scores = only, below
	}
	if len(scores) == 0 {
		return []area{{dir: ".", name: agentKind + "-" + slug(path.Base(root))}}
	}
	var out []area
	names := map[string]bool{}
	for _, d := range scores[:min(maxAreas, len(scores))] {
		name := agentKind + "-" + slug(path.Base(d.dir))
		for n := 2; names[name]; n++ {
			name = fmt.Sprintf("%s-%s-%d", agentKind, slug(path.Base(d.dir)), n)
		}
		names[name] = true
		out = append(out, area{dir: prefix + d.dir, name: name})
	}
	return out
}

type dirScore struct {
	dir   string
	score int
}

// scoreDirs weighs the directories directly under prefix, best first. Lesser
// ones count only where there is nothing else.
func scoreDirs(files []file, prefix string) []dirScore {
	sum := map[string]int{}
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.path, prefix)
		dir, _, below := strings.Cut(rest, "/")
		if !ok || !below || dir == "" || strings.ContainsAny(dir, ":\n\\\"'") {
			continue
		}
		if isCode(f.path) {
			sum[dir] += 3
		} else {
			sum[dir]++
		}
	}
	var major, minor []dirScore
	for dir, n := range sum {
		if isLesser(dir) {
			minor = append(minor, dirScore{dir, n})
		} else {
			major = append(major, dirScore{dir, n})
		}
	}
	if len(major) == 0 {
		major = minor
	}
	slices.SortFunc(major, func(a, b dirScore) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return strings.Compare(a.dir, b.dir)
	})
	return major
}
