package core

import (
	"encoding/json"
	"fmt"
)

// Origin is what a task was started with. Nothing of it ever changes.
type Origin struct {
	Spec  Spec
	Agent Agent // as Spec.Agent has it; its prompt is Spec.System
}

// Origin of a task, from memory once it is known there. The registry's lock is
// not to be held, nor a reader.
func (r *Registry) Origin(id string) (Origin, error) {
	r.memory.RLock()
	e := r.tasks[id]
	if e == nil {
		r.memory.RUnlock()
		return Origin{}, noTask(id)
	}
	known, label := e.origin, e.task.Agent
	r.memory.RUnlock()
	if known != nil {
		return *known, nil
	}
	var o Origin
	err := r.View(func(rd Reader) (err error) { o.Spec, err = rd.Spec(id); return err })
	if err != nil {
		return o, err
	}
	if len(o.Spec.Agent) > 0 {
		if err := json.Unmarshal(o.Spec.Agent, &o.Agent); err != nil {
			return o, fmt.Errorf("reading the definition of %s: %w", label, err)
		}
	}
	r.memory.Lock()
	defer r.memory.Unlock()
	if e := r.tasks[id]; e != nil {
		e.keep(o)
	}
	return o, nil
}

// keep remembers where a task comes from as long as it may still work.
func (e *entry) keep(o Origin) {
	if !e.task.Status.Terminal() {
		e.origin = &o
	}
}
