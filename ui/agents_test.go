package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drover/core"
	"drover/ui/state"
)

// A definition dropped in place is there within a second while the pane is
// open; nothing is asked while it is closed.
func TestAgentsAppear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shopAgents(f)
		d := drive(t, f, 120, 40, nil)
		if n := f.asked(); n != 1 {
			t.Errorf("%d questions at the start", n)
		}
		d.wait(2 * time.Minute)
		if n := f.asked(); n != 1 {
			t.Errorf("%d questions in two minutes without the pane", n)
		}
		d.keys("@Gk") // reviewer
		d.sees("reviewer · ? untrusted")
		d.wait(10 * time.Second)
		if n := f.asked(); n < 10 || n > 15 {
			t.Errorf("%d questions in ten seconds of the pane", n)
		}
		f.mu.Lock() // no nudge: a file is no row
		f.agents = append(f.agents, state.Agent{Name: "aardvark", Family: ".cursor", Scope: "project", State: "available", Path: "/x/aardvark.md"})
		f.mu.Unlock()
		d.wait(time.Second)
		d.sees("◆ aardvark", "reviewer · ? untrusted")
		f.mu.Lock()
		f.lookErr = errors.New("permission denied\x1b[2J")
		f.mu.Unlock()
		d.wait(time.Second)
		d.sees("the agents cannot be read: permission denied", "◆ aardvark")
		f.mu.Lock()
		f.lookErr = nil
		f.mu.Unlock()
		d.keys("r")
		d.sees("read again: 4 available")
		d.lacks("permission denied")
		d.keys("q")
		d.lacks("aardvark")
		before := f.asked()
		d.wait(time.Hour)
		if n := f.asked() - before; n != 0 {
			t.Errorf("%d questions after the pane was closed", n)
		}
		d.quit()
	})
}

func TestTrustAndLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shopAgents(f)
		d := drive(t, f, 120, 40, nil)
		d.sees("this folder brings 2 agents and 1 command")
		d.keys("@/reviewer<Enter>n")
		d.sees("you have not trusted; T trusts it")
		d.keys("T")
		d.sees("trust /home/me/shop?", ".github/agents", "yes, trust it")
		d.keys("y")
		d.sees("trusted /home/me/shop", "reviewer · ◆ available")
		d.keys("n")
		d.sees("new session · reviewer ›")
		d.keys("read the diff<Enter>")
		d.sees("read the diff · reviewer · ● running", "you › read the diff")
		d.lacks("this folder brings")
		if !f.trusted {
			t.Error("nothing was trusted")
		}
		d.quit()
	})
}

func TestSlashCommandIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shopAgents(f)
		d := drive(t, f, 80, 24, nil)
		d.keys("n/rev")
		d.sees("/review [PATH]  Review a change")
		d.lacks("/release")
		d.keys("<Backspace><Backspace><Backspace><Backspace>/nope now<Enter>")
		d.sees("no command /nope · Tab completes names · your text is kept")
		d.keys("n")
		if got := d.draft(); got != "/nope now" {
			t.Errorf("draft %q", got)
		}
		d.quit()
	})
}

func TestAgentFileOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shopAgents(f)
		opened := ""
		d := drive(t, f, 80, 24, func(o *Options) {
			o.Outside.Open = func(_ context.Context, path string) error {
				opened = path
				f.mu.Lock()
				defer f.mu.Unlock()
				f.agents = f.agents[:3]
				return nil
			}
		})
		d.keys("@/broken<Enter>e")
		if opened != "/home/me/.gemini/agents/broken.md" {
			t.Errorf("opened %q", opened)
		}
		d.sees("No agent fits")
		d.quit()
	})
}

