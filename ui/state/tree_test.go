package state

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"drover/core"
)

func TestSortAndGroup(t *testing.T) {
	s := registry()
	cost := 2.5
	change(s, "deep1", func(v *core.TaskView) { v.Cost = &cost })
	before := ids(s)
	for _, c := range []struct{ keys, want, title string }{
		{":sort cost<Enter>", "main1 sync1 deep1 run11 idle1 done1 intr1", "by cost"},
		{":sort -name<Enter>", "intr1 main1 run11 sync1 deep1 idle1 done1", "by -name"},
		{":sort age<Enter>", "intr1 main1 run11 sync1 deep1 idle1 done1", "by age"},
		{":sort needs<Enter>", "intr1 main1 run11 sync1 deep1 idle1 done1", "by needs"},
		{":sort activity<Enter>", before, ""},
		{":group status<Enter>", "group status 00 main1 run11 sync1 group status 01 deep1 group status 05 idle1 group status 06 intr1 group status 07 done1", "per status"},
		{":group agent<Enter>", "group agent explore run11 deep1 idle1 done1 group agent main main1 intr1 group agent plan sync1", "per agent"},
		{":group session<Enter>", before, ""},
		{"S", "intr1 main1 run11 sync1 deep1 idle1 done1", "by needs"},
		{":view all<Enter>", before, ""},
	} {
		press(s, c.keys)
		if got := ids(s); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s (%s)", c.keys, got, c.want, s.Toast.Text)
		}
		if got := s.Tree.Order.String(); got != c.title {
			t.Errorf("%s: title %q", c.keys, got)
		}
	}
	press(s, ":sort weight<Enter>")
	if !s.Toast.Bad || !strings.Contains(s.Toast.Text, "activity, needs") {
		t.Errorf("said %q", s.Toast.Text)
	}
}

// Nothing that happens moves a row; only a key does.
func TestRowsStay(t *testing.T) {
	s := registry()
	press(s, ":sort cost<Enter>")
	before := ids(s)
	cost := 99.0
	change(s, "done1", func(v *core.TaskView) { v.Cost = &cost })
	change(s, "intr1", func(v *core.TaskView) { v.Cost = &cost; v.Interrupted = false })
	if got := ids(s); got != before {
		t.Errorf("rows moved: %s, were %s", got, before)
	}
	press(s, "<Ctrl-R>")
	if got, want := ids(s), "main1 done1 run11 sync1 deep1 idle1 intr1"; got != want {
		t.Errorf("order anew: %s", got)
	}
}

func TestHeadingsFold(t *testing.T) {
	s := registry()
	s.Apply(core.Update{Sessions: []core.Session{{ID: "main1", Title: "Add coupons", Dir: "/shop"}, {ID: "intr1", Title: "Old work", Dir: "/old"}}})
	press(s, ":group dir<Enter>")
	if got, want := ids(s), "group dir /old intr1 group dir /shop main1 run11 sync1 deep1 idle1 done1"; got != want {
		t.Fatalf("got %s", got)
	}
	s.Tree.goTo("run11")
	press(s, "hh") // to its parent, and that one is folded
	press(s, "h")
	if s.Tree.Selected != "group dir /shop" || s.Selected() != nil {
		t.Errorf("h leads to %q", s.Tree.Selected)
	}
	press(s, "h")
	if got, want := ids(s), "group dir /old intr1 group dir /shop"; got != want {
		t.Errorf("folded: %s", got)
	}
	if got, want := s.Tally(s.Tree.Rows[2].Node), "6 tasks · 4 running"; got != want {
		t.Errorf("heading says %q, want %q", got, want)
	}
	for _, k := range []string{"x", "m", ",", "z", "y", "t", "e", "<Enter>"} {
		if e := press(s, k); len(e) > 0 || !s.Toast.Bad {
			t.Errorf("%s on a heading did %v and said %q", k, e, s.Toast.Text)
		}
	}
	s.Apply(core.Update{}) // a fold is kept
	press(s, ":go deep<Enter>")
	if s.Tree.Selected != "deep1" {
		t.Errorf("go into a folded group: on %q", s.Tree.Selected)
	}
}

