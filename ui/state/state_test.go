package state

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/core"
)

var t0 = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

// a registry for tests: main with a running, a sync and an idle child, and an ended session.
func tasks() []core.TaskView {
	at := func(n int) *time.Time { x := t0.Add(time.Duration(n) * time.Second); return &x }
	return []core.TaskView{
		{ID: "main1", Session: "main1", Kind: core.KindMain, Agent: "main", Name: "main", Description: "Add coupons", Status: core.Running, Activity: core.ActChildren, Mode: core.Background, Turn: 2, Created: at(0), Rev: 5},
		{ID: "run11", Session: "main1", Parent: "main1", Kind: core.KindAgent, Agent: "explore", Name: "survey", Status: core.Running, Activity: core.ActTool, Detail: "grep_files", Mode: core.Background, Turn: 1, Created: at(1), Rev: 3},
		{ID: "sync1", Session: "main1", Parent: "main1", Kind: core.KindAgent, Agent: "plan", Name: "plan", Status: core.Running, Activity: core.ActModel, Mode: core.Sync, Turn: 1, Created: at(2), Rev: 3},
		{ID: "deep1", Session: "main1", Parent: "sync1", Kind: core.KindAgent, Agent: "explore", Name: "deep", Status: core.Running, Activity: core.ActQueued, Mode: core.Background, Turn: 1, Created: at(3), Rev: 1},
		{ID: "idle1", Session: "main1", Parent: "main1", Kind: core.KindAgent, Agent: "explore", Name: "explore-api", Status: core.Idle, Mode: core.Background, Turn: 1, Created: at(4), Rev: 4},
		{ID: "done1", Session: "main1", Parent: "main1", Kind: core.KindAgent, Agent: "explore", Name: "done-one", Status: core.Completed, Mode: core.Background, Turn: 1, Created: at(5), Rev: 4},
		{ID: "intr1", Session: "intr1", Kind: core.KindMain, Agent: "main", Name: "main", Description: "Old work", Status: core.Running, Activity: core.ActModel, Interrupted: true, Mode: core.Background, Turn: 1, Created: at(-100), Rev: 2},
	}
}

func registry() *State {
	s := New(Config{Dir: "/shop", Themes: []string{"dark", "light"}})
	s.Now = t0.Add(time.Minute)
	s.Apply(core.Update{
		Tasks: tasks(),
		Sessions: []core.Session{
			{ID: "main1", Title: "Add coupons", Updated: t0}, {ID: "intr1", Title: "Old work", Updated: t0.Add(-time.Hour)},
		},
		Changed: []string{"main1"},
	})
	return s
}

// press types keys: characters as they are, names in angle brackets.
func press(s *State, keys string) []Effect {
	var out []Effect
	for keys != "" {
		k := Key([]rune(keys)[0])
		if end := strings.Index(keys, ">"); keys[0] == '<' && end > 0 {
			k = Key(keys[1:end])
			keys = keys[end+1:]
		} else {
			keys = keys[len(k):]
		}
		out = append(out, s.Key(k)...)
	}
	return out
}

func ids(s *State) string {
	var l []string
	for _, r := range s.Tree.Rows {
		l = append(l, r.Node.Task.ID)
	}
	return strings.Join(l, " ")
}

func change(s *State, id string, f func(*core.TaskView)) {
	v := s.Tree.Node(id).Task.View()
	f(&v)
	v.Rev++
	s.Apply(core.Update{Tasks: []core.TaskView{v}})
}

