package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"drover/themes"
	"drover/ui/state"
)

func TestLinkTargets(t *testing.T) {
	for word, want := range map[string]string{
		"https://a.example/x?y=1":              "https://a.example/x?y=1",
		"(https://a.example/x).":               "https://a.example/x",
		"https://en.example/A_(b)":             "https://en.example/A_(b)",
		"see:http://a.example,":                "http://a.example",
		"cart/total.go":                        "file:///home/me/cart/total.go",
		"cart/total.go:12:3":                   "file:///home/me/cart/total.go",
		"(/etc/x.conf)":                        "file:///etc/x.conf",
		"./a/b.c":                              "file:///home/me/a/b.c",
		"file:///etc/hosts":                    "file:///etc/hosts",
		"javascript://a.example/x":             "",
		"ftp://a.example/x.txt":                "",
		"and/or":                               "",
		"total.go":                             "",
		"https://":                             "",
		"https://a.example/é":                  "https://a.example/%C3%A9",
		"https://a.example/\x1b]8;;x":          "",
		"../../../etc/x.so":                    "file:///etc/x.so",
		"https://" + strings.Repeat("x", 3000): "",
	} {
		if _, got := target(word, "/home/me"); got != want {
			t.Errorf("%.60q leads to %q, want %q", word, got, want)
		}
	}
}

func FuzzLinkTarget(f *testing.F) {
	for _, s := range []string{"https://a.example/x", "a/b.go:1", "file:///x", "http://[::1", "(x/y.z)", "https://\u202e", "a\x1b/b.c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		part, to := target(word, "/d")
		if to == "" {
			return
		}
		if part[0] < 0 || part[1] > len(word) || part[0] >= part[1] {
			t.Fatalf("%q: part %v", word, part)
		}
		if !strings.HasPrefix(to, "http://") && !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "file:///") {
			t.Errorf("%q leads to %q", word, to)
		}
		for _, b := range []byte(to) {
			if b <= ' ' || b > '~' {
				t.Errorf("%q leads to %q", word, to)
			}
		}
	})
}

func TestLinksWrap(t *testing.T) {
	thin, _ := newSim(t, 20, 3)
	drawText(thin, 0, 0, 20, "at https://a.example", tcell.StyleDefault)
	drawText(thin, 0, 1, 20, "/one/two?x=1 then", tcell.StyleDefault)
	link(thin, rect{0, 0, 20, 3}, "")
	want := tcell.StyleDefault.Url("https://a.example/one/two?x=1")
	_, first, _ := thin.Get(3, 0)
	_, second, _ := thin.Get(11, 1)
	_, after, _ := thin.Get(14, 1)
	if first != second || first == tcell.StyleDefault || after != tcell.StyleDefault {
		t.Errorf("first %+v second %+v after %+v (like %+v)", first, second, after, want)
	}
}

func TestNotices(t *testing.T) {
	getenv := func(pairs ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == k {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		setting string
		env     []string
		want    string
	}{
		{"auto", []string{"TERM_PROGRAM", "iTerm.app"}, "\x1b]9;drover: x needs you\x1b\\"},
		{"auto", []string{"TERM", "xterm-kitty"}, "\x1b]99;;drover: x needs you\x1b\\"},
		{"auto", []string{"VTE_VERSION", "7600"}, "\x1b]777;notify;drover;x needs you\x1b\\"},
		{"auto", []string{"TERM", "xterm"}, "\a"},
		{"osc9", []string{"TMUX", "/tmp/x"}, "\x1bPtmux;\x1b\x1b]9;drover: x needs you\x1b\x1b\\\x1b\\"},
		{"off", nil, ""},
	} {
		if got := NoticesFor(c.setting, getenv(c.env...)).Sequence("x needs you"); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.setting, c.env, got, c.want)
		}
	}
	hostile := "4;1;50\x07\x1b]52;c;aGk=\x1b\\\u009d0;x\u202e\ny"
	for _, kind := range []string{"osc9", "osc777", "osc99"} {
		body := strings.TrimSuffix(strings.TrimPrefix(Notices{Kind: kind}.Sequence(hostile), "\x1b]"), "\x1b\\")
		if strings.ContainsAny(body, "\x1b\a\u009d\n\u202e") {
			t.Errorf("%s: %q", kind, body)
		}
	}
}

