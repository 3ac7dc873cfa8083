package offline

import (
	"context"
	"strings"
	"time"
	"unicode"

	"drover/core"
)

const (
	tick        = 25 * time.Millisecond // between two pieces of a paced text
	longest     = 8 * time.Second       // a paced text takes at most about this long
	quickPieces = 4                     // of a text that is not paced
)

// emit streams the text of p: over p.over where a demo asks for that, else at
// the model's pace, else at once and without a timer. It waits for nothing but
// its timer and ctx.
func (m *model) emit(ctx context.Context, p plan, paced bool, on func(core.Delta)) error {
	if p.over > 0 {
		return emitOver(ctx, words(p.text), p.over, on)
	}
	if paced && p.text != "" {
		return emitOver(ctx, words(p.text), m.duration(p.text), on)
	}
	for _, piece := range quick(p.text) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		on(core.Delta{Text: piece})
	}
	return nil
}

func (m *model) duration(text string) time.Duration {
	return min(longest, time.Duration(len(text))*time.Second/time.Duration(m.pace))
}

// emitOver spreads the pieces evenly over d, several at a tick where there are many.
func emitOver(ctx context.Context, pieces []string, d time.Duration, on func(core.Delta)) error {
	ticks := max(1, min(int(d/tick), len(pieces)))
	at := func(i int) time.Duration { return d * time.Duration(i) / time.Duration(ticks) }
	timer := time.NewTimer(at(1))
	defer timer.Stop()
	for i := range ticks {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		if from, to := i*len(pieces)/ticks, (i+1)*len(pieces)/ticks; from < to {
			on(core.Delta{Text: strings.Join(pieces[from:to], "")})
		}
		timer.Reset(at(i+2) - at(i+1))
	}
	return nil
}

// words cuts after each run of white space: joined, the pieces are the text.
func words(text string) []string {
	var out []string
	start, blank := 0, false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if blank && !space {
			out = append(out, text[start:i])
			start = i
		}
		blank = space
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// quick cuts into a few pieces, never within a word.
func quick(text string) []string {
	w := words(text)
	n := min(quickPieces, len(w))
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, strings.Join(w[i*len(w)/n:(i+1)*len(w)/n], ""))
	}
	return out
}