func TestFoldedTellsWhatIsBelow(t *testing.T) {
	s := registry()
	change(s, "done1", func(v *core.TaskView) { v.Status = core.Failed })
	change(s, "idle1", func(v *core.TaskView) { v.Status, v.NeedsApproval = core.Running, true })
	press(s, "gh")
	s.Tree.goTo("main1")
	n := s.Tree.Node("main1")
	n.Shut = true
	many, what := Folded(n)
	if many != "+5" || what != "1 needs you, 3 running, 1 failed" {
		t.Errorf("folded says %q, %q", many, what)
	}
}

func TestStall(t *testing.T) {
	s := registry()
	change(s, "run11", func(v *core.TaskView) {
		v.LastEvent, v.Detail = &t0, "shell: npm test"
		v.ActiveSince = t0
	})
	n := s.Tree.Node("run11")
	s.Now = t0.Add(119 * time.Second)
	s.Tick()
	if s.Tree.Stalled != 0 || s.Look(n) != LookRunning {
		t.Errorf("stalled too early")
	}
	s.Now = t0.Add(4*time.Minute + 12*time.Second)
	s.Tick()
	if got, want := s.Doing(n), "no event for 4m (in tool shell: npm test)"; got != want || s.Tree.Stalled != 1 || s.Look(n) != LookStalled {
		t.Errorf("got %q, %d stalled", got, s.Tree.Stalled)
	}
	for what, f := range map[string]func(*core.TaskView){
		"parked":      func(v *core.TaskView) { v.Activity = core.ActParked },
		"queued":      func(v *core.TaskView) { v.Activity = core.ActQueued },
		"a question":  func(v *core.TaskView) { v.NeedsApproval = true },
		"idle":        func(v *core.TaskView) { v.Status = core.Idle },
		"interrupted": func(v *core.TaskView) { v.Interrupted = true },
	} {
		x := *n
		v := x.Task.View()
		f(&v)
		x.Task = newShared().pack(&v)
		if s.stalled(&x) {
			t.Errorf("%s counts as a stall", what)
		}
	}
	if s.stalled(s.Tree.Node("main1")) {
		t.Error("who waits for children is stalled")
	}
}

