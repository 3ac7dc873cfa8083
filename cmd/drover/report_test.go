package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drover/core"
	"drover/ui/state"
)

// shown is a session whose agents write what they can to break the page.
func shown() report {
	at := func(s float64) time.Time {
		return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	p := func(t time.Time) *time.Time { return &t }
	cost := 0.1234
	evil := "<script>alert(1)</script>\x1b[31m\u202e\"'>&"
	tasks := []core.TaskView{
		{ID: "bmain", Session: "bmain", Kind: core.KindMain, Name: "main", Agent: "main", Description: "Add coupons " + evil, Status: core.Idle, Model: "anthropic/claude", Created: p(at(0)), LastEvent: p(at(60)), ElapsedMS: 60000, TokensIn: 41000, TokensOut: 900, Cost: &cost, NotDone: []string{"the admin page " + evil}},
		{ID: "cplan", Session: "bmain", Parent: "bmain", Depth: 1, Name: "plan" + evil, Agent: evil, Status: core.Completed, Created: p(at(10)), Ended: p(at(40)), ElapsedMS: 30000, TokensIn: 5000},
	}
	ev := func(s float64, task string, k core.EventKind, text string) core.Event {
		return core.Event{Session: "bmain", Task: task, At: at(s), Kind: k, Text: text}
	}
	events := []core.Event{
		ev(0, "bmain", core.EvSessionStart, "Add coupons"), ev(1, "bmain", core.EvActivity, "model"), ev(10, "cplan", core.EvStart, "main started plan"),
		ev(10, "bmain", core.EvActivity, "children plan"), ev(11, "cplan", core.EvActivity, "model"), ev(20, "cplan", core.EvStep, "tool "+evil),
		ev(40, "cplan", core.EvCompleted, "plan completed"), ev(40, "bmain", core.EvActivity, "model"), ev(50, "bmain", core.EvParked, "parked until 09:00:55"),
		ev(55, "bmain", core.EvUnparked, "goes on"), ev(59, "bmain", core.EvTaskComplete, "done: Coupons are accepted.\nTested. "+evil), ev(60, "bmain", core.EvIdle, "main answered turn 1"),
	}
	var notable []core.Event
	for _, e := range events {
		if e.Kind != core.EvActivity && e.Kind != core.EvStep {
			notable = append(notable, e)
		}
	}
	return report{Main: tasks[0], Tasks: tasks, Events: notable, Chart: state.NewChart(tasks, events, at(600)), Zone: time.UTC}
}

// TestTicksAreRound: what stands at a line of the axis is the time there, not one near it.
func TestTicksAreRound(t *testing.T) {
	for whole := 100 * time.Millisecond; whole < 2000*time.Hour; whole += whole / 7 {
		step := tickStep(whole)
		if whole > svgTicks*step {
			t.Errorf("%v: %d lines", whole, whole/step)
		}
		if step >= time.Second && step%time.Second != 0 || step < time.Second && step%(100*time.Millisecond) != 0 {
			t.Errorf("%v: %v is not round", whole, step)
		}
	}
}

// TestPictureNeedsNoVariables: programs that show pictures and know no CSS variables show it black.
func TestPictureNeedsNoVariables(t *testing.T) {
	r := shown()
	if got := r.svg(true); strings.Contains(got, "var(") || !strings.Contains(got, "Add coupons") {
		t.Error("the picture needs variables, or does not say what it is of")
	}
}

func TestReport(t *testing.T) {
	r := shown()
	page := r.html()
	for name, got := range map[string]string{"report.html": page, "report.svg": r.svg(true)} {
		for _, bad := range []string{"<script", "\x1b", "\u202e", "http-equiv=\"refresh", "src="} {
			if strings.Contains(got, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
		path := filepath.Join("testdata", "report", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; make golden accepts it\n%s", name, got)
		}
	}
	d := xml.NewDecoder(strings.NewReader(r.svg(true)))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
}
