package core

import (
	"fmt"
	"slices"
	"strings"
)

// circle names who waits for whom, from the task to the reader, where the task
// waits for the reader already; nil where the reader may wait. A parent waits
// for its sync child from the start, so that only reading can close a circle,
// and it is the one that does who is refused.
func (r *Registry) circle(w WaitFor, e *entry) []string {
	if w.Reader == "" || w.Sync || r.tasks[w.Reader] == nil {
		return nil
	}
	next := map[string]string{w.Reader: ""} // whom each of them waits for
	for todo := []string{w.Reader}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == e.task.ID {
			var names []string
			for id := todo[0]; id != ""; id = next[id] {
				names = append(names, r.tasks[id].task.Label())
			}
			return names
		}
		for _, id := range r.waitingFor(r.tasks[todo[0]]) {
			if _, seen := next[id]; !seen {
				next[id] = todo[0]
				todo = append(todo, id)
			}
		}
	}
	return nil
}

// waitingFor lists who waits for the task's result.
func (r *Registry) waitingFor(e *entry) []string {
	var ids []string
	for id, n := range e.readers {
		if n > 0 && r.tasks[id] != nil {
			ids = append(ids, id)
		}
	}
	if t := &e.task; t.Mode == Sync && t.Status == Running && r.tasks[t.Parent] != nil {
		ids = append(ids, t.Parent)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// tellCircle writes into the timeline, once a task, that it would have waited in a circle.
func (r *Registry) tellCircle(reader string, w waited) error {
	if !w.news {
		return nil
	}
	me := w.circle[len(w.circle)-1]
	return r.Note(reader, EvToolRefused, fmt.Sprintf("%s does not wait for %s: they would wait for each other (%s)", me, w.task.Label(), strings.Join(append([]string{me}, w.circle...), " → ")), w.task.ID)
}
