package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
)

// TestColumnsStand: the columns of the tree do not move as one scrolls from long names to short ones, or a task says more.
func TestColumnsStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.change(func() {
			for i := range 60 {
				name := "short"
				if i < 10 {
					name = "a rather long title"
				}
				at := time.Now().Add(-time.Duration(i) * time.Minute)
				f.put(core.TaskView{ID: fmt.Sprintf("t%03d", i), Kind: core.KindMain, Agent: "main", Name: "main", Description: name, Status: core.Idle, Turn: 1, Created: &at, Started: &at, LastEvent: &at})
			}
		})
		d := drive(t, f, 120, 24, nil)
		column := func() int {
			for _, line := range strings.Split(d.text(), "\n") {
				if at := strings.Index(line, " idle "); at > 0 && strings.HasPrefix(line, "│   ○") {
					return len([]rune(line[:at]))
				}
			}
			t.Fatalf("no row:\n%s", d.text())
			return 0
		}
		d.keys("G")
		top := column()
		d.keys("g")
		if got := column(); got != top {
			t.Errorf("the column has moved from %d to %d:\n%s", top, got, d.text())
		}
		d.quit()
	})
}
