package state

import (
	"strings"
	"testing"
	"time"

	"drover/core"
)

func TestBriefFits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00", 41 * time.Second: "0:41", 59*time.Minute + 59*time.Second: "59:59", 3*time.Hour + 7*time.Minute: "3h07",
		99 * time.Hour: "99h00", 100 * time.Hour: "4d04h", 300 * time.Hour: "12d", 123 * 24 * time.Hour: "123d", -time.Second: "0:00",
	} {
		if got := Brief(d); got != want || len(got) > 5 {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestTrouble: a transcript that ends without an answer says why, and which key helps.
func TestTrouble(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*core.TaskView)
		doing,
		want string
	}{
		{"parked", func(v *core.TaskView) { v.Activity, v.Detail = core.ActParked, "until 09:07:25" },
			"parked until 09:07", "parked until 09:07:25: the provider's rate limit is reached. It goes on by itself; x cancels it"},
		{"queued", func(v *core.TaskView) { v.Activity = core.ActQueued }, "queued for a slot", "it waits for a slot"},
		{"retry", func(v *core.TaskView) { v.Activity, v.Detail = core.ActModel, "try 2 of 5 at 09:07:25" }, "model: try 2 of 5 at 09:07:25", ""},
		{"interrupted", func(v *core.TaskView) { v.Interrupted = true }, "interrupted", "r takes it up where it stood"},
		{"failed", func(v *core.TaskView) {
			v.Status, v.ErrorCode, v.Error = core.Failed, core.CodeModel, "no \x1b[31mway"
		},
			"failed: no way", "failed with " + string(core.CodeModel) + ": no way"},
		{"ended at a limit", func(v *core.TaskView) { v.Status, v.ErrorCode, v.Error = core.Idle, core.CodeTimeout, "15m are over" },
			"idle · " + string(core.CodeTimeout), "its last turn ended with " + string(core.CodeTimeout) + ": 15m are over; m writes to it"},
		{"cancelled", func(v *core.TaskView) { v.Status, v.EndedBy = core.Cancelled, core.SenderUser }, "cancelled", "cancelled by you"},
		{"well", func(v *core.TaskView) { v.Status = core.Idle }, "idle", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := registry()
			change(s, "deep1", c.set)
			n := s.Tree.Node("deep1")
			if got := s.Doing(n); got != c.doing {
				t.Errorf("the row says %q, want %q", got, c.doing)
			}
			if got := s.Trouble(n); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}

// TestGoMeansTheOneAtWork: of two tasks with one name in other sessions the one that runs is meant, then the younger.
func TestGoMeansTheOneAtWork(t *testing.T) {
	s := registry()
	old, young := time.Unix(1_700_000_000, 0), time.Unix(1_700_009_000, 0)
	put := func(id, session string, st core.Status, at time.Time) {
		v := core.TaskView{ID: id, Session: session, Parent: session, Kind: core.KindAgent, Agent: "explore", Name: "twin", Status: st, Created: &at, Rev: 1}
		root := core.TaskView{ID: session, Session: session, Kind: core.KindMain, Agent: "main", Name: "main", Status: core.Idle, Created: &at, Rev: 1}
		s.Apply(core.Update{Tasks: []core.TaskView{root, v}, Sessions: []core.Session{{ID: session, Title: "Work of " + session}}})
	}
	put("zz1", "sa", core.Running, old)
	put("aa1", "sb", core.Idle, young)
	put("ab1", "sc", core.Idle, old)
	s.Tree.goTo("main1")
	press(s, ":go twin<Enter>")
	if s.Tree.Selected != "zz1" {
		t.Errorf("went to %s", s.Tree.Selected)
	}
	change(s, "zz1", func(v *core.TaskView) { v.Status = core.Idle })
	s.Tree.goTo("main1")
	press(s, ":go twin<Enter>")
	if s.Tree.Selected != "aa1" {
		t.Errorf("went to %s", s.Tree.Selected)
	}
	change(s, "zz1", func(v *core.TaskView) { v.Status = core.Running })
	if got, want := s.Doing(s.Tree.Node("sa")), "idle · 1 at work"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	// Marked tasks of several sessions are told apart.
	s.Tree.goTo("zz1")
	press(s, ",")
	s.Tree.goTo("aa1")
	press(s, ",x")
	if got, want := s.View.Confirm.Text, "Work of sa › twin"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}
