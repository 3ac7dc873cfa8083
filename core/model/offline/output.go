package offline

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// What tools print is read here, tolerantly: a line that is not understood is
// left out, never guessed at.

var (
	hitLine   = regexp.MustCompile(`^(.+?):(\d+):\s?(.*)$`)
	sizeField = regexp.MustCompile(`^(.*?)(?:\t+| {2,})\(?(\d+(?:\.\d+)?) ?(B|bytes|KB|kB|KiB|MB|MiB|GB|GiB)?\)?$`)
	noteLine  = regexp.MustCompile(`^(?:\(.*\)|\[.*\]|…|\.\.\. |no (?:files|match|hits)|No (?:files|match|hits))`)
	cutShort  = regexp.MustCompile(`(?i)\b(more|truncated|cut|left out|only the first|omitted|limit)\b`)
	totalLine = regexp.MustCompile(`(?i)\bof (\d+)(?: lines)?\b|\b(\d+) lines\b`)
)

// file is a path that glob_files or list_files printed.
type file struct {
	path string
	size int64 // bytes; -1 where not known
}

// paths reads a list of files, one a line. Directories (with a slash at the
// end) are left out. cut reports whether the tool said that there is more.
func paths(text string) (files []file, cut bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if noteLine.MatchString(name) {
			cut = cut || cutShort.MatchString(name)
			continue
		}
		f := sized(name)
		if strings.HasSuffix(f.path, "/") {
			continue
		}
		f.path = strings.TrimPrefix(f.path, "./")
		files = append(files, f)
	}
	return files, cut
}

func sized(name string) file {
	m := sizeField.FindStringSubmatch(name)
	if m == nil {
		return file{name, -1}
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return file{name, -1}
	}
	switch m[3] {
	case "KB", "kB", "KiB":
		n *= 1 << 10
	case "MB", "MiB":
		n *= 1 << 20
	case "GB", "GiB":
		n *= 1 << 30
	}
	return file{m[1], int64(n)}
}

// hit is a line that grep_files found.
type hit struct {
	path string
	line int
	text string
}

func (h hit) String() string { return "`" + h.path + ":" + strconv.Itoa(h.line) + "`" }

// hits reads the output of grep_files: PATH:LINE:TEXT.
func hits(text string) (found []hit, cut bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := hitLine.FindStringSubmatch(line)
		if m == nil {
			cut = cut || noteLine.MatchString(line) && cutShort.MatchString(line)
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found = append(found, hit{strings.TrimPrefix(m[1], "./"), n, strings.TrimSpace(m[3])})
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

var testName = regexp.MustCompile(`(?i)(^|/)(test_[^/]*|[^/]*[_.-](test|spec)\.[^/]+)$`)

func isTest(name string) bool { return testName.MatchString(name) }

var entryName = regexp.MustCompile(`(?i)(^|/)(main\.[a-z]+|__main__\.py|manage\.py|app\.(py|rb|js|ts)|index\.(js|ts|php)|server\.(js|ts|py)|lib\.rs|mod\.rs)$`)

func isEntry(name string) bool { return entryName.MatchString(name) }

var readmeName = regexp.MustCompile(`(?i)^readme(\.[a-z]+)?$`)

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