func TestKeysToEffects(t *testing.T) {
	for _, c := range []struct {
		name, on, keys string
		want           []Effect
	}{
		{"follow-up to an idle task", "idle1", "mand VAT?<Enter>", []Effect{Send{"idle1", "and VAT?", core.Queue}}},
		{"two lines", "idle1", "ma<Ctrl-J>b<Alt-Enter>c<Enter>", []Effect{Send{"idle1", "a\nb\nc", core.Queue}}},
		{"steer", "run11", "sstop that<Enter>", []Effect{Send{"run11", "stop that", core.Steer}}},
		{"interrupt", "run11", "inow<Enter>", []Effect{Send{"run11", "now", core.Interrupt}}},
		{"Tab changes the delivery", "run11", "mx<Tab><Tab><Enter>", []Effect{Send{"run11", "x", core.Interrupt}}},
		{"cancel asks", "main1", "x", nil},
		{"cancel, yes", "main1", "xy", []Effect{Cancel{"main1", core.ScopeTree}}},
		{"cancel, no", "main1", "xn", nil},
		{"cancel only this", "main1", "Xy", []Effect{Cancel{"main1", core.ScopeOnly}}},
		{"promote", "sync1", "b", []Effect{Promote{"sync1"}}},
		{"resume", "intr1", "r", []Effect{Resume{"intr1"}}},
		{"autopilot belongs to the session", "deep1", "o", []Effect{Autopilot{"main1", true}}},
		{"end", "idle1", "e", []Effect{End{"idle1"}}},
		{"copy", "idle1", "y", []Effect{CopyAnswer{"idle1"}}},
		{"new session", "idle1", "nfix it<Enter>", []Effect{NewSession{Prompt: "fix it"}}},
		{"new session on autopilot", "idle1", "nfix it<Tab><Enter>", []Effect{NewSession{Prompt: "fix it", Autopilot: true}}},
		{"new session, all allowed", "idle1", "nfix it<Tab><Tab><Enter>", []Effect{NewSession{Prompt: "fix it", Autopilot: true, AllowAll: true}}},
		{"timeline loads", "idle1", "t", []Effect{Scroll{Move: ToBottom}, LoadTimeline{"main1"}}},
		{"quit", "idle1", "q", []Effect{Quit{}}},
		{"Ctrl-C once", "idle1", "<Ctrl-C>", nil},
		{"Ctrl-C twice", "idle1", "<Ctrl-C><Ctrl-C>", []Effect{Quit{}}},
		{"Ctrl-C, a key, Ctrl-C", "idle1", "<Ctrl-C>j<Ctrl-C>", nil},
		{"redraw while typing", "idle1", "m<Ctrl-L>", []Effect{Redraw{}}},
		{"suspend", "idle1", "<Ctrl-Z>", []Effect{Suspend{}}},
		{"editor", "idle1", "mabc<Ctrl-G>", []Effect{EditExternally{"abc"}}},
		{":send", "idle1", ":send hello there<Enter>", []Effect{Send{"idle1", "hello there", core.Queue}}},
		{":steer", "run11", ":steer left<Enter>", []Effect{Send{"run11", "left", core.Steer}}},
		{":cancel", "run11", ":cancel<Enter>y", []Effect{Cancel{"run11", core.ScopeTree}}},
		{":cancel only", "main1", ":cancel only<Enter>y", []Effect{Cancel{"main1", core.ScopeOnly}}},
		{":new", "idle1", ":new do it<Enter>", []Effect{NewSession{Prompt: "do it"}}},
		{":fork", "idle1", ":fork 3 do it<Enter>", []Effect{NewSession{Prompt: "do it"}, NewSession{Prompt: "do it"}, NewSession{Prompt: "do it"}}},
		{":fork of too many", "idle1", ":fork 10 do it<Enter>", nil},
		{":fork of nothing", "idle1", ":fork 3<Enter>", nil},
		{":model of the session", "idle1", ":model fast<Enter>", []Effect{Model{"main1", "fast"}}},
		{":autopilot off", "idle1", ":autopilot off<Enter>", []Effect{Autopilot{"main1", false}}},
		{":theme", "idle1", ":theme li<Tab><Enter>", []Effect{TryTheme{"light"}, Theme{"light"}}},
		{":q is :quit", "idle1", ":q<Enter>", []Effect{Quit{}}},
		{"Tab completes", "idle1", ":qu<Tab><Enter>", []Effect{Quit{}}},
		{":promote", "sync1", ":promote<Enter>", []Effect{Promote{"sync1"}}},
		{"letters typed into a composer do nothing else", "main1", "mxyqb<Esc>", []Effect{PutNote{Key: "draft main1", Value: "xyqb"}}},
	} {
		s := registry()
		if !s.Tree.goTo(c.on) {
			t.Fatalf("%s: no task %s", c.name, c.on)
		}
		if got := press(s, c.keys); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: keys %s on %s\n got %#v\nwant %#v (toast %q)", c.name, c.keys, c.on, got, c.want, s.Toast.Text)
		}
	}
}

