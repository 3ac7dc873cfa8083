package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	exploreReads = 2
	listDepth    = 6 // as deep as the tool goes: for the sizes
	biggestShown = 5
	defsShown    = 12
)

// explore is a subagent's work on the prompt it was started with: the notes of
// one directory.
func explore(s *script, prompt string) (final, bool) {
	dir := surveyDir(prompt)
	rest := ""
	if dir == "" {
		dir, rest = ".", prompt
	}
	dir = path.Clean(dir)
	pattern := "**/*"
	if dir != "." {
		pattern = escapeGlob(dir) + "/**/*"
	}
	f := &findings{dir: dir, asked: rest, words: significant(rest), wordHits: map[string][]hit{}}
	r, ok := s.do(s.say.of("explore-list", "dir", dir), intent("survey "+dir), list(dir, listDepth), glob(pattern))
	if !ok {
		return final{}, false
	}
	s.takeFiles(f, dir, r[1], r[2])

	calls := []call{grep(todoRegex, dir, false), grep(mainRegex, dir, false), grep(defRegex, dir, false)}
	for _, w := range f.words {
		calls = append(calls, grep(literal(w), dir, true))
	}
	r, ok = s.do(s.say.of("explore-search", "dir", dir), calls...)
	if !ok {
		return final{}, false
	}
	f.todos, f.mains = f.search(s, "TODO", r[0]), inCode(f.search(s, "main", r[1]))
	defs := inCode(f.search(s, "definitions", r[2]))
	for i, w := range f.words {
		f.wordHits[w] = f.search(s, w, r[3+i])
	}

	names := denseFiles(defs, f.files)
	calls = nil
	for _, n := range names {
		calls = append(calls, read(n, 0, readHead))
	}
	r, ok = s.do(s.say.of("explore-read", "names", strings.Join(names, ", ")), calls...)
	if !ok {
		return final{}, false
	}
	f.addReadings(s, names, r)
	return s.notes(f, defs), true
}

// escapeGlob makes a path a pattern that matches only itself.
func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`).Replace(p)
}

// denseFiles picks the files with most definitions, tests and vendored ones
// last; where nothing is defined, the first READMEs and entry points.
func denseFiles(defs []hit, files []file) []string {
	sum := map[string]int{}
	for _, h := range defs {
		sum[h.path]++
		if isTest(h.path) || isLesser(h.path) {
			sum[h.path] -= 100
		}
	}
	var out []string
	for p := range sum {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b string) int {
		if sum[a] != sum[b] {
			return sum[b] - sum[a]
		}
		return strings.Compare(a, b)
	})
	if len(out) == 0 {
		for _, f := range files {
			if readmeName().MatchString(path.Base(f.path)) || isEntry(f.path) {
				out = append(out, f.path)
			}
		}
	}
	return out[:min(exploreReads, len(out))]
}

// notes is an explorer's answer. What it finds nothing of, it says in a word.
func (s *script) notes(f *findings, defs []hit) final {
	var kinds []string
	for _, k := range kindsOf(f.files) {
		kinds = append(kinds, fmt.Sprintf("%s %d", k.name, k.n))
	}
	f.notePartial(s)
	lines := []string{f.total() + ": " + orNone(strings.Join(kinds, ", "))}
	if big := biggest(f); big != "" {
		lines = append(lines, "largest: "+big)
	}
	if n := testFiles(f.files); n > 0 {
		lines = append(lines, count(n, "test file", "test files"))
	}
	for _, h := range f.mains[:min(defsShown, len(f.mains))] {
		lines = append(lines, "entry point "+h.String())
	}
	text := "**" + oneLine(f.dir) + "**\n\n" + bullets(lines, "")
	if len(defs) > 0 {
		text += fmt.Sprintf("\n\nDefinitions (%d):\n\n", len(defs)) + hitList(central(defs), defsShown)
	}
	if len(f.read) > 0 {
		text += "\n\nLooked into:\n\n" + readingsOf(f.read)
	}
	if len(f.words) > 0 {
		text += "\n\n" + s.wordsOf(f)
	}
	text += "\n\nOpen TODOs:\n\n" + s.todosOf(f.todos, defsShown)
	if len(f.unseen) > 0 {
		text += "\n\nNot seen:\n\n" + bullets(f.unseen, "")
	}
	return final{text: text, summary: "Notes on " + oneLine(f.dir) + "."}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

type kind struct {
	name string
	n    int
}

func kindsOf(files []file) []kind {
	sum := map[string]int{}
	for _, f := range files {
		l := language(f.path)
		if l == "" {
			l = "other"
		}
		sum[l]++
	}
	var out []kind
	for name, n := range sum {
		out = append(out, kind{name, n})
	}
	slices.SortFunc(out, func(a, b kind) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

func testFiles(files []file) int {
	n := 0
	for _, f := range files {
		if isTest(f.path) {
			n++
		}
	}
	return n
}

// biggest names the largest files where the tools told sizes, else those read
// whose length is known.
func biggest(f *findings) string {
	var out []string
	bySize := slices.Clone(f.files)
	slices.SortStableFunc(bySize, func(a, b file) int { return int(min(max(b.size-a.size, -1), 1)) })
	for _, x := range bySize {
		if x.size > 0 && len(out) < biggestShown {
			out = append(out, shown(x.path)+" "+bytesOf(x.size))
		}
	}
	if len(out) > 0 {
		return strings.Join(out, ", ")
	}
	for _, r := range f.read {
		if r.lines > 0 {
			out = append(out, shown(r.path)+" "+count(r.lines, "line", "lines"))
		}
	}
	return strings.Join(out, ", ")
}

var (
	typeDef  = pattern(`^(pub |export )*(type|class|struct|enum|trait|interface) `)
	exported = pattern(`^((pub|export|def|class) |(func|type) (\([^)]*\) )?[A-Z])`)
)

// central orders definitions: types and exported ones first, tests last, and
// no more than three of a file before each file has had its turn.
func central(defs []hit) []hit {
	score := func(h hit) (n int) {
		if typeDef().MatchString(h.text) {
			n += 2
		}
		if exported().MatchString(h.text) {
			n += 2
		}
		if isTest(h.path) || isLesser(h.path) {
			n -= 10
		}
		return n
	}
	all := slices.Clone(defs)
	slices.SortStableFunc(all, func(a, b hit) int { return score(b) - score(a) })
	var early, late []hit
	had := map[string]int{}
	for _, h := range all {
		if had[h.path]++; had[h.path] <= 3 {
			early = append(early, h)
		} else {
			late = append(late, h)
		}
	}
	return append(early, late...)
}

// tally lists what was counted, the most frequent first.
func tally(sum map[string]int) []string {
	var all []kind
	for name, n := range sum {
		all = append(all, kind{name, n})
	}
	slices.SortFunc(all, func(a, b kind) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, k := range all {
		out = append(out, fmt.Sprintf("%d %s", k.n, k.name))
	}
	return out
}
