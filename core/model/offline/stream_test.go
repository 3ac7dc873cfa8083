package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

func ask(text string, paced bool, tools ...string) core.ModelRequest {
	req := core.ModelRequest{
		Messages: []core.Message{{Role: core.RoleUser, Sender: "user", Text: text}},
		Task:     core.TaskInfo{Kind: core.KindMain, Pace: paced, Dir: "/shop"},
	}
	for _, t := range tools {
		req.Tools = append(req.Tools, core.ToolSpec{Name: t})
	}
	return req
}

func TestPace(t *testing.T) {
	long := strings.Repeat("word ", 4000)
	for name, c := range map[string]struct {
		req      core.ModelRequest
		least    time.Duration
		most     time.Duration
		deltas   int // at least
		deltasIn int // at most
	}{
		"not paced": {ask("say "+long, false), 0, 0, 2, 4},
		"paced":     {ask("say "+strings.Repeat("word ", 48), true), 900 * time.Millisecond, 1100 * time.Millisecond, 20, 60},
		"long":      {ask("say "+long, true), 7 * time.Second, 9 * time.Second, 200, 400},
		"one word":  {ask("say x", true), 0, 10 * time.Millisecond, 1, 1},
		"work":      {ask("demo work 7", false, toolList), 5 * time.Second, 5 * time.Second, 10, 200},
		"steer":     {ask("demo steer", true, toolList), 2 * time.Second, 2 * time.Second, 10, 200},
		"no tools":  {ask("demo work 7", false), 7 * time.Second, 7 * time.Second, 5, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, deltas := time.Now(), 0
				var text strings.Builder
				r, err := New(Options{}).Stream(t.Context(), c.req, func(d core.Delta) { deltas++; text.WriteString(d.Text) })
				took := time.Since(began)
				if err != nil || text.String() != r.Text {
					t.Fatalf("error %v, streamed %d bytes of %d", err, text.Len(), len(r.Text))
				}
				if took < c.least || took > c.most || deltas < c.deltas || deltas > c.deltasIn {
					t.Errorf("took %v in %d deltas", took, deltas)
				}
			})
		})
	}
}

func TestWorkTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]string{"a.go": "package a\n"})
		began := time.Now()
		text := w.send("user", "demo work 12")
		if took := time.Since(began); took != 12*time.Second || w.calls != 3 || !strings.Contains(text, "12 seconds") {
			t.Errorf("took %v with %d calls: %s", took, w.calls, text)
		}
	})
}

func TestCancelledInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stopped by a person")
		began, late := time.Now(), 0
		time.AfterFunc(time.Second, func() { cancel(stop) })
		_, err := New(Options{}).Stream(ctx, ask("demo work 3600", true, toolList), func(core.Delta) {
			if ctx.Err() != nil {
				late++
			}
		})
		if !errors.Is(err, stop) || time.Since(began) != time.Second || late > 0 {
			t.Errorf("error %v after %v, %d late deltas", err, time.Since(began), late)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{}).Stream(ctx, ask("say x", false), func(core.Delta) { t.Error("a delta after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAskedToFail(t *testing.T) {
	_, err := New(Options{}).Stream(t.Context(), ask("demo error", false), func(core.Delta) {})
	if core.CodeOf(err) != core.CodeModel || err.Error() != "the offline model was asked to fail" {
		t.Errorf("error %v", err)
	}
}

func TestTokens(t *testing.T) {
	r, err := New(Options{}).Stream(t.Context(), ask("say 12345678", false), func(core.Delta) {})
	if err != nil || r.Tokens.In != 3 || r.Tokens.Out != 2 || !r.Tokens.CostKnown || r.Tokens.Cost != 0 {
		t.Errorf("%+v, %v", r.Tokens, err)
	}
}

func TestWordsKeepTheText(t *testing.T) {
	for _, s := range []string{"", " ", "a", " a  b\n\nc ", "é\u2003ü", "\xff\xfe x"} {
		if got := strings.Join(words(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := strings.Join(quick(s), ""); got != s || len(quick(s)) > quickPieces {
			t.Errorf("%q became %q", s, quick(s))
		}
	}
	if got := words("a  b c"); !slices.Equal(got, []string{"a  ", "b ", "c"}) {
		t.Errorf("%q", got)
	}
}