// Each context's keys, and those of all contexts that are in force together, are unambiguous.
func TestKeysAreUnambiguous(t *testing.T) {
	s := registry()
	together := [][]Context{{OnTask, InApproval, InTree, Everywhere}, {OnTask, InApproval, InDetail, Everywhere}}
	s.Agents.Open = true
	together = append(together, s.contexts())
	for m := Composing; m <= Reading; m++ {
		s.View.Mode = m
		together = append(together, s.contexts())
	}
	for _, cs := range together {
		seen := map[Key]string{}
		for _, b := range Bindings() {
			if !slices.Contains(cs, b.Context) {
				continue
			}
			for _, k := range b.Keys {
				if seen[k] != "" {
					t.Errorf("%s does both %q and %q", k, seen[k], b.Name)
				}
				seen[k] = b.Name
			}
		}
	}
	names := map[string]bool{}
	for _, b := range Bindings() {
		if names[b.Name] || b.Name == "" || b.Help == "" || b.Do == nil || len(b.Keys) == 0 {
			t.Errorf("binding %q is named twice or lacks something", b.Name)
		}
		names[b.Name] = true
	}
}

// What cannot act says why; this holds the reasons of every binding that has one.
func TestDisabledKeysSayWhy(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range []struct{ name, on, keys, why string }{
		{"message", "done1", "m", "done-one is completed: an ended task takes no message"},
		{"steer", "idle1", "s", "is idle: there is no turn to steer"},
		{"steer", "intr1", "s", "is interrupted; r resumes it"},
		{"interrupt", "done1", "i", "is completed"},
		{"cancel", "done1", "x", "has already ended: completed"},
		{"cancel only", "done1", "X", "has already ended"},
		{"background", "run11", "b", "in the background already"},
		{"background", "done1", "b", "has already ended"},
		{"resume", "run11", "r", "is running, not interrupted"},
		{"end", "run11", "e", "is running: wait for it"},
		{"end", "done1", "e", "has already ended"},
		{"withdraw", "run11", "w", "no message to survey is waiting"},
		{"rewrite", "run11", "W", "no message to survey is waiting"},
		{"next in inbox", "run11", "!", "nothing needs you"},
		{"send", "run11", "m<Enter>", "the message is empty"},
		{"send", "run11", "n <Enter>", "say what the agent should do"},
		{"autopilot", "", "o", "no task is selected"},
		{"copy", "", "y", "no task is selected"},
		{"timeline", "", "t", "no task is selected"},
		{"next tab", "", ">", "no task is selected"},
		{"previous tab", "", "<", "no task is selected"},
		{"next session", "", "]", "no task is selected"},
		{"previous session", "", "[", "no task is selected"},
		{"open", "", "<Enter>", "no task is selected"},
		{"message", "", "m", "no task is selected"},
		{"filter", "", "/", "there are no tasks yet"},
		{"trust", "run11", "T", "the agents have not been read yet"},
		{"finished", "", "f", "there are no tasks yet"},
		{"message many", "done1", "M", "nothing under done-one takes a message"},
		{"message many", "", "M", "no task is selected"},
		{"undo", "run11", "mab<Ctrl-Y>", "there is nothing to undo"},
		{"sort", "", "S", "there are no tasks yet"},
		{"group", "", "=", "there are no tasks yet"},
		{"order anew", "", "<Ctrl-R>", "there are no tasks yet"},
		{"mark", "", ",", "no task is selected"},
		{"mark range", "", ".", "no task is selected"},
		{"clear marks", "run11", "\\", "nothing is marked"},
		{"archive task", "run11", "z", "survey is running: only what has ended can be archived"},
		{"archive task", "idle1", "z", "explore-api is idle; e closes it"},
		{"archive task", "run11", ",,z", "none of the 2 marked can be archived"},
		{"cancel", "done1", ",x", "none of the 1 marked can be cancelled"},
		{"end", "run11", ",e", "none of the 1 marked can be closed"},
		{"undo archive", "run11", "u", "nothing was archived here lately"},
		{"archived", "", "Z", "there are no tasks yet"},
		{"pin", "", "'", "no task is selected"},
		{"pin to digit", "", "<Alt-3>", "no task is selected"},
		{"jump", "", "3", "there are no tasks yet"},
		{"jump", "run11", "3", "nothing is pinned to 3; ' pins the selected task; Alt-3 pins it here"},
		{"allow in inbox", "run11", "Ia", "nothing needs you"},
		{"allow always in inbox", "run11", "IA", "nothing needs you"},
		{"deny in inbox", "run11", "Id", "nothing needs you"},
		{"allow identical", "run11", "I=", "nothing needs you"},
		{"view call in inbox", "run11", "Iv", "nothing needs you"},
		{"open asker", "run11", "I<Enter>", "nothing needs you"},
		{"message asker", "run11", "Im", "nothing needs you"},
		{"open completion", "run11", "R<Enter>", "nothing has been declared complete yet"},
		{"reviewed", "run11", "Rd", "nothing has been declared complete yet"},
		{"snooze", "run11", "Rz", "nothing has been declared complete yet"},
		{"snooze until tomorrow", "run11", "RZ", "nothing has been declared complete yet"},
		{"snooze until a change", "run11", "Rs", "nothing has been declared complete yet"},
		{"archive", "run11", "Re", "nothing has been declared complete yet"},
		{"reopen", "run11", "Ru", "nothing has been declared complete yet"},
		{"all reviewed", "run11", "RD", "nothing has been declared complete yet"},
		{"follow up", "run11", "Rm", "nothing has been declared complete yet"},
		{"view completion", "run11", "Rv", "nothing has been declared complete yet"},
		{"review to inbox", "run11", "R!", "nothing needs you"},
	} {
		covered[c.name] = true
		s := New(Config{})
		if c.on != "" {
			s = registry()
			s.Tree.goTo(c.on)
		}
		if e := press(s, c.keys); len(e) != 0 {
			t.Errorf("%s: keys %s did %v", c.name, c.keys, e)
		}
		if !strings.Contains(s.Toast.Text, c.why) || !s.Toast.Bad {
			t.Errorf("%s: keys %s on %q said %q, not %q", c.name, c.keys, c.on, s.Toast.Text, c.why)
		}
	}
	for _, b := range Bindings() {
		if b.Why != nil && b.Context != InApproval && b.Context != InAgents && b.Context != InOverlay && !covered[b.Name] {
			t.Errorf("no reason of %q is tested", b.Name)
		}
	}
}

