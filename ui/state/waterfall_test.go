package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"drover/core"
)

var dawn = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func sec(n float64) time.Time { return dawn.Add(time.Duration(n * float64(time.Second))) }

func charted(id, parent string, from float64) core.TaskView {
	at := sec(from)
	return core.TaskView{ID: id, Name: id, Parent: parent, Status: core.Running, Created: &at}
}

func happened(after float64, task string, k core.EventKind, text string) core.Event {
	return core.Event{Task: task, At: sec(after), Kind: k, Text: text}
}

// The parent waits for two children; the one that ends last is on the path,
// and the time before it began is the parent's own.
func TestCriticalPath(t *testing.T) {
	tasks := []core.TaskView{charted("main", "", 0), charted("quick", "main", 2), charted("slow", "main", 2)}
	c := NewChart(tasks, []core.Event{
		happened(0, "main", core.EvActivity, "model"),
		happened(2, "quick", core.EvStart, ""), happened(2, "quick", core.EvActivity, "model"),
		happened(2, "slow", core.EvStart, ""), happened(3, "slow", core.EvStep, "tool shell"),
		happened(2, "main", core.EvActivity, "children quick, slow"),
		happened(5, "quick", core.EvIdle, ""),
		happened(9, "slow", core.EvIdle, ""),
		happened(9, "main", core.EvActivity, "model"),
		happened(12, "main", core.EvIdle, ""),
	}, sec(600))
	var got []string
	for _, l := range c.Path() {
		got = append(got, fmt.Sprintf("%s %v-%v", c.Bars[l.Bar].Task.ID, l.Span.From.Sub(dawn), l.Span.To.Sub(dawn)))
	}
	want := []string{"main 0s-2s", "slow 2s-9s", "main 9s-12s"}
	if !slices.Equal(got, want) {
		t.Errorf("the path is %q, not %q", got, want)
	}
	if c.Length() != 12*time.Second {
		t.Errorf("the axis is %v long: idleness at the end belongs to no work", c.Length())
	}
	if s := c.Bars[2].At(sec(4)); s == nil || s.Phase != PhaseTool || s.What != "shell" {
		t.Errorf("at 4 s slow was in %v", s)
	}
}

// A night in which nobody worked is left out of the axis, and times still find their way back.
func TestChartLeavesOutIdleness(t *testing.T) {
	c := NewChart([]core.TaskView{charted("main", "", 0)}, []core.Event{
		happened(0, "main", core.EvActivity, "model"), happened(60, "main", core.EvIdle, ""),
		happened(36000, "main", core.EvTurn, ""), happened(36001, "main", core.EvActivity, "model"), happened(36060, "main", core.EvIdle, ""),
	}, sec(40000))
	if c.Length() > 3*time.Minute || len(c.Cuts()) != 1 {
		t.Fatalf("the axis is %v long with %d cuts", c.Length(), len(c.Cuts()))
	}
	for _, at := range []float64{0, 30, 60, 36000, 36030, 36060} {
		if back := c.Time(c.Pos(sec(at))); !back.Equal(sec(at)) {
			t.Errorf("%v came back as %v", sec(at), back)
		}
	}
}

