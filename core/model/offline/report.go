package offline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	hitsShown  = 8  // of one word
	todosShown = 15 //
	testsShown = 8  //
	noteLines  = 40 // of a child's notes
)

// report is the answer of a survey. Each section is left out where it would
// say nothing.
func (s *script) report(f *findings) final {
	states := s.reported(f)
	text := s.say.of("report",
		"dir", oneLine(f.dir),
		"asked", headline(f.asked),
		"files", f.total(),
		"languages", languages(f.files),
		"readings", readingsOf(f.read),
		"areas", s.areasOf(f, states),
		"words", s.wordsOf(f),
		"todos", s.todosOf(f.todos, todosShown),
		"entries", s.entriesOf(f),
		"unseen", bullets(f.unseen, s.say.of("unseen-nothing")),
		"rules", s.say.of("rules"),
	)
	sum := fmt.Sprintf("Surveyed %s: %s, %s, %s.", oneLine(f.dir), f.total(),
		count(len(f.areas), "area explored", "areas explored"), count(len(f.todos), "open TODO line", "open TODO lines"))
	var notDone []string
	for i, a := range f.areas {
		if !states[i] {
			notDone = append(notDone, "notes on "+a.dir)
		}
	}
	return final{text: text, summary: sum, notDone: notDone}
}

// reported tells for each area whether its agent answered, and notes in
// f.unseen those that did not.
func (s *script) reported(f *findings) []bool {
	good := make([]bool, len(f.areas))
	for i, a := range f.areas {
		switch c := s.family.by(a.made.call); {
		case a.made.missing:
			f.unseen = append(f.unseen, s.say.of("unseen-area", "dir", a.dir, "why", "no tool to start agents with"))
		case c == nil:
			f.unseen = append(f.unseen, s.say.of("unseen-area", "dir", a.dir, "why", headline(a.made.text)))
		case c.text == "" || strings.HasPrefix(c.state, "failed") || strings.Contains(c.state, "cancelled"):
			f.unseen = append(f.unseen, s.say.of("unseen-area", "dir", a.dir, "why", c.label()+" "+headline(c.state)))
		default:
			good[i] = true
		}
	}
	f.notePartial(s)
	return good
}

// notePartial says so where the list of files is not whole.
func (f *findings) notePartial(s *script) {
	if f.left.cut {
		f.unseen = append(f.unseen, s.say.of("unseen-files", "n", strconv.Itoa(len(f.files))))
	}
}

func (f *findings) total() string {
	n := count(len(f.files)+max(0, f.left.more), "file", "files")
	if f.left.cut && f.left.more <= 0 {
		return "at least " + n
	}
	return n
}

