package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"

	"drover/core"
	"drover/themes"
)

func sampleEntries() []core.Entry {
	call := func(id, name, args string) core.ToolCall {
		return core.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
	}
	entries := []core.Entry{
		{Turn: 1, Kind: core.EntryMessage, Sender: core.SenderUser, Text: "find the handlers that compute totals\nand tell me where VAT is added"},
		{Turn: 1, Step: 1, Kind: core.EntryAnswer, Reasoning: "First look for Total.", Calls: []core.ToolCall{
			call("1", "grep_files", `{"pattern":"Total(","path":"cart"}`), call("2", "read_file", `{"path":"cart/total.go"}`), call("3", "shell", `{"command":"go test ./...\necho done"}`),
			call("4", "edit_file", `{"path":"/etc/passwd"}`)}},
		{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: "1", Tool: "grep_files"},
		{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "1", Tool: "grep_files", Text: "cart/total.go:3: Total(\ncart/vat.go:9: Total(", Took: 20 * time.Millisecond},
		{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: "2", Tool: "read_file"},
		{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "2", Tool: "read_file", Text: strings.Repeat("line\n", 120), Took: 1500 * time.Millisecond, Full: "/tmp/full.txt"},
		{Turn: 1, Step: 1, Kind: core.EntryCall, CallID: "3", Tool: "shell"},
		{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "3", Tool: "shell", Text: "exit status 1\n\x1b[31mFAIL\x1b[0m", Failed: true, Took: 65 * time.Second},
		{Turn: 1, Step: 1, Kind: core.EntryResult, CallID: "4", Tool: "edit_file", Text: "denied: not there", Failed: true},
		{Turn: 1, Step: 1, Kind: core.EntryNotice, Text: "explore-api is idle: found 3 places\ncart.go\nvat.go\norder.go\nand more\nand more"},
		{Turn: 1, Step: 2, Kind: core.EntryMessage, Sender: core.SenderUser, Delivery: core.Steer, Text: "only in cart, please"},
		{Turn: 1, Step: 2, Kind: core.EntryAnswer, Text: "Totals are computed in **three** places:\n\n- `cart.go`\n- [red]vat.go[-]\n"},
		{Turn: 2, Step: 1, Kind: core.EntryMessage, Sender: "k3vqd", Text: "and the orders?"},
		{Turn: 2, Step: 1, Kind: core.EntryMessage, Sender: core.SenderAutopilot, Text: "continue until all is done"},
		{Turn: 2, Step: 1, Kind: core.EntryNote, Text: "the host was restarted"},
		{Turn: 2, Step: 1, Kind: core.EntryAnswer, Text: "Half an ans", Failed: true, Calls: []core.ToolCall{call("1", "list_files", `{"path":"orders"}`), call("2", "task", `{"description":"look at the orders","prompt":"x"}`)}},
		{Turn: 2, Step: 1, Kind: core.EntryCall, CallID: "1", Tool: "list_files"},
	}
	for i := range entries {
		entries[i].Seq = int64(i + 1)
	}
	return entries
}

func sampleTranscript() *Transcript {
	t := &Transcript{}
	t.Reset("main")
	t.SetNames(func(id string) string { return map[string]string{"k3vqd": "explore-api"}[id] })
	t.Append(sampleEntries())
	t.SetLive("Now the orders …")
	t.SetPending([]core.Request{{Kind: core.ReqMessage, State: core.ReqQueued, Sender: core.SenderUser, Text: "and where is VAT added?", Delivery: core.Queue}})
	return t
}

func drawn(tb testing.TB, tr *Transcript, w, h int) string {
	tb.Helper()
	s, sim := newSim(tb, w+2, h+2)
	tilde(s)
	tr.Draw(s, 1, 1, w, h, darkPalette(tb))
	s.Show()
	for y, row := range simCells(sim) {
		for _, c := range row {
			inside := y > 0 && y <= h && c.x > 0 && c.x+c.width <= w+1
			if !inside && c.text != "~" {
				tb.Fatalf("cell %d,%d outside has %q", c.x, y, c.text)
			}
		}
	}
	lines := strings.Split(screenText(sim), "\n")[1 : h+1]
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(l, "~"), "~"), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestTranscriptGolden(t *testing.T) {
	for _, width := range []int{30, 76, 140} {
		tr := sampleTranscript()
		golden(t, fmt.Sprintf("prim/transcript-%d.txt", width), drawn(t, tr, width, 50))
		tr.Toggle()
		golden(t, fmt.Sprintf("prim/transcript-%d-expanded.txt", width), drawn(t, tr, width, 120))
	}
}

