package core

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// tails are the entries that were committed since the turns at work began: a
// turn need not read from the rows what it has just written.
type tails struct {
	mu sync.Mutex
	of map[string]*tail
}

type tail struct {
	entries []Entry
	last    int64 // seq of the newest one; 0: none yet
}

// begin keeps what is written for a task from now on, until end; of a new task
// that is all there is, from its first entry on.
func (t *tails) begin(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]*tail{}
	}
	if t.of[task] == nil {
		t.of[task] = &tail{}
	}
}

func (t *tails) end(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, task)
}

func (t *tails) add(entries []Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range entries {
		if own := t.of[e.Task]; own != nil {
			own.entries, own.last = append(own.entries, e), e.Seq
		}
	}
}

// newest is the number of the task's newest entry; 0 where it is not known.
func (t *tails) newest(task string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own := t.of[task]; own != nil {
		return own.last
	}
	return 0
}

// after takes the entries with Seq > after; ok is false where it does not have
// all of them. What comes before is not kept any longer.
func (t *tails) after(task string, after int64) (entries []Entry, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.of[task]
	switch {
	case own == nil || own.last == 0:
		return nil, false
	case after >= own.last:
		own.entries = nil
		return nil, true
	case len(own.entries) == 0 || own.entries[0].Seq > after+1:
		return nil, false
	}
	own.entries = own.entries[after+1-own.entries[0].Seq:]
	return append([]Entry(nil), own.entries...), true
}

// EntriesAfter returns the entries of a task with Seq > after, oldest first:
// from memory where its turn at work has written all of them.
func (r *Registry) EntriesAfter(task string, after int64) ([]Entry, error) {
	if entries, ok := r.tails.after(task, after); ok {
		return entries, nil
	}
	var entries []Entry
	err := r.View(func(rd Reader) (err error) {
		entries, err = rd.Entries(task, after, 0)
		return err
	})
	return entries, err
}

// storable is a text as rows keep it: valid, and without NUL.
func storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