func TestConfirmNamesWhatStops(t *testing.T) {
	s := registry()
	press(s, "x")
	if got, want := s.View.Confirm.Text, "cancel Add coupons and 4 under it: survey, plan, deep, explore-api?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	change(s, "run11", func(v *core.TaskView) { v.Status = core.Completed })
	if got := s.View.Confirm.Text; strings.Contains(got, "survey") {
		t.Errorf("a task that ended meanwhile is still named: %q", got)
	}
	change(s, "main1", func(v *core.TaskView) { v.Status = core.Cancelled })
	if s.View.Mode != Normal || press(s, "y")[0] != (CopyAnswer{"main1"}) {
		t.Errorf("the question outlives its task: %v", s.View.Mode)
	}
}

func TestRowsStayUnderTheCursor(t *testing.T) {
	s := registry()
	if got, want := ids(s), "main1 run11 sync1 deep1 idle1 done1 intr1"; got != want {
		t.Fatalf("rows %s, want %s", got, want)
	}
	s.Tree.goTo("idle1")
	change(s, "intr1", func(v *core.TaskView) { v.Turn++ }) // activity elsewhere moves nothing
	now := t0.Add(time.Hour)
	s.Apply(core.Update{Tasks: []core.TaskView{{ID: "newer", Session: "newer", Name: "main", Kind: core.KindMain, Status: core.Running, Created: &now, Rev: 1}}})
	if got, want := ids(s), "newer main1 run11 sync1 deep1 idle1 done1 intr1"; got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if s.Tree.Selected != "idle1" || s.Tree.Rows[s.Tree.At()].Node.Task.ID != "idle1" {
		t.Errorf("the cursor is on %s", s.Tree.Selected)
	}
	// a late revision is dropped, one of the same revision (a host that died) is not
	old := s.Tree.Node("run11").Task.View()
	old.Rev, old.Status = old.Rev-1, core.Completed
	s.Apply(core.Update{Tasks: []core.TaskView{old}})
	if s.Tree.Node("run11").Task.Status != core.Running {
		t.Error("an older revision was taken")
	}
	same := s.Tree.Node("run11").Task.View()
	same.Interrupted = true
	s.Apply(core.Update{Tasks: []core.TaskView{same}})
	if !s.Tree.Node("run11").Task.Interrupted {
		t.Error("an interruption without a new revision was dropped")
	}
}