func TestTranscriptAtEverySize(t *testing.T) {
	tr := sampleTranscript()
	tr.Append([]core.Entry{{Turn: 3, Kind: core.EntryMessage, Text: strings.Join(hostileTexts, "\n"), Sender: "x\x1b[31m\u202e"}, {Turn: 3, Kind: core.EntryAnswer, Text: strings.Join(hostileTexts, "\n\n")}})
	for _, expanded := range []bool{false, true} {
		for _, w := range []int{1, 2, 3, 5, 8, 13, 20, 40, 250} {
			for _, h := range []int{1, 2, 5, 24, 80} {
				drawn(t, tr, w, h)
				tr.Scroll(-h)
				drawn(t, tr, w, h)
				tr.Top()
				drawn(t, tr, w, h)
				tr.Bottom()
			}
		}
		if !expanded {
			tr.Toggle()
		}
	}
	tr.Draw(nil, 0, 0, 0, 5, nil)
	empty := &Transcript{}
	empty.Scroll(1)
	empty.Top()
	drawn(t, empty, 10, 3)
	empty.Scroll(-1)
	empty.Page(1)
	empty.Append(sampleEntries())
	drawn(t, empty, 10, 3)
}

func numbered(from, n int) []core.Entry {
	out := make([]core.Entry, n)
	for i := range out {
		out[i] = core.Entry{Seq: int64(from + i), Turn: from + i, Kind: core.EntryAnswer, Text: fmt.Sprintf("answer %d", from+i)}
	}
	return out
}

