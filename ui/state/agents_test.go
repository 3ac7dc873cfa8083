package state

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"drover/core"
)

func definitions() Catalogue {
	return Catalogue{
		Agents: []Agent{
			{Name: "review", Scope: "project", Family: ".claude", Path: "/shop/.claude/agents/review.md", State: "untrusted"},
			{Name: "explore", Scope: "user", Path: "/me/explore.md", State: "available", Description: "finds things"},
			{Name: "explore", Scope: "bundled", Path: "builtin/explore.md", State: "shadowed", ShadowedBy: "/me/explore.md"},
			{Name: "broken", Scope: "user", Path: "/me/broken.md", State: "problem", Problems: []Problem{{Severity: "error", Line: 3, Field: "tools", Message: "not a list", Repair: "write [a, b]"}}},
			{Name: "off", Scope: "user", Path: "/me/off.md", State: "disabled", Reason: "disabled: true"},
			{Name: "talk", Scope: "bundled", Path: "builtin/talk.md", State: "available", Tools: []string{}},
		},
		Commands: []Command{
			{Name: "review", State: "available", Hint: "[PATH]", Description: "review it"}, {Name: "release", State: "available"},
			{Name: "reset", State: "untrusted", Path: "/shop/.claude/commands/reset.md"}, {Name: "old", State: "shadowed"}, {Name: "two words"}, {Name: "e\x1b[31mvil"},
		},
	}
}

func catalogued() *State {
	s := registry()
	s.SetCatalogue(definitions())
	return s
}

func TestAgentKeys(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		want       []Effect
	}{
		{"lead", "@jnfind it<Enter>", []Effect{NewSession{Prompt: "find it", Agent: "explore"}}},
		{"lead on autopilot", "@j<Enter>find it<Tab><Enter>", []Effect{NewSession{Prompt: "find it", Agent: "explore", Autopilot: true}}},
		{"a plain session has no agent", "@jnlost<Esc>@nplain<Enter>", []Effect{NewSession{Prompt: "plain"}}},
		{"the draft stays with its agent", "@jnfind<Esc>n it<Enter>", []Effect{NewSession{Prompt: "find it", Agent: "explore"}}},
		{"edit", "@e", []Effect{OpenFile{"/me/broken.md"}}},
		{"reload", "@r", []Effect{Reload{}}},
		{"trust, yes", "@Ty", []Effect{Trust{}}},
		{"trust, no", "@Tn", nil},
		{"trust from the tree", "Ty", []Effect{Trust{}}},
		{":trust", ":trust<Enter>y", []Effect{Trust{}}},
		{"view", "@v<Esc>", []Effect{Scroll{Overlay: true, Move: ToTop}}},
		{"task keys are dead", "@mxbsiXoWaAd", nil},
		{"a command about tasks leaves the pane", "@:end<Enter>", nil},
		{":quit", "@:quit<Enter>", []Effect{Quit{}}},
		{":agents filters", ":agents expl<Enter><Enter>go<Enter>", []Effect{NewSession{Prompt: "go", Agent: "explore"}}},
		{"sent as typed", "n/review a b<Enter>", []Effect{NewSession{Prompt: "/review a b"}}},
	} {
		s := catalogued()
		s.Tree.goTo("run11")
		if got := press(s, c.keys); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: keys %s\n got %#v\nwant %#v (toast %q)", c.name, c.keys, got, c.want, s.Toast.Text)
		}
	}
}

// What cannot act in the pane says why, and names the way out.
func TestAgentKeysSayWhy(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range []struct{ name, keys, why string }{
		{"lead", "@<Enter>", "broken: it cannot be loaded: not a list; v shows all that is wrong; e opens its file"},
		{"lead", "@jj<Enter>", "explore: the name means /me/explore.md"},
		{"lead", "@jjjn", "off: it is disabled: disabled: true"},
		{"lead", "@jjjjn", "review: it comes with a folder you have not trusted; T trusts it"},
		{"edit agent", "@Ge", "talk has no file: it is built in"},
		{"view agent", "@/nothing<Enter>v", "no agent fits the filter; Esc drops it"},
		{"leave for the inbox", "@!", "nothing needs you"},
		{"slash", "n/zzz<Tab>", "no command begins with /zzz"},
	} {
		covered[c.name] = true
		s := catalogued()
		press(s, c.keys)
		if !strings.Contains(s.Toast.Text, c.why) || !s.Toast.Bad {
			t.Errorf("%s: keys %s said %q, not %q", c.name, c.keys, s.Toast.Text, c.why)
		}
	}
	for _, c := range []struct {
		name, keys, why string
		catalogue       *Catalogue
	}{
		{"filter agents", "@/", "the agents are being read", nil},
		{"filter agents", "@/", "there are no agents", &Catalogue{}},
		{"filter agents", "@/", "could not be read: disk on fire; r tries again", &Catalogue{Err: errors.New("disk on fire")}},
		{"trust in agents", "@T", "nothing in /shop waits for your trust", &Catalogue{}},
	} {
		covered[c.name] = true
		s := registry()
		if c.catalogue != nil {
			s.SetCatalogue(*c.catalogue)
		}
		press(s, c.keys)
		if !strings.Contains(s.Toast.Text, c.why) {
			t.Errorf("%s: keys %s said %q, not %q", c.name, c.keys, s.Toast.Text, c.why)
		}
	}
	for _, b := range agentKeys() {
		if b.Why != nil && !covered[b.Name] {
			t.Errorf("no reason of %q is tested", b.Name)
		}
	}
}