func TestMarks(t *testing.T) {
	s := registry()
	s.Tree.goTo("run11")
	press(s, ",") // goes on to the next
	s.Tree.goTo("idle1")
	press(s, ".")
	if got := strings.Join(s.MarkedTasks(), " "); got != "run11 sync1 deep1 idle1" {
		t.Fatalf("marked %s", got)
	}
	press(s, "x")
	if got, want := s.View.Confirm.Text, "cancel 4 tasks: survey, plan, deep, explore-api?"; got != want {
		t.Errorf("asks %q", got)
	}
	want := []Effect{Cancel{"run11", core.ScopeTree}, Cancel{"sync1", core.ScopeTree}, Cancel{"idle1", core.ScopeTree}}
	if got := press(s, "y"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if s.Marking() != 0 {
		t.Error("marks stay after what they were for")
	}
	s.Tree.goTo("run11")
	press(s, ",,")
	s.Tree.goTo("idle1")
	if got, want := press(s, ",e"), []Effect{End{"idle1"}}; !reflect.DeepEqual(got, want) || !strings.Contains(s.Toast.Text, "2 kept: ") {
		t.Errorf("got %v, said %q", got, s.Toast.Text)
	}
	press(s, "g,\\")
	if s.MarkedTasks() != nil {
		t.Errorf("still marked: %v", s.MarkedTasks())
	}
}

func TestArchive(t *testing.T) {
	s := registry()
	s.Tree.goTo("done1")
	e := press(s, "z")
	if want := []Effect{Archive{[]string{"done1"}, true}}; !reflect.DeepEqual(e, want) || strings.Contains(ids(s), "done1") {
		t.Fatalf("got %v, rows %s", e, ids(s))
	}
	s.Done(e[0], core.Request{}, nil)
	s.Apply(core.Update{Notes: map[string]string{"archived done1": "now"}})
	if got := press(s, "/is:archived<Enter>"); got != nil || !strings.HasSuffix(ids(s), "done1") {
		t.Errorf("is:archived shows %s", ids(s))
	}
	press(s, "<Esc>")
	s.Now = s.Now.Add(31 * time.Second)
	press(s, "u")
	if !strings.Contains(s.Toast.Text, "more than 30 seconds") {
		t.Errorf("said %q", s.Toast.Text)
	}
	e = press(s, ":unarchive done1<Enter>")
	if want := []Effect{Archive{[]string{"done1"}, false}}; !reflect.DeepEqual(e, want) || s.Tree.Selected != "done1" {
		t.Errorf("got %v, on %s", e, s.Tree.Selected)
	}
	s.Done(e[0], core.Request{}, errors.New("disk full"))
	if strings.Contains(ids(s), "done1") || !s.Toast.Bad {
		t.Errorf("what could not be written is taken back; said %q", s.Toast.Text)
	}
	press(s, "Z:go done-one<Enter>")
	if e := press(s, "z"); !reflect.DeepEqual(e, []Effect{Archive{[]string{"done1"}, false}}) {
		t.Errorf("z on an archived task: %v", e)
	}
	// what was undone within 30 seconds
	press(s, "z")
	if e := press(s, "u"); !reflect.DeepEqual(e, []Effect{Archive{[]string{"done1"}, false}}) {
		t.Errorf("undo: %v", e)
	}
}

func TestSlots(t *testing.T) {
	s := registry()
	s.Tree.goTo("idle1")
	if e := press(s, "'"); !reflect.DeepEqual(e, []Effect{PutNote{"slot 1", "idle1", ""}}) {
		t.Fatalf("got %v", e)
	}
	s.Tree.goTo("run11")
	press(s, "<Alt-7>")
	press(s, "1")
	if s.Tree.Selected != "idle1" || s.Slot("run11") != 7 {
		t.Errorf("1 leads to %s; run11 in slot %d", s.Tree.Selected, s.Slot("run11"))
	}
	e := press(s, "<Alt-7>") // moves from 1, in place of run11
	if want := []Effect{PutNote{"slot 1", "", "idle1"}, PutNote{"slot 7", "idle1", "run11"}}; !reflect.DeepEqual(e, want) {
		t.Errorf("got %v", e)
	}
	press(s, "/is:pinned<Enter>")
	if got := ids(s); got != "main1 idle1" {
		t.Errorf("is:pinned shows %s", got)
	}
	s.Apply(core.Update{Notes: map[string]string{"slot 7": "run11", "slot x": "no", "slot 77": "no", "odd": "no"}})
	if s.Slot("idle1") != 7 {
		t.Error("a note that is being written is overwritten by what was there before")
	}
}

func TestViews(t *testing.T) {
	s := registry()
	press(s, "/status:idle<Enter>:sort cost<Enter>")
	e := press(s, ":view save mine<Enter>")
	note, ok := e[0].(PutNote)
	if !ok || note.Key != "view mine" {
		t.Fatalf("got %v", e)
	}
	press(s, ":view all<Enter>")
	if s.Tree.Filter != "" || s.Tree.Order.Sort != SortActivity {
		t.Errorf("all: %q %v", s.Tree.Filter, s.Tree.Order)
	}
	press(s, ":view mi<Tab><Enter>")
	if s.Tree.Filter != "status:idle" || s.Tree.Order.Sort != SortCost {
		t.Errorf("mine: %q %v", s.Tree.Filter, s.Tree.Order)
	}
	press(s, ":view<Enter>")
	if got := strings.Join(s.View.Overlay.Lines, "\n"); !strings.Contains(got, "mine               /status:idle · by cost") {
		t.Errorf("list:\n%s", got)
	}
	press(s, "<Esc>:view rm mine<Enter>:view mine<Enter>")
	if !strings.Contains(s.Toast.Text, "no view mine") {
		t.Errorf("said %q", s.Toast.Text)
	}
	s.Apply(core.Update{Notes: map[string]string{"view bad": "{", "view worse": `{"sort":"x","group":"y","filter":"\u001b[31m"}`}})
	for _, k := range []string{":view bad<Enter>", ":view worse<Enter>", ":view<Enter><Esc>", ":view save<Enter>", ":view save all<Enter>", ":view rm nothing<Enter>"} {
		press(s, k)
	}
	if strings.Contains(s.Tree.Filter, "\x1b") || s.Tree.Order.Sort != SortActivity {
		t.Errorf("a hostile view: %q %v", s.Tree.Filter, s.Tree.Order)
	}
}

// The counts that are kept up by each change are those of counting anew, and
// random keys and changes never break the tree.
func TestTreeHolds(t *testing.T) {
	var alphabet []Key
	for _, b := range Bindings() {
		alphabet = append(alphabet, b.Keys...)
	}
	for _, r := range "status:idle is:stuck cost:>1 !xsave" {
		alphabet = append(alphabet, Key(r))
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := registry()
		for i := range rapid.IntRange(1, 80).Draw(rt, "steps") {
			s.Now = s.Now.Add(time.Second)
			if rapid.Bool().Draw(rt, "key") {
				s.Key(rapid.SampledFrom(alphabet).Draw(rt, "k"))
			} else {
				s.Apply(randomChange(rt, s, i))
				s.Tick()
			}
			checkTree(rt, s)
		}
	})
}

