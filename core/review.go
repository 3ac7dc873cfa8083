package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReviewState is what a person has made of a completion.
type ReviewState string

const (
	ReviewOpen     ReviewState = "open"
	ReviewReviewed ReviewState = "reviewed"
	ReviewSnoozed  ReviewState = "snoozed" // open again at Until, or at the session's next change
	ReviewArchived ReviewState = "archived"
)

// Review is a completion and what a person has made of it. It is one fact,
// written in the transaction that declares the completion, so every screen and
// the command line read the same.
type Review struct {
	Session string      `json:"session"`
	Seq     int64       `json:"seq"` // of the event that declares it
	At      time.Time   `json:"at"`
	Outcome Outcome     `json:"outcome"`
	Summary string      `json:"summary"`
	NotDone []string    `json:"not_done"`
	State   ReviewState `json:"state"`
	Until   time.Time   `json:"until,omitzero"`  // of a snoozed one; zero: the next change
	Marked  time.Time   `json:"marked,omitzero"` // when the person said so
}

// ID names the completion: its session and its event.
func (r *Review) ID() string { return r.Session + "#" + strconv.FormatInt(r.Seq, 10) }

// Open reports whether a person should still look at it; changed is when the
// session's main task last did something.
func (r *Review) Open(now, changed time.Time) bool {
	switch r.State {
	case ReviewReviewed, ReviewArchived:
		return false
	case ReviewSnoozed:
		if r.Until.IsZero() {
			return changed.After(r.Marked)
		}
		return !now.Before(r.Until)
	}
	return true
}

// ReviewMark is what a person makes of completions.
type ReviewMark struct {
	State ReviewState
	Until time.Time // of ReviewSnoozed; zero: the session's next change
}

// FileChange counts how often a task wrote a file.
type FileChange struct {
	Path  string `json:"path"`
	Times int    `json:"times"`
}

// CompletionView is a completion with what led to it: all the session did after the
// completion before it.
type CompletionView struct {
	Review
	Title     string
	Dir       string
	Changed   time.Time    // the main task last did something
	Files     []FileChange // by write_file and edit_file; a shell's changes are not known
	TokensIn  int64
	TokensOut int64
	Cost      *float64      // nil where a price is unknown
	Active    time.Duration // the main task's time at work
}

// reviewKey is the fact that holds a Review.
const reviewKey = "review "

func putReview(tx Tx, r *Review) error { return tx.PutFact(reviewKey+r.ID(), string(jsonOf(r))) }

// reviews that begin with the prefix, the newest first. A fact that is none is left out.
func reviews(r Reader, prefix string) ([]Review, error) {
	facts, err := r.Facts(reviewKey + prefix)
	if err != nil {
		return nil, err
	}
	out := make([]Review, 0, len(facts))
	for key, value := range facts {
		var v Review
		if json.Unmarshal([]byte(value), &v) == nil && reviewKey+v.ID() == key {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b Review) int { return int(b.Seq - a.Seq) })
	return out, nil
}

func oneReview(r Reader, id string) (Review, error) {
	all, err := reviews(r, id)
	if err != nil {
		return Review{}, err
	}
	for _, v := range all {
		if v.ID() == id {
			return v, nil
		}
	}
	return Review{}, &Error{Code: CodeNotFound, Message: "no completion " + quote(id), Hint: "drover review lists them"}
}

// Reviews are all completions, the newest first.
func (c *Client) Reviews(ctx context.Context) ([]Review, error) {
	return view(ctx, c.Store, func(r Reader) ([]Review, error) { return reviews(r, "") })
}