func shown(s *State) string {
	var l []string
	for i := range s.Agents.Rows {
		l = append(l, s.Agents.Row(i).Name+"/"+s.Agents.Row(i).Scope)
	}
	return strings.Join(l, " ")
}

func TestAgentRows(t *testing.T) {
	s := catalogued()
	press(s, "@")
	if got, want := shown(s), "broken/user explore/user explore/bundled off/user review/project talk/bundled"; got != want {
		t.Errorf("rows %s", got)
	}
	if got, want := s.Agents.Counts(), "2 available · 1 problem · 1 untrusted · 1 disabled · 1 shadowed"; got != want {
		t.Errorf("counts %q, want %q", got, want)
	}
	press(s, "jj") // the bundled explore
	c := definitions()
	c.Agents = append(c.Agents, Agent{Name: "aaa", State: "available"}, Agent{Name: "explore", Scope: "plugin", Path: "/p/explore.md", State: "shadowed"})
	s.SetCatalogue(c)
	if a := s.Agent(); a.Name != "explore" || a.Scope != "bundled" {
		t.Errorf("the cursor went to %s/%s", a.Name, a.Scope)
	}
	c.Agents = slices.DeleteFunc(c.Agents, func(a Agent) bool { return a.Scope == "bundled" })
	s.SetCatalogue(c)
	if a := s.Agent(); a == nil || a.Name != "explore" || a.Scope != "plugin" {
		t.Errorf("the cursor went to %+v", a)
	}
	press(s, "/shadowed !zzz<Enter>")
	if got := shown(s); got != "explore/plugin" {
		t.Errorf("filtered: %s", got)
	}
	press(s, "<Esc>G/explore")
	if a := s.Agent(); a.Name != "explore" || s.Agents.At() != 0 {
		t.Errorf("the filter selected row %d", s.Agents.At())
	}
	press(s, "<Esc>")
	s.SetCatalogue(Catalogue{Err: errors.New("no")})
	if s.Agents.Len() != len(c.Agents) || s.Agents.Err != "no" {
		t.Error("an error took away what was read before")
	}
	s.SetCatalogue(Catalogue{})
	if s.Agent() != nil {
		t.Error("an agent of an empty catalogue")
	}
	press(s, "jkGg<PgDn><PgUp>nevT<Enter>r<Esc><Esc>")
	if s.Agents.Open {
		t.Error("Esc does not leave")
	}
}

func TestAgentParts(t *testing.T) {
	s := catalogued()
	text := func(i int) string {
		var b strings.Builder
		for _, p := range s.Parts(s.Agents.Row(i)) {
			fmt.Fprintf(&b, "%s=%s\n", p.Label, p.Text)
		}
		return b.String()
	}
	for i, want := range []string{0: "error=line 3 · tools: not a list\nrepair: write [a, b]\n", 1: "shadows=builtin/explore.md\ntools=all\n", 2: "shadowed by=/me/explore.md\n", 5: "tools=none\n"} {
		if !strings.Contains(text(i), want) {
			t.Errorf("row %d lacks %q:\n%s", i, want, text(i))
		}
	}
	if strings.Contains(text(0), "tools=all") {
		t.Error("a file that was not read has tools")
	}
}

func TestNotice(t *testing.T) {
	s := catalogued()
	if got, want := s.Notice(), "this folder brings 1 agent and 1 command you have not trusted; @ shows them; T trusts"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	press(s, "<Esc>")
	s.SetCatalogue(definitions())
	if s.Notice() != "" {
		t.Error("asked again after it was dismissed")
	}
	s = catalogued()
	press(s, "@q")
	if s.Notice() != "" {
		t.Error("asked again after the pane was seen")
	}
	s = registry() // what comes after the start is no news of the start
	s.SetCatalogue(Catalogue{})
	s.SetCatalogue(definitions())
	if s.Notice() != "" {
		t.Error("a late notice")
	}
	s = registry()
	s.View.Page = 2
	s.SetCatalogue(definitions())
	if s.Notice() != "" || !strings.HasPrefix(s.Toast.Text, "this folder brings") {
		t.Errorf("no room for a banner, and the toast is %q", s.Toast.Text)
	}
}