func TestHostileDefinitionsAreText(t *testing.T) {
	evil := "[red]tag[-]\x1b]0;title\x07\x1b[2J\u202eabc\u200b\U000e0041\r\n\ue000\xff"
	for _, size := range [][2]int{{120, 40}, {60, 20}, {20, 5}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			shop(f)
			f.change(func() {
				for _, st := range []string{"available", "shadowed", "untrusted", "disabled", "problem", evil} {
					f.agents = append(f.agents, state.Agent{
						Name: evil + st, Display: evil, Description: strings.Repeat(evil, 500), Dialect: evil, Family: evil, Scope: evil, Path: "/" + evil, State: st,
						Reason: evil, ShadowedBy: evil, Model: evil, Tools: []string{evil, evil}, Problems: []state.Problem{{Severity: evil, Line: 1, Field: evil, Message: evil, Repair: evil}},
					})
				}
				f.commands = []state.Command{{Name: "re" + evil, State: "available"}, {Name: "review", Description: evil, Hint: evil, Reason: evil, State: evil}, {Name: "ready", Description: evil, Hint: evil}}
			})
			d := drive(t, f, size[0], size[1], nil)
			for _, keys := range []string{"", "T", "n", "@", "j", "v", "<Esc>j", "n", "<Esc>j", "n", "<Esc>G", "n", "<Esc>T", "n", "ghello", "<Esc>/tag", "<Enter>", "q", "n/re", "<Tab>", "<Esc>"} {
				d.keys(keys)
				for _, r := range d.text() {
					if r != '\n' && (r < ' ' || r == 0x7f || r == 0x202e || r == 0x200b || r == 0xe000 || r >= 0xe0000) {
						t.Fatalf("after %q: %U on the screen", keys, r)
					}
				}
			}
			d.quit()
		})
	}
}

// The smallest screen: the pane, its composer and its question can be used.
func TestAgentsInTheSmallestScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		shopAgents(f)
		d := drive(t, f, 20, 5, nil)
		d.keys("@")
		d.sees("× broken")
		d.keys("jj")
		d.sees("◆ explore")
		d.keys("n")
		d.wait(2 * time.Second)
		d.keys("hi")
		d.sees("hi")
		d.keys("<Enter>")
		d.quit()
		if got := f.tasks[len(f.tasks)-1]; got.Description != "hi" || got.Agent != "explore" {
			t.Errorf("started %+v", got)
		}
	})
}

// Ten thousand definitions draw as fast as the rows there are.
func BenchmarkAgentsPane(b *testing.B) {
	f := newFake()
	for i := range 10_000 {
		f.agents = append(f.agents, state.Agent{Name: fmt.Sprintf("agent-%05d", i), Description: strings.Repeat("does things ", 40), Scope: "project", State: "available", Path: fmt.Sprintf("/a/%d.md", i)})
	}
	s, _ := newSim(b, 120, 40)
	v := newView(&program{o: Options{Engine: f}, screen: s})
	v.paint(NewPalette(theme(b, "dark"), 256, false))
	v.st.SetCatalogue(state.Catalogue{Agents: f.agents, Commands: []state.Command{{Name: "x"}}})
	v.st.Now = time.Now()
	v.st.Key("@")
	for b.Loop() {
		v.st.Key("j")
		v.Draw(s)
	}
}

func BenchmarkCatalogue(b *testing.B) {
	var c state.Catalogue
	for i := range 1000 {
		c.Agents = append(c.Agents, state.Agent{Name: fmt.Sprintf("agent-%05d", i), Description: strings.Repeat("does things ", 40), Scope: "project", State: "available", Path: fmt.Sprintf("/a/%d.md", i)})
	}
	s := state.New(state.Config{})
	for b.Loop() {
		s.SetCatalogue(c)
	}
}

// A file's name is an argument of the editor and nothing else.
func TestOpenOnTerminal(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	path := filepath.Join(dir, `a "b" $(touch pwned) ;touch pwned.md`)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", `sh -c 'echo edited >"$0"'`)
	if err := openOnTerminal(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if b, err := os.ReadFile(path); string(b) != "edited\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	t.Setenv("VISUAL", "false")
	if err := openOnTerminal(t.Context(), path); err == nil || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}
