package state

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"drover/core"
)

func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{"", "", ""},
		{"  ", "", ""},
		{"todo", "has:todo", ""},
		{`"two words" x`, "has:two words has:x", ""},
		{`"open quote`, "has:open quote", ""},
		{"!word", "!has:word", ""},
		{"!", "", ""},
		{"~exap", "~:exap", ""},
		{"status:idle", "status:idle", ""},
		{"STATUS:Idle", "status:idle", ""},
		{"status:i", "status:idle|interrupted", ""},
		{"!status:idle,failed", "!status:idle|failed", ""},
		{"status:", "", ""},
		{"status:sleepy", "", "status:sleepy: status is one of running, idle"},
		{"status:sleepy agent:x", "agent:x", "status:sleepy"},
		{`name:"a b",c`, "name:a b|c", ""},
		{"outcome:needs-input", "outcome:needs_input", ""},
		{"cost:>0.5", "cost>0.5", ""},
		{"cost:$2", "cost>=2", ""},
		{"cost:>", "", ""},
		{"cost:lots", "", "cost:lots: cost wants dollars"},
		{"cost:nan", "", "cost wants dollars"},
		{"cost:-1", "", "cost wants dollars"},
		{"tokens:>10k", "tokens>10000", ""},
		{"tokens:<=1.5m", "tokens<=1.5e+06", ""},
		{"age:>1h", "age>3600", ""},
		{"age:<2d quiet:90s", "age<172800 quiet>=90", ""},
		{"turn:2", "turn=2", ""},
		{"is:stuck is:mine", "is:stuck is:mine", ""},
		{"colour:red", "", `colour:red: no field "colour" (quoted it is text)`},
		{`"http://x"`, "has:http://x", ""},
		{":x", "has::x", ""},
	} {
		q := ParseQuery(c.text)
		if got := queryText(q); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
		if c.err == "" != (q.Err == "") || !strings.Contains(q.Err, c.err) {
			t.Errorf("%q: error %q, want %q", c.text, q.Err, c.err)
		}
	}
}

// queryText writes a query in a form to compare.
func queryText(q Query) string {
	var l []string
	for _, t := range q.Terms {
		s := map[bool]string{true: "!"}[t.Not] + t.Field
		switch {
		case t.Op != "":
			s += t.Op + strconv.FormatFloat(t.Number, 'g', -1, 64)
		case t.Field == "":
			s += "has:" + strings.Join(t.Values, "|")
		default:
			s += ":" + strings.Join(t.Values, "|")
		}
		l = append(l, s)
	}
	return strings.Join(l, " ")
}

func TestFilterFinds(t *testing.T) {
	s := registry()
	ago := func(d time.Duration) *time.Time { x := s.Now.Add(-d); return &x }
	cost := 0.75
	change(s, "idle1", func(v *core.TaskView) {
		v.Cost, v.TokensIn, v.TokensOut, v.Model, v.Outcome = &cost, 9000, 3000, "anthropic/opus", core.OutcomeBlocked
	})
	change(s, "run11", func(v *core.TaskView) { v.LastEvent, v.ActiveSince = ago(5*time.Minute), *ago(time.Hour) })
	change(s, "deep1", func(v *core.TaskView) { v.Created = ago(3 * time.Hour) })
	s.Config.Dir = "/shop"
	s.Apply(core.Update{Sessions: []core.Session{{ID: "main1", Title: "Add coupons", Dir: "/shop"}}})
	press(s, "G") // somewhere else
	for _, c := range []struct{ filter, want string }{
		{"explore-api", "idle1"},
		{"status:idle", "idle1"},
		{"agent:explore !status:ended", "run11 deep1 idle1"},
		{"cost:>0.5", "idle1"},
		{"cost:<0.5", ""},
		{"tokens:>10k", "idle1"},
		{"age:>2h", "deep1"},
		{"model:opus", "idle1"},
		{"outcome:blocked", "idle1"},
		{"is:stuck", "run11"},
		{"status:stalled", "run11"},
		{"quiet:>4m", "run11"},
		{"session:coupons status:queued", "deep1"},
		{"is:mine kind:main", "main1"},
		{"dir:shop name:plan", "sync1"},
		{"~xpli", "idle1"},
		{`"old work"`, "intr1"},
		{"status:interrupted", "intr1"},
		{"is:background status:ended", "done1"},
		{"needs:me", ""},
		{"status:nonsense explore-api", "idle1"},
	} {
		s.Tree.Filter = c.filter
		s.Tree.rebuild()
		var hits []string
		for _, r := range s.Tree.Rows {
			if !r.Node.Context() {
				hits = append(hits, r.Node.Task.ID)
			}
		}
		if got := strings.Join(hits, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.filter, got, c.want)
		}
	}
	s.Tree.Filter = "status:queued"
	s.Tree.rebuild()
	if got := ids(s); got != "main1 sync1 deep1" {
		t.Errorf("ancestors of a hit: %q", got)
	}
}