func TestTrustNamesWhatComesIn(t *testing.T) {
	s := catalogued()
	press(s, "T")
	want := "trust /shop? It brings 1 agent and 1 command in .claude/agents, .claude/commands (review). Trusted, they can run tools on this machine as you, and its hooks (drover hooks) run too."
	if s.View.Confirm.Text != want {
		t.Fatalf("got %q\nwant %q", s.View.Confirm.Text, want)
	}
	c := definitions()
	c.Agents = append(c.Agents, Agent{Name: "sneak", State: "untrusted", Path: "/shop/.claude/agents/sneak.md"})
	s.SetCatalogue(c)
	if !strings.Contains(s.View.Confirm.Text, "sneak") {
		t.Error("the question is out of date")
	}
	if e := press(s, "y"); len(e) != 0 || s.View.Mode != Confirming {
		t.Errorf("what has just come in was trusted unread: %v", e)
	}
	s.Now = s.Now.Add(time.Second)
	if e := press(s, "y"); !reflect.DeepEqual(e, []Effect{Trust{}}) {
		t.Errorf("got %v", e)
	}
	s.Trusted("/shop", nil)
	if s.Toast.Text != "trusted /shop: its agents and commands can run" {
		t.Errorf("toast %q", s.Toast.Text)
	}
	press(s, "T")
	s.SetCatalogue(Catalogue{})
	if s.View.Mode != Normal {
		t.Error("the question outlives what it is about")
	}
}

// An approval that came up under the pane is not answered by the key after it.
func TestPaneHidesApprovals(t *testing.T) {
	s := catalogued()
	s.Tree.goTo("run11")
	press(s, "@")
	s.Apply(core.Update{Changed: []string{"run11"}, Approvals: []core.Approval{{ID: 1, Task: "run11", Tool: "shell", Args: []byte(`{}`), State: core.AppPending, Created: t0}}})
	s.Now = s.Now.Add(time.Hour)
	if e := press(s, "aAdqa"); len(e) != 0 {
		t.Errorf("answered unseen: %v", e)
	}
	press(s, "@")
	s.Now = s.Now.Add(time.Hour)
	press(s, "!")
	if s.Agents.Open || s.Tree.Selected != "run11" {
		t.Error("! does not go to what needs you")
	}
}

func TestSlash(t *testing.T) {
	list := func(s *State) string {
		var l []string
		for _, c := range s.Candidates() {
			x := c.Name
			if c.Chosen {
				x += "*"
			}
			if c.Bad {
				x += "!"
			}
			l = append(l, x)
		}
		return strings.Join(l, " ")
	}
	for _, c := range []struct{ keys, text, list string }{
		{"n/", "/", "release review reset!"},
		{"n/rev", "/rev", "review"},
		{"n/rev<Tab>", "/review ", "review*"},
		{"n/re<Tab>", "/release", "release* review reset!"},
		{"n/re<Tab><Tab>", "/review", "release review* reset!"},
		{"n/re<Tab><Tab><Tab>", "/release", "release* review reset!"},
		{"n/re<Tab> 1.2", "/release 1.2", "release*"},
		{"n/review a<Tab>", "/review a", "review*"},
		{"n/home/me<Tab>", "/home/me", ""},
		{"nsay /re", "say /re", ""},
		{"n/ x", "/ x", ""},
		{"n x<Home>/re<Tab>", "/release x", "release*"},
	} {
		s := catalogued()
		press(s, c.keys)
		if got := s.Input.Compose.String(); got != c.text || list(s) != c.list {
			t.Errorf("%s: text %q, list %q; want %q, %q", c.keys, got, list(s), c.text, c.list)
		}
	}
	s := catalogued()
	press(s, "n/review a<Tab>")
	if !s.Input.Compose.Autopilot {
		t.Error("behind the name Tab does not change the mode")
	}
	s.Done(NewSession{Prompt: "/nope x", Agent: "explore"}, core.Request{}, &core.Error{Code: core.CodeNotFound, Message: "no command /nope"})
	press(s, "<Esc>")
	s.Done(NewSession{Prompt: "/nope x"}, core.Request{}, &core.Error{Code: core.CodeNotFound, Message: "no command /nope"})
	if s.Draft("@explore") != "/nope x" || s.Toast.Text != "no command /nope · your text is kept; n has it" {
		t.Errorf("draft %q, toast %q", s.Draft("@explore"), s.Toast.Text)
	}
}
