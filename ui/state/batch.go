package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"drover/core"
)

// batch sums up what came of one key press that acts on many: a receipt for all
// of it, instead of the last one's.
type batch struct {
	verb    string // what was done, in the past: closed, stopped, allowed
	what    [2]string
	left    int             // effects that are not settled
	taken   map[Effect]bool // those that have been accepted: they are heard of once more
	done    int
	slowest int64 // milliseconds, of a cancel
	kept    []string
}

// begin counts the effects as one; kept are the reasons of those that are left out from the start.
func (s *State) begin(verb string, what [2]string, effects []Effect, kept []string) {
	b := &batch{verb: verb, what: what, left: len(effects), kept: kept, taken: map[Effect]bool{}}
	if s.Marks.batches == nil {
		s.Marks.batches = map[Effect]*batch{}
	}
	for _, e := range effects {
		s.Marks.batches[e] = b
	}
}

// batched takes an outcome over if its effect is one of many. It says what came of all when the last is settled.
func (s *State) batched(e Effect, r core.Request, err error) bool {
	switch e.(type) {
	case End, Cancel, Approve: // values that can be compared
	default:
		return false
	}
	b := s.Marks.batches[e]
	if b == nil {
		return false
	}
	if err == nil && !b.taken[e] {
		b.taken[e] = true
		return true
	}
	delete(s.Marks.batches, e)
	b.left--
	switch {
	case err != nil:
		if !decides(e) || core.CodeOf(err) != core.CodeWrongStatus {
			s.undo(e)
		}
		b.kept = append(b.kept, core.CleanLine(err.Error()))
	case r.State == core.ReqRefused:
		b.kept = append(b.kept, core.CleanLine(r.Outcome))
	default:
		b.add(r)
	}
	if b.left > 0 {
		return true
	}
	if s.Toast = (Toast{Text: core.CleanLine(b.String()), At: s.Now}); len(b.kept) > 0 {
		s.Toast.Bad = true
	}
	return true
}

// add counts what a request did: a cancel may have stopped more than it names.
func (b *batch) add(r core.Request) {
	var rc core.Receipt
	if r.Kind != core.ReqCancel || json.Unmarshal([]byte(r.Outcome), &rc) != nil {
		b.done++
		return
	}
	b.done += len(rc.Stopped)
	for _, x := range rc.Stopped {
		b.slowest = max(b.slowest, x.MS)
	}
	for _, x := range rc.NotStopped {
		b.kept = append(b.kept, join(core.CleanLine(x.Name)+" would not stop", ": ", core.CleanLine(x.Why)))
	}
}

// String is the receipt: stopped 12 tasks in 1.2s, 1 kept: still running.
func (b *batch) String() string {
	text := b.verb + " " + plural(b.done, b.what[0], b.what[1])
	if b.slowest >= 10 {
		text += " in " + (time.Duration(b.slowest) * time.Millisecond).Round(10*time.Millisecond).String()
	}
	return keptBack(text, b.kept)
}

// keptBack adds how many were left as they are, and why: reasons that are the same are counted.
func keptBack(text string, kept []string) string {
	if len(kept) == 0 {
		return text
	}
	var reasons []string
	count := map[string]int{}
	for _, k := range kept {
		if count[k]++; count[k] == 1 {
			reasons = append(reasons, k)
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	var parts []string
	for _, r := range reasons[:min(3, len(reasons))] {
		if len(reasons) > 1 {
			r = fmt.Sprintf("%d %s", count[r], r)
		}
		parts = append(parts, r)
	}
	if more := len(reasons) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more reasons", more))
	}
	return fmt.Sprintf("%s, %d kept: %s", text, len(kept), strings.Join(parts, ", "))
}