func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if strings.TrimSpace(l) != "" {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

func TestTranscriptFollowsAndKeepsItsPlace(t *testing.T) {
	tr := &Transcript{}
	tr.Reset("x")
	tr.Append(numbered(100, 50))
	if got := drawn(t, tr, 30, 9); !strings.HasSuffix(got, "answer 149\n") || !tr.Following() {
		t.Fatalf("does not show the end:\n%s", got)
	}
	tr.Append(numbered(150, 10))
	if got := drawn(t, tr, 30, 9); !strings.HasSuffix(got, "answer 159\n") {
		t.Fatalf("does not follow:\n%s", got)
	}
	tr.Scroll(-20)
	before := drawn(t, tr, 30, 9)
	tr.Append(numbered(160, 7))
	tr.SetLive("live")
	if got := drawn(t, tr, 30, 9); got != before || tr.Following() || tr.NewBelow() != 7 {
		t.Errorf("moved, or %d new below\n%s---\n%s", tr.NewBelow(), before, got)
	}
	tr.Prepend(numbered(60, 40))
	if got := drawn(t, tr, 30, 9); got != before {
		t.Errorf("earlier entries moved it\n%s---\n%s", before, got)
	}
	if got := firstLine(drawn(t, tr, 5, 9)); got != "answe" && !strings.HasPrefix(got, "answe") {
		t.Errorf("narrow shows %q", got)
	}
	if got := firstLine(drawn(t, tr, 30, 9)); got != firstLine(before) {
		t.Errorf("a resize lost the place: %q, was %q", got, firstLine(before))
	}
	tr.Top()
	if got := firstLine(drawn(t, tr, 30, 9)); got != "answer 60" || !tr.AtTop() {
		t.Errorf("top shows %q", got)
	}
	tr.Page(1)
	if tr.AtTop() {
		t.Error("a page down is still the top")
	}
	tr.Scroll(1 << 20)
	if got := drawn(t, tr, 30, 9); !tr.Following() || !strings.HasSuffix(got, "live\n") || tr.NewBelow() != 0 {
		t.Errorf("the end is not followed again:\n%s", got)
	}
}

// TestTranscriptScrollsByLines: any walk shows the same lines in the same order.
func TestTranscriptScrollsByLines(t *testing.T) {
	all := sampleTranscript()
	full := strings.Split(drawn(t, all, 40, 200), "\n")
	for len(full) > 0 && full[len(full)-1] == "" {
		full = full[:len(full)-1]
	}
	rapid.Check(t, func(rt *rapid.T) {
		tr, h := sampleTranscript(), rapid.IntRange(1, 20).Draw(rt, "h")
		drawn(t, tr, 40, h)
		at := max(0, len(full)-h)
		for _, n := range rapid.SliceOfN(rapid.IntRange(-30, 30), 1, 8).Draw(rt, "steps") {
			tr.Scroll(n)
			at = max(0, min(at+n, len(full)-h))
			want := strings.Join(full[at:min(at+h, len(full))], "\n") + "\n"
			if got := drawn(t, tr, 40, h); got != want {
				rt.Fatalf("after %d at line %d:\n%s--- want\n%s", n, at, got, want)
			}
		}
	})
}

// TestTranscriptIsTheSameInPieces: however entries arrive, the end looks the same.
func TestTranscriptIsTheSameInPieces(t *testing.T) {
	entries := sampleEntries()
	whole := &Transcript{}
	whole.Append(entries)
	want := drawn(t, whole, 60, 60)
	for cut := 1; cut < len(entries); cut++ {
		tr := &Transcript{}
		tr.Append(entries[:cut])
		drawn(t, tr, 60, 60)
		tr.Append(entries[cut:])
		if got := drawn(t, tr, 60, 60); got != want {
			t.Errorf("appended at %d:\n%s", cut, got)
		}
		if k := entries[cut].Kind; k == core.EntryCall || k == core.EntryResult {
			continue // calls stay where their results were shown first
		}
		tr = &Transcript{}
		tr.Append(entries[cut:])
		drawn(t, tr, 60, 60)
		tr.Prepend(entries[:cut])
		if got := drawn(t, tr, 60, 60); got != want {
			t.Errorf("prepended at %d:\n%s", cut, got)
		}
	}
}

func TestLastAnswer(t *testing.T) {
	tr := sampleTranscript()
	if got := tr.LastAnswer(); got != "Half an ans" {
		t.Errorf("last answer %q", got)
	}
	tr.Reset("y")
	if tr.LastAnswer() != "" || tr.Len() != 0 {
		t.Error("reset keeps something")
	}
	tr.Append([]core.Entry{{Kind: core.EntryNote, Text: "x"}})
	tr.Prepend([]core.Entry{{Kind: core.EntryAnswer, Text: "**source**"}})
	if got := tr.LastAnswer(); got != "**source**" {
		t.Errorf("last answer %q", got)
	}
}

// TestLiveIsTheAnswer: what streams in looks like what is committed at the end.
func TestLiveIsTheAnswer(t *testing.T) {
	src := strings.Repeat(sampleMarkdown(t)+"\n\n", 6)
	tr := &Transcript{}
	tr.Reset("x")
	for n := 0; n < len(src); n += 97 {
		tr.SetLive(strings.ToValidUTF8(src[:n], ""))
		drawn(t, tr, 70, 20)
	}
	tr.SetLive(src)
	live := drawn(t, tr, 70, 400)
	tr.SetLive("")
	tr.Append([]core.Entry{{Kind: core.EntryAnswer, Text: src}})
	if got := drawn(t, tr, 70, 400); got != live {
		t.Errorf("live:\n%s--- committed:\n%s", live, got)
	}
}

func TestLongEntriesAreCut(t *testing.T) {
	tr := &Transcript{}
	tr.Append([]core.Entry{{Kind: core.EntryMessage, Sender: core.SenderUser, Text: strings.Repeat("word 界 ", 5<<20/9)}})
	if got := drawn(t, tr, 60, 5); !strings.Contains(got, "KB more, in: drover log") {
		t.Errorf("nothing says what is missing:\n%s", got)
	}
}

// bigTranscript has n entries of every kind.
func bigTranscript(n int) *Transcript {
	sample := sampleEntries()
	entries := make([]core.Entry, n)
	for i := range entries {
		entries[i] = sample[i%len(sample)]
		entries[i].Turn += 2 * (i / len(sample))
	}
	tr := &Transcript{}
	tr.Append(entries)
	return tr
}

func TestCacheIsBounded(t *testing.T) {
	entries := 20_000
	if slow {
		entries = 6_000
	}
	tr := bigTranscript(entries)
	drawn(t, tr, 60, 40)
	s, _ := newSim(t, 60, 40)
	palette := darkPalette(t)
	for !tr.AtTop() {
		tr.Page(-5)
		tr.Draw(s, 0, 0, 60, 40, palette)
		if tr.cached > maxCached+1000 {
			t.Fatalf("%d entries keep their lines", tr.cached)
		}
	}
	n := 0
	for _, it := range tr.items {
		if it.lines != nil {
			n++
		}
	}
	if n != tr.cached {
		t.Errorf("%d entries keep lines, counted %d", n, tr.cached)
	}
}

func BenchmarkTranscript(b *testing.B) {
	const w, h = 80, 40
	p := darkPalette(b)
	s, _ := newSim(b, w, h)
	frame := func(draw func()) {
		s.Clear()
		draw()
		s.Show()
	}
	b.Run("floor: empty frame", func(b *testing.B) {
		for b.Loop() {
			frame(func() { fill(s, 0, 0, w, h, p.Style(themes.Text)) })
		}
	})
	tr := bigTranscript(100_000)
	b.Run("draw unchanged of 100000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			frame(func() { tr.Draw(s, 0, 0, w, h, p) })
		}
	})
	b.Run("append and draw of 100000", func(b *testing.B) {
		b.ReportAllocs()
		more := numbered(1<<20, 1)
		for b.Loop() {
			frame(func() { tr.Append(more); tr.Draw(s, 0, 0, w, h, p) })
		}
	})
	b.Run("live of 50 KB grows and draw", func(b *testing.B) {
		src := strings.Repeat(sampleMarkdown(b)+"\n\n", 40)
		n := 40 << 10
		tr.SetLive(src[:n])
		for b.Loop() {
			n++
			frame(func() { tr.SetLive(src[:n%len(src)]); tr.Draw(s, 0, 0, w, h, p) })
		}
		tr.SetLive("")
	})
	b.Run("page up of 100000", func(b *testing.B) {
		for b.Loop() {
			tr.Page(-1)
			frame(func() { tr.Draw(s, 0, 0, w, h, p) })
		}
	})
	b.Run("resize of 100000", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			frame(func() { tr.Draw(s, 0, 0, w-i%2, h, p) })
		}
	})
	b.Run("load 100000", func(b *testing.B) {
		for b.Loop() {
			bigTranscript(100_000).Draw(s, 0, 0, w, h, p)
		}
	})
}

var _ tcell.Screen = (*Thin)(nil)