func TestFoldFilterAndHide(t *testing.T) {
	s := registry()
	for _, c := range []struct{ keys, rows, selected string }{
		{"jjh", "main1 run11 sync1 idle1 done1 intr1", "sync1"},
		{"h", "main1 run11 sync1 idle1 done1 intr1", "main1"},
		{"h", "main1 intr1", "main1"},
		{"l", "main1 run11 sync1 idle1 done1 intr1", "main1"},
		{"l", "main1 run11 sync1 idle1 done1 intr1", "run11"},
		{"/deep", "main1 sync1 deep1", "deep1"}, // a filter shows what is folded away
		{"<Enter>k", "main1 sync1 deep1", "sync1"},
		{"<Esc>", "main1 run11 sync1 idle1 done1 intr1", "sync1"},
		{"f", "main1 run11 sync1 idle1 intr1", "sync1"},
		{"f", "main1 run11 sync1 idle1 done1 intr1", "sync1"},
		{":filter explore !idle<Enter>", "main1 run11 sync1 deep1 done1", "sync1"},
		{":filter<Enter>", "main1 run11 sync1 idle1 done1 intr1", "sync1"},
		{"]", "main1 run11 sync1 idle1 done1 intr1", "intr1"},
		{"[", "main1 run11 sync1 idle1 done1 intr1", "main1"},
		{"G", "main1 run11 sync1 idle1 done1 intr1", "intr1"},
		{"g", "main1 run11 sync1 idle1 done1 intr1", "main1"},
		{":go deep<Enter>", "main1 run11 sync1 deep1 idle1 done1 intr1", "deep1"},
	} {
		press(s, c.keys)
		if ids(s) != c.rows || s.Tree.Selected != c.selected {
			t.Errorf("after %s: rows %s, selected %s; want %s, %s", c.keys, ids(s), s.Tree.Selected, c.rows, c.selected)
		}
		if at := s.Tree.At(); s.Tree.Rows[at].Node.Task.ID != s.Tree.Selected {
			t.Errorf("after %s: the row of the cursor is %d", c.keys, at)
		}
	}
}

func TestDraftsSurvive(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	press(s, "mhalf a thought<Esc>")
	s.Tree.goTo("run11")
	press(s, "m")
	if got := s.Input.Compose.String(); got != "" {
		t.Fatalf("another task's draft: %q", got)
	}
	press(s, "<Esc>")
	s.Tree.goTo("idle1")
	if got := s.Draft("idle1"); got != "half a thought" {
		t.Fatalf("draft %q", got)
	}
	e := press(s, "m, whole<Enter>")
	if want := []Effect{Send{"idle1", "half a thought, whole", core.Queue}, PutNote{Key: "draft idle1", Old: "half a thought"}}; !reflect.DeepEqual(e, want) {
		t.Fatalf("got %v", e)
	}
	if s.Draft("idle1") != "" {
		t.Error("the draft is still there while it is being sent")
	}
	s.Done(e[0], core.Request{}, &core.Error{Code: core.CodeEnded, Message: "the task has ended", Hint: "start a new one"})
	if got := s.Draft("idle1"); got != "half a thought, whole" {
		t.Errorf("after a refusal the draft is %q", got)
	}
	if !s.Toast.Bad || s.Toast.Text != "the task has ended · start a new one" {
		t.Errorf("toast %q", s.Toast.Text)
	}
	// the same while something else has been begun for the task
	press(s, "m<Ctrl-U>new words")
	s.Done(Send{"idle1", "old words", core.Queue}, core.Request{ID: 7, Task: "idle1", State: core.ReqRefused, Outcome: "ended"}, nil)
	if got := s.Input.Compose.String(); got != "old words\nnew words" {
		t.Errorf("composer %q", got)
	}
	// a row is safe even when no host could be started: no second copy
	press(s, "<Ctrl-U><Backspace><Ctrl-U><Esc>")
	s.Done(Send{"idle1", "safe", core.Queue}, core.Request{ID: 8, State: core.ReqQueued}, core.Errorf(core.CodeInternal, "no host"))
	if got := s.Draft("idle1"); got != "" {
		t.Errorf("an acknowledged message came back: %q", got)
	}
}