// MarkReviews says what the person has made of the completions, of all or of none.
func (c *Client) MarkReviews(ctx context.Context, m ReviewMark, ids ...string) (out []Review, err error) {
	switch m.State {
	case ReviewOpen, ReviewReviewed, ReviewSnoozed, ReviewArchived:
	default:
		return nil, Errorf(CodeInvalidInput, "a completion is open, reviewed, snoozed or archived, not %s", quote(string(m.State)))
	}
	err = c.Store.Update(ctx, Acknowledged, func(tx Tx) error {
		out = out[:0]
		for _, id := range ids {
			v, err := oneReview(tx, id)
			if err != nil {
				return err
			}
			v.State, v.Until, v.Marked = m.State, m.Until, c.now()
			if err := putReview(tx, &v); err != nil {
				return err
			}
			// No task changes: the event is what tells every screen to read the fact.
			e := Event{Session: v.Session, Task: v.Session, At: v.Marked, Kind: EvReview, Text: "completion " + string(m.State), Ref: id}
			if _, err := tx.AppendEvent(e); err != nil {
				return err
			}
			out = append(out, v)
		}
		return nil
	})
	return out, err
}

// Completion reads a completion with all that led to it. Files and tokens are
// counted from the transcripts of the session's tasks.
func (c *Client) Completion(ctx context.Context, id string) (CompletionView, error) {
	return view(ctx, c.Store, func(r Reader) (d CompletionView, err error) {
		if d.Review, err = oneReview(r, id); err != nil {
			return d, err
		}
		s, err := r.Session(d.Session)
		if err != nil {
			return d, err
		}
		d.Title, d.Dir, d.Files = s.Title, s.Dir, []FileChange{}
		before, err := reviews(r, d.Session+"#")
		if err != nil {
			return d, err
		}
		var from time.Time
		for _, v := range before { // newest first
			if v.Seq < d.Seq {
				from = v.At
				break
			}
		}
		tasks, err := r.Tasks(TaskFilter{Session: d.Session})
		if err != nil {
			return d, err
		}
		return d, d.gather(r, tasks, from)
	})
}

// gather adds up what the tasks did after from and until the completion.
func (d *CompletionView) gather(r Reader, tasks []Task, from time.Time) error {
	known, cost := true, 0.0
	times := map[string]int{}
	for _, t := range tasks {
		if t.ID == d.Session {
			d.Changed = t.LastEvent
			turns, err := r.Turns(t.ID, 0)
			if err != nil {
				return err
			}
			d.Active = worked(turns, from, d.At)
		}
		entries, err := r.Entries(t.ID, 0, 0)
		if err != nil {
			return err
		}
		paths := map[string]string{} // by call
		for _, e := range entries {
			if !e.At.After(from) || e.At.After(d.At) {
				continue
			}
			switch e.Kind {
			case EntryAnswer:
				d.TokensIn, d.TokensOut, cost = d.TokensIn+e.Tokens.In, d.TokensOut+e.Tokens.Out, cost+e.Tokens.Cost
				known = known && e.Tokens.CostKnown
			case EntryCall:
				if e.Tool == "write_file" || e.Tool == "edit_file" {
					paths[e.CallID] = e.Text
				}
			case EntryResult:
				if path := paths[e.CallID]; path != "" && !e.Failed {
					times[path]++
				}
			}
		}
	}
	if known {
		d.Cost = &cost
	}
	for path, n := range times {
		d.Files = append(d.Files, FileChange{path, n})
	}
	slices.SortFunc(d.Files, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// worked is how much of the turns lies between the two times.
func worked(turns []Turn, from, to time.Time) (sum time.Duration) {
	for _, n := range turns {
		a, b := n.Started, n.Ended
		if b.IsZero() || b.After(to) {
			b = to
		}
		if a.Before(from) {
			a = from
		}
		sum += max(0, b.Sub(a))
	}
	return sum
}

// ParseSnooze reads how long a completion sleeps: a duration, "tomorrow"
// (at 9 in the zone of now) or "change" (the session's next change, a zero time).
func ParseSnooze(word string, now time.Time) (time.Time, error) {
	switch word {
	case "change":
		return time.Time{}, nil
	case "tomorrow":
		y, m, d := now.Date()
		return time.Date(y, m, d+1, 9, 0, 0, 0, now.Location()), nil
	}
	d, err := time.ParseDuration(word)
	if err != nil || d <= 0 {
		return time.Time{}, &Error{Code: CodeInvalidInput, Message: fmt.Sprintf("%s is no time to snooze for", quote(word)), Hint: "such as 1h, 30m, tomorrow, change"}
	}
	return now.Add(d), nil
}
