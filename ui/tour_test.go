package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"drover/core"
)

// TestTourCoversNothing walks to the step that asks to write: the composer it speaks of must be seen.
func TestTourCoversNothing(t *testing.T) {
	for _, size := range sizes {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			shop(f)
			f.act = func(f *fake, r *core.Request) {}
			d := drive(t, f, size[0], size[1], nil)
			d.keys(":tour<Enter>")
			d.sees("tour 1 of 8")
			d.keys("j<Tab><Esc>")
			d.keys("mhello there")
			d.sees("tour 4 of 8", "writes to the agent", "› hello there")
			for _, line := range strings.Split(d.text(), "\n") {
				if strings.Contains(line, "tour 4 of 8") && strings.ContainsAny(line, "│┌─") {
					t.Errorf("%v: the tour stands over something: %s", size, line)
				}
			}
			d.quit()
		})
	}
}