// The composer's target is fixed when it opens, whatever moves meanwhile.
func TestComposerKeepsItsTarget(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	press(s, "mhello")
	s.Started("intr1")
	change(s, "idle1", func(v *core.TaskView) { v.Parent = ""; v.Turn = 9 })
	e := press(s, "<Enter>")
	if want := []Effect{Send{"idle1", "hello", core.Queue}}; !reflect.DeepEqual(e, want) {
		t.Errorf("got %v", e)
	}
	s.Tree.goTo("run11")
	press(s, "mtoo late")
	change(s, "run11", func(v *core.TaskView) { v.Status = core.Failed })
	if e := press(s, "<Enter>"); len(e) != 0 || !strings.Contains(s.Toast.Text, "has ended meanwhile") {
		t.Errorf("sent to an ended task: %v, %q", e, s.Toast.Text)
	}
	press(s, "<Esc>")
	if s.Draft("run11") != "too late" {
		t.Error("the draft is lost")
	}
}

func TestApprovals(t *testing.T) {
	s := registry()
	app := func(id int64, task, cmd string) core.Approval {
		return core.Approval{ID: id, Session: "main1", Task: task, Tool: "shell", Subject: cmd, Args: []byte(`{"command":"` + cmd + `"}`), State: core.AppPending, Created: t0}
	}
	s.Tree.goTo("run11")
	press(s, "a") // no approval: the key does nothing
	s.Apply(core.Update{Changed: []string{"run11", "deep1"}, Approvals: []core.Approval{app(1, "run11", "npm test"), app(2, "run11", "rm -rf x"), app(3, "deep1", "ls")}})
	if e := press(s, "a"); len(e) != 0 || !strings.Contains(s.Toast.Text, "only just come up") {
		t.Fatalf("a key that was on its way allowed a call: %v", e)
	}
	s.Now = s.Now.Add(time.Second)
	if e := press(s, "A"); !reflect.DeepEqual(e, []Effect{Approve{"run11", 1, core.ScopeAlways}}) {
		t.Fatalf("got %v", e)
	}
	if e := press(s, "A"); len(e) != 0 {
		t.Fatalf("the same key answered the next call too: %v", e)
	}
	s.Now = s.Now.Add(time.Second)
	if e := press(s, "dno, never<Enter>"); !reflect.DeepEqual(e, []Effect{Deny{"run11", 2, "no, never"}}) {
		t.Fatalf("got %v", e)
	}
	if e := press(s, "!"); len(e) != 0 || s.Tree.Selected != "deep1" {
		t.Fatalf("! went to %s", s.Tree.Selected)
	}
	s.Now = s.Now.Add(time.Second)
	if e := press(s, ":approve<Enter>"); !reflect.DeepEqual(e, []Effect{Approve{"deep1", 3, core.ScopeOnce}}) {
		t.Fatalf("got %v", e)
	}
	s.Done(Approve{"deep1", 3, core.ScopeOnce}, core.Request{}, core.Errorf(core.CodeStorage, "disk full"))
	if a, _ := s.Approval(); a == nil || a.ID != 3 {
		t.Error("an answer that was not written took its question away")
	}
	s.Now = s.Now.Add(time.Second)
	press(s, "v")
	if s.View.Mode != Reading || !slices.Contains(s.View.Overlay.Lines, "  ls") {
		t.Errorf("the call in full: %q", s.View.Overlay.Lines)
	}
}

func TestQueuedMessages(t *testing.T) {
	s := registry()
	s.Tree.goTo("run11")
	s.Apply(core.Update{Changed: []string{"run11"}, Requests: []core.Request{
		{ID: 4, Task: "run11", Kind: core.ReqMessage, Text: "one", Delivery: core.Queue, State: core.ReqQueued},
		{ID: 5, Task: "run11", Kind: core.ReqMessage, Text: "two", Delivery: core.Steer, State: core.ReqQueued},
		{ID: 6, Task: "run11", Kind: core.ReqCancel, State: core.ReqQueued},
	}})
	q := s.Queued("run11")
	if len(q) != 2 || s.Waits(&q[0]) != "queued, after turn 1" || s.Waits(&q[1]) != "queued, after the current tool call" {
		t.Fatalf("queued %v", q)
	}
	if e := press(s, "W<Backspace><Backspace><Backspace>2<Enter>"); !reflect.DeepEqual(e, []Effect{EditRequest{"run11", 5, "2"}}) {
		t.Errorf("got %v", e)
	}
	e := press(s, "w")
	if !reflect.DeepEqual(e, []Effect{Withdraw{"run11", 5, "two"}}) {
		t.Errorf("got %v", e)
	}
	s.Done(e[0], core.Request{ID: 5, State: core.ReqWithdrawn}, nil)
	if s.Draft("run11") != "two" {
		t.Error("a withdrawn text is lost")
	}
}

