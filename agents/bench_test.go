package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"drover/core/tool"
)

// thousand makes 1,000 files in 12 directories of different families, as the
// real ones look, all older than the moment in which a change could go unseen.
func thousand(tb testing.TB) (dir string, o Options) {
	tb.Helper()
	base := tb.TempDir()
	dir, home := filepath.Join(base, "project"), filepath.Join(base, "home")
	places := []string{
		"project/.drover/agents", "project/.claude/agents", "project/.codex/agents", "project/.gemini/agents", "project/.github/agents", "project/.opencode/agents",
		"home/.claude/agents", "home/.gemini/agents", "home/.copilot/agents", "home/.config/opencode/agent", "home/.pi/agent/agents", "home/.factory/droids",
	}
	old := time.Now().Add(-time.Hour)
	body := strings.Repeat("You review what you are given, and you say what you found, with file and line.\n", 50)
	for i := range 1000 {
		p := filepath.Join(base, places[i%len(places)])
		if err := os.MkdirAll(p, 0o755); err != nil {
			tb.Fatal(err)
		}
		name := fmt.Sprintf("agent-%d", i)
		text := fmt.Sprintf("---\nname: %s\ndescription: Expert reviewer of code for quality, security and style, number %d\ntools: [read_file, grep_search]\nmodel: sonnet\n---\n%s", name, i, body)
		file := filepath.Join(p, name+".md")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		tb.Fatal(err)
	}
	for _, p := range places {
		if err := os.Chtimes(filepath.Join(base, p), old, old); err != nil {
			tb.Fatal(err)
		}
	}
	return dir, Options{Home: home, Canonical: tool.Canonical, Trusted: func(string, string) bool { return true }}
}

func BenchmarkLoadCold(b *testing.B) {
	dir, o := thousand(b)
	for b.Loop() {
		load(b, Open(o), dir)
	}
}

func BenchmarkLoadUnchanged(b *testing.B) {
	dir, o := thousand(b)
	c := Open(o)
	load(b, c, dir)
	for b.Loop() {
		load(b, c, dir)
	}
}

func load(tb testing.TB, c *Catalog, dir string) Snapshot {
	tb.Helper()
	s, err := c.Load(tb.Context(), dir)
	if err != nil || len(s.Definitions) < 1000 {
		tb.Fatal(err, len(s.Definitions))
	}
	return s
}

func TestMemoryOfAThousand(t *testing.T) {
	dir, o := thousand(t)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	c := Open(o)
	s := load(t, c, dir)
	if used := int64(heap()) - int64(before); used > 20<<20 {
		t.Errorf("a thousand agents take %d MiB", used>>20)
	} else {
		t.Logf("a thousand agents take %.1f MiB", float64(used)/(1<<20))
	}
	runtime.KeepAlive(c)
	runtime.KeepAlive(s)
}
