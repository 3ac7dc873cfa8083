package core

import "fmt"

// maxModelName is the longest name of a model, in bytes.
const maxModelName = 300

// SetModel changes what the session's main agent runs on from its next turn:
// the one that runs is not touched. It returns the model's full name.
func (r *Registry) SetModel(name, by string) (string, error) {
	full, err := r.o.Model(name, r.Session().Model)
	if err != nil {
		return "", err
	}
	return full, r.change(Acknowledged, func(c *change) error {
		t, err := c.task(c.session.ID)
		if err != nil {
			return err
		}
		if _, err := Next(t.Status, OpMessage); err != nil {
			return named(err, t)
		}
		if err := c.setSession(func(s *Session) { s.Model = full }); err != nil {
			return err
		}
		if t.Status == Idle {
			t.Model = full
		}
		return c.event(t.ID, EvModel, true, fmt.Sprintf("%s set the model to %s, from the next turn on", whoText(by), CleanLine(full)), "")
	})
}