func randomChange(rt *rapid.T, s *State, i int) core.Update {
	all := tasks()
	v := s.Tree.Node(rapid.SampledFrom(all).Draw(rt, "task").ID).Task.View()
	v.Rev += int64(i) + 10
	v.Status = rapid.SampledFrom([]core.Status{core.Running, core.Idle, core.Completed, core.Failed}).Draw(rt, "status")
	v.NeedsApproval = rapid.Bool().Draw(rt, "needs")
	v.TokensIn = int64(rapid.IntRange(0, 9).Draw(rt, "tokens"))
	u := core.Update{Tasks: []core.TaskView{v}, Changed: []string{v.ID}}
	if rapid.IntRange(0, 3).Draw(rt, "new") == 0 {
		id := fmt.Sprintf("new%02d", i)
		u.Tasks = append(u.Tasks, core.TaskView{ID: id, Session: "main1", Parent: rapid.SampledFrom([]string{"", "main1", "sync1"}).Draw(rt, "parent"), Status: core.Running, Rev: 1})
	}
	return u
}

func checkTree(rt *rapid.T, s *State) {
	t := &s.Tree
	for i, r := range t.Rows {
		if r.Up >= i {
			rt.Fatalf("row %d: %+v", i, r)
		}
	}
	rows, sums := slices.Clone(t.Rows), map[*Node]Counts{}
	for _, r := range rows {
		sums[r.Node] = r.Node.Below()
	}
	if !t.query().timed() { // else what is shown changes by itself
		t.decideAll()
	}
	if t.rows(); !slices.Equal(rows, t.Rows) {
		rt.Fatalf("the rows are %v, made anew %v", rows, t.Rows)
	}
	for _, r := range t.Rows {
		if sums[r.Node] != r.Node.Below() {
			rt.Fatalf("%s sums up %+v, made anew %+v", r.Node.Task.ID, sums[r.Node], r.Node.Below())
		}
	}
	if len(t.Rows) > 0 && (t.at < 0 || t.at >= len(t.Rows) || t.Rows[t.at].Node.Task.ID != t.Selected) {
		rt.Fatalf("the cursor is on %d, %q", t.at, t.Selected)
	}
	total := t.Total
	for _, n := range t.nodes {
		var below Counts
		for _, k := range under(n, nil)[1:] {
			below.count(&k.Task)
		}
		if below != n.Below() {
			rt.Fatalf("%s: counts %+v, are %+v", n.Task.ID, n.Below(), below)
		}
	}
	t.total()
	if total != t.Total {
		rt.Fatalf("total %+v, is %+v", total, t.Total)
	}
}
