package offline

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// What tools print is read here, tolerantly: a line that is not understood is
// left out, never guessed at.

var (
	hitLine   = pattern(`^(.+?):(\d+):\s?(.*)$`)
	sizeField = pattern(`^(.*\S)  (\d+(?:\.\d+)?) (B|kB|MB|GB|TB|PB)$`)
	noteLine  = pattern(`^(?:\(.*\)|\[.*\]|…|\.\.\. )$|^(?i:no (?:files?|match))`)
	cutShort  = pattern(`(?i)\b(more|truncated|cut|left out|only the first|omitted|limit)\b`)
	moreNote  = pattern(`^\((\d+) more\b`)
	totalLine = pattern(`(?i)\bof (\d+)(?: lines)?\b|\b(\d+) lines\b`)
)

// file is a path that glob_files or list_files printed.
type file struct {
	path string
	size int64 // bytes; -1 where not known
}

// left is what a tool said that it left out.
type left struct {
	cut  bool
	more int // how many; 0 where not told
}

func (l *left) note(line string) {
	if !cutShort().MatchString(line) || strings.HasPrefix(line, "(no ") {
		return
	}
	l.cut = true
	if m := moreNote().FindStringSubmatch(line); m != nil {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			l.more += n
		}
	}
}

// paths reads a list of files, one a line, with or without their sizes; those
// of a listing are relative to dir. Directories come apart, without their slash.
func paths(text, dir string) (files []file, dirs []string, l left) {
	for line := range strings.Lines(text) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if noteLine().MatchString(name) {
			l.note(name)
			continue
		}
		f := sized(name)
		f.path, _, _ = strings.Cut(f.path, " -> ")
		f.path = plain(f.path)
		folder := strings.HasSuffix(f.path, "/")
		f.path = path.Join(dir, f.path)
		if folder {
			dirs = append(dirs, f.path)
		} else {
			files = append(files, f)
		}
	}
	return files, dirs, l
}

// plain is the path itself where the tool has put an odd one in quotes.
func plain(name string) string {
	if q, err := strconv.Unquote(name); err == nil && name[0] == '"' {
		return q
	}
	return name
}

// shown is a path as Markdown code, on one line whatever it holds.
func shown(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		name = strconv.Quote(name)
	}
	return "`" + strings.ReplaceAll(name, "`", "'") + "`"
}

func sized(name string) file {
	m := sizeField().FindStringSubmatch(name)
	if m == nil {
		return file{name, -1}
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return file{name, -1}
	}
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB", "PB"} {
		if m[3] == unit {
			break
		}
		n *= 1000
	}
	return file{m[1], int64(n)}
}

// hit is a line that grep_files found.
type hit struct {
	path string
	line int
	text string
}

func (h hit) String() string { return shown(h.path + ":" + strconv.Itoa(h.line)) }

// hits reads the output of grep_files: PATH:LINE:TEXT.
func hits(text string) (found []hit, cut bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := hitLine().FindStringSubmatch(line)
		if m == nil {
			cut = cut || noteLine().MatchString(line) && cutShort().MatchString(line) && !strings.HasPrefix(line, "(no ")
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found = append(found, hit{strings.TrimPrefix(plain(m[1]), "./"), n, strings.TrimSpace(m[3])})
	}
	return found, cut
}

// language of a file by its name; "" where none is known.
func language(name string) string {
	base := path.Base(name)
	if l, ok := byName[base]; ok {
		return l
	}
	return byExt[strings.ToLower(path.Ext(base))]
}

var byName = map[string]string{
	"Makefile": "Make", "Dockerfile": "Docker", "Justfile": "Just", "CMakeLists.txt": "CMake", "go.mod": "Go module", "go.sum": "Go module",
	"LICENSE": "Text", "README": "Text",
}

var byExt = map[string]string{
	".go": "Go", ".py": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".rs": "Rust", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++",
	".java": "Java", ".kt": "Kotlin", ".swift": "Swift", ".rb": "Ruby", ".php": "PHP", ".cs": "C#", ".scala": "Scala",
	".sh": "Shell", ".bash": "Shell", ".lua": "Lua", ".pl": "Perl", ".r": "R", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang",
	".hs": "Haskell", ".ml": "OCaml", ".zig": "Zig", ".dart": "Dart", ".sql": "SQL", ".proto": "Protobuf", ".vue": "Vue", ".svelte": "Svelte",
	".html": "HTML", ".css": "CSS", ".scss": "CSS", ".md": "Markdown", ".rst": "Text", ".txt": "Text", ".json": "JSON", ".yaml": "YAML",
	".yml": "YAML", ".toml": "TOML", ".xml": "XML", ".csv": "CSV", ".tf": "Terraform", ".nix": "Nix",
}

// prose are the languages that are data or words rather than code.
var prose = wordSet("Markdown Text JSON YAML TOML XML CSV HTML CSS")

func isCode(name string) bool {
	l := language(name)
	return l != "" && !prose[l] && l != "Go module"
}

var testName = pattern(`(?i)(^|/)(test_[^/]*|[^/]*[_.-](test|spec)\.[^/]+)$`)

func isTest(name string) bool { return testName().MatchString(name) }

var entryName = pattern(`(?i)(^|/)(main\.[a-z]+|__main__\.py|manage\.py|app\.(py|rb|js|ts)|index\.(js|ts|php)|server\.(js|ts|py)|lib\.rs|mod\.rs)$`)

func isEntry(name string) bool { return isCode(name) && entryName().MatchString(name) }

var readmeName = pattern(`(?i)^readme(\.[a-z]+)?$`)

// lesser are directories that say little about a project.
var lesser = wordSet("vendor node_modules third_party thirdparty dist build target out bin obj coverage docs doc examples example testdata fixtures assets static public tmp")

func isLesser(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if lesser[strings.ToLower(part)] || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