// Whatever happens, segments follow each other without holes, the path lies
// within them and moves on, and every cell of every window can be drawn.
func TestChartHolds(t *testing.T) {
	kinds := ChartKinds()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "tasks")
		var tasks []core.TaskView
		for i := range n {
			parent := ""
			if i > 0 {
				parent = fmt.Sprint(rapid.IntRange(0, i-1).Draw(rt, "parent"))
			}
			v := charted(fmt.Sprint(i), parent, float64(i))
			v.Status = rapid.SampledFrom([]core.Status{core.Running, core.Idle, core.Completed}).Draw(rt, "status")
			if v.Status == core.Completed {
				e := sec(float64(rapid.IntRange(0, 300).Draw(rt, "end")))
				v.Ended = &e
			}
			tasks = append(tasks, v)
		}
		var evs []core.Event
		at := 0.0
		for range rapid.IntRange(0, 60).Draw(rt, "events") {
			at += float64(rapid.IntRange(0, 40).Draw(rt, "gap"))
			evs = append(evs, happened(at, fmt.Sprint(rapid.IntRange(0, n).Draw(rt, "task")), rapid.SampledFrom(kinds).Draw(rt, "kind"),
				rapid.SampledFrom([]string{"", "model", "tool x", "children a", "parked", "junk"}).Draw(rt, "text")))
		}
		c := NewChart(tasks, evs, sec(at+10))
		for i := range c.Bars {
			b := &c.Bars[i]
			for j, s := range b.Segments {
				if !s.To.After(s.From) || j > 0 && !s.From.Equal(b.Segments[j-1].To) {
					rt.Fatalf("segment %d of %s is %v-%v", j, b.Task.ID, s.From, s.To)
				}
			}
			for _, s := range b.Critical {
				if b.At(s.From) == nil || !s.To.After(s.From) {
					rt.Fatalf("the path leaves the bar of %s", b.Task.ID)
				}
			}
			from := time.Duration(rapid.IntRange(-5, 50).Draw(rt, "from")) * time.Second
			if got := c.Cells(b, from, from+time.Duration(rapid.IntRange(0, 90).Draw(rt, "len"))*time.Second, 37); len(got) != 37 {
				rt.Fatalf("%d cells", len(got))
			}
		}
	})
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"same", "a\nb", "a\nb", ""},
		{"new", "", "x\ny\n", "+x +y"},
		{"gone", "x\n", "", "-x"},
		{"middle", "a\nb\nc", "a\nX\nc", " a -b +X  c"},
		{"far", "1\n2\n3\n4\n5\n6\n7\n8\nz", "1\n2\n3\n4\n5\n6\n7\n8\ny", " 6  7  8 -z +y"},
	} {
		var got []string
		for _, l := range Diff(c.a, c.b) {
			got = append(got, string(l.Mark)+l.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, not %q", c.name, strings.Join(got, " "), c.want)
		}
	}
}

// A diff always turns the one text into the other, as far as it shows them.
func TestDiffIsTrue(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "a"), text.Draw(rt, "b")
		var before, after []string
		for _, l := range middle(a, b) {
			if l.Mark != '+' {
				before = append(before, l.Text)
			}
			if l.Mark != '-' {
				after = append(after, l.Text)
			}
		}
		if !slices.Equal(before, a) && len(a)+len(before) > 0 || !slices.Equal(after, b) && len(b)+len(after) > 0 {
			rt.Fatalf("%q to %q became %q to %q", a, b, before, after)
		}
	})
}

// Calls that failed changed nothing; an answer and its result may come in different reads.
func TestChanges(t *testing.T) {
	open := map[string]core.ToolCall{}
	ask := core.Entry{Task: "x", Seq: 1, Turn: 1, Step: 1, Kind: core.EntryAnswer, Calls: []core.ToolCall{
		{ID: "1", Name: "edit_file", Args: []byte(`{"path":"./a.go","old_string":"x","new_string":"y"}`)},
		{ID: "2", Name: "write_file", Args: []byte(`{"path":"b.go","content":"1\n2\n"}`)},
		{ID: "3", Name: "edit_file", Args: []byte(`nonsense`)}, {ID: "4", Name: "read_file", Args: []byte(`{"path":"c"}`)},
	}}
	if got := Changes([]core.Entry{ask}, open); len(got) != 0 {
		t.Fatalf("changed before any result: %v", got)
	}
	result := func(id string, failed bool) core.Entry {
		return core.Entry{Task: "x", Seq: 2, Turn: 1, Step: 1, Kind: core.EntryResult, CallID: id, Failed: failed}
	}
	got := Changes([]core.Entry{result("1", false), result("2", true), result("3", false), result("4", false)}, open)
	if len(got) != 1 || got[0].Path != "a.go" || len(open) != 0 {
		t.Fatalf("got %+v, open %v", got, open)
	}
	if f := ByFile(append(got, got...)); len(f) != 1 || f[0].Added != 2 || f[0].Removed != 2 {
		t.Errorf("by file %+v", f)
	}
}