// TestTheyAreToldOnceAndOnlyElsewhere runs the whole screen: an approval that
// comes while the person looks elsewhere is told once, one before their eyes is not.
func TestTheyAreToldOnceAndOnlyElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrote []string
		d := drive(t, shopFake(), 120, 40, func(o *Options) {
			o.Notify = Notices{Kind: "osc9"}
			o.Title = true
			o.Outside.Write = func(s string) error { wrote = append(wrote, s); return nil }
		})
		if len(wrote) != 0 {
			t.Errorf("what was there at the start is news: %q", wrote)
		}
		d.p.look.turn(false)
		d.f.change(func() { d.f.ask("eedit", "shell", "npm test", map[string]any{"command": "npm test"}) })
		d.settle()
		d.f.change(func() { d.f.touch("eedit") })
		d.settle()
		if len(wrote) != 1 || !strings.Contains(wrote[0], "edit-cart needs you: shell npm test") {
			t.Errorf("told %q", wrote)
		}
		d.p.look.turn(true)
		d.f.change(func() { d.f.ask("cplan", "shell", "npm run x", nil) })
		d.settle()
		if len(wrote) != 1 {
			t.Errorf("told before their eyes: %q", wrote)
		}
		d.quit()
	})
}

func shopFake() *fake {
	f := newFake()
	shop(f)
	return f
}

func TestMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, shopFake(), 120, 40, func(o *Options) { o.Mouse = state.MouseOn })
		click := func(x, y int) {
			d.sim.InjectMouse(x, y, tcell.Button1, tcell.ModNone)
			synctest.Wait()
			d.sim.InjectMouse(x, y, tcell.ButtonNone, tcell.ModNone)
			d.settle()
		}
		st := d.p.view.st
		row := func(y int) string { return st.Tree.Rows[d.p.view.treeTop+y-2].Node.Task.ID }
		click(10, 4)
		if st.Tree.Selected != row(4) || st.View.Pane != state.PaneTree {
			t.Errorf("a click on row 4 selects %s", st.Tree.Selected)
		}
		click(80, 10)
		if st.View.Pane != state.PaneDetail {
			t.Error("a click into the transcript does not give it the keys")
		}
		sel := st.Tree.Selected
		d.sim.InjectMouse(10, 10, tcell.WheelDown, tcell.ModNone)
		d.settle()
		if st.Tree.Selected == sel {
			t.Error("the wheel does nothing over the tree")
		}
		x := strings.Index(lineOf(d.text(), 39), "x cancel")
		if x < 0 {
			t.Fatalf("no x in the footer:\n%s", d.text())
		}
		d.p.look.turn(true) // the terminal has got the focus just now, by this click
		click(x, 39)
		if st.View.Mode != state.Normal {
			t.Error("the click that gives the focus acts")
		}
		d.wait(coming)
		click(x, 39)
		if st.View.Mode != state.Confirming {
			t.Error("a click on x cancel does not ask")
		}
		d.keys("n<Ctrl-T>")
		sel = st.Tree.Selected
		click(10, 3)
		if st.Tree.Selected != sel {
			t.Error("the mouse acts though it is off")
		}
		d.quit()
	})
}

func lineOf(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < len(lines) {
		return lines[n]
	}
	return ""
}

func TestThemeShowsWhileItIsTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, shopFake(), 80, 24, func(o *Options) { o.ThemeName = "dark" })
		bg := func() tcell.Color {
			_, bg, _ := d.p.view.pal.Style(themes.Text).Decompose()
			return bg
		}
		dark := bg()
		d.keys(":theme light")
		if bg() == dark {
			t.Error("light is not shown while it is typed")
		}
		d.keys("<Esc>")
		if bg() != dark {
			t.Error("Esc does not bring dark back")
		}
		d.keys(":theme light<Enter>")
		if bg() == dark || d.p.themeName != "light" {
			t.Error("light has not been set")
		}
		d.quit()
	})
}

func TestOutfitIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outfit := make(chan Outfit)
		d := drive(t, shopFake(), 120, 40, func(o *Options) { o.Outfit = outfit })
		table, err := state.Keymap([]state.Rebind{{Command: "message", Keys: []string{"F6"}}})
		if err != nil {
			t.Fatal(err)
		}
		outfit <- Outfit{Rekeyed: true, Keys: table}
		d.settle()
		d.sees("the keys have changed")
		d.wait(10 * time.Second)
		d.sees("F6 message")
		_, err = state.Keymap([]state.Rebind{{Command: "message", Keys: []string{"x"}, Where: "keys.toml:7"}})
		outfit <- Outfit{Rekeyed: true, KeysErr: err}
		d.settle()
		d.sees("keys.toml:7: the key x is that of")
		if d.p.view.st.Action("F6") != "message" {
			t.Error("a keymap with a fault has been taken over")
		}
		close(outfit)
		d.quit()
	})
}
