package tool

import (
	"strings"
	"testing"
	"time"

	"drover/core"
)

// TestNobodyWaitsInACircle: the wait that would close one is none, says who
// waits for whom, and stands in the timeline once; a wait on another side is one.
func TestNobodyWaitsInACircle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(core.Task) (string, time.Duration, error) { return "done", time.Hour, nil }
		for _, n := range []string{"a", "b", "d"} {
			c.as(c.main.ID, "task", `{"agent_type":"explore","name":"`+n+`","prompt":"p","mode":"background"}`)
		}
		a, b, d := c.named("a").ID, c.named("b").ID, c.named("d").ID
		go c.as(c.main.ID, "read_agent", `{"agent_id":"a","wait":true,"timeout":300}`)
		go c.as(a, "read_agent", `{"agent_id":"b","wait":true,"timeout":300}`)
		go c.as(d, "read_agent", `{"agent_id":"a","wait":true,"timeout":300}`)
		c.pass(time.Second)
		start := time.Now()
		for range 2 {
			c.says(c.as(b, "read_agent", `{"agent_id":"`+c.main.ID+`","wait":true,"timeout":300}`), false, "main", "is running", "it waits for you (main → a → b)", "End your turn")
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("it waited %s", took)
		}
		c.says(c.as(b, "read_agent", `{"agent_id":"d","wait":true,"timeout":1}`), false, "it waits for you (d → a → b)")
		if got := c.events(core.EvToolRefused); len(got) != 1 || !strings.Contains(got[0], "b does not wait for main: they would wait for each other (b → main → a → b)") {
			t.Errorf("told %q", got)
		}
		c.pass(10 * time.Minute) // nobody waits any more
		c.says(c.as(b, "read_agent", `{"agent_id":"a","wait":true,"timeout":1}`), false, "The wait of 1s ran out")
		c.pass(2 * time.Hour)
	})
}

// TestASyncChildDoesNotWaitForItsParent, from the moment it is there; in the background it may.
func TestASyncChildDoesNotWaitForItsParent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCrew(t, core.Options{})
		c.turn = func(core.Task) (string, time.Duration, error) { return "done", time.Hour, nil }
		go c.as(c.main.ID, "task", `{"agent_type":"explore","name":"kid","prompt":"p","mode":"sync"}`)
		c.pass(time.Second)
		kid := c.named("kid").ID
		wait := `{"agent_id":"` + c.main.ID + `","wait":true,"timeout":1}`
		c.says(c.as(kid, "read_agent", wait), false, "it waits for you (main → kid)")
		must(t, c.reg.PromoteAgentToBackground(kid, core.SenderUser))
		c.pass(time.Second)
		c.says(c.as(kid, "read_agent", wait), false, "The wait of 1s ran out")
		c.pass(2 * time.Hour)
	})
}