// languages is the table of files by language, the most frequent first, with
// bytes where the tools told them.
func languages(files []file) string {
	type row struct {
		name  string
		files int
		bytes int64
		exts  []string
	}
	by := map[string]*row{}
	known := len(files) > 0
	for _, f := range files {
		l := language(f.path)
		if l == "" {
			l = "other"
		}
		r := by[l]
		if r == nil {
			r = &row{name: l}
			by[l] = r
		}
		r.files++
		r.bytes += max(f.size, 0)
		known = known && f.size >= 0
		if e := extension(f.path); !slices.Contains(r.exts, e) && len(r.exts) < 6 {
			r.exts = append(r.exts, e)
		}
	}
	rows := make([]*row, 0, len(by))
	for _, r := range by {
		slices.Sort(r.exts)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int {
		if a.files != b.files {
			return b.files - a.files
		}
		return strings.Compare(a.name, b.name)
	})
	head, line := "| language | files | names |\n| --- | ---: | --- |\n", "| %s | %d | %s |\n"
	if known {
		head = "| language | files | size | names |\n| --- | ---: | ---: | --- |\n"
	}
	var b strings.Builder
	b.WriteString(head)
	for _, r := range rows {
		exts := strings.Join(r.exts, " ")
		if known {
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", r.name, r.files, bytesOf(r.bytes), exts)
		} else {
			fmt.Fprintf(&b, line, r.name, r.files, exts)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

var plainExt = pattern(`^\.[A-Za-z0-9_+-]{1,12}$`)

func extension(name string) string {
	if base := path.Base(name); byName[base] != "" {
		return base
	}
	if e := path.Ext(name); plainExt().MatchString(e) {
		return strings.ToLower(e)
	}
	return "(none)"
}

func bytesOf(n int64) string {
	switch {
	case n < 1e3:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func readingsOf(all []reading) string {
	var out []string
	for _, r := range all {
		line := shown(r.path)
		if r.lines > 0 {
			line += ", " + count(r.lines, "line", "lines")
		}
		if first := firstWords(r.text); first != "" {
			line += ": " + first
		}
		out = append(out, line)
	}
	return bullets(out, "Nothing was read.")
}

var licence = pattern(`(?i)copyright|license|licence|all rights reserved|spdx`)

// firstWords is the first line that says something, as code: a title, or a
// line of three words that is not about the licence.
func firstWords(text string) string {
	for _, l := range numbered(text) {
		t := strings.Trim(l.text, "#*/=-<>!` \t")
		words := len(strings.FieldsFunc(t, notWord))
		title := strings.HasPrefix(l.text, "# ") && words > 0
		if (title || words >= 3) && !licence().MatchString(t) {
			return code(t)
		}
	}
	return ""
}

func (s *script) areasOf(f *findings, good []bool) string {
	var b strings.Builder
	for i, a := range f.areas {
		if !good[i] {
			continue
		}
		notes := strings.TrimPrefix(s.family.by(a.made.call).text, "**"+path.Base(a.dir)+"**")
		notes = strings.TrimPrefix(notes, "**"+a.dir+"**")
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", a.dir, firstLines(notes, noteLines))
	}
	if b.Len() == 0 {
		return s.say.of("areas-none")
	}
	return strings.TrimRight(b.String(), "\n")
}

func firstLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) <= most {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:most], "\n") + fmt.Sprintf("\n\n(%s more)", count(len(lines)-most, "line", "lines"))
}

func (s *script) wordsOf(f *findings) string {
	if len(f.words) == 0 {
		return s.say.of("words-none")
	}
	var b strings.Builder
	for _, w := range f.words {
		found := f.wordHits[w]
		fmt.Fprintf(&b, "**%s**: %s in %s\n\n", w, count(len(found), "line", "lines"), count(filesIn(found), "file", "files"))
		if len(found) > 0 {
			b.WriteString(hitList(ranked(found, f.words), hitsShown) + "\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s *script) todosOf(found []hit, most int) string {
	if len(found) == 0 {
		return s.say.of("todos-none")
	}
	return hitList(found, most)
}

func (s *script) entriesOf(f *findings) string {
	var lines []string
	for _, h := range f.mains {
		lines = append(lines, "entry point "+h.String()+" "+code(h.text))
	}
	if len(f.mains) == 0 {
		for _, x := range f.files {
			if isEntry(x.path) && !isLesser(x.path) && len(lines) < testsShown {
				lines = append(lines, "entry point by its name: "+shown(x.path))
			}
		}
	}
	if n := len(lines); n > testsShown {
		lines = append(lines[:testsShown:testsShown], fmt.Sprintf("(%d more)", n-testsShown))
	}
	var tests []string
	for _, x := range f.files {
		if isTest(x.path) {
			tests = append(tests, shown(x.path))
		}
	}
	if n := len(tests); n > 0 {
		more := ""
		if n > testsShown {
			tests, more = tests[:testsShown], fmt.Sprintf(" and %d more", n-testsShown)
		}
		lines = append(lines, count(n, "test file", "test files")+": "+strings.Join(tests, ", ")+more)
	}
	return bullets(lines, s.say.of("entries-none"))
}

func bullets(lines []string, otherwise string) string {
	if len(lines) == 0 {
		return otherwise
	}
	return "- " + strings.Join(lines, "\n- ")
}