func TestReceipt(t *testing.T) {
	s := registry()
	s.Done(Cancel{Task: "main1"}, core.Request{ID: 1, State: core.ReqQueued}, nil)
	if s.Toast.Text != "" {
		t.Errorf("a cancel that is only queued was reported: %q", s.Toast.Text)
	}
	s.Done(Cancel{Task: "main1"}, core.Request{ID: 1, State: core.ReqDone, Outcome: `{"stopped":[{"name":"survey","ms":120},{"name":"plan","ms":340}],"not_stopped":[{"name":"deep","why":"its process does not die"}]}`}, nil)
	if got, want := s.Toast.Text, "stopped survey, plan in 340ms; would not stop: deep (its process does not die)"; got != want || !s.Toast.Bad {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHistory(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	press(s, "mfirst<Enter>msecond<Enter>m")
	press(s, "draft<Up>")
	if got := s.Input.Compose.String(); got != "second" {
		t.Errorf("Up: %q", got)
	}
	press(s, "<Up><Up><Up>")
	if got := s.Input.Compose.String(); got != "first" {
		t.Errorf("Up: %q", got)
	}
	press(s, "<Down><Down>")
	if got := s.Input.Compose.String(); got != "draft" {
		t.Errorf("Down: %q", got)
	}
	press(s, "<Esc>:sort<Enter>:<Up>")
	if got := s.Input.Line.String(); got != "sort" {
		t.Errorf("command: %q", got)
	}
}

func TestEditor(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"one two<Ctrl-W>", "one |"},
		{"one two<Ctrl-A>x", "x|one two"},
		{"one two<Ctrl-Left><Ctrl-Left>x", "x|one two"},
		{"ab<Left><Delete>", "a|"},
		{"ab<Left><Ctrl-K>c", "ac|"},
		{"ab<Ctrl-U>c", "c|"},
		{"ab<Ctrl-J>cdef<Up>x", "abx|\ncdef"},
		{"abc<Ctrl-J>d<Up><Down>x", "abc\ndx|"},
		{"e\u0301<Backspace>", "|"}, // a letter and its accent go together
		{"👩\u200d🔧x<Left><Left>y", "y|👩\u200d🔧x"},
		{"<Backspace><Delete><Left><Right><Up><Down>", "|"},
	} {
		s := registry()
		s.Tree.goTo("idle1")
		press(s, "m"+c.keys)
		e := s.Input.Compose.Editor
		if got := string(e.Text[:e.Pos]) + "|" + string(e.Text[e.Pos:]); got != c.want {
			t.Errorf("%s: %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestPaste(t *testing.T) {
	s := registry()
	s.Paste("rm -rf /\n")
	if s.View.Mode != Normal || !s.Toast.Bad {
		t.Error("a paste outside an editor did something")
	}
	s.Tree.goTo("idle1")
	press(s, "m")
	s.Paste("a\r\nb\x1b[2Jc\u202ed\te")
	if got := s.Input.Compose.String(); got != "a\nbcd\te" {
		t.Errorf("pasted %q", got)
	}
	s.Paste(strings.Repeat("x", 5_000_000))
	if got := s.Input.Compose.String(); got != "a\nbcd\te" || !strings.Contains(s.Toast.Text, "put it in a file") {
		t.Errorf("a huge paste: %d characters, %q", len(got), s.Toast.Text)
	}
	press(s, "<Esc>:")
	s.Paste("send a\nb")
	if got := s.Input.Line.String(); got != "send a b" {
		t.Errorf("pasted %q", got)
	}
}

func TestLooksDiffer(t *testing.T) {
	seen := map[string]bool{}
	for l := range looks {
		if seen[l.Glyph()] || seen[l.Word()] || len([]rune(l.Glyph())) != 1 {
			t.Errorf("%s %s is used twice", l.Glyph(), l.Word())
		}
		seen[l.Glyph()], seen[l.Word()] = true, true
	}
}

func TestDoing(t *testing.T) {
	s := registry()
	for id, want := range map[string]string{
		"main1": "waits for 2 children", "run11": "tool grep_files", "sync1": "model", "deep1": "queued for a slot",
		"idle1": "idle", "done1": "completed", "intr1": "interrupted",
	} {
		if got := s.Doing(s.Tree.Node(id)); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	change(s, "sync1", func(v *core.TaskView) { v.Intent = "reading\x1b[31m schema" })
	if got := s.Doing(s.Tree.Node("sync1")); got != "model · reading schema" {
		t.Errorf("intent: %q", got)
	}
}

func TestFarewell(t *testing.T) {
	s := registry()
	if got, want := s.Farewell(), "4 agents go on; drover brings you back"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompletionGoesRound(t *testing.T) {
	s := registry()
	var got []string
	press(s, ":a")
	for range 3 {
		press(s, "<Tab>")
		got = append(got, s.Input.Line.String())
	}
	if want := []string{"approve", "autopilot", "archive"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	press(s, "<Esc>:go ex<Tab>")
	if got := s.Input.Line.String(); got != "go explore-api" {
		t.Errorf("got %q", got)
	}
	press(s, "<Esc>:c<Enter>")
	if !strings.Contains(s.Toast.Text, "c could be: cancel, completions, copy") {
		t.Errorf("toast %q", s.Toast.Text)
	}
}

func TestHelpHasEveryKey(t *testing.T) {
	s := registry()
	help, md := strings.Join(s.helpLines(), "\n"), KeysMarkdown()
	for _, b := range Bindings() {
		if !strings.Contains(help, s.Keyed(b.Help)) || !strings.Contains(md, s.Keyed(b.Help)) {
			t.Errorf("the help lacks %q", b.Name)
		}
	}
	for _, c := range commands() {
		if !strings.Contains(help, c.usage) || (c.key == "") == (c.run == nil) {
			t.Errorf("the command %s is wrong", c.name)
		}
	}
}

// An idle main task stands for the session: r on it resumes what was interrupted under it.
func TestResumeBelow(t *testing.T) {
	s := registry()
	all := tasks()
	main, kid := all[0], all[1]
	main.Status, main.Activity, main.Rev = core.Idle, "", 9
	kid.Interrupted, kid.Rev = true, 9
	var gone []core.TaskView
	for _, v := range all[2:4] {
		v.Status, v.Rev = core.Cancelled, 9
		gone = append(gone, v)
	}
	s.Apply(core.Update{Tasks: append(gone, main, kid), Changed: []string{"main1"}})
	s.Tree.Selected = "main1"
	if got := press(s, "r"); len(got) != 1 || got[0] != (Resume{"main1"}) {
		t.Errorf("r does %v", got)
	}
	if got := s.Doing(s.Selected()); got != "idle · 1 interrupted" {
		t.Errorf("it says %q", got)
	}
}

// Tab after :model asks the providers once, and then goes round what they have said.
func TestModelNames(t *testing.T) {
	s := registry()
	s.Tree.Selected = "main1"
	if got := press(s, ":model opus<Tab>"); len(got) != 1 || got[0] != (LoadModels{}) {
		t.Fatalf("Tab does %v", got)
	}
	s.SetModels([]string{"anthropic/claude-opus-5-5", "anthropic/claude-sonnet-5-5", "ollama/opus"}, nil)
	if got := s.Input.Line.String(); got != "model anthropic/claude-opus-5-5" {
		t.Errorf("the line is %q", got)
	}
	press(s, "<Tab>")
	if got := s.Input.Line.String(); got != "model ollama/opus" {
		t.Errorf("the line is %q", got)
	}
	if got := press(s, "<Esc>:model fa<Tab>"); len(got) != 0 || s.Input.Line.String() != "model fast" {
		t.Errorf("Tab does %v to %q", got, s.Input.Line.String())
	}
	s.Now = s.Now.Add(2 * modelsFresh) // asked again; a person who goes on typing is not interrupted
	if got := press(s, "<Esc>:model anth<Tab>ropic/x"); len(got) != 1 {
		t.Errorf("Tab does %v", got)
	}
	s.SetModels([]string{"anthropic/new"}, nil)
	if got := s.Input.Line.String(); got != "model anthropic/x" {
		t.Errorf("the line is %q", got)
	}
	press(s, "<Esc>:model zzz<Tab>")
	s.SetModels(nil, errors.New("no answer"))
	if got := s.Input.Line.String(); got != "model zzz" || !s.Toast.Bad {
		t.Errorf("the line is %q, said %q", got, s.Toast.Text)
	}
}