func TestFilterCompletes(t *testing.T) {
	s := registry()
	for _, c := range []struct{ keys, want string }{
		{"/sta<Tab>", "status:"},
		{"/status:id<Tab>", "status:idle"},
		{"/status:idle,f<Tab>", "status:idle,failed"},
		{"/todo !status:comp<Tab>", "todo !status:completed"},
		{"/agent:ex<Tab>", "agent:explore"},
		{"/session:<Tab>", `session:"Add coupons"`},
		{"/session:<Tab><Tab>", `session:"Old work"`},
		{"/age:<Tab>", "age:>5m"},
		{"/zzz<Tab>", "zzz"},
	} {
		press(s, c.keys)
		if got := s.Input.Line.String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
		press(s, "<Esc>")
	}
}

func TestWrongTermIsNamed(t *testing.T) {
	s := registry()
	press(s, "/age:soon status:idle<Enter>")
	if !s.Toast.Bad || !strings.Contains(s.Toast.Text, "left out of the filter: age:soon: age wants a time") || ids(s) != "main1 idle1" {
		t.Errorf("said %q, shows %s", s.Toast.Text, ids(s))
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", `status:idle agent:explore cost:>0.5 tokens:>10k age:>1h`, `!"a b" ~x is:stuck,mine`, `name:"x`, "cost:>1e400", "\xff:\x00", "!!~:,,:"} {
		f.Add(seed)
	}
	s := registry()
	f.Fuzz(func(t *testing.T, text string) {
		q := ParseQuery(text)
		if strings.ContainsAny(q.Err, "\x1b\n\x07") {
			t.Errorf("%q: the error has control characters: %q", text, q.Err)
		}
		for _, n := range s.Tree.nodes {
			fit := q.fits(s, n)
			if len(q.Terms) == 0 && !fit {
				t.Errorf("%q hides %s", text, n.Task.ID)
			}
			if len(q.Terms) == 1 { // a term and its contrary never agree
				q.Terms[0].Not = !q.Terms[0].Not
				if q.fits(s, n) == fit {
					t.Errorf("%q: the contrary fits %s too", text, n.Task.ID)
				}
				q.Terms[0].Not = !q.Terms[0].Not
			}
		}
		s.View.Mode = Filtering
		s.Input.Line.Set(text)
		s.Input.tab = completion{}
		s.completeFilter()
		s.View.Mode, s.Tree.Filter = Normal, ""
	})
}

// What is typed on is searched only in what was found; anything else anew.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		old, now string
		want     bool
	}{
		{"ex", "exp", true}, {"xp", "exp", true}, {"~ex", "~exp", true}, {"~xp", "~exp", false}, {"agent:x ex", "agent:x exp", true},
		{"", "e", false}, {"exp", "ex", false}, {"!e", "!ex", false}, {"cost:>1", "cost:>10", false}, {"age:<1h", "age:<1h e", false},
		{"agent:x ex", "agent:y exp", false}, {"status:idle", "status:i", false}, {"ex", "~exp", false},
	} {
		old, now := ParseQuery(c.old), ParseQuery(c.now)
		if got := now.within(&old); got != c.want {
			t.Errorf("%q after %q: %v", c.now, c.old, got)
		}
	}
}
